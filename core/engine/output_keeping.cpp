#include "core/engine/output_keeping.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

namespace {

/// Larger ones are stored raw (ENGINE 11): as a file of their own, which may share its blocks with the output.
constexpr std::uint64_t kCompressBelow = 64u << 20;
constexpr std::size_t kCopyBuffer = 256u << 10;

/// The one loop that reads an output: up to `size` bytes from its start, in parts. Less if it has become shorter.
Result<void> readParts(int fd, std::uint64_t size, const std::function<Result<void>(std::string_view)>& take) {
    std::string buffer(static_cast<std::size_t>(std::min<std::uint64_t>(size, kCopyBuffer)), '\0');
    for (std::uint64_t done = 0; done < size;) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - done));
        const ssize_t got = ::pread(fd, buffer.data(), want, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failErrno("read an output", errno);
        if (got == 0) break;
        if (auto taken = take({buffer.data(), static_cast<std::size_t>(got)}); !taken) return taken;
        done += static_cast<std::uint64_t>(got);
    }
    return {};
}

/// A copy that shares the blocks, where the file system can.
bool clone(int from, const std::string& to) {
    const UniqueFd copy(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (copy && ::ioctl(copy.get(), FICLONE, from) == 0) return true;
    if (copy) ::unlink(to.c_str());
    return false;
}

/// A second name for the very file, which is ours from now on, whoever wrote it and whatever mode that one gave it.
bool nameItself(int fd, const std::string& to) {
    if (::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) !=
        0)
        return false;
    if (::fchmod(fd, 0600) == 0 && (::geteuid() != 0 || ::fchown(fd, 0, 0) == 0)) return true;
    ::unlink(to.c_str());
    return false;
}

/// The kernel's word that nobody has it open for writing, nor mapped.
bool hasNoWriter(int fd) {
    if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return false;
    return ::fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}

} // namespace

Result<ChunkRef> OutputKeeper::keep(const runners::OutputFile& file) {
    if (file.size <= store::kSmallChunk && smallBytes_ + file.size <= kMostSmall) return keepSmall(file);
    if (file.size < kCompressBelow) return keepByWriting(file);
    const std::string path = chunks_.temporaryPath();
    if (clone(file.fd, path) || (mayTakeItself(file) && nameItself(file.fd, path))) return adopt(path);
    return keepByWriting(file);
}

Result<ChunkRef> OutputKeeper::keepSmall(const runners::OutputFile& file) {
    store::SmallChunk chunk;
    chunk.bytes.reserve(static_cast<std::size_t>(file.size));
    auto read = readParts(file.fd, file.size, [&](std::string_view bytes) -> Result<void> {
        chunk.bytes += bytes;
        return {};
    });
    if (!read) return std::unexpected(read.error());
    if (chunk.bytes.empty()) return ChunkRef{Hash256::ofNothing(), 0};
    chunk.hash = Sha256::of(chunk.bytes);
    const ChunkRef kept{chunk.hash, chunk.bytes.size()};
    smallBytes_ += chunk.bytes.size();
    small_.push_back(std::move(chunk));
    return kept;
}

Result<ChunkRef> OutputKeeper::keepByWriting(const runners::OutputFile& file) {
    auto writer = chunks_.writer({}, file.size);
    if (!writer) return std::unexpected(writer.error());
    auto read = readParts(file.fd, file.size, [&](std::string_view bytes) { return writer->write(bytes); });
    if (!read) return std::unexpected(read.error());
    return writer->finish();
}

/// An output of many gigabytes is not copied where the file system cannot share blocks, if nobody can change it any
/// more.
bool OutputKeeper::mayTakeItself(const runners::OutputFile& file) const {
    return isOver_ && file.isAlone && hasNoWriter(file.fd);
}

Result<ChunkRef> OutputKeeper::adopt(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat st{};
    if (!fd || ::fstat(fd.get(), &st) != 0) return failErrno("open " + path, errno);
    Sha256 hasher;
    const auto size = static_cast<std::uint64_t>(st.st_size);
    auto read = readParts(fd.get(), size, [&](std::string_view bytes) -> Result<void> {
        hasher.update(bytes);
        return {};
    });
    const Hash256 hash = hasher.finish();
    if (read) read = chunks_.adopt(path, hash, size);
    if (!read) {
        ::unlink(path.c_str());
        return std::unexpected(read.error());
    }
    return ChunkRef{hash, size};
}

} // namespace yard::engine
