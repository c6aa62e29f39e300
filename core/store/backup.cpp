#include "core/store/backup.h"

#include "core/base/directory_entries.h"
#include "core/base/files.h"
#include "core/store/backup_files.h"
#include "core/store/database.h"
#include "core/store/packing.h"
#include "core/store/schema.h"
#include "core/store/survey.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".yard-backup";
constexpr std::string_view kManifest = "manifest";
constexpr std::string_view kRestoring = "restoring"; ///< in a data directory, until its restore has ended
constexpr std::string_view kGeneration = "generation-";
constexpr std::string_view kUnlooked = ".unlooked"; ///< ends a copy's name until its bytes were looked at
constexpr std::size_t kMostManifest = 64u << 20;
constexpr unsigned kChunkFolders = 256;
/// An engine may clear up between the copy of its chunks and that of its journal: then both are looked at again.
constexpr int kRounds = 4;
constexpr std::uint64_t kExpectedChunks = 2'000'000;
/// Of a data directory: what is of this machine and this run, is made again, or is copied in another way.
constexpr std::array<std::string_view, 16> kNotFiles{
    "lock",    "address", "backdoor.sock", "engine_id", "reserve",   "slots",      "scratch", "chunks",
    "workers", "wine",    "restoring",     "cgroup",    "elsewhere", "jobservers", "status",  "guests"};
constexpr std::array<std::string_view, 3> kDatabaseParts{"-wal", "-shm", "-journal"};

bool isLeftOut(std::string_view name) {
    return std::ranges::find(kNotFiles, name) != kNotFiles.end() || name.starts_with("journal.sqlite") ||
           name.starts_with("slots.") || name.starts_with(kTemporaryPrefix);
}

bool isOfDatabase(std::string_view name) {
    return std::ranges::any_of(kDatabaseParts, [&](std::string_view part) { return name.ends_with(part); });
}

/// Calls `function` with the name of each regular file. Nothing there is no error.
Result<void> eachFileOf(const std::string& path, auto&& function) {
    auto entries = DirectoryEntries::open(path);
    if (!entries && entries.error().sysErrno == ENOENT) return {};
    if (!entries) return std::unexpected(std::move(entries.error()));
    while (const auto name = entries->next()) {
        const std::string file(*name);
        struct stat status{};
        if (::fstatat(entries->fd(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(status.st_mode)) continue;
        if (auto done = function(file, status); !done) return done;
    }
    if (entries->error() != 0) return failErrno("read " + path, entries->error());
    return {};
}

/// The chunk that a file in chunks/ab/ has; nothing: it is none.
std::optional<Hash256> chunkNamed(unsigned folder, std::string_view name) {
    if (name.ends_with(".z")) name.remove_suffix(2);
    return Hash256::fromHex(fmt::format("{:02x}{}", folder, name));
}

void noteDamaged(BackupCounts& counts, std::string name) {
    ++counts.damagedCount;
    if (counts.damaged.size() < BackupCounts::kMostNamed) counts.damaged.push_back(std::move(name));
}

/// Copies of chunks between two content stores, each looked at once it is there.
class ChunkCopier {
public:
    ChunkCopier(std::string from, std::string to, BackupCounts& counts, const BackupTick& tick)
        : from_(std::move(from))
        , to_(std::move(to))
        , counts_(counts)
        , tick_(tick) {}

    /// `seen`: gets all that are in the source; may be null.
    Result<void> copyAll(ChunkFilter* seen) {
        counts_.chunks = 0;
        for (unsigned folder = 0; folder < kChunkFolders; ++folder) {
            const std::string name = fmt::format("/{:02x}", folder);
            bool isMade = false;
            auto done =
                eachFileOf(from_ + name, [&](const std::string& file, const struct stat& status) -> Result<void> {
                    const auto hash = chunkNamed(folder, file);
                    if (!hash || status.st_size == 0) return {};
                    if (seen) seen->add(*hash);
                    if (!std::exchange(isMade, true))
                        if (auto made = makeDirectories(to_ + name, 0700); !made) return made;
                    return copyOne(fmt::format("{}/{}", name, file), *hash, status);
                });
            if (!done) return done;
        }
        return {};
    }

private:
    Result<void> copyOne(const std::string& name, const Hash256& hash, const struct stat& status) {
        const std::string to = to_ + name;
        struct stat there{};
        ++counts_.chunks;
        // It got its name when it had been looked at.
        if (::stat(to.c_str(), &there) == 0 && there.st_size == status.st_size) return {};
        const std::string unlooked = to + std::string(kUnlooked);
        const auto copied = copyFile(from_ + name, unlooked, 0600);
        if (!copied && copied.error().kind == ErrorKind::NotFound) { // cleared up meanwhile
            --counts_.chunks;
            return {};
        }
        if (!copied) return std::unexpected(copied.error());
        const auto content = contentHash(unlooked, name.ends_with(".z"));
        if (!content || *content != hash) {
            (void)::unlink(unlooked.c_str());
            --counts_.chunks;
            noteDamaged(counts_, hash.hex());
            return {};
        }
        if (::rename(unlooked.c_str(), to.c_str()) != 0) return failErrno("rename " + unlooked, errno);
        ++counts_.copied;
        counts_.bytes += copied->size;
        if (tick_) tick_(counts_);
        return {};
    }

    const std::string from_, to_;
    BackupCounts& counts_;
    const BackupTick& tick_;
};

/// One run of takeBackup().
class BackupRun {
public:
    BackupRun(std::string dataDir, std::string directory, const BackupTick& tick)
        : dataDir_(std::move(dataDir))
        , directory_(std::move(directory))
        , tick_(tick) {}

    Result<BackupCounts> take(const std::string& version, WallMicros now);

private:
    Result<void> begin();
    Result<void> lookAtEarlier();
    Result<void> copyChunksAndJournal();
    Result<void> copyPacks(Database& journal);
    Result<void> countMissing(Database& journal);
    Result<bool> isThere(Statement& blob, const Hash256& hash) const;
    Result<void> copyFiles(const std::string& below);
    Result<void> addFile(const std::string& path, unsigned mode);
    void removeOld(const std::string& counts);
    Result<void> prune();
    std::string generation() const { return directory_ + "/" + manifest_.generation; }

    const std::string dataDir_, directory_;
    const BackupTick& tick_;
    UniqueFd lock_;
    BackupManifest manifest_;
    BackupCounts counts_;
    std::vector<std::int64_t> lostPacks_; ///< that the journal names and the engine has not; sorted
    ChunkFilter seen_{kExpectedChunks, 0};
};

Result<void> BackupRun::begin() {
    struct stat status{};
    if (::stat((dataDir_ + "/journal.sqlite").c_str(), &status) != 0)
        return fail(ErrorKind::NotFound,
                    fmt::format("{} is no data directory: there is no journal.sqlite in it", dataDir_));
    if (isInOrSame(directory_, dataDir_))
        return fail(
            ErrorKind::WrongState,
            fmt::format("{} is in the data directory: give another place, best on another disk", directory_));
    if (auto made = makeDirectories(directory_, 0700); !made) return made;
    const std::string mark = fmt::format("{}/{}", directory_, kMark);
    std::error_code error;
    if (::stat(mark.c_str(), &status) != 0 && !fs::is_empty(directory_, error))
        return fail(ErrorKind::WrongState,
                    fmt::format("{} has something else in it: give a new or empty directory, or one with an "
                                "earlier backup",
                                directory_));
    auto lock = lockedFile(mark, fmt::format("another backup is being taken into {}, or read there", directory_));
    if (!lock) return std::unexpected(lock.error());
    lock_ = std::move(*lock);
    const auto id = readFile(dataDir_ + "/engine_id", 4'096);
    if (!id) return std::unexpected(id.error());
    manifest_.engineId = id->substr(0, id->find('\n'));
    return lookAtEarlier();
}

/// What a backup that is there has, stays until the next one is whole, also where this program cannot read it.
Result<void> BackupRun::lookAtEarlier() {
    const auto before = readFile(fmt::format("{}/{}", directory_, kManifest), kMostManifest);
    if (!before && before.error().kind != ErrorKind::NotFound) return std::unexpected(before.error());
    if (!before) removeOld({}); // of one that was cut short
    if (!before) return {};
    const auto known = parseManifest(*before);
    if (!known && known.error().kind == ErrorKind::WrongState)
        return fail(ErrorKind::WrongState, fmt::format("{} has the backup of a newer yardmaster: give another "
                                                       "directory, or take it with that one",
                                                       directory_));
    if (!known) return {};
    if (known->engineId != manifest_.engineId)
        return fail(ErrorKind::WrongState,
                    fmt::format("{} has the backup of another engine ({}): give another directory", directory_,
                                known->engineId));
    removeOld(known->generation);
    return {};
}

/// Generations but that one.
void BackupRun::removeOld(const std::string& counts) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory_, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kGeneration) && name != counts) (void)removeTree(entry.path().string());
    }
}

Result<BackupCounts> BackupRun::take(const std::string& version, WallMicros now) {
    if (auto begun = begin(); !begun) return std::unexpected(begun.error());
    manifest_.version = version.substr(0, version.find('\n'));
    manifest_.taken = now;
    manifest_.generation = fmt::format("{}{}-{}", kGeneration, now, randomHex(4));
    const auto steps = [this]() -> Result<void> {
        if (auto made = makeDirectories(generation() + "/packs", 0700); !made) return made;
        if (auto done = copyChunksAndJournal(); !done) return done;
        if (auto done = copyFiles(""); !done) return done;
        // All of it is on the disk before the manifest names it.
        if (auto synced = syncFileSystem(directory_); !synced) return synced;
        return writeFileAtomically(fmt::format("{}/{}", directory_, kManifest), manifestText(manifest_), 0600,
                                   true);
    };
    if (auto done = steps(); !done) {
        (void)removeTree(generation());
        return std::unexpected(done.error());
    }
    removeOld(manifest_.generation);
    if (auto pruned = prune(); !pruned) return std::unexpected(pruned.error());
    counts_.schema = manifest_.schema;
    return counts_;
}

Result<void> BackupRun::copyChunksAndJournal() {
    for (int round = 1;; ++round) {
        counts_.damaged.clear();
        counts_.damagedCount = 0;
        ChunkCopier chunks(dataDir_ + "/chunks", directory_ + "/chunks", counts_, tick_);
        if (auto done = chunks.copyAll(&seen_); !done) return done;
        const std::string copy = generation() + "/journal.sqlite";
        if (auto done = copyDatabase(dataDir_ + "/journal.sqlite", copy); !done) return done;
        // What the journal names and came after the first look.
        counts_.damaged.clear();
        counts_.damagedCount = 0;
        if (auto done = chunks.copyAll(&seen_); !done) return done;
        auto journal = Database::openForReading(copy, {});
        if (!journal) return std::unexpected(journal.error());
        manifest_.files.clear();
        if (auto done = copyPacks(*journal); !done) return done;
        if (auto done = countMissing(*journal); !done) return done;
        if ((!lostPacks_.empty() || counts_.missing > 0) && round < kRounds) continue;
        const auto schema = journal->number("PRAGMA user_version");
        if (!schema) return std::unexpected(schema.error());
        manifest_.schema = static_cast<int>(*schema);
        auto check = journal->prepare("PRAGMA quick_check(1)");
        if (!check) return std::unexpected(check.error());
        if (check->step() != SQLITE_ROW || check->text(0) != "ok")
            return fail(ErrorKind::Io, fmt::format("the journal in {} is damaged: {}", dataDir_, check->text(0)));
        break;
    }
    return addFile("journal.sqlite", 0600);
}

/// Each pack that the journal names, and what is in it. One that is lost may have been emptied into another meanwhile.
Result<void> BackupRun::copyPacks(Database& journal) {
    lostPacks_.clear();
    auto packs = journal.prepare("SELECT id FROM pack ORDER BY id");
    if (!packs) return std::unexpected(packs.error());
    auto parts = journal.prepare("SELECT hash, at, size FROM blob WHERE pack=?");
    if (!parts) return std::unexpected(parts.error());
    int rc = packs->step();
    for (; rc == SQLITE_ROW; rc = packs->step()) {
        const std::int64_t id = packs->integer(0);
        const std::string name = fmt::format("packs/{}", id);
        const auto copied = copyFile(fmt::format("{}/chunks/{}", dataDir_, name), generation() + "/" + name, 0600);
        if (!copied && copied.error().kind != ErrorKind::NotFound) return std::unexpected(copied.error());
        if (!copied) {
            lostPacks_.push_back(id); // in the order of the query: sorted
            continue;
        }
        const UniqueFd file(::open((generation() + "/" + name).c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) return failErrno("open " + name, errno);
        QueryScope row(*parts, id);
        while (row.step() == SQLITE_ROW) {
            const auto hash = row->hash(0);
            const auto at = static_cast<std::uint64_t>(std::max<std::int64_t>(row->integer(1), 0));
            const auto size = static_cast<std::size_t>(std::clamp<std::int64_t>(row->integer(2), 0, 1 << 20));
            const auto bytes = readFileAt(file.get(), at, size);
            if (!bytes) return std::unexpected(bytes.error());
            if (hash && Sha256::of(*bytes) != *hash) noteDamaged(counts_, hash->hex());
        }
        manifest_.files.push_back({.path = name, .hash = copied->hash, .size = copied->size, .mode = 0600});
        ++counts_.chunks;
        ++counts_.copied;
        counts_.bytes += copied->size;
    }
    if (rc != SQLITE_DONE) return std::unexpected(journal.error(ErrorKind::Io, "looking for packs"));
    return {};
}

Result<bool> BackupRun::isThere(Statement& blob, const Hash256& hash) const {
    if (hash == Hash256::ofNothing()) return true;
    {
        QueryScope row(blob, keyOf(hash), bytesOf(hash));
        const int rc = row.step();
        // In the row itself, or in a pack that is there.
        if (rc == SQLITE_ROW && (row->isNull(0) || !std::ranges::binary_search(lostPacks_, row->integer(0))))
            return true;
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            return fail(ErrorKind::Io, "the copy of the journal cannot be read");
    }
    const std::string hex = hash.hex();
    const std::string path = fmt::format("{}/chunks/{}/{}", directory_, hex.substr(0, 2), hex.substr(2));
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 || ::stat((path + ".z").c_str(), &status) == 0;
}

/// Of what the journal names: inputs, outputs, streams, files of workers.
Result<void> BackupRun::countMissing(Database& journal) {
    counts_.missing = 0;
    auto blob = journal.prepare("SELECT pack FROM blob WHERE key=? AND hash=?");
    if (!blob) return std::unexpected(blob.error());
    const auto look = [&](const Hash256& hash) -> Result<void> {
        seen_.add(hash); // it stays, wherever it came from
        const auto there = isThere(*blob, hash);
        if (!there) return std::unexpected(there.error());
        if (!*there) ++counts_.missing;
        return {};
    };
    for (const char* sql : {"SELECT chunks FROM spec WHERE chunks IS NOT NULL",
                            "SELECT chunks FROM worker WHERE chunks IS NOT NULL"}) {
        auto rows = journal.prepare(sql);
        if (!rows) return std::unexpected(rows.error());
        while (rows->step() == SQLITE_ROW)
            for (const Hash256& hash : unpackHashes(rows->text(0)))
                if (auto done = look(hash); !done) return done;
    }
    auto attempts = journal.prepare("SELECT out, err, outputs FROM attempt");
    if (!attempts) return std::unexpected(attempts.error());
    while (attempts->step() == SQLITE_ROW) {
        for (const int column : {0, 1})
            if (const auto chunk = unpackChunk(attempts->text(column)))
                if (auto done = look(chunk->hash); !done) return done;
        for (const NamedChunk& output : unpackOutputs(attempts->text(2)))
            if (auto done = look(output.chunk.hash); !done) return done;
    }
    return {};
}

Result<void> BackupRun::addFile(const std::string& path, unsigned mode) {
    const std::string whole = generation() + "/" + path;
    struct stat status{};
    if (::stat(whole.c_str(), &status) != 0) return failErrno("stat " + whole, errno);
    auto hash = contentHash(whole, false);
    if (!hash) return std::unexpected(hash.error());
    const auto size = static_cast<std::uint64_t>(status.st_size);
    manifest_.files.push_back({.path = path, .hash = *hash, .size = size, .mode = mode});
    counts_.bytes += size;
    return {};
}

/// Everything else below the data directory; `below` is empty or ends with a slash.
Result<void> BackupRun::copyFiles(const std::string& below) {
    const std::string from = dataDir_ + "/" + below;
    const std::string to = "files/" + below;
    if (auto made = makeDirectories(generation() + "/" + to, 0700); !made) return made;
    auto done = eachFileOf(from, [&](const std::string& name, const struct stat& status) -> Result<void> {
        if ((below.empty() && isLeftOut(name)) || isOfDatabase(name) || !isPlainPath(name)) return {};
        const std::string target = generation() + "/" + to + name;
        // A recording may go on: as a database it is copied whole. One that is damaged is copied as it is.
        if (!name.ends_with(".yrec") || !copyDatabase(from + name, target)) {
            const auto copied = copyFile(from + name, target, 0600);
            if (!copied && copied.error().kind == ErrorKind::NotFound) return {};
            if (!copied) return std::unexpected(copied.error());
        }
        ++counts_.files;
        if (tick_) tick_(counts_);
        return addFile(to + name, status.st_mode & 0700u);
    });
    if (!done) return done;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(from, error)) {
        const std::string name = entry.path().filename().string();
        if (entry.symlink_status(error).type() != fs::file_type::directory || !isPlainPath(name)) continue;
        if (below.empty() && isLeftOut(name)) continue;
        if (auto copied = copyFiles(below + name + "/"); !copied) return copied;
    }
    return {};
}

/// Chunks that the engine has cleared up go here, too. A filter that says yes too often keeps a few of them until the next.
Result<void> BackupRun::prune() {
    for (unsigned folder = 0; folder < kChunkFolders; ++folder) {
        const std::string path = fmt::format("{}/chunks/{:02x}", directory_, folder);
        auto done = eachFileOf(path, [&](const std::string& name, const struct stat&) -> Result<void> {
            const auto hash = chunkNamed(folder, name);
            if (!hash || !seen_.mayContain(*hash)) (void)::unlink(fmt::format("{}/{}", path, name).c_str());
            return {};
        });
        if (!done) return done;
    }
    return {};
}

/// One run of restoreBackup().
class RestoreRun {
public:
    RestoreRun(std::string directory, std::string dataDir, const BackupTick& tick)
        : directory_(std::move(directory))
        , dataDir_(std::move(dataDir))
        , tick_(tick) {}

    Result<BackupCounts> restore();

private:
    Result<void> readBackup();
    Result<void> makeRoom();
    Result<void> copyFiles();
    Result<void> placeJournal();
    Result<CopiedFile> copyListed(const BackupFile& file, const std::string& to);
    std::string restoring() const { return fmt::format("{}/{}", dataDir_, kRestoring); }

    const std::string directory_, dataDir_;
    const BackupTick& tick_;
    UniqueFd backupLock_, dataLock_;
    BackupManifest manifest_;
    BackupCounts counts_;
};

Result<void> RestoreRun::readBackup() {
    struct stat status{};
    const std::string mark = fmt::format("{}/{}", directory_, kMark);
    if (::stat(mark.c_str(), &status) != 0)
        return fail(ErrorKind::WrongState, fmt::format("{} is no backup of a yardmaster", directory_));
    auto lock = lockedFile(mark, fmt::format("a backup is being taken into {}: wait for its end", directory_));
    if (!lock) return std::unexpected(lock.error());
    backupLock_ = std::move(*lock);
    const auto text = readFile(fmt::format("{}/{}", directory_, kManifest), kMostManifest);
    if (!text && text.error().kind == ErrorKind::NotFound)
        return fail(ErrorKind::WrongState,
                    fmt::format("the backup in {} was cut short: take it again", directory_));
    if (!text) return std::unexpected(text.error());
    auto manifest = parseManifest(*text);
    if (!manifest) {
        manifest.error().message =
            fmt::format("the backup in {} is of no use: {}", directory_, manifest.error().message);
        return std::unexpected(manifest.error());
    }
    manifest_ = std::move(*manifest);
    counts_.schema = manifest_.schema;
    if (manifest_.schema <= kSchemaVersion) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("the backup in {} is of a newer yardmaster ({}, journal {}; this one "
                            "knows {}): restore it with that one",
                            directory_, manifest_.version, manifest_.schema, kSchemaVersion));
}

/// An empty directory, or what an earlier restore left of one.
Result<void> RestoreRun::makeRoom() {
    // Each would be cleared up with the other one.
    if (isInOrSame(dataDir_, directory_) || isInOrSame(directory_, dataDir_))
        return fail(ErrorKind::WrongState,
                    fmt::format("the data directory {} and the backup {} are one in the other: give another place "
                                "with --data-dir",
                                dataDir_, directory_));
    if (auto made = makeDirectories(dataDir_, 0700); !made) return made;
    struct stat status{};
    const bool goesOn = ::stat(restoring().c_str(), &status) == 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dataDir_, error))
        if (!goesOn && entry.path().filename() != "lock")
            return fail(ErrorKind::WrongState,
                        fmt::format("{} is not empty: give a new or empty directory with --data-dir", dataDir_));
    if (error) return failErrno("open " + dataDir_, error.value());
    auto lock = lockedFile(dataDir_ + "/lock", fmt::format("the data directory {} is in use", dataDir_));
    if (!lock) return std::unexpected(lock.error());
    dataLock_ = std::move(*lock);
    if (auto begun = writeFileAtomically(restoring(), directory_ + "\n", 0600, true); !begun) return begun;
    if (!goesOn) return {};
    // Chunks stay: their names say what is in them.
    std::vector<std::string> old{dataDir_ + "/chunks/packs"};
    for (const auto& entry : fs::directory_iterator(dataDir_, error)) {
        const std::string name = entry.path().filename().string();
        if (name != "lock" && name != kRestoring && name != "chunks") old.push_back(entry.path().string());
    }
    for (const std::string& path : old)
        if (auto removed = removeTree(path); !removed) return removed;
    return {};
}

/// Io where its bytes are not those that were written down.
Result<CopiedFile> RestoreRun::copyListed(const BackupFile& file, const std::string& to) {
    auto copied = copyFile(fmt::format("{}/{}/{}", directory_, manifest_.generation, file.path), to, file.mode);
    if (!copied && copied.error().kind != ErrorKind::NotFound) return copied;
    if (copied && copied->hash == file.hash && copied->size == file.size) return copied;
    (void)::unlink(to.c_str());
    return fail(ErrorKind::Malformed, fmt::format("{} in the backup {} is damaged or missing: use an older backup",
                                                  file.path, directory_));
}

Result<void> RestoreRun::copyFiles() {
    constexpr std::string_view kFiles = "files/";
    constexpr std::string_view kPacks = "packs/";
    if (auto made = makeDirectories(dataDir_ + "/chunks/packs", 0700); !made) return made;
    for (const BackupFile& file : manifest_.files) {
        const bool isPack = file.path.starts_with(kPacks);
        if (!isPack && !file.path.starts_with(kFiles)) continue;
        const std::string name = isPack ? "chunks/" + file.path : file.path.substr(kFiles.size());
        if (!isPack && isLeftOut(name.substr(0, name.find('/')))) continue;
        const std::string to = fmt::format("{}/{}", dataDir_, name);
        if (auto made = makeDirectories(fs::path(to).parent_path().string(), 0700); !made) return made;
        const auto copied = copyListed(file, to);
        if (!copied && isPack && copied.error().kind == ErrorKind::Malformed) {
            noteDamaged(counts_, file.path);
            continue;
        }
        if (!copied) return std::unexpected(copied.error());
        ++(isPack ? counts_.chunks : counts_.files);
        if (isPack) ++counts_.copied;
        counts_.bytes += copied->size;
        if (tick_) tick_(counts_);
    }
    return {};
}

/// The last file to get its name. Its queues are held, so that nothing runs before somebody has looked.
Result<void> RestoreRun::placeJournal() {
    const auto file = std::ranges::find(manifest_.files, "journal.sqlite", &BackupFile::path);
    if (file == manifest_.files.end())
        return fail(ErrorKind::Malformed,
                    fmt::format("the backup in {} has no journal: use an older one", directory_));
    const std::string to = dataDir_ + "/journal.sqlite";
    const std::string fresh = to + ".restored";
    const auto copied = copyListed(*file, fresh);
    if (!copied) return std::unexpected(copied.error());
    counts_.bytes += copied->size;
    {
        auto journal = Database::openForWriting(fresh, {});
        if (!journal) return std::unexpected(journal.error());
        if (auto held = journal->execute("UPDATE queue SET held=1"); !held) return held;
    }
    if (auto synced = syncFileSystem(dataDir_); !synced) return synced;
    if (::rename(fresh.c_str(), to.c_str()) != 0) return failErrno("rename " + fresh, errno);
    if (auto synced = syncDirectory(dataDir_); !synced) return synced;
    if (::unlink(restoring().c_str()) != 0) return failErrno("remove " + restoring(), errno);
    return syncDirectory(dataDir_);
}

Result<BackupCounts> RestoreRun::restore() {
    if (auto read = readBackup(); !read) return std::unexpected(read.error());
    if (auto made = makeRoom(); !made) return std::unexpected(made.error());
    ChunkCopier chunks(directory_ + "/chunks", dataDir_ + "/chunks", counts_, tick_);
    if (auto done = chunks.copyAll(nullptr); !done) return std::unexpected(done.error());
    if (auto done = copyFiles(); !done) return std::unexpected(done.error());
    if (auto done = placeJournal(); !done) return std::unexpected(done.error());
    return counts_;
}

} // namespace

Result<BackupCounts> restoreBackup(const std::string& directory, const std::string& dataDir,
                                   const BackupTick& tick) {
    return RestoreRun(directory, dataDir, tick).restore();
}

Result<void> refuseHalfRestored(const std::string& dataDir) {
    struct stat status{};
    if (::stat(fmt::format("{}/{}", dataDir, kRestoring).c_str(), &status) != 0) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("a restore into {} has not ended: run yardctl --data-dir {} restore again, or choose "
                            "another --data-dir",
                            dataDir, dataDir));
}

Result<BackupCounts> takeBackup(const std::string& dataDir, const std::string& directory,
                                const std::string& version, WallMicros now, const BackupTick& tick) {
    return BackupRun(dataDir, directory, tick).take(version, now);
}

} // namespace yard::store
