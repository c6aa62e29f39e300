// What failed only because of one action, and goes on with a copy of it. Talks to the engine and blocks; one thread.
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
};

/// Those that failed with `dependency_failed` because of `edited` (an answer of jobs/LSN) and of nothing else,
/// parents first. None where it has not ended. Fails where they cannot be submitted again as they were.
Outcome<std::vector<Follower>> followersOf(Engine& engine, const json::object& edited);
/// One list for POST jobs: `text`, which is to replace the action `lsn`, and copies of the followers. Fails where
/// the text is no action.
Outcome<std::string> listOf(std::int64_t lsn, const std::string& text, const std::vector<Follower>& followers);
/// A line for each, with the LSNs of the copies.
std::string replacedWords(std::int64_t lsn, const std::vector<Follower>& followers, const json::array& lsns);
/// The pending actions that wait for `lsn`, in words: "6, 7 and 2 more". Empty: there are none.
Outcome<std::string> pendingFollowers(Engine& engine, std::int64_t lsn);

} // namespace yard::ctl
