// What attempts on a machine left there and this yard lacks: asked for, taken piece by piece, stored.
//
// Owner: the engine thread. Lifetime: that of its runner. Bounds: kWindow bytes are asked for at once, or one chunk that
// is larger. Invariant: what comes was asked for, has the size that was told, and comes in order; all else is a lie.
#pragma once

#include "core/runners/link_host.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::runners {

class LinkFetches {
public:
    static constexpr std::uint64_t kWindow = 4u << 20;
    static constexpr std::size_t kMostAsked = 256;
    /// Told of an attempt of which all is here; of a lie of the machine, with a sentence.
    struct Events {
        std::function<void(link::AttemptRef id)> done;
        std::function<void(std::string_view sentence)> lied;
    };

    LinkFetches(LinkHost& host, Events events)
        : host_(host)
        , events_(std::move(events)) {}

    /// A new connection, or none. What was on its way is asked for again.
    void connect(LinkOut* out);
    /// All of these are to be here. done() may come before it returns.
    void fetch(link::AttemptRef id, std::vector<RemoteChunk> chunks);
    void forget(link::AttemptRef id);
    /// done() is still to come. False after a lie about its sizes: then fetch() begins it again.
    bool isFetching(link::AttemptRef id) const { return left_.contains(id); }
    /// False: a lie.
    [[nodiscard]] bool chunkCame(link::Chunk piece);
    /// What could not be stored is asked for again. Once a second.
    void tick();
    /// Bytes that came and are being stored: over kWindow, who reads the connection waits.
    std::uint64_t storing() const { return storing_; }

private:
    enum class Stage : std::uint8_t {
        Waiting,
        Asked,
        Dropping, ///< some of it could not be stored; the rest still comes
        Resting   ///< all of that came: tick() lets it wait again
    };
    struct Chunk {
        std::uint64_t size = 0;
        std::uint64_t next = 0; ///< offset of the piece that comes next
        Stage stage = Stage::Waiting;
        unsigned round = 0; ///< how often it was asked for: answers of another one do not count
        std::set<link::AttemptRef> wantedBy{};
    };
    bool isOneSizeEach(const std::vector<RemoteChunk>& lacking) const;
    void add(link::AttemptRef id, const std::vector<RemoteChunk>& lacking);
    void ask();
    void stored(const Hash256& hash, unsigned round, bool isLast, const Result<void>& result);
    void rest(const Hash256& hash);
    void noLongerAsked(const Chunk& chunk);

    LinkHost& host_;
    Events events_;
    LinkOut* out_ = nullptr;
    std::map<Hash256, Chunk> chunks_;
    std::map<link::AttemptRef, std::size_t> left_; ///< how many it still lacks; 0: not known yet
    std::uint64_t asked_ = 0;                      ///< bytes
    std::size_t askedChunks_ = 0;
    std::uint64_t storing_ = 0;
    std::uint64_t lastNeed_ = 0;
    std::shared_ptr<int> alive_ = std::make_shared<int>();
};

} // namespace yard::runners
