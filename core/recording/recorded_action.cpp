#include "core/recording/recorded_action.h"

#include "core/json/json_reader.h"
#include "core/model/states.h"

#include <algorithm>
#include <limits>

namespace yard::recording {

namespace {

constexpr double kMostMeasured = 9e18; // fits 64 bits

constexpr std::array<std::string_view, 3> kAttachmentNames = {"all", "inputs", "none"};
constexpr std::array<std::string_view, 4> kStateNames = {"recording", "complete", "cut", "interrupted"};
constexpr std::array<std::string_view, 5> kTimeNames = {"new", "pending", "submitting", "running", "exited"};
constexpr std::array<std::string_view, 4> kEndStates = {"completed", "failed", "abandoned", "cancelled"};

template<class Enum, std::size_t kCount>
std::optional<Enum> fromName(const std::array<std::string_view, kCount>& names, std::string_view word) {
    const auto found = std::ranges::find(names, word);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

std::unexpected<Error> noResult(std::string_view what) {
    return fail(ErrorKind::Malformed,
                "A recorded action has no result that can be read: " + std::string(what) + ".");
}

std::string_view wordOf(JsonView object, std::string_view key) {
    const auto member = memberOf(object, key);
    return member && member->kind() == JsonKind::String ? member->string() : std::string_view();
}

std::optional<std::int64_t> integerOf(JsonView object, std::string_view key) {
    const auto member = memberOf(object, key);
    if (!member || member->kind() != JsonKind::Integer) return std::nullopt;
    return member->node().integer;
}

std::optional<double> numberOf(JsonView object, std::string_view key) {
    const auto member = memberOf(object, key);
    if (!member) return std::nullopt;
    if (member->kind() == JsonKind::Integer) return static_cast<double>(member->node().integer);
    return member->kind() == JsonKind::Number ? std::optional(member->node().number) : std::nullopt;
}

std::optional<ChunkRef> chunkIn(JsonView object) {
    const auto hash = Hash256::fromHex(wordOf(object, "hash"));
    const auto size = integerOf(object, "size");
    if (!hash || !size || *size < 0) return std::nullopt;
    return ChunkRef{.hash = *hash, .size = static_cast<std::uint64_t>(*size)};
}

/// Names are those that programs gave their files: anything but a way out of their directory.
bool climbs(std::string_view path) {
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (part.empty() || part == "." || part == "..") return true;
        at = end + 1;
    }
    return false;
}

/// Nothing where there is none; an error where there is something else in its place.
Result<std::optional<ChunkRef>> streamOf(JsonView result, std::string_view key) {
    const auto member = memberOf(result, key);
    if (!member) return std::optional<ChunkRef>();
    const auto chunk = chunkIn(*member);
    if (!chunk) return noResult(key);
    return chunk;
}

} // namespace

std::string_view name(Attachments attachments) {
    return kAttachmentNames.at(std::to_underlying(attachments));
}
std::optional<Attachments> attachmentsFrom(std::string_view word) {
    return fromName<Attachments>(kAttachmentNames, word);
}
std::string_view name(RecordingState state) {
    return kStateNames.at(std::to_underlying(state));
}
std::optional<RecordingState> recordingStateFrom(std::string_view word) {
    return fromName<RecordingState>(kStateNames, word);
}

Result<ActionColumns> columnsOf(std::string_view result) {
    const auto tape = readJson(result);
    if (!tape) return std::unexpected(tape.error());
    const JsonView root = tape->root();
    const auto lsn = integerOf(root, "lsn");
    if (!lsn || *lsn <= 0) return noResult("its lsn");
    ActionColumns columns{.lsn = Lsn(*lsn), .state = std::string(wordOf(root, "state"))};
    if (std::ranges::find(kEndStates, columns.state) == kEndStates.end()) return noResult("it has not ended");
    columns.exitCode = integerOf(root, "exit_code");
    columns.worker = wordOf(root, "worker");
    columns.label = wordOf(root, "label");
    if (const auto times = memberOf(root, "timestamps")) {
        for (std::size_t i = 0; i < kTimeNames.size(); ++i)
            columns.times.at(i) = integerOf(*times, kTimeNames.at(i)).value_or(0);
        columns.times.back() = integerOf(*times, columns.state).value_or(0);
    }
    const auto out = streamOf(root, "stdout");
    const auto err = streamOf(root, "stderr");
    if (!out) return std::unexpected(out.error());
    if (!err) return std::unexpected(err.error());
    if (*out) columns.out = (*out)->hash;
    if (*err) columns.err = (*err)->hash;
    return columns;
}

RecordedSpan widened(RecordedSpan span, const ActionColumns& columns) {
    const auto& [created, pending, submitting, running, exited, end] = columns.times;
    if (end <= 0) return span;
    const WallMicros start = running > 0 ? std::min(running, end) : end; // a clock may be set back
    if (span.last == 0) return {.first = start, .last = end};
    return {.first = std::min(span.first, start), .last = std::max(span.last, end)};
}

ActionResult resultForFilter(const RecordedAction& action) {
    ActionResult result;
    const auto tape = readJson(action.result);
    if (!tape) return result;
    const JsonView root = tape->root();
    result.lsn = Lsn(integerOf(root, "lsn").value_or(0));
    result.queue = QueueId(integerOf(root, "queue_id").value_or(0));
    result.workerId = wordOf(root, "worker");
    result.workerName = wordOf(root, "worker_name");
    result.function = wordOf(root, "function");
    result.label = wordOf(root, "label");
    result.note = wordOf(root, "note");
    if (result.label.empty()) result.command = wordOf(root, "name");
    result.machine = action.machine;
    result.state = actionStateFrom(wordOf(root, "state")).value_or(ActionState::Failed);
    result.retryCount = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        integerOf(root, "retry_count").value_or(0), 0, std::numeric_limits<std::int32_t>::max() - 1));
    AttemptOutcome& outcome = result.outcome.emplace();
    outcome.reason = reasonFrom(wordOf(root, "reason")).value_or(Reason::None);
    if (const auto exit = integerOf(root, "exit_code")) outcome.exitCode = static_cast<int>(*exit);
    for (const MeasureInfo& info : kMeasureTable) {
        const auto value = numberOf(root, info.name);
        if (!value) continue;
        const double unit = info.unit == MeasureUnit::Microseconds ? 1e6 : 1;
        outcome.measures[info.measure] = static_cast<std::int64_t>(std::clamp(*value * unit, 0.0, kMostMeasured));
    }
    if (const auto times = memberOf(root, "timestamps")) {
        for (std::size_t i = 0; i < kActionStates; ++i) {
            const auto state = static_cast<ActionState>(i);
            result.times[state] = integerOf(*times, name(state)).value_or(0);
        }
        result.times.exited = integerOf(*times, "exited").value_or(0);
    }
    return result;
}

Result<std::vector<ChunkRef>> chunksLeftBy(std::string_view result) {
    const auto tape = readJson(result);
    if (!tape) return std::unexpected(tape.error());
    std::vector<ChunkRef> chunks;
    for (const std::string_view stream : {"stdout", "stderr"}) {
        const auto chunk = streamOf(tape->root(), stream);
        if (!chunk) return std::unexpected(chunk.error());
        if (*chunk) chunks.push_back(**chunk);
    }
    const auto outputs = memberOf(tape->root(), "outputs");
    if (!outputs) return chunks;
    if (!outputs->isObject()) return noResult("outputs");
    for (const JsonView output : *outputs) {
        const auto chunk = chunkIn(output);
        if (!chunk || climbs(output.key())) return noResult("outputs");
        chunks.push_back(*chunk);
    }
    return chunks;
}

} // namespace yard::recording
