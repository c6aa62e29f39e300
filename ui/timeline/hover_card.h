// What the pointer is over, in words: a bar, a gap, or the machine at a time. Beside the pointer, inside the view,
// never over the bar itself; pinned by Ctrl, so that its links can be reached. Owner: ui thread; child of the view.
#pragma once

#include "ui/timeline/timeline_view.h"
#include "ui/widgets/button.h"

namespace yard::ui::timeline {

/// Where a card of this size stands: right below `over`, flipped where it would leave `inside`, never over `over`.
QRect cardRect(QSize card, const QRectF& over, const QRectF& inside);

class HoverCard final : public QWidget {
    Q_OBJECT
public:
    explicit HoverCard(QWidget* parent);

    void present(TimelineView& view, const TimelineView::Hovered& hovered);
    /// Stays until Esc, a click elsewhere or another zoom; only while it is shown.
    void pin();
    bool isPinned() const { return pinned_; }
    /// Goes away.
    void drop();

    struct Line {
        QString key;
        QString value;
    };
    QString title() const { return title_; }
    QString error() const { return error_; }
    const std::vector<Line>& lines() const { return lines_; }

signals:
    void opened(qint64 lsn, const QString& tab);
    void compareWanted(qint64 lsn);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describeBar(TimelineView& view, const TimelineView::Hovered& hovered);
    void describeGap(TimelineView& view, const TimelineView::Hovered& hovered);
    void describeGraph(TimelineView& view, const TimelineView::Hovered& hovered);
    void addDetails(const QJsonObject& job, std::uint32_t attempt);
    void place();
    QString whyIdle(TimelineView& view, WallMicros at) const;

    QString title_;
    QString subtitle_;
    QString error_;
    QString foot_;
    std::vector<Line> lines_;
    std::optional<DisplayState> face_;
    QRectF over_;
    QRectF inside_;
    QString shown_; ///< key of what it shows
    qint64 lsn_ = 0;
    bool pinned_ = false;
    Button* open_;
    Button* log_;
    Button* compare_;
};

} // namespace yard::ui::timeline
