// The columns of the pool's two tables. Texts as they are translated when asked for.
#pragma once

#include "ui/widgets/table_model.h"

#include <vector>

namespace yard::ui {

/// Of the tree: workers and their processes.
std::vector<Column> poolColumns();
/// Of those that are gone.
std::vector<Column> goneColumns();

} // namespace yard::ui
