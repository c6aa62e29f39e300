#include "core/wine/template.h"

#include "core/base/files.h"
#include "core/base/reap.h"
#include "core/base/remove_tree.h"
#include "core/base/unique_fd.h"
#include "core/model/result.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/starting.h"
#include "core/wine/starter_image.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace yard::wine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMaking = "making";
constexpr std::size_t kStack = 256u << 10;
constexpr std::uint64_t kTmpBytes = 64u << 20;
constexpr int kLookMs = 100; ///< at whether it is to stop
constexpr std::size_t kSaidBytes = 16u << 10;
// wineserver writes the registry when the last of its programs has ended: waited for, or it is lost.
constexpr const char* kScript = "\"$1\" wineboot -i && \"$2\" -w";

std::vector<std::string> variables() {
    std::vector<std::string> all = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp"};
    for (const auto& [name, value] : environmentOf({})) all.push_back(fmt::format("{}={}", name, value));
    return all;
}

/// What is in the directory but the template by this Wine, and but those that actions may run over.
Result<void> removeOthers(const TemplateOrder& order) {
    std::error_code err;
    std::vector<std::string> others;
    for (const fs::directory_entry& entry : fs::directory_iterator(order.directory, err))
        if (entry.path().filename() == kMaking ||
            (order.removesOthers && entry.path().filename() != order.wine.version))
            others.push_back(entry.path().string());
    if (err) return failErrno("read " + order.directory, err.value());
    for (const std::string& path : others)
        if (auto removed = removeTree(path, order.stop); !removed) return removed;
    return {};
}

/// The user of an action may be another one than its maker: all may read, and write into the layer of their own.
Result<void> openToUsers(const std::string& tree) {
    std::error_code err;
    const auto permissions = fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all;
    fs::permissions(tree, permissions, fs::perm_options::replace, err);
    for (auto at = fs::recursive_directory_iterator(tree, err); !err && at != fs::recursive_directory_iterator();
         at.increment(err)) {
        if (at->is_symlink(err)) continue;
        const bool isDirectory = at->is_directory(err);
        const auto files = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read |
                           fs::perms::group_write | fs::perms::others_read | fs::perms::others_write;
        fs::permissions(at->path(), isDirectory ? permissions : files, fs::perm_options::replace, err);
    }
    if (err) return failErrno("change rights below " + tree, err.value());
    return {};
}

std::string saidLast(int fd) {
    const off_t size = ::lseek(fd, 0, SEEK_END);
    const std::size_t from =
        size > static_cast<off_t>(kSaidBytes) ? static_cast<std::size_t>(size) - kSaidBytes : 0;
    return lastLine(readFileAt(fd, from, kSaidBytes).value_or(std::string()));
}

/// Wine's programs, in a sandbox around the directory.
class Making {
public:
    Making(const TemplateOrder& order, std::string directory)
        : order_(order)
        , directory_(std::move(directory)) {}

    Result<void> run() {
        auto base = sandbox::Base::open();
        if (!base) return std::unexpected(base.error());
        said_.reset(::memfd_create("yard-wine", MFD_CLOEXEC));
        null_.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
        if (!said_ || !null_) return failErrno("open a file", errno);
        std::vector<char> stack(kStack);
        const sandbox::AllSignalsBlocked blocked;
        const sandbox::Start started = start(*base, stack);
        if (started.failed != sandbox::Step::None)
            return failErrno(fmt::format("make the prefix of Wine: {}", started.doing), started.err);
        const bool isInTime = wait(started.pidfd.get());
        if (!isInTime) ::syscall(SYS_pidfd_send_signal, started.pidfd.get(), SIGKILL, nullptr, 0);
        const siginfo_t end = reapChild(started.pidfd.get());
        if (order_.stop.stop_requested())
            return fail(ErrorKind::NotAccepting, "the engine ends, and Wine's prefix is not made yet");
        if (isInTime && end.si_code == CLD_EXITED && end.si_status == 0) return {};
        return fail(ErrorKind::WrongState, fmt::format("Wine's prefix could not be made{}: {}",
                                                       isInTime ? "" : " in time", saidLast(said_.get())));
    }

private:
    sandbox::Start start(const sandbox::Base& base, std::vector<char>& stack) const {
        sandbox::Plan plan;
        plan.binds.push_back({.from = directory_, .to = std::string(kPrefix), .writable = true});
        plan.tmpBytes = kTmpBytes;
        plan.hostUser = order_.hostUser;
        const auto own = sandbox::layoutOf(plan);
        if (!own) return sandbox::notStarted(own.error());
        const std::vector<std::string> words = {"/bin/sh",         "-c", kScript, "sh", order_.wine.loader,
                                                order_.wine.server};
        const std::vector<std::string> env = variables();
        const auto argv = sandbox::pointersTo(words);
        const auto envp = sandbox::pointersTo(env);
        sandbox::Entry entry;
        entry.base = &base;
        entry.own = &*own;
        entry.program = words.front().c_str();
        entry.argv = argv.data();
        entry.envp = envp.data();
        entry.inFd = null_.get();
        entry.outFd = entry.errFd = said_.get();
        entry.hostUser = plan.hostUser;
        (void)::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
        entry.limits = {.openFiles = 1024, .processes = 256, .fileBytes = 0, .dataBytes = 0};
        return sandbox::start(entry, stack.data(), stack.size());
    }

    /// False: it is to be ended.
    bool wait(int pidfd) const {
        const MonoTime until = MonoClock::now() + order_.atMost;
        pollfd end{pidfd, POLLIN, 0};
        while (!order_.stop.stop_requested() && MonoClock::now() < until)
            if (::poll(&end, 1, kLookMs) > 0) return true;
        return false;
    }

    const TemplateOrder& order_;
    std::string directory_;
    UniqueFd said_;
    UniqueFd null_;
};

Result<void> finish(const std::string& made) {
    ::unlink((made + "/wineserver").c_str()); // the name of a directory that is gone
    if (auto directory = makeDirectories(made + std::string(kStarterDirectory)); !directory) return directory;
    if (auto wrote = writeFileAtomically(made + std::string(kStarterFile), starterImage(), 0644); !wrote)
        return wrote;
    if (auto opened = openToUsers(made); !opened) return opened;
    // It gets its name when all of it is on the disk: a prefix that lost half of its files would be kept.
    const UniqueFd directory(::open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::syncfs(directory.get()) != 0) return failErrno("write " + made, errno);
    return {};
}

} // namespace

Result<std::string> ensureTemplate(const TemplateOrder& order) {
    std::string path = order.directory + "/" + order.wine.version;
    if (auto made = makeDirectories(order.directory); !made) return std::unexpected(made.error());
    if (auto removed = removeOthers(order); !removed) return std::unexpected(removed.error());
    if (::access(path.c_str(), F_OK) == 0) return path;
    const std::string making = order.directory + "/" + kMaking;
    if (auto made = makeDirectories(making); !made) return std::unexpected(made.error());
    if (order.hostUser != 0 && ::lchown(making.c_str(), order.hostUser, order.hostUser) != 0)
        return failErrno("give away " + making, errno);
    auto made = Making(order, making).run();
    if (made) made = finish(making);
    if (made && ::rename(making.c_str(), path.c_str()) != 0) made = failErrno("rename " + making, errno);
    if (made) return path;
    (void)removeTree(making);
    return std::unexpected(made.error());
}

} // namespace yard::wine
