// A graph of who waits for whom (docs/graphs.md) as text. Pure functions over the engine's answer.
#pragma once

#include "app/yardctl/engine.h"

#include <cstddef>
#include <optional>
#include <string>

namespace yard::ctl {

/// In the language of Graphviz: left to right, what was waited for in vain or still is drawn stronger.
std::string graphAsDot(const json::object& graph);
/// A line for each node, indented by its layer, and what the critical path takes. `width` as of Table.
std::string graphAsLines(const json::object& graph, std::optional<std::size_t> width);

} // namespace yard::ctl
