// The seccomp filter of sandboxed programs: what a compute function never needs is denied and told, what programs
// probe for by habit is answered as if this kernel did not have it. A binary search over the call numbers, so that
// installing it costs little; made at compile time. Freestanding: init carries it.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

namespace yard::sandbox {

enum class Verdict : unsigned char {
    Tell,     ///< denied; init hears of it and answers EPERM
    Unknown,  ///< ENOSYS
    Clone,    ///< denied with namespaces
    Family,   ///< socket(): those of families() alone, of the internet and of netlink told and decided by init
    Pair,     ///< socketpair(): local ones alone
    Buffer,   ///< setsockopt(): in a network of its own no socket has larger buffers than is usual
    Terminal, ///< ioctl(): typing into somebody's terminal is denied
    Mode1,    ///< set-id bits (and devices) in argument 1 are denied
    Mode2,
    Create1, ///< set-id bits in argument 2 are denied when argument 1 says that it creates
    Create2,
    Connect ///< told and decided by init
};

struct Rule {
    unsigned call;
    Verdict verdict;
    int path; ///< argument that names what it is about; -1: none
    const char* name;
};

#define YARD_RULE(call, verdict, path)                                                                             \
    Rule {                                                                                                         \
        __NR_##call, Verdict::verdict, path, #call                                                                 \
    }
inline constexpr Rule kRules[] = {
    YARD_RULE(clone, Clone, -1),
    YARD_RULE(clone3, Unknown, -1), // its flags cannot be seen; libc falls back to clone
    YARD_RULE(unshare, Tell, -1),
    YARD_RULE(setns, Tell, -1),
    YARD_RULE(mount, Tell, 1),
    YARD_RULE(umount2, Tell, 0),
    YARD_RULE(pivot_root, Tell, 0),
    YARD_RULE(chroot, Tell, 0),
    YARD_RULE(open_tree, Tell, 1),
    YARD_RULE(move_mount, Tell, 3),
    YARD_RULE(fsopen, Tell, 0),
    YARD_RULE(fsconfig, Tell, -1),
    YARD_RULE(fsmount, Tell, -1),
    YARD_RULE(fspick, Tell, 1),
    YARD_RULE(mount_setattr, Tell, 1),
    // By their numbers: newer than the headers this is built with.
    Rule{467, Verdict::Tell, 1, "open_tree_attr"},
    Rule{457, Verdict::Unknown, -1, "statmount"}, // libmount asks, and then reads /proc/self/mountinfo
    Rule{458, Verdict::Unknown, -1, "listmount"},
    Rule{470, Verdict::Unknown, -1, "listns"},
    Rule{469, Verdict::Unknown, -1, "file_setattr"},
    Rule{460, Verdict::Tell, -1, "lsm_set_self_attr"},
    Rule{459, Verdict::Unknown, -1, "lsm_get_self_attr"}, // how the machine guards itself is not for a worker
    Rule{461, Verdict::Unknown, -1, "lsm_list_modules"},
    YARD_RULE(ptrace, Tell, -1),
    YARD_RULE(process_vm_readv, Tell, -1),
    YARD_RULE(process_vm_writev, Tell, -1),
    YARD_RULE(process_madvise, Tell, -1),
    YARD_RULE(pidfd_getfd, Tell, -1),
    YARD_RULE(kcmp, Tell, -1),
    YARD_RULE(bpf, Tell, -1),
    YARD_RULE(perf_event_open, Tell, -1),
    YARD_RULE(userfaultfd, Tell, -1),
    YARD_RULE(io_uring_setup, Unknown, -1),
    YARD_RULE(io_uring_enter, Unknown, -1),
    YARD_RULE(io_uring_register, Unknown, -1),
    YARD_RULE(keyctl, Tell, -1),
    YARD_RULE(add_key, Tell, 1),
    YARD_RULE(request_key, Tell, 1),
    YARD_RULE(kexec_load, Tell, -1),
    YARD_RULE(kexec_file_load, Tell, -1),
    YARD_RULE(init_module, Tell, -1),
    YARD_RULE(finit_module, Tell, -1),
    YARD_RULE(delete_module, Tell, 0),
    YARD_RULE(swapon, Tell, 0),
    YARD_RULE(swapoff, Tell, 0),
    YARD_RULE(reboot, Tell, -1),
    YARD_RULE(sethostname, Tell, 0),
    YARD_RULE(setdomainname, Tell, 0),
    YARD_RULE(settimeofday, Tell, -1),
    YARD_RULE(clock_settime, Tell, -1),
    YARD_RULE(adjtimex, Tell, -1),
    YARD_RULE(clock_adjtime, Tell, -1),
    YARD_RULE(acct, Tell, 0),
    YARD_RULE(quotactl, Tell, 1),
    YARD_RULE(quotactl_fd, Tell, -1),
    YARD_RULE(syslog, Tell, -1),
    YARD_RULE(vhangup, Tell, -1),
    YARD_RULE(open_by_handle_at, Tell, -1),
    YARD_RULE(name_to_handle_at, Unknown, -1),
    YARD_RULE(fanotify_init, Tell, -1),
    YARD_RULE(migrate_pages, Tell, -1),
    YARD_RULE(move_pages, Tell, -1),
    YARD_RULE(lookup_dcookie, Tell, -1),
    YARD_RULE(nfsservctl, Tell, -1),
    YARD_RULE(memfd_create, Unknown, -1), // memory that no limit of a process counts
    YARD_RULE(memfd_secret, Unknown, -1),
    YARD_RULE(shmget, Unknown, -1),  // the same
    YARD_RULE(openat2, Unknown, -1), // its mode cannot be seen
    YARD_RULE(msgget, Unknown, -1),
    YARD_RULE(semget, Unknown, -1),
    YARD_RULE(socket, Family, -1),
    YARD_RULE(socketpair, Pair, -1),
    YARD_RULE(setsockopt, Buffer, -1),
    YARD_RULE(connect, Connect, -1),
    YARD_RULE(ioctl, Terminal, -1),
    YARD_RULE(fchmod, Mode1, -1),
    YARD_RULE(fchmodat, Mode2, 1),
    Rule{452, Verdict::Mode2, 1, "fchmodat2"}, // by its number: the same
    YARD_RULE(mknodat, Mode2, 1),
    YARD_RULE(openat, Create2, 1),
#if defined(__x86_64__)
    YARD_RULE(open, Create1, 0),
    YARD_RULE(creat, Mode1, 0),
    YARD_RULE(chmod, Mode1, 0),
    YARD_RULE(mknod, Mode1, 0),
    YARD_RULE(iopl, Tell, -1),
    YARD_RULE(ioperm, Tell, -1),
    YARD_RULE(modify_ldt, Tell, -1),
    YARD_RULE(uselib, Tell, 0),
    YARD_RULE(_sysctl, Tell, -1),
    YARD_RULE(create_module, Tell, -1),
#endif
};
#undef YARD_RULE

// Of socket(): the families that are allowed, its first argument, and their protocols, its third. Each other one
// (there are forty, most of them modules that nobody needs and few people look at) is denied. Header: libc's.
inline constexpr unsigned kLocal = 1; ///< AF_UNIX: how processes of one program speak with each other
inline constexpr unsigned kInternet4 =
    2; ///< AF_INET: a server and its client on the loopback; the network if given
inline constexpr unsigned kInternet6 = 10; ///< AF_INET6: the same
inline constexpr unsigned kNetlink = 16;   ///< AF_NETLINK
/// Of the internet: chosen by type, TCP, UDP, and pings, which the kernel decides on. Others (SCTP, MPTCP, DCCP, …)
/// are answered as a kernel without them does: programs that probe for them fall back.
inline constexpr unsigned kInternet[] = {0, 6, 17, 1, 58};
/// Of netlink: NETLINK_ROUTE, of which libc learns the addresses of this machine, and NETLINK_SOCK_DIAG, sockets of
/// the own network. The machine's own events come to whoever listens, in any namespace: not those.
inline constexpr unsigned kNetlinks[] = {0, 4};

/// Protocols as a range: this is used without a library.
struct Protocols {
    const unsigned* first;
    const unsigned* last;
    constexpr const unsigned* begin() const { return first; }
    constexpr const unsigned* end() const { return last; }
    constexpr bool contains(unsigned value) const {
        for (const unsigned one : *this)
            if (one == value) return true;
        return false;
    }
};
constexpr Protocols kInternetProtocols{kInternet, kInternet + sizeof kInternet / sizeof *kInternet};
constexpr Protocols kNetlinkProtocols{kNetlinks, kNetlinks + sizeof kNetlinks / sizeof *kNetlinks};

/// A socket like this sees its own network and nothing else, and could leave something there: in a network of its
/// own a program may do with it what it likes. families() below decides the same.
constexpr bool isOfNetwork(unsigned family, unsigned protocol) {
    if (family == kInternet4 || family == kInternet6) return kInternetProtocols.contains(protocol);
    return family == kNetlink && kNetlinkProtocols.contains(protocol);
}

constexpr const Rule* ruleOf(unsigned call) {
    for (const Rule& rule : kRules)
        if (rule.call == call) return &rule;
    return nullptr;
}

/// A program for the kernel.
struct Filter {
    static constexpr int kMost = 512;
    sock_filter code[kMost] = {};
    unsigned short size = 0;
};

namespace filter_detail {

inline constexpr int kRuleCount = sizeof kRules / sizeof *kRules;

/// From `first` on, to the next one's: a rule, or null for what is allowed.
struct Span {
    unsigned first;
    const Rule* rule;
};

class Builder {
public:
    constexpr explicit Builder(bool network)
        : network_(network) {
        sortRules();
        makeSpans();
        head();
        search(0, spans_);
    }
    Filter filter;

private:
    static constexpr unsigned kAllow = SECCOMP_RET_ALLOW;
    static constexpr unsigned kTell = SECCOMP_RET_USER_NOTIF;
    static constexpr unsigned kUnknown = SECCOMP_RET_ERRNO | 38;    // ENOSYS
    static constexpr unsigned kNoProtocol = SECCOMP_RET_ERRNO | 93; // EPROTONOSUPPORT
    static constexpr unsigned kSetIds = 06000;

    constexpr void put(unsigned short code, unsigned k, int yes = 0, int no = 0) {
        filter.code[filter.size++] = {code, static_cast<unsigned char>(yes), static_cast<unsigned char>(no), k};
    }
    constexpr void ret(unsigned value) { put(BPF_RET | BPF_K, value); }
    constexpr void load(unsigned offset) { put(BPF_LD | BPF_W | BPF_ABS, offset); }
    /// The low half is what the kernel looks at too.
    constexpr void loadArgument(int index) { load(16 + 8 * static_cast<unsigned>(index)); }

    constexpr void sortRules() {
        for (int i = 0; i < kRuleCount; ++i) {
            int at = i;
            for (; at > 0 && sorted_[at - 1]->call > kRules[i].call; --at) sorted_[at] = sorted_[at - 1];
            sorted_[at] = &kRules[i];
        }
    }
    constexpr void makeSpans() {
        unsigned next = 0;
        for (const Rule* rule : sorted_) {
            if (rule->call > next || next == 0) span_[spans_++] = {next, nullptr};
            span_[spans_++] = {rule->call, rule};
            next = rule->call + 1;
        }
        span_[spans_++] = {next, nullptr};
    }
    constexpr void head() {
        load(4); // the architecture
#if defined(__x86_64__)
        const int own = jumpIf(AUDIT_ARCH_X86_64);
#else
        const int own = jumpIf(AUDIT_ARCH_AARCH64);
#endif
        ret(SECCOMP_RET_KILL_PROCESS);
        land(own);
        load(0);
#if defined(__x86_64__)
        const int x32 = jumpIfAtLeast(0x40000000); // calls of another size of pointers
        const int others = jump();
        land(x32);
        ret(kUnknown);
        land(others);
#endif
    }
    constexpr void search(int low, int high) {
        if (high - low == 1) return leaf(span_[low].rule);
        const int middle = (low + high) / 2;
        const int at = jumpIfAtLeast(span_[middle].first);
        search(low, middle);
        filter.code[at].jt = static_cast<unsigned char>(filter.size - at - 1);
        if (filter.size - at - 1 > 255) {
            // Too far for a short jump: over a long one.
            for (int i = filter.size; i > at + 1; --i) filter.code[i] = filter.code[i - 1];
            ++filter.size;
            filter.code[at].jt = 0;
            filter.code[at].jf = 1;
            filter.code[at + 1] = {BPF_JMP | BPF_JA, 0, 0, static_cast<unsigned>(filter.size - at - 2)};
        }
        search(middle, high);
    }
    constexpr void leaf(const Rule* rule) {
        if (!rule) return ret(kAllow);
        switch (rule->verdict) {
        case Verdict::Tell: return ret(kTell);
        case Verdict::Unknown: return ret(kUnknown);
        case Verdict::Connect: return ret(network_ ? kAllow : kTell);
        case Verdict::Clone: return unlessBits(0, CLONE_NEWNS_ALL);
        case Verdict::Family: return families();
        case Verdict::Pair: return localOnly();
        case Verdict::Buffer: return usualBuffers();
        case Verdict::Terminal: return terminal();
        case Verdict::Mode1: return mode(1, rule);
        case Verdict::Mode2: return mode(2, rule);
        case Verdict::Create1: return create(1);
        case Verdict::Create2: return create(2);
        }
    }
    // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
    static constexpr unsigned CLONE_NEWNS_ALL = 0x7e020000;
    constexpr void unlessBits(int argument, unsigned bits) {
        loadArgument(argument);
        const int some = jumpIfAny(bits);
        ret(kAllow);
        land(some);
        ret(kTell);
    }
    // Jumps, each to where land() is called with it; what is not jumped goes on.
    constexpr int jumpIf(unsigned value) { return put(BPF_JMP | BPF_JEQ | BPF_K, value), filter.size - 1; }
    constexpr int jumpIfAny(unsigned bits) { return put(BPF_JMP | BPF_JSET | BPF_K, bits), filter.size - 1; }
    constexpr int jumpIfAtLeast(unsigned value) { return put(BPF_JMP | BPF_JGE | BPF_K, value), filter.size - 1; }
    constexpr int jump() { return put(BPF_JMP | BPF_JA, 0), filter.size - 1; }
    constexpr void land(int jump) {
        const int distance = filter.size - jump - 1;
        if (filter.code[jump].code == (BPF_JMP | BPF_JA))
            filter.code[jump].k = static_cast<unsigned>(distance);
        else
            filter.code[jump].jt = static_cast<unsigned char>(distance);
    }
    /// As isOfNetwork() says. With a network of its own the first socket that could leave something there is told
    /// of.
    constexpr void families() {
        loadArgument(0);
        const int local = jumpIf(kLocal);
        const int internet4 = jumpIf(kInternet4);
        const int internet6 = jumpIf(kInternet6);
        const int netlink = jumpIf(kNetlink);
        ret(kTell);
        land(local);
        ret(kAllow);
        land(internet4);
        land(internet6);
        ofNetwork(kInternetProtocols, kNoProtocol);
        land(netlink);
        ofNetwork(kNetlinkProtocols, kTell);
    }
    constexpr void ofNetwork(Protocols protocols, unsigned others) {
        loadArgument(2);
        const int first = filter.size;
        for (const unsigned protocol : protocols) jumpIf(protocol);
        const int afterLast = filter.size;
        ret(others);
        for (int jump = first; jump < afterLast; ++jump) land(jump);
        ret(network_ ? kAllow : kTell);
    }
    constexpr void localOnly() {
        loadArgument(0);
        const int local = jumpIf(kLocal);
        ret(kTell);
        land(local);
        ret(kAllow);
    }
    /// Who counts a sandbox's memory knows of a closed socket only that it is there (core/host/kernel_memory.h).
    /// The kernel takes the sizes as a hint itself: they are accepted, and nothing changes.
    constexpr void usualBuffers() {
        if (network_) return ret(kAllow);
        loadArgument(1);
        const int ofSockets = jumpIf(1); // SOL_SOCKET
        ret(kAllow);
        land(ofSockets);
        loadArgument(2);
        const int sent = jumpIf(7);     // SO_SNDBUF
        const int received = jumpIf(8); // SO_RCVBUF
        ret(kAllow);
        land(sent);
        land(received);
        ret(SECCOMP_RET_ERRNO);
    }
    constexpr void terminal() {
        loadArgument(1);
        const int types = jumpIf(0x5412);   // TIOCSTI
        const int console = jumpIf(0x541c); // TIOCLINUX
        ret(kAllow);
        land(types);
        land(console);
        ret(kTell);
    }
    constexpr void mode(int argument, const Rule* rule) {
        const bool makesNode = rule->name[0] == 'm';
        loadArgument(argument);
        const int setsIds = jumpIfAny(kSetIds);
        if (!makesNode) {
            ret(kAllow);
            land(setsIds);
            return ret(kTell);
        }
        put(BPF_ALU | BPF_AND | BPF_K, 0170000);
        const int character = jumpIf(0020000); // kinds of devices
        const int block = jumpIf(0060000);
        ret(kAllow);
        land(setsIds);
        land(character);
        land(block);
        ret(kTell);
    }
    constexpr void create(int flags) {
        constexpr unsigned kCreates = 0100 | 020000000; // O_CREAT, the bit of O_TMPFILE alone
        loadArgument(flags);
        const int creates = jumpIfAny(kCreates);
        ret(kAllow);
        land(creates);
        loadArgument(flags + 1);
        const int setsIds = jumpIfAny(kSetIds);
        ret(kAllow);
        land(setsIds);
        ret(kTell);
    }

    bool network_;
    const Rule* sorted_[kRuleCount] = {};
    Span span_[2 * kRuleCount + 2] = {};
    int spans_ = 0;
};

} // namespace filter_detail

constexpr Filter makeFilter(bool network) {
    return filter_detail::Builder(network).filter;
}

} // namespace yard::sandbox
