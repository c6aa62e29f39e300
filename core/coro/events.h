// Events of the kernel other than sockets: readiness of any descriptor, ends of processes, signals, changes of
// files and directories. Owner: the loop's OS thread. Lifetime: all of these end before their loop.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/coro/suspend.h"
#include "core/coro/thread.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace yard::coro {

/// Waits for a descriptor that epoll can watch. It leaves the epoll set by EPOLL_CTL_DEL before anything is closed:
/// close alone does not do that while a child between clone and exec holds a copy.
/// Readiness is a hint: it may be spurious, so try without blocking and wait again. The open file becomes
/// non-blocking.
class FdWatch {
public:
    /// Watches a descriptor that somebody else closes, after this object is gone.
    FdWatch(Loop& loop, int fd);
    /// Watches it and closes it in the end.
    FdWatch(Loop& loop, UniqueFd fd);
    FdWatch(FdWatch&&) noexcept;
    FdWatch& operator=(FdWatch&&) noexcept;
    ~FdWatch();
    /// The descriptor; -1 after release().
    int fd() const noexcept;
    /// Zero, or an errno: EPERM for a regular file, ECANCELED when released meanwhile. Throws Interrupted.
    Task<int> readable();
    Task<int> writable();
    /// Leaves the epoll set; waiters get ECANCELED. The descriptor is returned when this object owned it.
    UniqueFd release();

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct ProcessExit {
    int code = 0;                                  ///< as si_code: CLD_EXITED, CLD_KILLED or CLD_DUMPED
    int status = 0;                                ///< exit status, or the signal that ended it
    std::int64_t userMicros = 0, systemMicros = 0; ///< CPU time of the process and the children it waited for
    std::int64_t maxRssBytes = 0;                  ///< of the largest of them
    bool exited() const noexcept;
};

/// Waits for the end of the child behind a pidfd, reaps it and closes the pidfd. Interrupted: the child is not
/// reaped, the pidfd is closed. Error: not our child, or reaped by somebody else.
Task<Result<ProcessExit>> waitProcess(UniqueFd pidfd);
/// The same by pid. Only for a child that nobody else reaps, else the number may be another's by now.
Task<Result<ProcessExit>> waitProcess(pid_t pid);

/// Receives signals while it lives; the process' dispositions are changed for that time. Signals that come while
/// nobody waits are kept.
class SignalWatch {
public:
    SignalWatch(Loop& loop, std::initializer_list<int> signals);
    ~SignalWatch();
    /// The next signal's number, or -1 when the watch cannot work.
    Task<int> next();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// One change, as inotify reports it.
struct FileChange {
    std::uint32_t mask = 0; ///< IN_*; IN_Q_OVERFLOW: changes were lost, look at everything again
    std::uint32_t cookie = 0;
    std::string name; ///< entry within a watched directory; empty for the watched thing itself
};

/// Changes of one file or directory. All watches of a loop share one inotify instance. At most 1,024 changes are
/// kept; when more come they are replaced by one IN_Q_OVERFLOW.
class FileWatch {
public:
    struct State;
    /// Blocks for the time of one look-up of `path`. `mask`: IN_*.
    static Result<FileWatch> open(Loop& loop, const std::string& path, std::uint32_t mask);
    FileWatch(FileWatch&&) noexcept;
    FileWatch& operator=(FileWatch&&) noexcept;
    ~FileWatch();
    /// The next change.
    Task<FileChange> next();

private:
    explicit FileWatch(std::shared_ptr<State> state) noexcept;
    std::shared_ptr<State> state_;
};

} // namespace yard::coro
