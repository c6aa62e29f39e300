#include "core/store/disk_reserve.h"

#include "core/base/disk_space.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace yard::store {

DiskReserve::DiskReserve(std::string dataDirectory)
    : directory_(std::move(dataDirectory))
    , path_(directory_ + "/reserve") {}

std::int64_t DiskReserve::freeBytes() const {
    const auto disk = diskSpace(directory_);
    return disk ? disk->free : -1;
}

bool DiskReserve::giveUpIfFull() const {
    const std::int64_t free = freeBytes();
    if (free < 0 || free >= kBytes) return false;
    struct stat status{};
    const bool isOurs = ::lstat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == kBytes;
    if (!isOurs || ::unlink(path_.c_str()) != 0) return false;
    logWarning("store", "the disk with {} is full: its reserve of {} MiB is given up, to clear up what is old",
               directory_, kBytes >> 20);
    return true;
}

void DiskReserve::keep() const {
    struct stat status{};
    if (::lstat(path_.c_str(), &status) == 0 || freeBytes() < kLeastFree) return;
    const UniqueFd file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return;
    // Not written: only taken. Where the file system cannot do that there is none.
    if (::fallocate(file.get(), 0, 0, kBytes) != 0) ::unlink(path_.c_str());
}

} // namespace yard::store
