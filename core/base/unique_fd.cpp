#include "core/base/unique_fd.h"

#include <cerrno>
#include <unistd.h>

namespace yard {

void UniqueFd::close() {
    const int old = std::exchange(fd_, -1);
    if (old < 0) return;
    forgetDescriptor(old); // while it is ours: once it is closed another thread may get its number
    // Linux frees the number even when close says EINTR: a second try could close somebody else's descriptor. errno
    // is kept because destructors run between a failing call and the place that reports it.
    const int saved = errno;
    ::close(old);
    errno = saved;
}

} // namespace yard
