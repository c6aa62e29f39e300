// Where the named locks of this user on this machine are: one directory for all engines (docs/lifetimes.md).
// Blocks: not for the engine thread.
#pragma once

#include "core/base/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace yard::locks {

/// $XDG_RUNTIME_DIR/yardmaster/locks, else yardmaster-UID/locks in the system's temporary directory. Made when
/// missing, 0700. Forbidden when the directory is not ours or others may write to it: then nobody may trust it.
Result<std::string> lockDirectory();
/// The same with what the environment says given. A `runtimeDir` that is empty, not absolute, or no directory of
/// ours is passed over.
Result<std::string> lockDirectoryFor(const std::string& runtimeDir, const std::string& temporaryDir, unsigned uid);

/// [A-Za-z0-9._:@-]{1,128}
bool isLockName(std::string_view name);
/// The file of a lock in the directory: NAME.lock, so that "." and ".." are names like any other.
std::string lockFileName(std::string_view name);
/// The inverse; nothing for the name of a file that is no lock of ours.
std::optional<std::string> lockNameOf(std::string_view fileName);

} // namespace yard::locks
