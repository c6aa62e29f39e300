#include "core/sandbox/roots.h"

#include "core/sandbox/own_thread.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/mount.h>
#include <optional>
#include <poll.h>
#include <sched.h>
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

bool bindAt(int tree, const Op& op) {
    const UniqueFd mount(static_cast<int>(
        call(SYS_open_tree, AT_FDCWD, op.from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)));
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

bool furnish(int tree, const Op& op) {
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

/// Makes it the root of this thread's namespace, which was a copy of the machine's, and nothing else is left there.
bool becomeRoot(int tree) {
    mount_attr sealed{};
    sealed.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    return ::fchdir(tree) == 0 && call(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
           call(SYS_mount_setattr, AT_FDCWD, "/", 0, &sealed, sizeof sealed) == 0;
}

bool furnishAll(int tree, const Layout& system, const Layout& own) {
    // Each has its own processes, but a place for them is there.
    const bool isDone = std::ranges::all_of(
        system.ops(), [&](const Op& op) { return op.kind == Op::Kind::Proc || furnish(tree, op); });
    return isDone && std::ranges::all_of(own.ops(), [&](const Op& op) {
               const bool isPlace = op.kind == Op::Kind::Directory || op.kind == Op::Kind::File;
               return !isPlace || furnish(tree, op);
           });
}

struct Made {
    UniqueFd space;
    int err = EAGAIN; ///< of no thread
};

Made make(const Layout& system, const Layout& own) {
    Made made;
    runOnOwnThread([&] {
        const auto isMade = [&] {
            if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
                return false;
            made.space.reset(::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC));
            const UniqueFd tree = makeTmpfs();
            return made.space && tree &&
                   call(SYS_move_mount, tree.get(), "", AT_FDCWD, kPlace, MOVE_MOUNT_F_EMPTY_PATH) == 0 &&
                   furnishAll(tree.get(), system, own) && becomeRoot(tree.get()) &&
                   ::setns(made.space.get(), CLONE_NEWNS) == 0; // as each sandbox will
        };
        made.err = isMade() ? 0 : errno;
    });
    if (made.err != 0) made.space.reset();
    return made;
}

} // namespace

Roots::Roots(std::function<Layout()> system)
    : makeSystem_(std::move(system))
    , mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    , isPossible_(::geteuid() == 0 && mounts_) {
    lookAgain();
}

std::shared_ptr<const Layout> Roots::system() {
    const std::lock_guard lock(mutex_);
    if (isOutdated()) lookAgain();
    return system_;
}

std::shared_ptr<const UniqueFd> Roots::furnishedFor(const Layout& own) {
    const auto places = placesOf(own);
    if (!places) return {};
    const std::lock_guard lock(mutex_);
    if (!isPossible_) return {};
    if (isOutdated()) lookAgain();
    if (const auto root = std::ranges::find(roots_, *places, &Root::places); root != roots_.end())
        return root->space;
    if (roots_.size() >= kMostRoots) return {};
    Made made = make(*system_, own);
    if (isRefusal(made.err)) isPossible_ = false;
    if (!made.space) return {};
    ++made_;
    return roots_.emplace_back(*places, std::make_shared<const UniqueFd>(std::move(made.space))).space;
}

unsigned Roots::made() const {
    const std::lock_guard lock(mutex_);
    return made_;
}

Roots::Identity Roots::identityOf(const std::string& path) {
    Identity identity;
    struct statx now{};
    const auto look = [&](std::size_t which, int flags) {
        if (::statx(AT_FDCWD, path.c_str(), flags, STATX_TYPE | STATX_INO | STATX_BTIME, &now) != 0) return false;
        identity.device[which] = std::uint64_t{now.stx_dev_major} << 32 | now.stx_dev_minor;
        identity.inode[which] = now.stx_ino;
        identity.born[which] = now.stx_btime.tv_sec * 1'000'000'000 + now.stx_btime.tv_nsec;
        return true;
    };
    if (look(0, AT_SYMLINK_NOFOLLOW) && S_ISLNK(now.stx_mode)) look(1, 0);
    return identity;
}

/// What is looked at is remembered first: what is replaced in between is noticed the next time.
void Roots::lookAgain() {
    roots_.clear();
    std::vector<std::string> sources = makeSystem_().sources();
    shown_.clear();
    for (const std::string& source : sources) shown_.push_back(identityOf(source));
    system_ = std::make_shared<const Layout>(makeSystem_());
    if (system_->sources() != sources) shown_.clear();
}

bool Roots::isOutdated() {
    pollfd mounts{mounts_.get(), POLLPRI, 0};
    if (::poll(&mounts, 1, 0) != 0) return true;
    const std::vector<std::string>& sources = system_->sources();
    return shown_.size() != sources.size() ||
           !std::ranges::equal(sources, shown_, {}, [](const std::string& source) { return identityOf(source); });
}

} // namespace yard::sandbox
