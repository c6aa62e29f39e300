// Selection and bars of the timeline: what is where, walking, lists.
#include "ui/timeline/hover_card.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_view.h"

#include <algorithm>

namespace yard::ui::timeline {

namespace {
constexpr double kReach = 3; // pixels beside a narrow bar that count as on it
}

SelectedBar TimelineView::asSelected(const GroupSlots& group, std::uint32_t slot, const LaneStore::Part& part,
                                     const Item& item) const {
    return {group.worker, group.name, slot, item, part.nameOf(item)};
}

std::vector<std::pair<const Item*, const LaneStore::Part*>>
TimelineView::itemsOf(const std::vector<LaneStore::Part>& parts) const {
    std::vector<std::pair<const Item*, const LaneStore::Part*>> found;
    for (const LaneStore::Part& part : parts) {
        const std::size_t last = part.lane->firstFrom(part.range.to);
        for (std::size_t i = part.lane->firstEndingAfter(part.range.from); i < last; ++i) {
            const Item& item = (*part.lane)[i];
            if (!item.isOpen() && item.end <= part.range.from) continue;
            // The same bar may reach into two pieces.
            const bool twice = !item.isStep && std::ranges::any_of(found, [&](const auto& other) {
                return other.second != &part && other.first->lsn == item.lsn && other.first->begin == item.begin;
            });
            if (!twice) found.emplace_back(&item, &part);
        }
    }
    return found;
}

std::optional<SelectedBar> TimelineView::barOf(const LayoutRow& row, WallMicros at, WallMicros tolerance) {
    const GroupSlots& group = groups_[row.group];
    const std::vector<LaneStore::Part> parts =
        store_.parts(group.worker, row.slot, range_, scale().microsPerPixel());
    const WallMicros now = data_.now();
    std::optional<SelectedBar> nearest;
    WallMicros distance = tolerance + 1;
    int worst = -1;
    for (const LaneStore::Part& part : parts) {
        const Lane& lane = *part.lane;
        const std::size_t last = lane.firstFrom(at + tolerance + 1);
        for (std::size_t i = lane.firstEndingAfter(at - tolerance); i < last; ++i) {
            const Item& item = lane[i];
            if (!part.range.touches({item.begin, item.until(now) + 1}) || item.until(now) < at - tolerance)
                continue;
            const WallMicros off = at < item.begin        ? item.begin - at
                                   : at > item.until(now) ? at - item.until(now)
                                                          : 0;
            // On it before beside it; of several on one pixel the worst, as it is painted.
            if (off < distance || (off == distance && severity(item) > worst)) {
                nearest = asSelected(group, row.slot, part, item);
                distance = off;
                worst = severity(item);
            }
        }
    }
    return nearest;
}

TimelineView::Hovered TimelineView::hoveredAt(QPointF at) {
    Hovered hovered;
    const TimeScale now = scale();
    if (at.x() < now.left() || at.x() > now.right() || at.y() < kGraphsTop) return hovered;
    hovered.at = now.timeAt(at.x());
    if (at.y() < kLanesTop) {
        if (hovered.at > data_.now()) return hovered;
        hovered.kind = Hovered::Kind::Graph;
        hovered.area = QRectF(at.x() - 1, kGraphsTop, 2, kLanesTop - kGraphsTop);
        return hovered;
    }
    const int index = layout_.rowAt(static_cast<int>(at.y()) - kLanesTop + bar_->value());
    if (index < 0) return hovered;
    const LayoutRow& row = layout_.rows()[static_cast<std::size_t>(index)];
    if (row.kind != LayoutRow::Kind::Lane || hovered.at > data_.now()) return hovered;
    const Scene shown = scene();
    const QRectF area = shown.rowRect(row);
    const auto reach = static_cast<WallMicros>(kReach * now.microsPerPixel());
    if (auto bar = barOf(row, hovered.at, reach)) {
        hovered.kind = Hovered::Kind::Bar;
        QPixmap none(1, 1);
        QPainter painter(&none);
        hovered.area = LanePainter(painter, now, row.height, data_.now(), shown.pixel).areaOf(area, bar->item);
        hovered.bar = std::move(*bar);
        return hovered;
    }
    const GroupSlots& group = groups_[row.group];
    if (store_.isIncomplete(group.worker, range_, now.microsPerPixel())) return hovered;
    hovered.kind = Hovered::Kind::Gap;
    hovered.bar.worker = group.worker;
    hovered.bar.workerName = group.name;
    hovered.bar.slot = row.slot;
    for (const LaneStore::Part& part : store_.parts(group.worker, row.slot, range_, now.microsPerPixel()))
        for (const Item& item : part.lane->items()) {
            if (!item.isOpen() && item.end <= hovered.at && item.end > hovered.gap.from) {
                hovered.gap.from = item.end;
                hovered.bar = asSelected(group, row.slot, part, item);
            }
            if (item.begin > hovered.at && (hovered.gap.to == 0 || item.begin < hovered.gap.to))
                hovered.gap.to = item.begin;
        }
    const double left = hovered.gap.from > 0 ? now.xOf(hovered.gap.from) : now.left();
    const double right = hovered.gap.to > 0 ? now.xOf(hovered.gap.to) : now.right();
    hovered.area = QRectF(std::max(left, at.x() - 4), area.top(),
                          std::min(right, at.x() + 4) - std::max(left, at.x() - 4), area.height());
    return hovered;
}

void TimelineView::select(std::optional<SelectedBar> bar) {
    selected_ = std::move(bar);
    touch();
    emit selectionEdited();
}

bool TimelineView::selectAction(qint64 lsn) {
    for (std::size_t i = 0; i < groups_.size(); ++i)
        for (const auto& [slot, busy] : groups_[i].busy)
            for (const LaneStore::Part& part :
                 store_.parts(groups_[i].worker, slot, range_, scale().microsPerPixel()))
                for (const Item& item : part.lane->items())
                    if (item.lsn == lsn) {
                        select(asSelected(groups_[i], slot, part, item));
                        ensureVisible(*selected_);
                        return true;
                    }
    return false;
}

bool TimelineView::showLane(const QString& worker, std::uint32_t slot, WallMicros at) {
    const auto fits = [&](const GroupSlots& group) {
        return group.busy.contains(slot) && (worker.isEmpty() || group.worker == worker || group.name == worker);
    };
    // Of several versions of a worker the one that did something there.
    auto found =
        std::ranges::find_if(groups_, [&](const GroupSlots& group) { return fits(group) && group.busy.at(slot); });
    if (found == groups_.end()) found = std::ranges::find_if(groups_, fits);
    if (found == groups_.end()) return false;
    folded_.erase(found->worker);
    unfolded_.insert(found->worker);
    layOut();
    const int row = layout_.rowOf(static_cast<std::size_t>(found - groups_.begin()), slot);
    if (row < 0) return false;
    const LayoutRow& lane = layout_.rows()[static_cast<std::size_t>(row)];
    bar_->setValue(std::max(0, lane.top - (height() - kLanesTop) / 2));
    selectInRow(row, at);
    touch();
    return true;
}

void TimelineView::ensureVisible(const SelectedBar& bar) {
    const WallMicros end = bar.item.until(data_.now());
    if (!range_.touches({bar.item.begin, end + 1})) {
        const WallMicros middle = bar.item.begin + (end - bar.item.begin) / 2;
        moveTo({middle - range_.length() / 2, middle - range_.length() / 2 + range_.length()}, true);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (groups_[i].worker != bar.worker) continue;
        const int at = layout_.rowOf(i, bar.slot);
        if (at < 0) return;
        const LayoutRow& row = layout_.rows()[static_cast<std::size_t>(at)];
        const int room = height() - kLanesTop;
        if (row.top < bar_->value()) bar_->setValue(row.top - kGroupHead);
        if (row.top + row.height > bar_->value() + room) bar_->setValue(row.top + row.height - room);
    }
}

void TimelineView::walk(int by) {
    if (!selected_) return;
    const auto parts = store_.parts(selected_->worker, selected_->slot, range_, scale().microsPerPixel());
    const auto items = itemsOf(parts);
    const auto at = std::ranges::find_if(items, [&](const auto& entry) {
        return entry.first->lsn == selected_->item.lsn && entry.first->begin == selected_->item.begin;
    });
    if (at == items.end()) return;
    const std::ptrdiff_t next = (at - items.begin()) + by;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(items.size())) return;
    const auto& [item, part] = items[static_cast<std::size_t>(next)];
    select(asSelected({selected_->worker, selected_->workerName, {}}, selected_->slot, *part, *item));
    ensureVisible(*selected_);
}

void TimelineView::selectInRow(int row, WallMicros near) {
    if (row < 0) return;
    const LayoutRow& lane = layout_.rows()[static_cast<std::size_t>(row)];
    if (auto bar = barOf(lane, near, range_.length())) {
        select(std::move(bar));
        ensureVisible(*selected_);
    }
}

void TimelineView::selectNextMatch() {
    std::optional<SelectedBar> next;
    std::optional<SelectedBar> first;
    const auto key = [](const SelectedBar& bar) { return std::tuple(bar.item.begin, bar.worker, bar.slot); };
    for (const GroupSlots& group : groups_)
        for (const auto& [slot, busy] : group.busy)
            for (const LaneStore::Part& part : store_.parts(group.worker, slot, range_, scale().microsPerPixel())) {
                if (part.matches == nullptr) continue;
                for (const Item& item : part.matches->items()) {
                    if (!range_.touches({item.begin, item.until(data_.now()) + 1})) continue;
                    SelectedBar bar = asSelected(group, slot, part, item);
                    if (!first || key(bar) < key(*first)) first = bar;
                    if (selected_ && key(bar) > key(*selected_) && (!next || key(bar) < key(*next))) next = bar;
                }
            }
    if (!next) next = first;
    if (!next) return;
    select(next);
    ensureVisible(*next);
}

std::vector<TimelineView::VisibleBar> TimelineView::visibleBars() {
    std::vector<VisibleBar> bars;
    const Scene shown = scene();
    QPixmap none(1, 1);
    QPainter painter(&none);
    const auto [first, last] = layout_.within(bar_->value(), bar_->value() + height() - kLanesTop);
    for (std::size_t i = first; i < last; ++i) {
        const LayoutRow& row = layout_.rows()[i];
        if (row.kind != LayoutRow::Kind::Lane) continue;
        const GroupSlots& group = groups_[row.group];
        LanePainter lane(painter, shown.scale, row.height, shown.now, shown.pixel);
        const auto parts = store_.parts(group.worker, row.slot, range_, shown.scale.microsPerPixel());
        for (const auto& [item, part] : itemsOf(parts)) {
            if (item->isStep) continue;
            if (bars.size() >= kMostListed) return bars;
            bars.push_back({asSelected(group, row.slot, *part, *item), lane.areaOf(shown.rowRect(row), *item)});
        }
    }
    return bars;
}

std::vector<SelectedBar> TimelineView::barsAt(WallMicros at) {
    std::vector<SelectedBar> bars;
    for (const GroupSlots& group : groups_)
        for (const auto& [slot, busy] : group.busy)
            for (const LaneStore::Part& part : store_.parts(group.worker, slot, range_, scale().microsPerPixel())) {
                if (!part.range.contains(at)) continue;
                const std::size_t found = part.lane->at(at, data_.now());
                if (found < part.lane->size() && !(*part.lane)[found].isStep)
                    bars.push_back(asSelected(group, slot, part, (*part.lane)[found]));
            }
    return bars;
}

void TimelineView::updateHover(QPointF at) {
    Hovered hovered = hoveredAt(at);
    if (card_->isPinned()) return;
    if (hovered.key() == hovered_.key() && hovered.kind != Hovered::Kind::Nothing) return;
    hovered_ = std::move(hovered);
    card_->drop();
    if (hovered_.kind != Hovered::Kind::Nothing && drag_ == Drag::None)
        hover_.start();
    else
        hover_.stop();
}

void TimelineView::showCard() {
    if (hovered_.kind == Hovered::Kind::Nothing || !isVisible() || card_->isPinned()) return;
    card_->present(*this, hovered_);
}

} // namespace yard::ui::timeline
