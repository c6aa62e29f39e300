#include "core/engine/running/output_keeping.h"

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

/// Larger ones are stored raw: as a file of their own, which may share its blocks with the output.
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
    const bool isSmall = file.size <= store::kSmallChunk && smallBytes_ + file.size <= kMostSmall;
    return isSmall ? keepSmall(file) : keepByWriting(file);
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

// --- in parts

Result<std::unique_ptr<ChunkCopy>> ChunkCopy::ofOutput(store::ChunkStore& chunks, UniqueFd file, std::uint64_t size,
                                                       bool isOver) {
    std::unique_ptr<ChunkCopy> copy(new ChunkCopy(chunks, std::move(file), size));
    if (size >= kCompressBelow && copy->takeItself(isOver)) return copy;
    if (auto begun = copy->write(); !begun) return std::unexpected(begun.error());
    return copy;
}

Result<std::unique_ptr<ChunkCopy>> ChunkCopy::ofStream(store::ChunkStore& chunks, UniqueFd file, KeptStream kept) {
    std::unique_ptr<ChunkCopy> copy(new ChunkCopy(chunks, std::move(file), kept.size()));
    copy->kept_ = std::move(kept);
    if (auto begun = copy->write(); !begun) return std::unexpected(begun.error());
    return copy;
}

ChunkCopy::~ChunkCopy() {
    if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> ChunkCopy::write() {
    auto writer = chunks_.writer({}, size_);
    if (!writer) return std::unexpected(writer.error());
    writer_ = std::move(*writer);
    return {};
}

/// Where the file system can share its blocks, or nobody can change it any more, an output of gigabytes is not
/// written a second time.
bool ChunkCopy::takeItself(bool isOver) {
    struct stat st{};
    if (::fstat(file_.get(), &st) != 0) return false;
    const std::string path = chunks_.temporaryPath();
    const bool isMine = isOver && st.st_nlink == 1 && hasNoWriter(file_.get());
    if (!clone(file_.get(), path) && !(isMine && nameItself(file_.get(), path))) return false;
    path_ = path;
    UniqueFd taken(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (taken && ::fstat(taken.get(), &st) == 0) {
        file_ = std::move(taken);
        size_ = static_cast<std::uint64_t>(st.st_size);
        return true;
    }
    ::unlink(path.c_str());
    path_.clear();
    return false;
}

Result<bool> ChunkCopy::step(std::uint64_t most) {
    for (std::uint64_t done = 0; done < most && at_ < size_;) {
        const auto part = copyPart(most - done);
        if (!part) return std::unexpected(part.error());
        if (*part == 0) {
            size_ = at_; // it has become shorter
            break;
        }
        at_ += *part;
        done += *part;
    }
    return at_ >= size_;
}

Result<std::uint64_t> ChunkCopy::copyPart(std::uint64_t most) {
    const std::uint64_t want = std::min(most, size_ - at_);
    if (!kept_) {
        const auto hole = holeFrom(at_);
        if (!hole) return std::unexpected(hole.error());
        if (*hole > 0) {
            const std::uint64_t zeros = std::min(want, *hole);
            if (auto taken = takeZeros(zeros); !taken) return std::unexpected(taken.error());
            return zeros;
        }
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(want, kCopyBuffer));
    const auto bytes = kept_ ? kept_->read(file_.get(), at_, piece, 0) : readFileAt(file_.get(), at_, piece);
    if (!bytes) return std::unexpected(bytes.error());
    if (kept_ && bytes->empty())
        return fail(ErrorKind::Io, "an output stream is shorter than what was written to it");
    if (auto taken = take(*bytes); !taken) return std::unexpected(taken.error());
    return bytes->size();
}

/// How much of nothing begins at this offset; 0 also where the file system does not tell, or the file ends there.
Result<std::uint64_t> ChunkCopy::holeFrom(std::uint64_t offset) {
    if (offset < dataEnd_) return 0;
    const off_t data = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
        struct stat st{};
        if (::fstat(file_.get(), &st) != 0) return failErrno("look at an output", errno);
        const std::uint64_t end = std::min(size_, static_cast<std::uint64_t>(st.st_size));
        return end > offset ? end - offset : 0;
    }
    if (data > static_cast<off_t>(offset)) return static_cast<std::uint64_t>(data) - offset;
    const off_t hole = data < 0 ? data : ::lseek(file_.get(), data, SEEK_HOLE);
    dataEnd_ = hole < 0 ? size_ : static_cast<std::uint64_t>(hole);
    return 0;
}

Result<void> ChunkCopy::take(std::string_view bytes) {
    if (writer_) return writer_->write(bytes);
    hasher_.update(bytes);
    return {};
}

Result<void> ChunkCopy::takeZeros(std::uint64_t count) {
    if (writer_) return writer_->writeZeros(count);
    hasher_.updateZeros(count);
    return {};
}

Result<ChunkRef> ChunkCopy::finish() {
    if (writer_) return writer_->finish();
    const ChunkRef chunk{hasher_.finish(), size_};
    if (auto adopted = chunks_.adopt(path_, chunk.hash, size_); !adopted) return std::unexpected(adopted.error());
    path_.clear();
    return chunk;
}

} // namespace yard::engine
