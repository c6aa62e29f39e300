// What a desk wants of the content store: what is missing of inputs, pieces that come, results that go out. One thing
// after the other, on helpers; the answers come in the order of the questions.
//
// Owner: engine thread; run() and serve() are cooperative threads there. Lifetime: the content store outlives it, and so
// does who hears. Bounds: isFull() from kWaitingBytes of pieces on, or kWaitingJobs of anything: then nothing more of
// the link is to be read before waitForRoom() returns; kMostOpen chunks are on their way at once, one more is not kept.
#pragma once

#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/guests/desk_out.h"
#include "core/linkio/link_connection.h"
#include "core/store/chunk_store.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace yard::engine {

class GuestStore {
public:
    static constexpr std::size_t kWaitingBytes = 4u << 20;
    static constexpr std::size_t kWaitingJobs = 4'096;
    static constexpr std::size_t kMostOpen = 64;

    struct Hears {
        std::function<void(link::AttemptRef, guests::LookedUp)> lookedUp;
        std::function<void(const Hash256&)> stored;
        std::function<void(const Hash256&, std::string_view why)> notStored;
        std::function<void(const guests::DeskOut::Serve&)> served;
    };
    GuestStore(store::ChunkStore& chunks, coro::HelperPool& helpers, Hears hears)
        : chunks_(chunks)
        , helpers_(helpers)
        , hears_(std::move(hears)) {}

    void lookUp(guests::DeskOut::Lookup lookup) { post(std::move(lookup)); }
    void take(guests::DeskOut::Piece piece);
    void abandon(const Hash256& hash) { post(Abandoned{hash}); }
    bool isFull() const { return bytes_ >= kWaitingBytes || jobs_.size() >= kWaitingJobs; }
    coro::Task<void> waitForRoom();
    /// Forever.
    coro::Task<void> run();

    // --- over one connection
    void serve(guests::DeskOut::Serve serve);
    void roomForBulk() { room_.set(); }
    /// Sends what is asked for, as long as the connection is there.
    coro::Task<void> runServing(linkio::LinkConnection& connection);
    void linkGone() { serves_.clear(); }

private:
    struct Abandoned {
        Hash256 hash;
    };
    using Job = std::variant<guests::DeskOut::Lookup, guests::DeskOut::Piece, Abandoned>;
    void post(Job job);
    coro::Task<void> carryOut(Job job);
    coro::Task<void> store(guests::DeskOut::Piece piece);
    coro::Task<void> send(guests::DeskOut::Serve serve, linkio::LinkConnection& connection);

    store::ChunkStore& chunks_;
    coro::HelperPool& helpers_;
    Hears hears_;
    std::deque<Job> jobs_;
    std::size_t bytes_ = 0; ///< of pieces in jobs_
    coro::Event work_;
    coro::ConditionVariable less_;
    std::unordered_map<Hash256, std::shared_ptr<store::ChunkWriter>> open_;
    std::unordered_map<Hash256, std::string> failed_; ///< why; until their last piece came
    std::deque<guests::DeskOut::Serve> serves_;
    coro::Event serving_; ///< serves_ has something
    coro::Event room_;    ///< the connection takes bulk again
};

} // namespace yard::engine
