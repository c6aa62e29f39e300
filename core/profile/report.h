// A profile as people and other tools read it. Values in, text out.
//
// The weight of a function in every form is its time on the processor (wall time while its thread had its turn).
#pragma once

#include "core/profile/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::profile {

/// One function, over all places where it was called.
struct Row {
    std::string name{};
    std::string place{}; ///< file:line, or the file alone; empty: a thread or a program
    Cost self{};
    std::uint64_t totalNanos = 0; ///< with what it called; a function within itself counts once
};

/// The most costly by itself first.
std::vector<Row> rowsOf(const Profile& profile);
/// Time that functions (or threads) ran, in all.
std::uint64_t ranNanos(const Profile& profile);

/// What those without a place are: threads; of samples, programs.
std::string_view rootWord(const Profile& profile);

/// A table for a terminal: the first `most` rows, with their shares.
std::string textTable(const Profile& profile, std::size_t most);
/// A line for each path: `thread;outer;inner 1234`, in microseconds; for flame graphs of others.
std::string collapsedStacks(const Profile& profile);
/// The JSON of speedscope.app, with the threads' turns as a second profile.
std::string speedscope(const Profile& profile);
/// The protocol buffer of pprof (google/pprof, proto/profile.proto), not compressed: its samples have calls (or samples) and nanoseconds.
std::string pprof(const Profile& profile);
/// One page of HTML without a link to elsewhere: a table that sorts, an icicle that zooms, the turns, a search.
std::string htmlPage(const Profile& profile);

} // namespace yard::profile
