// Starting one program: clone3 with the memory of the parent (CLONE_VM, CLONE_VFORK), so that it costs the same
// however large the parent is, on a stack of its own, with a pid descriptor. Linux only.
//
// The caller's thread must have all signals blocked and must live as long as the child (its end is the child's
// parent death signal). Used by the spawners of the launcher only.
#pragma once

#include "core/base/unique_fd.h"
#include "core/lease/runner.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/resource.h>

namespace yard::runners {

/// What the child becomes. Everything is borrowed for the duration of the call.
struct ChildPlan {
    const char* program = nullptr; ///< path for execve; below cwd when relative
    char* const* argv = nullptr;
    char* const* envp = nullptr;
    const char* cwd = nullptr;
    int parentPid = 0; ///< of the calling process; the child gives up when it has another parent already
    int inFd = -1;     ///< becomes 0
    int outFd = -1;    ///< becomes 1
    int errFd = -1;    ///< becomes 2
    int socketFd = -1; ///< becomes 3; -1: none
    int tokensFd = -1; ///< becomes 3 and 4, without a socket; -1: none
    /// The descriptor for 0 is a terminal, which becomes the controlling terminal of the child's session.
    bool hasTerminal = false;
    rlimit openFiles{}; ///< always set: the launcher's own soft limit is raised
    ResourceLimits limits;
    std::uint64_t mark = 0; ///< process_mark.h
    /// Of the steps that may block, the last one that began: for those who look while the call stands still.
    std::atomic<SpawnStep>* reached = nullptr;
};

struct ChildStart {
    int pid = -1;
    UniqueFd pidfd;
    SpawnStep failedStep = SpawnStep::None;
    int err = 0;
};

/// A stack for children of one thread, with a guard page.
class ChildStack {
public:
    ChildStack();
    ~ChildStack();
    ChildStack(const ChildStack&) = delete;
    ChildStack& operator=(const ChildStack&) = delete;
    void* base() const { return base_; }
    std::size_t size() const { return size_; }

private:
    void* map_ = nullptr;
    void* base_ = nullptr;
    std::size_t size_ = 0;
};

/// Starts the program and returns once it runs or has failed; a child that failed is reaped. The child is the
/// leader of a session of its own: nothing it or its descendants do reaches a terminal of the engine, a signal to
/// the engine's group does not reach it, and session and group number tell its descendants from others'. It dies
/// with this thread, has an empty signal mask, default handlers and only descriptors 0, 1 and 2, 3 where a
/// socket was given, and 3 and 4 where the pipe of a jobserver was.
ChildStart startChild(const ChildPlan& plan, const ChildStack& stack);

/// Where execve should look for `program`: itself when it has a '/', else the first executable file in `path` (the
/// value of PATH, relative parts below `cwd`). On failure an empty path, and err is ENOENT or EACCES. Blocks where
/// a part of PATH does not answer: `mayLookAt` is asked before each file; where it says no, that is the path, and
/// err is ETIMEDOUT.
struct Lookup {
    std::string path;
    int err = 0;
};
using MayLookAt = std::function<bool(const std::string& path)>;
Lookup lookUpProgram(const std::string& program, std::string_view path, const std::string& cwd,
                     const MayLookAt& mayLookAt = {});

/// The sentence for a start that failed. `path` is the value of PATH.
/// ETIMEDOUT: it was given up at this step. Else it may look at the program, which can block.
std::string describeFailure(const SpawnFailure& failure, const std::string& program, const std::string& cwd,
                            std::string_view path);

} // namespace yard::runners
