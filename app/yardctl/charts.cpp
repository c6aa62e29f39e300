#include "app/yardctl/charts.h"

#include <algorithm>
#include <array>

namespace yard::ctl {

namespace {

constexpr std::string_view kLetters = " .=rcaF";

} // namespace

std::string sparkline(std::span<const std::optional<double>> values, double most, std::size_t width) {
    constexpr std::array<std::string_view, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::size_t columns = std::min(width, values.size());
    std::string out;
    for (std::size_t c = 0; c < columns; ++c) {
        const std::size_t begin = c * values.size() / columns;
        const std::size_t end = (c + 1) * values.size() / columns;
        std::optional<double> largest;
        for (const auto& value : values.subspan(begin, end - begin))
            if (value && (!largest || *value > *largest)) largest = value;
        if (!largest) {
            out += ' ';
            continue;
        }
        const double share = most > 0 ? std::clamp(*largest / most, 0.0, 1.0) : 0.0;
        out += kHeights[std::min(static_cast<std::size_t>(share * kHeights.size()), kHeights.size() - 1)];
    }
    return out;
}

LanePicture::LanePicture(std::int64_t from, std::int64_t to, std::size_t width)
    : from_(from)
    , to_(std::max(to, from + 1))
    , text_(std::max<std::size_t>(width, 1), ' ') {}

std::size_t LanePicture::columnOf(std::int64_t at) const {
    const double share = static_cast<double>(at - from_) / static_cast<double>(to_ - from_);
    const auto column = static_cast<std::int64_t>(share * static_cast<double>(text_.size()));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(column, 0, std::ssize(text_) - 1));
}

void LanePicture::mark(std::int64_t begin, std::int64_t end, char letter) {
    if (end < from_ || begin >= to_) return;
    const std::size_t last = columnOf(std::max(begin, end - 1));
    for (std::size_t c = columnOf(begin); c <= last; ++c)
        if (kLetters.find(letter) > kLetters.find(text_[c])) text_[c] = letter;
}

char laneLetter(std::string_view state) {
    if (state == "completed") return '=';
    if (state == "failed") return 'F';
    if (state == "abandoned") return 'a';
    if (state == "cancelled") return 'c';
    return state == "retry" ? 'r' : '.';
}

} // namespace yard::ctl
