// Collecting what an action left in outputs/. The tree is hostile, and whoever made it may be alive and change it.
// One walk looks at everything and decides by the limits; then each file is opened again, beneath outputs/ and
// through no link, and handed over.
#include "core/base/beneath.h"
#include "core/base/clock.h"
#include "core/base/directory_entries.h"
#include "core/base/unique_fd.h"
#include "core/json/utf8.h"
#include "core/lease/scratch.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <stop_token>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::runners {
namespace {

constexpr std::size_t kMaxDenied = 1'000;
constexpr std::size_t kMaxDepth = 64;
// Where a worker has no limit: their names have to be held together, and a walk must end.
constexpr std::int64_t kMaxEntries = 1'000'000;
// Removed by who gathered them; more take a while.
constexpr std::size_t kMostRemoved = 1'000;

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
    /// Gather: what is there is wanted. Count: by a look that changes nothing.
    enum class Aim : unsigned char { Gather, Count };
    explicit Walk(const OutputLimits& limits, Aim aim = Aim::Gather, std::stop_token stop = {})
        : limits_(limits)
        , aim_(aim)
        , stop_(std::move(stop)) {}

    Result<void> directory(UniqueFd fd, const std::string& prefix, std::size_t depth) {
        auto entries = DirectoryEntries::of(std::move(fd));
        if (!entries) return failErrno("read outputs/" + prefix, entries.error().sysErrno);
        while (const auto name = entries->next()) {
            if (overLimit()) return {};
            if (stop_.stop_requested()) return fail(ErrorKind::NotAccepting, "collecting was cut short");
            if (auto looked = entry(entries->fd(), std::string(*name), prefix, depth); !looked) return looked;
        }
        if (entries->error() != 0) return failErrno("read outputs/" + prefix, entries->error());
        return {};
    }

    bool overLimit() const {
        const std::int64_t most = limits_.files > 0 ? std::min(limits_.files, kMaxEntries) : kMaxEntries;
        return entries_ > most || (limits_.bytes > 0 && bytes_ > static_cast<std::uint64_t>(limits_.bytes));
    }

    void deny(std::string what, std::string_view path, int err) {
        if (aim_ == Aim::Count || denied.size() >= kMaxDenied) return;
        denied.push_back(
            Denial{.t = wallNow(), .what = std::move(what), .path = printable(path), .err = err, .pid = 0});
    }

    /// Nothing but files, and those not in a directory below.
    bool onlyFiles() const { return !hasOthers_ && denied.empty(); }

    std::vector<std::string> found;
    std::vector<Denial> denied;

private:
    Result<void> entry(int dirFd, const std::string& name, const std::string& prefix, std::size_t depth) {
        struct stat st{};
        const std::string path = prefix + name;
        if (::fstatat(dirFd, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT || aim_ == Aim::Count) return {};
            return failErrno("stat outputs/" + path, errno);
        }
        const bool isNamed = isSafeRelativePath(path);
        ++entries_;
        hasOthers_ = hasOthers_ || !S_ISREG(st.st_mode) || !isNamed;
        if (S_ISLNK(st.st_mode))
            deny("link", path, 0);
        else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
            deny("special", path, 0);
        else if (!isNamed)
            deny("special", path, path.size() > 4096 ? ENAMETOOLONG : EILSEQ);
        else if (S_ISREG(st.st_mode)) {
            // While it runs what the disk has: a sparse file may still become small.
            bytes_ += static_cast<std::uint64_t>(aim_ == Aim::Count ? st.st_blocks * 512 : st.st_size);
            if (aim_ == Aim::Gather) found.push_back(path);
        } else if (depth >= kMaxDepth) {
            deny("special", path, ENAMETOOLONG);
        } else {
            return subdirectory(dirFd, name, path, depth);
        }
        return {};
    }

    Result<void> subdirectory(int dirFd, const std::string& name, const std::string& path, std::size_t depth) {
        UniqueFd fd = aim_ == Aim::Gather ? openDirectoryBeneath(dirFd, name)
                                          : openBeneath(dirFd, name, O_RDONLY | O_DIRECTORY);
        if (!fd && errno == ENOENT) return {};
        if (!fd) {
            deny("openat", path, errno);
            return {};
        }
        return directory(std::move(fd), path + '/', depth + 1);
    }

    const OutputLimits& limits_;
    const Aim aim_;
    const std::stop_token stop_;
    std::uint64_t bytes_ = 0;
    std::int64_t entries_ = 0;
    bool hasOthers_ = false;
};

/// A descriptor of its own for walking: reading a directory moves its place.
UniqueFd forWalking(int outputs) {
    return openDirectoryBeneath(outputs, ".");
}

bool isOtherThing(int err) {
    return err == ELOOP || err == EINVAL || err == ENOTDIR || err == EXDEV;
}

/// Hands over what was found; what has gone or is something else by now is left out.
Result<void> keepFound(int outputs, const OutputLimits& limits, Walk& walk, GatheredOutputs& gathered,
                       const KeepOutput& keep) {
    std::uint64_t& left = gathered.bytesLeft;
    left = limits.bytes > 0 ? static_cast<std::uint64_t>(limits.bytes) : ~std::uint64_t{0};
    for (const std::string& name : walk.found) {
        const UniqueFd fd = openFileBeneath(outputs, name);
        if (!fd && errno == ENOENT) continue;
        if (!fd && errno == EWOULDBLOCK) {
            gathered.later.push_back({.index = gathered.outputs.size(), .size = 0, .isLeased = true});
            gathered.outputs.push_back({name, {}});
            continue;
        }
        if (!fd && isOtherThing(errno)) {
            walk.deny(errno == ELOOP ? "link" : "special", name, errno);
            continue;
        }
        struct stat st{};
        if (!fd || ::fstat(fd.get(), &st) != 0) return failErrno("open outputs/" + name, errno);
        const auto size = static_cast<std::uint64_t>(st.st_size);
        if (size > left) { // it has grown since
            gathered.overLimit = true;
            return {};
        }
        left -= size;
        auto chunk = keep({fd.get(), name, size, st.st_nlink == 1});
        if (!chunk) return std::unexpected(chunk.error());
        if (!*chunk) gathered.later.push_back({.index = gathered.outputs.size(), .size = size, .isLeased = false});
        gathered.outputs.push_back({name, chunk->value_or(ChunkRef{})});
    }
    return {};
}

} // namespace

Result<GatheredOutputs> gatherOutputs(int outputs, const OutputLimits& limits,
                                      const std::vector<std::string>& expect, const KeepOutput& keep,
                                      const std::stop_token& stop) {
    GatheredOutputs gathered;
    Walk walk(limits, Walk::Aim::Gather, stop);
    if (outputs >= 0) {
        UniqueFd root = forWalking(outputs);
        if (!root) return failErrno("open outputs/", errno);
        if (auto walked = walk.directory(std::move(root), "", 0); !walked) return std::unexpected(walked.error());
    }
    gathered.overLimit = walk.overLimit();
    gathered.onlyFiles = walk.onlyFiles() && outputs >= 0;
    std::ranges::sort(walk.found);
    if (!gathered.overLimit) {
        if (auto kept = keepFound(outputs, limits, walk, gathered, keep); !kept)
            return std::unexpected(kept.error());
        if (gathered.overLimit) {
            gathered.outputs.clear();
            gathered.later.clear();
        }
        gathered.onlyFiles = gathered.onlyFiles && gathered.outputs.size() == walk.found.size();
    }
    gathered.denied = std::move(walk.denied);
    for (const std::string& name : expect) {
        const bool isThere = gathered.overLimit
                                 ? std::ranges::binary_search(walk.found, name)
                                 : std::ranges::binary_search(gathered.outputs, name, {}, &NamedChunk::name);
        if (!isThere) gathered.missing.push_back(name);
    }
    return gathered;
}

Result<std::optional<UniqueFd>> openGathered(int outputs, const std::string& name) {
    UniqueFd fd = openFileBeneath(outputs, name);
    if (fd) return fd;
    if (errno == ENOENT || isOtherThing(errno)) return std::nullopt;
    if (errno == EWOULDBLOCK)
        return fail(ErrorKind::Busy, fmt::format("outputs/{} is leased by a process that does not let go of it "
                                                 "(F_SETLEASE)",
                                                 name));
    return failErrno("open outputs/" + name, errno);
}

bool removeGathered(int outputs, const GatheredOutputs& gathered) {
    if (!gathered.onlyFiles || gathered.overLimit || gathered.outputs.size() > kMostRemoved) return false;
    return std::ranges::all_of(gathered.outputs, [&](const NamedChunk& output) {
        return ::unlinkat(outputs, output.name.c_str(), 0) == 0;
    });
}

bool holdsMoreThan(int outputs, const OutputLimits& limits, const std::stop_token& stop) {
    UniqueFd root = forWalking(outputs);
    if (!root) return false;
    Walk walk(limits, Walk::Aim::Count, stop);
    (void)walk.directory(std::move(root), "", 0); // a part that could not be read is not counted
    return walk.overLimit();
}

} // namespace yard::runners
