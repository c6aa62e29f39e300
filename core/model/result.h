// What is known of an action and its attempts (docs/api.md, "Result"): the values between runner, session, journal
// and readers. 0 or empty means absent; JSON leaves such members out.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/annotation.h"
#include "core/model/estimate.h"
#include "core/model/given_resources.h"
#include "core/model/measures.h"
#include "core/model/states.h"
#include "core/model/terminal_size.h"
#include "core/model/usage.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

struct ChunkRef {
    Hash256 hash;
    std::uint64_t size = 0;
    friend bool operator==(const ChunkRef&, const ChunkRef&) = default;
};
struct NamedChunk {
    std::string name;
    ChunkRef chunk;
};
struct Denial {
    WallMicros t = 0;
    std::string what; ///< a system call, "link" or "special"
    std::string path;
    int err = 0;
    int pid = 0;
};

/// When each state was entered; `exited` is no state: the end of the first process.
struct Timestamps {
    std::array<WallMicros, kActionStates> at{};
    WallMicros exited = 0;
    std::int64_t frozen = 0; ///< no time: for how many microseconds its processes stood still
    WallMicros& operator[](ActionState s) { return at[std::to_underlying(s)]; }
    WallMicros operator[](ActionState s) const { return at[std::to_underlying(s)]; }
};

/// How one attempt ended: what the runner saw, completed by what was collected.
struct AttemptOutcome {
    ActionState state = ActionState::Failed; ///< Completed, Failed, Abandoned or Cancelled
    Reason reason = Reason::None;
    std::optional<int> exitCode;
    std::optional<int> signal;
    Measures measures;
    std::optional<ChunkRef> out; ///< stdout; absent when the process never ran
    std::optional<ChunkRef> err; ///< stderr
    bool outTruncated = false;
    bool errTruncated = false;
    std::vector<NamedChunk> outputs;
    GivenResources given; ///< which pieces it had of what is told apart
    std::string machine;  ///< as it was called then; empty: the engine's own
    std::string result;   ///< JSON text of a warm worker's result, else empty
    std::vector<Denial> denied;
    std::string note;                 ///< one line: of a failure the first error line
    std::vector<UsageSample> samples; ///< while it ran; not in the JSON of a result
};

/// One attempt as kept in the journal. n counts from 1.
struct AttemptRecord {
    std::uint32_t n = 1;
    AttemptOutcome outcome;
    Timestamps times; ///< Submitting, Running, exited and the end state
};

/// How far an action says that it is (docs/builds.md).
struct ReportedProgress {
    std::optional<double> fraction; ///< 0 to 1
    std::string message;            ///< one line for people; empty: none
    bool isEmpty() const { return !fraction && message.empty(); }
    friend bool operator==(const ReportedProgress&, const ReportedProgress&) = default;
};

/// A whole action as shown.
struct ActionResult {
    Lsn lsn;
    QueueId queue;
    std::string workerId; ///< 64 hex digits, or "exec"
    std::string workerName;
    std::string function;
    std::string label;                 ///< as it was posted; labelOf() (action_name.h) puts the index in
    std::string id;                    ///< by which others of its list name it
    std::optional<std::int64_t> index; ///< of an element of an array: what {index} stands for
    std::string command;               ///< of an exec without a label: what it runs, in short (action_name.h)
    ActionState state = ActionState::New;
    bool held = false;
    WallMicros retryAt = 0;
    std::optional<ActionState> ending; ///< of one that has not ended: what it will be, as it was told to end
    std::int64_t object = 0;           ///< of which a look submitted it; in answers for a single action; 0: of none
    Lsn replacedBy;                    ///< submitted as a changed copy of it; 0: there is none
    std::int32_t retryCount = 0;
    int priority = 0;
    std::optional<std::int64_t> place{}; ///< of what is pending: its number in the order of its queue, from 1
    Timestamps times;
    WallMicros estimatedStart = 0;
    WallMicros estimatedFinish = 0;
    EstimateGap estimateGap = EstimateGap::None;
    std::optional<AttemptOutcome> outcome; ///< of the last attempt once finished; while it runs, what was sampled
    std::vector<AttemptRecord> attempts;   ///< those that ended; only in answers for a single action
    std::optional<UsageSample> usage;      ///< while it runs: what was seen last
    WallMicros hungSince = 0;        ///< running, and without output and processor time since then; 0: it gets on
    std::optional<TerminalSize> tty; ///< while it runs: the size of its terminal now
    std::optional<std::int64_t>
        attached;              ///< with `tty`: how many clients are at it; in answers for a single action
    ReportedProgress progress; ///< while it runs: what its processes said last
    std::optional<int> tokens; ///< while it runs, with a jobserver: how many of its tokens are out
    std::string note;
    Mark mark = Mark::None;
    std::optional<CommentSummary> comments;
    // for filters only; not in the JSON, and filled in only where a filter asks for it
    std::vector<std::string> locks;
    std::string machine;           ///< that it was handed to
    std::string platform;          ///< of that; empty: not known any more
    WallMicros silentSince = 0;    ///< while it runs: its last output or processor time that was seen
    bool isCommandKnown = true;    ///< false: a term of a filter says by `found` whether its command matches
    std::uint32_t classNumber = 0; ///< in the journal: what kind of action it is; 0: not known
};
/// {"lsn","state","reason","exit_code","note","outputs","result"}: what an object is told of an action that it submitted.
void appendInShort(std::string& out, const ActionResult& result, bool withProducts);
/// When it got the state in which it ended; 0: it has not.
inline WallMicros endOf(const ActionResult& action) {
    return isEnded(action.state) ? action.times[action.state] : 0;
}
/// Attempts that began, with one that is under way: of what never began 0. What waits may have the times of the one
/// before. `submitting`: when the last one began, 0 where that is not known.
constexpr std::int32_t triesOf(ActionState state, std::int32_t retryCount, WallMicros submitting) {
    const bool waits = state == ActionState::New || state == ActionState::Pending;
    return retryCount + (!waits && submitting != 0 ? 1 : 0);
}
inline std::int32_t triesOf(const ActionResult& action) {
    return triesOf(action.state, action.retryCount, action.times[ActionState::Submitting]);
}
/// When an action began to wait for its start, or for the last one, and when that was over; 0: it waits still.
struct WaitingTime {
    WallMicros from = 0;
    WallMicros until = 0;
};
/// From when it was put in line, or put back, until it was handed out or ended without. Each 0 where it did not come
/// to that.
constexpr WaitingTime waitingTime(WallMicros created, WallMicros pending, WallMicros handedOut, WallMicros ended) {
    const WallMicros from = std::max(created, pending);
    return {.from = from,
            .until = handedOut >= from && handedOut != 0 ? handedOut : ended}; // else of an attempt before
}
/// Microseconds, so far where it waits still.
inline WallMicros waited(const ActionResult& action, WallMicros now) {
    const auto [from, until] = waitingTime(action.times[ActionState::New], action.times[ActionState::Pending],
                                           action.times[ActionState::Submitting], endOf(action));
    return (until ? until : now) - from;
}
/// The object of docs/api.md, 2; members that are absent are left out, "held" is there whenever it is pending. Text
/// that is not UTF-8 gets U+FFFD. A stream that was cut has "truncated": true. Note: `note` of the action, not of
/// the outcome.
std::string toJson(const ActionResult& result);
/// The same at the end of `out`, for lists.
void appendJson(std::string& out, const ActionResult& result);

/// First line of `text` that looks like an error ("error: …", "fatal: …", the last line of a Python traceback, …),
/// else the last line that is not empty; at most 200 bytes of UTF-8, escape sequences and control characters
/// removed. Looks at the first 256 KiB and the last 64 KiB only.
std::string firstErrorLine(std::string_view text);
/// The same of two streams: the line that looks most like an error, of stderr where both have one. Without any the
/// last line of stderr, or of stdout where that of stderr is only a warning or a note.
std::string firstErrorLine(std::string_view err, std::string_view out);
/// The last line of stderr, or of stdout where that of stderr is only a warning or a note, or there is none.
std::string lastLineOf(std::string_view err, std::string_view out);
/// The last line that is not empty, shown likewise. Of the last 64 KiB.
std::string lastLine(std::string_view text);

} // namespace yard
