// What the window can ask of an engine about what was: what work used, and who changed what (docs/figures.md,
// docs/audit.md), as operation.h has the rest. Values; ui thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

/// `by`: a word of GET accounting. `since`: microseconds since the epoch; 0: of all that is kept.
Operation lookAtUsage(const QString& by, qint64 since);
/// The latest first. `text`: a part of path or body; empty: all. `cursor`: of the page before; empty: the first.
Operation lookAtAudit(qint64 since, const QString& text, const QString& cursor = {});
/// What somebody asked for, as an audit has it: its method and its path, which begins at the root. Its title is empty.
Operation askedAgain(const QString& method, const QString& path, const QString& body);

} // namespace yard::ui::operations
