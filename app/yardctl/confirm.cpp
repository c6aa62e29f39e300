#include "app/yardctl/confirm.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

bool isAtTerminal() {
    return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0;
}

/// The first character of the answer; 0: there is none, not even an empty line.
char answerTo(std::string_view question, std::string_view choice) {
    fmt::print(stderr, "yardctl: {} {} ", question, choice);
    std::array<char, 64> line{};
    return std::fgets(line.data(), line.size(), stdin) ? line[0] : '\0';
}

} // namespace

bool isMeant(const Arguments& arguments, std::string_view question) {
    if (arguments.has("yes") || !isAtTerminal()) return true;
    const char answer = answerTo(question, "[y/N]");
    return answer == 'y' || answer == 'Y';
}

bool isTriedAgain(std::string_view wrong, std::string_view question) {
    if (!isAtTerminal()) return false;
    fmt::print(stderr, "yardctl: {}\n", wrong);
    const char answer = answerTo(question, "[Y/n]");
    return answer == 'y' || answer == 'Y' || answer == '\n';
}

std::optional<bool> isTrusted(std::string_view facts, std::string_view question) {
    if (!isAtTerminal()) return std::nullopt;
    fmt::print(stderr, "yardctl: {}\n", facts);
    const char answer = answerTo(question, "[y/N]");
    return answer == 'y' || answer == 'Y';
}

} // namespace yard::ctl
