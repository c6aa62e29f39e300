// GET jobs and its relatives: pages of results.
#include "core/http/handler_steps.h"

#include "core/engine/reading/facets.h"
#include "core/engine/reading/folding.h"
#include "core/engine/reading/listing.h"
#include "core/http/error_map.h"
#include "core/http/list_filter.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace yard::http {

namespace {

constexpr int kUsualPage = 100;
/// Numbers of filters are doubles; whole ones are exact up to here.
constexpr std::int64_t kMostExactLsn = 9'007'199'254'740'992;
constexpr std::size_t kUsualResultBytes = 512;

/// Into the object that ends the text.
void appendFold(std::string& text, const engine::FoldView& fold) {
    if (fold.count == 0) return;
    text.back() = ',';
    text += R"("fold":)";
    JsonWriter writer(text);
    writer.openObject();
    writer.member("first", fold.first.value);
    writer.member("count", fold.count);
    writer.member("kind", name(fold.kind));
    writer.member("name", fold.name);
    if (fold.started != 0) writer.member("started", fold.started);
    if (!fold.failure.empty()) {
        writer.key("failure");
        writer.openObject();
        writer.member("line", fold.failure);
        writer.member("count", fold.failures);
        writer.closeObject();
    }
    if (fold.place) writer.member("place", *fold.place);
    if (!fold.isExact) writer.member("exact", false);
    writer.closeObject();
    text += R"(,"states":{)";
    const auto add = [&text](std::string_view word, std::int64_t count) {
        if (count == 0) return;
        text += fmt::format(R"({}"{}":{})", text.back() == '{' ? "" : ",", word, count);
    };
    for (std::size_t state = 0; state < fold.states.size(); ++state)
        add(name(static_cast<ActionState>(state)), fold.states[state]);
    add("held", fold.held);
    add("retry", fold.retry);
    text += "}}";
}

std::string pageJson(const engine::ListPage& page, const std::optional<engine::ListCount>& count = {}) {
    std::string text;
    text.reserve(page.jobs.size() * kUsualResultBytes + 64);
    text += R"({"jobs":[)";
    for (std::size_t i = 0; i < page.jobs.size(); ++i) {
        if (i > 0) text += ',';
        appendJson(text, page.jobs[i]);
        if (i < page.folds.size()) appendFold(text, page.folds[i]);
    }
    text += ']';
    if (!page.cursor.empty()) {
        text += R"(,"cursor":)";
        appendJsonString(text, page.cursor);
    }
    if (count) text += fmt::format(R"(,"{}":{})", count->isExact ? "total" : "total_at_least", count->count);
    text += '}';
    return text;
}

/// Those that follow one another as "4..9" or "9..4".
std::string runsOf(const std::vector<Lsn>& lsns) {
    std::string text;
    text.reserve(lsns.size() * 8 + 16);
    for (std::size_t at = 0; at < lsns.size();) {
        std::size_t last = at;
        const std::int64_t step = at + 1 < lsns.size() ? lsns[at + 1].value - lsns[at].value : 0;
        if (step == 1 || step == -1)
            while (last + 1 < lsns.size() && lsns[last + 1].value - lsns[last].value == step) ++last;
        if (!text.empty()) text += ',';
        text += fmt::format_int(lsns[at].value).c_str();
        if (last > at) {
            text += "..";
            text += fmt::format_int(lsns[last].value).c_str();
        }
        at = last + 1;
    }
    return text;
}

std::string partJson(const engine::LsnPart& part) {
    std::string text = R"({"lsns":")" + runsOf(part.lsns) + '"';
    const bool isMade = !part.lsns.empty() || part.cursor.empty();
    if (isMade) text += fmt::format(R"(,"total":{})", part.matched.value_or(part.total));
    if (isMade && part.matched) text += fmt::format(R"(,"rows":{})", part.total);
    if (!part.cursor.empty()) {
        text += R"(,"cursor":)";
        appendJsonString(text, part.cursor);
    }
    return text + '}';
}

/// States, of which "held" and "retry" are faces of pending: narrows the query, and says whether that is all.
bool narrowStates(const std::vector<std::string>& words, engine::ListQuery& query) {
    const auto face = std::ranges::find_if(words, [](const std::string& w) { return w == "held" || w == "retry"; });
    if (words.size() == 1 && face != words.end()) {
        (*face == "held" ? query.heldOnly : query.retryOnly) = true;
        query.states = {ActionState::Pending};
        return true;
    }
    for (const std::string& word : words)
        query.states.push_back(actionStateFrom(word).value_or(ActionState::Pending));
    return face == words.end();
}

/// A comma list of states.
Result<void> readStates(std::string_view list, std::string_view field, engine::ListQuery& query) {
    if (list.empty()) return {};
    auto filter = parseFilter(fmt::format("state:{}", list), wallNow());
    const bool plain = filter && filter->terms.size() == 1 && filter->plain(FilterKey::State);
    if (!plain)
        return invalid(std::string(field),
                       fmt::format("\"{}\" is no list of states; there are {}.", list, filterStateNames()));
    if (!narrowStates(filter->terms.front().words, query)) query.filter.terms.push_back(filter->terms.front());
    return {};
}

Result<void> readQueue(std::string_view text, std::string_view field, engine::ListQuery& query) {
    query.queue = parseQueueRef(text);
    if (!query.queue)
        return invalid(std::string(field), "Name a queue by its number or its token; GET queues lists them.");
    return {};
}

} // namespace

Result<void> readFilter(std::string_view text, std::string_view field, engine::ListQuery& query) {
    auto parsed = parseFilter(text, wallNow());
    if (!parsed) {
        Error error = parsed.error();
        if (error.kind == ErrorKind::Invalid) error.field = field;
        return std::unexpected(std::move(error));
    }
    // What the journal can look for by itself is looked for there; the rest is compared row by row.
    const auto oneWord = [&](FilterKey key) -> std::string {
        const FilterTerm* term = parsed->plain(key);
        return term && term->words.size() == 1 ? term->words.front() : std::string();
    };
    const auto drop = [&](FilterKey key) {
        std::erase_if(parsed->terms, [key](const auto& t) { return t.key == key; });
    };
    if (const FilterTerm* states = parsed->plain(FilterKey::State); states && query.states.empty())
        if (narrowStates(states->words, query)) drop(FilterKey::State);
    if (const auto queue = parseQueueRef(oneWord(FilterKey::Queue)); queue && !query.queue) {
        query.queue = queue;
        drop(FilterKey::Queue);
    }
    for (const auto& [key, member] : {std::pair{FilterKey::Worker, &engine::ListQuery::worker},
                                      std::pair{FilterKey::Label, &engine::ListQuery::label}}) {
        const std::string word = oneWord(key);
        if (word.empty() || !(query.*member).empty()) continue;
        query.*member = word;
        drop(key);
    }
    std::ranges::move(parsed->terms, std::back_inserter(query.filter.terms));
    return {};
}

namespace {

Result<void> readPage(const Query& parameters, int usual, engine::ListQuery& query, int most = kMaxPage) {
    const auto limit = parameters.integer("limit", 1, most);
    if (!limit) return std::unexpected(limit.error());
    query.limit = static_cast<int>(limit->value_or(usual));
    query.cursor = parameters.text("cursor").value_or("");
    return {};
}

/// Numbers with commas in between, as a term of the filter.
Result<void> readLsns(std::string_view list, engine::ListQuery& query) {
    FilterTerm term;
    term.key = FilterKey::Lsn;
    while (term.ranges.size() < kMaxPage) {
        const std::string_view word = list.substr(0, list.find(','));
        std::int64_t lsn = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), lsn);
        if (error != std::errc{} || end != word.data() + word.size() || lsn < 1 || lsn > kMostExactLsn) break;
        term.ranges.push_back({.low = static_cast<double>(lsn), .high = static_cast<double>(lsn)});
        if (word.size() == list.size()) {
            query.filter.terms.push_back(std::move(term));
            return {};
        }
        list.remove_prefix(word.size() + 1);
    }
    return invalid("lsn", fmt::format("Give at most {} numbers of actions, with commas in between.", kMaxPage));
}

Result<engine::ListQuery> readListQuery(const Query& parameters, int usual, int most) {
    engine::ListQuery query;
    Result<void> good = readPage(parameters, usual, query, most);
    if (good)
        if (const auto lsns = parameters.text("lsn")) good = readLsns(*lsns, query);
    if (good)
        if (const auto states = parameters.text("state")) good = readStates(*states, "state", query);
    if (good)
        if (const auto queue = parameters.text("queue")) good = readQueue(*queue, "queue", query);
    query.worker = parameters.text("worker").value_or("");
    query.label = parameters.text("label").value_or("");
    if (good)
        if (const auto filter = parameters.text("q")) good = readFilter(*filter, "q", query);
    if (!good) return std::unexpected(good.error());
    const Result<bool> fold = parameters.flag("fold");
    if (!fold) return std::unexpected(fold.error());
    query.fold = *fold;
    const Result<Sort> sort = parseSort(parameters.text("sort").value_or("-lsn"));
    if (!sort) return std::unexpected(sort.error());
    query.sort = *sort;
    return query;
}

/// The query within the queue that the route names, if it names one.
coro::Task<Result<engine::ListQuery>> inQueue(Call& call, engine::ListQuery query) {
    const auto there = co_await requireQueue(call, QueueNeeded::Known);
    if (!there) co_return std::unexpected(there.error());
    if (call.queue && query.queue) co_return invalid("queue", "Remove the queue: the route names one already.");
    if (call.queue) query.queue = call.queue;
    co_return query;
}

} // namespace

coro::Task<Result<engine::ListQuery>> readListCall(Call& call, int usual, int most) {
    auto query = readListQuery(call.query, usual, most);
    if (query) query = co_await inQueue(call, std::move(*query));
    co_return query;
}

namespace {

coro::Task<Response> listLsns(Call& call) {
    auto query = co_await readListCall(call, engine::kMostLsnsInPart, engine::kMostLsnsInPart);
    if (!query) co_return errorResponse(query.error());
    const auto part = co_await call.engine.ask(&engine::Listing::lsns, std::move(*query));
    co_return part ? jsonResponse(partJson(*part)) : errorResponse(part.error());
}

coro::Task<Response> listJobs(Call& call) {
    auto query = co_await readListCall(call, kUsualPage, kMaxPage);
    if (!query) co_return errorResponse(query.error());
    const auto wantsCount = call.query.flag("count");
    if (!wantsCount) co_return errorResponse(wantsCount.error());
    std::optional<engine::ListCount> count;
    if (*wantsCount) {
        const auto counted = co_await call.engine.ask(&engine::Listing::count, *query);
        if (!counted) co_return errorResponse(counted.error());
        count = *counted;
    }
    const auto page = query->fold ? co_await call.engine.ask(&engine::Folding::list, std::move(*query))
                                  : co_await call.engine.ask(&engine::Listing::list, std::move(*query));
    co_return page ? jsonResponse(pageJson(*page, count)) : errorResponse(page.error());
}

/// Absent: all there are.
Result<std::vector<FacetKey>> readFacets(std::optional<std::string_view> list) {
    if (list) return parseFacets(*list);
    std::vector<FacetKey> all;
    for (const FacetInfo& facet : kFacets) all.push_back(facet.key);
    return all;
}

std::string facetsJson(const engine::FacetCounts& counts) {
    std::string text = fmt::format(R"({{"total":{},"exact":{},"facets":{{)", counts.total, counts.isExact);
    std::string others;
    for (const engine::FacetList& list : counts.lists) {
        text += fmt::format(R"({}"{}":{{)", text.back() == '{' ? "" : ",", name(list.key));
        for (const auto& [value, count] : list.values) {
            if (text.back() != '{') text += ',';
            appendJsonString(text, value);
            text += fmt::format(":{}", count);
        }
        text += '}';
        if (list.others > 0)
            others += fmt::format(R"({}"{}":{})", others.empty() ? "" : ",", name(list.key), list.others);
    }
    text += '}';
    if (!others.empty()) text += fmt::format(R"(,"others":{{{}}})", others);
    return text + '}';
}

coro::Task<Response> countFacets(Call& call) {
    auto query = co_await readListCall(call, kUsualPage, kMaxPage);
    if (!query) co_return errorResponse(query.error());
    auto by = readFacets(call.query.text("by"));
    if (!by) co_return errorResponse(by.error());
    const auto own = call.query.flag("own");
    if (!own) co_return errorResponse(own.error());
    const auto counts = co_await call.engine.ask(&engine::Facets::count, {.which = std::move(*query),
                                                                          .by = std::move(*by),
                                                                          .underOwn = *own,
                                                                          .isQueueFixed = call.queue.has_value()});
    co_return counts ? jsonResponse(facetsJson(*counts)) : errorResponse(counts.error());
}

coro::Task<Response> listStates(Call& call, std::vector<ActionState> states) {
    engine::ListQuery query;
    Result<void> good = readPage(call.query, kMaxPage, query);
    if (good) good = co_await requireQueue(call, QueueNeeded::Known);
    if (!good) co_return errorResponse(good.error());
    query.queue = call.queue;
    query.states = std::move(states);
    const auto page = co_await call.engine.ask(&engine::Listing::list, std::move(query));
    co_return page ? jsonResponse(pageJson(*page)) : errorResponse(page.error());
}

coro::Task<Response> listRunning(Call& call) {
    co_return co_await listStates(call, {ActionState::Submitting, ActionState::Running});
}

coro::Task<Response> listCompleted(Call& call) {
    co_return co_await listStates(
        call, {ActionState::Completed, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled});
}

coro::Task<Response> listHistory(Call& call) {
    const Result<void> good = co_await requireQueue(call, QueueNeeded::Known);
    if (!good) co_return errorResponse(good.error());
    engine::QueueSelector queue{.ref = call.queue};
    const auto page = co_await call.engine.ask(&engine::Listing::history, std::move(queue));
    co_return page ? jsonResponse(pageJson(*page)) : errorResponse(page.error());
}

} // namespace

std::span<const Route> listRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs", Both, None, Needs::Read},
         &listJobs,
         {.id = "listJobs",
          .summary = "A page of actions",
          .query = "state queue worker label lsn q sort limit cursor count fold=folded",
          .answers = {{{200, "Jobs"}}}}},
        {{Get, "jobs/lsns", Both, None, Needs::Read},
         &listLsns,
         {.id = "listLsns",
          .summary = "The numbers alone of all actions that match, in order",
          .query = "state queue worker label lsn q sort limit=part cursor fold=folded",
          .answers = {{{200, "Lsns"}}}}},
        {{Get, "jobs/facets", Both, None, Needs::Read},
         &countFacets,
         {.id = "countFacets",
          .summary = "How many actions match, by state, queue and so on",
          .query = "state queue worker label lsn q by=facets own",
          .answers = {{{200, "Facets"}}}}},
        {{Get, "jobs/history", Both, None, Needs::Read},
         &listHistory,
         {.id = "listHistory", .summary = "The last 1000 actions that finished", .answers = {{{200, "Jobs"}}}}},
        {{Get, "jobs/running", Both, None, Needs::Read},
         &listRunning,
         {.id = "listRunning",
          .summary = "Actions under way",
          .query = "limit cursor",
          .answers = {{{200, "Jobs"}}}}},
        {{Get, "jobs/completed", Both, None, Needs::Read},
         &listCompleted,
         {.id = "listCompleted",
          .summary = "Finished actions",
          .query = "limit cursor",
          .answers = {{{200, "Jobs"}}}}},
        {{Get, "history", Queue, None, Needs::Read},
         &listHistory,
         {.id = "getQueueHistory",
          .summary = "The last 1000 actions of the queue that finished",
          .answers = {{{200, "Jobs"}}}}},
        {{Get, "running", Queue, None, Needs::Read},
         &listRunning,
         {.id = "getQueueRunning",
          .summary = "Actions of the queue under way",
          .query = "limit cursor",
          .answers = {{{200, "Jobs"}}}}},
        {{Get, "completed", Queue, None, Needs::Read},
         &listCompleted,
         {.id = "getQueueCompleted",
          .summary = "Finished actions of the queue",
          .query = "limit cursor",
          .answers = {{{200, "Jobs"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
