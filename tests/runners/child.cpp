// What the launcher's tests run: one small program with many roles, chosen by its first argument. It is built
// without sanitizers, links nothing, and says what it has to say through its exit code, its output, or a FIFO
// (lines "pid\n").
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace {

char** arguments; // those after the role
char selfPath[4096];

long number(int i) {
    return arguments[i] ? std::atol(arguments[i]) : 0;
}

// A daemon holds it until it has told its name.
constexpr int kUntoldFd = 9;

// A line shorter than PIPE_BUF: several processes may write to one FIFO.
void tell(const char* fifo, const char* word) {
    const int fd = ::open(fifo, O_WRONLY | O_CLOEXEC);
    char line[256];
    const int n = std::snprintf(line, sizeof line, "%s %d\n", word, static_cast<int>(::getpid()));
    if (fd < 0 || ::write(fd, line, static_cast<std::size_t>(n)) != n) ::_exit(99);
    ::close(fd);
    ::close(kUntoldFd);
}

[[noreturn]] void sleepForEver() {
    for (;;) ::pause();
}

void fill(int fd, long bytes) {
    char block[4096];
    long at = 0;
    while (at < bytes) {
        long n = 0;
        for (; n < static_cast<long>(sizeof block) && at + n < bytes; ++n)
            block[n] = static_cast<char>('a' + (at + n) % 23);
        for (long done = 0; done < n;) {
            const ssize_t w = ::write(fd, block + done, static_cast<std::size_t>(n - done));
            if (w < 0) ::_exit(98);
            done += w;
        }
        at += n;
    }
}

int ignoreTerm(bool on) {
    return ::signal(SIGTERM, on ? SIG_IGN : SIG_DFL) == SIG_ERR;
}

// Leaves the session, loses its parent, and is nobody's then. Returns when the daemon has told its name or ended:
// whoever ends daemons may do so at once.
template<class Body>
void daemonise(Body body) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    if (::fork() == 0) {
        ::dup2(ends[1], kUntoldFd);
        ::close(ends[0]);
        ::close(ends[1]);
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        body();
        ::_exit(0);
    }
    ::close(ends[1]);
    char byte = 0;
    while (::read(ends[0], &byte, 1) < 0) {
    }
    ::close(ends[0]);
}

int roleExit() {
    return static_cast<int>(number(0));
}
int roleSignal() {
    ::kill(::getpid(), static_cast<int>(number(0)));
    return 97;
}
int rolePrint() {
    fill(1, number(0));
    fill(2, number(1));
    return 0;
}
int roleEnv() {
    const char* value = std::getenv(arguments[0]);
    std::printf("%s\n", value ? value : "(none)");
    return 0;
}
int roleArgs() {
    for (int i = 0; arguments[i]; ++i) std::printf("[%s]", arguments[i]);
    return 0;
}
int roleCwd() {
    char path[4096];
    std::puts(::getcwd(path, sizeof path));
    return 0;
}
int roleFds() {
    DIR* dir = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(dir))
        if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != ::dirfd(dir)) std::printf("%s ", entry->d_name);
    char link[256] = {};
    if (::readlink("/proc/self/fd/0", link, sizeof link - 1) > 0) std::printf("%s", link);
    return 0;
}
int roleSelf() {
    int death = 0;
    ::prctl(PR_GET_PDEATHSIG, &death);
    std::printf("leader=%d session=%d death=%d\n", ::getpgrp() == ::getpid(), ::getsid(0) == ::getpid(), death);
    FILE* status = std::fopen("/proc/self/status", "r");
    char line[256];
    while (std::fgets(line, sizeof line, status))
        if (std::strncmp(line, "Sig", 3) == 0) std::fputs(line, stdout);
    return 0;
}
int roleLimits() {
    rlimit files{};
    rlimit size{};
    rlimit core{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_FSIZE, &size);
    ::getrlimit(RLIMIT_CORE, &core);
    std::printf("%ld %ld %ld", static_cast<long>(files.rlim_cur), static_cast<long>(size.rlim_cur),
                static_cast<long>(core.rlim_cur));
    return 0;
}
// wait FIFO GATE: says that it runs, then blocks until somebody writes to the gate.
int roleWait() {
    tell(arguments[0], "wait");
    if (!arguments[1]) sleepForEver();
    const int gate = ::open(arguments[1], O_RDONLY);
    char byte = 0;
    return ::read(gate, &byte, 1) == 1 ? 0 : 1;
}
int roleStubborn() {
    ignoreTerm(true);
    tell(arguments[0], "stubborn");
    sleepForEver();
}
int roleGentle() {
    struct sigaction action{};
    action.sa_handler = [](int) {
        if (::write(1, "bye", 3) == 3) ::_exit(3);
    };
    ::sigaction(SIGTERM, &action, nullptr);
    tell(arguments[0], "gentle");
    sleepForEver();
}
int roleDaemon() {
    daemonise([] {
        ignoreTerm(true);
        tell(arguments[0], "daemon");
        sleepForEver();
    });
    while (::wait(nullptr) > 0) {
    }
    return static_cast<int>(number(1));
}
// As daemon, but what is left knows nothing of where it came from: no environment, its own session.
int roleNameless() {
    daemonise([] {
        char role[] = "stubborn";
        char* argv[] = {selfPath, role, arguments[0], nullptr};
        char* envp[] = {nullptr};
        ::execve(selfPath, argv, envp);
        ::_exit(99);
    });
    while (::wait(nullptr) > 0) {
    }
    return 0;
}
// A background child that ends soon after its parent.
int roleBackground() {
    if (::fork() == 0) return 0;
    return 5;
}
int roleTree() {
    for (long i = 0; i < number(1); ++i) {
        if (::fork() == 0) {
            if (i % 2 == 0) ::setsid();
            if (::fork() == 0) {
                ignoreTerm(i % 3 == 0);
                tell(arguments[0], "leaf");
                sleepForEver();
            }
            tell(arguments[0], "branch");
            sleepForEver();
        }
    }
    tell(arguments[0], "root");
    sleepForEver();
}
// Each generation forks the next and ends, so that no list of processes is true for long. Ends by itself after N.
int roleStorm() {
    ignoreTerm(true);
    for (int width = 0; width < 3; ++width) {
        if (::fork() != 0) continue;
        tell(arguments[0], "storm");
        for (long i = 0; i < number(1); ++i) {
            const pid_t pid = ::fork();
            if (pid > 0) ::_exit(0);
            if (pid < 0) ::_exit(96);
        }
        sleepForEver();
    }
    sleepForEver();
}
int roleFlood() {
    for (;;) fill(1, 1 << 20);
}
// Writes, waits for the gate, writes again.
int roleTwice() {
    fill(1, number(2));
    tell(arguments[0], "twice");
    const int gate = ::open(arguments[1], O_RDONLY);
    char byte = 0;
    if (::read(gate, &byte, 1) != 1) return 1;
    fill(1, number(2));
    return 0;
}
int roleHold() {
    daemonise([] {
        tell(arguments[0], "hold");
        sleepForEver();
    });
    while (::wait(nullptr) > 0) {
    }
    std::puts("done");
    return 0;
}
int roleSpin() {
    for (;;) {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        if (usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 >= number(0)) return 0;
    }
}
// Has a child write so many bytes to its directory, and prints what the kernel then says of both: bytes to disks.
int roleDisk() {
    const pid_t child = ::fork();
    if (child == 0) {
        const int fd = ::open("written", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) ::_exit(96);
        fill(fd, number(0));
        ::_exit(::fsync(fd) == 0 ? 0 : 96);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return 96;
    rusage children{};
    if (::getrusage(RUSAGE_CHILDREN, &children) != 0) return 96;
    std::printf("%ld\n", children.ru_oublock * 512);
    return 0;
}

// Touches so many bytes, and prints what the kernel says of its own image since then: its peak, in kB.
int rolePeak() {
    const auto bytes = static_cast<std::size_t>(number(0));
    auto* memory = static_cast<volatile char*>(std::malloc(bytes + 1));
    if (!memory) return 97;
    for (std::size_t at = 0; at <= bytes; at += 4096) memory[at] = 1;
    std::FILE* status = std::fopen("/proc/self/status", "re");
    char line[256];
    long peak = 0;
    while (status && std::fgets(line, sizeof line, status))
        if (std::sscanf(line, "VmHWM: %ld", &peak) == 1) std::printf("%ld\n", peak);
    return peak > 0 ? 0 : 96;
}
// An orphan that uses CPU and ends before the action does.
int roleSpinInOrphan() {
    daemonise([] { roleSpin(); });
    return 0;
}

// warm FIFO GATE WHAT: says that it is ready to work on two at once, then that it runs, and waits for the gate.
// Then it ends ("leave"), or reads what it was sent, hangs up and waits for the gate again ("hang-up").
int roleWarm() {
    const int engine = std::atoi(std::getenv("YARD_SOCKET_FD"));
    const std::string json = R"({"ready":true,"concurrency":2,"ahead":0})";
    std::string frame(12, '\0');
    frame[0] = static_cast<char>(8 + json.size());
    frame += json;
    if (::write(engine, frame.data(), frame.size()) != static_cast<ssize_t>(frame.size())) return 98;
    tell(arguments[0], "warm");
    const int gate = ::open(arguments[1], O_RDONLY);
    char byte = 0;
    if (::read(gate, &byte, 1) != 1) return 1;
    if (std::strcmp(arguments[2], "hang-up") == 0) {
        char request[4096];
        if (::read(engine, request, sizeof request) < 12) return 97;
        ::shutdown(engine, SHUT_RDWR);
        tell(arguments[0], "hung-up");
        if (::read(gate, &byte, 1) != 1) return 1;
    }
    return 9;
}

} // namespace

int main(int argc, char** argv) {
    const std::map<std::string, int (*)()> roles{{"exit", roleExit},     {"signal", roleSignal},
                                                 {"print", rolePrint},   {"env", roleEnv},
                                                 {"args", roleArgs},     {"cwd", roleCwd},
                                                 {"fds", roleFds},       {"self", roleSelf},
                                                 {"limits", roleLimits}, {"wait", roleWait},
                                                 {"gentle", roleGentle}, {"stubborn", roleStubborn},
                                                 {"daemon", roleDaemon}, {"nameless", roleNameless},
                                                 {"tree", roleTree},     {"background", roleBackground},
                                                 {"storm", roleStorm},   {"flood", roleFlood},
                                                 {"twice", roleTwice},   {"hold", roleHold},
                                                 {"spin", roleSpin},     {"orphan-spin", roleSpinInOrphan},
                                                 {"warm", roleWarm},     {"peak", rolePeak},
                                                 {"disk", roleDisk}};
    if (argc < 2 || !roles.contains(argv[1])) return 95;
    const ssize_t n = ::readlink("/proc/self/exe", selfPath, sizeof selfPath - 1);
    if (n < 0) return 94;
    arguments = argv + 2;
    return roles.at(argv[1])();
}
