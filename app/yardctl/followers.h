// What failed only because of one action, or waits for one that has not begun, and goes on with a copy of it. Talks to the engine and blocks; one thread.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// At most so many are looked for.
inline constexpr std::size_t kMostFollowers = 10'000;

/// An action, or neighbours in an array, to be submitted again.
struct Follower {
    struct Edge {
        json::value kept;       ///< as it was submitted
        bool isOfList = false;  ///< to a member of the new list: `member`
        std::size_t member = 0; ///< 0 is the edited action, 1 the first follower
    };
    std::int64_t first = 0;
    std::int64_t last = 0;
    json::object spec{};
    std::vector<Edge> edges{};
    bool wasReplaced = false; ///< one of them, already: the copies replace none
};

/// Those that failed with `dependency_failed` because of `edited` (an answer of jobs/LSN) and of nothing else,
/// parents first; where it is pending, all that wait for it and have not begun. None where it runs. Fails where they
/// cannot be submitted again as they were. `again`: those that were replaced already, too.
Outcome<std::vector<Follower>> followersOf(Engine& engine, const json::object& edited, bool again);
/// `text`, an action as it was submitted, with what was changed of it since: held or not, and its priority.
std::string asItIsNow(std::string text, const json::object& action);
/// `text`, an action as it was typed, told what it replaces; as it is where it says so itself, or is no action.
std::string replacing(std::int64_t lsn, std::string text);
/// One list for POST jobs: `text`, the changed copy of the action `lsn`, and copies of the followers. Fails where the
/// text is no action.
Outcome<std::string> listOf(std::int64_t lsn, const std::string& text, const std::vector<Follower>& followers);
/// A line for each, with the LSNs of the copies. `isPending`: they waited, and had not failed.
std::string replacedWords(std::int64_t lsn, const std::vector<Follower>& followers, const json::array& lsns,
                          bool isPending);
/// The pending actions that wait for `lsn`, in words: "6, 7 and 2 more". Empty: there are none.
Outcome<std::string> pendingFollowers(Engine& engine, std::int64_t lsn);

} // namespace yard::ctl
