#include "core/lease/scratch.h"

#include "core/base/beneath.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/remove_tree.h"
#include "core/base/unique_fd.h"
#include "core/locks/janitor.h"
#include "core/model/action_spec.h"
#include "core/model/worker_package.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/fs.h>
#include <memory>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace yard::runners {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkerTmp = "tmp";
constexpr const char* kOutputs = "outputs";
constexpr const char* kInputs = "/inputs";
constexpr const char* kActionFile = "action.json";
constexpr mode_t kPrivate = 0700;
constexpr int kSpares = 4;

std::string workerPath(const std::string& dataDir, std::string_view workerId) {
    return fmt::format("{}/workers/{}", dataDir, workerId);
}

Result<void> changeMode(const std::string& path, unsigned mode) {
    if (::chmod(path.c_str(), mode) != 0) return failErrno("change the mode of " + path, errno);
    return {};
}

Result<void> copyFile(const std::string& from, const std::string& to, unsigned mode) {
    UniqueFd in(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!in) return failErrno("open " + from, errno);
    UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out) return failErrno("create " + to, errno);
    for (;;) {
        const ssize_t n = ::copy_file_range(in.get(), nullptr, out.get(), nullptr, std::size_t{1} << 30, 0);
        if (n == 0) break;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failErrno("copy to " + to, errno);
    }
    if (::fchmod(out.get(), mode) != 0) return failErrno("change the mode of " + to, errno);
    return {};
}

Result<void> placeFile(const std::string& root, const PlacedFile& file, unsigned mode,
                       const Materialise& materialise) {
    assert(isSafeRelativePath(file.path));
    const std::string path = root + '/' + file.path;
    if (file.path.contains('/'))
        if (auto made = makeDirectories(path.substr(0, path.rfind('/'))); !made) return made;
    return materialise(file.hash, path, mode);
}

// Directories of a tree that is ours and quiet, deepest first.
Result<void> makeDirectoriesReadOnly(const std::string& root) {
    std::error_code err;
    std::vector<std::string> directories{root};
    for (auto it = fs::recursive_directory_iterator(root, err); !err && it != fs::recursive_directory_iterator();
         it.increment(err))
        if (it->is_directory(err) && !it->is_symlink(err)) directories.push_back(it->path().string());
    if (err) return failErrno("read " + root, err.value());
    std::ranges::reverse(directories);
    for (const std::string& directory : directories)
        if (auto changed = changeMode(directory, 0555); !changed) return changed;
    return {};
}

/// Each file and directory of a tree that is ours and quiet.
Result<void> syncTree(const std::string& root) {
    std::error_code err;
    for (auto it = fs::recursive_directory_iterator(root, err); !err && it != fs::recursive_directory_iterator();
         it.increment(err)) {
        const std::string path = it->path().string();
        if (it->is_directory(err)) {
            if (auto synced = syncDirectory(path); !synced) return synced;
            continue;
        }
        const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        if (!file || ::fsync(file.get()) != 0) return failErrno("sync " + path, errno);
    }
    if (err) return failErrno("read " + root, err.value());
    return syncDirectory(root);
}

unsigned workerFileMode(const PlacedFile& file) {
    return (file.mode & 0111) != 0 ? 0555 : 0444;
}

/// By its bytes: a power cut may leave a file its size and nothing else.
bool isWholeWorker(const std::string& root, const std::vector<PlacedFile>& files) {
    return std::ranges::all_of(files, [&root](const PlacedFile& file) {
        const std::string path = root + '/' + file.path;
        struct stat st{};
        if (::lstat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 07777) != workerFileMode(file))
            return false;
        const auto content = hashFile(path);
        return content && content->hash == file.hash;
    });
}

/// Makes room for one made again, which gets what the operator has put into tmp/.
void setWorkerAside(const std::string& damaged, const std::string& replacement, const std::string& aside) {
    std::error_code ignored;
    if (fs::is_directory(fs::symlink_status(damaged, ignored))) {
        (void)::chmod(damaged.c_str(), 0755); // it is read-only, and loses an entry
        (void)::rename((damaged + '/' + kWorkerTmp).c_str(), (replacement + '/' + kWorkerTmp).c_str());
    }
    (void)::rename(damaged.c_str(), aside.c_str());
}

Result<void> linkTree(const std::string& from, const std::string& to) {
    if (::mkdir(to.c_str(), 0700) != 0) return failErrno("make " + to, errno);
    std::error_code err;
    auto it = fs::recursive_directory_iterator(from, err);
    for (; !err && it != fs::recursive_directory_iterator(); it.increment(err)) {
        if (it.depth() == 0 && it->path().filename() == kWorkerTmp) {
            it.disable_recursion_pending();
            continue;
        }
        const std::string target = to + it->path().string().substr(from.size());
        const fs::file_status status = it->symlink_status(err);
        if (status.type() == fs::file_type::directory) {
            if (::mkdir(target.c_str(), 0700) != 0) return failErrno("make " + target, errno);
        } else if (status.type() == fs::file_type::regular) {
            if (::linkat(AT_FDCWD, it->path().c_str(), AT_FDCWD, target.c_str(), 0) == 0) continue;
            if (errno != EXDEV && errno != EMLINK && errno != EPERM && errno != ENOTSUP)
                return failErrno("link " + target, errno);
            const auto mode = static_cast<unsigned>(status.permissions()) & 0777u;
            if (auto copied = copyFile(it->path().string(), target, mode); !copied) return copied;
        }
    }
    if (err) return failErrno("read " + from, err.value());
    return makeDirectoriesReadOnly(to);
}

} // namespace

Result<std::string> ensureWorkerFiles(const std::string& dataDir, std::string_view workerId,
                                      const std::vector<PlacedFile>& files, const Materialise& materialise,
                                      bool sync) {
    std::string final = workerPath(dataDir, workerId);
    struct stat st{};
    const bool isThere = ::lstat(final.c_str(), &st) == 0;
    if (isThere && S_ISDIR(st.st_mode) && isWholeWorker(final, files)) return final;
    if (isThere) logWarning("runners", "the files of worker {} are damaged: they are made again", workerId);

    const std::string temporary = fmt::format("{}/workers/.new-{}", dataDir, randomHex(8));
    const std::string aside = fmt::format("{}/workers/.new-{}", dataDir, randomHex(8));
    const auto make = [&]() -> Result<void> {
        if (auto made = makeDirectories(temporary, 0700, sync); !made) return made;
        for (const PlacedFile& file : files)
            if (auto placed = placeFile(temporary, file, workerFileMode(file), materialise); !placed) return placed;
        if (auto readOnly = makeDirectoriesReadOnly(temporary); !readOnly) return readOnly;
        // tmp/ belongs to the operator (restart.txt). Last, and by a moment of being writable: a worker file may
        // not be it.
        if (auto opened = changeMode(temporary, 0755); !opened) return opened;
        if (::mkdir((temporary + '/' + kWorkerTmp).c_str(), 0755) != 0 && errno != EEXIST)
            return failErrno("make " + temporary + '/' + kWorkerTmp, errno);
        if (sync)
            if (auto synced = syncTree(temporary); !synced) return synced;
        if (isThere) setWorkerAside(final, temporary, aside);
        if (::rename(temporary.c_str(), final.c_str()) != 0 && errno != EEXIST && errno != ENOTEMPTY)
            return failErrno("rename to " + final, errno);
        if (sync)
            if (auto synced = syncDirectory(dataDir + "/workers"); !synced) return synced;
        return changeMode(final, 0555);
    };
    const auto made = make();
    static_cast<void>(removeTree(temporary)); // there only when something failed or somebody else was first
    static_cast<void>(removeTree(aside));
    if (!made) return std::unexpected(made.error());
    return final;
}

Result<void> removeWorkerFiles(const std::string& dataDir, std::string_view workerId, const std::stop_token& stop) {
    return removeTree(workerPath(dataDir, workerId), stop);
}

std::string scratchPath(const std::string& dataDir, SlotId slot, AttemptId id) {
    return fmt::format("{}/scratch/{}/{}.{}", dataDir, slot.value, id.lsn.value, id.attempt);
}

Result<ScratchHomePtr> ScratchHome::open(const std::string& dataDir) {
    auto home = std::make_shared<ScratchHome>();
    home->path = dataDir + "/scratch";
    if (auto made = makeDirectories(home->path); !made) return std::unexpected(made.error());
    home->fd.reset(::open(home->path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!home->fd) return failErrno("open " + home->path, errno);
    return home;
}

namespace {

/// Without those that the file system sets by itself; 0 where it has none.
unsigned flagsOf(int fd) {
    constexpr unsigned kItsOwn = FS_EXTENT_FL | FS_INDEX_FL | FS_INLINE_DATA_FL;
    unsigned flags = 0;
    return ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 ? flags & ~kItsOwn : 0;
}

} // namespace

DirectoryMark DirectoryMark::of(int fd) {
    struct stat st{};
    if (::fstat(fd, &st) != 0) return {};
    return {st.st_dev, st.st_ino, st.st_size, flagsOf(fd)};
}

bool DirectoryMark::isOf(int fd) const {
    struct stat st{};
    return ::fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == number;
}

namespace {

std::string parentOf(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

std::string spareOf(const std::string& slot, int number) {
    return fmt::format("{}/{}{}", slot, locks::kSparePrefix, number);
}

/// Nobody else can put something there.
bool isOnlyOurs(const struct stat& directory) {
    return S_ISDIR(directory.st_mode) && directory.st_uid == ::geteuid() && (directory.st_mode & 0022) == 0;
}

bool keepAsSpare(const Scratch& scratch, int outputs) {
    if (scratch.hasInputs || !scratch.isShown) return false;
    const std::string slot = parentOf(scratch.place);
    struct stat st{};
    if (::fstatat(scratch.home->fd.get(), slot.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 || !isOnlyOurs(st))
        return false;
    const int home = scratch.home->fd.get();
    const std::string action = fmt::format("{}/{}", scratch.place, kActionFile);
    if (::unlinkat(home, action.c_str(), 0) != 0 && errno != ENOENT) return false;
    if (!makeLikeNew(outputs, scratch.mark, ::geteuid())) return false;
    for (int i = 0; i < kSpares; ++i) // one that is there already stays
        if (::renameat(home, scratch.place.c_str(), home, spareOf(slot, i).c_str()) == 0) return true;
    return false;
}

bool takeSpare(const ScratchHome& home, const std::string& place) {
    const std::string slot = parentOf(place);
    struct stat st{};
    if (::fstatat(home.fd.get(), slot.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 || !isOnlyOurs(st)) return false;
    for (int i = 0; i < kSpares; ++i)
        if (::renameat(home.fd.get(), spareOf(slot, i).c_str(), home.fd.get(), place.c_str()) == 0) return true;
    return false;
}

} // namespace

bool makeLikeNew(int fd, const DirectoryMark& mark, std::uint32_t owner) {
    struct stat st{};
    if (::fstat(fd, &st) != 0 || st.st_size != mark.size || ::flistxattr(fd, nullptr, 0) > 0) return false;
    if (flagsOf(fd) != mark.flags) return false;
    const bool isItsOwn = st.st_uid == owner && (owner != ::geteuid() || st.st_gid == ::getegid());
    if (!isItsOwn && ::fchown(fd, owner, owner == ::geteuid() ? ::getegid() : owner) != 0) return false;
    if ((st.st_mode & 07777) != kPrivate && ::fchmod(fd, kPrivate) != 0) return false;
    return ::futimens(fd, nullptr) == 0;
}

Result<void> placeInputs(const std::string& directory, const std::vector<PlacedFile>& inputs,
                         const Materialise& materialise) {
    for (const PlacedFile& input : inputs)
        if (auto placed = placeFile(directory, input, 0444, materialise); !placed) return placed;
    return {};
}

Result<Scratch> makeScratch(const ScratchHomePtr& home, SlotId slot, AttemptId id, const std::string& workerDir,
                            const std::vector<PlacedFile>& inputs, const Materialise& materialise, bool isShown) {
    Scratch scratch;
    scratch.home = home;
    scratch.isShown = isShown;
    scratch.hasInputs = !isShown || !inputs.empty();
    scratch.place = fmt::format("{}/{}.{}", slot.value, id.lsn.value, id.attempt);
    scratch.root = fmt::format("{}/{}", home->path, scratch.place);
    scratch.outputs = fmt::format("{}/{}", scratch.root, kOutputs);
    const auto make = [&]() -> Result<void> {
        if (::rename(scratch.root.c_str(), asideName(scratch.root).c_str()) != 0 && errno != ENOENT)
            return failErrno("set aside " + scratch.root, errno);
        if (!takeSpare(*home, scratch.place))
            for (const std::string& directory : {scratch.root, scratch.outputs})
                if (auto made = makeDirectories(directory); !made) return made;
        const UniqueFd outputs = openOutputs(scratch);
        if (!outputs) return failErrno("open " + scratch.outputs, errno);
        scratch.mark = DirectoryMark::of(outputs.get());
        if (scratch.hasInputs)
            if (auto made = makeDirectories(scratch.root + kInputs); !made) return made;
        if (auto placed = placeInputs(scratch.root + kInputs, inputs, materialise); !placed) return placed;
        if (workerDir.empty()) return {};
        return linkTree(workerDir, scratch.root + "/worker");
    };
    if (const auto made = make(); !made) {
        static_cast<void>(removeTree(scratch.root));
        return std::unexpected(made.error());
    }
    return scratch;
}

UniqueFd openOutputs(const Scratch& scratch) {
    UniqueFd outputs = openDirectoryBeneath(scratch.home->fd.get(), scratch.place + '/' + kOutputs);
    if (outputs && scratch.mark.number != 0 && !scratch.mark.isOf(outputs.get())) {
        outputs.reset();
        errno = ENOTDIR; // another one is in its place
    }
    return outputs;
}

UniqueFd lookAtOutputs(const Scratch& scratch) {
    return openBeneath(scratch.home->fd.get(), scratch.place + '/' + kOutputs, O_RDONLY | O_DIRECTORY);
}

Result<void> openToAll(const std::string& directory) {
    if (auto opened = changeMode(directory, 0755); !opened) return opened;
    std::error_code err;
    auto it = fs::recursive_directory_iterator(directory, err);
    for (; !err && it != fs::recursive_directory_iterator(); it.increment(err))
        if (it->is_directory(err) && !it->is_symlink(err))
            if (auto opened = changeMode(it->path().string(), 0755); !opened) return opened;
    if (err) return failErrno("read " + directory, err.value());
    return {};
}

Result<void> giveScratchTo(const Scratch& scratch, std::uint32_t hostUser) {
    if (hostUser == 0) return {};
    if (scratch.hasInputs)
        if (auto opened = openToAll(scratch.root + kInputs); !opened) return opened;
    if (::lchown(scratch.outputs.c_str(), hostUser, hostUser) != 0)
        return failErrno("give away " + scratch.outputs, errno);
    return {};
}

bool removeEmptyScratch(const Scratch& scratch, int outputs) {
    if (keepAsSpare(scratch, outputs)) return true;
    const UniqueFd root = openBeneath(scratch.home->fd.get(), scratch.place, O_PATH | O_DIRECTORY);
    if (!root || ::unlinkat(root.get(), kOutputs, AT_REMOVEDIR) != 0) return false;
    if (scratch.hasInputs && ::unlinkat(root.get(), kInputs + 1, AT_REMOVEDIR) != 0) return false;
    const int home = scratch.home->fd.get();
    if (::unlinkat(home, scratch.place.c_str(), AT_REMOVEDIR) == 0) return true;
    return ::unlinkat(root.get(), kActionFile, 0) == 0 &&
           ::unlinkat(home, scratch.place.c_str(), AT_REMOVEDIR) == 0;
}

std::string asideName(const std::string& directory) {
    return fmt::format("{}/{}{}", parentOf(directory), locks::kGonePrefix, randomHex(8));
}

} // namespace yard::runners
