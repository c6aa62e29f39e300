// A worker that means harm while it lives: as a warm process that goes on after its answers, and as a process of
// its own. Each attempt that should fail and does not is a line that begins with ESCAPED, in the result. Driven by
// test_escapes_alive.py.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <linux/fs.h>
#include <map>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <yard_worker.h>

namespace {

/// Of one request.
struct Attack {
    std::string in;
    std::string out;
    std::string root;  ///< of both
    std::string above; ///< where those of all requests lie
    std::vector<std::string> words;
    std::string report;

    void tried(const std::string& what, long result) {
        report += result >= 0 ? "ESCAPED " + what : what + ": " + std::strerror(errno);
        report += '\n';
    }
    void say(const std::string& line) { report += line + '\n'; }
    const std::string& word(std::size_t index) const { return words.at(index); }
};

std::string parentOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string below(const std::string& directory, const std::string& name) {
    return directory == "/" ? directory + name : directory + '/' + name;
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

int swapNames(const std::string& a, const std::string& b) {
    return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
}

/// What a request has is in the place it was given: none of it can be moved, replaced, or added to.
void plant(Attack& a) {
    const std::string& data = a.word(0);
    a.tried("rename the request", ::rename(a.root.c_str(), below(a.above, "moved").c_str()));
    a.tried("rename inputs", ::rename(a.in.c_str(), below(a.root, "moved").c_str()));
    a.tried("rename outputs", ::rename(a.out.c_str(), below(a.root, "moved").c_str()));
    a.tried("rename outputs away", ::rename(a.out.c_str(), "/tmp/moved"));
    a.tried("remove inputs", ::rmdir(a.in.c_str()));
    a.tried("remove outputs", ::rmdir(a.out.c_str()));
    a.tried("remove outputs as a file", ::unlink(a.out.c_str()));
    a.tried("exchange inputs and outputs", swapNames(a.in, a.out));
    a.tried("exchange the request and /tmp", swapNames(a.root, "/tmp"));
    for (const char* name : {".spare.0", ".requests.kept", ".requests.open", "0", "9999.1", "new"}) {
        a.tried(std::string("make a directory ") + name, ::mkdir(below(a.above, name).c_str(), 0777));
        a.tried(std::string("link ") + name, ::symlink(data.c_str(), below(a.above, name).c_str()));
    }
    a.tried("link beside outputs", ::symlink(data.c_str(), below(a.root, "planted").c_str()));
    a.tried("a directory beside outputs", ::mkdir(below(a.root, "planted").c_str(), 0777));
    a.tried("a file beside outputs", ::open(below(a.root, "planted").c_str(), O_WRONLY | O_CREAT, 0666));
    a.tried("a pipe beside outputs", ::mkfifo(below(a.root, "planted").c_str(), 0666));
    a.tried("a file among the inputs", ::open(below(a.in, "planted").c_str(), O_WRONLY | O_CREAT, 0666));
    a.tried("write an input", ::open(below(a.in, "i").c_str(), O_WRONLY));
    a.tried("cut an input", ::truncate(below(a.in, "i").c_str(), 0));
    a.tried("remove an input", ::unlink(below(a.in, "i").c_str()));
    a.tried("rename an input", ::rename(below(a.in, "i").c_str(), below(a.out, "i").c_str()));
    for (const std::string& path : {a.above, a.root, a.in, below(a.in, "i")})
        a.tried("change the mode of " + path, ::chmod(path.c_str(), 0777));
    a.tried("attributes of the request", ::setxattr(a.root.c_str(), "user.x", "y", 1, 0));
    a.tried("times of the request", ::utimensat(AT_FDCWD, a.root.c_str(), nullptr, 0));
    if (a.above != "/") a.tried("list the requests", ::open(a.above.c_str(), O_RDONLY | O_DIRECTORY));
}

void mountInside(Attack& a) {
    a.tried("mount on outputs", ::mount("none", a.out.c_str(), "tmpfs", 0, nullptr));
    a.tried("bind on outputs", ::mount("/usr", a.out.c_str(), nullptr, MS_BIND, nullptr));
    a.tried("move a mount", ::mount("/usr", a.out.c_str(), nullptr, MS_MOVE, nullptr));
    a.tried("make it writable", ::mount(nullptr, a.above.c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr));
    a.tried("make it shared", ::mount(nullptr, a.above.c_str(), nullptr, MS_SHARED, nullptr));
    a.tried("unmount", ::umount2(a.above.c_str(), MNT_DETACH));
    a.tried("a tree of mounts", ::syscall(SYS_open_tree, AT_FDCWD, a.out.c_str(), 1));
    a.tried("namespaces", ::unshare(CLONE_NEWUSER | CLONE_NEWNS));
    a.tried("a root of its own", ::chroot(a.out.c_str()));
    a.tried("a device", ::mknod(below(a.out, "device").c_str(), S_IFBLK | 0666, 0x801));
    a.tried("give outputs away", ::chown(a.out.c_str(), 0, 0));
    a.tried("a handle", ::syscall(SYS_open_by_handle_at, AT_FDCWD, a.out.c_str(), O_RDONLY));
}

void climb(Attack& a) {
    const std::string& data = a.word(0);
    const int out = ::open(a.out.c_str(), O_RDONLY | O_DIRECTORY);
    for (const std::string& up :
         {std::string("../token"), std::string("../../token"), std::string("../../../token"),
          std::string("../../../../token"), "../../../../../../../.." + data + "/token"})
        a.tried("open " + up, ::openat(out, up.c_str(), O_RDONLY));
    ::symlink((data + "/token").c_str(), below(a.out, "token").c_str());
    a.tried("open a link of its own", ::open(below(a.out, "token").c_str(), O_RDONLY));
    for (const char* of : {"self", "1"})
        a.tried(std::string("open by way of ") + of,
                ::open(("/proc/" + std::string(of) + "/root" + data + "/token").c_str(), O_RDONLY));
    for (const char* from : {"/worker/bin/it", "/etc/passwd", "/usr/bin/env", "/proc/self/exe"})
        a.tried(std::string("hard link of ") + from, ::link(from, below(a.out, "hard").c_str()));
    a.tried("hard link out", ::link(below(a.out, "token").c_str(), "/tmp/hard"));
}

/// What names and kinds there are, each in outputs/. The engine must come to an end, and keep what is a file.
void leave(Attack& a) {
    const std::string& data = a.word(0);
    write(below(a.out, "good"), "good");
    ::mkfifo(below(a.out, "pipe").c_str(), 0666);
    const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, below(a.out, "socket").c_str(), sizeof name.sun_path - 1);
    ::bind(server, reinterpret_cast<const sockaddr*>(&name), sizeof name);
    ::symlink((data + "/token").c_str(), below(a.out, "link").c_str());
    ::symlink(data.c_str(), below(a.out, "directory").c_str());
    ::symlink("/proc/self/fd/0", below(a.out, "magic").c_str());
    ::symlink("..", below(a.out, "up").c_str());
    ::symlink("loop", below(a.out, "loop").c_str());
    write(below(a.out, std::string(255, 'n')), "long");
    write(below(a.out, "line\nbreak"), "x");
    write(below(a.out, "\xff\xfe"), "x");
    write(below(a.out, "closed"), "closed");
    ::chmod(below(a.out, "closed").c_str(), 0);
    ::link(below(a.out, "good").c_str(), below(a.out, "twice").c_str());
    int at = ::open(a.out.c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 500 && at >= 0; ++i) { // deeper than any path
        ::mkdirat(at, "deep", 0700);
        const int next = ::openat(at, "deep", O_RDONLY | O_DIRECTORY);
        ::close(at);
        at = next;
    }
    ::mkdir(below(a.out, "shut").c_str(), 0700);
    write(below(a.out, "shut/in"), "in");
    ::chmod(below(a.out, "shut").c_str(), 0);
    ::chmod(a.out.c_str(), 0);
}

void many(Attack& a) {
    const long count = std::atol(a.word(0).c_str());
    const int out = ::open(a.out.c_str(), O_RDONLY | O_DIRECTORY);
    for (long i = 0; i < count; ++i) ::close(::openat(out, std::to_string(i).c_str(), O_WRONLY | O_CREAT, 0600));
}

/// Whoever opens it has to wait until this one lets go, which it never does.
void lease(Attack& a) {
    std::signal(SIGIO, SIG_IGN); // how it is asked to
    const int fd = ::open(below(a.out, "leased").c_str(), O_RDWR | O_CREAT, 0600);
    if (::write(fd, "mine", 4) != 4) a.say("it cannot be written");
    a.say(::fcntl(fd, F_SETLEASE, F_WRLCK) == 0 ? "leased" : std::string("not leased: ") + std::strerror(errno));
}

// --- what goes on after the answer

std::atomic<bool> stop{false};
std::vector<std::thread> behind;

/// Works on while the engine collects, and a while after.
void goOn(std::function<void(long)> step) {
    behind.emplace_back([step = std::move(step)] {
        for (long i = 0; i < 200'000 && !stop; ++i) step(i);
    });
}

/// Files, links, pipes and directories change places while they are collected. Nothing but "mine" may be found.
void swap(Attack& a) {
    const std::string& data = a.word(0);
    const std::string out = a.out;
    const int fd = ::open(out.c_str(), O_RDONLY | O_DIRECTORY);
    const auto at = [&](const std::string& name) { return below(out, name); };
    for (int i = 0; i < 20; ++i) write(at("file" + std::to_string(i)), "mine");
    ::symlink((data + "/token").c_str(), at("link").c_str());
    ::mkfifo(at("pipe").c_str(), 0666);
    ::mkdir(at("a").c_str(), 0777);
    write(at("a/token"), "mine");
    ::symlink(data.c_str(), at("b").c_str());
    goOn([fd](long i) {
        const std::string file = "file" + std::to_string(i % 20);
        ::renameat2(fd, file.c_str(), fd, i % 2 ? "link" : "pipe", RENAME_EXCHANGE);
        ::renameat2(fd, "a", fd, "b", RENAME_EXCHANGE);
        if (i % 7 == 0) ::renameat2(fd, "a", fd, "file0", RENAME_EXCHANGE);
    });
}

/// A file that grows, shrinks and changes while it is copied, and after.
void late(Attack& a) {
    const std::size_t size = std::stoul(a.word(0));
    const int fd = ::open(below(a.out, "late").c_str(), O_RDWR | O_CREAT, 0600);
    ::ftruncate(fd, static_cast<off_t>(size));
    auto* bytes = static_cast<char*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (bytes == MAP_FAILED) return;
    std::memset(bytes, 'a', size);
    goOn([fd, bytes, size](long i) {
        bytes[static_cast<std::size_t>(i * 4099) % size] = static_cast<char>('b' + i % 20);
        if (i % 64 == 0) ::pwrite(fd, "xyz", 3, 0);
    });
}

// --- what is kept for the next request

struct Kept {
    std::string in;
    std::string out;
    std::string root;
    int outFd = -1;
    int inFd = -1;
    int rootFd = -1;
    int file = -1;
};
Kept kept;

void keep(Attack& a) {
    write(below(a.out, "secret"), "of the first");
    kept = {a.in,
            a.out,
            a.root,
            ::open(a.out.c_str(), O_RDONLY | O_DIRECTORY),
            ::open(a.in.c_str(), O_RDONLY | O_DIRECTORY),
            ::open(a.root.c_str(), O_PATH | O_DIRECTORY),
            ::open(below(a.out, "secret").c_str(), O_RDWR)};
    ::chdir(a.out.c_str());
}

/// In the next one.
void use(Attack& a) {
    const std::string& data = a.word(0);
    a.tried("write into ended outputs by name", ::open(below(kept.out, "late").c_str(), O_WRONLY | O_CREAT, 0600));
    a.tried("look at ended outputs by name", ::open(kept.out.c_str(), O_RDONLY | O_DIRECTORY));
    a.tried("look at ended inputs by name", ::open(kept.in.c_str(), O_RDONLY | O_DIRECTORY));
    a.tried("read an ended input by name", ::open(below(kept.in, "i").c_str(), O_RDONLY));
    a.tried("read an ended input by descriptor", ::openat(kept.inFd, "i", O_RDONLY));
    a.tried("read an ended output by descriptor", ::openat(kept.outFd, "secret", O_RDONLY));
    a.tried("write among ended inputs", ::openat(kept.inFd, "late", O_WRONLY | O_CREAT, 0600));
    a.tried("plant beside ended outputs", ::mkdirat(kept.rootFd, "late", 0700));
    a.tried("rename ended outputs", ::renameat(kept.rootFd, "outputs", kept.rootFd, "moved"));
    for (const int fd : {kept.outFd, kept.inFd, kept.rootFd, AT_FDCWD})
        for (const char* up : {"..", "../..", "../../..", "../../../../token", "../outputs", "../../0"})
            a.tried("open " + std::string(up) + " of an ended request", ::openat(fd, up, O_RDONLY));
    a.tried("open out of an ended request",
            ::openat(kept.outFd, ("../../../../.." + data + "/token").c_str(), O_RDONLY));
    // Nobody can keep it from writing what is its own; it must not be seen again.
    ::pwrite(kept.file, "CHANGED", 7, 0);
    ::ftruncate(kept.file, 1'000'000);
    for (const int flags : {O_WRONLY | O_CREAT})
        for (const char* name : {"late", "good"}) ::close(::openat(kept.outFd, name, flags, 0600));
    ::symlinkat((data + "/token").c_str(), kept.outFd, "token");
    ::mkdirat(kept.outFd, "planted", 0700);
    ::fchmod(kept.outFd, 0);
    const unsigned flag = FS_NODUMP_FL;
    ::ioctl(kept.outFd, FS_IOC_SETFLAGS, &flag);
    write(below(a.out, "own"), "of the second");
    ::chdir("/");
}

/// What is passed from one process of the worker to one of another sandbox.
void pass(Attack& a) {
    const std::string& name = a.word(0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un peer{};
    peer.sun_family = AF_UNIX;
    std::strncpy(peer.sun_path + 1, name.c_str(), sizeof peer.sun_path - 2);
    const auto size = static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size());
    if (a.word(1) == "serve") {
        ::bind(fd, reinterpret_cast<const sockaddr*>(&peer), size);
        ::listen(fd, 1);
        goOn([](long) { ::usleep(1000); });
        return;
    }
    a.tried("connect to a socket of another sandbox",
            ::connect(fd, reinterpret_cast<const sockaddr*>(&peer), size));
}

void good(Attack& a) {
    std::ifstream in(below(a.in, "i"));
    std::stringstream text;
    text << in.rdbuf();
    write(below(a.out, "good"), text.str());
}

/// What is in outputs/ before anything was written to it.
void fresh(Attack& a) {
    struct stat st{};
    DIR* dir = ::opendir(a.out.c_str());
    while (const dirent* entry = dir ? ::readdir(dir) : nullptr)
        if (entry->d_name[0] != '.') a.say(std::string("ESCAPED there is ") + entry->d_name);
    if (dir) ::closedir(dir);
    if (::stat(a.out.c_str(), &st) != 0 || (st.st_mode & 07777) != 0700)
        a.say("ESCAPED its mode is not that of a new one");
    if (::listxattr(a.out.c_str(), nullptr, 0) > 0) a.say("ESCAPED it has attributes");
    good(a);
}

const std::map<std::string, std::function<void(Attack&)>> kAttacks = {
    {"plant", plant}, {"mount", mountInside}, {"climb", climb}, {"leave", leave}, {"many", many},
    {"lease", lease}, {"swap", swap},         {"late", late},   {"keep", keep},   {"use", use},
    {"pass", pass},   {"fresh", fresh},       {"good", good}};

yard::Answer answer(const std::function<void(Attack&)>& attack, const yard::Job& job) {
    Attack a;
    a.in = job.inputs == "inputs" ? "/inputs" : job.inputs;
    a.out = job.outputs == "outputs" ? "/outputs" : job.outputs;
    a.root = parentOf(a.out);
    a.above = parentOf(a.root);
    std::stringstream words(yard::detail::unquote(job.args));
    for (std::string word; words >> word;) a.words.push_back(word);
    attack(a);
    return yard::Answer::result(yard::detail::quote(a.report));
}

} // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    yard::Worker worker;
    for (const auto& [name, attack] : kAttacks)
        worker.add(name, "1", [body = attack](const yard::Job& job) { return answer(body, job); });
    const int code = worker.run(argc, argv);
    stop = true;
    for (std::thread& thread : behind) thread.join();
    return code;
}
