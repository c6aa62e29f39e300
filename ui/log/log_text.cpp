#include "ui/log/log_text.h"

#include "ui/style/format.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr char kEscape = '\x1b';
constexpr int kTab = 8;

/// One number of a "select graphic rendition".
void applySgr(int code, LogStyle& style) {
    if (code == 0) style = {};
    if (code == 1) style.bold = true;
    if (code == 22) style.bold = false;
    if (code == 4) style.underline = true;
    if (code == 24) style.underline = false;
    if (code >= 30 && code <= 37) style.colour = static_cast<std::int8_t>(code - 30);
    if (code >= 90 && code <= 97) style.colour = static_cast<std::int8_t>(code - 90 + 8);
    if (code == 39) style.colour = -1;
}

/// Of the 8 colours the one with these parts; `high`: from where on a part is there.
std::int8_t nearestOf(int red, int green, int blue, int high) {
    return static_cast<std::int8_t>((red >= high ? 1 : 0) | (green >= high ? 2 : 0) | (blue >= high ? 4 : 0));
}

/// One of 256: the 16 of terminals, a cube of 6 by 6 by 6, then 24 greys.
std::int8_t colourOf256(int number) {
    constexpr int kCube = 16;
    constexpr int kGreys = 232;
    if (number < 0 || number > 255) return -1;
    if (number < kCube) return static_cast<std::int8_t>(number);
    if (number >= kGreys) return number < kGreys + 12 ? 8 : 7;
    const int at = number - kCube;
    return nearestOf(at / 36, at / 6 % 6, at % 6, 3);
}

/// "1;31", "38;5;196", "38;2;255;0;0". A colour behind the text (48) is passed over with what belongs to it.
void applySgrs(QByteArrayView parameters, LogStyle& style) {
    const QList<QByteArray> parts = parameters.toByteArray().split(';');
    const auto number = [&](qsizetype at) { return at < parts.size() ? parts[at].toInt() : -1; };
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const int code = number(i);
        if (code != 38 && code != 48) {
            applySgr(code, style);
            continue;
        }
        const bool is256 = number(i + 1) == 5;
        const bool is24Bits = number(i + 1) == 2;
        if (code == 38 && is256) style.colour = colourOf256(number(i + 2));
        if (code == 38 && is24Bits) style.colour = nearestOf(number(i + 2), number(i + 3), number(i + 4), 128);
        i += is256 ? 2 : is24Bits ? 4 : 1;
    }
}

/// After an escape at `at`: where what follows it begins. Applies colours, ignores the rest.
qsizetype skipEscape(const QByteArray& bytes, qsizetype at, LogStyle& style) {
    qsizetype next = at + 1;
    if (next >= bytes.size()) return next;
    if (bytes[next] == ']') { // a title, a link: to BEL or ESC backslash
        for (++next; next < bytes.size() && bytes[next] != '\a'; ++next)
            if (bytes[next] == kEscape) return std::min(next + 2, bytes.size());
        return std::min(next + 1, bytes.size());
    }
    if (bytes[next] != '[') return next + 1;
    const qsizetype begin = ++next;
    while (next < bytes.size() && (bytes[next] < '@' || bytes[next] > '~')) ++next;
    if (next < bytes.size() && bytes[next] == 'm')
        applySgrs(QByteArrayView(bytes).sliced(begin, next - begin), style);
    return std::min(next + 1, bytes.size());
}

/// What cannot be seen gets its picture (U+2400 and on); tabs become spaces.
void appendVisible(QString& text, const QByteArray& bytes) {
    for (const QChar c : QString::fromUtf8(bytes)) {
        if (c == '\t')
            text.append(QString(kTab - text.size() % kTab, ' '));
        else if (c.unicode() < 0x20)
            text.append(QChar(0x2400 + c.unicode()));
        else if (c.unicode() == 0x7f)
            text.append(QChar(0x2421));
        // Marks that turn the direction of text around would show another line than is there.
        else if (turnsText(c))
            text.append(QChar(0xfffd));
        else
            text.append(c);
    }
}

} // namespace

LogLine parseLogLine(const QByteArray& bytes, LogStyle& style) {
    LogLine line;
    for (qsizetype at = 0; at < bytes.size();) {
        if (bytes[at] == kEscape) {
            at = skipEscape(bytes, at, style);
            continue;
        }
        qsizetype end = bytes.indexOf(kEscape, at);
        if (end < 0) end = bytes.size();
        const qsizetype begin = line.text.size();
        appendVisible(line.text, bytes.sliced(at, end - at));
        if (style != LogStyle()) line.runs.push_back({begin, line.text.size() - begin, style});
        at = end;
    }
    return line;
}

void LogText::clear() {
    *this = LogText();
}

void LogText::append(LogStream stream, const QByteArray& bytes) {
    total_ += bytes.size();
    QByteArray& open = open_[std::to_underlying(stream)];
    open += bytes;
    qsizetype from = 0;
    for (;;) {
        const qsizetype end = open.indexOf('\n', from);
        if (end < 0 && open.size() - from <= kLongestLine) break;
        qsizetype length = end < 0 ? kLongestLine : end - from;
        const bool cut = length > kLongestLine;
        if (cut) length = kLongestLine;
        addLine(stream, open.sliced(from, length));
        from += length + (cut || end < 0 ? 0 : 1);
    }
    open.remove(0, from);
    dropOldest();
}

void LogText::finish(LogStream stream) {
    QByteArray rest = std::exchange(open_[std::to_underlying(stream)], {});
    if (!rest.isEmpty()) addLine(stream, std::move(rest));
}

void LogText::addLine(LogStream stream, QByteArray bytes) {
    if (bytes.endsWith('\r')) bytes.chop(1);
    // What a carriage return overwrote was progress: the last one counts.
    if (const qsizetype back = bytes.lastIndexOf('\r'); back >= 0) bytes.remove(0, back + 1);
    LogStyle& style = style_[std::to_underlying(stream)];
    const LogStyle start = style;
    if (bytes.contains(kEscape)) parseLogLine(bytes, style);
    lines_.push_back({bytes_.size(), static_cast<std::int32_t>(bytes.size()), stream, start});
    bytes_ += bytes;
}

/// A quarter at once, so that it is rare.
void LogText::dropOldest() {
    if (bytes_.size() <= kMostBytes && lines_.size() <= kMostLines) return;
    const std::size_t count = std::max<std::size_t>(1, lines_.size() / 4);
    const qsizetype offset = count < lines_.size() ? lines_[count].offset : bytes_.size();
    bytes_.remove(0, offset);
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(count));
    for (Entry& entry : lines_) entry.offset -= offset;
    dropped_ += count;
}

QByteArray LogText::bytesOf(std::size_t at) const {
    return bytes_.sliced(lines_[at].offset, lines_[at].length);
}

LogLine LogText::line(std::size_t at) const {
    LogStyle style = lines_[at].start;
    return parseLogLine(bytesOf(at), style);
}

std::ptrdiff_t LogText::lineOf(LogStream stream, std::size_t number) const {
    if (dropped_ > 0) return -1;
    std::size_t count = 0;
    for (std::size_t at = 0; at < lines_.size(); ++at)
        if (lines_[at].stream == stream && ++count == number) return static_cast<std::ptrdiff_t>(at);
    return -1;
}

bool LogText::holds(std::size_t at, const QString& text) const {
    return line(at).text.contains(text, Qt::CaseInsensitive);
}

std::ptrdiff_t LogText::find(const QString& text, std::size_t from, bool backwards) const {
    if (text.isEmpty() || lines_.empty()) return -1;
    const std::size_t count = lines_.size();
    for (std::size_t step = 0; step < count; ++step) {
        const std::size_t at = backwards ? (from + count - step) % count : (from + step) % count;
        if (holds(at, text)) return static_cast<std::ptrdiff_t>(at);
    }
    return -1;
}

} // namespace yard::ui
