#include "app/yardctl/display_width.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <clocale>
#include <cwchar>

namespace yard::ctl {

namespace {

/// wcwidth() goes by the thread's locale, and knows more than ASCII in one of UTF-8 alone, whatever LANG says. Without
/// such a locale each character counts as one column.
class InUtf8 {
public:
    InUtf8() {
        static const ::locale_t utf8 = [] {
            const ::locale_t plain = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
            return plain ? plain : ::newlocale(LC_CTYPE_MASK, "", nullptr); // that of the environment
        }();
        if (utf8) before_ = ::uselocale(utf8);
    }
    ~InUtf8() {
        if (before_) ::uselocale(before_);
    }
    InUtf8(const InUtf8&) = delete;
    InUtf8& operator=(const InUtf8&) = delete;

private:
    ::locale_t before_ = nullptr;
};

bool isAscii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Of a well-formed sequence.
wchar_t codePointOf(std::string_view sequence) {
    const auto lead = static_cast<unsigned char>(sequence.front());
    if (sequence.size() == 1) return static_cast<wchar_t>(lead);
    auto value = static_cast<char32_t>(lead & (0x7fU >> sequence.size()));
    for (const char c : sequence.substr(1)) value = value << 6U | (static_cast<unsigned char>(c) & 0x3fU);
    return static_cast<wchar_t>(value);
}

struct Character {
    std::size_t bytes = 1;
    std::size_t columns = 1;
};
/// The first one of a text. In the scope of an InUtf8.
Character characterAt(std::string_view text) {
    const std::size_t bytes = utf8SequenceLength(text);
    if (bytes == 0) return {};
    const int columns = ::wcwidth(codePointOf(text.substr(0, bytes)));
    return {bytes, columns < 0 ? std::size_t{1} : static_cast<std::size_t>(columns)};
}

} // namespace

std::size_t displayWidth(std::string_view text) {
    if (isAscii(text)) return text.size();
    const InUtf8 scope;
    std::size_t columns = 0;
    while (!text.empty()) {
        const Character next = characterAt(text);
        columns += next.columns;
        text.remove_prefix(next.bytes);
    }
    return columns;
}

std::string fitted(std::string_view text, std::size_t width) {
    if (displayWidth(text) <= width) return std::string(text);
    if (width == 0) return {};
    const InUtf8 scope;
    std::size_t end = 0;
    for (std::size_t columns = 0; end < text.size();) {
        const Character next = characterAt(text.substr(end));
        columns += next.columns;
        if (columns >= width) break; // the last column is the ellipsis's
        end += next.bytes;
    }
    return std::string(text.substr(0, end)) + "…";
}

} // namespace yard::ctl
