#include "core/sandbox/layout.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t kWritable = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::uint64_t kDevice = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
constexpr std::uint64_t kMostTmpFiles = 200'000;
constexpr const char* kEmptyLayer = ".empty";
// Of one overlay: what is written, and what the kernel needs on the same file system. Hidden, but the program's own.
constexpr const char* kLayers = "tmp/.layers";
constexpr const char* kUpperLayer = "tmp/.layers/upper";
constexpr const char* kWorkLayer = "tmp/.layers/work";

constexpr std::array kSystemDirectories = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"};
constexpr std::array kDevices = {"null", "zero", "full", "random", "urandom"};
// What programs of the system directories need to run at all; nothing that says much of this machine or its users.
constexpr std::array kConfiguration = {"ld.so.cache", "alternatives", "localtime", "nsswitch.conf",   "protocols",
                                       "services",    "fonts",        "ssl/certs", "ssl/openssl.cnf", "mime.types"};
constexpr std::array kNetworkConfiguration = {"resolv.conf", "hosts", "host.conf", "gai.conf"};

constexpr const char* kPasswd = "root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
                                "worker:x:1000:1000::/tmp:/bin/sh\n"
                                "nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\nworker:x:1000:\nnogroup:x:65534:\n";

/// As it is outside: a link stays one, a directory or file is bound.
void show(Layout& layout, const std::string& outside, const std::string& path) {
    struct stat st{};
    if (::lstat(outside.c_str(), &st) != 0) return;
    if (S_ISLNK(st.st_mode)) {
        std::array<char, PATH_MAX> target{};
        const ssize_t size = ::readlink(outside.c_str(), target.data(), target.size() - 1);
        if (size <= 0) return;
        const std::string text(target.data(), static_cast<std::size_t>(size));
        // What it leads to may not be there inside: then that itself is bound.
        if (!text.starts_with("/") || text.starts_with("/usr/")) {
            const bool leavesEtc = path.starts_with("etc/") && !text.starts_with("/") && text.starts_with("..");
            if (!leavesEtc) return layout.link(path, text);
        }
        if (::stat(outside.c_str(), &st) != 0) return;
        std::error_code err;
        const std::string real = fs::canonical(outside, err).string();
        if (!err) layout.bind(real, path, kReadOnly, S_ISDIR(st.st_mode));
        return;
    }
    if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) layout.bind(outside, path, kReadOnly, S_ISDIR(st.st_mode));
}

std::string lowerLayer(const std::string& from) {
    std::string options = "lowerdir=";
    for (const char c : from) {
        if (c == '\\' || c == ':' || c == ',') options += '\\';
        options += c;
    }
    return options;
}

void addSystem(Layout& layout, const std::string& root, const std::string& path) {
    const std::string outside = root + "/" + path;
    layout.lookAt(outside);
    show(layout, outside, path);
}

void addConfiguration(Layout& layout, const std::string& root, const std::string& name) {
    const std::string path = "etc/" + name;
    const std::string outside = root + "/" + path;
    layout.lookAt(outside);
    if (::access(outside.c_str(), R_OK) != 0) return;
    layout.parentsOf(path);
    show(layout, outside, path);
}

} // namespace

Layout::Identity Layout::identityOf(const std::string& path) {
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

bool Layout::isOutdated() const {
    return std::ranges::any_of(sources_,
                               [](const Source& source) { return identityOf(source.path) != source.identity; });
}

void Layout::lookAt(const std::string& source) {
    sources_.push_back({source, identityOf(source)});
}

const char* Layout::keep(std::string text) {
    return texts_.emplace_back(std::move(text)).c_str();
}

void Layout::add(Op::Kind kind, const std::string& from, const std::string& to, std::uint64_t attributes) {
    ops_.push_back({kind, keep(from), keep(to), attributes});
}

void Layout::directory(const std::string& to) {
    add(Op::Kind::Directory, "", to);
}
void Layout::parentsOf(const std::string& to) {
    for (std::size_t at = to.find('/'); at != std::string::npos; at = to.find('/', at + 1))
        directory(to.substr(0, at));
}
void Layout::link(const std::string& to, const std::string& target) {
    add(Op::Kind::Link, target, to);
}
void Layout::file(const std::string& to, const std::string& content) {
    add(Op::Kind::File, content, to);
}
void Layout::bind(const std::string& from, const std::string& to, std::uint64_t attributes, bool isDirectory) {
    if (isDirectory)
        directory(to);
    else
        file(to, "");
    add(Op::Kind::Bind, from, to, attributes);
}
void Layout::isolated(const std::string& from, const std::string& to) {
    directory(to);
    // An overlay has its own inodes of special files: what is bound or opened outside is not found by them. It
    // wants two layers, of which one may be empty.
    directory(kEmptyLayer);
    add(Op::Kind::Overlay, fmt::format("{}:{}", lowerLayer(from), kEmptyLayer), to, kReadOnly);
}
void Layout::layered(const std::string& from, const std::string& to) {
    directory(to);
    directory(kLayers);
    for (const char* layer : {kUpperLayer, kWorkLayer}) {
        directory(layer);
        add(Op::Kind::Own, "", layer);
    }
    // An ordinary user's overlay notes in attributes of users what it hides.
    add(Op::Kind::Overlay,
        fmt::format("{},upperdir={},workdir={},userxattr", lowerLayer(from), kUpperLayer, kWorkLayer), to,
        kWritable);
}
void Layout::tmpfs(const std::string& to, const std::string& options) {
    directory(to);
    add(Op::Kind::Tmpfs, options, to);
}
void Layout::proc(const std::string& to) {
    directory(to);
    add(Op::Kind::Proc, "", to);
}

std::string describe(const Op& op) {
    switch (op.kind) {
    case Op::Kind::Directory: return fmt::format("make /{}", op.to);
    case Op::Kind::Link: return fmt::format("link /{} to {}", op.to, op.from);
    case Op::Kind::File: return fmt::format("write /{}", op.to);
    case Op::Kind::Bind:
        return fmt::format("bind {} {} at /{}", op.from,
                           op.attributes & MOUNT_ATTR_RDONLY ? "read-only" : "writable", op.to);
    case Op::Kind::Overlay:
        return op.attributes & MOUNT_ATTR_RDONLY
                   ? fmt::format("show /{} read-only, its sockets and pipes cut off", op.to)
                   : fmt::format("lay a /{} of its own over what is there", op.to);
    case Op::Kind::Own: return fmt::format("give /{} away", op.to);
    case Op::Kind::Tmpfs: return fmt::format("make a private /{}", op.to);
    case Op::Kind::Proc: return "mount a /proc of its own";
    }
    return {};
}

Layout systemLayout(const std::string& root) {
    Layout layout;
    for (const char* directory : kSystemDirectories) addSystem(layout, root, directory);
    layout.directory("etc");
    for (const char* name : kConfiguration) addConfiguration(layout, root, name);
    layout.file("etc/passwd", kPasswd);
    layout.file("etc/group", kGroup);
    layout.directory("dev");
    for (const char* device : kDevices) {
        const std::string outside = fmt::format("{}/dev/{}", root, device);
        layout.lookAt(outside);
        layout.bind(outside, fmt::format("dev/{}", device), kDevice, false);
    }
    layout.link("dev/fd", "/proc/self/fd");
    layout.link("dev/stdin", "/proc/self/fd/0");
    layout.link("dev/stdout", "/proc/self/fd/1");
    layout.link("dev/stderr", "/proc/self/fd/2");
    layout.link("dev/shm", "/tmp"); // shared memory counts as what it is
    layout.proc("proc");
    return layout;
}

Layout processLayout() {
    Layout layout;
    layout.proc("proc");
    return layout;
}

Layout networkLayout(const std::string& root) {
    Layout layout;
    for (const char* name : kNetworkConfiguration) addConfiguration(layout, root, name);
    return layout;
}

Result<Layout> layoutOf(const Plan& plan) {
    Layout layout;
    layout.tmpfs("tmp", fmt::format("mode=1777,size={},nr_inodes={}",
                                    std::max<std::uint64_t>(plan.tmpBytes, 1u << 20), kMostTmpFiles));
    for (const Bind& bind : plan.binds) {
        struct stat st{};
        if (bind.from.empty())
            st.st_mode = S_IFDIR;
        else if (::stat(bind.from.c_str(), &st) != 0)
            return failErrno("bind " + bind.from, errno);
        if (!isCleanPath(bind.to) || bind.to == "/" ||
            (!S_ISDIR(st.st_mode) && (bind.isolated || !S_ISREG(st.st_mode))))
            return fail(ErrorKind::Invalid, fmt::format("{} cannot be shown in a sandbox", bind.from));
        const std::string to = bind.to.substr(1);
        layout.parentsOf(to);
        if (bind.from.empty())
            layout.directory(to);
        else if (bind.isolated && bind.writable)
            layout.layered(bind.from, to);
        else if (bind.isolated)
            layout.isolated(bind.from, to);
        else
            layout.bind(bind.from, to, bind.writable ? kWritable : kReadOnly, S_ISDIR(st.st_mode));
    }
    for (const std::string& device : plan.devices) {
        struct stat st{};
        if (::stat(device.c_str(), &st) != 0) return failErrno("bind " + device, errno);
        if (!device.starts_with("/dev/") || !isCleanPath(device) || !S_ISCHR(st.st_mode))
            return fail(ErrorKind::Invalid, fmt::format("{} cannot be shown in a sandbox", device));
        layout.parentsOf(device.substr(1));
        layout.bind(device, device.substr(1), kDevice, false);
    }
    return layout;
}

} // namespace yard::sandbox
