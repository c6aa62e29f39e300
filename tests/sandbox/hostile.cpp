// A worker that means harm: what it is asked for by function it tries, and says for each attempt how it went.
// Driven by test_escapes.py. An attempt that should have failed and did not prints a line that begins with ESCAPED.
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <map>
#include <sched.h>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

/// Words of the action's "args", which is one JSON string without escapes.
std::vector<std::string> arguments;

void tried(const std::string& what, long result) {
    if (result >= 0)
        std::printf("ESCAPED %s\n", what.c_str());
    else
        std::printf("%s: %s\n", what.c_str(), std::strerror(errno));
    std::fflush(stdout);
}

void writeOutside() {
    std::vector<std::string> paths = {"/made",
                                      "/usr/made",
                                      "/bin/made",
                                      "/etc/passwd",
                                      "/worker/made",
                                      "/inputs/made",
                                      "/action.json",
                                      "/dev/made",
                                      "/proc/sys/kernel/hostname",
                                      "/proc/sys/kernel/core_pattern",
                                      "/proc/sysrq-trigger",
                                      "/proc/1/oom_score_adj"};
    for (const std::string& place : arguments) {
        paths.push_back(place + "/made");
        paths.push_back("/proc/1/root" + place + "/made");
        paths.push_back("/proc/self/cwd/../.." + place + "/made");
    }
    for (const std::string& path : paths) tried("write " + path, ::open(path.c_str(), O_WRONLY | O_CREAT, 0644));
    tried("chmod /worker", ::chmod("/worker", 0777));
    tried("unlink /inputs/in", ::unlink("/inputs/in"));
    tried("rename /action.json", ::rename("/action.json", "/outputs/action.json"));
    tried("link /inputs/in", ::link("/inputs/in", "/outputs/in"));
}

void readOutside() {
    std::vector<std::string> paths = arguments;
    for (const char* path :
         {"/etc/shadow", "/root", "/home", "/var", "/sys", "/run", "/proc/1/mem", "/proc/1/environ", "/proc/1/fd",
          "/proc/1/cwd/etc", "/proc/kcore", "/dev/mem", "/dev/tty", "/dev/kmsg"})
        paths.emplace_back(path);
    for (const std::string& path : paths) {
        tried("read " + path, ::open(path.c_str(), O_RDONLY));
        if (!path.starts_with("/proc"))
            tried("read by way of init " + path, ::open(("/proc/1/root" + path).c_str(), O_RDONLY));
    }
    for (int fd = 3; fd < 1024; ++fd)
        if (::fcntl(fd, F_GETFD) >= 0) std::printf("ESCAPED descriptor %d is open\n", fd);
    std::ifstream environment("/proc/self/environ");
    std::stringstream text;
    text << environment.rdbuf();
    if (text.str().contains("SECRET")) std::printf("ESCAPED the engine's environment\n");
}

void signalOutside() {
    for (const std::string& number : arguments) {
        const int pid = std::atoi(number.c_str());
        tried("kill " + number, ::kill(pid, SIGKILL));
        tried("trace " + number, ::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr));
        tried("hold " + number, ::syscall(SYS_pidfd_open, pid, 0));
    }
    tried("trace the first process", ::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
    ::kill(1, SIGKILL); // no effect: the first process is told nothing by its own
    ::kill(1, SIGTERM);
    if (::getppid() != 1) std::printf("ESCAPED the parent is %d\n", ::getppid());
}

void connectOut() {
    const auto tcp = [](const char* address, int port) {
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in peer{};
        peer.sin_family = AF_INET;
        peer.sin_port = htons(static_cast<uint16_t>(port));
        ::inet_pton(AF_INET, address, &peer.sin_addr);
        return ::connect(fd, reinterpret_cast<const sockaddr*>(&peer), sizeof peer);
    };
    tried("connect to the engine", tcp("127.0.0.1", std::atoi(arguments.at(0).c_str())));
    tried("connect out", tcp("192.0.2.1", 80));
    tried("socket to the host of this machine", ::socket(40, SOCK_STREAM, 0));
    tried("packet socket", ::socket(AF_PACKET, SOCK_RAW, 0));
    tried("raw socket", ::socket(AF_INET, SOCK_RAW, 1));
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un peer{};
    peer.sun_family = AF_UNIX;
    const std::string& outside = arguments.at(1);
    std::strncpy(peer.sun_path + 1, outside.c_str(), sizeof peer.sun_path - 2);
    tried("connect to a nameless socket outside",
          ::connect(fd, reinterpret_cast<const sockaddr*>(&peer),
                    static_cast<socklen_t>(sizeof(sa_family_t) + 1 + outside.size())));
    const int udp = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(53);
    ::inet_pton(AF_INET, "192.0.2.1", &name.sin_addr);
    tried("send out", ::sendto(udp, "x", 1, 0, reinterpret_cast<const sockaddr*>(&name), sizeof name));
}

/// By number, and such that Linux 6.15 would do it for anybody.
void askForMounts() {
    tried("open_tree_attr", ::syscall(467, AT_FDCWD, "/tmp", O_CLOEXEC, nullptr, 0));
    struct statx root{};
    ::statx(AT_FDCWD, "/", 0, 0x4000 /* STATX_MNT_ID_UNIQUE */, &root);
    struct {
        std::uint32_t size = 24, unused = 0;
        std::uint64_t mount = 0, more = 0;
    } request;
    request.mount = root.stx_mnt_id;
    request.more = 1; // STATMOUNT_SB_BASIC
    static char told[4096];
    tried("statmount", ::syscall(457, &request, told, sizeof told, 0));
    request.mount = ~std::uint64_t{0}; // LSMT_ROOT
    request.more = 0;
    tried("listmount", ::syscall(458, &request, told, 16, 0));
}

void mountThings() {
    tried("mount", ::mount("none", "/tmp", "tmpfs", 0, nullptr));
    tried("mount writable", ::mount(nullptr, "/usr", nullptr, MS_REMOUNT | MS_BIND, nullptr));
    tried("unmount", ::umount2("/proc", MNT_DETACH));
    tried("unshare", ::unshare(CLONE_NEWUSER | CLONE_NEWNS));
    tried("chroot", ::chroot("/tmp"));
    tried("pivot", ::syscall(SYS_pivot_root, "/tmp", "/tmp"));
    tried("enter", ::setns(::open("/proc/self/ns/mnt", O_RDONLY), 0));
    tried("open_tree", ::syscall(SYS_open_tree, -100, "/", 1));
    askForMounts();
    tried("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
    tried("io_uring", ::syscall(SYS_io_uring_setup, 1, nullptr));
    tried("keyctl", ::syscall(SYS_keyctl, 0, 0, 0));
    tried("clone into namespaces", ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

void forkMany() {
    int made = 0;
    for (; made < 5'000; ++made) {
        const pid_t pid = ::fork();
        if (pid < 0) break;
        if (pid == 0) {
            ::pause();
            ::_exit(0);
        }
    }
    std::printf("forks %d\n", made);
}

void takeMemory() {
    constexpr std::size_t kPart = 4u << 20;
    std::size_t taken = 0;
    for (; taken < (4u << 30u); taken += kPart) {
        auto* part =
            static_cast<char*>(::mmap(nullptr, kPart, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (part == MAP_FAILED) break;
        std::memset(part, 1, kPart);
    }
    std::printf("memory %zu\n", taken >> 20);
    tried("memory file", ::syscall(SYS_memfd_create, "x", 0));
    tried("shared segment", ::shmget(IPC_PRIVATE, 1u << 20, IPC_CREAT | 0600));
}

void fillTmp() {
    ::signal(SIGXFSZ, SIG_IGN);
    std::size_t filled = 0;
    static char block[1u << 20];
    for (bool more = true; more && filled < 4096;) {
        const int fd = ::open(("/tmp/fill" + std::to_string(filled)).c_str(), O_WRONLY | O_CREAT, 0600);
        more = false; // an empty file is the end
        for (; ::write(fd, block, sizeof block) == static_cast<ssize_t>(sizeof block); more = true) ++filled;
    }
    std::printf("tmp %zu\n", filled);
    std::fflush(stdout);
}

/// Of several processes, and shared: what no limit of one process counts.
void takeSharedMemory() {
    constexpr std::size_t kSize = 400u << 20;
    auto* shared =
        static_cast<char*>(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (shared != MAP_FAILED) std::memset(shared, 1, kSize);
    ::sleep(60);
}

void openMany() {
    int count = 0;
    while (count < 100'000 && ::open("/dev/null", O_RDONLY) >= 0) ++count;
    std::printf("descriptors %d\n", count);
}

void fillDisk() {
    ::signal(SIGXFSZ, SIG_IGN);
    const int fd = ::open("/outputs/large", O_WRONLY | O_CREAT, 0600);
    static char block[1u << 20];
    std::size_t wrote = 0;
    for (ssize_t n = 0; wrote < (1u << 30u) && (n = ::write(fd, block, sizeof block)) > 0;)
        wrote += static_cast<std::size_t>(n);
    std::printf("file %zu\n", wrote >> 20);
}

/// Many files, none of them large, and then waits for what comes.
void fillDiskByMany() {
    static char block[1u << 20];
    for (int i = 0; i < 100; ++i) {
        const int fd = ::open(("/outputs/part" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || ::write(fd, block, sizeof block) < 0) break;
        ::close(fd);
    }
    ::sleep(1'000);
}

/// Lives on by itself, deaf to what one can be deaf to. Its name can be found from outside.
void leaveDaemon(bool stay) {
    if (::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        ::setsid();
        for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
        ::clearenv();
        for (int fd = 0; fd < 3; ++fd) ::close(fd);
        char* argv[] = {const_cast<char*>("hostile"), const_cast<char*>(arguments.at(0).c_str()), nullptr};
        ::execv("/proc/self/exe", argv);
        ::_exit(1);
    }
    std::printf("left\n");
    std::fflush(stdout);
    if (stay) ::sleep(1'000);
}

void leaveThings() {
    const int fd = ::open("/outputs/plain", O_WRONLY | O_CREAT, 0755);
    tried("set-id by chmod", ::chmod("/outputs/plain", 04755));
    tried("set-id by fchmod", ::fchmod(fd, 06755));
    tried("set-id by open", ::open("/outputs/set", O_WRONLY | O_CREAT, 04755));
    tried("device", ::mknod("/outputs/null", S_IFCHR | 0666, (1 << 8) | 3));
    tried("give away", ::chown("/outputs/plain", 0, 0));
    ::mkfifo("/outputs/pipe", 0600);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strcpy(name.sun_path, "/outputs/socket");
    ::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name);
    ::symlink("/etc/shadow", "/outputs/shadow");
    ::symlink(arguments.at(0).c_str(), "/outputs/data");
    ::symlink("../../../../token", "/outputs/token");
    for (const char* path : {"/outputs/a\nb", "/outputs/\xff", "/outputs/..x", "/outputs/\x1b[2J"})
        ::close(::open(path, O_WRONLY | O_CREAT, 0600));
    ::mkdir("/outputs/closed", 0700);
    ::close(::open("/outputs/closed/in", O_WRONLY | O_CREAT, 0600));
    ::chmod("/outputs/closed", 0);
}

void leaveFiles() {
    const long count = std::atol(arguments.at(0).c_str());
    for (long i = 0; i < count; ++i) {
        const int fd = ::open(("/outputs/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600);
        if (fd < 0) break;
        ::close(fd);
    }
}

void leaveDirectories() {
    const long count = std::atol(arguments.at(0).c_str());
    for (long i = 0; i < count && ::mkdir(("/outputs/" + std::to_string(i)).c_str(), 0700) == 0; ++i) {
    }
}

/// A member of the flat JSON object of YARD_ACTION, as far as a program needs it that knows who wrote it.
std::string member(const std::string& text, const std::string& name) {
    const std::string key = "\"" + name + "\":\"";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return {};
    return text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1) // the daemon
        for (;;) ::sleep(1'000);
    std::ifstream file(std::getenv("YARD_ACTION"));
    std::stringstream text;
    text << file.rdbuf();
    file.close(); // what is open from here on somebody else left
    std::stringstream words(member(text.str(), "args"));
    for (std::string word; words >> word;) arguments.push_back(word);
    const std::map<std::string, std::function<void()>> functions = {{"write", writeOutside},
                                                                    {"read", readOutside},
                                                                    {"signal", signalOutside},
                                                                    {"connect", connectOut},
                                                                    {"mount", mountThings},
                                                                    {"fork", forkMany},
                                                                    {"memory", takeMemory},
                                                                    {"tmp", fillTmp},
                                                                    {"share", takeSharedMemory},
                                                                    {"open", openMany},
                                                                    {"disk", fillDisk},
                                                                    {"parts", fillDiskByMany},
                                                                    {"daemon", [] { leaveDaemon(false); }},
                                                                    {"stay", [] { leaveDaemon(true); }},
                                                                    {"leave", leaveThings},
                                                                    {"files", leaveFiles},
                                                                    {"directories", leaveDirectories}};
    const auto found = functions.find(member(text.str(), "function"));
    if (found == functions.end()) return 64;
    found->second();
    std::fflush(stdout);
    return 0;
}
