// What people call an action: its label, else its command, else worker.function. Pure functions; any thread.
#pragma once

#include "core/model/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace yard {

inline constexpr std::size_t kMaxNameBytes = 200;

/// The words on one line as they would be typed in a shell, each quoted where it needs to be; cut with "…" at
/// `most` bytes. Bytes that are not UTF-8 become U+FFFD. Costs no more for a command of megabytes.
std::string commandName(std::span<const std::string> argv, std::size_t most = kMaxNameBytes);
/// The same of element `index` of an array, of which `command` is the name: "{index}" is replaced.
std::string elementName(std::string command, std::int64_t index, std::size_t most = kMaxNameBytes);
/// Its label, with the index put in where it is an element of an array.
std::string labelOf(const ActionResult& action);
/// Of a result whose `command` is filled in where the action has no label.
std::string actionName(const ActionResult& action);

} // namespace yard
