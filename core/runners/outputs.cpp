// Collecting what an action left in outputs/. The tree is hostile but quiet: whoever made it is gone. Two passes:
// the first looks at everything and decides by the limits, the second opens each file anew, beneath outputs/ and
// through no link, and hands it over.
#include "core/base/clock.h"
#include "core/base/unique_fd.h"
#include "core/model/action_spec.h"
#include "core/runners/scratch.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <memory>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::runners {
namespace {

constexpr std::size_t kMaxDenied = 1'000;
constexpr std::size_t kMaxDepth = 64;
// Directories, links and the like do not count as files, but a walk over them must end too.
constexpr std::int64_t kMaxOtherEntries = 100'000;

struct Found {
    std::string name;
    std::uint64_t size = 0;
};

// What a person can read of a name that JSON could not carry.
std::string printable(std::string_view name) {
    if (isUtf8(name) &&
        std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
        return std::string(name.substr(0, 4096));
    std::string text;
    for (const char c : name.substr(0, 1024)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f)
            text += c;
        else
            text += fmt::format("\\x{:02x}", byte);
    }
    return text;
}

class Walk {
public:
    /// Quiet: whoever made the tree is gone, and what is there is wanted. Live: it is only counted.
    enum class Tree : unsigned char { Quiet, Live };
    explicit Walk(const OutputLimits& limits, Tree tree = Tree::Quiet)
        : limits_(limits)
        , tree_(tree) {}

    Result<void> directory(UniqueFd fd, const std::string& prefix, std::size_t depth) {
        struct Close {
            void operator()(DIR* dir) const { ::closedir(dir); }
        };
        const std::unique_ptr<DIR, Close> dir(::fdopendir(fd.get()));
        if (!dir) return failErrno("read outputs/" + prefix, errno);
        const int dirFd = fd.release();
        for (errno = 0; const dirent* item = ::readdir(dir.get()); errno = 0) {
            const std::string_view name(item->d_name);
            if (name == "." || name == "..") continue;
            if (overLimit()) return {};
            if (auto looked = entry(dirFd, std::string(name), prefix, depth); !looked) return looked;
        }
        if (errno != 0) return failErrno("read outputs/" + prefix, errno);
        return {};
    }

    bool overLimit() const {
        return (limits_.files > 0 && (files_ > limits_.files || others_ > limits_.files + kMaxOtherEntries)) ||
               (limits_.bytes > 0 && bytes_ > static_cast<std::uint64_t>(limits_.bytes));
    }

    void deny(std::string what, std::string_view path, int err) {
        if (tree_ == Tree::Live || denied.size() >= kMaxDenied) return;
        denied.push_back(
            Denial{.t = wallNow(), .what = std::move(what), .path = printable(path), .err = err, .pid = 0});
    }

    std::vector<Found> found;
    std::vector<Denial> denied;

private:
    Result<void> entry(int dirFd, const std::string& name, const std::string& prefix, std::size_t depth) {
        struct stat st{};
        const std::string path = prefix + name;
        if (::fstatat(dirFd, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (tree_ == Tree::Live) return {};
            return failErrno("stat outputs/" + path, errno);
        }
        if (!S_ISREG(st.st_mode)) ++others_;
        if (S_ISLNK(st.st_mode))
            deny("link", path, 0);
        else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
            deny("special", path, 0);
        else if (!isSafeRelativePath(path))
            deny("special", path, path.size() > 4096 ? ENAMETOOLONG : EILSEQ);
        else if (S_ISREG(st.st_mode)) {
            ++files_;
            // Of a live one what the disk has: a sparse file may still become small.
            bytes_ += static_cast<std::uint64_t>(tree_ == Tree::Live ? st.st_blocks * 512 : st.st_size);
            if (tree_ == Tree::Quiet) found.push_back({path, static_cast<std::uint64_t>(st.st_size)});
        } else if (depth >= kMaxDepth) {
            deny("special", path, ENAMETOOLONG);
        } else {
            return subdirectory(dirFd, name, path, depth);
        }
        return {};
    }

    Result<void> subdirectory(int dirFd, const std::string& name, const std::string& path, std::size_t depth) {
        constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        UniqueFd fd(::openat(dirFd, name.c_str(), kFlags));
        // In a live one the name could be a link by now.
        if (!fd && errno == EACCES && tree_ == Tree::Quiet && ::fchmodat(dirFd, name.c_str(), 0700, 0) == 0)
            fd.reset(::openat(dirFd, name.c_str(), kFlags));
        if (!fd) {
            deny("openat", path, errno);
            return {};
        }
        return directory(std::move(fd), path + '/', depth + 1);
    }

    const OutputLimits& limits_;
    const Tree tree_;
    std::uint64_t bytes_ = 0;
    std::int64_t files_ = 0;
    std::int64_t others_ = 0;
};

UniqueFd openBeneath(int rootFd, const std::string& name) {
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return UniqueFd(static_cast<int>(::syscall(SYS_openat2, rootFd, name.c_str(), &how, sizeof how)));
}

} // namespace

Result<GatheredOutputs> gatherOutputs(const std::string& outputsDir, const OutputLimits& limits,
                                      const std::vector<std::string>& expect, const KeepOutput& keep) {
    GatheredOutputs gathered;
    Walk walk(limits);
    UniqueFd root(::open(outputsDir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root && errno == EACCES && ::chmod(outputsDir.c_str(), 0700) == 0)
        root.reset(::open(outputsDir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        return failErrno("open " + outputsDir, errno);
    if (!root && errno != ENOENT) walk.deny("link", "outputs", errno);
    if (root) {
        UniqueFd copy(::fcntl(root.get(), F_DUPFD_CLOEXEC, 3));
        if (!copy) return failErrno("open " + outputsDir, errno);
        if (auto walked = walk.directory(std::move(copy), "", 0); !walked) return std::unexpected(walked.error());
    }
    gathered.denied = std::move(walk.denied);
    gathered.overLimit = walk.overLimit();
    std::ranges::sort(walk.found, {}, &Found::name);
    for (const std::string& name : expect)
        if (!std::ranges::binary_search(walk.found, name, {}, &Found::name)) gathered.missing.push_back(name);
    if (gathered.overLimit) return gathered;

    for (const Found& file : walk.found) {
        UniqueFd fd = openBeneath(root.get(), file.name);
        if (!fd && errno == EACCES && ::fchmodat(root.get(), file.name.c_str(), 0600, 0) == 0)
            fd = openBeneath(root.get(), file.name);
        struct stat st{};
        if (!fd || ::fstat(fd.get(), &st) != 0) return failErrno("open outputs/" + file.name, errno);
        if (!S_ISREG(st.st_mode))
            return fail(ErrorKind::Io, "outputs/" + file.name + " changed while it was collected");
        const std::string path = outputsDir + '/' + file.name;
        auto chunk = keep({fd.get(), path, static_cast<std::uint64_t>(st.st_size), st.st_nlink == 1});
        if (!chunk) return std::unexpected(chunk.error());
        gathered.outputs.push_back({file.name, *chunk});
    }
    return gathered;
}

bool holdsMoreThan(const std::string& outputsDir, const OutputLimits& limits) {
    UniqueFd root(::open(outputsDir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root) return false;
    Walk walk(limits, Walk::Tree::Live);
    (void)walk.directory(std::move(root), "", 0); // a part that could not be read is not counted
    return walk.overLimit();
}

} // namespace yard::runners
