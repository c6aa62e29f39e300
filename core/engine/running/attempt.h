// One attempt of an action as the engine has it, from the session's Start until the journal has its end.
//
//     Fetching -> [Preparing] -> Launched -> [Collecting] -> Ended -> (journal acknowledged) gone
//
// An exec in a `cwd` without inputs takes no step in brackets and touches no directory.
//
// A value. Owner: engine thread. Lifetime: in the AttemptTable; no reference outlives a suspension.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/engine/running/collector.h"
#include "core/engine/running/lent_request.h"
#include "core/engine/running/live_streams.h"
#include "core/engine/running/terminal.h"
#include "core/host/gpu_clients.h"
#include "core/lease/runner.h"
#include "core/lease/scratch.h"
#include "core/model/action_spec.h"
#include "core/model/given_resources.h"
#include "core/model/result.h"
#include "core/model/usage.h"
#include "core/session/messages.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

/// What an attempt uses, as far as was looked.
struct AttemptUsage {
    MonoTime due{};      ///< when it is looked at next; max(): it is being looked at
    Duration interval{}; ///< to the look after that
    MonoTime at{};       ///< of the last look; before the first one its start
    std::int64_t cpu = 0;
    double cores = 0;                         ///< in use between the last two looks
    std::map<std::string, host::GpuUse> gpus; ///< of each at the last look, by PCI address
    UsageSeries series;
};

/// What is said of an attempt in the phase Collecting.
inline constexpr std::string_view kCollectingWords = "its program has ended, its outputs are being kept";

/// What is said of an attempt whose processes stand still.
inline constexpr std::string_view kFrozenWords = "its processes stand still for a while";

struct Attempt {
    enum class Phase : unsigned char { Fetching, Preparing, Launched, Collecting, Ended };

    runners::AttemptId id;
    QueueId queue;
    session::ClassId cls;
    session::LabelId label;
    Phase phase = Phase::Fetching;
    bool ahead = false;
    session::MachineId machine{};             ///< there it runs, in one of the slots of its place
    std::string machineName{};                ///< when it began; empty: this machine
    bool shared = false;                      ///< runs in a slot of its own, beside those of the cores
    Duration deadline{};                      ///< of this attempt; 0: it was begun by an engine before this one
    std::int64_t memoryLimit = 0;             ///< bytes, of all its processes; 0: none
    std::int64_t memorySeen = 0;              ///< when last looked at
    bool isOverMemory = false;                ///< and was ended for that
    bool wasEnforced = false;                 ///< see session::AttemptEnd
    bool isOverOutputs = false;               ///< its outputs/ held too much while it ran: it was ended for that
    runners::OutputLimits outputLimits{0, 0}; ///< of what may be in outputs/ while it runs; 0: not looked at
    bool warm = false;                        ///< goes to a warm process, and takes no slot
    bool idlePriority = false;                ///< it was leased to start at that
    bool toFreeze = false;                    ///< its runner was asked to let it stand still
    std::optional<MonoTime> frozenAt = {};    ///< since then it does
    Duration frozen{};                        ///< it stood still before that
    bool hurry = false;                       ///< somebody waits for the result
    bool isTakenOver = false;                 ///< a machine has it of the engine before this one
    bool askedBack = false;                   ///< it waits behind a long one while a slot is idle
    bool cannotHeal = false;                  ///< it could not be started, and never can be
    bool stored = false; ///< the session has finished the action (abandoned): only the process is left
    std::optional<session::StopCause> stop;
    std::optional<std::uint32_t> lane; ///< of its worker's timeline, where that is not the slot
    SpecPtr spec;
    GivenResources given;             ///< pieces of what is told apart
    std::vector<std::string> lacking; ///< variables whose values are not known any more
    WallScale scale;                  ///< fixed for the attempt: its times never run backwards
    SlotId slot{};
    std::optional<runners::Scratch> scratch;
    std::optional<LentRequest> request;
    std::shared_ptr<Collector> collector; ///< while it is collected
    AttemptRecord record;
    std::vector<store::SmallChunk> chunks;
    std::vector<NamedChunk> leftElsewhere; ///< outputs that another machine left, in the store by now
    MonoTime launched{};                   ///< when the runner got it
    std::optional<MonoTime> endAsked;      ///< when its processes were told to end
    Duration grace{};                      ///< from then to SIGKILL
    // while it runs
    int pid = 0;
    MonoTime runningSince{};
    std::string stoppedForMemory;                            ///< the note of its end, once it was
    std::string lostGpu;                                     ///< the same: a GPU that it was given is lost
    std::string overGpuMemory;                               ///< the same: it had more of a GPU than it asked for
    std::optional<std::int64_t> processorTime;               ///< when last looked at, microseconds
    std::array<std::optional<std::uint64_t>, 2> outputSizes; ///< as far as they are watched
    MonoTime progress{};                                     ///< when it last had output or processor time
    bool isSuspected = false;                                ///< its output is watched
    WallMicros hungSince = 0;
    MonoTime collected{}; ///< since when its outputs go into the content store; the epoch: they do not
    std::shared_ptr<LiveStreams> live;
    std::shared_ptr<Terminal> terminal;  ///< while the runner has it, of an action that has one
    std::unique_ptr<AttemptUsage> usage; ///< once it ran for a while

    /// How long its processes stood still until `now`.
    Duration frozenUntil(MonoTime now) const {
        return frozen + (frozenAt ? std::max(now - *frozenAt, Duration::zero()) : Duration::zero());
    }
    /// Somebody has told its processes to end. What comes later is not why it ended.
    bool isBeingEnded() const {
        return stop || isOverMemory || isOverOutputs || !stoppedForMemory.empty() || !lostGpu.empty() ||
               !overGpuMemory.empty();
    }
};

} // namespace yard::engine
