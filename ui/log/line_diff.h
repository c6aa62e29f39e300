// What differs between two texts, line by line: the shortest way from one to the other after Myers. Pure; any thread.
//
// Bounded: beyond kMostDiffEdits lines that were taken away or added, what lies between the equal beginning and the
// equal end is set beside each other line by line, and isAligned is false. Callers cut texts to kMostDiffLines.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace yard::ui {

inline constexpr std::size_t kMostDiffLines = 20'000; ///< of each text
inline constexpr int kMostDiffEdits = 2'000;

/// Two lines beside each other, by index; -1: there is none on this side.
struct DiffRow {
    std::int32_t left = -1;
    std::int32_t right = -1;
    bool isSame = false;
    bool operator==(const DiffRow&) const = default;
};

struct LineDiff {
    std::vector<DiffRow> rows; ///< in the order of both texts
    std::size_t different = 0; ///< rows that are not the same
    bool isAligned = true;
};

LineDiff diffOf(const std::vector<QString>& left, const std::vector<QString>& right);

/// The part in which two texts differ: from where, and how much of each. Surrogate pairs stay whole.
struct Difference {
    qsizetype from = 0;
    qsizetype left = 0;
    qsizetype right = 0;
};
Difference differenceOf(const QString& left, const QString& right);

} // namespace yard::ui
