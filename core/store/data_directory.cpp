#include "core/store/data_directory.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/store/backup.h"
#include "core/store/disk_reserve.h"
#include "core/store/journal_log.h"
#include "core/store/schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <thread>

namespace yard::store {
namespace {

constexpr std::size_t kSmallFile = 4'096;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr auto kLockPause = std::chrono::milliseconds(20);

Result<void> checkDirectory(const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return failErrno("stat " + path, errno);
    if (!S_ISDIR(status.st_mode)) return fail(ErrorKind::Forbidden, fmt::format("{} is not a directory", path));
    if (status.st_uid != geteuid())
        return fail(
            ErrorKind::Forbidden,
            fmt::format("{} belongs to user {}, not to you: choose another --data-dir", path, status.st_uid));
    if ((status.st_mode & 077) != 0)
        return fail(ErrorKind::Forbidden, fmt::format("others may enter {} (mode {:04o}): chmod 700 {}", path,
                                                      status.st_mode & 07777, path));
    return {};
}

/// Value of `key` in the lines "key value" of a lock file.
std::string valueOf(std::string_view content, std::string_view key) {
    while (!content.empty()) {
        const auto end = content.find('\n');
        const auto line = content.substr(0, end);
        if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
            return std::string(line.substr(key.size() + 1));
        if (end == std::string_view::npos) break;
        content.remove_prefix(end + 1);
    }
    return {};
}

/// Who has the flock() of this file, as the kernel tells: "1: FLOCK ADVISORY WRITE 1234 fe:00:131 0 EOF".
std::string holderOf(int fd) {
    struct stat status{};
    const auto locks = readFile("/proc/locks");
    if (!locks || fstat(fd, &status) != 0) return {};
    std::istringstream lines(*locks);
    const std::string inode = fmt::format(":{}", status.st_ino);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::array<std::string, 6> word;
        for (std::string& each : word) words >> each;
        if (word[1] == "FLOCK" && word[5].ends_with(inode)) return word[4];
    }
    return {};
}

Result<UniqueFd> lockFile(const std::string& path, const std::string& directory, MonoTime until) {
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failErrno("open " + path, errno);
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return failErrno("lock " + path, errno);
        if (MonoClock::now() >= until) {
            const auto content = readFile(directory + "/lock", kSmallFile);
            std::string pid = content ? valueOf(*content, "pid") : std::string();
            if (pid.empty()) pid = holderOf(file.get()); // somebody removed the file with its number
            return fail(ErrorKind::AtLimit, fmt::format("the data directory {} is in use by yardmaster pid {}",
                                                        directory, pid.empty() ? "unknown" : pid));
        }
        std::this_thread::sleep_for(kLockPause);
    }
    return file;
}

Result<void> checkFileSystem(const std::string& path) {
    struct statfs status{};
    if (statfs(path.c_str(), &status) != 0) return failErrno("statfs " + path, errno);
    return refuseNetworkFileSystem(path, static_cast<std::uint64_t>(status.f_type) & 0xffffffffu);
}

/// In chunks/, but for what was half written.
bool hasContent(const std::string& directory) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator at(directory, error);
    for (const std::filesystem::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
        if (at->path().filename() == "tmp") at.disable_recursion_pending();
        if (at->is_regular_file(error)) return true;
    }
    return false;
}

/// A journal that is missing or empty beside what only an engine with a journal leaves has lost its actions: an empty
/// one in its place would have their results cleared away.
Result<void> refuseLostJournal(const DataDirectory& directory) {
    struct stat journal{};
    struct stat beside{};
    const bool isThere = ::stat(directory.journal().c_str(), &journal) == 0;
    if (isThere && journal.st_size > 0) return {};
    if (!isThere && errno != ENOENT) return failErrno("stat " + directory.journal(), errno);
    const std::string log = directory.journal() + "-wal";
    const bool hasLog = ::stat(log.c_str(), &beside) == 0 && beside.st_size > 0;
    const bool hasSlots = ::stat(directory.slots().c_str(), &beside) == 0;
    if (!hasLog && !hasSlots && !hasContent(directory.chunks())) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("{} is {}, but {} has {} of an earlier engine: restore the journal from a backup, or "
                            "choose another --data-dir to begin with an empty one",
                            directory.journal(), isThere ? "empty" : "missing", directory.path(),
                            hasLog     ? "the journal's log"
                            : hasSlots ? "the slots"
                                       : "the chunks"));
}

/// Of an engine that was killed: its address, and files it was about to rename.
void removeLeftovers(const std::string& path) {
    (void)unlink((path + "/address").c_str());
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
        if (entry.path().filename().string().starts_with(kTemporaryPrefix)) (void)unlink(entry.path().c_str());
}

} // namespace

Result<DataDirectory> DataDirectory::open(std::string path, Duration patience) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (auto made = makeDirectories(path, 0700, true); !made) return std::unexpected(std::move(made.error()));
    if (auto fine = checkDirectory(path); !fine) return std::unexpected(std::move(fine.error()));
    if (auto fine = checkFileSystem(path); !fine) return std::unexpected(std::move(fine.error()));

    DataDirectory directory;
    directory.path_ = std::move(path);
    const MonoTime until = MonoClock::now() + patience;
    auto lock = lockFile(directory.path_ + "/lock", directory.path_, until);
    if (!lock) return std::unexpected(std::move(lock.error()));
    directory.lock_ = std::move(*lock);
    if (auto fine = refuseHalfRestored(directory.path_); !fine) return std::unexpected(std::move(fine.error()));
    (void)DiskReserve(directory.path_).giveUpIfFull(); // before anything is written
    if (auto fine = refuseLostJournal(directory); !fine) return std::unexpected(std::move(fine.error()));
    if (auto fine = refuseLostLog(directory.journal()); !fine) return std::unexpected(std::move(fine.error()));
    auto journalLock = lockFile(directory.journal(), directory.path_, until);
    if (!journalLock) return std::unexpected(std::move(journalLock.error()));
    directory.journalLock_ = std::move(*journalLock);
    auto fine = refuseNewerJournal(directory.journal(), directory.journalLock_.get());
    if (!fine) return std::unexpected(std::move(fine.error()));

    auto id = readFile(directory.path_ + "/engine_id", kSmallFile);
    if (!id && id.error().kind == ErrorKind::NotFound) {
        id = randomHex(16);
        auto written = writeFileAtomically(directory.path_ + "/engine_id", *id + "\n", 0600, true);
        if (!written) return std::unexpected(std::move(written.error()));
    }
    if (!id && id.error().kind != ErrorKind::TooLarge) return std::unexpected(std::move(id.error()));
    if (id) directory.engineId_ = trimmed(*id, kBlanks);
    if (directory.engineId_.size() != 32 ||
        directory.engineId_.find_first_not_of("0123456789abcdef") != std::string::npos)
        return fail(
            ErrorKind::Io,
            fmt::format("{}/engine_id is damaged: it should hold 32 hex digits. Restore it from a backup; or, "
                        "when no process of an earlier engine is left, delete it to have one made",
                        directory.path_));
    removeLeftovers(directory.path_);
    DiskReserve(directory.path_).keep();
    if (auto written = directory.writeLockFile({}); !written) return std::unexpected(std::move(written.error()));
    return directory;
}

DataDirectory::~DataDirectory() {
    if (lock_) withdrawAddress();
}

Result<void> DataDirectory::writeLockFile(std::string_view address) const {
    // In place: the lock is on this inode, so it is never renamed over.
    const std::string content = fmt::format("pid {}\nengine_id {}\naddress {}\n", getpid(), engineId_, address);
    if (ftruncate(lock_.get(), 0) != 0) return failErrno("truncate the lock file", errno);
    if (lseek(lock_.get(), 0, SEEK_SET) < 0) return failErrno("seek in the lock file", errno);
    return writeAll(lock_.get(), content);
}

Result<std::string> DataDirectory::token(const std::string& file) const {
    const std::string path = file.empty() ? path_ + "/token" : file;
    auto secret = readSecretFile(path);
    if (!secret && secret.error().kind == ErrorKind::NotFound) {
        secret = randomHex(32);
        if (auto written = writeFileAtomically(path, *secret + "\n", 0600, true); !written)
            return std::unexpected(std::move(written.error()));
    }
    if (!secret || file.empty()) return secret;
    // Who finds the engine by its directory finds the token there, too.
    const std::string own = path_ + "/token";
    if (const auto known = readSecretFile(own); known && *known == *secret) return secret;
    if (auto written = writeFileAtomically(own, *secret + "\n", 0600, true); !written)
        return std::unexpected(std::move(written.error()));
    return secret;
}

Result<void> DataDirectory::publishAddress(std::string_view url, std::string_view fingerprint) {
    if (auto written = writeLockFile(url); !written) return written;
    auto written = writeFileAtomically(
        path_ + "/address", fmt::format("{}\n{}{}", url, fingerprint, fingerprint.empty() ? "" : "\n"), 0600, true);
    if (written) published_ = true;
    return written;
}

void DataDirectory::withdrawAddress() {
    if (!std::exchange(published_, false)) return;
    (void)unlink((path_ + "/address").c_str());
    (void)writeLockFile({});
}

Result<void> refuseNetworkFileSystem(const std::string& path, std::uint64_t type) {
    struct Known {
        std::uint64_t type;
        const char* name;
    };
    static constexpr std::array kKnown{
        Known{0x6969, "NFS"},        Known{0xff534d42, "CIFS"},     Known{0xfe534d42, "SMB"},
        Known{0x517b, "SMB"},        Known{0x564c, "NCP"},          Known{0x73757245, "Coda"},
        Known{0x5346414f, "AFS"},    Known{0x6b414653, "AFS"},      Known{0x00c36400, "Ceph"},
        Known{0x0bd00bd0, "Lustre"}, Known{0x01161970, "GFS2"},     Known{0x7461636f, "OCFS2"},
        Known{0x47504653, "GPFS"},   Known{0x20030528, "OrangeFS"},
    };
    const auto* known = std::ranges::find(kKnown, type, &Known::type);
    if (known == kKnown.end()) return {};
    return fail(ErrorKind::Forbidden,
                fmt::format("{} lies on a network file system ({}), where the journal is not safe: choose a "
                            "--data-dir on a disk of this machine",
                            path, known->name));
}

Result<std::string> readSecretFile(const std::string& path) {
    struct stat status{};
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file && errno == ENOENT) return fail(ErrorKind::NotFound, fmt::format("there is no {}", path));
    if (!file) return failErrno("open " + path, errno);
    if (fstat(file.get(), &status) != 0) return failErrno("stat " + path, errno);
    if (!S_ISREG(status.st_mode)) return fail(ErrorKind::Forbidden, fmt::format("{} is not a file", path));
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return fail(ErrorKind::Forbidden, fmt::format("{} belongs to user {}, not to you", path, status.st_uid));
    if ((status.st_mode & 077) != 0)
        return fail(ErrorKind::Forbidden, fmt::format("others can read {} (mode {:04o}): chmod 600 {}", path,
                                                      status.st_mode & 07777, path));
    char buffer[kSmallFile];
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got < 0) return failErrno("read " + path, errno);
    std::string secret(trimmed({buffer, static_cast<std::size_t>(got)}, kBlanks));
    if (secret.empty())
        return fail(ErrorKind::Forbidden, fmt::format("{} is empty: delete it to have one made", path));
    return secret;
}

Result<ServedDirectory> readServedDirectory(const std::string& path) {
    auto address = readFile(path + "/address", kSmallFile);
    if (!address && address.error().kind == ErrorKind::NotFound)
        return fail(ErrorKind::NotFound, fmt::format("no engine serves {}: start yardmaster", path));
    if (!address) return std::unexpected(std::move(address.error()));
    auto token = readSecretFile(path + "/token");
    if (!token) return std::unexpected(std::move(token.error()));
    const std::string_view text = trimmed(*address, kBlanks);
    const std::size_t end = std::min(text.find('\n'), text.size());
    return ServedDirectory{.address = std::string(trimmed(text.substr(0, end), kBlanks)),
                           .token = std::move(*token),
                           .fingerprint = std::string(trimmed(text.substr(end), kBlanks))};
}

} // namespace yard::store
