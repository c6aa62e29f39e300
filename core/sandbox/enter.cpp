#include "core/sandbox/enter.h"

#include "core/base/reap.h"
#include "core/sandbox/child_code.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/init_image.h"
#include "core/sandbox/record.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/mount.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::sandbox {
namespace {

constexpr const char* kHostName = "sandbox";
constexpr int kInsideId = 1000;
constexpr std::uint64_t kMostQueued = 819'200; ///< bytes
constexpr int kAside = 100;                    ///< descriptors on their way to their place
constexpr unsigned long kMsNosuidNodev = 2 | 4;
constexpr unsigned long kMsSealed = 1 | kMsNosuidNodev; ///< and read-only
constexpr unsigned long kMsPrivate = 0x40000;
constexpr unsigned long kMsRecPrivate = 0x4000 | kMsPrivate;
constexpr int kUmountDetach = 2;

// Newer than the headers of Debian 12.
constexpr long kLandlockCreateRuleset = 444;
constexpr long kLandlockRestrictSelf = 446;
struct LandlockRules {
    std::uint64_t files;
    std::uint64_t network;
    std::uint64_t scoped;
};
constexpr std::uint64_t kScopeAbstractUnixSockets = 1;

/// A furnished root can be entered only without anything of the machine's: what is bound is picked up before.
enum class Round : unsigned char { All, PickUp, PutDown };
constexpr int kMostPicked = 16; ///< more than a furnished root has places for

// What parent and child share during the start.
struct Shared {
    const Entry* entry;
    char* const* initArgv;
    struct {
        const Op* ops;
        int count;
    } layouts[3];       ///< the system's, its own, the network's
    int rootFd;         ///< a namespace of mounts that has the system's but /proc; -1: all of it is to be made
    int networkFd;      ///< a namespace with its loopback up; -1: it is in its own already
    unsigned copiedFds; ///< descriptors below this one come along
    int recordFd;
    int imageFd;
    int launcherFd;
    int scopeFd; ///< of Landlock; -1: none is needed, or to be had
    char idMap[48];
    long picked[kMostPicked]; ///< descriptors of the child
    int pickedUp;
    int putDown;
    volatile int step;
    volatile int op;
    volatile int err;
};

YARD_CHILD_INLINE int giveUp(Shared& shared, Step step, long result) {
    shared.step = static_cast<int>(step);
    shared.err = static_cast<int>(-result);
    return 127;
}

YARD_CHILD_INLINE unsigned long length(const char* text) {
    unsigned long size = 0;
    while (text[size] != 0) ++size;
    return size;
}

YARD_CHILD_CODE long writeFile(const char* path, const char* text, int flags) {
    const long fd = sys(SYS_openat, AT_FDCWD, address(path), flags | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) return fd;
    const unsigned long size = length(text);
    const long wrote = size == 0 ? 0 : sys(SYS_write, fd, address(text), static_cast<long>(size));
    sys(SYS_close, fd);
    return wrote < 0 ? wrote : 0;
}

/// Whenever a child becomes another user, the kernel takes the memory that it shares with the launcher and with the
/// children of other spawners from /proc's view, and with that the right to write there: it is asked for again.
YARD_CHILD_CODE long writeOwn(const char* path, const char* text) {
    constexpr int kTries = 1'000;
    long r = -EACCES;
    for (int i = 0; i < kTries && r == -EACCES; ++i) {
        sys(SYS_prctl, PR_SET_DUMPABLE, 1);
        r = writeFile(path, text, 0);
    }
    return r;
}

YARD_CHILD_CODE long mapIds(const Shared& shared) {
    long r = writeOwn("/proc/self/setgroups", "deny");
    if (r >= 0) r = writeOwn("/proc/self/uid_map", shared.idMap);
    const char* group = shared.idMap + sizeof shared.idMap / 2;
    if (r >= 0) r = writeOwn("/proc/self/gid_map", group);
    return r;
}

/// What is to be bound, as a mount that is nowhere yet. Of the namespace of mounts that the child is in.
YARD_CHILD_CODE long pickUp(const Op& op) {
    const long fd =
        sys(SYS_open_tree, AT_FDCWD, address(op.from), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (fd < 0) return fd;
    mount_attr attributes;
    attributes.attr_set = op.attributes;
    attributes.attr_clr = 0;
    attributes.propagation = kMsPrivate; // what is mounted outside does not come in, and nothing gets out
    attributes.userns_fd = 0;
    const long r = sys(SYS_mount_setattr, fd, address(""), AT_EMPTY_PATH | AT_RECURSIVE, address(&attributes),
                       sizeof attributes);
    if (r >= 0) return fd;
    sys(SYS_close, fd);
    return r;
}

YARD_CHILD_CODE long putDown(long fd, const Op& op) {
    const long r = sys(SYS_move_mount, fd, address(""), AT_FDCWD, address(op.to), MOVE_MOUNT_F_EMPTY_PATH);
    sys(SYS_close, fd);
    return r;
}

YARD_CHILD_CODE long bind(Shared& shared, const Op& op, Round round) {
    if (round == Round::PutDown) return putDown(shared.picked[shared.putDown++], op);
    const long fd = pickUp(op);
    if (fd < 0 || round == Round::All) return fd < 0 ? fd : putDown(fd, op);
    if (shared.pickedUp == kMostPicked) return -EMFILE;
    shared.picked[shared.pickedUp++] = fd;
    return 0;
}

/// Of an ordinary user's sandbox it is that already.
YARD_CHILD_CODE long own(const Shared& shared, const Op& op) {
    const long user = shared.entry->hostUser;
    return user == 0 ? 0 : sys(SYS_fchownat, AT_FDCWD, address(op.to), user, user, AT_SYMLINK_NOFOLLOW);
}

YARD_CHILD_CODE long carryOut(Shared& shared, const Op& op, Round round) {
    const bool isPlace = op.kind == Op::Kind::Directory || op.kind == Op::Kind::Link || op.kind == Op::Kind::File;
    if (op.kind != Op::Kind::Bind && round == Round::PickUp) return 0;
    if (isPlace && round != Round::All) return 0; // a furnished root has them
    switch (op.kind) {
    case Op::Kind::Directory: {
        const long r = sys(SYS_mkdirat, AT_FDCWD, address(op.to), 0755);
        return r == -EEXIST ? 0 : r;
    }
    case Op::Kind::Link: return sys(SYS_symlinkat, address(op.from), AT_FDCWD, address(op.to));
    case Op::Kind::File: return writeFile(op.to, op.from, O_CREAT);
    case Op::Kind::Bind: return bind(shared, op, round);
    case Op::Kind::Tmpfs:
        return sys(SYS_mount, address("tmpfs"), address(op.to), address("tmpfs"), kMsNosuidNodev, address(op.from));
    case Op::Kind::Overlay:
        return sys(SYS_mount, address("overlay"), address(op.to), address("overlay"),
                   op.attributes & MOUNT_ATTR_RDONLY ? kMsSealed : kMsNosuidNodev, address(op.from));
    case Op::Kind::Own: return own(shared, op);
    case Op::Kind::Proc:
        return sys(SYS_mount, address("proc"), address(op.to), address("proc"), kMsNosuidNodev | 8 /* noexec */, 0);
    }
    return -EINVAL;
}

YARD_CHILD_CODE int furnish(Shared& shared, Round round) {
    int done = 0;
    for (int which = 0; which < 3; ++which) {
        for (int i = 0; i < shared.layouts[which].count; ++i, ++done) {
            const long r = carryOut(shared, shared.layouts[which].ops[i], round);
            if (r >= 0) continue;
            shared.op = done;
            return giveUp(shared, Step::System, r);
        }
    }
    return 0;
}

YARD_CHILD_CODE int makeRoot(Shared& shared) {
    long r = sys(SYS_mount, 0, address("/"), 0, kMsRecPrivate, 0);
    if (r < 0) return giveUp(shared, Step::Propagation, r);
    r = sys(SYS_mount, address("tmpfs"), address(kPlace), address("tmpfs"), kMsNosuidNodev, address(kRootOptions));
    if (r >= 0) r = sys(SYS_chdir, address(kPlace));
    if (r < 0) return giveUp(shared, Step::Root, r);
    if (const int failed = furnish(shared, Round::All); failed != 0) return failed;
    r = sys(SYS_pivot_root, address("."), address("."));
    if (r >= 0) r = sys(SYS_umount2, address("."), kUmountDetach);
    if (r >= 0) r = sys(SYS_chdir, address("/"));
    if (r < 0) return giveUp(shared, Step::Pivot, r);
    mount_attr attributes;
    attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    attributes.attr_clr = 0;
    attributes.propagation = 0;
    attributes.userns_fd = 0;
    r = sys(SYS_mount_setattr, AT_FDCWD, address("/"), 0, address(&attributes), sizeof attributes);
    return r < 0 ? giveUp(shared, Step::SealRoot, r) : 0;
}

/// A copy of the furnished root in a namespace of its own, and in it what is this sandbox's alone.
YARD_CHILD_CODE int copyRoot(Shared& shared) {
    if (const int failed = furnish(shared, Round::PickUp); failed != 0) return failed;
    long r = sys(SYS_setns, shared.rootFd, CLONE_NEWNS);
    if (r >= 0) r = sys(SYS_unshare, CLONE_NEWNS);
    if (r < 0) return giveUp(shared, Step::Root, r);
    return furnish(shared, Round::PutDown);
}

YARD_CHILD_CODE long bringLoopbackUp() {
    const long fd = sys(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0; // no network is none to reach
    // struct ifreq: the name, then the flags.
    struct {
        char name[16];
        short flags;
        char rest[22];
    } request;
    for (char& c : request.name) c = 0;
    for (char& c : request.rest) c = 0;
    request.name[0] = 'l';
    request.name[1] = 'o';
    request.flags = IFF_UP;
    const long r = sys(SYS_ioctl, fd, SIOCSIFFLAGS, address(&request));
    sys(SYS_close, fd);
    return r;
}

YARD_CHILD_CODE int nameThings(Shared& shared) {
    long r = sys(SYS_sethostname, address(kHostName), static_cast<long>(length(kHostName)));
    if (r >= 0 && shared.networkFd >= 0)
        r = sys(SYS_setns, shared.networkFd, CLONE_NEWNET);
    else if (r >= 0 && !shared.entry->network)
        r = bringLoopbackUp();
    if (r < 0) return giveUp(shared, Step::Names, r);
    r = sys(SYS_chdir, address(shared.entry->cwd));
    return r < 0 ? giveUp(shared, Step::ChangeDirectory, r) : 0;
}

/// Of root: another user, then a user namespace that has power over nothing.
YARD_CHILD_CODE int leaveRoot(Shared& shared) {
    const long user = shared.entry->hostUser;
    long r = sys(SYS_setgroups, 0, 0);
    if (r >= 0) r = sys(SYS_setresgid, user, user, user);
    if (r >= 0) r = sys(SYS_setresuid, user, user, user);
    if (r < 0) return giveUp(shared, Step::User, r);
    r = sys(SYS_unshare, CLONE_NEWUSER);
    if (r < 0) return giveUp(shared, Step::UserNamespace, r);
    r = mapIds(shared);
    return r < 0 ? giveUp(shared, Step::IdMap, r) : 0;
}

YARD_CHILD_CODE int giveUpRights(Shared& shared) {
    __user_cap_header_struct header;
    header.version = _LINUX_CAPABILITY_VERSION_3;
    header.pid = 0;
    __user_cap_data_struct none[2];
    for (__user_cap_data_struct& part : none) part.effective = part.permitted = part.inheritable = 0;
    long r = sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (r >= 0) r = sys(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (long cap = 0; r >= 0 && cap <= 63; ++cap) {
        const long dropped = sys(SYS_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0);
        if (dropped < 0 && cap <= CAP_SETPCAP) r = dropped;
        if (dropped < 0) break; // past the last one there is
    }
    if (r >= 0) r = sys(SYS_capset, address(&header), address(none));
    if (r >= 0 && shared.scopeFd >= 0) r = sys(kLandlockRestrictSelf, shared.scopeFd, 0);
    if (r < 0) return giveUp(shared, Step::Capabilities, r);
    r = sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (r < 0) return giveUp(shared, Step::ParentDeath, r);
    // It may have died before the line above took effect; then nobody will ever kill us.
    pollfd parent;
    parent.fd = shared.launcherFd;
    parent.events = POLLIN;
    parent.revents = 0;
    timespec now;
    now.tv_sec = now.tv_nsec = 0;
    r = sys(SYS_ppoll, address(&parent), 1, address(&now), 0, 8);
    if (r != 0) return giveUp(shared, Step::ParentDeath, r < 0 ? r : -ESRCH);
    return 0;
}

YARD_CHILD_CODE long limit(int resource, std::uint64_t value, std::uint64_t most = RLIM64_INFINITY) {
    if (value == 0) return 0;
    rlimit64 l;
    l.rlim_cur = value < most ? value : most;
    l.rlim_max = l.rlim_cur;
    return sys(SYS_prlimit64, 0, resource, address(&l), 0);
}

YARD_CHILD_CODE int settle(Shared& shared) {
    const Entry& entry = *shared.entry;
    const long records = sys(SYS_fcntl, shared.recordFd, F_DUPFD_CLOEXEC, kAside);
    const long image = sys(SYS_fcntl, shared.imageFd, F_DUPFD_CLOEXEC, kAside);
    long r = records < 0 ? records : image;
    if (r >= 0) r = sys(SYS_dup3, entry.inFd, 0, 0);
    if (r >= 0) r = sys(SYS_dup3, entry.outFd, 1, 0);
    if (r >= 0) r = sys(SYS_dup3, entry.errFd, 2, 0);
    if (r >= 0 && entry.hasTerminal) r = sys(SYS_ioctl, 0, TIOCSCTTY, 0);
    if (r >= 0 && entry.socketFd == 3) r = sys(SYS_fcntl, 3, F_SETFD, 0);
    if (r >= 0 && entry.socketFd > 3) r = sys(SYS_dup3, entry.socketFd, 3, 0);
    for (int place = 3; r >= 0 && entry.tokensFd >= 0 && place <= 4; ++place)
        r = entry.tokensFd == place ? sys(SYS_fcntl, place, F_SETFD, 0) : sys(SYS_dup3, entry.tokensFd, place, 0);
    const int firstFree = entry.tokensFd >= 0 ? 5 : entry.socketFd >= 0 ? 4 : 3;
    if (r >= 0) r = sys(SYS_dup3, records, kRecordFd, 0);
    if (r >= 0) r = sys(SYS_dup3, image, kImageFd, O_CLOEXEC);
    if (r >= 0) r = sys(SYS_close_range, firstFree, kRecordFd - 1, 0);
    if (r >= 0) r = sys(SYS_close_range, kImageFd + 1, ~0u, 0);
    if (r < 0) return giveUp(shared, Step::Streams, r);
    const Limits& limits = entry.limits;
    r = limits.openFiles == 0 ? sys(SYS_prlimit64, 0, RLIMIT_NOFILE, address(&entry.openFiles), 0)
                              : limit(RLIMIT_NOFILE, limits.openFiles, entry.openFiles.rlim_max);
    // Init is one of them.
    if (r >= 0 && limits.processes != 0) r = limit(RLIMIT_NPROC, limits.processes + 1);
    if (r >= 0) r = limit(RLIMIT_FSIZE, limits.fileBytes);
    if (r >= 0) r = limit(RLIMIT_DATA, limits.dataBytes);
    // Queues of POSIX are the kernel's memory: not more than is usual, whatever the engine may have.
    if (r >= 0) limit(RLIMIT_MSGQUEUE, kMostQueued);
    rlimit64 none;
    none.rlim_cur = none.rlim_max = 0;
    if (r >= 0) r = sys(SYS_prlimit64, 0, RLIMIT_CORE, address(&none), 0);
    return r < 0 ? giveUp(shared, Step::Limits, r) : 0;
}

YARD_CHILD_CODE int childMain(void* arg) {
    auto& shared = *static_cast<Shared*>(arg);
    const Entry& entry = *shared.entry;
    // A table of its own before anything is opened, of the low descriptors alone.
    long r = sys(SYS_close_range, shared.copiedFds, ~0u, CLOSE_RANGE_UNSHARE);
    if (r < 0) return giveUp(shared, Step::Streams, r);
    r = sys(SYS_setsid);
    if (r < 0) return giveUp(shared, Step::Session, r);
    if (entry.hostUser == 0) {
        r = mapIds(shared);
        if (r < 0) return giveUp(shared, Step::IdMap, r);
    }
    int failed = shared.rootFd >= 0 ? copyRoot(shared) : makeRoot(shared);
    if (failed == 0) failed = nameThings(shared);
    if (failed == 0 && entry.hostUser != 0) failed = leaveRoot(shared);
    if (failed == 0) failed = giveUpRights(shared);
    if (failed == 0) failed = settle(shared);
    if (failed != 0) return failed;
    std::uint64_t noSignals = 0;
    sys(SYS_rt_sigprocmask, SIG_SETMASK, address(&noSignals), 0, sizeof noSignals);
    r = sys(SYS_execveat, kImageFd, address(""), address(static_cast<const void*>(shared.initArgv)),
            address(static_cast<const void*>(entry.envp)), AT_EMPTY_PATH);
    return giveUp(shared, Step::Init, r);
}

void writeIdMap(Shared& shared, std::uint32_t hostUser) {
    constexpr std::size_t kHalf = sizeof shared.idMap / 2;
    const auto put = [&](char* to, std::uint32_t outside) {
        const auto made = fmt::format_to_n(to, kHalf - 1, "{} {} 1", kInsideId, outside);
        *made.out = 0;
    };
    put(shared.idMap, hostUser != 0 ? hostUser : ::geteuid());
    put(shared.idMap + kHalf, hostUser != 0 ? hostUser : ::getegid());
}

std::vector<char*> argumentsOfInit(const Entry& entry, std::string& letters) {
    if (entry.socketFd >= 0) letters += kHasSocket;
    if (entry.tokensFd >= 0) letters += kHasTokens;
    if (entry.network) letters += kHasNetwork;
    static char name[] = "yard-init";
    std::vector<char*> arguments = {name, letters.data(), const_cast<char*>(entry.program)};
    for (char* const* argument = entry.argv; *argument; ++argument) arguments.push_back(*argument);
    arguments.push_back(nullptr);
    return arguments;
}

/// What a sandbox is made of beside what is its own.
struct Found {
    std::shared_ptr<const UniqueFd> root; ///< furnished; absent: it makes its own
    std::shared_ptr<const Layout> system; ///< absent: it has a furnished root
    std::optional<Layout> networkFiles;   ///< of one that has the machine's network
    int networkFd = -1;
    int rootFd() const { return root ? root->get() : -1; }
};

Found findFor(const Entry& entry, Network& network) {
    Found found;
    const Base& base = *entry.base;
    if (entry.network) {
        found.networkFiles = networkLayout();
    } else if (entry.hostUser != 0) {
        if (entry.own) found.root = base.roots().furnishedFor(*entry.own);
        network = base.networks().take();
        found.networkFd = network.space.get();
    }
    if (!found.root) found.system = base.roots().system();
    return found;
}

using Layouts = std::array<const Layout*, 3>; ///< in this order; null: none

Layouts layoutsOf(const Entry& entry, const Found& found) {
    return {found.system ? found.system.get() : &entry.base->process(), entry.own,
            found.networkFiles ? &*found.networkFiles : nullptr};
}

Shared sharedOf(const Entry& entry, char* const* initArgv, int recordFd, const Found& found) {
    Shared shared{};
    shared.entry = &entry;
    shared.initArgv = initArgv;
    const Layouts layouts = layoutsOf(entry, found);
    for (std::size_t i = 0; i < layouts.size(); ++i)
        if (layouts[i]) shared.layouts[i] = {layouts[i]->ops().data(), static_cast<int>(layouts[i]->ops().size())};
    shared.recordFd = recordFd;
    shared.rootFd = found.rootFd();
    shared.networkFd = found.networkFd;
    shared.imageFd = entry.base->imageFd();
    shared.launcherFd = entry.base->selfFd();
    // Alone in a network of its own it has nobody to be kept from.
    shared.scopeFd = entry.network ? entry.base->scopeFd() : -1;
    shared.copiedFds = static_cast<unsigned>(std::max({entry.inFd, entry.outFd, entry.errFd, entry.socketFd,
                                                       entry.tokensFd, recordFd, shared.rootFd, shared.networkFd,
                                                       shared.imageFd, shared.launcherFd, shared.scopeFd})) +
                       1;
    writeIdMap(shared, entry.hostUser);
    return shared;
}

std::string wordsOf(const Layouts& layouts, const Shared& shared) {
    const auto step = static_cast<Step>(shared.step);
    int op = shared.op;
    if (step != Step::System) return std::string(name(step));
    for (const Layout* layout : layouts) {
        if (!layout) continue;
        const int count = static_cast<int>(layout->ops().size());
        if (op < count) return describe(layout->ops()[static_cast<std::size_t>(op)]);
        op -= count;
    }
    return std::string(name(step));
}

/// Waits for what init says of the start.
void hearOfStart(Start& start) {
    Record record;
    ssize_t got = -1;
    do got = ::read(start.records.get(), &record, sizeof record);
    while (got < 0 && errno == EINTR);
    if (got == sizeof record && record.kind == RecordKind::Started) {
        const int flags = ::fcntl(start.records.get(), F_GETFL);
        ::fcntl(start.records.get(), F_SETFL, flags | O_NONBLOCK);
        return;
    }
    start.failed = Step::Init;
    start.err = got < 0 ? errno : ECHILD;
    if (got == sizeof record && record.kind == RecordKind::Failed) {
        constexpr std::array kSteps = {Step::Init, Step::Watch, Step::Process, Step::Filter, Step::Exec};
        const auto at = static_cast<std::size_t>(record.number);
        start.failed = at < kSteps.size() ? kSteps[at] : Step::Init;
        start.err = record.err;
    }
    start.doing = name(start.failed);
    reapChild(start.pidfd.get());
}

clone_args cloneArgs(const Entry& entry, const Found& found) {
    clone_args args{};
    args.flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_PIDFD | CLONE_CLEAR_SIGHAND | CLONE_NEWPID |
                 CLONE_NEWIPC | CLONE_NEWUTS;
    if (!found.root) args.flags |= CLONE_NEWNS;
    if (!entry.network && found.networkFd < 0) args.flags |= CLONE_NEWNET;
    if (entry.hostUser == 0) args.flags |= CLONE_NEWUSER;
    args.exit_signal = SIGCHLD;
    if (entry.groupFd >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = static_cast<std::uint64_t>(entry.groupFd);
    }
    return args;
}

void failAt(Start& start, Step step, int err, std::string doing) {
    start.failed = step;
    start.err = err;
    start.doing = std::move(doing);
}

void startChild(Start& start, const Entry& entry, const Found& found, void* stackBase, std::size_t stackSize) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return failAt(start, Step::Pipe, errno, std::string(name(Step::Pipe)));
    start.records.reset(pipe[0]);
    UniqueFd records(pipe[1]);
    std::string letters;
    const std::vector<char*> initArgv = argumentsOfInit(entry, letters);
    Shared shared = sharedOf(entry, initArgv.data(), records.get(), found);
    int pidfd = -1;
    clone_args args = cloneArgs(entry, found);
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.stack = reinterpret_cast<std::uintptr_t>(stackBase);
    args.stack_size = stackSize;
    long pid = cloneAndRun(&args, childMain, &shared);
    if (pid < 0 && entry.groupFd >= 0) { // somebody removed the group, or filled it
        args.flags &= ~std::uint64_t{CLONE_INTO_CGROUP};
        pid = cloneAndRun(&args, childMain, &shared);
    }
    if (pid < 0) return failAt(start, Step::Clone, static_cast<int>(-pid), std::string(name(Step::Clone)));
    start.pid = static_cast<int>(pid);
    start.pidfd.reset(pidfd);
    records.reset();
    if (shared.step == 0) return hearOfStart(start);
    failAt(start, static_cast<Step>(shared.step), shared.err, wordsOf(layoutsOf(entry, found), shared));
    reapChild(pidfd);
}

} // namespace

Result<Base> Base::open() {
    Base base;
    const LandlockRules rules{0, 0, kScopeAbstractUnixSockets};
    base.scope_.reset(static_cast<int>(::syscall(kLandlockCreateRuleset, &rules, sizeof rules, 0)));
    auto image = makeInitImage();
    if (!image) return std::unexpected(image.error());
    base.image_ = std::move(*image);
    base.self_.reset(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (!base.self_) return failErrno("open a descriptor of this process", errno);
    ::fcntl(base.self_.get(), F_SETFD, FD_CLOEXEC);
    base.process_ = processLayout();
    base.roots_ = std::make_unique<Roots>();
    base.networks_ = std::make_unique<Networks>();
    return base;
}

Start start(const Entry& entry, void* stackBase, std::size_t stackSize) {
    Start start;
    const Found found = findFor(entry, start.network);
    if (!entry.mayClone || entry.mayClone())
        startChild(start, entry, found, stackBase, stackSize);
    else
        failAt(start, Step::Clone, ECANCELED, std::string(name(Step::Clone)));
    // Nothing ran in it.
    if (start.failed != Step::None) entry.base->networks().giveBack(std::move(start.network));
    return start;
}

Told readRecords(int fd) {
    Told told;
    Record record;
    while (::read(fd, &record, sizeof record) == sizeof record) {
        if (record.kind == RecordKind::Ended) {
            if (record.number != 0) told.signal = record.number;
            told.peakBytes = std::int64_t{record.err} * 1024;
            told.isNetworkUnused = record.pid == 0;
        }
        if (record.kind != RecordKind::Denied || told.denied.size() >= kMaxDenials) continue;
        record.path[sizeof record.path - 1] = 0;
        const Rule* rule = ruleOf(static_cast<unsigned>(record.number));
        told.denied.push_back({.micros = record.micros,
                               .call = rule ? rule->name : fmt::format("system call {}", record.number),
                               .path = record.path,
                               .err = record.err,
                               .pid = record.pid});
    }
    return told;
}

std::string_view name(Step step) {
    constexpr std::array<std::string_view, 23> kNames{"",
                                                      "make a pipe",
                                                      "make the namespaces",
                                                      "begin a session",
                                                      "map the user",
                                                      "cut the mounts off from the system's",
                                                      "make a root of its own",
                                                      "furnish the root",
                                                      "enter the new root",
                                                      "make the root read-only",
                                                      "name the machine and bring its loopback up",
                                                      "enter the working directory",
                                                      "become another user",
                                                      "make the user namespace",
                                                      "drop all rights",
                                                      "tie it to the launcher",
                                                      "arrange its descriptors",
                                                      "set its limits",
                                                      "start its first process",
                                                      "watch its processes",
                                                      "make a process",
                                                      "set the filter of system calls",
                                                      "execute the program"};
    return kNames[static_cast<std::size_t>(step)];
}

} // namespace yard::sandbox
