// The lanes of a TimelineData as they are looked at: by worker or by slot of the machine, and which bars a filter
// finds. Keeps what it worked out until refresh(). Owner: ui thread; must not outlive the data.
#pragma once

#include "ui/timeline/bar_filter.h"
#include "ui/timeline/lane_layout.h"
#include "ui/timeline/timeline_data.h"

#include <unordered_map>

namespace yard::ui::timeline {

class LaneStore {
public:
    /// A stretch of one lane.
    struct Part {
        std::shared_ptr<const Picture> picture; ///< has the lane
        const Lane* lane = nullptr;
        const Lane* matches = nullptr; ///< what the filter finds of it; null without a filter
        Range range;
        const QString& nameOf(const Item& item) const { return (*picture->names)[item.name]; }
    };
    struct Counts {
        qint64 all = 0;
        qint64 matching = 0;
        bool isLeast = false; ///< steps with several bars could not be searched by name
        friend bool operator==(const Counts&, const Counts&) = default;
    };

    explicit LaneStore(const TimelineData& data)
        : data_(data) {}

    void setBySlot(bool bySlot);
    bool isBySlot() const { return bySlot_; }
    void setFilter(BarFilter filter);
    const BarFilter& filter() const { return filter_; }
    /// The data has changed.
    void refresh();

    /// Every slot known, and whether it has work in the range; by name.
    std::vector<GroupSlots> groups(Range visible, double microsPerPixel);
    std::vector<Part> parts(const QString& worker, std::uint32_t slot, Range visible, double microsPerPixel);
    /// Some part of the range is not here yet.
    bool isIncomplete(const QString& worker, Range visible, double microsPerPixel);
    /// Attempts in the range.
    Counts counts(Range visible, double microsPerPixel);

private:
    const std::vector<TimelineData::Piece>& pieces(const QString& worker, Range visible, double microsPerPixel);
    const Lane* matching(const Lane& lane, const Picture& picture, const QString& worker);

    const TimelineData& data_;
    BarFilter filter_;
    bool bySlot_ = false;
    Range piecesOf_;
    double piecesAt_ = 0;
    std::map<QString, std::vector<TimelineData::Piece>> pieces_; ///< of piecesOf_ at piecesAt_
    std::map<std::shared_ptr<const Picture>, std::shared_ptr<const Picture>> slotPictures_;
    std::unordered_map<const Lane*, std::unique_ptr<Lane>> matches_;
    std::vector<std::shared_ptr<const Picture>> alive_; ///< those that matches_ points into
};

} // namespace yard::ui::timeline
