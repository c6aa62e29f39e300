#include "app/yardctl/whole_file.h"

#include "core/base/hash.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

Outcome<WholeFile> WholeFile::make(const std::string& path) {
    constexpr mode_t kMode = 0644;
    // A name of fixed length: the final name may be as long as the file system allows.
    std::string temporary = fmt::format("{}.{}.part", path.substr(0, path.rfind('/') + 1), randomHex(8));
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
    if (!fd) return failedWith(failErrno(fmt::format("cannot create {}", path), errno).error());
    return WholeFile(path, std::move(temporary), std::move(fd));
}

WholeFile::~WholeFile() {
    if (fd_) ::unlink(temporary_.c_str());
}

Outcome<void> WholeFile::finish() {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0)
        return failedWith(failErrno(fmt::format("cannot write {}", path_), errno).error());
    fd_.reset();
    return {};
}

} // namespace yard::ctl
