// Named amounts of "resources", as actions and workers give them: "gpus", "gpu_memory_mb", "licence.x". Private to core/model.
#pragma once

#include "core/model/action_spec.h"
#include "core/model/json_fields.h"

namespace yard {

/// One member of "resources" other than "cores" and "memory_mb".
bool readNamedResource(JsonFields& fields, JsonView amount, Resources& resources);
/// Once all of them were read: sorts them, and refuses memory of GPUs without any.
bool finishResources(JsonFields& fields, Resources& resources);

} // namespace yard
