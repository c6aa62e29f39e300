// The timeline for screen readers: its graphs with what they say, then lanes as rows of a table, the bars in view
// as their cells (at most TimelineView::kMostListed), each in words. Owner: ui thread.
#pragma once

#include "ui/timeline/timeline_view.h"

namespace yard::ui::timeline {

/// Qt asks here for the interface of every TimelineView from now on. Any number of times.
void installTimelineAccess();

/// "Failed, 1,283,902, foliage wind, shaderc slot 3, 09:45:19 to 09:45:32".
QString spokenBar(const SelectedBar& bar, WallMicros now);

} // namespace yard::ui::timeline
