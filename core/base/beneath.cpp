#include "core/base/beneath.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard {

namespace {

constexpr int kTries = 32; ///< while others rename, the kernel may not be able to tell (EAGAIN)

/// That it was read is not written to the disk, where it is ours.
template<class Open>
UniqueFd withoutAtime(int flags, Open open) {
    UniqueFd opened(open(flags | O_NOATIME));
    if (!opened && errno == EPERM) opened.reset(open(flags));
    return opened;
}

/// Opens the very thing that a descriptor of O_PATH holds; if it forbids that, it gets `mode` first.
UniqueFd openHeld(int held, int flags, mode_t mode) {
    const std::string self = fmt::format("/proc/self/fd/{}", held);
    const auto tryOpen = [&] {
        return withoutAtime(flags, [&](int all) { return ::open(self.c_str(), all | O_CLOEXEC); });
    };
    UniqueFd opened = tryOpen();
    if (!opened && errno == EACCES && ::chmod(self.c_str(), mode) == 0) opened = tryOpen();
    return opened;
}

} // namespace

UniqueFd openBeneath(int directory, const std::string& path, int flags, unsigned mode) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags) | O_CLOEXEC);
    how.mode = mode;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
    for (int tries = 0;; ++tries) {
        const long fd = ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || tries == kTries)
            return UniqueFd(static_cast<int>(fd));
    }
}

UniqueFd openDirectoryBeneath(int directory, const std::string& path) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY;
    UniqueFd opened =
        withoutAtime(kFlags, [&](int flags) { return openBeneath(directory, path, flags).release(); });
    if (opened || errno != EACCES) return opened;
    const UniqueFd held = openBeneath(directory, path, O_PATH | O_DIRECTORY);
    return held ? openHeld(held.get(), kFlags, 0700) : UniqueFd();
}

UniqueFd openFileBeneath(int directory, const std::string& path) {
    const UniqueFd held = openBeneath(directory, path, O_PATH | O_NOFOLLOW);
    struct stat st{};
    if (!held || ::fstat(held.get(), &st) != 0) return {};
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISLNK(st.st_mode) ? ELOOP : EINVAL;
        return {};
    }
    return openHeld(held.get(), O_RDONLY | O_NONBLOCK | O_NOCTTY, 0600);
}

} // namespace yard
