#include "app/yardctl/seen_stream.h"

#include "core/base/kept_stream.h"

#include <algorithm>
#include <charconv>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostDigits = 19;

std::string_view digitsOf(std::string_view line) {
    line.remove_prefix(std::min(line.size(), kGapLineBegin.size()));
    return line.substr(0, std::min(line.find_first_not_of("0123456789"), line.size()));
}

bool mayBecomeLine(std::string_view text) {
    if (text.size() <= kGapLineBegin.size()) return kGapLineBegin.starts_with(text);
    if (!text.starts_with(kGapLineBegin)) return false;
    const std::string_view digits = digitsOf(text);
    const std::string_view rest = text.substr(kGapLineBegin.size() + digits.size());
    const std::string_view end = digits == "1" ? kGapLineEndOfOne : kGapLineEnd;
    return digits.size() <= kMostDigits && end.starts_with(rest) && !(digits.empty() && !rest.empty());
}

} // namespace

void SeenStream::beginView() {
    at_ = viewSize_ = 0;
    line_.clear();
}

std::string SeenStream::take(std::string_view bytes) {
    viewSize_ += bytes.size();
    std::string fresh;
    while (!bytes.empty()) {
        const bool isInLine = !line_.empty();
        const std::size_t n = isInLine ? 1 : std::min(bytes.find(kGapLineBegin.front()), bytes.size());
        if (isInLine || n == 0)
            takeLine(bytes.substr(0, 1), fresh);
        else
            takeReal(bytes.substr(0, n), fresh);
        bytes.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return fresh;
}

std::string SeenStream::endView() {
    std::string fresh;
    abandonLine(fresh);
    return fresh;
}

void SeenStream::takeReal(std::string_view bytes, std::string& fresh) {
    const std::uint64_t known = std::min<std::uint64_t>(bytes.size(), seen_ - std::min(at_, seen_));
    at_ += bytes.size();
    seen_ = std::max(seen_, at_);
    fresh += bytes.substr(known);
}

/// One byte that begins such a line, or goes on with one.
void SeenStream::takeLine(std::string_view byte, std::string& fresh) {
    if (!mayBecomeLine(line_ + std::string(byte))) {
        abandonLine(fresh);
        return byte == kGapLineBegin.substr(0, 1) ? takeLine(byte, fresh) : takeReal(byte, fresh);
    }
    if (line_.empty()) isPassed_ = at_ >= seen_;
    line_ += byte;
    if (isPassed_) fresh += byte;
    if (line_.ends_with(kGapLineEnd) || line_.ends_with(kGapLineEndOfOne)) settleLine(fresh);
}

void SeenStream::settleLine(std::string& fresh) {
    const std::string_view digits = digitsOf(line_);
    std::uint64_t size = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    at_ += size;
    if (!isPassed_ && at_ > seen_) fresh += gapLine({seen_, at_});
    seen_ = std::max(seen_, at_);
    line_.clear();
}

/// It is not one: these bytes are the program's own.
void SeenStream::abandonLine(std::string& fresh) {
    std::string passed;
    takeReal(line_, isPassed_ ? passed : fresh);
    line_.clear();
}

} // namespace yard::ctl
