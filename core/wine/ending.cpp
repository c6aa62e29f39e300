#include "core/wine/ending.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace yard::wine {
namespace {

struct Named {
    std::uint32_t code;
    std::string_view words;
    bool mayPass = false;
};

constexpr std::array kCrashes = {Named{0x80000003, "breakpoint"},
                                 Named{0x80000004, "single step"},
                                 Named{0xC0000005, "access violation"},
                                 Named{0xC0000006, "page that could not be read"},
                                 Named{0xC0000017, "no memory"},
                                 Named{0xC000001D, "illegal instruction"},
                                 Named{0xC0000025, "exception that cannot be continued"},
                                 Named{0xC000008C, "array bounds exceeded"},
                                 Named{0xC000008E, "floating-point division by zero"},
                                 Named{0xC0000094, "integer division by zero"},
                                 Named{0xC0000095, "integer overflow"},
                                 Named{0xC0000096, "privileged instruction"},
                                 Named{0xC00000FD, "stack overflow"},
                                 Named{0xC0000135, "a DLL is not there"},
                                 Named{0xC0000139, "a DLL lacks a function"},
                                 Named{0xC000013A, "ended by Ctrl+C"},
                                 Named{0xC0000142, "a DLL could not begin"},
                                 Named{0xC0000374, "heap corrupted"},
                                 Named{0xC0000409, "stack overrun, or ended at once"},
                                 Named{0x20474343, "C++ exception that nobody caught"},
                                 Named{0xE06D7363, "C++ exception that nobody caught"}};

constexpr std::array kStartErrors = {Named{2, "its file is not there"},
                                     Named{3, "its directory is not there"},
                                     Named{5, "it may not be read"},
                                     Named{8, "there is not enough memory", true},
                                     Named{14, "there is not enough memory", true},
                                     Named{126, "a DLL is not there"},
                                     Named{193, "it is no program for 64-bit Windows"},
                                     Named{216, "it is for another processor"}};

template<std::size_t N>
std::string_view wordsOf(const std::array<Named, N>& names, std::uint32_t code) {
    const auto at = std::ranges::find(names, code, &Named::code);
    return at == names.end() ? std::string_view() : at->words;
}

} // namespace

Ending parseEnding(std::string_view text) {
    if (text.size() != kEndingBytes || text.back() != '\n' || (text.front() != 'X' && text.front() != 'E'))
        return {};
    const char* const first = text.data() + 1;
    const char* const last = text.data() + kEndingBytes - 1;
    Ending ending;
    constexpr int kHexadecimal = 16;
    if (const auto read = std::from_chars(first, last, ending.code, kHexadecimal);
        read.ec != std::errc() || read.ptr != last)
        return {};
    ending.kind = text.front() == 'X' ? Ending::Kind::Exited : Ending::Kind::NotStarted;
    return ending;
}

bool isCrash(std::uint32_t code) {
    // Errors of the system begin with C; exit(-1) is 0xFFFFFFFF, and no crash.
    return code >> 28 == 0xC || !wordsOf(kCrashes, code).empty();
}

std::string crashWords(std::uint32_t code) {
    const std::string_view words = wordsOf(kCrashes, code);
    return fmt::format("0x{:08X}{}{}", code, words.empty() ? "" : ", ", words);
}

bool isLastingStartError(std::uint32_t code) {
    const auto at = std::ranges::find(kStartErrors, code, &Named::code);
    return at != kStartErrors.end() && !at->mayPass;
}

std::string startErrorWords(std::uint32_t code) {
    const std::string_view words = wordsOf(kStartErrors, code);
    return fmt::format("error {} of Windows{}{}", code, words.empty() ? "" : ", ", words);
}

} // namespace yard::wine
