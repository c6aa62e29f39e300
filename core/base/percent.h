// Text as a part of an address. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard {

/// For one part of a path or one value of a query.
std::string percentEncode(std::string_view text);

} // namespace yard
