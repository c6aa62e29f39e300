// Replays: the actions of a recording are submitted again, in a queue of their own, and what they do is held against what
// was recorded (docs/recordings.md).
//
// Owner: engine thread; files are read and runs compared on a thread for that. Lifetime: after the intake, the results and
// the content store; close() before these go. In memory alone: a restart forgets replays, not what they submitted.
// Bounds: those below; what is beyond of differences is counted.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/views.h"
#include "core/recording/recording_reader.h"
#include "core/recording/replay_terms.h"
#include "core/store/chunk_store.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

inline constexpr std::size_t kMostReplays = 100; ///< the oldest that is over goes
inline constexpr std::size_t kMostRunningReplays = 2;
inline constexpr std::size_t kMostReplayDifferences = 100'000;
inline constexpr std::size_t kMostReplayDifferenceBytes = 64u << 20;
inline constexpr std::size_t kReplayDifferencesOfPage = 1'000;

enum class ReplayState : unsigned char { Running, Done, Cancelled, Failed };
std::string_view name(ReplayState state);

struct ReplayView {
    std::int64_t id = 0;
    std::string recording;
    QueueId queue{}; ///< where its actions are
    ReplayState state = ReplayState::Running;
    std::string why; ///< Failed: a sentence
    std::int64_t actions = 0;
    std::int64_t submitted = 0;
    std::int64_t ended = 0;      ///< and compared
    std::int64_t different = 0;  ///< actions with a difference
    std::int64_t impossible = 0; ///< actions that could not be submitted; they count as different
    std::int64_t differences = 0;
    WallMicros started = 0;
    WallMicros finished = 0;
};

struct ReplayDifference {
    Lsn lsn{};      ///< that was recorded
    Lsn replayed{}; ///< 0: it could not be submitted
    recording::RunDifference difference;
};
struct ReplayDifferences {
    std::vector<ReplayDifference> differences;
    std::size_t next = 0; ///< 0: that was all
};

class Replays {
public:
    struct Parts {
        std::function<coro::Task<Result<std::string>>(std::string name)> file; ///< of a recording that is over
        std::function<bool(const std::string& worker)> isRegistered;
        std::function<coro::Task<Result<void>>(ParsedWorker)> addWorker;
        std::function<coro::Task<Result<QueueView>>(std::string tag)> addQueue;
        std::function<coro::Task<Result<SubmitAnswer>>(Submission)> submit;
        std::function<coro::Task<Result<ActionResult>>(Lsn, Duration)> waitFor;
        std::function<coro::Task<void>(QueueId)> cancel; ///< what is in it
        std::function<store::ChunkStore&()> chunks;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<WallMicros()> now;
    };
    explicit Replays(Parts parts)
        : parts_(std::move(parts)) {}
    /// After the engine thread. Blocks.
    void close() { reading_.stop(); }

    // --- commands. NotFound where there is no such replay, or recording.
    coro::Task<Result<ReplayView>> start(std::string recording, recording::ReplayTerms terms);
    coro::Task<std::vector<ReplayView>> list();
    coro::Task<Result<ReplayView>> get(std::int64_t id);
    /// From that place on.
    coro::Task<Result<ReplayDifferences>> differences(std::int64_t id, std::size_t from, std::size_t limit);
    /// WrongState: it is over.
    coro::Task<Result<ReplayView>> cancel(std::int64_t id);

private:
    /// An action on its way.
    struct Submitted {
        Lsn recorded{};
        Lsn lsn{};
        std::string result; ///< JSON that was recorded
    };
    struct Known {
        Lsn lsn{};
        std::optional<std::int64_t> index{}; ///< of an element of an array
    };
    struct Replay {
        ReplayView view;
        recording::ReplayTerms terms;
        std::shared_ptr<recording::RecordingReader> reader{}; ///< of the thread that reads
        std::map<Lsn, Known> lsns{};                          ///< by those that were recorded
        std::deque<Submitted> running{};
        std::size_t runningBytes = 0; ///< of the results in it
        coro::Event more{};
        coro::Event room{};
        bool isSubmitted = false; ///< nothing more comes
        bool isCancelled = false;
        bool isComparing = false; ///< one that was submitted is waited for, or compared
        WallMicros firstRecorded = 0;
        std::vector<ReplayDifference> found{};
        std::size_t foundBytes = 0;
    };
    using ReplayPtr = std::shared_ptr<Replay>;

    /// An action that was read, and what it needs.
    struct Prepared {
        recording::RecordedAction action;
        recording::ActionColumns columns;
        std::string text; ///< compact; empty: it cannot be submitted
        SpecPtr spec{};
        std::string workerName{};
        std::optional<ParsedWorker> worker; ///< of an action that names one
        std::string problem;                ///< a sentence: why it cannot be submitted
        bool isMeant = true;                ///< false: the filter of the replay leaves it out
    };
    static Prepared prepare(recording::RecordingReader& reader, store::ChunkStore& chunks, const Filter& filter,
                            recording::RecordedAction action);
    static Result<bool> bring(recording::RecordingReader& reader, store::ChunkStore& chunks, const Hash256& hash);

    Result<ReplayPtr> find(std::int64_t id) const;
    void makeRoom();
    coro::Task<void> run(ReplayPtr replay);
    coro::Task<Result<void>> submitAll(ReplayPtr replay);
    coro::Task<void> submitOne(const ReplayPtr& replay, Prepared prepared);
    coro::Task<Result<std::string>> workerFor(const Replay& replay, Prepared& prepared);
    std::vector<Dependency> edgesOf(const Replay& replay, const ActionSpec& spec) const;
    static bool isFull(const Replay& replay);
    coro::Task<void> waitUntilDue(const ReplayPtr& replay, WallMicros recorded);
    coro::Task<void> collect(ReplayPtr replay);
    coro::Task<void> compare(const ReplayPtr& replay, Submitted one);
    void note(Replay& replay, Lsn recorded, Lsn lsn, std::vector<recording::RunDifference> differences);
    void noteImpossible(Replay& replay, Lsn recorded, const std::string& state, std::string why);

    Parts parts_;
    std::map<std::int64_t, ReplayPtr> replays_;
    std::int64_t lastId_ = 0;
    coro::HelperPool reading_{1};
    OwnerCheck owner_;
};

} // namespace yard::engine
