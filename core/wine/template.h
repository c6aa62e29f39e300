// The prefix that every action for Windows begins with: what Wine lays out for a new user, made once and kept in the
// data directory. It is made in a sandbox, with no more rights than an action has.
//
// Blocks for about ten seconds where there is none yet: for a thread of its own. No owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/wine/wine.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace yard::wine {

struct TemplateOrder {
    std::string directory; ///< absolute; the engine's own, of templates alone
    Installation wine;
    std::uint32_t hostUser = 0; ///< of an engine of root: who makes it
    Duration atMost = std::chrono::seconds(120);
    bool removesOthers = true; ///< no action runs over one of another Wine
    std::stop_token stop;
};

/// Makes it if there is none by this Wine, takes away what is there of a start that was cut short and, where it may, of
/// another Wine, and returns where it is. NotAccepting: it was stopped. Io, NoSpace or WrongState, with what was said last, when it could
/// not be made.
Result<std::string> ensureTemplate(const TemplateOrder& order);

} // namespace yard::wine
