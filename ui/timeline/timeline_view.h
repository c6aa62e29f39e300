// The timeline as one widget: small map, ruler, graphs, lanes, live edge, cursor, hover card, selection. Shows a
// TimelineData; everything by mouse and by keyboard. Owner: ui thread; must not outlive the data.
//
// Nothing rescales or moves by itself but what follows now. Paints at most 30 times a second while following, at
// most 60 under the hand, never while hidden.
//
// It has over 40 functions: a dozen are QWidget's events and those that keyboard and menus share with them. What is shown
// where, and how it is painted, is Scene's (scene.h) and the painter's.
#pragma once

#include "ui/timeline/scene.h"

#include <QElapsedTimer>
#include <QPixmap>
#include <QScrollBar>
#include <QTimer>
#include <QWidget>

namespace yard::ui::timeline {

class HoverCard;

class TimelineView final : public QWidget {
    Q_OBJECT
public:
    /// Where now stands while it is followed.
    static constexpr double kNowAt = 0.96;
    static constexpr std::size_t kMostListed = 500;

    /// A bar that is in view, for tables and screen readers.
    struct VisibleBar {
        SelectedBar bar;
        QRectF area;
    };
    /// What the pointer is over.
    struct Hovered {
        enum class Kind : std::uint8_t { Nothing, Bar, Gap, Graph } kind = Kind::Nothing;
        SelectedBar bar; ///< of a Gap: worker and slot, the bar before it when there is one
        Range gap;       ///< 0: not known
        WallMicros at = 0;
        QRectF area;
        QString key() const;
    };

    explicit TimelineView(TimelineData& data, QWidget* parent = nullptr);
    ~TimelineView() override;

    void setActive(bool active);
    void setMachine(const Machine& machine);

    Range range() const { return range_; }
    /// Brought within the limits; ends following when now is not in view then.
    void setRange(Range range);
    bool isFollowing() const { return following_; }
    /// Keeps the length, and now at kNowAt.
    void follow();
    /// Everything of the small map.
    void fitAll();
    /// Around the middle.
    void zoomBy(double factor);

    void setFilter(const QString& text);
    const LaneStore& store() const { return store_; }
    LaneStore::Counts counts();
    /// The next bar in time that the filter finds, wrapping around.
    void selectNextMatch();
    void setBySlot(bool bySlot);
    void setLaneHeight(int height);
    int laneHeight() const { return laneHeight_; }

    const std::optional<SelectedBar>& selected() const { return selected_; }
    void select(std::optional<SelectedBar> bar);
    /// The bar of this action in view or what is kept; false: there is none.
    bool selectAction(qint64 lsn);
    /// Brings the lane into view and selects what ran nearest to `at`. `worker`: id or name; empty: of whichever
    /// has this slot. False: there is no such lane (yet).
    bool showLane(const QString& worker, std::uint32_t slot, WallMicros at);
    /// Some of what this worker did in the range is not here yet.
    bool isIncomplete(const QString& worker) {
        return store_.isIncomplete(worker, range_, scale().microsPerPixel());
    }
    /// In reading order, at most kMostListed.
    std::vector<VisibleBar> visibleBars();
    /// The attempts that were at work at this time.
    std::vector<SelectedBar> barsAt(WallMicros at);
    /// The bar or gap there.
    Hovered hoveredAt(QPointF at);
    TimelineData& data() { return data_; }
    HoverCard* card() const { return card_; }

    /// Esc: card, chosen stretch, selection; false: there was nothing.
    bool clearInnermost();
    /// As it is shown, without the pointer; for exports.
    void paintTo(QPainter& painter, bool isVector = false);
    Scene scene();
    /// Folds and unfolds as the range needs it; else this waits until the hand rests.
    void settle();

signals:
    void rangeEdited();
    void followingChanged(bool following);
    void selectionEdited();
    void countsEdited();
    void opened(qint64 lsn, const QString& tab);
    void compareWanted(qint64 lsn);
    void typed(const QString& text);
    void contextMenuWanted(const QPoint& global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Drag : std::uint8_t { None, Pressed, Pan, Ruler, Map };
    TimeScale scale() const;
    void moveTo(Range range, bool byHand);
    void setFollowing(bool following);
    void onFrame();
    void onData();
    void layOut();
    void updateScroll();
    void look();
    void touch(); ///< the content has to be painted again
    void foldAt(const LayoutRow& row);
    void dragTo(QPointF at);
    void centreMap(double x);
    bool zoomKey(QKeyEvent* event);
    bool moveKey(QKeyEvent* event);
    bool actionKey(QKeyEvent* event);
    void selectInRow(int row, WallMicros near);
    void walk(int by);
    void ensureVisible(const SelectedBar& bar);
    std::optional<SelectedBar> barOf(const LayoutRow& row, WallMicros at, WallMicros tolerance);
    SelectedBar asSelected(const GroupSlots& group, std::uint32_t slot, const LaneStore::Part& part,
                           const Item& item) const;
    std::vector<std::pair<const Item*, const LaneStore::Part*>>
    itemsOf(const std::vector<LaneStore::Part>& parts) const;
    void updateHover(QPointF at);
    void showCard();

    TimelineData& data_;
    LaneStore store_;
    HoverCard* card_;
    QScrollBar* bar_;
    LaneLayout layout_;
    std::vector<GroupSlots> groups_;
    std::set<QString> folded_;
    std::set<QString> unfolded_;
    Machine machine_;
    Range range_;
    std::optional<SelectedBar> selected_;
    std::optional<Range> chosen_;
    QPixmap content_;
    bool dirty_ = true;
    bool active_ = false;
    bool following_ = true;
    int laneHeight_ = kUsualLane;
    double cursor_ = -1;
    bool isKeyed_ = false; ///< the hand is on the keys: the focus is framed
    Drag drag_ = Drag::None;
    QPointF pressedAt_;
    QPointF lastAt_;
    Hovered hovered_;
    QTimer frame_;
    QTimer rest_;
    QTimer hover_;
    LaneStore::Counts counts_;
};

} // namespace yard::ui::timeline
