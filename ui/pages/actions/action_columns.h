// The columns of the Actions table. Values; ui thread.
#pragma once

#include "ui/state/action_row.h"
#include "ui/style/format.h"
#include "ui/widgets/table_model.h"

#include <vector>

namespace yard::ui {

std::vector<Column> actionColumns();

/// Of one that runs: how long it will take yet, if that is known, then the last line of its output.
QString runningNote(const ActionRow& row, qint64 now, const Format& format);

} // namespace yard::ui
