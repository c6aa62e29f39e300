// What goes over the socket of a console to a program: lines there, answers here. docs/console.md, "For programs".
#pragma once

#include "app/yardctl/command.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

/// What it asks for a line with.
inline constexpr std::string_view kConsolePrompt = "yard> ";

bool sendAll(int fd, std::string_view text);
/// What to say where the console has gone.
std::unexpected<Failure> gone();
/// The console closes at such a line, without an answer.
bool isFarewell(std::string_view line);

/// What the console says, in answers. Borrows the socket. Each function blocks until something comes, or the console
/// has gone.
class Answers {
public:
    explicit Answers(int fd)
        : fd_(fd) {}

    /// Prints an answer as it comes, up to its end. Returns its last word, "ok" or "error"; empty: the console has gone.
    std::string next();
    /// Returns the text of an answer; nothing: the console has gone.
    std::optional<std::string> text();
    /// Prints what has come. Returns how many answers have ended with it; nothing: the console has gone.
    std::optional<std::size_t> take();

private:
    bool read();
    /// Of what was read: the text of the answer, to `shown`, and the words of answers that have ended.
    void part(std::string& shown);

    int fd_;
    std::string kept_{};
    std::deque<std::string> ended_{};
};

/// Tells the console that a program speaks. Returns what it greets with; nothing: it has gone.
std::optional<std::string> speakForPrograms(int fd, Answers& answers);

} // namespace yard::ctl
