// Asks whether something is meant that cannot be taken back. Whoever sits at a terminal is asked; a script that says it
// means it, and has no second try. One thread; blocks.
#pragma once

#include "app/yardctl/command.h"

#include <optional>
#include <string_view>

namespace yard::ctl {

/// True with --yes, without a terminal, and where the answer to "yardctl: <question> [y/N] " is yes.
bool isMeant(const Arguments& arguments, std::string_view question);
/// Says what is wrong and asks whether to try again: true unless the answer is no, or nobody is at a terminal. There
/// nothing is said.
bool isTriedAgain(std::string_view wrong, std::string_view question);
/// Tells the facts and asks: true when the answer is yes. Nothing: nobody is at a terminal.
std::optional<bool> isTrusted(std::string_view facts, std::string_view question);

} // namespace yard::ctl
