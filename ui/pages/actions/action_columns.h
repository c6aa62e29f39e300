// The columns of the Actions table. Values; ui thread.
#pragma once

#include "ui/widgets/table_model.h"

#include <vector>

namespace yard::ui {

std::vector<Column> actionColumns();

} // namespace yard::ui
