// Private to core/store: a walk over the frames of a SQLite write-ahead log on the disk, and what is found there.
// The bytes are not trusted: sizes are checked, memory is bounded by one block of frames and one entry for a page.
//
// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace yard::store {

inline constexpr std::size_t kWalHeader = 32;
inline constexpr std::size_t kWalFrameHeader = 24;

struct WalSurvey {
    std::uint32_t pageSize = 0;
    std::uint64_t validEnd = 0;    ///< offset behind the last transaction that SQLite reads; 0: it reads none
    std::uint64_t groupsAfter = 0; ///< ends of transactions of the same log behind a damaged place
    /// Page number to the offset of its last content before validEnd.
    std::map<std::uint32_t, std::uint64_t> pages;
    std::uint32_t pageCount = 0; ///< of the journal after the last transaction
};

/// `pageSize` is that of the journal, for a log whose own header is damaged. Blocks. Io.
Result<WalSurvey> surveyWal(int fd, std::uint32_t pageSize);

/// As the header of a database file says, of the file `fd`: 512 to 65,536, a power of two. Nothing: no database.
Result<std::optional<std::uint32_t>> pageSizeOf(int fd);

} // namespace yard::store
