#include "app/yardctl/new_directory.h"

#include "core/base/beneath.h"
#include "core/base/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace yard::ctl {

Outcome<NewDirectory> NewDirectory::make(const std::string& path) {
    constexpr mode_t kOwnersAlone = 0700;
    std::error_code error;
    std::string full = std::filesystem::absolute(path, error).lexically_normal().string();
    while (full.size() > 1 && full.back() == '/') full.pop_back();
    if (::mkdir(full.c_str(), kOwnersAlone) != 0) {
        if (errno == EEXIST) return failed(fmt::format("{} is there already; name another directory", path));
        return failedWith(failErrno(fmt::format("cannot make the directory {}", path), errno).error());
    }
    UniqueFd opened(::open(full.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened) return failedWith(failErrno(fmt::format("cannot open {}", path), errno).error());
    return NewDirectory(std::move(full), std::move(opened));
}

Outcome<void> NewDirectory::directory(const std::string& path) const {
    constexpr mode_t kForAll = 0755;
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        const std::filesystem::path part(path.substr(0, end));
        const std::string above = part.has_parent_path() ? part.parent_path().string() : ".";
        const std::string name = part.filename().string();
        const UniqueFd parent = openBeneath(directory_.get(), above, O_RDONLY | O_DIRECTORY);
        const bool isMade = parent && ::mkdirat(parent.get(), name.c_str(), kForAll) == 0;
        const int err = errno;
        if (!isMade && (!parent || err != EEXIST))
            return failedWith(failErrno(fmt::format("cannot make {}/{}", path_, part.string()), err).error());
        // The umask may have taken rights away, and in a sandbox others read it.
        const UniqueFd made = isMade ? openBeneath(parent.get(), name, O_RDONLY | O_DIRECTORY) : UniqueFd();
        if (made) (void)::fchmod(made.get(), kForAll);
        if (end == std::string::npos) return {};
    }
}

Outcome<UniqueFd> NewDirectory::file(const std::string& path, unsigned mode) const {
    if (const std::size_t slash = path.rfind('/'); slash != std::string::npos)
        if (auto made = directory(path.substr(0, slash)); !made) return std::unexpected(made.error());
    UniqueFd opened = openBeneath(directory_.get(), path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!opened) return failedWith(failErrno(fmt::format("cannot create {}/{}", path_, path), errno).error());
    // The umask may have taken rights away, and a program has to be executable.
    if (::fchmod(opened.get(), mode) != 0)
        return failedWith(failErrno(fmt::format("cannot set the mode of {}/{}", path_, path), errno).error());
    return opened;
}

Outcome<void> NewDirectory::write(const std::string& path, unsigned mode, std::string_view bytes) const {
    const auto opened = file(path, mode);
    if (!opened) return std::unexpected(opened.error());
    if (auto wrote = writeAll(opened->get(), bytes); !wrote) return failedWith(wrote.error());
    return {};
}

} // namespace yard::ctl
