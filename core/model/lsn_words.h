// Words that people write for actions, where a filter is written too. Values; any thread.
#pragma once

#include <string_view>

namespace yard {

/// "12", "12..20", "12,14". To the filter language (filter.h) these are text; yardctl and the window make a term of `lsn`
/// of them before they ask.
bool isLsns(std::string_view word);

} // namespace yard
