// Names below a held directory, for trees that somebody else may change meanwhile: no part of a name may be a link,
// lead out of the directory or into another mount. The kernel decides that with the look-up itself (openat2), so
// nothing can be swapped in between. Any thread; calls block.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <string>

namespace yard {

/// open() of a relative path; O_CLOEXEC comes with it. Invalid: errno says why (ELOOP: a link; EXDEV: it leads
/// out).
UniqueFd openBeneath(int directory, const std::string& path, int flags, unsigned mode = 0);
/// For reading, which is not noted as its time of access. One of ours that forbids it is given 0700 first.
UniqueFd openDirectoryBeneath(int directory, const std::string& path);
/// A regular file, for reading. What it is is looked at before it is opened, so a pipe or a device never is: those
/// are EINVAL. Otherwise as a directory; the mode is 0600.
UniqueFd openFileBeneath(int directory, const std::string& path);
/// removeTree() of `name`, one part, in the directory.
Result<void> removeTreeBeneath(int directory, const std::string& name);

} // namespace yard
