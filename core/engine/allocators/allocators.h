// Allocators: what asks other systems for machines because work waits here, and gives them back. Each decides by
// allocators::Allocator; here its commands are run, and what comes of them is told.
//
// Owner: engine thread; commands run on helpers of its own. Lifetime: after Machines and the journal; stop() before the
// loop ends, close() once it has. Invariants: a definition, and a pilot, is in the journal before it counts; one command
// of an allocator runs at a time, so a list never comes between a start and its answer; a job that is known here is in
// the journal until the other system does not name it any more. Bounds: kMostAllocators, kMostPilots of each; a command
// has a minute.
#pragma once

#include "core/allocators/allocator.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/allocators/definition.h"
#include "core/engine/allocators/other_system.h"
#include "core/engine/allocators/pilot_book.h"
#include "core/engine/machines/machine_view.h"
#include "core/engine/state/pilot_tickets.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct AllocatorView {
    struct Pilot {
        std::string job;     ///< empty: its start command runs
        std::string state;   ///< "asked", "waiting", "starting", "joined", "ending"
        std::string machine; ///< name of the machine; empty: it has not joined
        WallMicros since = 0;
    };
    AllocatorDefinition definition;
    std::string state;  ///< "active", "backing_off", "paused"
    std::string reason; ///< of a state that is not active; may be empty
    WallMicros until = 0;
    std::vector<Pilot> pilots;
    unsigned wanted = 0;
    std::string decision; ///< a sentence
};

class Allocators {
public:
    static constexpr std::size_t kMostAllocators = 50;
    static constexpr std::string_view kKind = "allocator"; ///< of documents

    struct Parts {
        PilotTickets& tickets;
        std::string engineId;
        std::string yardName;
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        /// What waits here and may go elsewhere, likes together.
        std::function<std::vector<allocators::WaitingWork>(MonoTime)> waiting;
        std::function<coro::Task<std::vector<MachineView>>()> machines;
        std::function<coro::Task<Result<void>>(std::uint32_t machine)> removeMachine;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void()> changed;
        std::function<MonoTime()> now;
        Duration step = std::chrono::seconds(1);    ///< between two looks
        Duration unclear = std::chrono::minutes(5); ///< so long a start whose answer was lost may show up late
    };
    explicit Allocators(Parts parts);
    ~Allocators();

    /// What the journal has; documents of other kinds are passed over, what cannot be read is left out and told.
    void restore(std::span<const store::DocumentRow> documents);
    /// Begins to work, once machines may join.
    void run();
    /// Ends the jobs of those that do not keep them, and returns once that was asked for. What is under way is let end
    /// before: who waits sets the limit.
    coro::Task<void> stop();
    /// Once the loop has ended: commands that run are killed.
    void close() {
        if (helpers_) helpers_->stop();
    }

    /// By name.
    std::vector<AllocatorView> list() const;
    /// NotFound.
    Result<AllocatorView> get(std::string name) const;
    /// Malformed, TooLarge, Invalid; WrongState: the name is taken; AtLimit; Journal.
    coro::Task<Result<AllocatorView>> create(std::string json);
    /// The members that are given, but name and kind. NotFound, and as above.
    coro::Task<Result<AllocatorView>> change(std::string name, std::string json);
    /// A paused one starts nothing; what it has stays. resume() forgets failures, too. NotFound; Journal.
    coro::Task<Result<AllocatorView>> setPaused(std::string name, bool paused);
    /// Its jobs are ended, and it goes with the last of them. NotFound; Journal.
    coro::Task<Result<void>> remove(std::string name);
    /// Whose pilot the machine with this key is; empty: nobody's.
    std::string allocatorOf(std::string_view key) const;
    /// When the pilot with this key leaves by itself: by the last list; before one says so no sooner than it does if it began
    /// when this was asked first. 0: nobody's.
    WallMicros endOf(std::string_view key);
    /// Somebody removed the machine with this key: where it is a pilot's that may not come back, and its job is ended.
    coro::Task<void> machineRemoved(std::string key);

private:
    struct Held {
        KeptPilot kept;
        std::string machine{};              ///< its name, once it has joined
        allocators::PilotState shown{};     ///< as `since` goes by
        WallMicros since = 0;               ///< in this state
        std::optional<MonoTime> endAsked{}; ///< when its end was asked for last
        bool isEndTaken = false;            ///< the other system said yes to that
        WallMicros endsAt = 0;              ///< it leaves by itself then; 0: not known
    };
    struct Entry {
        explicit Entry(AllocatorDefinition given)
            : definition(std::move(given))
            , decisions(settingsOf(definition)) {}
        AllocatorDefinition definition;
        allocators::Allocator decisions;
        std::map<allocators::PilotNumber, Held> pilots{};
        std::vector<std::string> leftKeys{}; ///< of machines whose jobs are gone, to be removed
        std::vector<std::string> unclear{};  ///< pilots of an engine before this one whose jobs are not known
        std::vector<std::string> unwanted{}; ///< jobs that are to end, whatever is wanted
        std::optional<MonoTime> unlisted{};  ///< removed: since when nobody says which of its jobs run
        std::string trouble{};               ///< why the other system could not be asked; empty: it could
        /// False: it has jobs of an engine before this one, and was not told yet which of them run. One that runs
        /// is not ended because it seems to wait.
        bool areJobsKnown = true;
        MonoTime unclearUntil{};
        MonoTime nextLook{};
        MonoTime nextList{};
        std::string told{}; ///< what was shown last, in short
        coro::Event woken{};
    };
    using EntryPtr = std::shared_ptr<Entry>;

    Result<EntryPtr> find(const std::string& name) const;
    /// Null: it is nobody's.
    Held* heldWith(std::string_view key) const;
    AllocatorView viewOf(const Entry& entry) const;
    coro::Task<Result<void>> keepDefinition(const AllocatorDefinition& definition);
    coro::Task<Result<void>> put(store::DocumentChange change);
    static std::string textOf(const AllocatorDefinition& definition);
    // driving.cpp: one cooperative thread for each
    void begin(const EntryPtr& entry);
    coro::Task<void> drive(EntryPtr entry);
    coro::Task<void> takeStep(Entry& entry);
    coro::Task<void> startOne(Entry& entry, allocators::PilotNumber number);
    coro::Task<void> lookAtJobs(Entry& entry);
    void endAgain(Entry& entry, std::span<const allocators::Listed> jobs, std::vector<std::string>& end) const;
    void noteEnds(Entry& entry, std::span<const allocators::Listed> jobs) const;
    std::vector<std::string> endUnlisted(Entry& entry);
    coro::Task<void> endJobs(Entry& entry, std::vector<std::string> jobs);
    coro::Task<void> follow(Entry& entry);
    void followOne(Entry& entry, const Held& held, const MachineView* view) const;
    coro::Task<void> forgetGone(Entry& entry);
    coro::Task<Result<host::CommandEnd>> runOne(host::CommandOrder order);
    OtherSystem systemOf(const Entry& entry) const;
    void tell(Entry& entry);

    Parts parts_;
    std::map<std::string, EntryPtr, std::less<>> entries_;
    std::unique_ptr<coro::HelperPool> helpers_; ///< null before the first command: most engines run none
    coro::Mutex changing_;                      ///< one change of a definition at a time
    coro::ConditionVariable ended_;             ///< a driver has
    std::size_t drivers_ = 0;
    bool isRunning_ = false;
    bool isStopping_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
