// yardctl audit: who changed what, the latest first.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/pages.h"
#include "app/yardctl/row_options.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

constexpr std::int64_t kUsualAudit = 100;
constexpr std::int64_t kMostAudit = 100'000;
constexpr std::int64_t kAuditPageRows = 1'000;

void addAuditRow(Table& table, const json::object& entry) {
    std::string what = fmt::format("{} {}", textOf(entry, "method"), textOf(entry, "path"));
    if (const std::string_view body = textOf(entry, "body"); !body.empty()) what += fmt::format(" {}", body);
    const std::string_view from = textOf(entry, "from");
    table.add({timeWords(integerOf(entry, "t").value_or(0), wallNow()), printable(textOf(entry, "who")),
               from.empty() ? "-" : printable(from), countText(entry, "result"), printable(what)});
}

Outcome<int> auditCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    std::int64_t left = kUsualAudit;
    if (const auto most = arguments.value("limit")) {
        const auto number = parseInteger(*most, "--limit");
        if (!number) return std::unexpected(number.error());
        if (*number < 1 || *number > kMostAudit)
            return usageError(fmt::format("--limit is from 1 to {}", kMostAudit));
        left = *number;
    }
    const auto span = spanQuery(arguments);
    if (!span) return std::unexpected(span.error());
    std::string query = "audit" + *span;
    for (const auto& [option, parameter] : {std::pair("who", "who"), std::pair("match", "q")})
        if (const auto value = arguments.value(option))
            query += fmt::format("{}{}={}", query.contains('?') ? "&" : "?", parameter, percentEncode(*value));
    Table table({{"TIME", false, kWhole, 1}, {"BY"}, {"FROM"}, {"RESULT", true}, {"WHAT", false, 20}});
    for (Pages pages(invocation.engine); !pages.atEnd() && left > 0;) {
        const auto page = pages.next(
            fmt::format("{}{}limit={}", query, query.contains('?') ? "&" : "?", std::min(left, kAuditPageRows)));
        if (!page) return std::unexpected(page.error());
        const json::array* entries = arrayOf(page->object, "entries");
        if (!entries) break;
        left -= static_cast<std::int64_t>(entries->size());
        for (const json::value& value : *entries) {
            if (invocation.json)
                fmt::print("{}\n", json::serialize(value));
            else if (const json::object* entry = value.if_object())
                addAuditRow(table, *entry);
        }
    }
    if (invocation.json) return 0;
    if (table.empty())
        fmt::print(stderr, "Nothing was changed.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
    return 0;
}

} // namespace

Command auditRow() {
    return {
        .name = "audit",
        .usage = "[--from TIME] [--to TIME] [--who NAME] [--match TEXT] [--limit N]",
        .summary = "who changed what, from where, with which result",
        .details =
            "Each request that changed queues, actions that were there, workers, machines, settings, tokens or the "
            "session, the latest first; kept for 90 days. BY is the name of a token, or 'the owner'; RESULT is the "
            "status of the answer. Submissions are not in it: each action is its own record. With --json a line "
            "for each. It needs a token with the right admin.",
        .examples = "yardctl audit --from -1d\n"
                    "yardctl audit --who anna --match cancel",
        .options = {fromOption(),
                    toOption(),
                    {"who", 'w', "NAME", "only what this one did"},
                    {"match", 'm', "TEXT", "only what has this in its path or body"},
                    {"limit", 'n', "N", "rows at most (100)"}},
        .maxOperands = 0,
        .function = auditCommand};
}

} // namespace yard::ctl
