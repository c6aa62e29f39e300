// Commands of several verbs, "ls" where none is given: their rows in a table. Pure; any thread.
#pragma once

#include "app/yardctl/failure.h"
#include "app/yardctl/format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// The row whose `name` is the first of the words. Else wrong usage that says which there are.
template<class Row, std::size_t count>
Outcome<const Row*> verbIn(const std::array<Row, count>& rows, const std::vector<std::string>& words) {
    const std::string_view verb = words.empty() ? std::string_view("ls") : std::string_view(words.front());
    const auto* const known = std::ranges::find(rows, verb, &Row::name);
    if (known != rows.end()) return known;
    std::vector<std::string_view> names;
    for (const Row& row : rows) names.push_back(row.name);
    return usageError(fmt::format("'{}' is none of {}", printable(verb), fmt::join(names, ", ")));
}

} // namespace yard::ctl
