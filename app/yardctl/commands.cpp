#include "app/yardctl/command_tables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace yard::ctl {

const Option& filterOption() {
    static const Option option{"filter", 0, "F",
                               "all actions that match, e.g. 'state:failed queue:7'; see 'yardctl ls --help'"};
    return option;
}

const Option& dryRunOption() {
    static const Option option{"dry-run", 0, "", "say how many it would change, and change nothing"};
    return option;
}

const Option& atMostOption() {
    static const Option option{"at-most", 0, "N", "change nothing when it would change more than N"};
    return option;
}

std::vector<Option> joined(std::vector<Option> own, const std::vector<Option>& others) {
    std::ranges::copy(others, std::back_inserter(own));
    return own;
}

namespace {

/// All rows, made once: yardctl is started for every command.
struct CommandTable {
    std::vector<Command> rows;
    std::vector<CommandGroup> groups;
};

CommandTable makeCommandTable() {
    std::array parts{std::pair("Work", workCommands()), std::pair("Looking", lookingCommands()),
                     std::pair("Steering", steeringCommands()), std::pair("The engine", engineCommands())};
    CommandTable table;
    for (auto& [heading, rows] : parts) std::ranges::move(rows, std::back_inserter(table.rows));
    std::size_t begin = 0;
    for (const auto& [heading, rows] : parts) {
        table.groups.push_back({heading, std::span(table.rows).subspan(begin, rows.size())});
        begin += rows.size();
    }
    return table;
}

const CommandTable& commandTable() {
    static const CommandTable made = makeCommandTable();
    return made;
}

} // namespace

std::span<const CommandGroup> commandGroups() {
    return commandTable().groups;
}

std::span<const Command> commands() {
    return commandTable().rows;
}

} // namespace yard::ctl
