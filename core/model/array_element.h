// One element of an array of actions, as the text by which it alone is submitted. Values; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// `action`: JSON as it was posted. The same with its array narrowed to `index`, so that {index} and YARD_INDEX
/// stay what they were; the same text when it is no array. Malformed.
Result<std::string> elementOfArray(std::string_view action, std::int64_t index);

} // namespace yard
