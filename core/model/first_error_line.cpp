// The line of a log that one would look for: shown beside every failed action.

#include "core/model/result.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace yard {

namespace {

constexpr std::size_t kMaxLineBytes = 200;
constexpr std::size_t kHeadBytes = 256u << 10;
constexpr std::size_t kTailBytes = 64u << 10;
/// Bytes of one line that are looked at: a line can be the whole text.
constexpr std::size_t kScanBytes = 4096;

constexpr bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
constexpr char toLower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

/// Between the beginning of an escape sequence and its last letter.
constexpr std::string_view kParameters = "0123456789;:?<=>!\"#$%&'()*+,-./ ";
constexpr std::string_view kIntermediates = " !\"#$%&'()*+,-./";

/// Length of an escape sequence of a terminal at the start of `text`: CSI … letter, OSC and other strings up to BEL or
/// ST, or ESC, what may stand between, and one byte.
std::size_t escapeLength(std::string_view text) {
    if (text.size() < 2) return text.size();
    if (text[1] == '[') {
        const std::size_t end = text.find_first_not_of(kParameters, 2);
        return end == std::string_view::npos ? text.size() : end + 1;
    }
    if (std::string_view("]P_^X").contains(text[1])) {
        const std::size_t end = text.find_first_of("\a\x1b", 2);
        return end == std::string_view::npos ? text.size() : end + (text[end] == '\a' ? 1 : 2);
    }
    const std::size_t end = text.find_first_not_of(kIntermediates, 1);
    return end == std::string_view::npos ? text.size() : end + 1;
}

/// Of a sequence `CSI ? … h` or `l` at the start of `text`: whether a screen of its own begins or ends there.
enum class ScreenSwitch : unsigned char { None, On, Off };
ScreenSwitch screenSwitch(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789;", 3);
    if (end == std::string_view::npos || (text[end] != 'h' && text[end] != 'l')) return ScreenSwitch::None;
    const std::string numbers = fmt::format(";{};", text.substr(3, end - 3));
    for (const std::string_view number : {";47;", ";1047;", ";1049;"})
        if (numbers.contains(number)) return text[end] == 'h' ? ScreenSwitch::On : ScreenSwitch::Off;
    return ScreenSwitch::None;
}

/// A program puts it somewhere on the screen: what stands in it is no line of a log.
bool isPlaced(std::string_view line) {
    for (std::size_t at = line.find("\x1b["); at != std::string_view::npos; at = line.find("\x1b[", at + 2)) {
        const std::size_t end = line.find_first_not_of(kParameters, at + 2);
        if (end == std::string_view::npos) return false;
        const bool moves = line[end] == 'H' || line[end] == 'f' || line[end] == 'd';
        if (moves && end > at + 2) return true; // without a place it goes to the corner, as `clear` does
    }
    return false;
}

/// A text without what editors and pagers drew on a screen of their own. What was printed on it is gone for who looks
/// at the terminal as well.
class Printed {
public:
    explicit Printed(std::string_view text)
        : text_(text) {
        constexpr std::size_t kShortest = 6; // CSI ? 47 h
        bool isOn = false;
        bool isFirst = true;
        std::size_t from = 0;
        for (std::size_t at = text.find("\x1b[?"); at != std::string_view::npos; at = text.find("\x1b[?", at + 3)) {
            const ScreenSwitch found =
                text.size() - at < kShortest ? ScreenSwitch::None : screenSwitch(text.substr(at));
            const bool isRepeated = !isFirst && isOn == (found == ScreenSwitch::On);
            if (found == ScreenSwitch::None || isRepeated) continue;
            // What begins within one has no beginning of it.
            if (found == ScreenSwitch::On) kept_.append(text.substr(from, at - from)) += '\n';
            isOn = found == ScreenSwitch::On;
            isFirst = false;
            from = at;
        }
        if (isFirst) return;
        if (!isOn) kept_ += text.substr(from);
        text_ = kept_;
        isCut_ = true;
    }
    Printed(const Printed&) = delete;
    Printed& operator=(const Printed&) = delete;
    ~Printed() = default;
    std::string_view text() const { return text_; }
    bool isCut() const { return isCut_; }

private:
    std::string kept_;
    std::string_view text_;
    bool isCut_ = false;
};

/// A character without width, that nobody sees: zero-width space, marks of direction, joiners of words, a soft hyphen, a
/// byte order mark. What joins letters of a script stays.
bool isInvisible(std::string_view character) {
    static constexpr std::array<std::string_view, 5> kAlone{"\xC2\xAD", "\xE2\x80\x8B", "\xE2\x80\x8E",
                                                            "\xE2\x80\x8F", "\xEF\xBB\xBF"};
    const bool joinsWords = character >= "\xE2\x81\xA0" && character <= "\xE2\x81\xA4";
    return joinsWords || std::ranges::find(kAlone, character) != kAlone.end();
}

/// What a terminal shows of a line: what follows a backspace stands in place of what was there.
class Shown {
public:
    void add(std::string_view character) {
        if (at_ == cells_.size()) {
            cells_.push_back(character);
            bytes_ += character.size();
        } else {
            bytes_ = bytes_ - cells_[at_].size() + character.size();
            cells_[at_] = character;
        }
        ++at_;
        // White space at the beginning is none of the line.
        if (cells_.size() == 1 && cells_.front() == " ") *this = {};
    }
    void back() { at_ -= at_ > 0 ? 1 : 0; }
    std::size_t size() const { return bytes_; }
    std::string text() const {
        std::string text;
        for (const std::string_view cell : cells_) text += cell;
        return text;
    }

private:
    std::vector<std::string_view> cells_; ///< of the line, or constants
    std::size_t at_ = 0;
    std::size_t bytes_ = 0;
};

/// A line as it can be shown. Tabs are spaces.
std::string cleaned(std::string_view line) {
    Shown shown;
    while (!line.empty() && shown.size() < kMaxLineBytes) {
        std::size_t used = utf8SequenceLength(line);
        if (line[0] == '\x1b')
            used = std::min(escapeLength(line), line.size());
        else if (used == 0)
            shown.add("\xEF\xBF\xBD");
        else if (line[0] == '\t')
            shown.add(" ");
        else if (line[0] == '\b')
            shown.back();
        else if (!hasControlCharacters(line.substr(0, used)) && !isInvisible(line.substr(0, used)))
            shown.add(line.substr(0, used));
        line.remove_prefix(std::max<std::size_t>(used, 1));
    }
    std::string out = shown.text();
    out.resize(utf8Prefix(out, kMaxLineBytes).size());
    out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

/// `word` at `at` of `line`, not part of a longer word. Flags such as -Werror and names such as error.c are no
/// errors.
bool standsAlone(std::string_view line, std::size_t at, std::size_t size) {
    if (at > 0 && (isWordByte(line[at - 1]) || line[at - 1] == '-' || line[at - 1] == '.' || line[at - 1] == '/'))
        return false;
    const std::size_t after = at + size;
    if (after >= line.size()) return true;
    const char next = line[after];
    const bool isName =
        (next == '.' || next == '-' || next == '/') && after + 1 < line.size() && isWordByte(line[after + 1]);
    return !isWordByte(next) && !isName;
}

bool hasWord(std::string_view lower, std::string_view word) {
    for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
        if (!standsAlone(lower, at, word.size())) continue;
        const std::string_view before = lower.substr(0, at);
        if (before.ends_with("0 ") || before.ends_with("no ") || before.ends_with("without ")) continue;
        return true;
    }
    return false;
}

/// "ValueError: …", "java.io.IOException: …", at the beginning of a line or after white space.
bool hasExceptionName(std::string_view line) {
    for (const std::string_view suffix : {"Error:", "Exception:", "Error", "Exception"}) {
        const std::size_t at = line.find(suffix);
        if (at == std::string_view::npos || at == 0 || !isWordByte(line[at - 1])) continue;
        const std::size_t after = at + suffix.size();
        if (suffix.ends_with(':') ? after == line.size() || line[after] == ' ' : after == line.size()) return true;
    }
    return false;
}

bool isCertain(std::string_view line, std::string_view lower) {
    static constexpr std::array<std::string_view, 19> kMarks{"error:",
                                                             "error[",
                                                             "fatal:",
                                                             "fatal error",
                                                             "panic:",
                                                             "panicked at",
                                                             "*** ",
                                                             "assertion failed",
                                                             "assertion `",
                                                             "segmentation fault",
                                                             "core dumped",
                                                             "command not found",
                                                             "no such file or directory",
                                                             "permission denied",
                                                             "undefined reference",
                                                             "out of memory",
                                                             "cannot open",
                                                             "cannot find",
                                                             "uncaught "};
    const auto stands = [lower](std::string_view mark) {
        const std::size_t at = lower.find(mark);
        if (at == std::string_view::npos) return false;
        return at == 0 || !isWordByte(lower[at - 1]) || mark[0] == '*';
    };
    return std::ranges::any_of(kMarks, stands) || hasExceptionName(line);
}

/// Of nothing that ended the action.
bool isNotice(std::string_view lower) {
    static constexpr std::array<std::string_view, 7> kWords{"warning", "warn",   "note", "info",
                                                            "debug",   "notice", "hint"};
    return std::ranges::any_of(kWords, [lower](std::string_view word) {
        const std::size_t at = lower.find(word);
        if (at == std::string_view::npos || !standsAlone(lower, at, word.size())) return false;
        const std::string_view after = lower.substr(at + word.size());
        return after.starts_with(':') || after.starts_with(']');
    });
}

bool isLikely(std::string_view lower) {
    if (isNotice(lower)) return false;
    static constexpr std::array<std::string_view, 8> kWords{"error", "errors",    "failed", "failure",
                                                            "fatal", "exception", "abort",  "aborted"};
    return std::ranges::any_of(kWords, [lower](std::string_view word) { return hasWord(lower, word); });
}

/// The lines of a log one by one; a carriage return ends one too, as progress bars write it.
class Lines {
public:
    explicit Lines(std::string_view text)
        : rest_(text) {}
    bool next(std::string_view& line) {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find_first_of("\r\n");
            line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            if (line.find_first_not_of(" \t") != std::string_view::npos && !isPlaced(line)) return true;
        }
        return false;
    }

private:
    std::string_view rest_;
};

std::string lowerOf(std::string_view line) {
    std::string lower(line.substr(0, kScanBytes));
    std::ranges::transform(lower, lower.begin(), toLower);
    return lower;
}

/// With which a line may begin that shows nothing.
constexpr std::string_view kUnseen = "\b\xC2\xE2\xEF";

/// The best line of a part of the log.
struct Candidates {
    std::string_view certain;
    std::string_view likely;
    std::string_view last;
    bool inTraceback = false;

    void look(std::string_view line) {
        const std::string_view scanned = line.substr(0, kScanBytes);
        // It only moves the cursor, or has nothing that is seen.
        const bool mayShowNothing = scanned.contains('\x1b') || kUnseen.contains(scanned.front());
        if (mayShowNothing && cleaned(scanned).empty()) return;
        last = line;
        if (scanned.starts_with("Traceback (most recent call last)")) {
            inTraceback = true;
            return;
        }
        if (inTraceback && scanned[0] == ' ') return; // its frames
        const std::string lower = lowerOf(scanned);
        if (certain.empty() && (std::exchange(inTraceback, false) || isCertain(scanned, lower))) certain = line;
        if (likely.empty() && isLikely(lower)) likely = line;
    }
};

} // namespace

namespace {

Candidates candidatesIn(std::string_view text) {
    Candidates found;
    const auto lookAt = [&found](std::string_view part) {
        Lines lines(part);
        for (std::string_view line; found.certain.empty() && lines.next(line);) found.look(line);
    };
    if (text.size() <= kHeadBytes + kTailBytes) {
        lookAt(text);
    } else {
        lookAt(text.substr(0, kHeadBytes));
        lookAt(text.substr(text.size() - kTailBytes));
    }
    return found;
}

std::string firstShown(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines)
        if (std::string shown = cleaned(line); !shown.empty()) return shown;
    return {};
}

/// Where a program died on a screen of its own, what it says of that stands there.
std::string certainOnScreen(const Printed& printed, std::string_view text) {
    return printed.isCut() ? firstShown({candidatesIn(text).certain}) : std::string();
}

} // namespace

std::string firstErrorLine(std::string_view text) {
    const Printed printed(text);
    const Candidates found = candidatesIn(printed.text());
    std::string line = firstShown({found.certain, found.likely, found.last});
    return line.empty() ? certainOnScreen(printed, text) : line;
}

std::string firstErrorLine(std::string_view err, std::string_view out) {
    const Printed printedErr(err);
    const Printed printedOut(out);
    const Candidates inErr = candidatesIn(printedErr.text());
    const Candidates inOut = candidatesIn(printedOut.text());
    std::string line = firstShown({inErr.certain, inOut.certain, inErr.likely, inOut.likely});
    if (line.empty()) line = lastLineOf(err, out);
    return line.empty() ? certainOnScreen(printedOut, out) : line;
}

std::string lastLineOf(std::string_view err, std::string_view out) {
    std::string ofErr = lastLine(err);
    if (!ofErr.empty() && !isNotice(lowerOf(ofErr))) return ofErr;
    std::string ofOut = lastLine(out);
    return ofOut.empty() ? ofErr : ofOut;
}

std::string lastLine(std::string_view text) {
    if (text.size() > kTailBytes) text.remove_prefix(text.size() - kTailBytes);
    const Printed printed(text);
    text = printed.text();
    std::string shown;
    while (shown.empty() && !text.empty()) {
        const std::size_t end = text.find_last_not_of("\r\n");
        text = end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
        const std::size_t begin = text.find_last_of("\r\n") + 1; // npos + 1: the whole of it
        if (!isPlaced(text.substr(begin))) shown = cleaned(text.substr(begin));
        text = text.substr(0, begin);
    }
    return shown;
}

} // namespace yard
