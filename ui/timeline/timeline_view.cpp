#include "ui/timeline/timeline_view.h"

#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_access.h"

#include <QDateTime>
#include <QPaintEvent>

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {
constexpr int kFollowFrameMs = 34;
constexpr int kRestMs = 250;
constexpr int kHoverMs = 150;
constexpr int kScrollWidth = 10;
} // namespace

QString TimelineView::Hovered::key() const {
    if (kind == Kind::Nothing) return {};
    if (kind == Kind::Graph) return QStringLiteral("graph %1").arg(at);
    return QStringLiteral("%1 %2 %3 %4 %5 %6")
        .arg(static_cast<int>(kind))
        .arg(bar.worker)
        .arg(bar.slot)
        .arg(bar.item.lsn)
        .arg(bar.item.begin)
        .arg(gap.from);
}

TimelineView::TimelineView(TimelineData& data, QWidget* parent)
    : QWidget(parent)
    , data_(data)
    , store_(data)
    , card_(new HoverCard(this))
    , bar_(new QScrollBar(Qt::Vertical, this)) {
    installTimelineAccess();
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timelines"));
    setMinimumHeight(kLanesTop + 60);
    const WallMicros now = data_.now();
    range_ = {now - static_cast<WallMicros>(5 * kMinute * kNowAt), 0};
    range_.to = range_.from + 5 * kMinute;
    frame_.setInterval(kFollowFrameMs);
    connect(&frame_, &QTimer::timeout, this, &TimelineView::onFrame);
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &TimelineView::settle);
    hover_.setSingleShot(true);
    hover_.setInterval(kHoverMs);
    connect(&hover_, &QTimer::timeout, this, &TimelineView::showCard);
    connect(&data_, &TimelineData::changed, this, &TimelineView::onData);
    connect(&data_, &TimelineData::figuresChanged, this, &TimelineView::touch);
    connect(bar_, &QScrollBar::valueChanged, this, [this] {
        card_->drop();
        touch();
        look();
    });
    connect(card_, &HoverCard::opened, this, &TimelineView::opened);
    connect(card_, &HoverCard::compareWanted, this, &TimelineView::compareWanted);
    connect(&Theme::current(), &Theme::changed, this, &TimelineView::touch);
    layOut();
}

TimelineView::~TimelineView() = default;

void TimelineView::setActive(bool active) {
    active_ = active;
    data_.setActive(active);
    if (active) {
        frame_.start();
        settle();
        onFrame();
    } else {
        frame_.stop();
        card_->drop();
    }
}

void TimelineView::setMachine(const Machine& machine) {
    machine_ = machine;
    touch();
}

TimeScale TimelineView::scale() const {
    return {range_, kLabels, std::max(1.0, static_cast<double>(width() - kLabels - kRight))};
}

Scene TimelineView::scene() {
    Scene scene;
    scene.data = &data_;
    scene.store = &store_;
    scene.scale = scale();
    scene.layout = layout_;
    scene.groups = groups_;
    scene.folded = folded_;
    scene.machine = machine_;
    scene.now = data_.now();
    scene.scroll = bar_->value();
    scene.height = height();
    scene.pixel = 1 / devicePixelRatioF();
    scene.cursor = cursor_;
    scene.selected = selected_;
    scene.chosen = chosen_;
    return scene;
}

void TimelineView::paintEvent(QPaintEvent*) {
    const Scene now = scene();
    const QSize pixels = size() * devicePixelRatioF();
    if (content_.size() != pixels) {
        content_ = QPixmap(pixels);
        content_.setDevicePixelRatio(devicePixelRatioF());
        dirty_ = true;
    }
    if (dirty_) {
        QPainter painter(&content_);
        ScenePainter(painter, now).paintContent();
        dirty_ = false;
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, content_);
    ScenePainter(painter, now).paintOverlay();
    if (hasFocus() && isKeyed_) {
        painter.setPen(QPen(Theme::current()(Token::Accent), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void TimelineView::paintTo(QPainter& painter, bool isVector) {
    Scene now = scene();
    now.isVector = isVector;
    now.cursor = -1;
    ScenePainter shown(painter, now);
    shown.paintContent();
    shown.paintOverlay();
}

void TimelineView::touch() {
    dirty_ = true;
    if (isVisible()) update();
}

void TimelineView::onFrame() {
    if (!active_) return;
    const bool nowShown = range_.contains(data_.now()) || following_;
    if (following_ && data_.isLive() && !card_->isPinned()) {
        const std::int64_t length = range_.length();
        const WallMicros from = data_.now() - static_cast<WallMicros>(static_cast<double>(length) * kNowAt);
        // Less than a pixel is not worth a frame.
        if (static_cast<double>(std::abs(from - range_.from)) >= scale().microsPerPixel() / 2) {
            range_ = {from, from + length};
            look();
            touch();
            emit rangeEdited();
        }
    } else if (nowShown && data_.isLive()) {
        touch();
    }
    // The wider the range, the slower now moves: a frame per quarter pixel is plenty.
    const double perFrame = scale().microsPerPixel() / 4 / 1'000;
    frame_.setInterval(static_cast<int>(std::clamp(perFrame, static_cast<double>(kFollowFrameMs), 1'000.0)));
}

void TimelineView::onData() {
    store_.refresh();
    if (drag_ == Drag::None && !rest_.isActive()) settle();
    if (data_.wholeFrom() == 0) look();
    if (selected_ && selected_->item.isOpen()) { // what goes on may have ended
        for (const LaneStore::Part& part :
             store_.parts(selected_->worker, selected_->slot, range_, scale().microsPerPixel()))
            for (const Item& item : part.lane->items())
                if (!item.isStep && item.lsn == selected_->item.lsn && item.attempt == selected_->item.attempt &&
                    (item.face != selected_->item.face || item.end != selected_->item.end)) {
                    selected_->item = item;
                    emit selectionEdited();
                    break;
                }
    }
    touch();
}

void TimelineView::settle() {
    const double perPixel = scale().microsPerPixel();
    groups_ = store_.groups(range_, perPixel);
    layOut();
    const LaneStore::Counts counts = store_.counts(range_, perPixel);
    if (counts != counts_) {
        counts_ = counts;
        emit countsEdited();
    }
    look();
    touch();
}

LaneStore::Counts TimelineView::counts() {
    return counts_;
}

void TimelineView::layOut() {
    layout_ = LaneLayout(groups_, laneHeight_, folded_, unfolded_);
    updateScroll();
}

void TimelineView::updateScroll() {
    const int room = height() - kLanesTop;
    bar_->setGeometry(width() - kScrollWidth, kLanesTop, kScrollWidth, std::max(0, room));
    bar_->setPageStep(std::max(1, room));
    bar_->setSingleStep(laneHeight_);
    bar_->setRange(0, std::max(0, layout_.height() - room));
    bar_->setVisible(layout_.height() > room);
}

void TimelineView::look() {
    const WallMicros day = startOfDay(data_.now(), QTimeZone::systemTimeZone());
    // The small map begins at midnight, or earlier once one looks earlier: whole days, so that it stands still.
    data_.setWhole(range_.from < day ? startOfDay(range_.from, QTimeZone::systemTimeZone()) : day);
    QStringList workers;
    bool all = true;
    if (!store_.isBySlot()) {
        const auto [first, last] = layout_.within(bar_->value(), bar_->value() + height() - kLanesTop);
        std::set<std::size_t> seen;
        for (std::size_t i = first; i < last; ++i)
            if (layout_.rows()[i].kind != LayoutRow::Kind::Head) seen.insert(layout_.rows()[i].group);
        all = seen.empty() || seen.size() == groups_.size();
        if (!all)
            for (const std::size_t group : seen) workers << groups_[group].worker;
    }
    data_.look(range_, scale().microsPerPixel(), workers);
}

void TimelineView::moveTo(Range range, bool byHand) {
    range = clamped(range);
    if (range == range_) return;
    range_ = range;
    if (byHand) {
        card_->drop();
        chosen_.reset();
        if (!range_.contains(data_.now())) setFollowing(false);
        // A pan that keeps now in view stays where the hand left it.
        else if (following_)
            setFollowing(false);
    }
    rest_.start();
    look();
    touch();
    emit rangeEdited();
}

void TimelineView::setRange(Range range) {
    moveTo(range, true);
    settle();
}

void TimelineView::setFollowing(bool following) {
    if (following_ == following) return;
    following_ = following;
    emit followingChanged(following);
}

void TimelineView::follow() {
    setFollowing(true);
    const std::int64_t length = range_.length();
    const WallMicros from = data_.now() - static_cast<WallMicros>(static_cast<double>(length) * kNowAt);
    moveTo({from, from + length}, false);
    settle();
}

void TimelineView::fitAll() {
    const WallMicros now = data_.now();
    const Figures& whole = data_.whole();
    // From the first step in which something was going on.
    WallMicros from = data_.wholeFrom();
    for (std::size_t i = 0; i < whole.t.size(); ++i)
        if (whole.running[i] > 0 || whole.completed[i] > 0 || whole.failed[i] > 0) {
            from = whole.t[i];
            break;
        }
    if (from <= 0 || from >= now) from = now - kHour;
    const auto length = static_cast<std::int64_t>(static_cast<double>(now - from) / kNowAt);
    moveTo({from - length / 50, from - length / 50 + length + length / 50}, true);
    settle();
}

void TimelineView::zoomBy(double factor) {
    const TimeScale now = scale();
    // While following, now stays where it is.
    const bool keeps = following_;
    moveTo(now.zoomed(factor, keeps ? now.xOf(data_.now()) : now.left() + now.width() / 2), true);
    if (keeps) setFollowing(true);
}

void TimelineView::setFilter(const QString& text) {
    store_.setFilter(BarFilter(text));
    settle();
    emit countsEdited();
}

void TimelineView::setBySlot(bool bySlot) {
    store_.setBySlot(bySlot);
    select({});
    settle();
}

void TimelineView::setLaneHeight(int height) {
    laneHeight_ = height;
    layOut();
    look();
    touch();
}

void TimelineView::resizeEvent(QResizeEvent*) {
    updateScroll();
    rest_.start();
    look();
    touch();
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) touch();
    QWidget::changeEvent(event);
}

void TimelineView::foldAt(const LayoutRow& row) {
    const QString worker = groups_[row.group].worker;
    std::set<QString>& set = row.kind == LayoutRow::Kind::Head ? folded_ : unfolded_;
    if (!set.erase(worker)) set.insert(worker);
    layOut();
    look();
    touch();
}

} // namespace yard::ui::timeline
