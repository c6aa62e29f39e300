#include "core/model/progress_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace yard {

namespace {

using Source = ProgressMark::Source;

constexpr char kEscape = '\x1b';
constexpr char kBell = '\a';
constexpr std::size_t kMostDigits = 9;
/// Of a line of JSON.
constexpr std::size_t kMostLine = 4096;

/// Reads a line from its beginning. Each step answers whether it was there.
class Cursor {
public:
    explicit Cursor(std::string_view text)
        : rest_(text) {}
    Cursor& spaces() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
        return *this;
    }
    bool word(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    std::optional<double> number() {
        const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        if (digits == 0 || digits > kMostDigits) return {};
        double value = 0;
        for (const char c : rest_.substr(0, digits)) value = 10 * value + (c - '0');
        rest_.remove_prefix(digits);
        return value;
    }

private:
    std::string_view rest_;
};

std::optional<double> share(std::optional<double> part, std::optional<double> whole) {
    if (!part || !whole || *whole <= 0 || *part > *whole) return {};
    return *part / *whole;
}

std::optional<double> steps(std::string_view line) {
    Cursor at(line);
    if (!at.spaces().word("[")) return {};
    const auto part = at.spaces().number();
    if (!at.spaces().word("/")) return {};
    const auto whole = at.spaces().number();
    return at.spaces().word("]") ? share(part, whole) : std::nullopt;
}

std::optional<double> bracketPercent(std::string_view line) {
    Cursor at(line);
    if (!at.spaces().word("[")) return {};
    const auto percent = at.spaces().number();
    return at.word("%]") ? share(percent, 100) : std::nullopt;
}

std::optional<double> percentAtEnd(std::string_view line) {
    const std::size_t end = line.find_last_not_of(" \t");
    if (end == std::string_view::npos) return {};
    line = line.substr(0, end + 1);
    const std::size_t open = line.rfind('[');
    return open == std::string_view::npos || !line.ends_with("%]") ? std::nullopt
                                                                   : bracketPercent(line.substr(open));
}

std::optional<double> tests(std::string_view line) {
    Cursor at(line);
    const auto part = at.spaces().number();
    if (!at.word("/")) return {};
    const auto whole = at.number();
    return at.word(" Test") ? share(part, whole) : std::nullopt;
}

bool isPartOfWord(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
           c == '.';
}

/// The first of "45%" and "45.5%" that is a word.
std::optional<double> percentInWords(std::string_view line) {
    for (std::size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at + 1)) {
        if (at + 1 < line.size() && std::string_view(" |(").find(line[at + 1]) == std::string_view::npos) continue;
        std::size_t from = at;
        while (from > 0 && isPartOfWord(line[from - 1]) && at - from < kMostDigits) --from;
        double percent = -1;
        const auto read = std::from_chars(line.data() + from, line.data() + at, percent, std::chars_format::fixed);
        if (read.ec == std::errc{} && read.ptr == line.data() + at && percent >= 0 && percent <= 100)
            return percent / 100;
    }
    return {};
}

/// ']9;4;1;45' between an escape and its end.
std::optional<ProgressMark> escapeMark(std::string_view body) {
    constexpr double kIsOver = 0;
    constexpr double kIsUnknown = 3;
    constexpr double kMostState = 4;
    Cursor at(body);
    if (!at.word("]9;4;")) return {};
    const auto state = at.number();
    if (!state || *state > kMostState) return {};
    const auto percent = at.word(";") ? at.number() : std::nullopt;
    ProgressMark mark;
    if (*state == kIsOver || *state == kIsUnknown) return mark;
    if (!percent) return {};
    mark.fraction = std::min(*percent, 100.0) / 100;
    return mark;
}

/// Where the sequence ends that begins at `from` with an escape; its size and what is between.
struct Sequence {
    std::size_t size = 0; ///< 0: its end is not there
    std::string_view body;
};
Sequence sequenceAt(std::string_view text, std::size_t from) {
    const std::string_view rest = text.substr(from + 1);
    if (rest.starts_with(']')) {
        for (std::size_t i = 1; i < rest.size(); ++i) {
            if (rest[i] == kBell) return {.size = i + 2, .body = rest.substr(0, i)};
            if (rest[i] == kEscape)
                return {.size = i + 1 < rest.size() && rest[i + 1] == '\\' ? i + 3 : i + 1,
                        .body = rest.substr(0, i)};
            if (rest[i] == '\n') return {.size = i + 1, .body = {}}; // it was never one
        }
        return {};
    }
    if (!rest.starts_with('[')) return {.size = 2, .body = {}};
    const std::size_t last = rest.find_first_not_of("0123456789;:?<=>!$ ", 1);
    return last == std::string_view::npos ? Sequence{} : Sequence{.size = last + 2, .body = {}};
}

struct Pattern {
    Source source;
    std::optional<double> (*read)(std::string_view line);
};
constexpr std::array kPatterns = {Pattern{Source::Steps, steps}, Pattern{Source::Percent, bracketPercent},
                                  Pattern{Source::PercentAtEnd, percentAtEnd}, Pattern{Source::Tests, tests},
                                  Pattern{Source::Words, percentInWords}};

void addLine(std::string_view line, std::vector<ProgressMark>& marks) {
    for (const Pattern& pattern : kPatterns)
        if (const auto fraction = pattern.read(line)) {
            marks.push_back({.source = pattern.source, .fraction = fraction});
            return;
        }
}

void keepLast(std::vector<ProgressMark>& marks) {
    if (marks.size() > 2 * kMostProgressMarks)
        marks.erase(marks.begin(), marks.end() - static_cast<std::ptrdiff_t>(kMostProgressMarks));
}

/// -1: it is none.
double numberOf(JsonView v) {
    if (v.kind() == JsonKind::Integer) return static_cast<double>(v.node().integer);
    return v.kind() == JsonKind::Number ? v.node().number : -1;
}

void readStatusJson(std::string_view line, ReportedProgress& into) {
    if (line.size() > kMostLine) return;
    const auto tape = readJson(line);
    if (tape && tape->root().isObject()) addProgress(tape->root(), into);
}

void readStatusLine(std::string_view line, ReportedProgress& into) {
    constexpr std::string_view kProgress = "progress ";
    constexpr std::string_view kMessage = "message ";
    // Who opens it again while another one writes leaves a hole.
    line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
    if (line.starts_with('{')) {
        readStatusJson(line, into);
    } else if (line.starts_with(kProgress)) {
        const std::string_view text = line.substr(kProgress.size());
        double value = -1;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec == std::errc{} && read.ptr == text.data() + text.size() && value >= 0 && value <= 1)
            into.fraction = value;
    } else if (line.starts_with(kMessage)) {
        into.message = lastLine(line.substr(kMessage.size()));
    }
}

} // namespace

ReportedProgress progressInStatus(std::string_view tail) {
    ReportedProgress progress;
    for (std::size_t from = 0; from < tail.size();) {
        const std::size_t end = std::min(tail.find_first_of("\r\n", from), tail.size());
        readStatusLine(tail.substr(from, end - from), progress);
        from = end + 1;
    }
    return progress;
}

void addProgress(JsonView object, ReportedProgress& into) {
    for (const JsonView member : object) {
        if (member.key() == "progress") {
            const double value = numberOf(member);
            if (value >= 0 && value <= 1) into.fraction = value;
        } else if (member.key() == "message" && member.kind() == JsonKind::String) {
            into.message = lastLine(member.string());
        }
    }
}

std::vector<ProgressMark> progressInOutput(std::string_view tail, bool lines) {
    std::vector<ProgressMark> marks;
    std::string line; // without escape sequences
    const auto endLine = [&] {
        if (lines && !line.empty()) addLine(line, marks);
        line.clear();
        keepLast(marks);
    };
    for (std::size_t at = 0; at < tail.size();) {
        const char c = tail[at];
        if (c == kEscape) {
            const Sequence sequence = sequenceAt(tail, at);
            if (sequence.size == 0) break; // only half of it is there yet
            if (const auto mark = escapeMark(sequence.body)) marks.push_back(*mark);
            keepLast(marks);
            at += sequence.size;
            continue;
        }
        if (c == '\n' || c == '\r')
            endLine();
        else if (line.size() < kMostLine)
            line += c;
        ++at;
    }
    endLine();
    if (marks.size() > kMostProgressMarks)
        marks.erase(marks.begin(), marks.end() - static_cast<std::ptrdiff_t>(kMostProgressMarks));
    return marks;
}

/// Reads overlap: what comes before the last mark of the one before may be what that had already.
void OutputProgress::take(const std::vector<ProgressMark>& marks) {
    const auto before = std::exchange(seen_, std::nullopt);
    for (const ProgressMark& mark : marks) {
        if (mark.source == Source::Escape)
            escape_ = mark.fraction;
        else
            takeLine(mark);
    }
    if (!source_ && before && seen_ && seen_->source == before->source && seen_->fraction > before->fraction) {
        source_ = seen_->source;
        line_ = seen_->fraction;
    }
    if (!seen_) seen_ = before;
}

void OutputProgress::takeLine(const ProgressMark& mark) {
    if (source_) {
        if (mark.source == *source_) line_ = mark.fraction;
        return;
    }
    if (seen_ && seen_->source == mark.source && mark.fraction > seen_->fraction) {
        source_ = mark.source;
        line_ = mark.fraction;
        return;
    }
    seen_ = mark;
}

} // namespace yard
