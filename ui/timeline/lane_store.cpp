#include "ui/timeline/lane_store.h"

#include <algorithm>

namespace yard::ui::timeline {

void TimelineData::Known::note(const Group& group) {
    name = group.name;
    for (const auto& [slot, lane] : group.lanes) {
        lanes.insert(slot);
        machineSlots.insert(machineSlotOf(lane, slot));
    }
}

void LaneStore::setBySlot(bool bySlot) {
    if (bySlot_ == bySlot) return;
    bySlot_ = bySlot;
    refresh();
}

void LaneStore::setFilter(BarFilter filter) {
    filter_ = std::move(filter);
    refresh();
}

void LaneStore::refresh() {
    pieces_.clear();
    slotPictures_.clear();
    matches_.clear();
    alive_.clear();
}

const std::vector<TimelineData::Piece>& LaneStore::pieces(const QString& worker, Range visible,
                                                          double microsPerPixel) {
    if (visible != piecesOf_ || microsPerPixel != piecesAt_) {
        pieces_.clear();
        piecesOf_ = visible;
        piecesAt_ = microsPerPixel;
    }
    const auto [at, fresh] = pieces_.try_emplace(worker);
    if (!fresh) return at->second;
    at->second = data_.pieces(worker, visible, microsPerPixel);
    if (bySlot_)
        for (TimelineData::Piece& piece : at->second) {
            auto& slotPicture = slotPictures_[piece.picture];
            if (slotPicture == nullptr) slotPicture = std::make_shared<const Picture>(bySlot(*piece.picture));
            piece.picture = slotPicture;
        }
    return at->second;
}

std::vector<GroupSlots> LaneStore::groups(Range visible, double microsPerPixel) {
    std::vector<GroupSlots> groups;
    if (bySlot_) {
        GroupSlots machine;
        for (const auto& [worker, known] : data_.known())
            for (const std::uint32_t slot : known.machineSlots) machine.busy[slot] = false;
        if (!machine.busy.empty()) groups.push_back(std::move(machine));
    } else {
        for (const auto& [worker, known] : data_.known()) {
            GroupSlots group{worker, known.name, {}};
            for (const std::uint32_t slot : known.lanes) group.busy[slot] = false;
            groups.push_back(std::move(group));
        }
        std::ranges::sort(groups, {}, &GroupSlots::name);
    }
    for (GroupSlots& group : groups)
        for (auto& [slot, busy] : group.busy)
            busy = std::ranges::any_of(parts(group.worker, slot, visible, microsPerPixel),
                                       [](const Part& part) { return part.lane->hasWorkIn(part.range); });
    return groups;
}

std::vector<LaneStore::Part> LaneStore::parts(const QString& worker, std::uint32_t slot, Range visible,
                                              double microsPerPixel) {
    std::vector<Part> parts;
    for (const TimelineData::Piece& piece : pieces(worker, visible, microsPerPixel)) {
        const Group* group = piece.picture->group(worker);
        if (group == nullptr) continue;
        const auto lane = group->lanes.find(slot);
        if (lane == group->lanes.end()) continue;
        const Lane* found =
            filter_.isEmpty() ? nullptr : matching(lane->second, *piece.picture, bySlot_ ? QString() : group->name);
        parts.push_back({piece.picture, &lane->second, found, piece.range});
        if (found != nullptr && (alive_.empty() || alive_.back() != piece.picture)) alive_.push_back(piece.picture);
    }
    return parts;
}

const Lane* LaneStore::matching(const Lane& lane, const Picture& picture, const QString& worker) {
    std::unique_ptr<Lane>& found = matches_[&lane];
    if (found == nullptr) {
        std::vector<Item> items;
        std::ranges::copy_if(lane.items(), std::back_inserter(items), [&](const Item& item) {
            return filter_.matches(item, (*picture.names)[item.name], worker);
        });
        found = std::make_unique<Lane>(std::move(items));
    }
    return found.get();
}

bool LaneStore::isIncomplete(const QString& worker, Range visible, double microsPerPixel) {
    std::int64_t has = 0;
    for (const TimelineData::Piece& piece : pieces(worker, visible, microsPerPixel)) has += piece.range.length();
    return has < visible.cut({visible.from, data_.now()}).length();
}

LaneStore::Counts LaneStore::counts(Range visible, double microsPerPixel) {
    Counts counts;
    const auto add = [](const Lane& lane, Range range, qint64& sum) {
        bool hasSteps = false;
        const std::size_t last = lane.firstFrom(range.to);
        for (std::size_t i = lane.firstEndingAfter(range.from); i < last; ++i) {
            const Item& item = lane[i];
            if (!item.isOpen() && item.end <= range.from) continue;
            sum += item.isStep ? item.count : 1;
            hasSteps = hasSteps || item.isStep;
        }
        return hasSteps;
    };
    bool steps = false;
    for (const GroupSlots& group : groups(visible, microsPerPixel))
        for (const auto& [slot, busy] : group.busy) {
            if (!busy) continue;
            for (const Part& part : parts(group.worker, slot, visible, microsPerPixel)) {
                steps = add(*part.lane, part.range, counts.all) || steps;
                if (part.matches != nullptr) add(*part.matches, part.range, counts.matching);
            }
        }
    counts.isLeast = steps && filter_.needsNames();
    return counts;
}

} // namespace yard::ui::timeline
