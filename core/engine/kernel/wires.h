// What each part of the wiring hands to its services: ways to start a cooperative thread, to wake the pump, to find an attempt.
// Owner: none, functions without state. What they return leads to `ground` and `services`, and must not outlive them.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <functional>
#include <string>
#include <vector>

namespace yard::engine {

/// For services that have threads of their own.
std::function<void(const char* name, coro::Task<void>)> spawningOn(coro::Loop& loop);
/// For services by which something may begin to wait: it comes, is let go, is put back or is moved.
std::function<void()> wakingForWork(Services& services, std::function<void()> wake);
/// The attempt under way, null when there is none. For services that are made before Execution.
std::function<const Attempt*(Lsn)> attemptsOf(Services& services);
/// Who takes over what an action leaves running.
Adopter adopterOf(const Ground& ground, const Services& services);
/// Others who read the journal get their turn after `lookFor`.
coro::Task<Result<std::vector<std::string>>> commandsOf(JournalReader& journal, std::vector<Lsn> lsns,
                                                        Duration lookFor);

} // namespace yard::engine
