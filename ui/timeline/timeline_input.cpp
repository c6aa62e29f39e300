// Hands on the timeline: mouse, wheel and keys.
#include "ui/timeline/hover_card.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui::timeline {

namespace {
constexpr double kNotch = 1.25;
constexpr int kNotchAngle = 120;
constexpr double kPanShare = 0.1; // of the width, by an arrow key
} // namespace

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (std::exchange(isKeyed_, false)) update();
    card_->drop();
    hover_.stop();
    pressedAt_ = lastAt_ = event->position();
    if (event->button() != Qt::LeftButton) return;
    const TimeScale now = scale();
    const double y = pressedAt_.y();
    drag_ = Drag::Pressed;
    if (y < kMapHeight && pressedAt_.x() >= now.left()) {
        drag_ = Drag::Map;
        centreMap(pressedAt_.x());
    } else if (y >= kMapHeight && y < kGraphsTop && pressedAt_.x() >= now.left()) {
        drag_ = Drag::Ruler;
        chosen_.reset();
        touch();
    }
}

void TimelineView::centreMap(double x) {
    const WallMicros middle = scene().mapScale().timeAt(x);
    moveTo({middle - range_.length() / 2, middle - range_.length() / 2 + range_.length()}, true);
}

void TimelineView::dragTo(QPointF at) {
    const double moved = at.x() - lastAt_.x();
    switch (drag_) {
    case Drag::None: break;
    case Drag::Pressed:
        if ((at - pressedAt_).manhattanLength() < QApplication::startDragDistance()) return;
        drag_ = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
        [[fallthrough]];
    case Drag::Pan:
        moveTo(scale().panned(moved), true);
        bar_->setValue(bar_->value() - static_cast<int>(std::lround(at.y() - lastAt_.y())));
        break;
    case Drag::Ruler: {
        const TimeScale now = scale();
        const double from = std::clamp(std::min(pressedAt_.x(), at.x()), now.left(), now.right());
        const double to = std::clamp(std::max(pressedAt_.x(), at.x()), now.left(), now.right());
        if (to - from >= 3) chosen_ = Range{now.timeAt(from), now.timeAt(to)};
        touch();
        break;
    }
    case Drag::Map: centreMap(at.x()); break;
    }
    lastAt_ = at;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (drag_ != Drag::None) dragTo(at);
    const TimeScale now = scale();
    const double x = at.x() >= now.left() && at.x() <= now.right() && at.y() >= kMapHeight ? at.x() : -1;
    if (x != cursor_) {
        cursor_ = x;
        touch(); // heads say how many are busy at the cursor
    }
    if (drag_ == Drag::None) updateHover(at);
    if (event->modifiers().testFlag(Qt::ControlModifier)) card_->pin();
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag was = drag_;
    drag_ = Drag::None;
    unsetCursor();
    if (event->button() != Qt::LeftButton || was != Drag::Pressed) {
        if (was == Drag::Pan || was == Drag::Map) settle();
        return;
    }
    const QPointF at = event->position();
    if (at.y() < kLanesTop) return;
    const int index = layout_.rowAt(static_cast<int>(at.y()) - kLanesTop + bar_->value());
    if (index >= 0 && layout_.rows()[static_cast<std::size_t>(index)].kind != LayoutRow::Kind::Lane)
        return foldAt(layout_.rows()[static_cast<std::size_t>(index)]);
    Hovered hit = hoveredAt(at);
    select(hit.kind == Hovered::Kind::Bar ? std::optional(std::move(hit.bar)) : std::nullopt);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Hovered hit = hoveredAt(event->position());
    if (hit.kind != Hovered::Kind::Bar) return;
    const WallMicros end = hit.bar.item.until(data_.now());
    const std::int64_t margin = std::max<std::int64_t>((end - hit.bar.item.begin) / 10, kMillisecond);
    setRange({hit.bar.item.begin - margin, end + margin});
}

void TimelineView::leaveEvent(QEvent*) {
    cursor_ = -1;
    hover_.stop();
    if (!card_->isPinned()) {
        card_->drop();
        hovered_ = {};
    }
    touch();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    const double notches = static_cast<double>(angle.y() != 0 ? angle.y() : angle.x()) / kNotchAngle;
    event->accept();
    if (event->modifiers().testFlag(Qt::ControlModifier))
        return setLaneHeight(nextLaneHeight(laneHeight_, notches > 0 ? 1 : -1));
    if (event->modifiers().testFlag(Qt::ShiftModifier) || angle.y() == 0)
        return moveTo(scale().panned(notches * scale().width() * kPanShare), true);
    if (event->position().x() < kLabels)
        return bar_->setValue(bar_->value() - static_cast<int>(notches * 3 * laneHeight_));
    const TimeScale now = scale();
    moveTo(now.zoomed(std::pow(kNotch, -notches), event->position().x()), true);
}

bool TimelineView::zoomKey(QKeyEvent* event) {
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        if (!control) return false;
        zoomBy(1 / kNotch);
        return true;
    case Qt::Key_Minus:
        if (!control) return false;
        zoomBy(kNotch);
        return true;
    case Qt::Key_Home: fitAll(); return true;
    case Qt::Key_End: follow(); return true;
    default: return false;
    }
}

bool TimelineView::moveKey(QKeyEvent* event) {
    const double pan = scale().width() * kPanShare;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const bool left = event->key() == Qt::Key_Left;
        if (selected_)
            walk(left ? -1 : 1);
        else
            moveTo(scale().panned(left ? pan : -pan), true);
        return true;
    }
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const int by = event->key() == Qt::Key_Up ? -1 : 1;
        if (!selected_) {
            bar_->setValue(bar_->value() + by * laneHeight_);
            return true;
        }
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (groups_[i].worker == selected_->worker) {
                const int row = layout_.rowOf(i, selected_->slot);
                if (row >= 0) selectInRow(layout_.nextLane(row, by), selected_->item.begin);
                return true;
            }
        return true;
    }
    case Qt::Key_PageUp: bar_->setValue(bar_->value() - bar_->pageStep()); return true;
    case Qt::Key_PageDown: bar_->setValue(bar_->value() + bar_->pageStep()); return true;
    default: return false;
    }
}

bool TimelineView::actionKey(QKeyEvent* event) {
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_)
            setRange(*chosen_);
        else if (selected_)
            emit opened(selected_->item.lsn, {});
        return true;
    case Qt::Key_L:
        if (!control) return false;
        if (selected_) emit opened(selected_->item.lsn, QStringLiteral("output"));
        return true;
    case Qt::Key_D:
        if (!control) return false;
        if (selected_) emit compareWanted(selected_->item.lsn);
        return true;
    case Qt::Key_F3: selectNextMatch(); return true;
    case Qt::Key_Control: card_->pin(); return true;
    default: return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!std::exchange(isKeyed_, true)) update();
    if (zoomKey(event) || moveKey(event) || actionKey(event)) return;
    const QString text = event->text();
    const Qt::KeyboardModifiers others = event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier);
    if (others == Qt::NoModifier && !text.isEmpty() && text.front().isPrint()) {
        emit typed(text);
        return;
    }
    QWidget::keyPressEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse) {
        Hovered hit = hoveredAt(event->pos());
        if (hit.kind == Hovered::Kind::Bar) select(std::move(hit.bar));
    }
    card_->drop();
    emit contextMenuWanted(event->globalPos());
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    isKeyed_ = event->reason() != Qt::MouseFocusReason;
    update();
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool TimelineView::clearInnermost() {
    if (card_->isVisible()) {
        card_->drop();
        return true;
    }
    if (chosen_) {
        chosen_.reset();
        touch();
        return true;
    }
    if (!selected_) return false;
    select({});
    return true;
}

} // namespace yard::ui::timeline
