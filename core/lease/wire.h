// What crosses the socket between engine and launcher: frames of a 4-byte length (of what follows), a type byte and
// a payload (core/base/byte_parts.h); both ends are the same program. Both validate: the launcher must survive
// a confused engine and the other way round. Pure functions and one receive buffer; no owner.
#pragma once

#include "core/lease/runner.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace yard::runners::wire {

inline constexpr std::uint32_t kVersion = 12;
inline constexpr std::size_t kMaxFrame = 4u << 20;
/// argv and env of one lease together; the kernel's own limit is 2 MiB with usual stack limits.
inline constexpr std::size_t kMaxLeaseText = 2u << 20;

enum class FrameType : std::uint8_t {
    Setup = 1,
    Lease,
    TakeBack,
    End,
    EndAll,
    Watch,
    Nudge, ///< an entry of the slots file became free for a slot that was held back
    AskOutput,
    MayRun,
    Freeze,
    Hello = 64,
    Started,
    Ended,
    Returned,
    StreamAt,
    LockBusy,
    OutputEnds,
    Frozen
};

/// First frame to the launcher.
struct Setup {
    std::uint32_t version = kVersion;
    std::string dataDir;
    std::string ownerToken;
    std::string lockDir; ///< of named locks; empty: there is none to be had
    std::string group;   ///< cgroup to enter; empty: none
    std::uint32_t slots = 1;
    std::uint32_t spawners = 1;
    Duration quiet{};
    std::uint32_t lowWater = 1;
    bool durable = false; ///< LauncherConfig's
    std::int32_t enginePid = 0;
};
/// First frame from the launcher.
struct Hello {
    std::uint32_t version = kVersion;
    std::int32_t pid = 0;
};
struct End {
    AttemptId id;
    StopCause cause = StopCause::Cancelled;
    Duration grace{-1}; ///< negative: the lease's
};
struct EndAll {
    StopCause cause = StopCause::EngineStopped;
    Duration grace{-1};
};
struct Watch {
    AttemptId id;
    Stream stream = Stream::Out;
    bool on = true;
};
/// What has it printed? Answered by OutputEnds, or by its Ended, whichever comes first.
struct AskOutput {
    AttemptId id;
    SlotId slot;
};
/// Attempts of this group may run until then (CLOCK_BOOTTIME): the launcher ends them at that time by itself.
struct MayRun {
    std::uint32_t guestGroup = 0; ///< from 1 to kMaxGuestGroup
    BootTime until{};
};
/// Its processes are to stand still, or to go on. Answered by Frozen, unless that is so already or it ends.
struct Freeze {
    AttemptId id;
    bool on = true;
};
/// Ended, and the lease that took over its slot from another one, if any.
struct EndedFrame {
    AttemptId id;
    Ended ended;
    std::optional<AttemptId> moved;
};

void put(std::string& out, const Setup& setup);
void put(std::string& out, const Hello& hello);
void put(std::string& out, const Lease& lease);
void put(std::string& out, const End& end);
void put(std::string& out, const EndAll& endAll);
void put(std::string& out, const Watch& watch);
void put(std::string& out, const AskOutput& ask);
void put(std::string& out, const MayRun& mayRun);
void put(std::string& out, const Freeze& freeze);
void put(std::string& out, const EndedFrame& frame);
void put(std::string& out, AttemptId id, const Started& started);
void put(std::string& out, AttemptId id, const StreamAt& at);
void put(std::string& out, AttemptId id, const LockBusy& busy);
void put(std::string& out, AttemptId id, const OutputEnds& ends);
void put(std::string& out, AttemptId id, const Frozen& frozen);
void putTakeBack(std::string& out, AttemptId id);
void putReturned(std::string& out, AttemptId id);
void putNudge(std::string& out, SlotId slot);

/// A frame without its length.
struct Frame {
    FrameType type;
    std::string_view payload;
};

// Each reads a whole payload of its type; false when it is not exactly that (short, long, a number out of range).
bool get(std::string_view payload, Setup& setup);
bool get(std::string_view payload, Hello& hello);
/// What the descriptor is that comes with a lease's frame.
enum class Attachment : std::uint8_t { None, Socket, Input, Terminal };
/// All that come, in this order.
struct Attachments {
    Attachment first = Attachment::None;
    bool hasTokens = false;
};
bool get(std::string_view payload, Lease& lease, Attachments& attachments);
inline bool get(std::string_view payload, Lease& lease) {
    Attachments attachments;
    return get(payload, lease, attachments);
}
bool get(std::string_view payload, End& end);
bool get(std::string_view payload, EndAll& endAll);
bool get(std::string_view payload, Watch& watch);
bool get(std::string_view payload, AskOutput& ask);
bool get(std::string_view payload, MayRun& mayRun);
bool get(std::string_view payload, Freeze& freeze);
bool get(std::string_view payload, EndedFrame& frame);
bool get(std::string_view payload, AttemptId& id, Started& started);
bool get(std::string_view payload, AttemptId& id, StreamAt& at);
bool get(std::string_view payload, AttemptId& id, LockBusy& busy);
bool get(std::string_view payload, AttemptId& id, OutputEnds& ends);
bool get(std::string_view payload, AttemptId& id, Frozen& frozen);
bool get(std::string_view payload, AttemptId& id); ///< TakeBack, Returned
bool get(std::string_view payload, SlotId& slot);  ///< Nudge

/// Descriptors that come with one frame.
inline constexpr std::size_t kMostFds = 2;

/// One send without waiting: what of the bytes was taken, and all descriptors if any was; -1: errno says why.
ssize_t sendWith(int socketFd, std::string_view bytes, std::span<const SharedFd> fds);

/// Bytes received, cut into frames. Holds at most one frame and a read more than it was asked to give out.
class FrameBuffer {
public:
    /// Data: there may be more. LastData: there was no more at that moment.
    enum class Fill { Data, LastData, WouldBlock, Closed };
    /// One recv without waiting, up to 64 KiB.
    Fill receive(int socketFd);
    void append(std::string_view bytes) { bytes_.append(bytes); }
    /// The next whole frame, valid until the next receive(); nothing when there is none or isBroken().
    std::optional<Frame> next();
    /// The oldest descriptor that came with a frame and was not asked for yet; invalid when there is none.
    UniqueFd takeFd();
    /// A length over kMaxFrame or of 0 was seen: nothing after it can be trusted.
    bool isBroken() const { return broken_; }

private:
    std::unique_ptr<char[]> chunk_; // what one recv fills, so that bytes_ is never grown only to shrink again
    std::string bytes_;
    std::deque<UniqueFd> fds_; // never before the first byte of their frame, so in the order of those
    std::size_t at_ = 0;
    bool broken_ = false;
};

} // namespace yard::runners::wire
