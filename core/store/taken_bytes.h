// What a file takes of the disk: sparse and compressed files take less than their size. Pure; any thread.
#pragma once

#include <cstdint>
#include <sys/stat.h>

namespace yard::store {

/// In bytes. The kernel counts in units of 512 whatever the file system's own are (stat(2)).
inline std::int64_t takenBytes(const struct stat& status) {
    return std::int64_t{status.st_blocks} * 512;
}

} // namespace yard::store
