// Two texts beside each other, line by line, wrapped, so that nothing in which they differ is cut: what differs is
// tinted and has a sign, within a line the part that differs more. Equal lines fold away unless all are wanted.
// Paints what is in view and nothing else. Owner: ui thread.
#pragma once

#include "ui/log/line_diff.h"
#include "ui/style/accessible_text.h"

#include <QAbstractScrollArea>

namespace yard::ui {

/// One text of several, as "stdout".
struct DiffPart {
    QString title;
    std::vector<QString> left;
    std::vector<QString> right;
    std::size_t leftFrom = 0; ///< lines before them, which are not compared
    std::size_t rightFrom = 0;
    LineDiff diff; ///< of left and right
};

class DiffView final : public QAbstractScrollArea, public AccessibleText {
    Q_OBJECT
public:
    static constexpr int kContext = 2; ///< equal lines that stay before and after what differs

    explicit DiffView(QWidget* parent = nullptr);

    void clear();
    /// In place of lines while there are none.
    void setMessage(const QString& message);
    void setParts(std::vector<DiffPart> parts);
    const std::vector<DiffPart>& parts() const { return parts_; }
    void setAll(bool all);
    /// One a row: "- left", "+ right", "  both", "@ title".
    QString shownText() const;
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override;
    std::vector<SpokenPart> spokenParts() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    enum class Kind : std::uint8_t { Title, Fold, Lines };
    struct Shown {
        Kind kind = Kind::Lines;
        std::uint32_t part = 0;
        std::uint32_t row = 0;   ///< of the part's diff
        std::uint32_t count = 0; ///< of Fold: equal lines
    };
    struct Side {
        const QString* text = nullptr; ///< null: there is no line
        std::size_t number = 0;
        qsizetype from = 0; ///< where it differs from the other side
        qsizetype length = 0;
        bool isLeft = true;
    };
    void choose();
    void layOut();
    qreal charWidth() const;
    int lineHeight() const;
    int gutter() const;
    int columns() const;
    int linesOf(const Shown& shown, int columns) const;
    std::pair<Side, Side> sidesOf(const Shown& shown) const;
    QString titleOf(const DiffPart& part) const;
    QString foldText(const Shown& shown) const;
    void paintSide(QPainter& painter, const Side& side, const QRect& area, bool isSame) const;
    /// What is in view, from above, with where it begins.
    std::vector<std::pair<std::size_t, int>> inView() const;

    std::vector<DiffPart> parts_;
    std::vector<Shown> shown_;
    std::vector<int> tops_; ///< the first visual line of each, and behind the last
    QString message_;
    bool all_ = false;
};

} // namespace yard::ui
