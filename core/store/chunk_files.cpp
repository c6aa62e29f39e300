#include "core/store/chunk_files.h"

#include "core/base/files.h"
#include "core/store/taken_bytes.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::store {

static constexpr Duration kPruneEvery = std::chrono::seconds(60);

ChunkFiles::ChunkFiles(std::string directory, bool sync, Duration grace)
    : directory_(std::move(directory))
    , sync_(sync)
    , grace_(grace)
    , allTouched_(MonoClock::now()) {}

/// What was being written when the last one ended.
static Result<void> emptyTemporary(const std::string& directory, std::span<const std::string> left) {
    if (left.empty()) return removeTree(directory);
    std::error_code error; // it is not there yet
    std::vector<std::string> unwanted;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        if (std::ranges::find(left, at->path().filename().string()) == left.end())
            unwanted.push_back(at->path().string());
    for (const std::string& path : unwanted)
        if (auto removed = removeTree(path); !removed) return removed;
    return {};
}

Result<std::unique_ptr<ChunkFiles>> ChunkFiles::open(std::string directory, bool sync, Duration grace,
                                                     std::span<const std::string> left) {
    if (auto removed = emptyTemporary(directory + "/tmp", left); !removed)
        return std::unexpected(std::move(removed.error()));
    for (const char* below : {"/tmp", "/packs"})
        if (auto made = makeDirectories(directory + below, 0700, sync); !made)
            return std::unexpected(std::move(made.error()));
    return std::unique_ptr<ChunkFiles>(new ChunkFiles(std::move(directory), sync, grace));
}

std::string ChunkFiles::pathOf(const Hash256& hash) const {
    const std::string hex = hash.hex();
    return fmt::format("{}/{}/{}", directory_, std::string_view(hex).substr(0, 2), std::string_view(hex).substr(2));
}

std::string ChunkFiles::compressedPathOf(const Hash256& hash) const {
    return pathOf(hash) + ".z";
}

std::string ChunkFiles::packPath(std::int64_t pack) const {
    return fmt::format("{}/packs/{}", directory_, pack);
}

std::string ChunkFiles::temporaryPath() {
    return fmt::format("{}/tmp/{}.{}", directory_, getpid(), nextTemporary_.fetch_add(1));
}

static std::int64_t sizeOf(const std::string& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

bool ChunkFiles::has(const Hash256& hash) const {
    return sizeOf(pathOf(hash)) > 0 || sizeOf(compressedPathOf(hash)) > 0;
}

bool ChunkFiles::packHolds(std::int64_t pack, std::int64_t bytes) const {
    return sizeOf(packPath(pack)) >= bytes;
}

Result<std::string> ChunkFiles::readPacked(std::int64_t pack, std::int64_t at, std::int64_t size) const {
    const std::string path = packPath(pack);
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failErrno("open " + path, errno);
    return readFileAt(file.get(), static_cast<std::uint64_t>(at), static_cast<std::size_t>(size));
}

Result<void> ChunkFiles::place(const std::string& temporary, const Hash256& hash, bool compressed) {
    touch(hash);
    const std::string path = compressed ? compressedPathOf(hash) : pathOf(hash);
    const std::string folder = path.substr(0, path.rfind('/'));
    if (!sync_ && has(hash)) {
        // Another put of the same bytes was first; both are whole, one is enough.
        (void)unlink(temporary.c_str());
        return {};
    }
    const std::int64_t size = sizeOf(temporary);
    if (sync_) {
        const UniqueFd file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file || fsync(file.get()) != 0) {
            const int err = errno;
            (void)unlink(temporary.c_str());
            return failErrno("fsync " + temporary, err);
        }
    }
    if (rename(temporary.c_str(), path.c_str()) != 0) {
        int err = errno;
        if (err == ENOENT && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
            err = errno;
        else if (err == ENOENT)
            err = rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
        if (err != 0) {
            (void)unlink(temporary.c_str());
            return failErrno(fmt::format("rename {} to {}", temporary, path), err);
        }
    }
    files_.fetch_add(1, std::memory_order_relaxed);
    fileBytes_.fetch_add(static_cast<std::uint64_t>(size), std::memory_order_relaxed);
    if (!sync_) return {};
    // Whoever made the folder, now or in a life without syncs: its name may not be on the disk yet.
    std::atomic<bool>& folderSynced = folderSynced_[hash.bytes[0]];
    if (!folderSynced)
        if (auto synced = syncDirectory(directory_); !synced) return synced;
    folderSynced = true;
    if (auto synced = syncDirectory(folder); !synced) return synced;
    // Readers look for the bytes as they are first: damaged ones would hide these.
    (void)unlink((compressed ? pathOf(hash) : compressedPathOf(hash)).c_str());
    return {};
}

std::int64_t ChunkFiles::setAside(const Hash256& hash) {
    std::int64_t bytes = 0;
    for (const auto& path : {pathOf(hash), compressedPathOf(hash)}) {
        struct stat status{};
        const std::string aside = temporaryPath();
        if (stat(path.c_str(), &status) != 0 || rename(path.c_str(), aside.c_str()) != 0) continue;
        bytes += takenBytes(status);
        const ThreadLock lock(mutex_);
        setAside_.push_back(aside);
    }
    return bytes;
}

void ChunkFiles::setAsidePack(std::int64_t pack) {
    const std::string aside = temporaryPath();
    if (rename(packPath(pack).c_str(), aside.c_str()) != 0) return; // a start removes packs that have no row
    const ThreadLock lock(mutex_);
    setAside_.push_back(aside);
}

void ChunkFiles::removeSetAside() {
    std::vector<std::string> paths;
    {
        const ThreadLock lock(mutex_);
        paths.swap(setAside_);
    }
    for (const std::string& path : paths) (void)unlink(path.c_str());
}

void ChunkFiles::setGrace(Duration grace) {
    const ThreadLock lock(mutex_);
    grace_ = grace;
}

Duration ChunkFiles::grace() const {
    const ThreadLock lock(mutex_);
    return grace_;
}

void ChunkFiles::quarantine(const Hash256& hash) {
    quarantined_.fetch_add(1, std::memory_order_relaxed);
    for (const auto& path : {pathOf(hash), compressedPathOf(hash)})
        (void)rename(path.c_str(), (path + ".bad").c_str());
}

void ChunkFiles::touch(const Hash256& hash) {
    touch(std::span(&hash, 1));
}

void ChunkFiles::touch(std::span<const Hash256> hashes) {
    const MonoTime now = MonoClock::now();
    const ThreadLock lock(mutex_);
    for (const auto& hash : hashes) touched_[hash] = now;
    if (touched_.size() > kMaxTouches) {
        // Too many to remember one by one: nothing at all is deleted until the last of them is out of grace.
        touched_.clear();
        allTouched_ = now;
    } else if (now >= nextPrune_) {
        nextPrune_ = now + kPruneEvery;
        std::erase_if(touched_, [before = now - grace_](const auto& touch) { return touch.second < before; });
    }
}

bool ChunkFiles::isRecent(const Hash256& hash) const {
    const MonoTime now = MonoClock::now();
    const ThreadLock lock(mutex_);
    if (now < allTouched_ + grace_) return true;
    const auto found = touched_.find(hash);
    return found != touched_.end() && now < found->second + grace_;
}

} // namespace yard::store
