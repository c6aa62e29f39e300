#include "core/base/kept_stream.h"

#include "core/base/files.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace yard {

namespace {

constexpr std::uint64_t kBlock = 4'096;

/// Freed in steps of this size, one step late: who reads the last half has time to.
std::uint64_t stepOf(std::uint64_t limit) {
    return std::max<std::uint64_t>(limit / 16 / kBlock, 1) * kBlock;
}

/// The end of what may be freed of so long a stream.
std::uint64_t freeUntil(std::uint64_t written, std::uint64_t limit) {
    const StreamGap gap = gapOf(written, limit);
    const std::uint64_t step = stepOf(limit);
    return gap.size() > step ? (gap.to - step) / step * step : 0;
}

Result<std::uint64_t> fileSize(int fd) {
    struct stat now{};
    if (::fstat(fd, &now) != 0) return failErrno("look at an output", errno);
    return static_cast<std::uint64_t>(now.st_size);
}

} // namespace

StreamGap gapOf(std::uint64_t written, std::uint64_t limit) {
    if (limit == 0 || written <= limit) return {};
    return {limit / 2, written - (limit - limit / 2)};
}

std::string gapLine(StreamGap gap) {
    if (gap.empty()) return {};
    return fmt::format("{}{}{}", kGapLineBegin, gap.size(), gap.size() == 1 ? kGapLineEndOfOne : kGapLineEnd);
}

Result<std::string> KeptStream::read(int fd, std::uint64_t offset, std::size_t most, std::uint64_t limit) const {
    if (offset < gap_.from || gap_.empty()) {
        const std::uint64_t end = gap_.empty() ? written_ : gap_.from;
        if (offset >= end) return std::string();
        return readFileAt(fd, offset, static_cast<std::size_t>(std::min<std::uint64_t>(most, end - offset)));
    }
    const std::uint64_t behind = offset - gap_.from;
    if (behind < line_.size()) return line_.substr(behind, most);
    const std::uint64_t at = gap_.to + (behind - line_.size());
    if (at >= written_) return std::string();
    auto bytes = readFileAt(fd, at, static_cast<std::size_t>(std::min<std::uint64_t>(most, written_ - at)));
    const auto now = fileSize(fd);
    if (!now) return std::unexpected(now.error());
    if (bytes && at < freeUntil(*now, limit))
        return fail(ErrorKind::Io,
                    "The output grows faster than it is read, and this part of it is no longer kept; ask again.");
    return bytes;
}

Result<StreamPiece> readGrowing(int fd, std::uint64_t offset, std::size_t most, std::uint64_t limit,
                                bool isAtRest) {
    const auto before = fileSize(fd);
    if (!before) return std::unexpected(before.error());
    const StreamGap gap = gapOf(*before, limit);
    if (offset < gap.from) most = static_cast<std::size_t>(std::min<std::uint64_t>(most, gap.from - offset));
    if (offset < gap.from || offset >= gap.to) {
        auto bytes = readFileAt(fd, offset, most);
        if (!bytes) return std::unexpected(bytes.error());
        const auto after = fileSize(fd);
        if (!after) return std::unexpected(after.error());
        if (offset < gap.from || offset >= freeUntil(*after, limit)) {
            const std::uint64_t next = offset + bytes->size();
            return StreamPiece{std::move(*bytes), next};
        }
    }
    // It may have grown by more than is kept while it was read.
    const auto now = fileSize(fd);
    if (!now) return std::unexpected(now.error());
    const StreamGap missed = gapOf(*now, limit);
    const std::uint64_t next = isAtRest ? missed.to : missed.to + (*now - missed.to) / 2;
    if (next <= offset) return StreamPiece{{}, offset}; // it was cut short meanwhile, as the disk is full
    return StreamPiece{gapLine({offset, next}), next, true};
}

bool GapPuncher::punch(int fd, std::uint64_t written, std::uint64_t limit) {
    const std::uint64_t end = freeUntil(written, limit);
    const std::uint64_t from = std::max(done_, (limit / 2 + kBlock - 1) / kBlock * kBlock);
    if (end <= from) return true;
    if (::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(end - from)) != 0)
        return errno == EINTR; // the next write tries again
    done_ = end;
    return true;
}

} // namespace yard
