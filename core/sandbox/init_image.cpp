// The program of core/sandbox/init as bytes, put into a memory file. Made once by each process that starts
// sandboxes.
#include "core/sandbox/init_image.h"

#include "core/base/embedded.h"
#include "core/base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

YARD_EMBED(yard_init, YARD_INIT_IMAGE);

namespace yard::sandbox {

Result<UniqueFd> makeInitImage() {
    // Before Linux 6.3 the second flag is not known, and every memory file can be executed.
    UniqueFd fd(::memfd_create("yard-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC));
    if (!fd && errno == EINVAL) fd.reset(::memfd_create("yard-init", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return failErrno("make an executable memory file (vm.memfd_noexec must not be 2)", errno);
    const std::string_view bytes(yard_init_begin, static_cast<std::size_t>(yard_init_end - yard_init_begin));
    if (auto written = writeAll(fd.get(), bytes); !written) return std::unexpected(written.error());
    if (::fchmod(fd.get(), 0555) != 0) return failErrno("change the mode of a memory file", errno);
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
        return failErrno("seal a memory file", errno);
    return fd;
}

} // namespace yard::sandbox
