// What crosses the socket between engine and a warm worker (docs/api.md, 5): a 4-byte little-endian length of what
// follows, an 8-byte little-endian request id, JSON. The worker's side is hostile: a frame that is too long, too
// short or not what it should be breaks the stream for good. Pure functions and one buffer; no owner.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::runners::warm {

/// Of what follows the length, both ways.
inline constexpr std::size_t kMaxFrame = 1u << 20;
/// Of the `result` of an answer.
inline constexpr std::size_t kMaxResult = 64u << 10;
inline constexpr unsigned kMaxConcurrency = 1'024;
/// Requests sent beyond the concurrency where actions are short.
inline constexpr unsigned kMaxAhead = 32;

struct Frame {
    std::uint64_t id = 0;
    std::string_view json;
};

/// A request. Empty `inputs` and `outputs`: the keys are absent (io inline). `args` is JSON as it was posted;
/// empty: null.
struct Request {
    std::uint64_t id = 0;
    Lsn lsn;
    std::string_view function;
    std::string_view args;
    std::string_view inputs;
    std::string_view outputs;
    std::string_view look = {};  ///< members for an actor, in place of lsn, args and directories
    std::string_view given = {}; ///< JSON: pieces that the action and its process have. Empty: the key is absent
};
/// False: it would be over kMaxFrame, and nothing was appended.
bool put(std::string& out, const Request& request);

/// The first frame of a worker, id 0.
struct Ready {
    unsigned concurrency = 1;
    unsigned ahead = kMaxAhead;
};
Result<Ready> parseReady(std::string_view json);

struct Answer {
    int exitCode = 0;
    std::string result; ///< JSON without white space; empty: none
    std::string message;
    bool resultTooLarge = false; ///< and left out
    std::string resultRefused;   ///< why it was left out otherwise: a sentence that says what to do; else empty
};
/// Malformed or Invalid: the process is not to be trusted any more. A result with numbers, repeated names or levels
/// that nothing here takes is one that is left out.
Result<Answer> parseAnswer(std::string_view json);

/// A frame that says how far a request is, and is no answer: it begins with `{"progress":`, and has neither "exit_code" nor
/// "result". Nothing: it is none of these.
std::optional<ReportedProgress> parseProgress(std::string_view json);

/// Bytes received, cut into frames. Holds at most one frame and a read more than it was asked to give out.
class FrameBuffer {
public:
    /// Data: there may be more. LastData: there was no more at that moment.
    enum class Fill : unsigned char { Data, LastData, WouldBlock, Closed };
    /// One recv without waiting, up to 64 KiB.
    Fill receive(int socketFd);
    void append(std::string_view bytes);
    /// The next whole frame, valid until the next receive() or append(); nothing when there is none or isBroken().
    std::optional<Frame> next();
    /// A length over kMaxFrame or below that of an id was seen.
    bool isBroken() const { return broken_; }
    std::size_t held() const { return bytes_.size() - at_; }
    /// Of memory that it has, with what it would fill.
    std::size_t memoryBytes() const { return bytes_.capacity() + (chunk_ ? kRead : 0); }

private:
    static constexpr std::size_t kRead = 64u << 10;
    std::unique_ptr<char[]> chunk_;
    std::string bytes_;
    std::size_t at_ = 0;
    bool broken_ = false;
};

} // namespace yard::runners::warm
