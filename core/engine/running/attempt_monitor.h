// Looks after what runs: how much memory and processor time each attempt takes, whether it gets on, and which one is to
// be stopped for what it takes. It reads nothing itself: who looks at /proc, on a helper, tells it what was seen.
//
// Owner: engine thread. Lifetime: after the attempts; `end` and `watch` are Execution's. It asks no clock: the time is a
// parameter. Invariant: what is being ended is not told to end again for another cause.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/running/leaders.h"
#include "core/engine/running/usage_reading.h"
#include "core/engine/state/gpu_view.h"
#include "core/engine/state/intern_table.h"
#include "core/lease/scratch.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

/// The first process of one attempt, to look at.
struct UsageQuestion {
    runners::AttemptId id;
    Leader leader;
    std::optional<runners::Scratch> outputs; ///< whose are looked at as well
    runners::OutputLimits outputLimits;
};

class AttemptMonitor {
public:
    using Trees = std::unordered_map<int, TreeReading>; ///< by first process

    struct Parts {
        AttemptTable& attempts;
        const InternTable& dictionary;
        /// Tells its processes to end; `grace`: the attempt's own when absent.
        std::function<void(Attempt&, runners::StopCause, std::optional<Duration> grace)> end;
        std::function<void(const Attempt&, runners::Stream)> watch; ///< growth of the stream is told from now on
        std::function<std::vector<GpuView>()> gpus = {}; ///< as they were last looked at; empty: there are none
    };
    explicit AttemptMonitor(Parts parts)
        : parts_(std::move(parts)) {}

    std::size_t inFlight() const { return parts_.attempts.size(); }
    /// First processes of what runs since `before` or longer.
    std::vector<Leader> runningSince(MonoTime before) const;

    // --- memory
    struct Heavy {
        runners::AttemptId id;
        std::int64_t used = 0;  ///< bytes, by its process tree and sandbox
        std::int64_t asked = 0; ///< bytes; 0: it asked for none
    };
    /// Of those that run and were not told to end the one that has most memory over what it asked for. Where none
    /// has kWorthStopping more, the one that began last.
    std::optional<Heavy> furthestOver(const Trees& trees) const;
    static constexpr std::int64_t kWorthStopping = 64 << 20;
    /// Ends it, gently; it ends as `memory_pressure` with this note.
    void stopForMemory(runners::AttemptId id, std::string note);
    /// Ends what was given this GPU; it ends as `gpu_lost`. What does not run yet is not begun with it.
    void stopForGpu(std::string_view index, std::string_view why);
    /// First processes of what runs with a limit of memory and was not told to end, with what they had when they
    /// were last looked at.
    std::vector<std::pair<Leader, std::int64_t>> limited() const;
    /// What has more than it may is ended.
    void noteMemory(const Trees& trees);

    // --- whether they get on
    /// A watched stream has grown: the attempt gets on.
    static void noteOutput(Attempt& attempt, const runners::StreamAt& at, MonoTime now);
    /// Takes processor times by first process. What had none, and no output, for `limit` hangs. Returns those that
    /// began or ceased to.
    std::vector<Lsn> noteProgress(const std::unordered_map<int, std::int64_t>& times, MonoTime now, Duration limit);
    /// Nothing is said to hang any more: those that did.
    std::vector<Lsn> forgetHung();
    std::size_t hung() const;

    // --- what they use
    /// What is to be looked at now, the longest overdue first. Each is looked at after two seconds, then every
    /// five, and sooner after lookAtAllNext(); what used no processor time ever less often, down to once a minute.
    std::vector<UsageQuestion> dueForUsage(MonoTime now, std::size_t most);
    /// The next look is at all that runs.
    void lookAtAllNext() { looksAtAll_ = true; }
    /// What was seen of them; those that are not there have ended.
    void noteUsage(const std::vector<UsageQuestion>& asked, const Trees& trees, MonoTime now);
    /// What another machine says of one that runs there: first percent of a core, then bytes. It may say anything.
    void noteElsewhere(runners::AttemptId id, std::optional<std::uint64_t> percent,
                       std::optional<std::uint64_t> bytes, MonoTime now);
    /// Their outputs hold more than they may.
    void endOverOutputs(const std::vector<runners::AttemptId>& ids);
    /// Of all that runs, in microseconds: as it was last looked at, and going on like that since.
    std::int64_t processorTimeOfRunning(MonoTime now) const;

private:
    void checkMemory(Attempt& attempt, std::int64_t bytes);
    void noteGpus(Attempt& attempt, const TreeReading& tree, const std::vector<GpuView>& gpus, Duration span,
                  UsageSample& sample);
    void checkGpuMemory(Attempt& attempt, const std::string& index, std::int64_t bytes);
    bool getsOn(Attempt& attempt, std::int64_t time, MonoTime now, Duration limit);

    Parts parts_;
    bool looksAtAll_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
