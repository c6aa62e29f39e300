#include "ui/log/line_diff.h"

#include "core/base/shortest_edit.h"

#include <QHash>

#include <algorithm>

namespace yard::ui {

namespace {

/// Lines as numbers: equal ones have the same.
class LineNumbers {
public:
    std::vector<int> of(const std::vector<QString>& lines) {
        std::vector<int> numbers;
        numbers.reserve(lines.size());
        for (const QString& line : lines) {
            const auto at = known_.constFind(line);
            numbers.push_back(at != known_.constEnd() ? *at
                                                      : *known_.insert(line, static_cast<int>(known_.size())));
        }
        return numbers;
    }

private:
    QHash<QString, int> known_;
};

/// Lines that were taken away stand beside those that came in their place.
void addPaired(const std::vector<EditStep>& steps, std::vector<DiffRow>& rows) {
    std::vector<std::int32_t> gone;
    std::vector<std::int32_t> come;
    const auto flush = [&] {
        for (std::size_t i = 0; i < std::max(gone.size(), come.size()); ++i)
            rows.push_back({i < gone.size() ? gone[i] : -1, i < come.size() ? come[i] : -1});
        gone.clear();
        come.clear();
    };
    for (const EditStep& step : steps) {
        switch (step.kind) {
        case EditStep::Kind::Removed: gone.push_back(static_cast<std::int32_t>(step.a)); break;
        case EditStep::Kind::Added: come.push_back(static_cast<std::int32_t>(step.b)); break;
        case EditStep::Kind::Both:
            flush();
            rows.push_back({static_cast<std::int32_t>(step.a), static_cast<std::int32_t>(step.b), true});
            break;
        }
    }
    flush();
}

} // namespace

LineDiff diffOf(const std::vector<QString>& left, const std::vector<QString>& right) {
    LineNumbers numbers;
    const std::vector<int> a = numbers.of(left);
    const std::vector<int> b = numbers.of(right);
    const auto isSame = [&](std::size_t left, std::size_t right) { return a[left] == b[right]; };
    const ShortestEdit edit = shortestEdit(a.size(), b.size(), isSame, std::size_t{kMostDiffEdits});
    const auto first = static_cast<std::int32_t>(edit.before);
    auto leftEnd = static_cast<std::int32_t>(a.size() - edit.after);
    auto rightEnd = static_cast<std::int32_t>(b.size() - edit.after);
    LineDiff diff;
    for (std::int32_t i = 0; i < first; ++i) diff.rows.push_back({i, i, true});
    diff.isAligned = edit.middle.has_value();
    if (edit.middle) addPaired(*edit.middle, diff.rows);
    for (std::int32_t i = first; !diff.isAligned && i < std::max(leftEnd, rightEnd); ++i) {
        const bool isBoth = i < leftEnd && i < rightEnd;
        diff.rows.push_back({i < leftEnd ? i : -1, i < rightEnd ? i : -1,
                             isBoth && isSame(static_cast<std::size_t>(i), static_cast<std::size_t>(i))});
    }
    for (; leftEnd < static_cast<std::int32_t>(a.size()); ++leftEnd, ++rightEnd)
        diff.rows.push_back({leftEnd, rightEnd, true});
    diff.different =
        static_cast<std::size_t>(std::ranges::count_if(diff.rows, [](const DiffRow& row) { return !row.isSame; }));
    return diff;
}

Difference differenceOf(const QString& left, const QString& right) {
    const qsizetype shorter = std::min(left.size(), right.size());
    qsizetype from = 0;
    while (from < shorter && left[from] == right[from]) ++from;
    if (from > 0 && left[from - 1].isHighSurrogate()) --from;
    qsizetype same = 0;
    while (same < shorter - from && left[left.size() - 1 - same] == right[right.size() - 1 - same]) ++same;
    if (same > 0 && left[left.size() - same].isLowSurrogate()) --same;
    return {from, left.size() - same - from, right.size() - same - from};
}

} // namespace yard::ui
