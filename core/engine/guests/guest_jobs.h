// What runs here for yards: from the resources that each takes of the machine's session to what it left in the content
// store. It decides nothing: desks (core/guests) say what is made, started, ended and dropped, and hear what became of it.
//
// A guest takes its cores and memory from the session as a warm process does (session/resource_holds.h), so it waits for
// them beside the machine's own work, and starts under the same guards. It runs in slots of its own, and is not in the
// journal: after a crash the slots file ends it.
//
// Owner: engine thread. Lifetime: after the session, workspaces and runners; a teller outlives its jobs, or calls
// forgetAll(). Invariants: each prepare() gets one answer, those of the same attempt in their order; a number is never
// given twice; resources and slot are given back when nothing of it is left. Bounds: `slots` have something; who has
// resources and no slot waits.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/engine/guests/guest_workers.h"
#include "core/engine/running/leaders.h"
#include "core/engine/running/output_tails.h"
#include "core/engine/running/usage_reading.h"
#include "core/engine/running/workspaces.h"
#include "core/guests/guest_vetting.h"
#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/model/result.h"
#include "core/session/session.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// Who hears what became of what it asked for: the desk of one yard. On the engine thread, also from within its own call.
class GuestTeller {
public:
    virtual ~GuestTeller() = default;
    virtual void prepared(link::AttemptRef id) = 0;
    virtual void notPrepared(link::AttemptRef id, std::string_view why) = 0;
    virtual void update(link::Update update) = 0;
    virtual void ended(link::AttemptRef id, link::Finished end) = 0;
    virtual void returned(link::AttemptRef id) = 0;
};

class GuestJobs {
public:
    struct Parts {
        session::Session& session;
        Workspaces& workspaces;
        GuestWorkers& workers;
        coro::HelperPool& helpers;
        const Settings& settings; ///< in force now
        std::uint32_t firstSlot = 0;
        std::uint32_t slots = 0;
        std::function<runners::Runner*()> machine;     ///< null: it is not there yet
        std::function<Adopter()> adopter;              ///< the launcher
        std::function<std::string(SlotId)> statusFile; ///< where the processes of a slot say how far they are
        std::function<bool()> mayStart;                ///< the machine's own guards
        std::function<void()> started;                 ///< one is about to
        std::function<void()> wake;                    ///< the session may start more
        std::function<void(std::string name, coro::Task<void>)> spawn;
    };
    explicit GuestJobs(Parts parts);
    /// Before the first of them.
    void attach(store::ChunkStore& chunks) {
        chunks_ = &chunks;
        parts_.workers.attach(chunks);
    }

    // --- what a desk wants
    void mayRunUntil(std::uint32_t group, BootTime until);
    void prepare(GuestTeller& teller, std::uint32_t group, guests::GuestAttempt attempt);
    /// Requires: prepared.
    void start(GuestTeller& teller, link::AttemptRef id);
    void end(GuestTeller& teller, link::AttemptRef id, Duration grace);
    void drop(GuestTeller& teller, link::AttemptRef id);
    /// From now on what it prints is told, from there on.
    void follow(GuestTeller& teller, const link::Follow& what);
    /// Of this one nothing is told any more, and what runs is ended.
    void forgetAll(GuestTeller& teller);
    /// This machine ends what runs for it: told as lost, which counts for nothing.
    void endAll(const GuestTeller& teller, Duration grace);

    // --- what others say
    static bool isKey(session::HoldKey key) {
        return key >= static_cast<session::HoldKey>(2 * runners::kFirstGuestLsn);
    }
    void granted(session::HoldKey key);
    void updates(std::vector<runners::Update> batch);
    /// What waited for the machine's guards. Ten times a second.
    void tick();

    struct View {
        link::AttemptRef id;
        std::string name; ///< its label, its function, or its command in short
        bool isRunning = false;
        MonoTime since{}; ///< it runs, or waits
    };
    std::vector<View> views(const GuestTeller& teller) const;
    std::size_t count() const { return jobs_.size(); }
    /// One has resources of this machine.
    bool holdsAny() const {
        return std::ranges::any_of(jobs_, [](const auto& one) { return one.second.stage != Stage::Waiting; });
    }

private:
    enum class Stage : std::uint8_t { Waiting, Granted, Preparing, Prepared, Running, Collecting };
    struct Printed {
        std::string path{};
        std::uint64_t size = 0;
        std::uint64_t told = 0;
        bool isReading = false;
        bool isWatched = false;
    };
    struct Job {
        runners::AttemptId number;
        GuestTeller* teller = nullptr; ///< null: dropped
        std::uint32_t group = 0;
        guests::GuestAttempt attempt;
        Stage stage = Stage::Waiting;
        std::optional<SlotId> slot{};
        Workspace space{};
        std::optional<GuestWorkers::Ready> worker{}; ///< in use until nothing of the job is left
        MonoTime since{};
        bool endedHere = false;     ///< by this machine's own wish
        bool hasStatusFile = false; ///< its processes can say how far they are
        int pid = 0;                ///< once it runs
        MonoTime lookedAt{};        ///< when its processes were; before the first look its start
        std::int64_t used = 0;      ///< processor time by then
        ReportedProgress said{};    ///< by its processes, of how far they are
        ReportedProgress told{};    ///< of that, to who follows it
        Printed out{};
        Printed err{};
        Printed& printed(runners::Stream stream) { return stream == runners::Stream::Out ? out : err; }
    };
    using Jobs = std::map<std::int64_t, Job>; ///< by number
    static session::HoldKey keyOf(const Job& job) {
        return static_cast<session::HoldKey>(job.number.lsn.value) * 2;
    }
    Job* find(const GuestTeller& teller, link::AttemptRef id);
    Job* at(runners::AttemptId number);
    void goOn();
    void release(Job& job);
    void dropJob(Job& job, link::AttemptRef id);
    coro::Task<void> make(runners::AttemptId number);
    coro::Task<Result<Workspace>> makeSpace(runners::AttemptId number);
    static GuestCommand commandOf(const Job& job);
    coro::Task<void> collect(runners::AttemptId number, runners::Ended ended);
    coro::Task<Result<link::Finished>> finishedOf(Collection made, runners::EndCause cause, runners::RunTimes times,
                                                  bool endedHere);
    coro::Task<void> look();
    void tellUsage(runners::AttemptId number, const TreeReading& tree, MonoTime now);
    coro::Task<void> lookAtProgress();
    void tellProgress(const StatusToRead& read);
    coro::Task<void> tellOutput(runners::AttemptId number, runners::Stream stream);
    void streamAt(Job& job, const runners::StreamAt& at);
    void tellMore(Job& job, runners::Stream stream);

    Parts parts_;
    store::ChunkStore* chunks_ = nullptr;
    Jobs jobs_;
    std::deque<std::int64_t> granted_; ///< have their resources, wait for a slot and the guards; some may be gone
    std::vector<SlotId> free_;
    std::int64_t next_;
    MonoTime looked_{}; ///< at what runs; max(): it is being looked at
    OwnerCheck owner_;
};

} // namespace yard::engine
