// One yard that this machine works for: its desk, and the link to it while there is one. What the desk says is carried
// out here; what becomes of it is told to the desk.
//
// Owner: engine thread. Lifetime: jobs, helpers and the content store outlive it; it ends after its cooperative threads
// (run(), serve()). Invariant: the launcher knows until when guests may run before it gets one.
#pragma once

#include "core/engine/guests/guest_jobs.h"
#include "core/engine/guests/guest_store.h"
#include "core/guests/guest_desk.h"
#include "core/linkio/link_connection.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

class GuestYard final : public linkio::FrameSink, private GuestTeller {
public:
    struct Parts {
        GuestJobs& jobs;
        store::ChunkStore& chunks;
        coro::HelperPool& helpers;
        const Settings& settings; ///< in force now
        std::uint32_t group = 1;  ///< of its guests, for the launcher
        linkio::LinkLimits limits{};
        std::function<BootTime()> bootNow = yard::bootNow;
    };
    GuestYard(Parts parts, guests::GuestDesk::Self self, guests::GuestBudget& budget);
    ~GuestYard() override;

    /// Forever: the content store's part.
    coro::Task<void> run() { return store_.run(); }
    /// Forever: results stay in the content store until they are settled, inputs until nobody needs them.
    coro::Task<void> keepResults();
    struct Served {
        bool wasUp = false;     ///< it was welcomed
        bool isRefused = false; ///< by either side
        std::string why;
    };
    /// One link, from Hello to its end.
    coro::Task<Served> serve(linkio::ByteStream& stream);
    /// Ten times a second.
    void tick();
    /// Nothing new; what runs is ended, and the link once all is told, or after kGoodbye.
    void leave(link::LeavingCause cause, std::string_view sentence);
    static constexpr Duration kGoodbye = std::chrono::seconds(10);

    bool isLinked() const { return connection_ != nullptr && desk_.isUp(); }
    bool isLeaving() const { return leaveBy_.has_value(); }
    const std::string& name() const { return desk_.yardName(); }
    std::size_t held() const { return desk_.count(); }
    std::vector<GuestJobs::View> views() const { return parts_.jobs.views(*this); }

private:
    coro::Task<bool> frameCame(const link::Frame& frame) override;
    void roomForBulk() override { store_.roomForBulk(); }

    void prepared(link::AttemptRef id) override;
    void notPrepared(link::AttemptRef id, std::string_view why) override;
    void update(link::Update update) override;
    void ended(link::AttemptRef id, link::Finished end) override;
    void returned(link::AttemptRef id) override;

    GuestStore::Hears hears();
    void carryOut();
    void carryOut(guests::DeskOut what);
    void close(std::string why);

    Parts parts_;
    guests::GuestDesk desk_;
    GuestStore store_;
    linkio::LinkConnection* connection_ = nullptr;
    std::map<link::AttemptRef, std::vector<Hash256>> results_; ///< what is kept of those that were not settled
    std::optional<MonoTime> leaveBy_;
    Served served_;
    bool isCarrying_ = false;
};

} // namespace yard::engine
