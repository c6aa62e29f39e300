#include "core/link/frame.h"

#include "core/link/body_parts.h"

#include <cassert>

namespace yard::link {

std::size_t bodyLimit(std::uint8_t kind) {
    constexpr std::size_t kKiB = 1024;
    switch (static_cast<Kind>(kind)) {
    case Kind::Hello:
    case Kind::Welcome: return 1024 * kKiB;
    case Kind::Lease: return 4096 * kKiB;
    case Kind::Updates: return 1024 * kKiB;
    case Kind::Finished: return 1024 * kKiB;
    case Kind::Need: return 128 * kKiB;
    case Kind::Chunk: return kChunkPiece + 64;
    case Kind::Settled:
    case Kind::Cancel:
    case Kind::HandedBack: return 64 * kKiB;
    case Kind::Refused:
    case Kind::Leaving: return 4 * kKiB;
    case Kind::Follow:
    case Kind::Renew:
    case Kind::Renewed: return kKiB;
    }
    return 64 * kKiB;
}

std::string frameBytes(Kind kind, std::uint64_t id, std::string_view body) {
    assert(body.size() <= bodyLimit(static_cast<std::uint8_t>(kind)));
    BodyWriter out;
    out.u32(static_cast<std::uint32_t>(kHeaderBytes - kLengthBytes + body.size()));
    out.u64(id);
    out.u8(static_cast<std::uint8_t>(kind));
    std::string bytes = out.take();
    bytes += body;
    return bytes;
}

void FrameReader::append(std::string_view bytes) {
    if (broken_) return;
    if (at_ > 0) {
        bytes_.erase(0, at_);
        at_ = 0;
    }
    bytes_ += bytes;
}

std::optional<Frame> FrameReader::next() {
    if (broken_ || kept() < kHeaderBytes) return std::nullopt;
    BodyReader header(std::string_view(bytes_).substr(at_, kHeaderBytes));
    const std::size_t length = header.u32();
    const std::uint64_t id = header.u64();
    const std::uint8_t kind = header.u8();
    constexpr std::size_t kRest = kHeaderBytes - kLengthBytes;
    if (length < kRest || length - kRest > bodyLimit(kind)) {
        broken_ = true;
        bytes_.clear();
        at_ = 0;
        return std::nullopt;
    }
    if (kept() < kLengthBytes + length) return std::nullopt;
    const Frame frame{
        .id = id, .kind = kind, .body = std::string_view(bytes_).substr(at_ + kHeaderBytes, length - kRest)};
    at_ += kLengthBytes + length;
    return frame;
}

} // namespace yard::link
