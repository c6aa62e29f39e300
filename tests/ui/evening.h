// An evening of work for the pictures of the README: eight queues, 60,000 actions done and 3 % of them failed, three
// groups of warm processes, a lock that is held, a queue on hold, and a build whose steps wait for each other.
#pragma once

#include "ui/bridge/engine_link.h"

#include <optional>

namespace yard::test {

/// What of the evening the pictures are of.
struct Evening {
    qint64 cook = 0;  ///< a queue that runs, with failures
    qint64 build = 0; ///< a step of the build, with what waits for it
    qint64 failed = 0;
    qint64 done = 0; ///< ended when it was made
};

/// Submits it and returns once all has ended that does; takes a minute on two cores. `scale`: of its size, 1 is the
/// whole of it. Nothing: the engine refused something, or did not come to an end of it within ten minutes.
std::optional<Evening> spendEvening(ui::EngineLink& link, double scale);

} // namespace yard::test
