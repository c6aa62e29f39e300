#include "core/store/backup_files.h"

#include "core/base/files.h"
#include "core/base/parsed_number.h"
#include "core/store/chunk_codec.h"
#include "core/store/database.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace yard::store {

namespace {

constexpr std::size_t kBackupBuffer = 256u << 10;
constexpr std::string_view kManifestWord = "yardmaster-backup ";
constexpr int kBackupPages = 500;
constexpr auto kBackupPause = std::chrono::milliseconds(1);
constexpr auto kLockedPause = std::chrono::milliseconds(20);
constexpr int kMostLockedTries = 500;
constexpr int kHexMode = 8;

struct Backup {
    sqlite3_backup* handle;
    ~Backup() {
        if (handle) sqlite3_backup_finish(handle);
    }
};

/// Until `end`, one word; the rest stays in `text`.
std::string_view wordOf(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view word = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return word;
}

std::unexpected<Error> damagedManifest() {
    return fail(ErrorKind::Io, "its manifest is damaged: take another backup, or use an older one");
}

Result<BackupFile> parsedFile(std::string_view line) {
    BackupFile file;
    const auto hash = Hash256::fromHex(wordOf(line, ' '));
    const auto size = parsedNumber<std::uint64_t>(wordOf(line, ' '));
    const std::string_view mode = wordOf(line, ' ');
    if (!hash || !size || mode.empty() || mode.size() > 4 || mode.find_first_not_of("01234567") != mode.npos ||
        !isPlainPath(line))
        return damagedManifest();
    file.hash = *hash;
    file.size = *size;
    for (const char digit : mode)
        file.mode = (&digit == mode.data() ? 0 : file.mode * kHexMode) + unsigned(digit - '0');
    file.mode &= 0700u;
    file.path = line;
    return file;
}

/// The pages, in steps with pauses. The source's read transaction keeps the moment.
Result<void> copyPages(Database& source, Database& target) {
    const Backup backup{sqlite3_backup_init(target.handle(), "main", source.handle(), "main")};
    if (!backup.handle) return std::unexpected(target.error(ErrorKind::Io, "starting a copy"));
    for (int tries = 0;;) {
        const int rc = sqlite3_backup_step(backup.handle, kBackupPages);
        if (rc == SQLITE_DONE) return {};
        const bool waits = rc == SQLITE_BUSY || rc == SQLITE_LOCKED;
        if (rc != SQLITE_OK && (!waits || ++tries > kMostLockedTries))
            return fail((rc & 0xff) == SQLITE_FULL ? ErrorKind::NoSpace : ErrorKind::Io,
                        fmt::format("copying {} failed: {}", sqlite3_db_filename(source.handle(), "main"),
                                    sqlite3_errstr(rc)));
        std::this_thread::sleep_for(waits ? std::chrono::milliseconds(kLockedPause) : kBackupPause);
    }
}

Result<CopiedFile> copyBytes(int from, int to, const std::string& name) {
    CopiedFile copied;
    Sha256 hash;
    std::vector<char> buffer(kBackupBuffer);
    for (;;) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failErrno("read " + name, errno);
        if (got == 0) break;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        hash.update(bytes);
        if (auto written = writeAll(to, bytes); !written) return std::unexpected(written.error());
        copied.size += bytes.size();
    }
    copied.hash = hash.finish();
    return copied;
}

std::string plainDirectory(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
    std::string text = whole.string();
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();
    return text;
}

} // namespace

bool isInOrSame(const std::string& path, const std::string& directory) {
    const std::string whole = plainDirectory(path);
    const std::string around = plainDirectory(directory);
    return whole == around || whole.starts_with(around + "/");
}

bool isPlainPath(std::string_view path) {
    if (path.empty() || path.contains('\n') || path.contains('\0')) return false;
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view part = wordOf(rest, '/');
        if (part.empty() || part == "." || part == "..") return false;
    }
    return !path.ends_with('/');
}

std::string manifestText(const BackupManifest& manifest) {
    std::string text = fmt::format("{}{}\nengine_id {}\nversion {}\nschema {}\ntaken {}\ngeneration {}\n",
                                   kManifestWord, BackupManifest::kFormat, manifest.engineId, manifest.version,
                                   manifest.schema, manifest.taken, manifest.generation);
    for (const BackupFile& file : manifest.files)
        text += fmt::format("file {} {} {:04o} {}\n", file.hash.hex(), file.size, file.mode, file.path);
    return text + "end\n";
}

Result<BackupManifest> parseManifest(std::string_view text) {
    BackupManifest manifest;
    if (!text.starts_with(kManifestWord)) return damagedManifest();
    text.remove_prefix(kManifestWord.size());
    const auto format = parsedNumber<int>(wordOf(text, '\n'));
    if (!format || *format < 1) return damagedManifest();
    if (*format > BackupManifest::kFormat)
        return fail(ErrorKind::WrongState,
                    fmt::format("it was taken by a newer yardmaster (format {}, this one knows "
                                "{}): restore it with that one",
                                *format, BackupManifest::kFormat));
    while (!text.empty()) {
        std::string_view line = wordOf(text, '\n');
        const std::string_view word = wordOf(line, ' ');
        if (word == "end") {
            const bool isWhole = text.empty() && manifest.schema > 0 && isPlainPath(manifest.generation);
            if (!isWhole || manifest.generation.contains('/')) return damagedManifest();
            return manifest;
        }
        if (word == "engine_id") manifest.engineId = line;
        if (word == "version") manifest.version = line;
        if (word == "generation") manifest.generation = line;
        if (word == "schema") manifest.schema = parsedNumber<int>(line).value_or(0);
        if (word == "taken") manifest.taken = parsedNumber<std::int64_t>(line).value_or(0);
        if (word != "file") continue;
        auto file = parsedFile(line);
        if (!file) return std::unexpected(file.error());
        manifest.files.push_back(std::move(*file));
    }
    return damagedManifest(); // it has no end
}

Result<CopiedFile> copyFile(const std::string& from, const std::string& to, unsigned mode) {
    const UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!source && errno == ENOENT) return fail(ErrorKind::NotFound, fmt::format("{} has gone", from));
    if (!source) return failErrno("open " + from, errno);
    const std::string fresh = to + ".new";
    (void)::unlink(fresh.c_str()); // of a run that was killed
    UniqueFd target(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!target) return failErrno("create " + fresh, errno);
    auto copied = copyBytes(source.get(), target.get(), from);
    target.reset();
    if (copied && ::rename(fresh.c_str(), to.c_str()) == 0) return copied;
    const int error = errno;
    (void)::unlink(fresh.c_str());
    if (!copied) return copied;
    return failErrno("rename " + fresh, error);
}

Result<Hash256> contentHash(const std::string& path, bool compressed) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return failErrno("open " + path, errno);
    Sha256 hash;
    std::vector<char> buffer(kBackupBuffer);
    if (compressed) {
        auto unpacked = Decompressor::start(std::move(file));
        if (!unpacked) return std::unexpected(unpacked.error());
        for (;;) {
            const auto got = unpacked->read(buffer);
            if (!got) return std::unexpected(got.error());
            if (*got == 0) return hash.finish();
            hash.update(std::string_view(buffer.data(), *got));
        }
    }
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failErrno("read " + path, errno);
        if (got == 0) return hash.finish();
        hash.update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    }
}

Result<void> copyDatabase(const std::string& from, const std::string& to) {
    auto source = Database::openForReading(from, {});
    if (!source) return std::unexpected(source.error());
    // Without a transaction each change by another connection would start the copy over, and it never ended.
    if (auto begun = source->execute("BEGIN"); !begun) return begun;
    if (auto pinned = source->number("SELECT count(*) FROM sqlite_schema"); !pinned)
        return std::unexpected(pinned.error());
    for (const std::string_view suffix : {"", "-wal", "-shm", "-journal"})
        (void)::unlink((to + std::string(suffix)).c_str());
    auto target = Database::openForWriting(to, {});
    if (!target) return std::unexpected(target.error());
    if (auto copied = copyPages(*source, *target); !copied) return copied;
    (void)source->exec("COMMIT");
    // It brought the source's mode along; a file that is kept is better without a log beside it.
    if (auto mode = target->execute("PRAGMA journal_mode=DELETE"); !mode) return mode;
    if (::chmod(to.c_str(), 0600) != 0) return failErrno("chmod " + to, errno);
    return {};
}

Result<void> syncFileSystem(const std::string& directory) {
    const UniqueFd file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!file) return failErrno("open " + directory, errno);
    if (::syncfs(file.get()) != 0) return failErrno("sync " + directory, errno);
    return {};
}

Result<UniqueFd> lockedFile(const std::string& path, std::string_view inUse) {
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    // A backup may lie where nobody can write.
    if (!file && (errno == EROFS || errno == EACCES))
        file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return failErrno("open " + path, errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno == EWOULDBLOCK) return fail(ErrorKind::AtLimit, std::string(inUse));
    return failErrno("lock " + path, errno);
}

} // namespace yard::store
