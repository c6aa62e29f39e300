// What work used, by queue, worker, label, machine, time or what was wasted: as JSON, or as a table for spreadsheets.
#include "core/http/route.h"

#include "core/engine/reading/accounting.h"
#include "core/engine/state/accounting_view.h"
#include "core/http/csv.h"
#include "core/http/error_map.h"
#include "core/http/time_span.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace yard::http {

namespace {

using engine::AccountingRow;
using engine::AccountingView;

/// A column of both forms, but for the key.
struct Figure {
    std::string_view name;
    double AccountingRow::* value;
    double scale; ///< what is below one part of it is rounded away
};
constexpr Figure kFigures[] = {
    {"core_seconds", &AccountingRow::coreSeconds, 1e3},
    {"wasted_core_seconds", &AccountingRow::wastedCoreSeconds, 1e3},
    {"memory_gb_hours", &AccountingRow::memoryGbHours, 1e6},
    {"wait_seconds", &AccountingRow::waitSeconds, 1e3},
};

double figureOf(const Figure& figure, const AccountingRow& row) {
    return std::round(row.*figure.value * figure.scale) / figure.scale;
}

std::string toJson(const AccountingView& view) {
    constexpr std::size_t kUsualRowBytes = 150;
    std::string text;
    text.reserve(view.rows.size() * kUsualRowBytes + 128);
    JsonWriter writer(text);
    writer.openObject();
    writer.member("from", view.from);
    writer.member("to", view.to);
    writer.member("retired", view.retired);
    if (view.oldest != 0) writer.member("oldest", view.oldest);
    writer.key("rows");
    writer.openArray();
    for (const AccountingRow& row : view.rows) {
        writer.openObject();
        writer.member("key", row.key);
        writer.member("actions", row.actions);
        for (const Figure& figure : kFigures) writer.member(figure.name, figureOf(figure, row));
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    return text;
}

std::string toCsv(const AccountingView& view) {
    std::string text = "key,actions";
    for (const Figure& figure : kFigures) text += fmt::format(",{}", figure.name);
    text += "\r\n";
    for (const AccountingRow& row : view.rows) {
        text += fmt::format("{},{}", csvCell(row.key), row.actions);
        for (const Figure& figure : kFigures) {
            text += ',';
            appendJsonNumber(text, figureOf(figure, row));
        }
        text += "\r\n";
    }
    return text;
}

std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view kBlank = " \t";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// "q=0.5" of "text/csv; header=present; q=0.5"; 1 where there is none, 0 for one that is no number.
double weightOf(std::string_view parameters) {
    while (!parameters.empty()) {
        const std::size_t end = std::min(parameters.find(';'), parameters.size());
        const std::string_view one = withoutBlanks(parameters.substr(0, end));
        parameters.remove_prefix(std::min(end + 1, parameters.size()));
        if (one.size() < 2 || !equalsNoCase(one.substr(0, 2), "q=")) continue;
        double weight = 0;
        std::from_chars(one.data() + 2, one.data() + one.size(), weight);
        return weight >= 0 && weight <= 1 ? weight : 0;
    }
    return 1;
}

/// How much a media type is wanted by an Accept field: what names it most closely says so.
double wanted(std::string_view accept, std::string_view type) {
    const std::string family = fmt::format("{}/*", type.substr(0, type.find('/')));
    const std::string_view names[] = {"*/*", family, type};
    std::ptrdiff_t closest = -1;
    double weight = 0;
    while (!accept.empty()) {
        const std::size_t end = std::min(accept.find(','), accept.size());
        const std::string_view one = accept.substr(0, end);
        accept.remove_prefix(std::min(end + 1, accept.size()));
        const std::size_t mark = std::min(one.find(';'), one.size());
        const std::string_view word = withoutBlanks(one.substr(0, mark));
        const auto* found =
            std::ranges::find_if(names, [&](std::string_view known) { return equalsNoCase(known, word); });
        if (found == std::end(names) || found - names < closest) continue;
        closest = found - names;
        weight = weightOf(one.substr(mark));
    }
    return weight;
}

/// The table goes to those who want it more than JSON, which everybody else gets, as of all routes.
bool wantsCsv(const Request& request) {
    const std::string_view accept = request.head.field("Accept").value_or("");
    return wanted(accept, "text/csv") > wanted(accept, "application/json");
}

Result<engine::AccountingBy> readBy(const Query& parameters) {
    const std::string_view word = parameters.text("by").value_or(engine::kAccountingWords.front());
    const auto* const found = std::ranges::find(engine::kAccountingWords, word);
    if (found == engine::kAccountingWords.end())
        return invalid("by", fmt::format("\"by\" is one of: {}.", fmt::join(engine::kAccountingWords, ", ")));
    return static_cast<engine::AccountingBy>(found - engine::kAccountingWords.begin());
}

coro::Task<Response> getAccounting(Call& call) {
    const auto span = readSpan(call.query);
    if (!span) co_return errorResponse(span.error());
    const auto by = readBy(call.query);
    if (!by) co_return errorResponse(by.error());
    const bool isCsv = wantsCsv(call.request);
    const auto view =
        co_await call.engine.ask(&engine::Accounting::view, {.by = *by, .from = span->from, .to = span->to});
    if (!view) co_return errorResponse(view.error());
    Response response = jsonResponse(isCsv ? toCsv(*view) : toJson(*view));
    if (isCsv) response.contentType = "text/csv; charset=utf-8; header=present";
    response.fields.emplace_back("Vary", "Accept");
    co_return response;
}

} // namespace

std::span<const Route> accountingRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "accounting", Global, None, Needs::Read},
         &getAccounting,
         {.id = "getAccounting",
          .summary = "What work used, and what of it was for nothing",
          .query = "from to by",
          .answers = {{{200, "Accounting", true}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
