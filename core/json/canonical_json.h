// RFC 8785 canonical JSON: one text for one value, so that its hash can be a name. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/json/json_reader.h"

#include <string>
#include <string_view>

namespace yard {

/// Canonical form of a JSON text. Malformed, or Invalid as in json_reader.h and for an integer that a double does
/// not hold exactly: the canonical form would be of another number. Numbers with a fraction or exponent from 2^53
/// to 1e21 are printed as integers (as the RFC wants), which may be refused when they are read again: a descriptor
/// has none that large.
Result<std::string> canonicalJson(std::string_view json);
/// The same of a value that was read.
Result<std::string> canonicalJson(JsonView value);

} // namespace yard
