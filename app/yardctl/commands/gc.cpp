// yardctl gc: clear up what retention does not keep, or say what would go.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::int64_t figureIn(const json::object& from, std::string_view object, std::string_view member) {
    const json::object* inside = objectOf(from, object);
    return inside ? integerOf(*inside, member).value_or(0) : 0;
}

std::string bytes(std::int64_t count) {
    return sizeWords(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
}

void showReport(const json::object& report, bool dryRun) {
    const char* verb = dryRun ? "would go" : "went";
    fmt::print("actions: {} too old, {} too many, {} too much for the disk {}\n",
               figureIn(report, "actions", "age"), figureIn(report, "actions", "count"),
               figureIn(report, "actions", "size"), verb);
    fmt::print("chunks:  {} ({}) {}", figureIn(report, "chunks", "count"),
               bytes(figureIn(report, "chunks", "bytes")), verb);
    if (const auto recent = figureIn(report, "chunks", "recent"); recent > 0)
        fmt::print(", {} are still too recent", recent);
    fmt::print("\n");
    const std::int64_t limit = figureIn(report, "disk", "limit_bytes");
    fmt::print("disk:    {} in chunks and journal", bytes(figureIn(report, "disk", "used_bytes")));
    if (limit > 0) fmt::print(", {} at most", bytes(limit));
    if (const auto log = figureIn(report, "disk", "log_bytes"); log > 0)
        fmt::print(", {} in the journal's log", bytes(log));
    if (const auto workers = figureIn(report, "disk", "workers_bytes"); workers > 0)
        fmt::print(", {} in files of workers", bytes(workers));
    fmt::print(", {} finished actions\n", integerOf(report, "finished").value_or(0));
    if (const auto note = textOf(report, "note"); !note.empty()) fmt::print("{}\n", printable(note));
}

Outcome<int> gcCommand(const Invocation& invocation) {
    const bool dryRun = invocation.arguments.has("dry-run");
    // A million actions take their time: no limit on the silence.
    auto answer = invocation.engine.call({.method = "POST",
                                          .path = "gc",
                                          .body = dryRun ? R"({"dry_run":true})" : "",
                                          .silence = std::chrono::hours(1)});
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        showReport(answer->object, dryRun);
    return 0;
}

} // namespace

Command gcRow() {
    return {.name = "gc",
            .usage = "[--dry-run]",
            .summary = "clear up finished actions and chunks that are not kept",
            .details =
                "What is kept is said by the settings keep_days, keep_actions, keep_disk_percent and "
                "chunk_grace_s. The engine does it by itself, too, every cleanup_every_s while something happens.",
            .examples = "yardctl gc --dry-run",
            .options = {{"dry-run", 'n', "", "only say what would go"}},
            .maxOperands = 0,
            .function = gcCommand};
}

} // namespace yard::ctl
