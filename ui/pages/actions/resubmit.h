// "Edit and resubmit": the form for new work, filled in with what an action was submitted as and what was changed since.
// Owner: ui thread; asks the engine and returns at once.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"

namespace yard::ui {

/// Opens the form once the engine has told what `now` was submitted as, unless `asker` goes before. Of an array this
/// element alone; a sentence says so.
void editAndResubmit(const Context& context, QObject* asker, const ActionRow& now);

} // namespace yard::ui
