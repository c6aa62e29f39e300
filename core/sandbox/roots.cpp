#include "core/sandbox/roots.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/mount.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::sandbox {
namespace {

// The places of an own layout that may stand in a root for many: they say nothing of the one they were made for.
constexpr std::array<std::string_view, 6> kPlaces = {"tmp",    "inputs",   "outputs",
                                                     "worker", "requests", "action.json"};
constexpr std::size_t kMostRoots = 8; ///< there are three kinds of sandbox; beyond, each furnishes its own

long call(long number, auto... arguments) {
    return ::syscall(number, arguments...);
}

/// What has to be there for the steps of `own`; nothing when it needs more than a root for many has.
std::optional<std::string> placesOf(const Layout& own) {
    std::string places;
    for (const Op& op : own.ops()) {
        if (std::ranges::find(kPlaces, op.to) == kPlaces.end()) return std::nullopt;
        const bool isPlace = op.kind == Op::Kind::Directory || (op.kind == Op::Kind::File && *op.from == 0);
        if (isPlace) (places += op.to) += op.kind == Op::Kind::Directory ? '/' : ' ';
    }
    return places;
}

UniqueFd makeTmpfs() {
    const UniqueFd system(static_cast<int>(call(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)));
    if (!system) return {};
    for (std::string_view rest = kRootOptions; !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::size_t equals = rest.find('=');
        const std::string name(rest.substr(0, equals));
        const std::string value(rest.substr(equals + 1, end - equals - 1));
        if (call(SYS_fsconfig, system.get(), FSCONFIG_SET_STRING, name.c_str(), value.c_str(), 0) != 0) return {};
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (call(SYS_fsconfig, system.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
    return UniqueFd(
        static_cast<int>(call(SYS_fsmount, system.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)));
}

UniqueFd copyOf(int directory, const char* path, unsigned flags) {
    return UniqueFd(static_cast<int>(
        call(SYS_open_tree, directory, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | flags)));
}

bool bindAt(int tree, const Op& op) {
    const UniqueFd mount = copyOf(AT_FDCWD, op.from, 0);
    mount_attr attributes{};
    attributes.attr_set = op.attributes;
    attributes.propagation = MS_PRIVATE; // what is mounted outside does not come in, and nothing gets out
    return mount &&
           call(SYS_mount_setattr, mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) ==
               0 &&
           call(SYS_move_mount, mount.get(), "", tree, op.to, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

bool writeAt(int tree, const Op& op) {
    const UniqueFd file(::openat(tree, op.to, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    const std::size_t size = std::strlen(op.from);
    return file && ::write(file.get(), op.from, size) == static_cast<ssize_t>(size);
}

} // namespace

Roots::Roots(const Layout& system)
    : system_(system)
    , mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    , isPossible_(::geteuid() == 0 && mounts_) {}

UniqueFd Roots::copyFor(const Layout& own) {
    const auto places = placesOf(own);
    if (!places) return {};
    const std::lock_guard lock(mutex_);
    if (!isPossible_) return {};
    if (isOutdated()) {
        roots_.clear();
        shown_.clear();
    }
    auto root = std::ranges::find(roots_, *places, &Root::places);
    if (root == roots_.end()) {
        if (roots_.size() >= kMostRoots) return {};
        UniqueFd tree = make(own);
        isPossible_ = static_cast<bool>(tree);
        if (!isPossible_) return {};
        root = roots_.insert(roots_.end(), {*places, std::move(tree)});
    }
    UniqueFd copy = copyOf(root->tree.get(), "", AT_EMPTY_PATH);
    isPossible_ = static_cast<bool>(copy); // older than 6.15
    return copy;
}

bool Roots::isOutdated() {
    pollfd mounts{mounts_.get(), POLLPRI, 0};
    if (::poll(&mounts, 1, 0) != 0) return true;
    return std::ranges::any_of(shown_, [](const Shown& shown) {
        struct stat now{};
        return ::stat(shown.path, &now) != 0 || now.st_dev != shown.device || now.st_ino != shown.inode;
    });
}

UniqueFd Roots::make(const Layout& own) {
    UniqueFd tree = makeTmpfs();
    if (!tree) return {};
    const bool isFirst = shown_.empty();
    for (const Op& op : system_.ops()) {
        if (op.kind == Op::Kind::Proc) continue; // each has its own processes
        struct stat now{};                       // before it is bound: one that is replaced in between is noticed
        const bool isBind = op.kind == Op::Kind::Bind && isFirst && ::stat(op.from, &now) == 0;
        if (isBind && S_ISREG(now.st_mode)) shown_.push_back({op.from, now.st_dev, now.st_ino});
        if (!furnish(tree.get(), op)) return {};
    }
    for (const Op& op : own.ops()) {
        const bool isPlace = op.kind == Op::Kind::Directory || op.kind == Op::Kind::File;
        if (isPlace && !furnish(tree.get(), op)) return {};
    }
    ++made_;
    return tree;
}

bool Roots::furnish(int tree, const Op& op) {
    switch (op.kind) {
    case Op::Kind::Directory: return ::mkdirat(tree, op.to, 0755) == 0 || errno == EEXIST;
    case Op::Kind::Link: return ::symlinkat(op.from, tree, op.to) == 0;
    case Op::Kind::File: return writeAt(tree, op);
    case Op::Kind::Bind: return bindAt(tree, op);
    case Op::Kind::Tmpfs:
    case Op::Kind::Proc: break;
    }
    return false;
}

} // namespace yard::sandbox
