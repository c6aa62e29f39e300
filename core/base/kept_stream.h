// A stream that was written to a file and may be longer than what is kept of it: the first half and the last half
// of `limit` bytes (the setting stream_bytes). The file has every byte at its own offset; what lies between the
// halves is given back to the disk while the stream grows. Values and calls on descriptors that block; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// The smallest limit: anything below stays in memory and is never cut.
inline constexpr std::uint64_t kLeastStreamBytes = 64u << 10;

/// The bytes [from, to) of a stream are not kept. Empty when from == to.
struct StreamGap {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    bool empty() const { return from == to; }
    std::uint64_t size() const { return to - from; }
    friend bool operator==(const StreamGap&, const StreamGap&) = default;
};

/// What is left out of `written` bytes under this limit; 0: no limit.
StreamGap gapOf(std::uint64_t written, std::uint64_t limit);
/// The line that readers see in place of a gap; nothing for an empty one. Between these stands its size.
std::string gapLine(StreamGap gap);
inline constexpr std::string_view kGapLineBegin = "\n[";
inline constexpr std::string_view kGapLineEnd =
    " bytes are left out here: the stream is longer than the setting stream_bytes]\n";
inline constexpr std::string_view kGapLineEndOfOne =
    " byte is left out here: the stream is longer than the setting stream_bytes]\n";

/// What readers see of a stream of `written` bytes: what comes before the gap, the line, what comes after it.
class KeptStream {
public:
    KeptStream(std::uint64_t written, StreamGap gap)
        : written_(written)
        , gap_(gap)
        , line_(gapLine(gap)) {}
    std::uint64_t size() const { return written_ - gap_.size() + line_.size(); }
    /// The view's bytes from `offset` on, at most `most`; empty at its end. Io also when the stream grows so fast
    /// that what was to be read is gone: `limit` is the one it is written under.
    Result<std::string> read(int fd, std::uint64_t offset, std::size_t most, std::uint64_t limit) const;

private:
    std::uint64_t written_;
    StreamGap gap_;
    std::string line_;
};

/// A piece of a stream for who reads it while it grows.
struct StreamPiece {
    std::string bytes;      ///< empty: nothing more now
    std::uint64_t next = 0; ///< where to go on
    bool isGap = false;     ///< the bytes are the line of what is left out
};
/// What was written from `offset` on, at most `most` bytes. A reader that was left behind gets the line of what it
/// missed, and goes on well before the end; of a stream that is at rest with the first byte that is still kept.
Result<StreamPiece> readGrowing(int fd, std::uint64_t offset, std::size_t most, std::uint64_t limit, bool isAtRest);

/// Gives the middle of a growing stream back to the disk, in steps. Value of the thread that writes the file.
class GapPuncher {
public:
    /// Call after each write. False: this file system cannot free part of a file (errno is set).
    bool punch(int fd, std::uint64_t written, std::uint64_t limit);

private:
    std::uint64_t done_ = 0; ///< freed up to here
};

} // namespace yard
