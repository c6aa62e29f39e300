// Makes the outline of a session: of its records at most some 260,000 are looked at, evenly spread. Private to
// session; owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/session/arrivals.h"
#include "core/session/attempts.h"
#include "core/session/ledger.h"
#include "core/session/outline.h"
#include "core/session/resource_holds.h"
#include "core/session/timers.h"
#include "core/session/views.h"

namespace yard::session {

/// The parts that an outline is made of.
struct OutlineParts {
    const Ledger& ledger;
    const Capacity& capacity;
    const Timers& timers;
    const Arrivals& arrivals;
    const ResourceHolds& holds;
    const Attempts& attempts;
    const SessionOptions& options;
};

/// About `most` items beside those that run.
Outline outlineOf(const OutlineParts& parts, int most, MonoTime now);

} // namespace yard::session
