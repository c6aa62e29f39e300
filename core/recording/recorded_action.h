// What a recording has of one action, and what is plain of it in the file (docs/recordings.md). Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::recording {

/// Which chunks are taken along beside the actions.
enum class Attachments : unsigned char { All, Inputs, None };
std::string_view name(Attachments attachments);
std::optional<Attachments> attachmentsFrom(std::string_view word);

/// How it is with a recording. In a file Running means that nobody has ended it: who wrote it is gone, or still at it.
enum class RecordingState : unsigned char {
    Running,
    Complete,   ///< stopped by a person, or all of the past was taken
    Cut,        ///< ended by itself before that; `why` says so
    Interrupted ///< the engine ended while it ran; what had been written is there
};
std::string_view name(RecordingState state);
std::optional<RecordingState> recordingStateFrom(std::string_view word);

inline constexpr std::size_t kMostWhyBytes = 1'000;
struct RecordingHead {
    std::string note{};
    std::string engine{}; ///< id of the engine it was made on
    std::string filter{};
    Attachments attachments = Attachments::All;
    RecordingState state = RecordingState::Running;
    std::string why{}; ///< Cut: a sentence, of kMostWhyBytes at most
    WallMicros started = 0;
    WallMicros ended = 0;
    std::int64_t missed = 0; ///< actions that could not be taken along
    std::int64_t gone = 0;   ///< chunks that were not kept any more
    /// For who writes one, not in the file: `started` and `ended` become the span of its actions.
    bool ofThePast = false;
};

/// From the first start to the last end of actions; 0: there are none yet.
struct RecordedSpan {
    WallMicros first = 0;
    WallMicros last = 0;
};

struct RecordedAction {
    std::int64_t n = 0;   ///< its number in the recording, from 1 on
    std::string action{}; ///< JSON, as posted, of an element of an array that alone
    std::string result{}; ///< JSON, as GET jobs/{lsn} has it
    std::string machine{};
};

/// What is plain of an action: read from its result, so a file cannot say one thing and mean another.
struct ActionColumns {
    static constexpr std::size_t kTimes = 6;
    Lsn lsn{};
    std::string state{};
    std::optional<std::int64_t> exitCode{};
    std::string worker{}; ///< an id, or "exec"
    std::string label{};
    std::array<WallMicros, kTimes> times{}; ///< new, pending, submitting, running, exited, end; 0: not known
    std::optional<Hash256> out{};
    std::optional<Hash256> err{};
    friend bool operator==(const ActionColumns&, const ActionColumns&) = default;
};
/// Malformed: it is no result of an action that ended.
Result<ActionColumns> columnsOf(std::string_view result);
/// With this action, too. One that never ran counts by its end.
RecordedSpan widened(RecordedSpan span, const ActionColumns& columns);
/// As much of it as a filter may ask of a recorded action; of what is no result nothing.
ActionResult resultForFilter(const RecordedAction& action);
/// What the attempt that ended it left: stdout, stderr, outputs.
Result<std::vector<ChunkRef>> chunksLeftBy(std::string_view result);

} // namespace yard::recording
