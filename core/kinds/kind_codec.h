// A kind as bytes, as it is kept: little-endian numbers, counts in seven bits a byte. Reads bytes as if they were of
// somebody else: what does not fit, or is more than a kind holds, is Malformed. Pure functions; any thread.
#pragma once

#include "core/base/error.h"
#include "core/kinds/kind.h"

#include <string>
#include <string_view>

namespace yard::kinds {

std::string encodeKind(const Kind& kind);
Result<Kind> decodeKind(std::string_view name, std::string_view bytes);

} // namespace yard::kinds
