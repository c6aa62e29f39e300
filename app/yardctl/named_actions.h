// The actions that words of a command line name: 12, or 12..20. LSNs have gaps, so a range means the actions in it that
// exist, and only the engine knows those.
#pragma once

#include "app/yardctl/command.h"
#include "app/yardctl/engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// "9..4,2" of jobs/lsns, in that order.
std::vector<std::int64_t> listedLsns(std::string_view text);

/// LSNs in the order of the words, those of a range ascending. A single LSN is not looked for; a range without any
/// action is an error. At most a million. `ofRanges`: the filter of those of a range that are meant. Blocks when there
/// is a range.
Outcome<std::vector<std::int64_t>> namedActions(Engine& engine, const std::vector<std::string>& words,
                                                std::string_view ofRanges = {});

/// Whether the filter means any action, whatever its state; with a queue, of that one. Blocks.
Outcome<bool> findsAny(Engine& engine, const std::string& filter,
                       const std::optional<std::string>& queue = std::nullopt);

/// The one action that a command takes; a range is wrong usage. `command` is for the message.
Outcome<std::int64_t> theNamedAction(std::string_view command, const std::string& word);

/// Puts the actions of a range in place of each one that --after names.
Outcome<void> resolveAfterOption(Engine& engine, Arguments& arguments);
/// Whether that has to ask the engine.
bool hasAfterRange(const Arguments& arguments);

} // namespace yard::ctl
