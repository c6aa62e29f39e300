// Objects as figures for GET metrics. Asks on the engine thread.
#pragma once

#include "core/engine/objects/objects.h"
#include "core/engine/state/metrics.h"

namespace yard::engine {

ObjectFigures objectFigures(const Objects& objects);

} // namespace yard::engine
