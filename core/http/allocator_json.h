// Allocators as JSON, for answers and events. Pure; any thread.
#pragma once

#include "core/engine/allocators/allocators.h"
#include "core/json/json_writer.h"

#include <string>
#include <vector>

namespace yard::http {

/// `withCommands`: for the owner alone, since people may write passwords into them.
void writeAllocatorRow(JsonWriter& writer, const engine::AllocatorView& allocator, bool withCommands);
/// A list, as events have it: without commands.
std::string allocatorsJson(const std::vector<engine::AllocatorView>& allocators);

} // namespace yard::http
