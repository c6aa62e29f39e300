// A type's descriptor, from JSON (docs/objects.md). Any thread; no owner.
#pragma once

#include "core/lifecycle/type.h"

#include <string_view>

namespace yard::lifecycle {

/// A descriptor larger than this is refused.
inline constexpr std::size_t kMaxTypeBytes = 256u << 10;

/// Parsed and checked (checkType). Malformed, TooLarge; Invalid with `field` and a sentence that names the state, the
/// field or the member at fault.
Result<Type> parseType(std::string_view json);

} // namespace yard::lifecycle
