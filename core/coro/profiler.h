// Measures what the cooperative threads of a loop do: which function ran how often and how long, called by whom, and
// when each thread had its turn. Off, a loop pays one branch for each call of a coroutine and each turn.
//
// What a turn does in functions that are no coroutines has names, too, where they are given (part.h).
//
// Owner: the loop's thread. One at a time for a loop. Lifetime: from startProfile() to stopProfile(), or the loop's end.
//
// Time on the processor is read at each call, return and switch. User and system time, switches and faults come from
// getrusage, which costs more: it is read at a switch at most every 50 microseconds, besides when the loop may sleep, when
// a thread begins that is not asked for, and in a turn after 4,096 places. It is shared out among the functions that ran
// since, by their time. Threads whose names differ in numbers only, such as connections, count as one.
// Bounds: 20,000 functions, 20,000 places in the tree (what is called beyond counts as its caller's), 256 functions
// deep, the latest 100,000 turns.
#pragma once

#include "core/base/error.h"
#include "core/profile/profile.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::coro {

struct ProfileOptions {
    std::string thread{};   ///< only threads with this in their name
    std::string function{}; ///< only functions with this in their name, what they call, and the way to them
};

/// On the current loop. Its serial number, of which there is one in a process. WrongState: one is taken already.
Result<std::uint64_t> startProfile(ProfileOptions options);
/// Of the current loop: the one with this serial number, or whichever it is. WrongState: that is not taken (any more).
Result<profile::Profile> stopProfile(std::optional<std::uint64_t> serial = {});

} // namespace yard::coro
