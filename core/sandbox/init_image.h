// The program of core/sandbox/init as a file that can be executed and that nobody can change.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace yard::sandbox {

/// A sealed memory file. Fails where the system forbids to execute such files.
Result<UniqueFd> makeInitImage();

} // namespace yard::sandbox
