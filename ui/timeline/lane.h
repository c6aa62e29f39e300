// What one slot did: bars in the order of their beginnings, and steps in which several short ones share a place (as
// GET timelines has them). Answers what lies in a stretch of time in logarithmic time whatever its size: how much
// of it is covered, and the worst state, exactly. Values, never changed once made; any thread.
#pragma once

#include "ui/style/tokens.h"
#include "ui/timeline/time_scale.h"

#include <QString>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace yard::ui::timeline {

/// One attempt, or a step with several.
struct Item {
    WallMicros begin = 0;   ///< Submitting; of a step its beginning
    WallMicros running = 0; ///< 0: not known, or has not come
    WallMicros exited = 0;
    WallMicros end = 0; ///< 0: it goes on
    qint64 lsn = 0;     ///< of a step: of the worst in it
    float covered = 1;  ///< share of the step
    std::uint32_t attempt = 1;
    std::uint32_t count = 1;                     ///< of a step: how many begin in it
    std::uint32_t name = 0;                      ///< index into Names
    std::uint32_t machineSlot = 0;               ///< from 1; 0: not told
    DisplayState face = DisplayState::Completed; ///< Retry in steps: failed, another attempt follows
    bool retried = false;                        ///< another attempt follows
    bool isStep = false;
    bool isOpen() const { return end == 0; }
    /// Where its picture ends: at `now` for what goes on.
    WallMicros until(WallMicros now) const { return isOpen() ? std::max(now, begin) : end; }
};

/// Labels, each once.
class Names {
public:
    Names();
    std::uint32_t add(const QString& name);
    const QString& operator[](std::uint32_t index) const { return names_[index]; }
    std::size_t size() const { return names_.size(); }

private:
    std::vector<QString> names_;
    std::map<QString, std::uint32_t> numbers_;
};

/// What one sees of several at one place: failed before abandoned, retry, cancelled, running, submitting,
/// completed.
int severity(DisplayState face);
DisplayState faceOfSeverity(int severity);
int severity(const Item& item);

class Lane {
public:
    Lane() = default;
    /// In any order; sorted here.
    explicit Lane(std::vector<Item> items);

    const std::vector<Item>& items() const { return items_; }
    const Item& operator[](std::size_t at) const { return items_[at]; }
    std::size_t size() const { return items_.size(); }
    bool isEmpty() const { return items_.empty(); }

    /// The first that ends after `at`, or goes on; size() when there is none.
    std::size_t firstEndingAfter(WallMicros at) const;
    /// The first from `hint` on that begins at or after `at`. Near the hint it takes few steps.
    std::size_t firstFrom(WallMicros at, std::size_t hint = 0) const;
    /// The worst of [first, last), which is not empty.
    int worst(std::size_t first, std::size_t last) const;
    /// The first one of this severity from `first` on; size(): none.
    std::size_t firstOf(int severity, std::size_t first) const;
    /// Microseconds covered by [first, last) in all, what goes on apart.
    double covered(std::size_t first, std::size_t last) const { return coveredUpTo_[last] - coveredUpTo_[first]; }
    /// When all of [0, last) have ended; what goes on counts as forever.
    WallMicros endOfAllUpTo(std::size_t last) const { return last == 0 ? 0 : latestEnd_[last - 1]; }

    /// The one at this time, the worst of those there are; size(): none.
    std::size_t at(WallMicros time, WallMicros now) const;
    bool hasWorkIn(Range range) const;

private:
    static constexpr std::size_t kSeverities = 7;
    std::vector<Item> items_;
    std::vector<WallMicros> latestEnd_; ///< of all up to here
    std::vector<double> coveredUpTo_;   ///< of all before
    /// How many before there are of each severity; all zero lists are left empty.
    std::array<std::vector<std::uint32_t>, kSeverities> counts_;
};

/// The lanes of one worker, by the number of its slot, from 1.
struct Group {
    QString worker; ///< id, or "exec"
    QString name;
    std::map<std::uint32_t, Lane> lanes;
};

/// An answer of GET timelines.
struct Picture {
    Range range;
    WallMicros now = 0;        ///< of the engine, when it answered
    std::int64_t step = 0;     ///< microseconds
    std::vector<Group> groups; ///< by name
    std::shared_ptr<Names> names = std::make_shared<Names>();
    std::size_t items() const;
    const Group* group(const QString& worker) const;
};

/// In which slot of the machine a lane of a worker lies, from 1; `slot`: what it is where that was not told.
std::uint32_t machineSlotOf(const Lane& lane, std::uint32_t slot);
/// All workers as one group: what each slot of the machine did.
Picture bySlot(const Picture& picture);

} // namespace yard::ui::timeline
