// The back door: a prompt into the running engine, over the socket `backdoor.sock` of the data directory. It has a thread
// and a loop of its own, one cooperative thread and one Lua state per connection, and asks the engine as any client of
// the API does. So a line that goes wrong keeps neither the engine nor other clients waiting.
//
// Owner: who started it (main); start, stop and destruction on one thread. Lifetime: `ask` outlives it.
// Bounds: connections (one more hears a sentence), bytes of a line (then closed), what a line may use (LineLimits), time
// for an answer and for a client that does not read (then closed).
#pragma once

#include "core/base/error.h"
#include "core/console/interpreter.h"
#include "core/console/request.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace yard::console {

struct ConsoleOptions {
    std::string socket;     ///< its path; what a dead engine left there is replaced
    std::string commands{}; ///< directory of files with commands; empty: none
    std::string greeting{}; ///< first line of every console
    Ask ask{};
    LineLimits line{};
    std::size_t connections = 8;
    std::size_t lineBytes = 64u << 10;
    Duration answer = std::chrono::seconds(30); ///< of the engine
    Duration writeStall = std::chrono::seconds(30);
    uid_t user; ///< who may come
};

class Console {
public:
    /// Serves when it returns. Io: the socket cannot be made. Blocks for a moment.
    static Result<std::unique_ptr<Console>> start(ConsoleOptions options);
    /// Closes all connections; lines under way are dropped. The socket's file goes. Blocks.
    void stop();
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

private:
    struct Impl;
    explicit Console(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// How programs speak: after this line every answer ends with kAnswerEnd and "ok" or "error" as a line of its own, and
/// no prompt is written. What is printed never has this character.
inline constexpr std::string_view kForPrograms = "#program";
/// After the first line the console refuses what changes something, until the second comes.
inline constexpr std::string_view kReadOnly = "#read-only";
inline constexpr std::string_view kChanges = "#changes";
inline constexpr char kAnswerEnd = '\x04';
inline constexpr std::string_view kPrompt = "yard> ";

} // namespace yard::console
