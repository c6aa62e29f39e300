#include "core/launcher/status_file.h"

#include "core/base/unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::runners {

namespace {

constexpr mode_t kOurs = 0600;
/// Directories with something in them that actions made of one slot's file and that are put aside.
constexpr int kMostAside = 16;

bool isAsMade(const struct stat& found) {
    constexpr mode_t kPermissions = 07777;
    return S_ISREG(found.st_mode) && found.st_size == 0 && found.st_nlink == 1 &&
           (found.st_mode & kPermissions) == kOurs;
}

/// Whatever an action made of it: nothing has its name any more.
bool clearAway(const std::string& path) {
    if (::unlink(path.c_str()) == 0 || ::rmdir(path.c_str()) == 0) return true;
    for (int i = 0; i < kMostAside; ++i)
        if (::rename(path.c_str(), fmt::format("{}.gone.{}", path, i).c_str()) == 0) return true;
    return false;
}

} // namespace

bool makeStatusFile(const std::string& path) {
    // Hardly any action writes into it: then one look is all that a start costs.
    struct stat found{};
    const bool isThere = ::lstat(path.c_str(), &found) == 0;
    if (isThere && isAsMade(found)) return true;
    if (isThere && !clearAway(path)) return false;
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd made(::open(path.c_str(), kNew, kOurs));
    if (made || errno != ENOENT) return static_cast<bool>(made);
    ::mkdir(path.substr(0, path.rfind('/')).c_str(), 0700);
    made.reset(::open(path.c_str(), kNew, kOurs));
    return static_cast<bool>(made);
}

} // namespace yard::runners
