#include "core/kinds/kind_name.h"

#include "core/json/utf8.h"

#include <algorithm>

namespace yard::kinds {

namespace {

std::string_view fileName(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

/// Of an argument; a line for a shell has several.
std::string_view firstWord(std::string_view argument) {
    constexpr std::string_view kBlanks = " \t\n";
    argument.remove_prefix(std::min(argument.size(), argument.find_first_not_of(kBlanks)));
    return argument.substr(0, argument.find_first_of(kBlanks));
}

/// For people and for paths of the API.
std::string printable(std::string_view text) {
    // A character of the longest name may be cut in two, and takes three bytes as U+FFFD.
    std::string clean = wellFormed(text.substr(0, kMaxKindBytes + 4));
    for (char& byte : clean)
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = ' ';
    // C1 control characters are two bytes: 0xc2 and 0x80 to 0x9f.
    for (std::size_t i = 0; i + 1 < clean.size(); ++i)
        if (clean[i] == '\xc2' && static_cast<unsigned char>(clean[i + 1]) < 0xa0) clean.replace(i, 2, "  ");
    return std::string(utf8Prefix(clean, kMaxKindBytes));
}

} // namespace

std::string kindName(const ActionSpec& spec, std::string_view worker) {
    if (!spec.isExec()) {
        std::string name(worker);
        name += ':';
        return printable(name += spec.function);
    }
    std::string name = "exec:";
    if (!spec.label.empty()) return printable(name += spec.label);
    if (spec.argv.empty()) return name;
    name += fileName(std::string_view(spec.argv.front()).substr(0, 4'096));
    for (std::size_t i = 1; i < spec.argv.size(); ++i) {
        const std::string_view word = firstWord(spec.argv[i]);
        if (word.empty() || word.front() == '-') continue;
        name += ' ';
        name += word.substr(0, kMaxKindBytes + 4);
        break;
    }
    return printable(name);
}

} // namespace yard::kinds
