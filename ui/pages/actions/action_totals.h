// How many actions a filter finds, by the counters of the engine. Owner: ui thread.
#pragma once

#include "ui/state/engine_state.h"

#include <optional>

namespace yard::ui {

/// Of no filter, or one that is a list of states; absent: the counters do not tell. Retirement does not lower them.
std::optional<qint64> countedTotal(const EngineState& state, const QString& filter);

} // namespace yard::ui
