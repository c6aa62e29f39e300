#include "core/http/line_search.h"

#include <algorithm>
#include <utility>

namespace yard::http {

namespace {

constexpr char lowerAscii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// In the middle of a character of UTF-8.
constexpr bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

LineSearch::LineSearch(std::string text, bool exactCase)
    : text_(std::move(text))
    , exactCase_(exactCase) {
    if (!exactCase_) std::ranges::transform(text_, text_.begin(), lowerAscii);
}

std::string_view LineSearch::folded(std::string_view lines) {
    if (exactCase_) return lines;
    lower_.resize(lines.size());
    std::ranges::transform(lines, lower_.begin(), lowerAscii);
    return lower_;
}

FoundLine LineSearch::shown(std::string_view line, std::size_t at) const {
    if (line.ends_with('\r')) line.remove_suffix(1);
    FoundLine found{.number = line_, .text = {}, .isCut = line.size() > kMaxShown || line_ == parted_};
    if (line.size() > kMaxShown) {
        std::size_t begin = at > kBefore ? at - kBefore : 0;
        while (begin < at && continues(line[begin])) ++begin;
        std::size_t end = std::min(line.size(), begin + kMaxShown);
        while (end > at && end < line.size() && continues(line[end])) --end;
        line = line.substr(begin, end - begin);
    }
    found.text = line;
    return found;
}

/// Whole lines, or a part of one: line_ is the number of the first, and of the one behind the last end afterwards.
bool LineSearch::look(std::string_view lines, std::size_t most, std::vector<FoundLine>& found) {
    const std::string_view where = folded(lines);
    std::size_t counted = 0; // line_ is that of the line that begins here, or before and goes on
    const auto countTo = [&](std::size_t to) {
        line_ += std::count(lines.begin() + static_cast<std::ptrdiff_t>(counted),
                            lines.begin() + static_cast<std::ptrdiff_t>(to), '\n');
        counted = to;
    };
    bool isMore = false;
    for (std::size_t at = where.find(text_); at != std::string_view::npos; at = where.find(text_, at)) {
        const std::size_t newline = lines.rfind('\n', at);
        const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        countTo(begin);
        if (line_ != lastFound_) {
            if (most == 0) {
                isMore = true;
                break;
            }
            --most;
            lastFound_ = line_;
            found.push_back(shown(lines.substr(begin, end - begin), at - begin));
        }
        at = end;
    }
    countTo(lines.size());
    return isMore;
}

bool LineSearch::take(std::string_view bytes, std::size_t most, std::vector<FoundLine>& found) {
    const std::size_t before = found.size();
    const auto left = [&] { return most - (found.size() - before); };
    bool isMore = false;
    const std::size_t last = bytes.rfind('\n');
    if (last != std::string_view::npos) {
        std::string lines = std::exchange(rest_, {});
        lines += bytes.substr(0, last + 1);
        isMore = look(lines, left(), found);
        bytes.remove_prefix(last + 1);
    }
    rest_ += bytes;
    if (rest_.size() > kMaxLine) {
        parted_ = line_;
        isMore = look(rest_, left(), found) || isMore;
        // What may be the beginning of a match.
        rest_.erase(0, rest_.size() - (text_.size() - 1));
    }
    return isMore;
}

bool LineSearch::finish(std::size_t most, std::vector<FoundLine>& found) {
    const std::string rest = std::exchange(rest_, {});
    return look(rest, most, found);
}

} // namespace yard::http
