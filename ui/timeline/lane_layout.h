// Where the rows of the timeline stand: a head per worker, a lane per slot, one line for the slots of a worker that
// did nothing in the range. Pure values; heights in pixels.
#pragma once

#include "ui/timeline/lane.h"

#include <array>
#include <set>

namespace yard::ui::timeline {

inline constexpr std::array kLaneHeights{6, 10, 14, 18, 24, 32};
inline constexpr int kUsualLane = 18;
inline constexpr int kGroupHead = 22;
inline constexpr int kIdleRow = 18;

/// The next height up or down the list; stays at its ends.
int nextLaneHeight(int height, int by);
/// A lane's body: its height less 6, less 2 below 14.
int bodyHeight(int laneHeight);

/// Which slots a worker is known to have, and which of them did something in the range shown.
struct GroupSlots {
    QString worker;
    QString name;
    std::map<std::uint32_t, bool> busy; ///< slot: has work in the range
    friend bool operator==(const GroupSlots&, const GroupSlots&) = default;
};

struct LayoutRow {
    enum class Kind : std::uint8_t { Head, Lane, Idle };
    Kind kind = Kind::Head;
    std::size_t group = 0;
    std::uint32_t slot = 0; ///< of a lane
    int count = 0;          ///< slots of an idle row
    int top = 0;
    int height = 0;
    bool isOdd = false; ///< lanes take turns in lightness
};

class LaneLayout {
public:
    LaneLayout() = default;
    /// `folded`: workers whose lanes are hidden. `unfolded`: workers whose idle slots are shown.
    LaneLayout(const std::vector<GroupSlots>& groups, int laneHeight, const std::set<QString>& folded,
               const std::set<QString>& unfolded);

    const std::vector<LayoutRow>& rows() const { return rows_; }
    int height() const { return height_; }
    int laneHeight() const { return laneHeight_; }
    /// -1: none there.
    int rowAt(int y) const;
    int rowOf(std::size_t group, std::uint32_t slot) const;
    /// The lane above or below; the same when there is none.
    int nextLane(int row, int by) const;
    /// Rows that lie in [top, bottom): first and one past the last.
    std::pair<std::size_t, std::size_t> within(int top, int bottom) const;

private:
    void add(LayoutRow row);
    std::vector<LayoutRow> rows_;
    int height_ = 0;
    int laneHeight_ = kUsualLane;
};

} // namespace yard::ui::timeline
