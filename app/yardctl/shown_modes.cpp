#include "app/yardctl/shown_modes.h"

#include <charconv>
#include <fmt/format.h>
#include <ranges>

namespace yard::ctl {
namespace {

constexpr char kEscape = '\x1b';

/// Set where a terminal begins: lines wrap, the cursor is seen.
bool isSetAtFirst(int mode) {
    return mode == 7 || mode == 25;
}

} // namespace

void ShownModes::take(std::string_view bytes) {
    for (const char byte : bytes) takeOne(byte);
}

void ShownModes::takeOne(char byte) {
    if (byte == kEscape) {
        at_ = At::Escape;
        return;
    }
    switch (at_) {
    case At::Text: return;
    case At::Escape:
        at_ = byte == '[' ? At::Sequence : At::Text;
        sequence_.clear();
        if (byte == '=' || byte == '>') keypad_ = byte == '=';
        if (byte == 'c') *this = ShownModes(); // the program has reset all
        return;
    case At::Sequence:
        if (byte >= '@' && byte <= '~') {
            endSequence(byte);
            at_ = At::Text;
        } else if (sequence_.size() < kLongestSequence) {
            sequence_ += byte;
        } else {
            at_ = At::Text;
        }
    }
}

void ShownModes::endSequence(char final) {
    std::string_view parameters = sequence_;
    if (parameters.starts_with('>') && final == 'm') {
        parameters.remove_prefix(1);
        if (!parameters.starts_with('4')) return;
        const bool isOn = parameters.size() > 2 && !parameters.ends_with(";0");
        otherKeys_ = isOn ? std::string(parameters) : std::string();
        return;
    }
    if (!parameters.starts_with('?') || (final != 'h' && final != 'l')) return;
    parameters.remove_prefix(1);
    while (!parameters.empty()) {
        int mode = 0;
        const auto [end, error] = std::from_chars(parameters.data(), parameters.data() + parameters.size(), mode);
        if (error != std::errc{}) return;
        if ((final == 'h') == isSetAtFirst(mode))
            changed_.erase(mode);
        else if (changed_.size() < kLongestSequence)
            changed_.insert(mode);
        parameters.remove_prefix(static_cast<std::size_t>(end - parameters.data()));
        if (!parameters.empty()) parameters.remove_prefix(1);
    }
}

std::string ShownModes::undo() {
    std::string text;
    // The alternate screen, the highest of the usual ones, last: what else is set back is seen behind it.
    for (const int mode : changed_) text += fmt::format("\x1b[?{}{}", mode, isSetAtFirst(mode) ? 'h' : 'l');
    if (keypad_) text += "\x1b>";
    if (!otherKeys_.empty()) text += "\x1b[>4m";
    if (!text.empty()) text += "\x1b[m";
    *this = ShownModes();
    return text;
}

std::string ShownModes::again() const {
    std::string text;
    for (const int mode : std::views::reverse(changed_))
        text += fmt::format("\x1b[?{}{}", mode, isSetAtFirst(mode) ? 'l' : 'h');
    if (keypad_) text += "\x1b=";
    if (!otherKeys_.empty()) text += fmt::format("\x1b[>{}m", otherKeys_);
    return text;
}

} // namespace yard::ctl
