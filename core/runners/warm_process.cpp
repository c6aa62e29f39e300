#include "core/runners/warm_process.h"

#include "core/runners/warm_workers.h"

#include <fmt/format.h>

namespace yard::runners {

namespace {

constexpr std::size_t kToldOutput = 1'000; ///< of the end: its most telling line becomes part of a note

} // namespace

WarmProcess::Turn WarmProcess::nextTurn(MonoTime now, bool hasOld) const {
    switch (turn) {
    case Turn::Serving: return now - heldSince >= kTurn ? Turn::Yielding : Turn::Serving;
    case Turn::Yielding: return now - yieldsSince >= yieldsFor ? Turn::Sharing : Turn::Yielding;
    case Turn::Sharing: break;
    }
    return hasOld ? Turn::Sharing : Turn::Yielding;
}

std::string_view WarmProcess::step() const {
    switch (phase) {
    case WarmProcess::Phase::Waiting:
        return worker && !worker->descriptor->pool.keeps.empty() ? kWaitsForKept : kWaitsForMemory;
    case WarmProcess::Phase::Preparing: return "its files are made";
    default: return pid == 0 ? "is being started" : "has not said that it is ready";
    }
}

std::string lastOutputOf(const Ended& ended) {
    std::string_view text = ended.err.bytes.empty() ? ended.out.bytes : ended.err.bytes;
    if (text.size() > kToldOutput) text = text.substr(text.size() - kToldOutput);
    const std::string line = firstErrorLine(text);
    return line.empty() ? "it printed nothing" : fmt::format("its last output: {}", line);
}

std::string whyLocked(const LockBusy& busy) {
    if (!busy.holder) return fmt::format("the lock {} is held", busy.name);
    return fmt::format("the lock {} is held by the engine of {}, process {}", busy.name, busy.holder->dataDir,
                       busy.holder->pid);
}

std::string howItEnded(const Ended& ended) {
    if (ended.cause == EndCause::LostRunner) return "the launcher process died, and it with it";
    if (ended.signal) return fmt::format("it was ended by signal {}", *ended.signal);
    return fmt::format("it ended with exit code {}", ended.exitCode.value_or(0));
}

} // namespace yard::runners
