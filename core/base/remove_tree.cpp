// removeTree(). A stranger's program may have made the tree: thousands of levels deep, directories without rights,
// links that point elsewhere, names longer than any path. So: never a path below the root, only names relative to
// an open directory; never through a link or into another mount; and at most kMaxDepth directories open. A
// directory that lies deeper is moved up to the root of the tree and taken in a later pass, which needs no ".."
// that somebody could swap.
#include "core/base/remove_tree.h"

#include "core/base/beneath.h"
#include "core/base/files.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace yard {

namespace {

constexpr std::size_t kMaxDepth = 48;
constexpr int kMaxPasses = 100'000; ///< times kMaxDepth is the deepest tree that one call removes
constexpr int kMaxIdlePasses = 3;   ///< without anything moved up: somebody may be adding files still

struct CloseDir {
    void operator()(DIR* dir) const { ::closedir(dir); }
};
using Directory = std::unique_ptr<DIR, CloseDir>;

/// What tells apart where something is mounted; bind mounts of one file system differ in it too.
struct MountId {
    std::uint64_t id = 0;
    dev_t device = 0;
    friend bool operator==(const MountId&, const MountId&) = default;
};

MountId mountOf(int fd) {
    struct stat info{};
    ::fstat(fd, &info);
    MountId mount{.id = 0, .device = info.st_dev};
    struct statx extended{};
    // Kernels before 5.8 leave the mask empty; the device alone has to do there.
    if (::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &extended) == 0 && (extended.stx_mask & STATX_MNT_ID))
        mount.id = extended.stx_mnt_id;
    return mount;
}

class TreeRemover {
public:
    TreeRemover(int parent, std::string name, std::string path, std::stop_token stop)
        : parent_(parent)
        , name_(std::move(name))
        , path_(std::move(path))
        , stop_(std::move(stop)) {}

    Result<void> run() {
        for (int pass = 0, idle = 0; pass < kMaxPasses && idle < kMaxIdlePasses; ++pass) {
            firstError_ = 0;
            movedUp_ = 0;
            if (!onePass()) break;
            if (stop_.stop_requested())
                return fail(ErrorKind::NotAccepting, fmt::format("removing {} was cut short", path_));
            if (::unlinkat(parent_, name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
            note(errno, name_); // ENOTEMPTY, unless something below says why
            idle = movedUp_ ? 0 : idle + 1;
        }
        if (!firstError_) return {};
        return failErrno(fmt::format("cannot remove {} in {}", culprit_, path_), firstError_);
    }

private:
    struct Level {
        Directory dir;
        std::string name; ///< in the level above
    };

    /// Walks the tree once, removing what can be. False when the root is no directory any more: gone, or noted.
    bool onePass() {
        std::vector<Level> levels;
        if (!enter(parent_, name_, levels)) return false;
        mount_ = mountOf(::dirfd(levels.front().dir.get()));
        const int root = ::dirfd(levels.front().dir.get());
        while (!stop_.stop_requested()) {
            Level& level = levels.back();
            const int fd = ::dirfd(level.dir.get());
            errno = 0;
            const dirent* entry = ::readdir(level.dir.get());
            if (!entry) {
                if (errno) note(errno, level.name);
                if (levels.size() == 1) return true;
                const std::string done = std::move(level.name);
                levels.pop_back();
                removeEmpty(::dirfd(levels.back().dir.get()), done);
                continue;
            }
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            if (entry->d_type != DT_DIR && unlinkFile(fd, name)) continue;
            // Opening one costs many times what removing it does.
            if (::unlinkat(fd, name.c_str(), AT_REMOVEDIR) == 0) continue;
            if (levels.size() < kMaxDepth)
                enter(fd, name, levels);
            else
                moveUp(fd, name, root);
        }
        return true;
    }

    /// True when the name needs no more attention; false when it is a directory.
    bool unlinkFile(int dir, const std::string& name) {
        if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT) return true;
        if (errno == EISDIR) return false;
        note(errno, name);
        return true;
    }

    void removeEmpty(int dir, const std::string& name) {
        if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) note(errno, name);
    }

    /// Opens directory `name` as the next level. What turns out to be something else is unlinked.
    bool enter(int dir, const std::string& name, std::vector<Level>& levels) {
        UniqueFd fd(open(dir, name));
        if (!fd && errno == EACCES) {
            // overlayfs leaves a work directory of mode 000 that belongs to nobody here, but is empty.
            if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) == 0) return false;
            if (::fchmodat(dir, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW) == 0)
                fd.reset(open(dir, name));
            else
                errno = EACCES;
        }
        if (!fd) {
            const int err = errno;
            if (err == ENOTDIR || err == ELOOP)
                unlinkFile(dir, name);
            else if (err != ENOENT)
                note(err, name);
            return false;
        }
        if (!levels.empty() && mountOf(fd.get()) != mount_) {
            note(EBUSY, name);
            return false;
        }
        struct stat info{};
        if (::fstat(fd.get(), &info) == 0 && (info.st_mode & 0700) != 0700) ::fchmod(fd.get(), 0700);
        Directory opened(::fdopendir(fd.get()));
        if (!opened) {
            note(errno, name);
            return false;
        }
        fd.release();
        levels.push_back({.dir = std::move(opened), .name = name});
        return true;
    }

    static int open(int dir, const std::string& name) {
        return ::openat(dir, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }

    void moveUp(int dir, const std::string& name, int root) {
        // Moving a directory writes its "..", which needs rights on the directory itself.
        ::fchmodat(dir, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW);
        for (int tries = 0; tries < 100; ++tries) {
            const std::string target = fmt::format(".yard-deep-{}", nextName_++);
            // NOREPLACE: plain rename would put an empty directory of that name out of the way without a word.
            if (::renameat2(dir, name.c_str(), root, target.c_str(), RENAME_NOREPLACE) == 0) {
                ++movedUp_;
                return;
            }
            if (errno != EEXIST) break;
        }
        note(errno, name);
    }

    void note(int err, const std::string& name) {
        if (firstError_) return;
        firstError_ = err;
        culprit_ = name;
    }

    int parent_;
    std::string name_;
    std::string path_; ///< for the message
    std::stop_token stop_;
    MountId mount_;
    std::uint64_t nextName_ = 0;
    std::size_t movedUp_ = 0;
    int firstError_ = 0;
    std::string culprit_;
};

bool namesOne(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

} // namespace

Result<void> removeTreeBeneath(int directory, const std::string& name) {
    if (!namesOne(name)) return invalid("path", fmt::format("'{}' does not name a tree that can be removed", name));
    return TreeRemover(directory, name, name, {}).run();
}

Result<void> removeTree(const std::string& path) {
    return removeTree(path, std::stop_token());
}

Result<void> removeTree(const std::string& path, const std::stop_token& stop) {
    std::string clean = path;
    while (clean.size() > 1 && clean.back() == '/') clean.pop_back();
    const std::size_t slash = clean.rfind('/');
    const std::string name = slash == std::string::npos ? clean : clean.substr(slash + 1);
    if (!namesOne(name)) return invalid("path", fmt::format("'{}' does not name a tree that can be removed", path));
    std::string above = slash == std::string::npos ? "." : clean.substr(0, slash);
    if (above.empty()) above = "/";
    const UniqueFd parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (!parent) return failErrno(fmt::format("cannot open {}", above), errno);
    return TreeRemover(parent.get(), name, path, stop).run();
}

} // namespace yard
