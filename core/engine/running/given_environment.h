// What tells a program which pieces it was given (docs/resources.md). Functions; any thread.
#pragma once

#include "core/lease/runner.h"
#include "core/model/given_resources.h"

#include <string>

namespace yard::engine {

/// Takes the place of a variable by that name that the action brought along.
void setVariable(runners::Lease& lease, std::string name, std::string value);
/// Sets YARD_RESOURCE_PORT=5003,5004.
void addGiven(runners::Lease& lease, const GivenResources& given);

} // namespace yard::engine
