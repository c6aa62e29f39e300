#include "core/locks/named_lock.h"

#include "core/locks/lock_directory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace yard::locks {

namespace {

/// A file that is being unlinked or not yet written belongs to somebody for an instant: tried so often, 1 ms apart.
constexpr int kInstants = 10;
/// The path was another file each time: something goes wrong that trying again does not change.
constexpr int kLosses = 1'000;

std::optional<LockHolder> readHolder(int fd) {
    std::array<char, kMaxHolderText> buffer;
    const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return {};
    return parseHolder(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
}

/// The descriptor's file is still what the path leads to: else somebody else may hold that one.
bool isSameFile(int fd, const std::string& path) {
    struct stat ours{};
    struct stat named{};
    return ::fstat(fd, &ours) == 0 && ::lstat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

int lockNow(int fd, int operation) {
    int result = 0;
    do result = ::flock(fd, operation | LOCK_NB);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

} // namespace

/// One file as a lock.
class LockFile {
public:
    static Result<NamedLock::Outcome> take(const std::string& path, int flags) {
        int instants = 0;
        for (int losses = 0; losses < kLosses;) {
            UniqueFd file(::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
            if (!file && errno == ENOENT && (flags & O_CREAT) == 0)
                return fail(ErrorKind::NotFound, "there is no lock file " + path);
            if (!file) return failErrno("open the lock file " + path, errno);
            struct stat st{};
            if (::fstat(file.get(), &st) != 0) return failErrno("look at " + path, errno);
            if (!S_ISREG(st.st_mode))
                return fail(ErrorKind::Io, path + " is no regular file, so it cannot be a lock");
            const int err = lockNow(file.get(), LOCK_EX);
            if (err != 0 && err != EWOULDBLOCK) return failErrno("lock " + path, err);
            const bool same = isSameFile(file.get(), path);
            if (err == 0 && same) return NamedLock::Outcome{NamedLock(std::move(file), path), false, {}};
            if (err == 0) {
                ++losses;
                continue;
            }
            auto holder = readHolder(file.get());
            if ((same && holder) || ++instants > kInstants)
                return NamedLock::Outcome{NamedLock(), true, std::move(holder)};
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return fail(ErrorKind::Io, path + " changes all the time: something else writes to the directory of locks");
    }
};

NamedLock::NamedLock(UniqueFd file, std::string path)
    : file_(std::move(file))
    , path_(std::move(path)) {}

NamedLock& NamedLock::operator=(NamedLock&& other) noexcept {
    if (this == &other) return *this;
    release();
    file_ = std::move(other.file_);
    path_ = std::move(other.path_);
    return *this;
}

/// What it says is for people and for those who wait: a disk that is full does not make the lock less held. Never
/// truncated to nothing: ext4 would write such a file out when it is closed, which takes milliseconds each.
void NamedLock::describe(const LockHolder& holder) {
    const std::string text = toText(holder);
    struct stat st{};
    const bool written = ::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!written || ::fstat(file_.get(), &st) != 0 || st.st_size <= static_cast<off_t>(text.size())) return;
    // What an earlier holder said goes on behind our last line, where nobody reads: shorter is only tidier.
    static_cast<void>(!::ftruncate(file_.get(), static_cast<off_t>(text.size())));
}

void NamedLock::release() {
    if (!file_) return;
    if (isSameFile(file_.get(), path_)) ::unlink(path_.c_str());
    releaseKeepingFile();
}

void NamedLock::releaseKeepingFile() {
    if (!file_) return;
    // Said, not left to close(): a child between clone and exec may have a copy of the descriptor for a moment.
    ::flock(file_.get(), LOCK_UN);
    file_.reset();
}

Result<NamedLock::Outcome> NamedLock::tryTake(const std::string& directory, const std::string& name,
                                              const LockHolder& holder) {
    auto taken = LockFile::take(directory + '/' + lockFileName(name), O_RDWR | O_CREAT);
    if (taken && !taken->isBusy) taken->lock.describe(holder);
    return taken;
}

Result<Claimed> tryTakeAll(const std::string& directory, std::vector<std::string> names, const LockHolder& holder) {
    std::ranges::sort(names);
    const auto same = std::ranges::unique(names);
    names.erase(same.begin(), same.end());
    Claimed claimed;
    for (const std::string& name : names) {
        auto taken = NamedLock::tryTake(directory, name, holder);
        if (!taken) return std::unexpected(taken.error());
        if (taken->isBusy) {
            claimed.locks.clear();
            claimed.busy = name;
            claimed.holder = std::move(taken->holder);
            return claimed;
        }
        claimed.locks.push_back(std::move(taken->lock));
    }
    return claimed;
}

LockState look(const std::string& directory, const std::string& name) {
    const UniqueFd file(
        ::open((directory + '/' + lockFileName(name)).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file) return {};
    // Shared, so that two that look do not see each other.
    if (lockNow(file.get(), LOCK_SH) != EWOULDBLOCK) return {};
    return {true, readHolder(file.get())};
}

Result<NamedLock::Outcome> takeFile(const std::string& path, bool create, const LockHolder* holder) {
    auto taken = LockFile::take(path, O_RDWR | (create ? O_CREAT : 0));
    if (taken && !taken->isBusy && holder) taken->lock.describe(*holder);
    return taken;
}

} // namespace yard::locks
