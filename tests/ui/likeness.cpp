#include "tests/ui/likeness.h"

#include <QColor>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace yard::test {

namespace {

/// Of 255, by which a ground may be another: what antialiasing and rounding make of it.
constexpr int kGroundMargin = 9;
constexpr int kInkFrom = 28;
/// Ink differs where it does by so much of the area, and by more than half of it.
constexpr double kInkMargin = 0.045;
constexpr double kInkShare = 0.4;
/// Cells around one: fonts make lines longer by some, tables less so.
constexpr int kInkReach = 3;
/// Of nine cells so many make a difference.
constexpr int kBadOfNine = 5;

using Colour = std::array<int, 3>;

struct Cell {
    Colour ground{};
    double ink = 0;
};

/// The cells of a picture, those at its right and lower edge smaller.
class Cells {
public:
    explicit Cells(const QImage& picture)
        : picture_(picture.convertToFormat(QImage::Format_RGB32))
        , across_((picture.width() + Likeness::kCell - 1) / Likeness::kCell)
        , down_((picture.height() + Likeness::kCell - 1) / Likeness::kCell) {
        cells_.reserve(static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_));
        for (int y = 0; y < down_; ++y)
            for (int x = 0; x < across_; ++x) cells_.push_back(look(areaOf(x, y)));
    }

    int across() const { return across_; }
    int down() const { return down_; }
    const Cell& at(int x, int y) const {
        return cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(across_) +
                      static_cast<std::size_t>(x)];
    }
    QRect areaOf(int x, int y) const {
        return QRect(x * Likeness::kCell, y * Likeness::kCell, Likeness::kCell, Likeness::kCell) & picture_.rect();
    }
    /// A cell of this ground is here or beside it, or one between two of those: an edge may lie within any cell.
    bool hasAround(int x, int y, const Colour& ground) const {
        for (std::size_t part = 0; part < ground.size(); ++part) {
            int least = 255;
            int most = 0;
            for (int j = std::max(0, y - 1); j <= std::min(down_ - 1, y + 1); ++j)
                for (int i = std::max(0, x - 1); i <= std::min(across_ - 1, x + 1); ++i) {
                    least = std::min(least, at(i, j).ground[part]);
                    most = std::max(most, at(i, j).ground[part]);
                }
            if (ground[part] < least - kGroundMargin || ground[part] > most + kGroundMargin) return false;
        }
        return true;
    }
    double inkAround(int x, int y) const {
        double sum = 0;
        int count = 0;
        for (int j = std::max(0, y - kInkReach); j <= std::min(down_ - 1, y + kInkReach); ++j)
            for (int i = std::max(0, x - kInkReach); i <= std::min(across_ - 1, x + kInkReach); ++i) {
                sum += at(i, j).ink;
                ++count;
            }
        return sum / count;
    }

private:
    Cell look(const QRect& area) const {
        std::array<std::vector<int>, 3> parts;
        for (int y = area.top(); y <= area.bottom(); ++y) {
            const auto* line = reinterpret_cast<const QRgb*>(picture_.constScanLine(y));
            for (int x = area.left(); x <= area.right(); ++x) {
                parts[0].push_back(qRed(line[x]));
                parts[1].push_back(qGreen(line[x]));
                parts[2].push_back(qBlue(line[x]));
            }
        }
        Cell cell;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            std::vector<int> sorted = parts[i];
            const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
            std::ranges::nth_element(sorted, middle);
            cell.ground[i] = *middle;
        }
        int inked = 0;
        for (std::size_t pixel = 0; pixel < parts[0].size(); ++pixel) {
            int far = 0;
            for (std::size_t i = 0; i < parts.size(); ++i)
                far = std::max(far, std::abs(parts[i][pixel] - cell.ground[i]));
            inked += far > kInkFrom ? 1 : 0;
        }
        cell.ink = static_cast<double>(inked) / static_cast<double>(parts[0].size());
        return cell;
    }

    QImage picture_;
    int across_;
    int down_;
    std::vector<Cell> cells_;
};

bool isOtherInk(double one, double other) {
    return std::abs(one - other) > kInkMargin && std::min(one, other) < kInkShare * std::max(one, other);
}

QString colourOf(const Colour& c) {
    return QColor(c[0], c[1], c[2]).name();
}

} // namespace

Unlike Likeness::compare(const QImage& one, const QImage& other) {
    if (one.isNull() || one.size() != other.size())
        return {QRect(QPoint(0, 0), one.size().expandedTo({1, 1})), QStringLiteral("of another size")};
    const Cells a(one);
    const Cells b(other);
    const auto isBad = [&](int x, int y) {
        return !b.hasAround(x, y, a.at(x, y).ground) || !a.hasAround(x, y, b.at(x, y).ground);
    };
    for (int y = 0; y + 2 < a.down(); ++y)
        for (int x = 0; x + 2 < a.across(); ++x) {
            int bad = 0;
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i) bad += isBad(x + i, y + j) ? 1 : 0;
            if (bad >= kBadOfNine)
                return {a.areaOf(x, y) | a.areaOf(x + 2, y + 2),
                        QStringLiteral("its ground is %1, not %2")
                            .arg(colourOf(b.at(x + 1, y + 1).ground), colourOf(a.at(x + 1, y + 1).ground))};
        }
    for (int y = kInkReach; y + kInkReach < a.down(); y += kInkReach)
        for (int x = kInkReach; x + kInkReach < a.across(); x += kInkReach)
            if (const double was = a.inkAround(x, y), is = b.inkAround(x, y); isOtherInk(was, is))
                return {a.areaOf(x - kInkReach, y - kInkReach) | a.areaOf(x + kInkReach, y + kInkReach),
                        QStringLiteral("%1 % of it is written on, not %2 %")
                            .arg(100 * is, 0, 'f', 1)
                            .arg(100 * was, 0, 'f', 1)};
    return {};
}

} // namespace yard::test
