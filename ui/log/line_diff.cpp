#include "ui/log/line_diff.h"

#include <QHash>

#include <algorithm>

namespace yard::ui {

namespace {

/// A step of the way: both, or one of them alone, by index.
using DiffSteps = std::vector<DiffRow>;

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

/// Myers' greedy way over what lies between `first` and `leftEnd` or `rightEnd`. trace_[d] is what was reached before
/// step d, by diagonal.
class DiffWay {
public:
    DiffWay(const std::vector<int>& left, const std::vector<int>& right, int first, int leftEnd, int rightEnd)
        : left_(left)
        , right_(right)
        , first_(first)
        , width_(leftEnd - first)
        , height_(rightEnd - first) {}

    /// False: it takes more than `most` edits.
    bool find(int most) {
        std::vector<int> reached(2 * static_cast<std::size_t>(most) + 3, 0);
        const auto at = [&](int diagonal) -> int& { return reached[placeOf(diagonal + most + 1)]; };
        for (int d = 0; d <= most; ++d) {
            trace_.emplace_back(&at(-d - 1), &at(d + 1) + 1);
            for (int k = -d; k <= d; k += 2) {
                int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
                while (isSame(x, x - k)) ++x;
                at(k) = x;
                if (x == width_ && x - k == height_) return true;
            }
        }
        return false;
    }

    /// Backwards along the trace.
    DiffSteps steps() const {
        DiffSteps steps;
        int x = width_;
        int y = height_;
        for (int d = static_cast<int>(trace_.size()) - 1; d > 0; --d) {
            const auto at = [&](int diagonal) { return trace_[placeOf(d)][placeOf(diagonal + d + 1)]; };
            const int k = x - y;
            const bool isDown = k == -d || (k != d && at(k - 1) < at(k + 1));
            const int fromX = at(isDown ? k + 1 : k - 1);
            const int fromY = fromX - (isDown ? k + 1 : k - 1);
            for (; x > fromX && y > fromY; --x, --y) steps.push_back({first_ + x - 1, first_ + y - 1, true});
            steps.push_back(isDown ? DiffRow{-1, first_ + y - 1} : DiffRow{first_ + x - 1, -1});
            x = fromX;
            y = fromY;
        }
        for (; x > 0 && y > 0; --x, --y) steps.push_back({first_ + x - 1, first_ + y - 1, true});
        std::ranges::reverse(steps);
        return steps;
    }

private:
    /// Not below 0.
    static std::size_t placeOf(int index) { return static_cast<std::size_t>(index); }
    bool isSame(int x, int y) const {
        return x < width_ && y < height_ && x >= 0 && y >= 0 &&
               left_[placeOf(first_ + x)] == right_[placeOf(first_ + y)];
    }

    const std::vector<int>& left_;
    const std::vector<int>& right_;
    int first_;
    int width_;
    int height_;
    std::vector<std::vector<int>> trace_;
};

/// Lines that were taken away stand beside those that came in their place.
void addPaired(const DiffSteps& steps, std::vector<DiffRow>& rows) {
    std::vector<std::int32_t> gone;
    std::vector<std::int32_t> come;
    const auto flush = [&] {
        for (std::size_t i = 0; i < std::max(gone.size(), come.size()); ++i)
            rows.push_back({i < gone.size() ? gone[i] : -1, i < come.size() ? come[i] : -1});
        gone.clear();
        come.clear();
    };
    for (const DiffRow& step : steps) {
        if (step.isSame) {
            flush();
            rows.push_back(step);
        } else {
            (step.left >= 0 ? gone : come).push_back(std::max(step.left, step.right));
        }
    }
    flush();
}

} // namespace

LineDiff diffOf(const std::vector<QString>& left, const std::vector<QString>& right) {
    LineNumbers numbers;
    const std::vector<int> a = numbers.of(left);
    const std::vector<int> b = numbers.of(right);
    const auto [leftDiffers, rightDiffers] = std::ranges::mismatch(a, b);
    const auto first = static_cast<int>(leftDiffers - a.begin());
    auto leftEnd = static_cast<int>(a.size());
    auto rightEnd = static_cast<int>(b.size());
    while (leftEnd > first && rightEnd > first &&
           a[static_cast<std::size_t>(leftEnd) - 1] == b[static_cast<std::size_t>(rightEnd) - 1]) {
        --leftEnd;
        --rightEnd;
    }
    LineDiff diff;
    for (int i = 0; i < first; ++i) diff.rows.push_back({i, i, true});
    DiffWay way(a, b, first, leftEnd, rightEnd);
    diff.isAligned = way.find(std::min(leftEnd + rightEnd - 2 * first, kMostDiffEdits));
    if (diff.isAligned) addPaired(way.steps(), diff.rows);
    for (int i = first; !diff.isAligned && i < std::max(leftEnd, rightEnd); ++i) {
        const bool isBoth = i < leftEnd && i < rightEnd;
        diff.rows.push_back({i < leftEnd ? i : -1, i < rightEnd ? i : -1,
                             isBoth && a[static_cast<std::size_t>(i)] == b[static_cast<std::size_t>(i)]});
    }
    for (; leftEnd < static_cast<int>(a.size()); ++leftEnd, ++rightEnd)
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
