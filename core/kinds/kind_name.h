// The kind of an action: the name under which its runs are remembered. Pure functions; any thread.
#pragma once

#include "core/model/action_spec.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace yard::kinds {

/// A longer name is cut: actions that differ behind it are one kind.
inline constexpr std::size_t kMaxKindBytes = 200;

/// `worker:function`; of exec `exec:<label>`, without a label `exec:<program> <first word that is no option>`.
/// `worker` is the name of the registered worker, without its version. Well-formed UTF-8 without control characters,
/// whatever the action has.
std::string kindName(const ActionSpec& spec, std::string_view worker);

} // namespace yard::kinds
