// The bodies of a link's frames as values, and their bytes. A body of the other side is hostile until get() took
// it: every text and list has a limit, and a refusal is all that a wrong body does. Values; any thread.
#pragma once

#include "core/base/hash.h"
#include "core/link/frame.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::link {

/// Both sides have to speak the same. A new kind, or new fields at the end of a body, do not change it.
inline constexpr std::uint32_t kProtocol = 2;
/// Leases that may be out over one link.
inline constexpr std::size_t kMaxLeases = 32'768;
/// In one Settled or HandedBack; more are sent in several.
inline constexpr std::size_t kMaxRefs = 5'000;
inline constexpr std::size_t kMaxNameBytes = 64;
inline constexpr std::size_t kMaxTextBytes = 1'024;
/// Output of one stream up to this size travels in Finished.
inline constexpr std::size_t kInlineBytes = 16u << 10;
inline constexpr std::size_t kMaxHashes = 4'000;          ///< in one Need
inline constexpr std::size_t kMaxOutputs = 10'000;        ///< of one attempt, if Finished has room for their names
inline constexpr std::size_t kMaxUpdates = 10'000;        ///< in one batch
inline constexpr std::size_t kMaxUpdateBytes = 32u << 10; ///< of output in one update
inline constexpr std::size_t kMaxSpecBytes = 3u << 20;

/// One attempt of one action of the yard. The yard never gives the same twice.
struct AttemptRef {
    std::int64_t lsn = 0;
    std::uint32_t attempt = 1;
    friend auto operator<=>(const AttemptRef&, const AttemptRef&) = default;
};
using AttemptRefs = std::vector<AttemptRef>;

/// An amount by name: thousandths.
using NamedAmounts = std::vector<std::pair<std::string, std::int64_t>>;
/// What a machine gives, or an attempt takes.
struct Amounts {
    std::int64_t milliCores = 0;
    std::int64_t memoryMb = 0;
    std::uint32_t slots = 0;
    NamedAmounts named{};
    friend bool operator==(const Amounts&, const Amounts&) = default;
};

/// How far a machine has come with what it holds.
enum class GuestStage : std::uint8_t {
    Waiting, ///< has not begun, and may still be given back
    Begun,   ///< may have begun; some of its processes may live
    Ended    ///< no process of it lives; what it became is kept until Settled
};
struct Held {
    AttemptRef id;
    GuestStage stage = GuestStage::Waiting;
    friend bool operator==(const Held&, const Held&) = default;
};

/// Clocks on walls differ by no more.
inline constexpr std::int32_t kMostUtcOffset = 24 * 60;
struct Hello {
    std::uint32_t protocol = kProtocol;
    std::string runId;    ///< another one: everything of the run before has ended
    std::string name;     ///< as the machine calls itself
    std::string platform; ///< "linux-x86_64"
    std::string version;  ///< for people
    Amounts capacity;
    std::vector<std::string> tags;
    std::vector<Held> held;
    std::int32_t utcOffset = 0; ///< minutes by which its clock on the wall is ahead of UTC, now
    /// It runs actions of registered workers for others. One of a version that does not say so takes commands alone.
    bool takesWorkers = false;
    friend bool operator==(const Hello&, const Hello&) = default;
};
struct Welcome {
    std::uint32_t protocol = kProtocol;
    std::string runId;
    std::string name;
    std::uint32_t leaseSeconds = 20;
    AttemptRefs held; ///< what the yard counts as held by this machine
    friend bool operator==(const Welcome&, const Welcome&) = default;
};

enum class RefusalCause : std::uint8_t { Token, Fingerprint, Protocol, Platform, Removed, Lied, Full };
struct Refused {
    RefusalCause cause = RefusalCause::Token;
    std::string sentence;
    friend bool operator==(const Refused&, const Refused&) = default;
};

struct Lease {
    AttemptRef id;
    std::string spec;             ///< JSON of the action, as docs/api.md has it
    std::string worker;           ///< its id, 64 hexadecimal digits; empty: exec
    std::uint64_t deadlineMs = 0; ///< 0: none
    std::uint64_t graceMs = 2'000;
    Amounts needs;
    std::vector<Hash256> inputs;
    bool once = false; ///< may not begin a second time
    friend bool operator==(const Lease&, const Lease&) = default;
};

struct Need {
    std::vector<Hash256> hashes;
    friend bool operator==(const Need&, const Need&) = default;
};
/// One piece of a chunk. Pieces of one chunk come in order; who reads them holds the whole against the hash.
struct Chunk {
    Hash256 hash;
    std::uint64_t size = 0; ///< of the whole
    std::uint64_t offset = 0;
    std::string bytes;
    friend bool operator==(const Chunk&, const Chunk&) = default;
};

inline constexpr std::uint64_t kWholeProgress = 1'000; ///< all is done
inline constexpr std::uint64_t kNoProgress = kWholeProgress + 1;

enum class UpdateKind : std::uint8_t {
    Submitting,
    Running,    ///< number: the pid there
    Cpu,        ///< number: percent of one core
    Memory,     ///< number: bytes
    Progress,   ///< number: up to kWholeProgress, more: not said; text: the message, may be empty
    Output,     ///< number: offset; text: bytes of stdout
    ErrorOutput ///< as Output, of stderr
};
struct Update {
    AttemptRef id;
    UpdateKind kind = UpdateKind::Submitting;
    std::uint64_t number = 0;
    std::string text{};
    friend bool operator==(const Update&, const Update&) = default;
};
using Updates = std::vector<Update>;

enum class GuestEnd : std::uint8_t {
    Exited, ///< by itself; exitCode or signal
    Cancelled,
    Deadline,
    SpawnError, ///< nothing ran; `message` says why
    Crashed,    ///< a warm process died while it worked on it
    LostRunner, ///< its launcher died
    LeaseEnded, ///< the link was silent for too long
    Refused     ///< the machine does not take it; nothing ran
};
struct KeptStream {
    std::uint64_t size = 0;
    std::string bytes; ///< up to kInlineBytes; empty when there is a hash
    std::optional<Hash256> hash;
    friend bool operator==(const KeptStream&, const KeptStream&) = default;
};
struct Output {
    std::string path;
    Hash256 hash;
    std::uint64_t size = 0;
    friend bool operator==(const Output&, const Output&) = default;
};
struct Finished {
    AttemptRef id;
    GuestEnd cause = GuestEnd::Exited;
    std::int64_t exitCode = 0;
    std::uint32_t signal = 0; ///< 0: it exited
    std::uint64_t waitedUs =
        0; ///< from the lease's arrival to its start; clocks of two machines are never compared
    std::uint64_t ranUs = 0;
    std::uint64_t cpuUs = 0;
    std::uint64_t memoryBytes = 0;
    std::string result; ///< JSON of an action of a worker that completed; empty: none
    std::string message;
    KeptStream out;
    KeptStream err;
    std::vector<Output> outputs;
    friend bool operator==(const Finished&, const Finished&) = default;
};
/// Of all that it left in chunks: streams and outputs.
std::vector<Hash256> hashesOf(const Finished& end);

struct Cancel {
    AttemptRef id;
    bool onlyIfWaiting = false; ///< take back: what has begun goes on
    std::uint64_t graceMs = 2'000;
    friend bool operator==(const Cancel&, const Cancel&) = default;
};

/// What it prints is told from then on, until it ends. Nothing of what nobody follows is.
struct Follow {
    AttemptRef id;
    bool isErr = false;
    std::uint64_t from = 0; ///< bytes that the yard has
    friend bool operator==(const Follow&, const Follow&) = default;
};

enum class LeavingCause : std::uint8_t { Quits, Spot, Lifetime, Sent };
struct Leaving {
    LeavingCause cause = LeavingCause::Quits;
    std::uint64_t inMs = 0;
    std::string sentence;
    friend bool operator==(const Leaving&, const Leaving&) = default;
};

std::string put(const Hello& body);
std::string put(const Welcome& body);
std::string put(const Refused& body);
std::string put(const Lease& body);
std::string put(const Need& body);
std::string put(const Chunk& body);
std::string put(const Updates& body);
std::string put(const Finished& body);
std::string put(const Cancel& body);
std::string put(const Follow& body);
std::string put(const Leaving& body);
/// Of Settled and HandedBack.
std::string put(const AttemptRefs& body);

/// False: the bytes are none, or beyond a limit; `body` is then of no use.
[[nodiscard]] bool get(std::string_view bytes, Hello& body);
[[nodiscard]] bool get(std::string_view bytes, Welcome& body);
[[nodiscard]] bool get(std::string_view bytes, Refused& body);
[[nodiscard]] bool get(std::string_view bytes, Lease& body);
[[nodiscard]] bool get(std::string_view bytes, Need& body);
[[nodiscard]] bool get(std::string_view bytes, Chunk& body);
[[nodiscard]] bool get(std::string_view bytes, Updates& body);
[[nodiscard]] bool get(std::string_view bytes, Finished& body);
[[nodiscard]] bool get(std::string_view bytes, Cancel& body);
[[nodiscard]] bool get(std::string_view bytes, Follow& body);
[[nodiscard]] bool get(std::string_view bytes, Leaving& body);
[[nodiscard]] bool get(std::string_view bytes, AttemptRefs& body);

} // namespace yard::link
