// Takes the end of a child process. Any thread of its parent; no owner.
#pragma once

#include <cerrno>
#include <sys/wait.h>

namespace yard {

/// Blocks until this child of ours has ended, and how it did. `pidfd` is its descriptor.
inline siginfo_t reapChild(int pidfd) {
    siginfo_t info{};
    while (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED) != 0 && errno == EINTR) {
    }
    return info;
}

} // namespace yard
