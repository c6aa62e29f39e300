// yardctl locks: named locks, who holds them and who waits.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"

#include "core/base/clock.h"

#include <cstdint>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string holderWords(const json::object& lock) {
    const json::object* holder = objectOf(lock, "holder");
    if (!holder) return "-";
    const std::int64_t pid = integerOf(*holder, "pid").value_or(0);
    const std::int64_t lsn = integerOf(*holder, "lsn").value_or(0);
    return lsn == 0 ? fmt::format("a warm process of pid {}", pid) : fmt::format("action {} of pid {}", lsn, pid);
}

std::string waitingWords(const json::object& lock) {
    const json::array* waiting = arrayOf(lock, "waiting");
    if (!waiting || waiting->empty()) return "-";
    std::string out;
    for (const json::value& lsn : *waiting)
        out += (out.empty() ? "" : " ") +
               printable(lsn.is_int64() ? fmt::to_string(lsn.get_int64()) : compactJson(lsn));
    return out + (lock.contains("more") ? " …" : "");
}

void showLocks(const json::object& answer) {
    Table table({{"LOCK", false, 12},
                 {"HELD BY", false, 10},
                 {"SINCE", false, kWhole, 2},
                 {"DATA DIRECTORY", false, 12, 1},
                 {"WAITING", false, 10}});
    if (const json::array* locks = arrayOf(answer, "locks"))
        for (const json::value& each : *locks) {
            if (!each.is_object()) continue;
            const json::object& lock = each.get_object();
            const json::object* holder = objectOf(lock, "holder");
            const auto since = integerOf(lock, "held_since");
            table.add({printable(textOf(lock, "name")), holderWords(lock),
                       since ? timeWords(*since, wallNow()) : "-",
                       holder ? printable(textOf(*holder, "data_dir")) : "-", waitingWords(lock)});
        }
    if (table.empty())
        fmt::print(stderr, "No lock is held or waited for.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> locksCommand(const Invocation& invocation) {
    auto answer = invocation.engine.get("locks");
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        showLocks(answer->object);
    return 0;
}

} // namespace

Command locksRow() {
    return {.name = "locks",
            .usage = "",
            .summary = "list named locks, who holds them and who waits",
            .details =
                "Locks are shared by all engines of this user on this machine: those of others are listed too.",
            .examples = "yardctl locks",
            .options = {},
            .maxOperands = 0,
            .function = locksCommand};
}

} // namespace yard::ctl
