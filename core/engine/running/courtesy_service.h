// Service: work makes room for a person at this machine (docs/courtesy.md). It watches conditions, lets the profile in
// force decide, and carries out what it says: nothing new starts, cores are left free, processes run at idle priority, or
// stand still. While actions run it keeps the machine awake, or lets sleep wait until they stand still. Never ends anything. With the profile `off` it looks at nothing.
//
// Owner: engine thread; run() is a cooperative thread of it. Lifetime: after session, settings and helpers; close() on the
// engine thread, before the loop goes.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/courtesy/decider.h"
#include "core/courtesy/desk.h"
#include "core/courtesy/freezer.h"
#include "core/courtesy/person.h"
#include "core/engine/state/courtesy_view.h"
#include "core/engine/state/views.h"
#include "core/model/queue.h"
#include "core/model/settings.h"
#include "core/model/why.h"
#include "core/session/session.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

class CourtesyService {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        coro::HelperPool& helpers;
        const Settings& settings; ///< in force now
        bool hasWindow = false;   ///< what the setting `auto` means
        int cores = 1;            ///< that actions have between them
        courtesy::OpenDesk openDesk;
        std::function<void(std::function<void()>)>
            post;                                  ///< to the engine thread, from any other; nothing once it ends
        std::function<bool()> works;               ///< an action runs here
        std::function<double()> coresOfActions;    ///< that they use here now, as far as is known
        std::function<std::vector<int>()> lowered; ///< first processes that idle priority is for
        /// What may stand still, by when it began; a request to one that has ended by now has no effect.
        std::function<std::vector<courtesy::Freezable>()> freezable;
        std::function<void(courtesy::Freezable, bool on)> setFrozen;
        std::function<bool()> isFreezing; ///< something that was told to stand still does not yet
        std::function<coro::Task<Result<SettingsView>>(std::string json)> changeSettings;
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<double()> hour; ///< of the local day
        std::function<WallMicros(MonoTime)> wallOf;
        std::function<MonoTime()> clock;
        std::function<void()> wake;    ///< something may start now, or is to be taken back
        std::function<void()> changed; ///< now() has
    };
    explicit CourtesyService(Parts parts);

    /// What the journal has: a profile that was chosen for a while, if the while is not over. Before run().
    void restore(std::span<const store::DocumentRow> rows);
    coro::Task<void> run();
    /// Lets go of the desk. The engine ends.
    void close() { desk_.reset(); }
    /// Invalid: a profile that there is not, or that cannot be read.
    static Result<void> check(const Settings& settings);

    // --- commands
    CourtesyView view();
    /// Invalid: no such profile, or a time that is none. Journal.
    coro::Task<Result<CourtesyView>> change(CourtesyChange change);

    // --- for other services
    void settingsChanged(const Settings& before);
    /// Something was started.
    void started() {
        if (!isOff() && (!wasAwake_ || decider_.is(courtesy::MeasureKind::Freeze))) work_.set();
    }
    /// Something runs that had its lease before idle priority was wanted.
    void lowerWhatRuns() {
        lowers_ = true;
        work_.set();
    }
    /// Something stands still, or goes on.
    void frozenChanged() { work_.set(); }
    CourtesyNow now() const;
    bool isHolding() const { return decider_.is(courtesy::MeasureKind::Hold); }
    /// What is started now is to run at idle priority.
    bool isIdlePriority(const QueueConfig* config) const {
        return decider_.is(courtesy::MeasureKind::IdlePriority) && !(config && config->ignoresCourtesy);
    }
    /// Why a queue that follows it starts nothing, or lacks cores. Nothing: it does not keep it.
    std::optional<Wait> holdWait() const;
    std::optional<Wait> coresWait() const;
    /// Why what runs stands still.
    std::optional<Wait> freezeWait() const;
    /// Cores that are left free are held in the session under keys of this kind.
    static bool isKey(session::HoldKey key) { return key >= kFirstKey; }

private:
    static constexpr session::HoldKey kFirstKey = session::HoldKey{1} << 63;
    /// The document of the journal: when it ends, and the profile that counts until then.
    static constexpr std::string_view kKind = "courtesy";
    static constexpr std::string_view kChosen = "chosen";

    void told(courtesy::DeskReadings readings);
    void look();
    void followProfile();
    void carryOut();
    void leaveFree(int cores);
    void keepAwake();
    void freeze();
    bool isSleeping() const;
    coro::Task<Result<void>> keepChosen(std::optional<std::string> body);
    bool isOff() const { return decider_.profile().isOff(); }
    bool isWatching() const;
    Duration untilNextLook() const;
    std::string nameInForce() const;
    std::optional<Wait> waitFor(courtesy::MeasureKind measure) const;

    Parts parts_;
    std::unique_ptr<courtesy::Desk> desk_; ///< null: nobody wanted to know anything yet
    courtesy::Person person_;
    courtesy::Conditions conditions_;
    courtesy::Decider decider_;
    courtesy::Freezer freezer_;
    std::string chosen_; ///< for a while, in place of the setting; empty: the setting counts
    MonoTime chosenUntil_{};
    MonoTime askedUntil_{}; ///< somebody looks at the conditions
    int heldCores_ = 0;     ///< keys in the session
    bool lowers_ = false;   ///< what runs is to be lowered once more
    bool wasAwake_ = false;
    bool wasDelayed_ = false;
    bool isReady_ = false; ///< for the sleep that comes
    coro::Event work_;     ///< look again
    OwnerCheck owner_;
};

} // namespace yard::engine
