// Results to JSON: written straight into one string, as lists of a thousand are common.

#include "core/model/result.h"

#include "core/json/json_writer.h"
#include "core/model/action_name.h"
#include "core/model/attempt_json.h"
#include "core/model/replaced.h"

namespace yard {

namespace {

constexpr std::size_t kUsualResultBytes = 768;

void writeChunk(JsonWriter& writer, std::string_view key, const ChunkRef& chunk, bool truncated = false) {
    writer.key(key);
    writer.openObject();
    writer.key("hash");
    writer.hash(chunk.hash);
    writer.member("size", chunk.size);
    if (truncated) writer.member("truncated", true);
    writer.closeObject();
}

void writeTimestamps(JsonWriter& writer, const Timestamps& times) {
    writer.key("timestamps");
    writer.openObject();
    for (std::size_t i = 0; i < kActionStates; ++i) {
        const auto state = static_cast<ActionState>(i);
        if (state == ActionState::Completed && times.exited != 0) writer.member("exited", times.exited);
        if (times[state] != 0) writer.member(name(state), times[state]);
    }
    if (times.frozen != 0) writer.member("frozen", times.frozen);
    writer.closeObject();
}

void writeDenied(JsonWriter& writer, const std::vector<Denial>& denied) {
    writer.key("denied");
    writer.openArray();
    for (const Denial& denial : denied) {
        writer.openObject();
        if (denial.t != 0) writer.member("t", denial.t);
        writer.member("what", denial.what);
        writer.member("path", denial.path);
        if (denial.err != 0) writer.member("errno", denial.err);
        if (denial.pid != 0) writer.member("pid", denial.pid);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeMeasures(JsonWriter& writer, const Measures& measures) {
    for (const MeasureInfo& info : kMeasureTable) {
        const auto& value = measures[info.measure];
        if (!value) continue;
        if (info.unit == MeasureUnit::Microseconds)
            writer.member(info.name, inItsUnit(info, *value));
        else
            writer.member(info.name, *value);
    }
}

/// What an attempt and a whole action both have.
void writeEnd(JsonWriter& writer, const AttemptOutcome& outcome, const Timestamps& times) {
    // Who ends with its engine or its launcher has a stream only where that was on the disk.
    const bool isLostWith = outcome.reason == Reason::EngineDied || outcome.reason == Reason::LostRunner;
    const bool isOutputLost = isLostWith && times[ActionState::Running] != 0 && (!outcome.out || !outcome.err);
    if (outcome.reason != Reason::None) writer.member("reason", name(outcome.reason));
    if (outcome.exitCode) writer.member("exit_code", *outcome.exitCode);
    if (outcome.signal) writer.member("signal", *outcome.signal);
    writeMeasures(writer, outcome.measures);
    if (isOutputLost) writer.member("output_lost", true);
    if (!outcome.machine.empty()) writer.member("machine", outcome.machine);
    if (!outcome.given.empty()) {
        writer.key("resources_given");
        writer.raw(toJson(outcome.given));
    }
    if (outcome.out) writeChunk(writer, "stdout", *outcome.out, outcome.outTruncated);
    if (outcome.err) writeChunk(writer, "stderr", *outcome.err, outcome.errTruncated);
}

void writeOutputsAndResult(JsonWriter& writer, const AttemptOutcome& outcome) {
    if (!outcome.outputs.empty()) {
        writer.key("outputs");
        writer.openObject();
        for (const NamedChunk& output : outcome.outputs) writeChunk(writer, output.name, output.chunk);
        writer.closeObject();
    }
    if (!outcome.result.empty()) {
        writer.key("result");
        writer.raw(outcome.result);
    }
}

void writeProducts(JsonWriter& writer, const AttemptOutcome& outcome) {
    writeOutputsAndResult(writer, outcome);
    if (!outcome.denied.empty()) writeDenied(writer, outcome.denied);
}

void writeHowItWent(JsonWriter& writer, const AttemptRecord& attempt) {
    writer.member("n", attempt.n);
    writer.member("state", name(attempt.outcome.state));
    writeEnd(writer, attempt.outcome, attempt.times);
    writeTimestamps(writer, attempt.times);
    if (!attempt.outcome.note.empty()) writer.member("note", attempt.outcome.note);
}

void writeAttempt(JsonWriter& writer, const AttemptRecord& attempt) {
    writer.openObject();
    writeHowItWent(writer, attempt);
    writer.closeObject();
}

void writeIdentity(JsonWriter& writer, const ActionResult& result) {
    writer.member("lsn", result.lsn.value);
    writer.member("queue_id", result.queue.value);
    writer.member("worker", result.workerId);
    if (!result.workerName.empty()) writer.member("worker_name", result.workerName);
    if (!result.function.empty()) writer.member("function", result.function);
    if (!result.label.empty()) writer.member("label", result.label);
    if (!result.id.empty()) writer.member("id", result.id);
    if (result.index) writer.member("index", *result.index);
    writer.member("name", actionName(result));
    writer.member("state", name(result.state));
    if (result.held || result.state == ActionState::Pending) writer.member("held", result.held);
    if (result.retryAt != 0) writer.member("retry_at", result.retryAt);
    if (result.ending) writer.member("ending", name(*result.ending));
    if (result.object != 0) writer.member("object", result.object);
    if (isReplaced(result)) writer.member("replaced", true);
    if (const Lsn by = successorOf(result); by.value != 0) writer.member("replaced_by", by.value);
    writer.member("retry_count", result.retryCount);
    writer.member("priority", result.priority);
    if (result.place) writer.member("place", *result.place);
    if (result.tokens) writer.member("tokens", *result.tokens);
    if (!result.tty) return;
    writer.key("tty");
    writer.openObject();
    writer.member("rows", result.tty->rows);
    writer.member("cols", result.tty->cols);
    if (result.attached) writer.member("attached", *result.attached);
    writer.closeObject();
}

} // namespace

void writeAttemptMembers(JsonWriter& writer, const AttemptRecord& attempt) {
    writeHowItWent(writer, attempt);
    writeProducts(writer, attempt.outcome);
}

void writeSample(JsonWriter& writer, const UsageSample& sample) {
    writer.openObject();
    writer.member("t", sample.t);
    writer.member("cpu_percent", shownPercent(sample.cpuPercent));
    writer.member("rss_bytes", sample.rssBytes);
    if (sample.gpuPercent) writer.member("gpu_percent", shownPercent(*sample.gpuPercent));
    if (sample.gpuMemoryBytes) writer.member("gpu_memory_bytes", *sample.gpuMemoryBytes);
    writer.closeObject();
}

void writeSamples(JsonWriter& writer, const std::vector<UsageSample>& samples) {
    writer.key("samples");
    writer.openArray();
    for (const UsageSample& sample : samples) writeSample(writer, sample);
    writer.closeArray();
}

void appendInShort(std::string& out, const ActionResult& result, bool withProducts) {
    JsonWriter writer(out);
    writer.openObject();
    writer.member("lsn", result.lsn.value);
    writer.member("state", name(result.state));
    if (result.outcome && isEnded(result.state)) {
        if (result.outcome->reason != Reason::None) writer.member("reason", name(result.outcome->reason));
        if (result.outcome->exitCode) writer.member("exit_code", *result.outcome->exitCode);
        if (result.outcome->signal) writer.member("signal", *result.outcome->signal);
        if (!result.outcome->note.empty()) writer.member("note", result.outcome->note);
        if (withProducts) writeOutputsAndResult(writer, *result.outcome);
    }
    writer.closeObject();
}

void appendJson(std::string& out, const ActionResult& result) {
    JsonWriter writer(out);
    writer.openObject();
    writeIdentity(writer, result);
    if (result.outcome) {
        writeEnd(writer, *result.outcome, result.times);
        writeProducts(writer, *result.outcome);
    }
    writeTimestamps(writer, result.times);
    writeEstimate(writer, result.estimatedStart, result.estimatedFinish, result.estimateGap);
    if (result.usage) {
        writer.key("usage");
        writeSample(writer, *result.usage);
    }
    if (!result.progress.isEmpty()) {
        writer.key("progress");
        writer.openObject();
        if (result.progress.fraction) writer.member("fraction", *result.progress.fraction);
        if (!result.progress.message.empty()) writer.member("message", result.progress.message);
        writer.closeObject();
    }
    if (result.hungSince != 0) writer.member("hung_since", result.hungSince);
    if (!result.attempts.empty()) {
        writer.key("attempts");
        writer.openArray();
        for (const AttemptRecord& attempt : result.attempts) writeAttempt(writer, attempt);
        writer.closeArray();
    }
    if (!result.note.empty()) writer.member("note", result.note);
    writeAnnotations(writer, result.mark, result.comments);
    writer.closeObject();
}

std::string toJson(const ActionResult& result) {
    std::string out;
    out.reserve(kUsualResultBytes);
    appendJson(out, result);
    return out;
}

} // namespace yard
