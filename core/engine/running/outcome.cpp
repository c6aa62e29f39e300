#include "core/engine/running/outcome.h"

#include "core/base/duration_text.h"
#include "core/json/json_reader.h"
#include "core/runners/warm_frames.h"

#include <chrono>
#include <cstring>
#include <fmt/format.h>

namespace yard::engine {

using runners::EndCause;

namespace {

constexpr std::string_view kDeadlinePassed = "the deadline passed";

void set(AttemptOutcome& outcome, ActionState state, Reason reason) {
    outcome.state = state;
    outcome.reason = reason;
}

void set(AttemptOutcome& outcome, runners::StopCause cause) {
    switch (cause) {
    case runners::StopCause::Cancelled: return set(outcome, ActionState::Cancelled, Reason::Cancelled);
    case runners::StopCause::Abandoned: return set(outcome, ActionState::Abandoned, Reason::Abandoned);
    case runners::StopCause::EngineStopped:
    case runners::StopCause::Limit:
    case runners::StopCause::Machine: break; // whoever asked for it says more
    }
    set(outcome, ActionState::Abandoned, Reason::EngineStopped);
}

void fromExit(AttemptOutcome& outcome, const runners::Ended& ended) {
    if (ended.overMemory && ended.exitCode != 0) {
        outcome.note = "it took more memory than it may have, and the kernel ended it";
        return set(outcome, ActionState::Failed, Reason::Memory);
    }
    if (ended.signal) return set(outcome, ActionState::Failed, Reason::Signal);
    if (ended.exitCode == 0) return set(outcome, ActionState::Completed, Reason::None);
    set(outcome, ActionState::Failed, Reason::ExitCode);
}

} // namespace

AttemptOutcome outcomeOf(const runners::Ended& ended) {
    AttemptOutcome outcome;
    outcome.exitCode = ended.exitCode;
    outcome.signal = ended.signal;
    outcome.measures = ended.measures;
    outcome.outTruncated = ended.out.truncated;
    outcome.errTruncated = ended.err.truncated;
    outcome.denied = ended.denied;
    switch (ended.cause) {
    case EndCause::Exited: fromExit(outcome, ended); break;
    case EndCause::Cancelled: set(outcome, runners::StopCause::Cancelled); break;
    case EndCause::Abandoned: set(outcome, runners::StopCause::Abandoned); break;
    case EndCause::EngineStopped: set(outcome, runners::StopCause::EngineStopped); break;
    case EndCause::Deadline:
        set(outcome, ActionState::Failed, Reason::Deadline);
        outcome.note = ended.spawn.message.empty() ? fmt::format("{}; its processes were ended", kDeadlinePassed)
                                                   : fmt::format("{}: {}", kDeadlinePassed, ended.spawn.message);
        break;
    case EndCause::SpawnError:
        set(outcome, ActionState::Failed, Reason::SpawnError);
        outcome.note = ended.spawn.message;
        outcome.exitCode = runners::shellExitCode(ended.spawn);
        break;
    case EndCause::WorkerCrashed:
        set(outcome, ActionState::Failed, ended.overMemory ? Reason::Memory : Reason::WorkerCrashed);
        break;
    case EndCause::LeaseEnded:
        set(outcome, ActionState::Abandoned, Reason::LostRunner);
        outcome.note = "the yard that it ran for was silent for too long; its processes were ended";
        break;
    case EndCause::LostRunner:
        set(outcome, ActionState::Abandoned, Reason::LostRunner);
        outcome.note = "the launcher process died while this ran";
        break;
    }
    outcome.result = ended.result;
    if (!ended.message.empty())
        outcome.note =
            outcome.state == ActionState::Completed ? lastLine(ended.message) : firstErrorLine(ended.message);
    if (outcome.state == ActionState::Completed && (ended.resultTooLarge || !ended.resultRefused.empty())) {
        set(outcome, ActionState::Failed, Reason::ResultTooLarge);
        outcome.note = ended.resultTooLarge
                           ? "the result is over 64 KiB, and was not kept: write it into a file in outputs"
                           : "the result was not kept. " + ended.resultRefused;
    }
    return outcome;
}

void applyStop(AttemptOutcome& outcome, runners::StopCause cause) {
    outcome.outputs.clear();
    outcome.note = "it was ended while its outputs were collected";
    set(outcome, cause);
}

void applyOutputs(AttemptOutcome& outcome, const Result<runners::GatheredOutputs>& gathered) {
    if (!gathered) {
        outcome.note = "outputs could not be kept: " + gathered.error().message;
        if (outcome.state == ActionState::Completed) set(outcome, ActionState::Failed, Reason::ResultTooLarge);
        return;
    }
    outcome.outputs = gathered->outputs;
    outcome.denied.insert(outcome.denied.end(), gathered->denied.begin(), gathered->denied.end());
    if (outcome.state != ActionState::Completed) return;
    if (gathered->overLimit) {
        set(outcome, ActionState::Failed, Reason::ResultTooLarge);
        outcome.note = "outputs are over the limit (the worker's output_bytes or output_files, or the setting "
                       "max_output_bytes); none was kept";
    } else if (!gathered->missing.empty()) {
        set(outcome, ActionState::Failed, Reason::MissingOutput);
        outcome.note = fmt::format("expected output \"{}\" is not there", gathered->missing.front());
    }
}

void applyLeft(AttemptOutcome& outcome, std::vector<NamedChunk> outputs, const std::vector<std::string>& expect) {
    runners::GatheredOutputs left;
    left.outputs = std::move(outputs);
    for (const std::string& name : expect)
        if (std::ranges::find(left.outputs, name, &NamedChunk::name) == left.outputs.end())
            left.missing.push_back(name);
    applyOutputs(outcome, left);
}

void applyDeadline(AttemptOutcome& outcome, Duration deadline) {
    if (outcome.reason != Reason::Deadline || deadline <= Duration::zero() ||
        !outcome.note.starts_with(kDeadlinePassed))
        return;
    const double seconds = std::chrono::duration<double>(deadline).count();
    outcome.note.replace(0, kDeadlinePassed.size(),
                         fmt::format("the deadline of {} passed", durationText(seconds)));
}

void applyStreamLoss(AttemptOutcome& outcome, const runners::StreamResult& stream, std::string_view which) {
    if (stream.err == 0) return;
    outcome.note = fmt::format("{} could not be kept past {} bytes: {}", which, stream.size,
                               std::strerror(stream.err)); // NOLINT(concurrency-mt-unsafe): glibc's is per thread
    if (outcome.state == ActionState::Completed) set(outcome, ActionState::Failed, Reason::ResultTooLarge);
}

ChunkRef keepSmall(const runners::StreamResult& stream, std::vector<store::SmallChunk>& chunks) {
    const bool isThere = stream.bytes.empty() && stream.size > 0 && stream.hash != Hash256{};
    if (isThere) return {stream.hash, stream.size}; // of another machine: it came before its end was told
    if (stream.bytes.empty()) return {Hash256::ofNothing(), 0};
    chunks.push_back({stream.hash, stream.bytes});
    return {stream.hash, stream.bytes.size()};
}

std::string noteFrom(const AttemptOutcome& outcome, std::string_view err, std::string_view out) {
    if (outcome.reason != Reason::Signal || !outcome.signal) return firstErrorLine(err, out);
    const char* known = ::sigabbrev_np(*outcome.signal);
    const std::string signal = known ? fmt::format("SIG{}", known) : fmt::format("signal {}", *outcome.signal);
    const std::string line = lastLineOf(err, out);
    if (!line.empty()) return fmt::format("killed by {}; its last line: {}", signal, line);
    const bool drew = err.contains('\x1b') || out.contains('\x1b'); // no lines, but not nothing
    return fmt::format("killed by {}{}", signal, drew ? "" : "; it printed nothing");
}

void applyPrinted(AttemptOutcome& outcome, std::string_view out) {
    if (outcome.state != ActionState::Completed || !outcome.result.empty()) return;
    while (!out.empty() && (out.back() == '\n' || out.back() == '\r')) out.remove_suffix(1);
    const std::string_view line = out.substr(out.find_last_of('\n') + 1);
    if (line.size() <= runners::warm::kMaxResult && readJson(line)) outcome.result = line;
}

} // namespace yard::engine
