// Machines as GET machines and events tell them (docs/machines.md). Values; any thread.
#pragma once

#include "core/engine/machines/machine_view.h"
#include "core/json/json_writer.h"

#include <string>
#include <vector>

namespace yard::http {

void writeMachineRow(JsonWriter& writer, const engine::MachineView& machine);
/// An array of all of them.
std::string machinesJson(const std::vector<engine::MachineView>& machines);

} // namespace yard::http
