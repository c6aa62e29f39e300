// What "tonight" means in this window: since when, and the filter that finds what failed since then. Values of the
// settings of this program. Owner: ui thread.
#pragma once

#include <QString>

namespace yard::ui {

/// "18:00": of today once it is later than that, else of yesterday.
QString tonightSince();
void setTonightSince(const QString& time);
/// The filter that finds what finished tonight.
QString finishedTonight();
/// And what failed.
QString tonightFilter();

} // namespace yard::ui
