// One allocator: how many machines it wants of another system now, which it starts and which it ends. Decisions alone:
// who owns it runs the commands (slurm.h) and tells what came of them. No clock: times go in.
//
// Owner: the engine thread. Invariants: pilots that are counted are at most Limits::max; those that wait for the other
// system at most `pendingMax`, but those that it queued again or that a change of settings left over.
#pragma once

#include "core/allocators/demand.h"
#include "core/allocators/failure_pause.h"
#include "core/allocators/pilot.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::allocators {

struct Settings {
    Shape shape{};
    Limits limits{};
    unsigned pendingMax = 2;
    Duration idle = std::chrono::seconds(300); ///< a machine without work ends after this
};

/// What one look of the other system says about a job.
struct Listed {
    std::string job;
    bool isRunning = false;
    /// Not empty: it is accepted and can never start, with the other system's word for why.
    std::string never{};
    /// When the other system ends it, in seconds of the wall clock; 0: it does not say.
    std::int64_t endsAt = 0;
};

/// What to do now. Its pilots are Asked and Ending already.
struct Plan {
    std::vector<PilotNumber> start{};
    std::vector<std::string> end{}; ///< jobs
};

class Allocator {
public:
    /// A pilot that ends within this without having run anything was none.
    static constexpr Duration kNoPilot = std::chrono::seconds(30);
    /// A job that is not in the list may only be too young for it.
    static constexpr Duration kListLag = std::chrono::seconds(30);

    explicit Allocator(Settings settings)
        : settings_(settings) {}

    const Settings& settings() const { return settings_; }
    void change(Settings settings) { settings_ = settings; }

    /// Looks at what waits. Starts nothing while it is backing off or paused; ends what is too much all the same.
    Plan look(std::span<const WaitingWork> work, MonoTime now);
    /// All that is there is to end: the allocator is removed, or the engine stops.
    std::vector<std::string> endAll(MonoTime now);
    /// Somebody wants to be rid of this one: true where it was not ending yet.
    bool endJob(std::string_view job, MonoTime now);
    /// What became of it nobody will hear: it counts as gone.
    void giveUp(PilotNumber number, MonoTime now);
    /// A job of an engine's life before this one, from what it kept.
    void adopt(std::string job, MonoTime now);

    /// The start command ended with a job. True: its end was asked for meanwhile, so the job is to be ended now.
    bool started(PilotNumber number, std::string job, MonoTime now);
    /// The start command failed.
    void notStarted(PilotNumber number, std::string sentence, MonoTime now);
    /// The other system's whole list of this allocator's jobs. Returns the jobs to end: those that can never start.
    std::vector<std::string> listed(std::span<const Listed> jobs, MonoTime now);
    /// A machine joined with the token that this job was given.
    void joined(std::string_view job, MonoTime now);
    /// It began to run something, or ended the last that it ran.
    void worked(std::string_view job, bool isIdle, MonoTime now);
    /// Its link is gone and its lease over. Whether the job is, the next list says.
    void left(std::string_view job, MonoTime now);

    void pause(std::string sentence) { pause_.pause(std::move(sentence)); }
    void resume() { pause_.resume(); }
    const FailurePause& failures() const { return pause_; }

    /// Those that are not Gone, in the order in which they came.
    const std::vector<Pilot>& pilots() const { return pilots_; }
    unsigned counted() const;
    unsigned pending() const;
    /// Of the last look().
    const Demand& demand() const { return demand_; }
    /// When the next look() may decide something else though nothing was told: a pause ends, a machine has been idle
    /// long enough. Nothing: never.
    std::optional<MonoTime> nextLook(MonoTime now) const;
    /// The last look() in a sentence: "3 machines wanted: 120 actions wait, 41 min of work for one".
    std::string decision(MonoTime now) const;

private:
    Pilot* find(std::string_view job);
    Pilot* find(PilotNumber number);
    void endSurplus(Plan& plan, MonoTime now);
    void endOne(Pilot& pilot, std::vector<std::string>& end, MonoTime now);
    void gone(Pilot& pilot, MonoTime now);
    void sweep();

    Settings settings_;
    FailurePause pause_;
    Demand demand_;
    std::vector<Pilot> pilots_;
    PilotNumber last_ = 0;
};

} // namespace yard::allocators
