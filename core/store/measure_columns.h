// Private to core/store: the columns of what is measured (core/model/measures.h) in `done` and `attempt`, in the order
// of its table. In statements MEASURES stands for their names, MEASURE_MARKS for a "?" each. Pure.
#pragma once

#include "core/model/measures.h"
#include "core/store/database.h"

#include <string>
#include <string_view>

namespace yard::store {

/// "SELECT note, MEASURES FROM done" as "SELECT note, cpu_us, max_rss FROM done".
std::string withMeasures(std::string_view sql);
/// From this column on.
Measures measuresAt(const Statement& row, int column);

} // namespace yard::store
