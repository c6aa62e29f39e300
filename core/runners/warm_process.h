// What is kept of a warm process. WarmProcesses (warm_processes.h) has its life and its cores; which requests it has is
// RequestRouter's (warm_router.h).
#pragma once

#include "core/base/clock.h"
#include "core/lease/runner.h"
#include "core/model/given_resources.h"
#include "core/pool/pool.h"
#include "core/runners/warm_channel.h"
#include "core/runners/warm_view.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

struct WarmWorker;

/// So long a process keeps its cores while other work waits for some.
inline constexpr Duration kTurn{1'000'000};
/// What is seen of a death first; how it ended says more.
inline constexpr std::string_view kHungUp = "it closed its socket";

struct WarmProcess {
    enum class Phase : unsigned char {
        Waiting,   ///< for memory
        Preparing, ///< its directory is made
        Launched,  ///< the launcher has it; it is not ready
        Live,      ///< takes requests
        Ending     ///< takes none, will be gone
    };
    Phase phase = Phase::Waiting;
    bool submitted = false; ///< the launcher has it: its Ended will come
    pool::ProcessId inPool;
    AttemptId id;
    SlotId slot;
    std::string name; ///< for people and the API
    WarmWorker* worker = nullptr;
    int pid = 0;
    WarmChannel channel;
    std::uint64_t answers = 0; ///< requests it answered
    bool isToWrite = false;    ///< among WarmProcesses::takeToWrite()
    unsigned concurrency = 1;
    unsigned maxAhead = 0;
    std::vector<std::uint32_t> lanes;
    std::optional<std::uint32_t> firstLane; ///< of its worker's timeline; `concurrency` of them are its own
    std::vector<std::uint32_t> freeLanes;   ///< of those, counted from the first
    std::deque<std::uint32_t> ahead;
    std::deque<std::uint32_t> unsent;
    unsigned slow = 0;                  ///< in flight: of functions that take long, or are not known
    std::optional<std::uint32_t> alone; ///< a request of it that shares it with no other
    MonoTime lastAnswer{};
    GivenResources kept;  ///< pieces that it has for as long as it lives
    GivenResources given; ///< those, and what it has while it has requests
    bool holdsCores = false;
    bool wantsCores = false;
    /// While other work waits for cores that it has.
    enum class Turn : unsigned char {
        Serving,  ///< its own turn
        Yielding, ///< gets no more requests, to come to the end of those it has, and give the cores back
        Sharing ///< one that it had then takes long, and the cores with it: others may as well be served beside it
    };
    Turn turn = Turn::Serving;
    bool gaveWay = false; ///< gave its cores back for others, who come first: asks again with the next tick
    MonoTime heldSince{};
    MonoTime yieldsSince{};
    Duration yieldsFor = kTurn; ///< twice as long each time that it was in vain
    MonoTime readyBy = MonoTime::max();
    MonoTime asksAt = MonoTime::max(); ///< Waiting: that an idle one goes for it
    MonoTime killAt = MonoTime::max(); ///< it was asked to end
    unsigned lateLooks = 0;            ///< at killAt, that came too late to tell
    bool usedSinceSample = false;
    bool endedForOne = false; ///< a request of it was cancelled, or its deadline passed: the others only shared it
    std::string failure;      ///< what it did wrong
    std::optional<double> cpuSeconds;
    std::optional<std::int64_t> rssBytes;
    std::int64_t memoryLimit = 0;             ///< bytes, of its whole tree; 0: none
    std::int64_t memoryBytes = 0;             ///< of its whole tree, when it was last looked at
    std::size_t processes = 0;                ///< of its tree, then
    bool isContained = false;                 ///< in a sandbox: over its limit it is ended whatever it works on
    bool overMemory = false;                  ///< and was
    WarmProcessView lastView;                 ///< from when its end began
    std::deque<OutputSink> asks;              ///< for what it printed; the oldest is answered first
    std::shared_ptr<const OutputEnds> output; ///< once it has ended

    std::uint64_t coreKey() const { return static_cast<std::uint64_t>(id.lsn.value) * 2; }
    std::uint64_t memoryKey() const { return coreKey() + 1; }
    std::size_t inFlight() const { return lanes.size() + ahead.size(); }
    bool yields() const { return turn == Turn::Yielding; }
    /// Besides itself, and the first process of its sandbox.
    bool hasChildren() const { return processes > (isContained ? 2u : 1u); }
    ProcessLook look() const { return {pid, channel.theirInode(), id.lsn.value, memoryLimit, memoryBytes}; }
    /// Where other work waits for cores, a process that had them for its turn gets no more requests, so that it
    /// comes to the end of those it has and gives them back; what it was not sent goes elsewhere. Where that takes
    /// long, those that wait behind are served meanwhile: the cores are in use in any case. Then it yields again,
    /// for longer. `hasOld`: it still works on what it had when it last yielded.
    Turn nextTurn(MonoTime now, bool hasOld) const;
    /// How far one that starts is.
    std::string_view step() const;
};

/// Who has the lock that a start found held, as far as its file says so.
std::string whyLocked(const LockBusy& busy);
/// How a process ended, and the most telling line of what it printed last: parts of a sentence.
std::string howItEnded(const Ended& ended);
std::string lastOutputOf(const Ended& ended);

} // namespace yard::runners
