// GET jobs/search: lines with a text in the outputs of actions, as they are found.
#include "core/http/handler_steps.h"

#include "core/engine/reading/listing.h"
#include "core/http/error_map.h"
#include "core/http/search_producer.h"

#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

constexpr int kFirstSearchPage = 100;

Result<SearchProducer::What> readSearch(const Query& parameters) {
    SearchProducer::What what;
    what.text = parameters.text("text").value_or("");
    if (what.text.empty() || what.text.size() > LineSearch::kMaxText)
        return invalid("text",
                       fmt::format("Give what to look for as \"text\", in 1 to {} bytes.", LineSearch::kMaxText));
    const auto exactCase = parameters.flag("case");
    if (!exactCase) return std::unexpected(exactCase.error());
    what.exactCase = *exactCase;
    const auto lines = parameters.integer("lines", 1, SearchProducer::kMostLines);
    if (!lines) return std::unexpected(lines.error());
    what.limit = lines->value_or(SearchProducer::kUsualLines);
    return what;
}

coro::Task<Response> searchOutputs(Call& call) {
    auto what = readSearch(call.query);
    if (!what) co_return errorResponse(what.error());
    auto query = co_await readListCall(call, kFirstSearchPage, kFirstSearchPage);
    if (!query) co_return errorResponse(query.error());
    // What is wrong with the filter is an answer; later there can only be an end.
    auto first = co_await call.engine.ask(&engine::Listing::list, *query);
    if (!first) co_return errorResponse(first.error());
    if (call.api.searches >= SearchProducer::kMostSearches)
        co_return errorResponse(
            ErrorKind::Busy,
            fmt::format("{} searches are under way: try again when one has ended.", SearchProducer::kMostSearches));
    Response response;
    response.contentType = "application/x-ndjson";
    response.producer =
        std::make_unique<SearchProducer>(call.engine, call.helpers, *call.request.link, std::move(*what),
                                         std::move(*query), std::move(*first), call.api.searches);
    co_return response;
}

} // namespace

std::span<const Route> searchRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs/search", Both, None, Needs::Read},
         &searchOutputs,
         {.id = "searchOutputs",
          .summary = "Lines with a text in the outputs of actions, as they are found",
          .query = "text case lines state queue worker label lsn q sort",
          .answers = {{{200, "ndjson:SearchLine"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
