// The threads of a loop, for people: in pages, in the order of their numbers, in steps between which others have their turn,
// so that a hundred thousand of them do not stop the loop.
//
// Owner: the loop's thread. What it returns are copies.
#pragma once

#include "core/coro/loop.h"
#include "core/coro/task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yard::coro {

struct ThreadQuery {
    std::uint64_t after = 0; ///< only those with larger numbers
    std::size_t limit = 100;
    std::string filter{}; ///< part of the name or of what it waits for
};

struct ThreadPage {
    std::vector<ThreadInfo> threads{};
    std::uint64_t next = 0; ///< `after` of the next page; 0: there is none
};

/// Those of the current loop that live now. One that starts or ends meanwhile may be left out; no other is. A page
/// may have fewer than the limit and yet be followed by another.
Task<ThreadPage> listThreads(ThreadQuery query);

} // namespace yard::coro
