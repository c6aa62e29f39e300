#include "app/yardctl/whole_file.h"

#include "core/base/hash.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
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

Outcome<WholeFile> WholeFile::named(const std::string& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return make(path);
    if (S_ISREG(info.st_mode)) {
        const std::unique_ptr<char, void (*)(void*)> target(::realpath(path.c_str(), nullptr), std::free);
        return make(target ? target.get() : path);
    }
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    if (!fd) return failedWith(failErrno(fmt::format("cannot write {}", path), errno).error());
    return WholeFile(path, {}, std::move(fd));
}

WholeFile::~WholeFile() {
    if (fd_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Outcome<void> WholeFile::finish() {
    if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0)
        return failedWith(failErrno(fmt::format("cannot write {}", path_), errno).error());
    fd_.reset();
    return {};
}

} // namespace yard::ctl
