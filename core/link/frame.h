// Frames of a link: 4 bytes length (little-endian, of what follows), 8 bytes id, 1 byte kind, then the body. The
// other side may send anything: a frame is refused by its header, before its body is waited for. Values; one thread
// at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::link {

/// What a frame is. Append only: the numbers are spoken between versions.
enum class Kind : std::uint8_t {
    Hello = 1,  ///< machine to yard, first on each connection: who it is, and what it holds
    Welcome,    ///< the answer, with the Hello's id: what the yard counts as held there
    Refused,    ///< instead of a Welcome, or at any time: why; the connection ends
    Lease,      ///< yard to machine: run one attempt
    Need,       ///< either way: hashes of chunks that are missing
    Chunk,      ///< the answer, with the Need's id: one piece of one chunk
    Updates,    ///< machine to yard: what happens to attempts, in batches
    Finished,   ///< machine to yard: how one attempt ended
    Settled,    ///< yard to machine: these can be forgotten; what still runs of them is ended
    Cancel,     ///< yard to machine: end it, or give it back if it has not begun
    Renew,      ///< machine to yard, once a second: the id counts up
    Renewed,    ///< the answer, with the Renew's id
    HandedBack, ///< machine to yard: these never began and never will
    Leaving,    ///< machine to yard: it goes soon, nothing new
    Follow      ///< yard to machine: somebody wants to see a stream of an attempt as it comes
};
inline constexpr std::uint8_t kLastKind = static_cast<std::uint8_t>(Kind::Follow);

inline constexpr std::size_t kHeaderBytes = 13;
/// Bytes of the length, which counts the id, the kind and the body.
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kChunkPiece = 64u << 10;

/// The longest body of a kind. A kind that this version does not know has a limit, too: it is passed over.
std::size_t bodyLimit(std::uint8_t kind);
/// Chunks are bulk. All else is control and goes first.
constexpr bool isBulk(Kind kind) {
    return kind == Kind::Chunk;
}

/// One frame that was read. `body` lives until the reader is used again.
struct Frame {
    std::uint64_t id = 0;
    std::uint8_t kind = 0; ///< may be one that this version does not know
    std::string_view body;
};

/// The frame as bytes. Requires: the body is within the limit of its kind.
std::string frameBytes(Kind kind, std::uint64_t id, std::string_view body);

/// Finds frames in a stream, however it is cut. It keeps at most what was appended and not taken yet: a length
/// alone allocates nothing. Take all frames after each append; then what is kept is less than one frame.
class FrameReader {
public:
    /// Bytes as they came, at most some 64 KiB at a time.
    void append(std::string_view bytes);
    /// The next whole frame; nothing: more bytes are needed, or the stream is broken.
    std::optional<Frame> next();
    /// A frame was shorter than its header or over the limit of its kind. Nothing more is read; the link ends.
    bool isBroken() const { return broken_; }
    std::size_t kept() const { return bytes_.size() - at_; }

private:
    std::string bytes_;
    std::size_t at_ = 0;
    bool broken_ = false;
};

} // namespace yard::link
