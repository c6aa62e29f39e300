// A list of actions that wait for each other by `id`: who is meant, an order in which all come after what they wait
// for, and the text that is kept, which names them by LSN. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/model/action_spec.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

/// Fills in ParsedAction::parents. Invalid, with the element's index: an id given twice, one that nobody has, or
/// actions that wait for each other in a circle, each by name. `isList`: else the error has no index.
Result<void> findParents(std::span<ParsedAction> actions, bool isList);
/// An order in which each comes after its parents, as near to that of the list as can be. Nothing: in a circle.
std::optional<std::vector<std::uint32_t>> parentsFirst(std::span<const ParsedAction> actions);
/// What the kept text of an action says when `after` replaces its own "after": `text` is as parseActions() wrote
/// it, and has one.
std::string withAfter(std::string_view text, std::span<const Dependency> after);
/// The kept text of an action without one of its members; as it is where there is none of that name.
std::string withoutMember(std::string_view text, std::string_view name);
/// The list as a graph for Graphviz: a node each, an edge for each that is waited for.
std::string toDot(std::span<const ParsedAction> actions);

} // namespace yard
