// From a lane to what is drawn of it at a scale: a mark per bar wider than 2 pixels, one per device pixel for what
// is narrower. Costs pixels, not bars. No failure is lost at any scale: every failed item that lies in the stretch
// has a mark of its own or one that is failed. Pure; any thread.
#pragma once

#include "ui/timeline/lane.h"

namespace yard::ui::timeline {

struct Mark {
    enum class Kind : std::uint8_t {
        Bar,   ///< wider than 6: stubs and body
        Block, ///< 2 to 6: body alone; and steps seen from near
        Column ///< one or several pixels of one look
    };
    Kind kind = Kind::Column;
    double from = 0; ///< pixels
    double to = 0;
    DisplayState face = DisplayState::Completed;
    float alpha = 1;      ///< 0.35, 0.65 or 1 by the covered share
    std::size_t item = 0; ///< of Bar and Block; the first of a Column
};

/// The share's alpha of 35, 65 or 100 %.
float alphaOf(double share);

/// Appends what lies within `clip`, which lies within the scale, in the order of painting: the severe ones last.
/// `pixel`: a device pixel in pixels of the scale. `now`: where that ends which goes on.
void layMarks(const Lane& lane, const TimeScale& scale, Range clip, WallMicros now, double pixel,
              std::vector<Mark>& marks);

} // namespace yard::ui::timeline
