#include "core/launcher/status_file.h"

#include "core/base/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::runners {

bool makeStatusFile(const std::string& path) {
    // Hardly any action writes into it: then one look is all that a start costs.
    struct stat found{};
    const bool isThere = ::lstat(path.c_str(), &found) == 0;
    if (isThere && S_ISREG(found.st_mode) && found.st_size == 0) return true;
    if (isThere) ::unlink(path.c_str());
    constexpr mode_t kOurs = 0600;
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd made(::open(path.c_str(), kNew, kOurs));
    if (made || errno != ENOENT) return static_cast<bool>(made);
    ::mkdir(path.substr(0, path.rfind('/')).c_str(), 0700);
    made.reset(::open(path.c_str(), kNew, kOurs));
    return static_cast<bool>(made);
}

} // namespace yard::runners
