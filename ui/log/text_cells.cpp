#include "ui/log/text_cells.h"

#include <QChar>

#include <algorithm>
#include <array>

namespace yard::ui {

namespace {

struct Span {
    char32_t from;
    char32_t to;
};

/// The wide blocks of Unicode's East Asian width, and the pictures that every face shows wide. In their order.
constexpr std::array kWide{
    Span{0x1100, 0x115F},   Span{0x2E80, 0x303E},   Span{0x3041, 0x4DBF},   Span{0x4E00, 0xA4CF},
    Span{0xA960, 0xA97F},   Span{0xAC00, 0xD7A3},   Span{0xF900, 0xFAFF},   Span{0xFE30, 0xFE6F},
    Span{0xFF00, 0xFF60},   Span{0xFFE0, 0xFFE6},   Span{0x1F300, 0x1F64F}, Span{0x1F680, 0x1F6FF},
    Span{0x1F900, 0x1F9FF}, Span{0x20000, 0x3FFFD},
};

/// Below it every character has one cell.
constexpr char32_t kFirstOther = 0x300;

/// Calls `begins` with where each row but the first begins.
template<class Begins>
void walk(QStringView line, int columns, const Begins& begins) {
    int used = 0;
    for (qsizetype at = 0; at < line.size();) {
        const bool isPair = line[at].isHighSurrogate() && at + 1 < line.size() && line[at + 1].isLowSurrogate();
        const char32_t character =
            isPair ? QChar::surrogateToUcs4(line[at], line[at + 1]) : char32_t{line[at].unicode()};
        const int cells = cellsOf(character);
        if (used + cells > columns) {
            begins(at);
            used = 0;
        }
        used += cells;
        at += isPair ? 2 : 1;
    }
}

bool isPlain(QStringView line) {
    return std::ranges::all_of(line, [](QChar each) { return each.unicode() < kFirstOther; });
}

} // namespace

int cellsOf(char32_t character) {
    if (character < kFirstOther) return 1;
    switch (QChar::category(character)) {
    case QChar::Mark_NonSpacing:
    case QChar::Mark_Enclosing:
    case QChar::Other_Format: return 0;
    default: break;
    }
    const auto* const span = std::ranges::lower_bound(kWide, character, {}, &Span::to);
    return span != kWide.end() && span->from <= character ? 2 : 1;
}

int rowCountOf(QStringView line, int columns) {
    // Most lines are short: then nothing of them is looked at.
    if (line.size() * 2 <= columns) return 1;
    if (isPlain(line)) return std::max(1, static_cast<int>((line.size() + columns - 1) / columns));
    int rows = 1;
    walk(line, columns, [&](qsizetype) { ++rows; });
    return rows;
}

std::vector<qsizetype> rowStartsOf(QStringView line, int columns) {
    std::vector<qsizetype> starts{0};
    walk(line, columns, [&](qsizetype at) { starts.push_back(at); });
    return starts;
}

} // namespace yard::ui
