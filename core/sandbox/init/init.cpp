// The first process of a sandbox: starts the program under the filter, reaps whatever loses its parent, answers the
// calls that the filter denies and tells the launcher of them, and ends as the program does. With it the kernel
// ends everything else in the process namespace.
//
// Linked with nothing, so that starting it costs next to nothing; executed from a memory file of the launcher.
// It does nothing for the program: what it is asked is answered with an error, or let through unchanged.
#include "core/sandbox/child_code.h"
#include "core/sandbox/filter.h"
#include "core/sandbox/record.h"

#include <linux/ioctl.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

// A compiler may make calls of them.
extern "C" void* memset(void* to, int value, unsigned long size) {
    auto* bytes = static_cast<volatile char*>(to);
    for (unsigned long i = 0; i < size; ++i) bytes[i] = static_cast<char>(value);
    return to;
}
extern "C" void* memcpy(void* to, const void* from, unsigned long size) {
    auto* bytes = static_cast<volatile char*>(to);
    for (unsigned long i = 0; i < size; ++i) bytes[i] = static_cast<const char*>(from)[i];
    return to;
}

namespace {

using namespace yard::sandbox;

constexpr Filter kFilters[2] = {makeFilter(false), makeFilter(true)};
constexpr int kSigChld = 17;
constexpr unsigned long kSigChldMask = 1ul << (kSigChld - 1);
constexpr int kEperm = 1;
constexpr int kEintr = 4;
constexpr int kNetUnreachable = 101;
constexpr long kPage = 4096;

struct Program {
    const char* path = nullptr;
    char** argv = nullptr;
    char** envp = nullptr;
    bool network = false;
    volatile int step = 0;
    volatile int err = 0;
    volatile int listener = -1;
};

alignas(16) char childStack[16384];
/// So many more denials are told.
long denialsLeft = 0;

void tell(RecordKind kind, int number, int err = 0, int pid = 0, const char* path = nullptr) {
    Record record;
    record.kind = kind;
    record.number = number;
    record.err = err;
    record.pid = pid;
    long now[2] = {};
    sys(SYS_clock_gettime, 0, address(now));
    record.micros = now[0] * 1'000'000LL + now[1] / 1000;
    for (unsigned i = 0; path && path[i] && i + 1 < sizeof record.path; ++i) record.path[i] = path[i];
    sys(SYS_write, kRecordFd, address(&record), sizeof record);
}

int giveUp(Program& program, StartStep step, long result) {
    program.step = static_cast<int>(step);
    program.err = static_cast<int>(-result);
    return 127;
}

/// In our memory until exec, while we stand still.
int becomeProgram(void* arg) {
    auto& program = *static_cast<Program*>(arg);
    unsigned long none = 0;
    sys(SYS_rt_sigprocmask, 2, address(&none), 0, sizeof none);
    const Filter& filter = kFilters[program.network ? 1 : 0];
    sock_fprog code = {filter.size, const_cast<sock_filter*>(filter.code)};
    const long listener =
        sys(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, address(&code));
    if (listener < 0) return giveUp(program, StartStep::Filter, listener);
    program.listener = static_cast<int>(listener);
    return giveUp(program, StartStep::Exec,
                  sys(SYS_execve, address(program.path), address(static_cast<const void*>(program.argv)),
                      address(static_cast<const void*>(program.envp))));
}

/// An iovec, whose address may be another process's.
struct Remote {
    unsigned long base;
    unsigned long size;
};

long readFrom(int pid, unsigned long from, void* to, unsigned long size) {
    Remote local{static_cast<unsigned long>(address(to)), size};
    Remote remote{from, size};
    return sys(SYS_process_vm_readv, pid, address(&local), 1, address(&remote), 1);
}

/// A name in another process's memory; cut, or empty, where it cannot be read.
void readName(int pid, unsigned long from, char* to, unsigned long size) {
    unsigned long have = 0;
    while (have + 1 < size) {
        unsigned long part = static_cast<unsigned long>(kPage) - (from + have) % static_cast<unsigned long>(kPage);
        if (part > size - 1 - have) part = size - 1 - have;
        const long got = readFrom(pid, from + have, to + have, part);
        if (got <= 0) break;
        for (long i = 0; i < got; ++i)
            if (to[have + static_cast<unsigned long>(i)] == 0) return;
        have += static_cast<unsigned long>(got);
    }
    to[have] = 0;
}

struct Text {
    char* at;
    void put(char c) { *at++ = c; }
    void number(unsigned value, unsigned base) {
        char digits[12];
        int count = 0;
        do {
            digits[count++] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        while (count > 0) put(digits[--count]);
    }
};

/// "10.0.0.1:80", "[2001:db8:0:0:0:0:0:1]:80". False: the address is nobody else's, and the call may go on.
bool isForeign(const unsigned char* peer, long size, char* words) {
    const unsigned family = static_cast<unsigned>(peer[0]) | static_cast<unsigned>(peer[1]) << 8;
    const unsigned port = static_cast<unsigned>(peer[2]) << 8 | peer[3];
    Text text{words};
    if (family == kInternet4 && size >= 8) {
        if (peer[4] == 127) return false;
        for (int i = 0; i < 4; ++i) {
            if (i > 0) text.put('.');
            text.number(peer[4 + i], 10);
        }
    } else if (family == kInternet6 && size >= 24) {
        bool local = peer[23] == 1;
        for (int i = 8; i < 23; ++i) local = local && peer[i] == 0;
        if (local) return false;
        text.put('[');
        for (int i = 0; i < 8; ++i) {
            if (i > 0) text.put(':');
            text.number(static_cast<unsigned>(peer[8 + 2 * i]) << 8 | peer[9 + 2 * i], 16);
        }
        text.put(']');
    } else {
        return false;
    }
    text.put(':');
    text.number(port, 10);
    text.put(0);
    return true;
}

/// A socket was made that its network may remember.
bool usedNetwork = false;

void answer(int listener, const seccomp_notif& asked) {
    char path[200] = {};
    seccomp_notif_resp response = {};
    response.id = asked.id;
    response.error = -kEperm;
    const auto call = static_cast<unsigned>(asked.data.nr);
    const int pid = static_cast<int>(asked.pid);
    if (call == SYS_connect) {
        unsigned char peer[28] = {};
        const unsigned long given = asked.data.args[2];
        const long got = readFrom(pid, asked.data.args[1], peer, given < sizeof peer ? given : sizeof peer);
        if (got < 4 || !isForeign(peer, got, path)) {
            response.error = 0;
            response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE; // there is no network for it to reach
        } else {
            response.error = -kNetUnreachable;
        }
    } else if (call == SYS_socket &&
               isOfNetwork(static_cast<unsigned>(asked.data.args[0]), static_cast<unsigned>(asked.data.args[2]))) {
        usedNetwork = true;
        response.error = 0;
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE; // what is asked is in registers: nobody can change it
    } else if (const Rule* rule = ruleOf(call); rule && rule->path >= 0) {
        readName(pid, asked.data.args[rule->path], path, sizeof path);
    }
    if (response.error != 0 && denialsLeft > 0) {
        --denialsLeft;
        tell(RecordKind::Denied, static_cast<int>(call), -response.error, pid, path);
    }
    sys(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, address(&response));
}

struct Poll {
    int fd;
    short events;
    short seen;
};
constexpr short kReadable = 1;

[[noreturn]] void end(int code) {
    for (;;) sys(SYS_exit_group, code);
}

/// As the kernel counts it: begun again for each process, where the launcher would be told of its own image as well.
long peakKib = 0;

/// One that has ended, and how; with it the kernel counts what it used as ours. 0 or less: there is none.
long reapOne(int options, int& status) {
    constexpr int kMaxRss = 4; // of struct rusage: behind two times of two numbers each
    for (;;) {
        long usage[18] = {};
        const long pid = sys(SYS_wait4, -1, address(&status), options | 0x40000000 /* __WALL */, address(usage));
        if (pid == -kEintr) continue;
        if (pid > 0 && usage[kMaxRss] > peakKib) peakKib = usage[kMaxRss];
        return pid;
    }
}

/// The status of the program if it has ended; -1: it has not.
int reap(long program) {
    for (;;) {
        int status = 0;
        const long pid = reapOne(1 /* WNOHANG */, status);
        if (pid <= 0) return -1;
        if (pid == program) return status;
    }
}

/// All that is left inside, in one step that a fork cannot escape. With our own end the kernel would do the same,
/// and count what they used for nobody.
void endOthers() {
    sys(SYS_kill, -1, 9);
    for (int status = 0; reapOne(0, status) > 0;) {
    }
}

[[noreturn]] void serve(long program, int listener, int children) {
    Poll polls[2] = {{children, kReadable, 0}, {listener, kReadable, 0}};
    for (;;) {
        if (const int status = reap(program); status >= 0) {
            const int signal = status & 0x7f;
            endOthers();
            tell(RecordKind::Ended, signal, static_cast<int>(peakKib), usedNetwork ? 1 : 0);
            end(signal == 0 ? (status >> 8) & 0xff : 128 + signal);
        }
        if (sys(SYS_ppoll, address(polls), 2, 0, 0, 8) < 0) continue;
        if (polls[0].seen & kReadable) {
            char info[128];
            sys(SYS_read, children, address(info), sizeof info);
        }
        if (polls[1].seen & kReadable) {
            seccomp_notif asked = {};
            if (sys(SYS_ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, address(&asked)) == 0) answer(listener, asked);
        } else if (polls[1].seen != 0) {
            polls[1].fd = -1; // nobody is left under the filter
        }
    }
}

// --- the same program as one inside that looks whether the sandbox holds

bool isOther(const char* a, const char* b) {
    for (; *a && *a == *b; ++a) ++b;
    return *a != *b;
}

long createAt(const char* path) {
    return sys(SYS_openat, -100 /* AT_FDCWD */, address(path), 0101 /* O_WRONLY | O_CREAT */, 0600);
}

bool hasRights() {
    unsigned header[2] = {0x20080522, 0};
    unsigned sets[6] = {};
    if (sys(SYS_capget, address(header), address(sets)) != 0) return true;
    for (const unsigned set : sets)
        if (set != 0) return true;
    return sys(SYS_prctl, PR_GET_NO_NEW_PRIVS) != 1;
}

bool reachesOut() {
    const long socket = sys(SYS_socket, 2, 2, 0);
    if (socket < 0) return false;
    unsigned char peer[16] = {2, 0, 0, 9, 192, 0, 2, 1}; // an address for examples
    return sys(SYS_connect, socket, address(peer), sizeof peer) != -kNetUnreachable;
}

/// 0, or the number of what does not hold.
int check() {
    if (sys(SYS_getppid) != 1) return static_cast<int>(Check::Processes);
    if (sys(SYS_getuid) != 1000 || sys(SYS_getgid) != 1000) return static_cast<int>(Check::User);
    if (hasRights()) return static_cast<int>(Check::Rights);
    if (createAt("/x") != -30 /* EROFS */ || createAt("/usr/x") >= 0) return static_cast<int>(Check::Root);
    if (createAt("/tmp/x") < 0) return static_cast<int>(Check::Tmp);
    char names[6][65] = {};
    if (sys(SYS_uname, address(names)) != 0 || isOther(names[1], "sandbox")) return static_cast<int>(Check::Names);
    if (sys(SYS_unshare, 0x10000000) != -kEperm) return static_cast<int>(Check::Filter);
    if (reachesOut()) return static_cast<int>(Check::Network);
    return 0;
}

} // namespace

extern "C" [[noreturn]] void yardInit(long* stack) {
    char** argv = reinterpret_cast<char**>(stack + 1);
    if (sys(SYS_getpid) != 1) end(check());
    Program program;
    int last = 2; // of the program's descriptors
    for (const char* letter = argv[1]; *letter; ++letter) {
        program.network = program.network || *letter == kHasNetwork;
        if (*letter == kHasSocket) last = 3;
        if (*letter == kHasTokens) last = 4;
    }
    program.path = argv[2];
    program.argv = argv + 3;
    program.envp = argv + *stack + 1;
    // Nobody in the sandbox may look into us, or into what we have open.
    sys(SYS_prctl, PR_SET_DUMPABLE, 0);
    sys(SYS_prctl, PR_SET_NAME, address("yard-init"));
    sys(SYS_fcntl, kRecordFd, 2 /* F_SETFD */, 1 /* FD_CLOEXEC */);
    // Never more than the pipe takes, or telling would wait forever: a user with many pipes is given small ones.
    const long room = sys(SYS_fcntl, kRecordFd, 1032 /* F_GETPIPE_SZ */) / static_cast<long>(sizeof(Record));
    denialsLeft = room - kOtherRecords < kMaxDenials ? room - kOtherRecords : kMaxDenials;
    unsigned long mask = kSigChldMask;
    sys(SYS_rt_sigprocmask, 0, address(&mask), 0, sizeof mask);
    const long children =
        sys(SYS_signalfd4, -1, address(&mask), sizeof mask, 02000000 | 04000); // CLOEXEC, NONBLOCK
    if (children < 0) {
        tell(RecordKind::Failed, static_cast<int>(StartStep::Watch), static_cast<int>(-children));
        end(127);
    }
    clone_args how = {};
    how.flags = CLONE_VM | CLONE_VFORK | CLONE_FILES;
    how.exit_signal = kSigChld;
    how.stack = reinterpret_cast<unsigned long>(childStack);
    how.stack_size = sizeof childStack;
    const long pid = cloneAndRun(&how, becomeProgram, &program);
    if (pid < 0 || program.step != 0) {
        tell(RecordKind::Failed, pid < 0 ? static_cast<int>(StartStep::Clone) : program.step,
             pid < 0 ? static_cast<int>(-pid) : program.err);
        end(127);
    }
    tell(RecordKind::Started, static_cast<int>(pid));
    // Its streams are its own: who reads them sees their end when it closes them.
    sys(SYS_close_range, 0, last, 0);
    serve(pid, program.listener, static_cast<int>(children));
}

#if defined(__x86_64__)
asm(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall yardInit\n\tud2\n");
#else
asm(".globl _start\n_start:\n\tmov x29, xzr\n\tmov x0, sp\n\tbl yardInit\n\tbrk #1\n");
#endif
