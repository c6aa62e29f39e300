// Bars as events of the Chrome trace format, for the viewers that read it: a process per worker, a thread per slot.
// What goes on is written as begun only: no end is made up. Pure; any thread.
#pragma once

#include "ui/timeline/lane.h"

#include <QByteArray>

namespace yard::ui::timeline {

/// Steps with several bars become marks in time that say how many they were: where they began is not known.
QByteArray chromeTrace(const Picture& picture);

} // namespace yard::ui::timeline
