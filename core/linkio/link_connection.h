// One connection of a link: frames over a stream of bytes, until either side ends it. What they mean is not known
// here.
//
// Owner: one loop; all calls on its thread. Lifetime: stream and sink outlive run(). Invariants: control goes before
// chunks; run() ends with the cause that came first. Bounds: link::SendQueue of what waits to be sent, one frame of
// what comes; a frame over the limit of its kind, a peer that takes nothing and one that says nothing end it.
#pragma once

#include "core/base/clock.h"
#include "core/base/memory_ledger.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/link/frame.h"
#include "core/link/send_queue.h"
#include "core/linkio/byte_stream.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace yard::linkio {

/// Why a connection is over.
enum class LinkEnd : std::uint8_t {
    Ended,       ///< this side wanted it
    PeerLeft,    ///< the stream has ended or is broken
    BrokenRules, ///< what came is no frame, or says what it must not
    NotReading,  ///< the other side takes nothing
    Silent       ///< nothing came for too long: half-open, or stopped
};
/// For logs.
std::string_view name(LinkEnd end);

/// Who gets what comes.
class FrameSink {
public:
    virtual ~FrameSink() = default;
    /// A frame of a kind that is known. `frame.body` stays until it returns, and nothing more is read meanwhile:
    /// whoever is not through with it makes the other side wait. It may send(), finish() and end(). False: it breaks
    /// the rules.
    virtual coro::Task<bool> frameCame(const link::Frame& frame) = 0;
    /// A piece of a chunk would be taken again. Must not suspend.
    virtual void roomForBulk() {}
};

struct LinkLimits {
    /// Both sides say something every second.
    Duration silence = std::chrono::seconds(10);
    /// Of 64 KiB.
    Duration writeStall = std::chrono::seconds(10);
    /// After finish(), for what waits, and again for the other side to leave. A part that is being written then has its
    /// own time before.
    Duration goodbye = std::chrono::seconds(2);
};

class LinkConnection {
public:
    LinkConnection(ByteStream& stream, FrameSink& sink, LinkLimits limits = {})
        : stream_(stream)
        , sink_(sink)
        , limits_(limits) {}
    LinkConnection(const LinkConnection&) = delete;
    LinkConnection& operator=(const LinkConnection&) = delete;

    /// Reads and writes until it is over; then the stream is closed. Once. Throws Interrupted.
    coro::Task<LinkEnd> run();

    /// Before run(), too. False: it was not taken. Of a chunk: it is to wait for roomForBulk(). Of control: the
    /// connection is over, or is so by this, since the other side does not read. Requires: the body is within the
    /// limit of its kind.
    bool send(link::Kind kind, std::uint64_t id, std::string_view body);
    bool hasRoomForBulk() const { return queue_.hasRoomForBulk(); }
    /// What waits is sent, nothing more is taken or read, then it ends: for a last word.
    void finish();
    /// At once. The first cause counts.
    void end(LinkEnd cause);
    bool isOver() const { return cause_.has_value(); }

    std::uint64_t bytesSent() const { return sent_; }
    std::uint64_t bytesReceived() const { return received_; }

private:
    coro::Task<void> readOn();
    coro::Task<bool> takeFrames();
    coro::Task<void> writeOn();
    coro::Task<void> sendSome();
    Duration patience();
    void count();

    ByteStream& stream_;
    FrameSink& sink_;
    const LinkLimits limits_;
    link::FrameReader reader_;
    link::SendQueue queue_;
    coro::Event due_; ///< for the writer: something is to be sent, or it is over
    std::optional<LinkEnd> cause_;
    std::optional<MonoTime> finishBy_; ///< finish() was called, and the writer knows
    bool isFinishing_ = false;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::array<char, 16u << 10> buffer_;
    ChargedBytes held_{MemoryOwner::Links};
};

} // namespace yard::linkio
