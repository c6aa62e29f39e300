// What goes over the socket of a console to a program: lines there, answers here. docs/console.md, "For programs".
#pragma once

#include "app/yardctl/command.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

bool sendAll(int fd, std::string_view text);
/// Another answer of one who is not there any more.
std::unexpected<Failure> gone();
/// The console closes at such a line, without an answer.
bool isFarewell(std::string_view line);

/// What the console says, in answers. Borrows the socket.
class Answers {
public:
    explicit Answers(int fd)
        : fd_(fd) {}

    /// Up to the end of an answer, which is printed as it comes. Its last word, "ok" or "error"; empty: the console has
    /// gone, and said what is printed. Blocks.
    std::string next();
    /// The same, but that what it says is returned; nothing for one that has gone.
    std::optional<std::string> text();
    /// Takes what has come and prints it; how many answers have ended with it, nothing: the console has gone. Blocks
    /// where nothing has come.
    std::optional<std::size_t> take();

private:
    bool read();
    /// Of what was read: the text of the answer, to `shown`, and the words of answers that have ended.
    void part(std::string& shown);

    int fd_;
    std::string kept_{};
    std::deque<std::string> ended_{};
};

/// Tells the console that a program speaks. What it greets with; nothing: it has gone.
std::optional<std::string> speakForPrograms(int fd, Answers& answers);

} // namespace yard::ctl
