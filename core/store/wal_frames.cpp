#include "core/store/wal_frames.h"

#include "core/base/files.h"
#include "core/store/big_endian.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace yard::store {
namespace {

constexpr std::uint32_t kMagic = 0x377f0682; // the lowest bit tells the byte order of the sums
constexpr std::uint32_t kFormat = 3'007'000;
constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20; // read at once, about

bool isPageSize(std::uint32_t size) {
    return size >= 512 && size <= 65'536 && std::has_single_bit(size);
}

/// The running sum of a log. It depends on all that stands before.
class WalSum {
public:
    explicit WalSum(bool inBigEndian = false)
        : inBigEndian_(inBigEndian) {}
    void add(std::string_view bytes) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            first_ += word(bytes, at) + second_;
            second_ += word(bytes, at + 4) + first_;
        }
    }
    bool isAt(std::string_view bytes, std::size_t at) const {
        return bigEndian(bytes, at) == first_ && bigEndian(bytes, at + 4) == second_;
    }

private:
    std::uint32_t word(std::string_view bytes, std::size_t at) const {
        const std::uint32_t value = bigEndian(bytes, at);
        return inBigEndian_ ? value : std::byteswap(value);
    }

    bool inBigEndian_ = false;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;
};

/// Takes one frame after the other.
class Walk {
public:
    Walk(std::string_view header, std::uint32_t journalPageSize) {
        const std::uint32_t magic = bigEndian(header, 0);
        sum_ = WalSum((magic & 1) != 0);
        sum_.add(header.substr(0, kWalFrameHeader));
        intact_ = (magic & ~1u) == kMagic && bigEndian(header, 4) == kFormat && isPageSize(bigEndian(header, 8)) &&
                  sum_.isAt(header, kWalFrameHeader);
        survey_.pageSize = intact_ ? bigEndian(header, 8) : journalPageSize;
        if (intact_) salts_ = header.substr(16, 8);
    }

    std::size_t frameSize() const { return kWalFrameHeader + survey_.pageSize; }

    void take(std::uint64_t offset, std::string_view frame) {
        const std::string_view salts = frame.substr(8, 8);
        if (!salts_) salts_ = salts; // those of a damaged header are not known: the first frame was written with it
        const std::uint32_t page = bigEndian(frame, 0);
        const std::uint32_t pagesAfterCommit = bigEndian(frame, 4);
        if (salts != *salts_) {
            intact_ = false; // of an earlier round of the log
            return;
        }
        if (!intact_) {
            if (pagesAfterCommit > 0) ++survey_.groupsAfter;
            return;
        }
        sum_.add(frame.substr(0, 8));
        sum_.add(frame.substr(kWalFrameHeader));
        if (!sum_.isAt(frame, 16) || page == 0) {
            intact_ = false;
            damagedEnd_ = pagesAfterCommit > 0;
            return;
        }
        group_[page] = offset;
        if (pagesAfterCommit == 0) return;
        for (const auto& [number, at] : std::exchange(group_, {})) survey_.pages[number] = at;
        survey_.validEnd = offset + frame.size();
        survey_.pageCount = pagesAfterCommit;
    }

    WalSurvey survey() && {
        if (survey_.groupsAfter > 0 && damagedEnd_) ++survey_.groupsAfter;
        return std::move(survey_);
    }

private:
    bool intact_ = false;     ///< all before the next frame is what SQLite reads
    bool damagedEnd_ = false; ///< the damaged frame ended a transaction; alone it is one that a kill cut in two
    std::optional<std::string> salts_;
    WalSum sum_;
    std::map<std::uint32_t, std::uint64_t> group_; ///< of the transaction that has not ended yet
    WalSurvey survey_;
};

} // namespace

Result<std::optional<std::uint32_t>> pageSizeOf(int fd) {
    constexpr std::size_t kAt = 16;
    const auto header = readFileAt(fd, 0, 100);
    if (!header) return std::unexpected(header.error());
    if (header->size() < 100 || !header->starts_with("SQLite format 3")) return std::nullopt;
    const std::uint32_t size = bigEndian(*header, kAt) >> 16;
    const std::uint32_t pageSize = size == 1 ? 65'536 : size;
    if (!isPageSize(pageSize)) return std::nullopt;
    return pageSize;
}

Result<WalSurvey> surveyWal(int fd, std::uint32_t pageSize) {
    const auto header = readFileAt(fd, 0, kWalHeader);
    if (!header) return std::unexpected(header.error());
    if (header->size() < kWalHeader) return WalSurvey{};
    Walk walk(*header, pageSize);
    const std::uint64_t block = std::max<std::uint64_t>(kBlockBytes / walk.frameSize(), 1) * walk.frameSize();
    for (std::uint64_t offset = kWalHeader;; offset += block) {
        const auto bytes = readFileAt(fd, offset, block);
        if (!bytes) return std::unexpected(bytes.error());
        for (std::size_t at = 0; at + walk.frameSize() <= bytes->size(); at += walk.frameSize())
            walk.take(offset + at, std::string_view(*bytes).substr(at, walk.frameSize()));
        if (bytes->size() < block) return std::move(walk).survey();
    }
}

} // namespace yard::store
