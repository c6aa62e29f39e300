// The size of a file system, and its free space. Values; any thread. Each call blocks on the file system.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>

namespace yard {

struct DiskSpace {
    std::int64_t bytes = 0; ///< of the whole file system
    /// Bytes that this user may still write: less than what is unused, where root has a share.
    std::int64_t free = 0;
};

/// Of the file system with `path`. Io: the system does not say.
Result<DiskSpace> diskSpace(const std::string& path);
/// Of the file system with the open file.
Result<DiskSpace> diskSpace(int fd);

} // namespace yard
