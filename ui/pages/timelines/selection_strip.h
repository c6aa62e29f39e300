// The strip at the foot of the timelines: the selected bar in two lines with what can be done, and the legend.
// Owner: ui thread.
#pragma once

#include "ui/timeline/timeline_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

namespace yard::ui {

/// What each look of a bar means: in one line, or in up to three where that is too long.
class TimelineLegend final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineLegend(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    static QStringList words();
    static double widthOf(qsizetype begin, qsizetype end);
    static std::vector<qsizetype> linesIn(double width);
    void paintLine(QPainter& painter, qsizetype begin, qsizetype end, int top) const;
};

class SelectionStrip final : public Surface {
    Q_OBJECT
public:
    explicit SelectionStrip(QWidget* parent = nullptr);
    void present(const std::optional<timeline::SelectedBar>& bar, WallMicros now);
    QString title() const { return number_->text() + QStringLiteral(" ") + what_->text(); }
    QString where() const { return where_->text(); }

    Button* open() const { return open_; }
    Button* log() const { return log_; }
    Button* compare() const { return compare_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<DisplayState> face_;
    QWidget* icon_;
    Label* number_;
    Label* what_;
    Label* where_;
    Button* open_;
    Button* log_;
    Button* compare_;
};

} // namespace yard::ui
