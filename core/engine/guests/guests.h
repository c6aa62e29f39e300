// Service: the yards that this machine works for, what it gives them, and the way to them: it opens a link (`--join`),
// opens it again when it is lost, or takes the one that a yard opens (`--serve on`), and sends a yard away when somebody
// wants that.
//
// Owner: engine thread; plan() on the thread that opens the engine. Lifetime: after GuestJobs; its cooperative threads
// end with the loop. Bounds: one yard is joined, kMostYards open links here; what each may have here is in core/guests.
#pragma once

#include "core/base/owner.h"
#include "core/base/unique_fd.h"
#include "core/coro/loop.h"
#include "core/coro/sync.h"
#include "core/engine/guests/guest_yard.h"
#include "core/engine/guests/join.h"
#include "core/engine/state/options.h"
#include "core/guests/guest_budget.h"
#include "core/model/settings.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// For GET guests.
struct GuestsView {
    struct Run {
        std::int64_t lsn = 0; ///< of the yard
        std::uint32_t attempt = 0;
        std::string name;
        bool isRunning = false;
        WallMicros since = 0;
    };
    struct Yard {
        std::int64_t id = 0;
        std::string name; ///< as it calls itself; empty: it has not said yet
        std::string url;
        std::string_view state; ///< connecting, linked, waiting, refused, leaving, gone
        std::string reason;     ///< of waiting and refused
        WallMicros since = 0;   ///< of the state
        std::size_t held = 0;   ///< attempts, results that were not settled included
        std::vector<Run> runs;
    };
    bool serves = false; ///< this machine works for others
    guests::GuestLimits gives;
    std::vector<Yard> yards;
};

/// How a machine joins its yard, once its key is written down.
struct JoinPlan {
    std::string url;
    YardAddress yard;
    std::string token; ///< the secret; empty: none was given
    std::string key;
    bool isKnown = false; ///< the key was there before
};

class Guests {
public:
    struct Parts {
        coro::Loop& loop;
        coro::HelperPool& helpers;
        GuestJobs& jobs;
        const Settings& settings; ///< in force now
        Resources total;          ///< of this machine
        std::uint32_t slots = 0;
        std::string runId;
        std::string name; ///< of this machine
        bool serves = true;
        bool takesYards = false;
        std::function<bool()> takesWorkers = {};    ///< it can run registered workers of others; null: it cannot
        std::function<store::ChunkStore&()> chunks; ///< there once somebody is joined, or comes
        std::function<WallMicros(MonoTime)> wallOf;
        std::function<void(const std::string& sentence)> refused; ///< the yard does not want this machine
        Duration reconnectUnit = std::chrono::seconds(1); ///< for tests: what reconnectDelay() has in seconds
    };
    explicit Guests(Parts parts);

    /// What was asked for, held against what is known of that yard; the key is made and written. Blocks. Invalid, Io.
    static Result<JoinPlan> plan(const std::string& dataDir, const JoinOptions& options);

    /// What guests of all yards have together. `total`: of the machine.
    static guests::GuestLimits limitsOf(const Settings& settings, const Resources& total);

    /// Begins to work for a yard.
    void join(JoinPlan plan);
    static constexpr std::size_t kMostYards = 16;
    /// Whether a yard may open a link: the one with this key, which it comes back with. WrongState: this machine works for
    /// nobody who comes, or sent it away; Busy: it has one; AtLimit.
    Result<void> mayCome(const std::string& key) const;
    /// It has, over this socket. `peer`: its address. False: mayCome() says no by now.
    bool came(std::string key, std::string peer, std::shared_ptr<UniqueFd> socket);
    void settingsChanged() { budget_.setLimits(limitsOf(parts_.settings, parts_.total)); }
    /// The machine goes, or its engine ends: everybody is left, gently, and hears why.
    void leave(link::LeavingCause cause, const std::string& sentence);

    // --- commands
    GuestsView list() const;
    /// Ends what runs for it, then the link; it does not come back. NotFound; WrongState: it is leaving, or gone.
    Result<void> sendAway(std::int64_t id);

private:
    enum class State : std::uint8_t { Connecting, Linked, Waiting, Refused, Leaving, Gone };
    static std::string_view name(State state);
    struct Place {
        JoinPlan plan;
        std::unique_ptr<GuestYard> yard;
        State state = State::Connecting;
        std::string reason{};
        MonoTime since{};
        bool isTaken = false; ///< the yard opens the links
        coro::Event leaves{}; ///< somebody does not want it any more
    };
    Place& add(JoinPlan plan);
    Place* taken(const std::string& key) const;
    coro::Task<void> serveTaken(Place& place, std::shared_ptr<UniqueFd> socket);
    void move(Place& place, State to, std::string reason = {});
    coro::Task<void> tick();
    coro::Task<void> keepLinked(Place& place);
    coro::Task<engine::Joined> open(const JoinPlan& plan, bool withKey);
    coro::Task<bool> linkOnce(Place& place, bool& withKey, unsigned& failures);
    coro::Task<JoinFailure> serve(Place& place, linkio::ByteStream& stream, unsigned& failures);

    Parts parts_;
    guests::GuestBudget budget_;
    std::vector<std::unique_ptr<Place>> all_;
    OwnerCheck owner_;
};

} // namespace yard::engine
