#include "core/lease/request_directories.h"

#include "core/base/beneath.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/locks/janitor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::runners {

namespace {

constexpr const char* kOpen = ".requests.open";       ///< what the processes see
constexpr const char* kKept = ".requests.kept";       ///< what waits, and what is being made
constexpr const char* kWritten = ".requests.outputs"; ///< in a mount of its own
constexpr std::array kParts = {kOpen, kKept, kWritten};
constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kPassable = 0311; ///< who knows a name may go there, but not look around

std::string nameOf(AttemptId id) {
    return fmt::format("{}.{}", id.lsn.value, id.attempt);
}

Result<void> makeAt(int directory, const std::string& name, mode_t mode) {
    if (::mkdirat(directory, name.c_str(), mode) != 0) return failErrno("make " + name, errno);
    // Without what the umask took. Nobody else can write where it lies.
    if (::fchmodat(directory, name.c_str(), mode, 0) != 0) return failErrno("change the mode of " + name, errno);
    return {};
}

/// What is made in there does not lie close together, as far as the file system can (ext4). Each file of a request
/// is a new one in the part of the disk that its directory lies in, and looking for a free number there takes the
/// longer the more files went lately: a millisecond after some thousands.
void spreadOut(int directory, const char* name) {
    const UniqueFd fd(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    unsigned flags = 0;
    if (::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0) return;
    flags |= FS_TOPDIR_FL;
    ::ioctl(fd.get(), FS_IOC_SETFLAGS, &flags); // where it cannot, it goes without
}

/// False also where there is none.
bool isEmptyDirectory(int fd) {
    if (fd < 0 || ::lseek(fd, 0, SEEK_SET) != 0) return false;
    alignas(std::uint64_t) std::array<char, 1024> entries;
    const long got = ::syscall(SYS_getdents64, fd, entries.data(), entries.size());
    constexpr long kOnlyItself = 2 * 24; // "." and ".."
    return got >= 0 && got <= kOnlyItself;
}

Result<void> moveAt(int directory, const std::string& from, const std::string& to) {
    if (::renameat(directory, from.c_str(), directory, to.c_str()) != 0)
        return failErrno(fmt::format("rename {} to {}", from, to), errno);
    return {};
}

} // namespace

RequestDirectories::RequestDirectories(Options options)
    : options_(std::move(options))
    , path_(fmt::format("{}/{}", options_.home->path, options_.slot.value)) {
    for (const char* part : kParts) options_.claims->add(pathOf(part));
}

RequestDirectories::~RequestDirectories() {
    for (const char* part : kParts) options_.claims->remove(pathOf(part));
}

std::string RequestDirectories::pathOf(const char* part) const {
    return fmt::format("{}/{}", path_, part);
}

/// Where the outputs of one that waits are, below path_.
std::string RequestDirectories::keptOutputs(std::uint64_t number) const {
    return fmt::format("{}/{}/{}", kKept, number, hasOwnMount() ? "written" : "outputs");
}

std::string RequestDirectories::pathInside(AttemptId id) const {
    return options_.isSandboxed ? fmt::format("{}/{}", sandbox::kRequests, nameOf(id))
                                : fmt::format("{}/{}", pathOf(kOpen), nameOf(id));
}

Result<sandbox::RequestPlaces> RequestDirectories::places() {
    const ThreadLock lock(mutex_);
    if (!fd_)
        if (auto opened = open(); !opened) return std::unexpected(opened.error());
    return sandbox::RequestPlaces{pathOf(kOpen), hasOwnMount() ? pathOf(kWritten) : std::string()};
}

Result<void> RequestDirectories::open() {
    if (auto made = makeDirectories(path_); !made) return made;
    UniqueFd fd = openBeneath(options_.home->fd.get(), fmt::to_string(options_.slot.value), O_RDONLY | O_DIRECTORY);
    if (!fd) return failErrno("open " + path_, errno);
    // An engine before this one may have left some.
    for (const char* part : kParts)
        static_cast<void>(moveAt(fd.get(), part, fmt::format("{}{}", locks::kGonePrefix, randomHex(8))));
    if (auto made = makeAt(fd.get(), kOpen, kPassable); !made) return made;
    if (auto made = makeAt(fd.get(), kKept, kOwnerOnly); !made) return made;
    spreadOut(fd.get(), kKept);
    if (hasOwnMount())
        if (auto made = makeAt(fd.get(), kWritten, kOwnerOnly); !made) return made;
    fd_ = std::move(fd);
    while (kept_.size() < kAhead) { // what fails here is tried again by who needs it
        if (!make(next_++)) break;
        kept_.push_back({next_ - 1, false});
    }
    return {};
}

Result<void> RequestDirectories::make(std::uint64_t number) {
    const std::string directory = fmt::format("{}/{}", kKept, number);
    const mode_t readable = options_.hostUser != 0 ? 0755 : kOwnerOnly;
    if (auto made = makeAt(fd_.get(), directory, readable); !made) return made;
    if (auto made = makeAt(fd_.get(), directory + "/inputs", readable); !made) return made;
    const std::string outputs = keptOutputs(number);
    if (auto made = makeAt(fd_.get(), outputs, kOwnerOnly); !made) return made;
    if (hasOwnMount()) {
        const std::string inside = fmt::format("{}/{}", sandbox::kWarmOutputs, number);
        if (::symlinkat(inside.c_str(), fd_.get(), (directory + "/outputs").c_str()) != 0)
            return failErrno("link " + directory + "/outputs", errno);
    }
    if (options_.hostUser == 0) return {};
    if (::fchownat(fd_.get(), outputs.c_str(), options_.hostUser, options_.hostUser, AT_SYMLINK_NOFOLLOW) != 0)
        return failErrno("give away " + outputs, errno);
    return {};
}

Result<RequestDirectories::Lent> RequestDirectories::lend(AttemptId id, const std::vector<PlacedFile>& inputs,
                                                          const Materialise& materialise) {
    Lent lent;
    lent.name = nameOf(id);
    if (auto opened = places(); !opened) return std::unexpected(opened.error());
    UniqueFd outputs = takeKept(lent.number);
    if (!outputs) {
        {
            const ThreadLock lock(mutex_);
            lent.number = next_++;
        }
        if (auto made = make(lent.number); !made) return std::unexpected(made.error());
        outputs = openBeneath(fd_.get(), keptOutputs(lent.number), O_RDONLY | O_DIRECTORY);
    }
    lent.mark = DirectoryMark::of(outputs.get());
    auto filled = fill(lent, inputs, materialise);
    if (!filled) static_cast<void>(removeTree(setAside(lent.number)));
    return filled;
}

/// One that a process wrote to after it was emptied, through a descriptor that it still has, is nobody's.
UniqueFd RequestDirectories::takeKept(std::uint64_t& number) {
    for (;;) {
        {
            const ThreadLock lock(mutex_);
            if (kept_.empty() || (kept_.front().wasUsed && kept_.size() <= kResting)) return {};
            number = kept_.front().number;
            kept_.pop_front();
        }
        UniqueFd outputs = openDirectoryBeneath(fd_.get(), keptOutputs(number));
        if (isEmptyDirectory(outputs.get())) return outputs;
        setAside(number);
    }
}

/// A name that the janitor knows. Its path.
std::string RequestDirectories::setAside(std::uint64_t number) {
    const std::string aside = fmt::format("{}{}", locks::kGonePrefix, randomHex(8));
    static_cast<void>(moveAt(fd_.get(), fmt::format("{}/{}", kKept, number), aside));
    return fmt::format("{}/{}", path_, aside);
}

Result<RequestDirectories::Lent> RequestDirectories::fill(Lent lent, const std::vector<PlacedFile>& inputs,
                                                          const Materialise& materialise) {
    const std::string directory = fmt::format("{}/{}/inputs", pathOf(kKept), lent.number);
    if (auto placed = placeInputs(directory, inputs, materialise); !placed) return std::unexpected(placed.error());
    const bool isDeep = std::ranges::any_of(inputs, [](const auto& input) { return input.path.contains('/'); });
    if (isDeep && options_.hostUser != 0)
        if (auto opened = openToAll(directory); !opened) return std::unexpected(opened.error());
    if (auto shown = show(lent); !shown) return std::unexpected(shown.error());
    return lent;
}

/// The worker is our own user there, and may have taken away the rights that moving needs: to where it lies and to
/// itself.
Result<void> RequestDirectories::moveWritten(const std::string& from, const std::string& to) {
    auto moved = moveAt(fd_.get(), from, to);
    if (moved || moved.error().sysErrno != EACCES || ::fchmodat(fd_.get(), kWritten, kOwnerOnly, 0) != 0)
        return moved;
    if (const UniqueFd fd = openDirectoryBeneath(fd_.get(), from)) ::fchmod(fd.get(), kOwnerOnly);
    return moveAt(fd_.get(), from, to);
}

Result<void> RequestDirectories::show(const Lent& lent) {
    if (hasOwnMount())
        if (auto moved = moveWritten(keptOutputs(lent.number), fmt::format("{}/{}", kWritten, lent.number)); !moved)
            return moved;
    return moveAt(fd_.get(), fmt::format("{}/{}", kKept, lent.number), fmt::format("{}/{}", kOpen, lent.name));
}

UniqueFd RequestDirectories::takeBack(const Lent& lent) {
    const std::string outputs = keptOutputs(lent.number);
    auto moved =
        moveAt(fd_.get(), fmt::format("{}/{}", kOpen, lent.name), fmt::format("{}/{}", kKept, lent.number));
    if (moved && hasOwnMount()) {
        const std::string written = fmt::format("{}/{}", kWritten, lent.number);
        moved = moveWritten(written, outputs);
    }
    if (!moved) {
        errno = moved.error().sysErrno;
        return {};
    }
    UniqueFd opened = openDirectoryBeneath(fd_.get(), outputs);
    // The worker may have put another one of its own in its place.
    if (opened && !lent.mark.isOf(opened.get())) {
        opened.reset();
        errno = ENOTDIR;
    }
    return opened;
}

std::optional<std::string> RequestDirectories::keep(const Lent& lent, UniqueFd outputs,
                                                    const std::vector<PlacedFile>& inputs) {
    const std::string kept = fmt::format("{}/{}", kKept, lent.number);
    const auto isRemoved = [&](const PlacedFile& input) {
        return ::unlinkat(fd_.get(), fmt::format("{}/inputs/{}", kept, input.path).c_str(), 0) == 0;
    };
    const bool isDeep = std::ranges::any_of(inputs, [](const auto& input) { return input.path.contains('/'); });
    const std::uint32_t owner = options_.hostUser != 0 ? options_.hostUser : ::geteuid();
    if (isEmptyDirectory(outputs.get()) && !isDeep && std::ranges::all_of(inputs, isRemoved) &&
        makeLikeNew(outputs.get(), lent.mark, owner)) {
        const ThreadLock lock(mutex_);
        if (kept_.size() < kMostKept) {
            kept_.push_back({lent.number, true});
            return std::nullopt;
        }
    }
    return setAside(lent.number);
}

} // namespace yard::runners
