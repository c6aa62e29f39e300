// What waits to be sent over a link: control goes before bulk, and both have a limit. Owner: the thread of the
// link.
#pragma once

#include "core/link/frame.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace yard::link {

/// Frames in the order in which they go out. A chunk that is being sent holds control up for one frame at most: 64
/// KiB.
class SendQueue {
public:
    /// Control over this is a peer that does not read: the link ends.
    static constexpr std::size_t kControlBytes = 16u << 20;
    /// Bulk over this waits with whoever sends it, until hasRoomForBulk().
    static constexpr std::size_t kBulkBytes = 1u << 20;

    /// False: nothing was taken. Of control that means that the peer does not read, of bulk that it has to wait.
    [[nodiscard]] bool put(Kind kind, std::uint64_t id, std::string_view body);
    /// One more piece of a chunk would be taken.
    bool hasRoomForBulk() const { return bulk_.bytes + kHeaderBytes + bodyLimit(kChunkKind) <= kBulkBytes; }
    /// The next frame to send, all of it; nothing: there is none.
    std::optional<std::string> take();
    bool isEmpty() const { return control_.frames.empty() && bulk_.frames.empty(); }
    std::size_t bytes() const { return control_.bytes + bulk_.bytes; }

private:
    static constexpr std::uint8_t kChunkKind = static_cast<std::uint8_t>(Kind::Chunk);
    struct Line {
        std::deque<std::string> frames;
        std::size_t bytes = 0;
    };

    Line control_;
    Line bulk_;
};

} // namespace yard::link
