// The words before a link over the standard streams of a program (yardmaster --link-stdio): both sides say a line first, as a
// login script may print anything before. Values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yard {

/// What the yard says first, with a key of 48 hexadecimal digits and a line end behind it.
inline constexpr std::string_view kStdioGreeting = "yard-link 1 ";
/// What the machine says before its first frame. The line end in front ends what somebody printed without one.
inline constexpr std::string_view kStdioReady = "\nyard-link 1 ready\n";
/// What may come before that.
inline constexpr std::size_t kMostBeforeReady = 64u << 10;

inline std::string stdioGreeting(std::string_view key) {
    return std::string(kStdioGreeting).append(key).append("\n");
}

} // namespace yard
