// A start can block: its working directory or its program lies on a mount that does not answer. Then the spawner's
// thread stands still. StartWatch says since when a spawner is in which start, kills the child of one from outside,
// and when that does not bring the thread back, leaves it behind: another one goes on in its place.
//
// | phase    | what is true                                               | how the thread can be left behind     |
// |----------|------------------------------------------------------------|---------------------------------------|
// | Outside  | in no start; the thread has the spawner's state            | not at all                            |
// | Looking  | it may stand still in a path; no process can come of it    | at once: mayClone() answers false     |
// | Cloning  | it makes the process, or waits for its exec                | once that process was killed          |
// | Ending   | it ends and reaps what came of a start that was given up   | at once                               |
//
// enter(): Outside -> Looking; mayClone(): -> Cloning; lookAt(): -> Looking; leave(): -> Outside, or Ending when
// the start was given up; close(): Ending -> Outside. A thread that was left behind hears so from the next of
// these, and has its own child and nothing else of the spawner any more.
//
// Owner: enter() to close() belong to the spawner's thread, everything else may be called by any.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/lease/runner.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace yard::runners {

class StartWatch {
public:
    /// After it was told to end, a start may take so long until its thread is left behind.
    static constexpr Duration kPatience{500'000};
    /// Of one start. `first`: what the starts of this spawner are counted from.
    using Number = std::uint64_t;
    explicit StartWatch(Number first = 0)
        : number_(first) {}

    /// The calling thread begins a start. Of its children only one that is no attempt yet belongs to it.
    Number enter(AttemptId id);
    /// The thread may stand still in this path from now on. False: it is not to look at it any more.
    bool lookAt(Number start, std::string_view path);
    /// Called right before the process is made. False: it must not be.
    bool mayClone(Number start);
    enum class Left : unsigned char {
        Done,
        GivenUp,   ///< whatever came of it must not run: end it, then close()
        LeftBehind ///< as GivenUp, and there is nothing to go back to
    };
    Left leave(Number start);
    /// False: it was left behind meanwhile.
    bool close(Number start);

    /// The attempt is to end: the child that its start has made is killed while it has not executed the program.
    /// One that has is ended like any other. `isAttempt` knows the first processes of attempts.
    using IsAttempt = std::function<bool(int pid)>;
    void giveUp(AttemptId id, MonoTime now, const IsAttempt& isAttempt);

    struct Seen {
        AttemptId id;
        Number start = 0;
        std::string path;          ///< that it looks at; empty: it is in the start of the process
        bool isGivenUp = false;    ///< now, as it takes too long
        bool isLeftBehind = false; ///< now
    };
    /// Asked, with the watch locked, before a thread is left behind. False: it may not be.
    using MayLeave = std::function<bool(const Seen&)>;
    /// Gives up a start that was found to take longer than `limit` twice: whoever looks may have been stopped
    /// itself. Its child is killed wherever it stands. Leaves the thread behind if that does not bring it back.
    /// Nothing: no start is to end.
    std::optional<Seen> look(MonoTime now, Duration limit, const IsAttempt& isAttempt, const MayLeave& mayLeave);

private:
    enum class Phase : unsigned char { Outside, Looking, Cloning, Ending };
    void end(const IsAttempt& isAttempt, bool evenIfExecuted) YARD_REQUIRES(mutex_);
    void killChild(const IsAttempt& isAttempt, bool evenIfExecuted) YARD_REQUIRES(mutex_);

    ThreadMutex mutex_;
    Number number_ YARD_GUARDED_BY(mutex_);
    Phase phase_ YARD_GUARDED_BY(mutex_) = Phase::Outside;
    AttemptId id_ YARD_GUARDED_BY(mutex_);
    MonoTime since_ YARD_GUARDED_BY(mutex_);
    std::string path_ YARD_GUARDED_BY(mutex_); ///< of Looking
    int thread_ YARD_GUARDED_BY(mutex_) = 0;   ///< 0: not asked yet
    bool isLate_ YARD_GUARDED_BY(mutex_) = false;
    std::optional<MonoTime> toEndSince_ YARD_GUARDED_BY(mutex_); ///< somebody wants it to end
    bool isGivenUp_ YARD_GUARDED_BY(mutex_) = false;             ///< no program may come of it
    bool wasKilled_ YARD_GUARDED_BY(mutex_) = false;             ///< its child
};

} // namespace yard::runners
