#include "tests/support/file_recorder.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace yard::test {
namespace {

std::atomic<bool> recording{false};

/// The next one of this name: libc's, or a sanitizer's.
template<class Function>
Function nextOf(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define NEXT(function) static const auto next = nextOf<decltype(&::function)>(#function)

class Recorder {
public:
    /// Never destroyed: others end later.
    static Recorder& get() {
        static auto* recorder = new Recorder;
        return *recorder;
    }

    void start(const std::string& log, const std::string& directory) {
        NEXT(open);
        const std::lock_guard lock(mutex_);
        root_ = directory;
        inodes_.clear();
        maps_.clear();
        log_ = next(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
        if (log_ < 0) std::abort();
        recording = true;
    }
    void stop() {
        const std::lock_guard lock(mutex_);
        recording = false;
        ::close(log_);
        log_ = -1;
    }

    /// Makes the call and records it, nobody else's in between.
    template<class Call>
    auto guarded(Call&& call) {
        const std::lock_guard lock(mutex_);
        return call();
    }

    /// Relative to the directory; nothing: it is not below.
    std::optional<std::string> below(int at, const char* path) const {
        std::string whole;
        if (path[0] != '/') {
            std::array<char, PATH_MAX> base{};
            if (at == AT_FDCWD)
                whole = ::getcwd(base.data(), base.size()) ? base.data() : "";
            else
                whole = pathOf(at);
            whole += '/';
        }
        whole += path;
        for (auto twice = whole.find("//"); twice != whole.npos; twice = whole.find("//")) whole.erase(twice, 1);
        while (whole.ends_with("/.")) whole.resize(whole.size() - 2);
        while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
        if (whole == root_) return std::string();
        if (!whole.starts_with(root_ + '/')) return std::nullopt;
        return whole.substr(root_.size() + 1);
    }
    static std::string pathOf(int fd) {
        std::array<char, PATH_MAX> path{};
        const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
        return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
    }
    bool knows(const struct stat& status) const {
        return S_ISREG(status.st_mode) && inodes_.contains(status.st_ino);
    }

    void note(FileCall call, std::string_view path, std::string_view other = {}, std::uint64_t inode = 0,
              std::uint64_t at = 0, std::string_view data = {}) const {
        const FileCallHead head{.call = static_cast<std::uint32_t>(call),
                                .path = static_cast<std::uint32_t>(path.size()),
                                .other = static_cast<std::uint32_t>(other.size()),
                                .unused = 0,
                                .inode = inode,
                                .at = at,
                                .data = data.size()};
        std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
        bytes.append(path).append(other).append(data);
        NEXT(write);
        // One call: who asks for the size of the log never sees half a record.
        if (next(log_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    }

    void opened(int fd, const std::string& path, bool wasThere, int flags) {
        struct stat status{};
        if (fd < 0 || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
        if (!wasThere) {
            inodes_.insert(status.st_ino);
            note(FileCall::Create, path, {}, status.st_ino);
            note(FileCall::Mode, {}, {}, status.st_ino, status.st_mode & 07777);
        } else if (knows(status) && (flags & O_TRUNC) != 0) {
            note(FileCall::Resize, {}, {}, status.st_ino, 0);
        }
    }
    void wrote(int fd, const void* data, ssize_t size, std::optional<off_t> at) const {
        struct stat status{};
        if (size <= 0 || ::fstat(fd, &status) != 0 || !knows(status)) return;
        const off_t begin = at ? *at : ::lseek(fd, 0, SEEK_CUR) - size;
        note(FileCall::Write, {}, {}, status.st_ino, static_cast<std::uint64_t>(begin),
             {static_cast<const char*>(data), static_cast<std::size_t>(size)});
    }
    void resized(int fd, FileCall call, off_t size) const {
        struct stat status{};
        if (::fstat(fd, &status) == 0 && knows(status))
            note(call, {}, {}, status.st_ino, static_cast<std::uint64_t>(size));
    }
    void moded(int fd, mode_t mode) const {
        struct stat status{};
        if (::fstat(fd, &status) == 0 && knows(status)) note(FileCall::Mode, {}, {}, status.st_ino, mode);
    }
    void synced(int fd) {
        struct stat status{};
        if (::fstat(fd, &status) != 0) return;
        const auto path = below(AT_FDCWD, pathOf(fd).c_str());
        if (S_ISDIR(status.st_mode)) {
            if (path) note(FileCall::SyncDirectory, *path);
            return;
        }
        if (path) adopt(*path);
        if (knows(status)) note(FileCall::SyncFile, {}, {}, status.st_ino);
    }
    /// A file that somebody else has made, as it is now.
    void adopt(const std::string& path) {
        struct stat status{};
        const std::string whole = root_ + '/' + path;
        if (::lstat(whole.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || inodes_.contains(status.st_ino))
            return;
        inodes_.insert(status.st_ino);
        note(FileCall::Create, path, {}, status.st_ino);
        note(FileCall::Mode, {}, {}, status.st_ino, status.st_mode & 07777);
        NEXT(open);
        const int fd = next(whole.c_str(), O_RDONLY | O_CLOEXEC);
        std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
        if (::pread(fd, bytes.data(), bytes.size(), 0) == status.st_size && !bytes.empty())
            note(FileCall::Write, {}, {}, status.st_ino, 0, bytes);
        ::close(fd);
    }
    /// Its inode may come again as that of a file of somebody else.
    void forget(const std::string& path) {
        struct stat status{};
        if (::lstat((root_ + '/' + path).c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1)
            inodes_.erase(status.st_ino);
    }
    void mapped(int fd, const void* at, std::size_t size, off_t offset) {
        struct stat status{};
        if (::fstat(fd, &status) == 0 && knows(status))
            maps_[static_cast<const char*>(at)] = {size, status.st_ino, offset};
    }
    void syncedMap(const void* at, std::size_t size) const {
        const auto* from = static_cast<const char*>(at);
        auto map = maps_.upper_bound(from);
        if (map == maps_.begin() || from >= (--map)->first + map->second.size) return;
        note(FileCall::Write, {}, {}, map->second.inode,
             static_cast<std::uint64_t>(map->second.offset + (from - map->first)), {from, size});
        note(FileCall::SyncFile, {}, {}, map->second.inode);
    }

private:
    struct Map {
        std::size_t size;
        ino_t inode;
        off_t offset;
    };
    std::mutex mutex_;
    int log_ = -1;
    std::string root_;
    std::set<ino_t> inodes_;
    std::map<const char*, Map> maps_;
};

int openRecorded(int at, const char* path, int flags, mode_t mode) {
    NEXT(openat);
    Recorder& recorder = Recorder::get();
    if (!recording || (flags & (O_CREAT | O_TRUNC)) == 0) return next(at, path, flags, mode);
    return recorder.guarded([&] {
        const auto below = recorder.below(at, path);
        struct stat status{};
        const bool wasThere = ::fstatat(at, path, &status, 0) == 0;
        const int fd = next(at, path, flags, mode);
        const int kept = errno;
        if (below) recorder.opened(fd, *below, wasThere, flags);
        errno = kept;
        return fd;
    });
}

mode_t modeOf(int flags, va_list& arguments) {
    return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

/// `call` made and, when it gave no error, `noted`; only of regular files that may be recorded.
template<class Call, class Noted>
auto recorded(Call&& call, Noted&& noted) {
    if (!recording) return call();
    Recorder& recorder = Recorder::get();
    return recorder.guarded([&] {
        const auto result = call();
        const int kept = errno;
        if (result >= 0) noted(recorder, result);
        errno = kept;
        return result;
    });
}

int renameRecorded(int fromAt, const char* from, int toAt, const char* to, unsigned flags) {
    NEXT(renameat2);
    if (!recording) return next(fromAt, from, toAt, to, flags);
    Recorder& recorder = Recorder::get();
    return recorder.guarded([&] {
        const auto source = recorder.below(fromAt, from);
        const auto target = recorder.below(toAt, to);
        if (source) recorder.adopt(*source);
        struct stat before{};
        const bool replaces = target && ::fstatat(toAt, to, &before, AT_SYMLINK_NOFOLLOW) == 0;
        if (replaces) recorder.forget(*target);
        const int result = next(fromAt, from, toAt, to, flags);
        const int kept = errno;
        if (result == 0 && source && target) recorder.note(FileCall::Rename, *source, *target);
        errno = kept;
        return result;
    });
}

int removeRecorded(int at, const char* path, int flags) {
    NEXT(unlinkat);
    if (!recording) return next(at, path, flags);
    Recorder& recorder = Recorder::get();
    return recorder.guarded([&] {
        const auto below = recorder.below(at, path);
        if (below) recorder.forget(*below);
        const int result = next(at, path, flags);
        const int kept = errno;
        if (result == 0 && below) recorder.note(FileCall::Remove, *below);
        errno = kept;
        return result;
    });
}

[[gnu::constructor]] void beginInTheProgramThatIsMeant() {
    const char* wanted = std::getenv("YARD_RECORD"); // NOLINT(concurrency-mt-unsafe)
    if (!wanted || std::string_view(program_invocation_short_name) != "yardmaster") return;
    const std::string both = wanted;
    const auto colon = both.find(':');
    ::unsetenv("YARD_RECORD"); // NOLINT(concurrency-mt-unsafe)
    ::unsetenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
    startRecording(both.substr(0, colon), both.substr(colon + 1));
}

} // namespace

void startRecording(const std::string& log, const std::string& directory) {
    Recorder::get().start(log, directory);
}

void stopRecording() {
    Recorder::get().stop();
}

} // namespace yard::test

using namespace yard::test;

// The names are libc's. NOLINTBEGIN(readability-identifier-naming,cert-dcl50-cpp)
extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openRecorded(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openRecorded(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openRecorded(at, path, flags, mode);
}
int openat64(int at, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = modeOf(flags, arguments);
    va_end(arguments);
    return openRecorded(at, path, flags, mode);
}

ssize_t write(int fd, const void* data, size_t size) {
    NEXT(write);
    return recorded([&] { return next(fd, data, size); },
                    [&](Recorder& r, ssize_t n) { r.wrote(fd, data, n, std::nullopt); });
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
    NEXT(pwrite);
    return recorded([&] { return next(fd, data, size, at); },
                    [&](Recorder& r, ssize_t n) { r.wrote(fd, data, n, at); });
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
    NEXT(pwrite64);
    return recorded([&] { return next(fd, data, size, at); },
                    [&](Recorder& r, ssize_t n) { r.wrote(fd, data, n, at); });
}
int ftruncate(int fd, off_t size) noexcept {
    NEXT(ftruncate);
    return recorded([&] { return next(fd, size); },
                    [&](Recorder& r, int) { r.resized(fd, FileCall::Resize, size); });
}
int ftruncate64(int fd, off64_t size) noexcept {
    NEXT(ftruncate64);
    return recorded([&] { return next(fd, size); },
                    [&](Recorder& r, int) { r.resized(fd, FileCall::Resize, size); });
}
int posix_fallocate(int fd, off_t at, off_t size) {
    NEXT(posix_fallocate);
    return recorded([&] { return next(fd, at, size); },
                    [&](Recorder& r, int error) {
                        if (error == 0) r.resized(fd, FileCall::Extend, at + size);
                    });
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    NEXT(posix_fallocate64);
    return recorded([&] { return next(fd, at, size); },
                    [&](Recorder& r, int error) {
                        if (error == 0) r.resized(fd, FileCall::Extend, at + size);
                    });
}
int fchmod(int fd, mode_t mode) noexcept {
    NEXT(fchmod);
    return recorded([&] { return next(fd, mode); }, [&](Recorder& r, int) { r.moded(fd, mode); });
}
int chmod(const char* path, mode_t mode) noexcept {
    NEXT(chmod);
    return recorded([&] { return next(path, mode); },
                    [&](Recorder& r, int) {
                        if (const auto below = r.below(AT_FDCWD, path)) r.note(FileCall::Mode, *below, {}, 0, mode);
                    });
}
int fsync(int fd) {
    NEXT(fsync);
    return recorded([&] { return next(fd); }, [&](Recorder& r, int) { r.synced(fd); });
}
int fdatasync(int fd) {
    NEXT(fdatasync);
    return recorded([&] { return next(fd); }, [&](Recorder& r, int) { r.synced(fd); });
}

int rename(const char* from, const char* to) noexcept {
    return renameRecorded(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int fromAt, const char* from, int toAt, const char* to) noexcept {
    return renameRecorded(fromAt, from, toAt, to, 0);
}
int renameat2(int fromAt, const char* from, int toAt, const char* to, unsigned flags) noexcept {
    return renameRecorded(fromAt, from, toAt, to, flags);
}
int unlink(const char* path) noexcept {
    return removeRecorded(AT_FDCWD, path, 0);
}
int unlinkat(int at, const char* path, int flags) noexcept {
    return removeRecorded(at, path, flags);
}
int rmdir(const char* path) noexcept {
    return removeRecorded(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) noexcept {
    const int result = removeRecorded(AT_FDCWD, path, 0);
    return result != 0 && errno == EISDIR ? removeRecorded(AT_FDCWD, path, AT_REMOVEDIR) : result;
}
int linkat(int fromAt, const char* from, int toAt, const char* to, int flags) noexcept {
    NEXT(linkat);
    return recorded([&] { return next(fromAt, from, toAt, to, flags); },
                    [&](Recorder& r, int) {
                        const auto source = r.below(fromAt, from);
                        const auto target = r.below(toAt, to);
                        if (source && target) r.note(FileCall::Link, *source, *target);
                    });
}
int link(const char* from, const char* to) noexcept {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int mkdirat(int at, const char* path, mode_t mode) noexcept {
    NEXT(mkdirat);
    return recorded([&] { return next(at, path, mode); },
                    [&](Recorder& r, int) {
                        if (const auto below = r.below(at, path))
                            r.note(FileCall::MakeDirectory, *below, {}, 0, mode);
                    });
}
int mkdir(const char* path, mode_t mode) noexcept {
    return mkdirat(AT_FDCWD, path, mode);
}

void* mmap(void* where, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
    NEXT(mmap);
    void* at = next(where, size, protection, flags, fd, offset);
    if (recording && at != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0)
        Recorder::get().guarded([&] { Recorder::get().mapped(fd, at, size, offset); });
    return at;
}
int msync(void* at, size_t size, int flags) {
    NEXT(msync);
    return recorded([&] { return next(at, size, flags); }, [&](Recorder& r, int) { r.syncedMap(at, size); });
}

} // extern "C"
// NOLINTEND(readability-identifier-naming,cert-dcl50-cpp)
