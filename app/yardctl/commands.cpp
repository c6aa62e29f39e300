#include "app/yardctl/command.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

// All commands in the order of the help, by its headings. ROW(name) is nameRow(), at the end of a file in commands/.
// What is handed to the engine, and waited for.
// clang-format off
#define YARD_WORK(ROW) ROW(run) ROW(map) ROW(attach) ROW(submit) ROW(exec) ROW(wait) ROW(edit) ROW(schedules) ROW(alerts) ROW(objects) ROW(types)
// What looks at actions, queues and figures, and changes nothing.
#define YARD_LOOKING(ROW) \
    ROW(list) ROW(show) ROW(why) ROW(graph) ROW(attempts) ROW(compare) ROW(reproduce) ROW(samples) ROW(logs) \
    ROW(search) ROW(failures) ROW(kinds) ROW(top) ROW(queues) ROW(events) ROW(stats) ROW(usage) ROW(timeline) ROW(trace) ROW(record) ROW(replay) \
    ROW(simulate)
// What changes actions and queues that are there.
#define YARD_STEERING(ROW) \
    ROW(queue) ROW(cancel) ROW(retry) ROW(retire) ROW(hold) ROW(release) ROW(priority) ROW(move) \
    ROW(mark) ROW(comment)
// What the engine itself is and has, and papers about yardctl.
#define YARD_ENGINE(ROW) \
    ROW(workers) ROW(session) ROW(settings) ROW(courtesy) ROW(pool) ROW(orchestrator) ROW(locks) ROW(guests) ROW(machines) ROW(allocators) ROW(tokens) ROW(whoami) ROW(gc) ROW(backup) ROW(restore) ROW(audit) \
    ROW(console) ROW(example) ROW(profile) ROW(completion) ROW(manual)
// clang-format on

#define YARD_DECLARED(name) Command name##Row();
#define YARD_MADE(name) name##Row(),

namespace yard::ctl {

YARD_WORK(YARD_DECLARED)
YARD_LOOKING(YARD_DECLARED)
YARD_STEERING(YARD_DECLARED)
YARD_ENGINE(YARD_DECLARED)

namespace {

/// All rows, made once: yardctl is started for every command.
struct CommandTable {
    std::vector<Command> rows;
    std::vector<CommandGroup> groups;
};

CommandTable makeCommandTable() {
    using Rows = std::vector<Command>;
    std::array parts{std::pair("Work", Rows{YARD_WORK(YARD_MADE)}),
                     std::pair("Looking", Rows{YARD_LOOKING(YARD_MADE)}),
                     std::pair("Steering", Rows{YARD_STEERING(YARD_MADE)}),
                     std::pair("The engine", Rows{YARD_ENGINE(YARD_MADE)})};
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
