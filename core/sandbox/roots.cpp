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
    case Op::Kind::Overlay:
    case Op::Kind::Own:
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

/// A namespace that is furnished; invalid: it cannot be made. It becomes that of the calling thread.
UniqueFd makeSpace(const Layout& system, const Layout& own) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return {};
    UniqueFd space(::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC));
    const UniqueFd tree = makeTmpfs();
    const bool isMade = space && tree &&
                        call(SYS_move_mount, tree.get(), "", AT_FDCWD, kPlace, MOVE_MOUNT_F_EMPTY_PATH) == 0 &&
                        furnishAll(tree.get(), system, own) && becomeRoot(tree.get()) &&
                        ::setns(space.get(), CLONE_NEWNS) == 0; // as each sandbox will
    if (!isMade) space.reset();
    return space;
}

} // namespace

Roots::Roots(std::function<Layout()> system)
    : makeSystem_(std::move(system))
    , mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC))
    , isPossible_(::geteuid() == 0 && mounts_) {
    lookAgain();
}

std::shared_ptr<const Layout> Roots::system() {
    const ThreadLock lock(mutex_);
    if (isOutdated()) lookAgain();
    return system_;
}

std::shared_ptr<const UniqueFd> Roots::furnishedFor(const Layout& own) {
    const auto places = placesOf(own);
    if (!places) return {};
    const ThreadLock lock(mutex_);
    if (!isPossible_) return {};
    if (isOutdated()) lookAgain();
    if (const auto root = std::ranges::find(roots_, *places, &Root::places); root != roots_.end())
        return root->space;
    if (roots_.size() >= kMostRoots) return {};
    MadeThere made = makeOnOwnThread([&own, system = system_] { return makeSpace(*system, own); });
    if (isRefusal(made.err)) isPossible_ = false;
    if (!made.fd) return {};
    ++made_;
    return roots_.emplace_back(*places, std::make_shared<const UniqueFd>(std::move(made.fd))).space;
}

unsigned Roots::made() const {
    const ThreadLock lock(mutex_);
    return made_;
}

void Roots::lookAgain() {
    roots_.clear();
    system_ = std::make_shared<const Layout>(makeSystem_());
}

bool Roots::isOutdated() {
    pollfd mounts{mounts_.get(), POLLPRI, 0};
    return ::poll(&mounts, 1, 0) != 0 || system_->isOutdated();
}

} // namespace yard::sandbox
