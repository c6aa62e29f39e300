// How a Windows program ended, as the starter wrote it down. The text comes out of the sandbox of a program that may be
// hostile: what does not have the form is nothing. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::wine {

struct Ending {
    enum class Kind : unsigned char {
        None,      ///< nothing was written down, or nothing that can be read
        Exited,    ///< `code` is its exit code
        NotStarted ///< `code` is why, an error of Windows
    };
    Kind kind = Kind::None;
    std::uint32_t code = 0;
    friend bool operator==(const Ending&, const Ending&) = default;
};

/// "X0000002a\n" and "E00000002\n"; everything else is None.
Ending parseEnding(std::string_view text);
inline constexpr std::size_t kEndingBytes = 10;

/// The exit code is one by which Windows says that a program crashed: 0xC0000005 and its like.
bool isCrash(std::uint32_t code);
/// "0xC0000005, access violation"; of one without a name the number alone.
std::string crashWords(std::uint32_t code);
/// The same program will not start another time either: its file, or a DLL of it, is not what it has to be.
bool isLastingStartError(std::uint32_t code);
/// "error 193 of Windows, it is no program for 64-bit Windows"; of one without words the number alone.
std::string startErrorWords(std::uint32_t code);

} // namespace yard::wine
