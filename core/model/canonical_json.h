// RFC 8785 canonical JSON: one text for one value, so that its hash can be a name. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/model/json_reader.h"

#include <string>
#include <string_view>

namespace yard {

/// Canonical form of a JSON text. Malformed, or Invalid as in json_reader.h and for an integer that a double does
/// not hold exactly: the canonical form would be of another number. Numbers of 1e19 to 1e21 are printed as
/// integers (as the RFC wants), which the reader of this module does not take again.
Result<std::string> canonicalJson(std::string_view json);
/// The same of a value that was read.
Result<std::string> canonicalJson(JsonView value);

} // namespace yard
