// Output of an action as lines: bytes as they came, an index of offsets, and the colours of ANSI escapes. No
// widgets. Owner: ui thread.
//
// Bounded: beyond kMostBytes or kMostLines the oldest lines go, and dropped() counts them. Bytes that are no UTF-8
// read as U+FFFD, other control characters as their pictures, so that no output can play tricks on who reads it.
#pragma once

#include <QByteArray>
#include <QString>
#include <array>
#include <cstdint>
#include <vector>

namespace yard::ui {

/// How a stretch of a line is painted: one of the 16 colours of terminals, or none. Of 256 and of 24 bits the nearest
/// of them; what is behind the text is not painted.
struct LogStyle {
    std::int8_t colour = -1; ///< 0 to 7, 8 to 15 bright; -1: as the line
    bool bold = false;
    bool underline = false;
    bool operator==(const LogStyle&) const = default;
};

struct LogRun {
    qsizetype begin = 0; ///< in characters of the line's text
    qsizetype length = 0;
    LogStyle style;
    bool operator==(const LogRun&) const = default;
};

struct LogLine {
    QString text;             ///< without escapes; a tab is as many spaces as it takes
    std::vector<LogRun> runs; ///< empty: no colours
};

enum class LogStream : std::uint8_t { Out, Err };

class LogText {
public:
    static constexpr qsizetype kMostBytes = 64 << 20;
    static constexpr std::size_t kMostLines = 1'000'000;
    static constexpr qsizetype kLongestLine = 16 << 10; ///< bytes; the rest goes on in the next line

    void clear();
    void append(LogStream stream, const QByteArray& bytes);
    /// The stream has ended: what stands without a newline is a line.
    void finish(LogStream stream);

    /// Lines there are now, the one that is not ended yet included.
    std::size_t size() const { return lines_.size(); }
    LogStream streamOf(std::size_t line) const { return lines_[line].stream; }
    LogLine line(std::size_t at) const;
    /// As it came, with escapes.
    QByteArray bytesOf(std::size_t at) const;
    /// Number of the first line that is still there, from 0.
    std::size_t dropped() const { return dropped_; }
    qsizetype bytes() const { return total_; }
    /// The first line that holds this text, from `from` on and around; -1: none.
    std::ptrdiff_t find(const QString& text, std::size_t from, bool backwards = false) const;
    /// The line with this number among those of its stream, from 1; -1: it is not there, or lines before it went.
    std::ptrdiff_t lineOf(LogStream stream, std::size_t number) const;
    bool holds(std::size_t line, const QString& text) const;

private:
    struct Entry {
        qsizetype offset;
        std::int32_t length;
        LogStream stream;
        LogStyle start; ///< colours that came before it
    };
    void addLine(LogStream stream, QByteArray bytes);
    void dropOldest();
    QByteArray bytes_;
    std::vector<Entry> lines_;
    std::array<QByteArray, 2> open_;
    std::array<LogStyle, 2> style_;
    std::size_t dropped_ = 0;
    qsizetype total_ = 0;
};

/// What one line shows: escapes taken out, their colours kept. `style`: in force before, and after.
LogLine parseLogLine(const QByteArray& bytes, LogStyle& style);

} // namespace yard::ui
