// An answer of a simulation as JSON (docs/simulate.md). Values; any thread.
#pragma once

#include "core/simulate/simulation.h"

#include <string>

namespace yard::simulate {

std::string toJson(const Answer& answer);
/// {"a":…,"b":…}
std::string toJson(const Answer& a, const Answer& b);

} // namespace yard::simulate
