// What tells a program which pieces it was given (docs/resources.md). A function; any thread.
#pragma once

#include "core/lease/runner.h"
#include "core/model/given_resources.h"

namespace yard::engine {

/// YARD_RESOURCE_PORT=5003,5004. Takes the place of a variable by that name that the action brought along.
void addGiven(runners::Lease& lease, const GivenResources& given);

} // namespace yard::engine
