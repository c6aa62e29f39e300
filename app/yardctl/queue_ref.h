// Queues as people name them: by number, by token, or by tag, which the engine's routes do not know.
#pragma once

#include "app/yardctl/command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// The numbers of the queues that have this tag.
Outcome<std::vector<std::int64_t>> queuesTagged(Engine& engine, std::string_view tag);

/// Says that none has.
Failure noQueueTagged(std::string_view tag);

/// The reference for a route: a number or a token as it is, a tag as the number of the queue that has it. Asks the
/// engine for tags only. Fails when no queue has the tag, or more than one.
Outcome<std::string> resolveQueue(Engine& engine, const std::string& ref);

/// Puts the reference in place of what --queue was given as. Without --queue nothing happens.
Outcome<void> resolveQueueOption(Engine& engine, Arguments& arguments);

/// What --pool says, as far as that can be told without an engine. Nothing: it is not given.
Outcome<std::optional<std::int64_t>> poolSize(const Arguments& arguments);

/// With --pool N: puts in place of --queue the queue of which at most N run at once, which is made when there is none.
Outcome<void> resolvePoolOption(Engine& engine, Arguments& arguments);

} // namespace yard::ctl
