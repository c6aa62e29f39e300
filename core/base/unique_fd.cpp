#include "core/base/unique_fd.h"

#include <cerrno>
#include <unistd.h>

namespace yard {

void UniqueFd::reset(int fd) {
    const int old = std::exchange(fd_, fd);
    if (old < 0) return;
    // Linux frees the number even when close says EINTR: a second try could close somebody else's descriptor. errno
    // is kept because destructors run between a failing call and the place that reports it.
    const int saved = errno;
    ::close(old);
    errno = saved;
}

} // namespace yard
