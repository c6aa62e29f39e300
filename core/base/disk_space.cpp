#include "core/base/disk_space.h"

#include <cerrno>
#include <limits>
#include <sys/statvfs.h>

namespace yard {

namespace {

/// File systems of a network may say that they have no end: then it is as much as can be said.
std::int64_t bytesOf(std::uint64_t blocks, std::uint64_t size) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(size != 0 && blocks > kMost / size ? kMost : blocks * size);
}

DiskSpace spaceOf(const struct statvfs& disk) {
    return {.bytes = bytesOf(disk.f_blocks, disk.f_frsize), .free = bytesOf(disk.f_bavail, disk.f_frsize)};
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
