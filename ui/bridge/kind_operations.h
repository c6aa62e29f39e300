// What the window can ask of an engine about kinds of work (docs/kinds.md), as operation.h has the rest. Values; ui
// thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

/// `since`: microseconds since the epoch; 0: all that is remembered. `cursor`: of the page before; empty: the first.
Operation lookAtKinds(qint64 since = 0, const QString& cursor = {});
Operation lookAtKind(const QString& kind);
Operation lookAtFlakiness(const QString& kind);
Operation lookAtRegressions();

} // namespace yard::ui::operations
