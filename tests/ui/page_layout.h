// What stands where on a page: words and icons with their places. Two of them are alike where each word of the one is
// on the other near the same place, and there are as many icons there. Numbers, times and what a font makes of widths
// make no difference; a column that is lost, a panel elsewhere, an icon that is missing do. Values, no owner.
#pragma once

#include <QPoint>
#include <QString>
#include <vector>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace yard::test {

class PageLayout {
public:
    /// Fonts move what stands behind words, and less what stands below them.
    static constexpr int kAcross = 64;
    static constexpr int kDown = 14;

    struct Sign {
        QString words; ///< empty: an icon
        QPoint at;     ///< its middle, at the left for words
    };

    explicit PageLayout(std::vector<Sign> signs)
        : signs_(std::move(signs)) {}
    /// As it is shown now.
    static PageLayout of(QWidget& page);
    /// A line for each: "x y words".
    static PageLayout fromText(const QString& text);
    QString toText() const;
    const std::vector<Sign>& signs() const { return signs_; }

    /// What of this one `other` lacks, or has besides, in words; empty: they are alike.
    QString missingIn(const PageLayout& other) const;

private:
    std::vector<Sign> signs_;
};

} // namespace yard::test
