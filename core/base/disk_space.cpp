#include "core/base/disk_space.h"

#include <cerrno>
#include <sys/statvfs.h>

namespace yard {

namespace {

DiskSpace spaceOf(const struct statvfs& disk) {
    const auto block = static_cast<std::int64_t>(disk.f_frsize);
    return {.bytes = static_cast<std::int64_t>(disk.f_blocks) * block,
            .free = static_cast<std::int64_t>(disk.f_bavail) * block};
}

} // namespace

Result<DiskSpace> diskSpace(const std::string& path) {
    struct statvfs disk{};
    if (::statvfs(path.c_str(), &disk) != 0) return failErrno("cannot see the free space of " + path, errno);
    return spaceOf(disk);
}

Result<DiskSpace> diskSpace(int fd) {
    struct statvfs disk{};
    if (::fstatvfs(fd, &disk) != 0) return failErrno("cannot see the free space", errno);
    return spaceOf(disk);
}

} // namespace yard
