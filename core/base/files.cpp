#include "core/base/files.h"

#include "core/base/environment.h"
#include "core/base/hash.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace yard {

namespace {

constexpr int kWriteStallMs = 30'000;

/// The directory part of a path as open() takes it: "." when there is none.
std::string directoryOf(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

bool isDirectory(const std::string& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// One level of makeDirectories().
Result<void> makeDirectory(const std::string& path, mode_t mode, bool sync) {
    if (::mkdir(path.c_str(), mode) == 0) {
        // The umask must not take away what the owner asked for; it was subtracted by mkdir.
        if (::chmod(path.c_str(), mode) != 0)
            return failErrno(fmt::format("cannot set the mode of {}", path), errno);
        return sync ? syncDirectory(directoryOf(path)) : Result<void>();
    }
    const int err = errno;
    // Not only EEXIST: mkdir of an existing directory in a read-only place says EROFS, and without rights EACCES.
    if (isDirectory(path)) return {};
    return failErrno(fmt::format("cannot make directory {}", path), err == EEXIST ? ENOTDIR : err);
}

Result<void> writeNewFile(const std::string& path, std::string_view content, int mode, bool sync) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return failErrno(fmt::format("cannot create {}", path), errno);
    if (auto written = writeAll(fd.get(), content); !written) return written;
    if (::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0)
        return failErrno(fmt::format("cannot set the mode of {}", path), errno);
    if (sync && ::fsync(fd.get()) != 0) return failErrno(fmt::format("cannot sync {}", path), errno);
    return {};
}

} // namespace

Result<std::string> readFile(const std::string& path, std::size_t limit) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) {
        auto error = failErrno(fmt::format("cannot read {}", path), errno);
        if (error.error().sysErrno == ENOENT || error.error().sysErrno == ENOTDIR)
            error.error().kind = ErrorKind::NotFound;
        return error;
    }
    constexpr std::size_t kStep = 64u << 10;
    std::string content;
    std::size_t size = 0;
    // Until the end, not up to the size it claims: files of /proc say 0, and others grow meanwhile. One byte over
    // the limit is enough to know.
    for (;;) {
        const std::size_t want = std::min(kStep, limit - size + 1);
        content.resize(size + want);
        const ssize_t n = ::read(fd.get(), content.data() + size, want);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failErrno(fmt::format("cannot read {}", path), errno);
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
        if (size > limit) return fail(ErrorKind::TooLarge, fmt::format("{} is larger than {} bytes", path, limit));
    }
    content.resize(size);
    return content;
}

Result<std::string> readFileAt(int fd, std::uint64_t offset, std::size_t atMost) {
    std::string bytes(atMost, '\0');
    ssize_t n = 0;
    do n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    while (n < 0 && errno == EINTR);
    if (n < 0) return failErrno("read a file", errno);
    bytes.resize(static_cast<std::size_t>(n));
    return bytes;
}

Result<void> writeFileAtomically(const std::string& path, std::string_view content, int mode, bool sync) {
    // A name of fixed length: the final name may be as long as the file system allows.
    const std::string directory = directoryOf(path);
    const std::string temporary = fmt::format("{}/{}{}", directory, kTemporaryPrefix, randomHex(8));
    auto done = writeNewFile(temporary, content, mode, sync);
    if (done && ::rename(temporary.c_str(), path.c_str()) != 0)
        done = failErrno(fmt::format("cannot rename {} to {}", temporary, path), errno);
    if (!done) {
        ::unlink(temporary.c_str());
        return done;
    }
    if (sync) return syncDirectory(directory);
    return {};
}

Result<void> writeNamedFile(const std::string& path, std::string_view content, int mode) {
    struct stat info{};
    const bool isThere = ::stat(path.c_str(), &info) == 0;
    if (isThere ? S_ISREG(info.st_mode) : ::lstat(path.c_str(), &info) != 0) {
        const std::unique_ptr<char, void (*)(void*)> target(::realpath(path.c_str(), nullptr), std::free);
        if (isThere && !target) return failErrno(fmt::format("cannot write {}", path), errno);
        return writeFileAtomically(target ? target.get() : path, content, mode);
    }
    // Not a regular file, or a link to none: with O_CREAT alone where there is nothing to open.
    const UniqueFd fd(
        ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | (isThere ? 0 : O_CREAT), static_cast<mode_t>(mode)));
    if (!fd) return failErrno(fmt::format("cannot write {}", path), errno);
    if (auto written = writeAll(fd.get(), content); !written)
        return failErrno(fmt::format("cannot write {}", path), written.error().sysErrno);
    return {};
}

Result<void> makeDirectories(const std::string& path, int mode, bool sync) {
    if (path.empty()) return invalid("path", "an empty path names no directory");
    // Mostly the last part alone is missing, if any; whatever else is wrong is found out part by part.
    if (makeDirectory(path, static_cast<mode_t>(mode), sync)) return {};
    for (std::size_t end = 0; end != std::string::npos;) {
        end = path.find('/', end + 1);
        const std::string prefix = path.substr(0, end);
        if (prefix.ends_with('/') && prefix != "/") continue;
        if (auto made = makeDirectory(prefix, static_cast<mode_t>(mode), sync); !made) return made;
    }
    return {};
}

Result<void> writeAll(int fd, std::string_view data) {
    while (!data.empty()) {
        const ssize_t n = ::write(fd, data.data(), data.size());
        if (n >= 0) {
            data.remove_prefix(static_cast<std::size_t>(n));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return failErrno("write", errno);
        pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
        if (::poll(&ready, 1, kWriteStallMs) == 0) return failErrno("write", ETIMEDOUT);
    }
    return {};
}

Result<void> syncDirectory(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return failErrno(fmt::format("cannot open directory {}", path), errno);
    if (::fsync(fd.get()) != 0) return failErrno(fmt::format("cannot sync directory {}", path), errno);
    return {};
}

std::string homeDirectory() {
    std::string home = environmentOrEmpty("HOME");
    if (!home.starts_with('/')) {
        home.clear();
        passwd entry{};
        passwd* found = nullptr;
        std::vector<char> buffer(16u << 10);
        if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
            home = found->pw_dir;
    }
    return home;
}

std::string defaultDataDirectory() {
    // The XDG rules ignore a relative value.
    if (const std::string data = environmentOrEmpty("XDG_DATA_HOME"); data.starts_with('/'))
        return data + "/yardmaster";
    return homeDirectory() + "/.local/share/yardmaster";
}

} // namespace yard
