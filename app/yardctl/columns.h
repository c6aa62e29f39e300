// The columns of 'yardctl ls' as data: what they are called, and what they show of an action. Called as the fields that
// lists are sorted by and the keys of filters are. Values; any thread.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/format.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

struct ActionColumn {
    std::string_view name;
    std::string_view also; ///< another name of it; empty: none
    Table::Column shown;
    std::string (*cell)(const json::object& action, std::int64_t now);
};

/// All there are.
std::span<const ActionColumn> actionColumns();
/// Those of a list without --columns.
std::vector<const ActionColumn*> usualColumns();
/// Those of one in which arrays and lists are one row each.
std::vector<const ActionColumn*> foldedColumns();
/// Of "lsn,state,name": in this order. An unknown name is a usage error that names the nearest one.
Outcome<std::vector<const ActionColumn*>> columnsNamed(std::string_view names);
/// "lsn, state, …", for help.
std::string columnNames();
/// Under their headings. Columns that were asked for by name do not leave where there is little room.
Table tableOf(const std::vector<const ActionColumn*>& columns, bool areNamed);

} // namespace yard::ctl
