// A pending row of the journal as the session takes it. A function of values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/session/session.h"
#include "core/store/rows.h"

namespace yard::engine {

/// Without what it waits for.
session::NewAction sessionAction(const store::PendingRow& row, const WallScale& scale);

} // namespace yard::engine
