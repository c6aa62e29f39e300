// GET jobs and its relatives: pages of results.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/list_filter.h"
#include "core/model/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

constexpr int kMaxPage = 1000;
constexpr int kUsualPage = 100;
constexpr std::size_t kUsualResultBytes = 512;

std::string pageJson(const engine::ListPage& page) {
    std::string text;
    text.reserve(page.jobs.size() * kUsualResultBytes + 64);
    text += R"({"jobs":[)";
    for (const ActionResult& job : page.jobs) {
        if (text.back() == '}') text += ',';
        appendJson(text, job);
    }
    text += ']';
    if (!page.cursor.empty()) {
        text += R"(,"cursor":)";
        appendJsonString(text, page.cursor);
    }
    text += '}';
    return text;
}

/// A comma list of states, and of "held" and "retry", faces of pending.
Result<void> readStates(std::string_view list, std::string_view field, engine::ListQuery& query) {
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        const std::string_view word = list.substr(0, end);
        list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
        if (word == "held" || word == "retry") {
            (word == "held" ? query.heldOnly : query.retryOnly) = true;
            continue;
        }
        const auto state = actionStateFrom(word);
        if (!state)
            return invalid(
                std::string(field),
                fmt::format("\"{}\" is no state; there are new, pending, held, retry, submitting, running, "
                            "completed, failed, abandoned and cancelled.",
                            word));
        query.states.push_back(*state);
    }
    const bool faces = query.heldOnly || query.retryOnly;
    if (faces && (!query.states.empty() || (query.heldOnly && query.retryOnly)))
        return fail(ErrorKind::NotImplemented,
                    "\"held\" and \"retry\" cannot be combined with other states yet; ask for "
                    "each alone.");
    if (faces) query.states = {ActionState::Pending};
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
    const auto notYet = [](std::string_view term) {
        return fail(
            ErrorKind::NotImplemented,
            fmt::format("The filter term \"{}\" is not understood yet; use words and state:, queue:, worker: or "
                        "label: with a plain value.",
                        term));
    };
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        const std::string_view term = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (term.empty()) continue;
        const std::size_t colon = term.find(':');
        const std::string_view value = colon == std::string_view::npos ? term : term.substr(colon + 1);
        if (term.starts_with('-') || value.empty() || value.find_first_of("<>*\"") != std::string_view::npos ||
            value.find("..") != std::string_view::npos)
            return notYet(term);
        if (colon == std::string_view::npos) {
            if (!query.text.empty()) query.text += ' ';
            query.text += term;
            continue;
        }
        const std::string_view key = term.substr(0, colon);
        Result<void> read;
        if (key == "state" && query.states.empty())
            read = readStates(value, field, query);
        else if (key == "queue" && !query.queue)
            read = readQueue(value, field, query);
        else if (key == "worker" && query.worker.empty())
            query.worker = value;
        else if (key == "label" && query.label.empty())
            query.label = value;
        else
            return notYet(term);
        if (!read) return read;
    }
    return {};
}

namespace {

Result<void> readPage(const Query& parameters, int usual, engine::ListQuery& query) {
    const auto limit = parameters.integer("limit", 1, kMaxPage);
    if (!limit) return std::unexpected(limit.error());
    query.limit = static_cast<int>(limit->value_or(usual));
    query.cursor = parameters.text("cursor").value_or("");
    return {};
}

Result<engine::ListQuery> readListQuery(const Query& parameters) {
    engine::ListQuery query;
    Result<void> good = parameters.allowOnly({"state", "queue", "worker", "label", "q", "sort", "limit", "cursor"});
    if (good) good = readPage(parameters, kUsualPage, query);
    if (good)
        if (const auto states = parameters.text("state")) good = readStates(*states, "state", query);
    if (good)
        if (const auto queue = parameters.text("queue")) good = readQueue(*queue, "queue", query);
    query.worker = parameters.text("worker").value_or("");
    query.label = parameters.text("label").value_or("");
    if (good)
        if (const auto filter = parameters.text("q")) good = readFilter(*filter, "q", query);
    const std::string_view sort = parameters.text("sort").value_or("-lsn");
    query.newestFirst = sort != "lsn";
    if (good && sort != "lsn" && sort != "-lsn")
        good = fail(ErrorKind::NotImplemented, "Sorting is there for \"lsn\" and \"-lsn\" only so far.");
    if (!good) return std::unexpected(good.error());
    return query;
}

} // namespace

coro::Task<Response> Api::listJobs(Call& call) {
    auto query = readListQuery(call.query);
    if (!query) co_return errorResponse(query.error());
    const auto there = co_await requireQueue(call);
    if (!there) co_return errorResponse(there.error());
    if (call.queue) {
        if (query->queue)
            co_return errorResponse(invalid("queue", "Remove the queue: the route names one already.").error());
        query->queue = call.queue;
    }
    const auto page = co_await engine_.list(std::move(*query));
    co_return page ? jsonResponse(pageJson(*page)) : errorResponse(page.error());
}

coro::Task<Response> Api::listStates(Call& call, std::vector<ActionState> states) {
    engine::ListQuery query;
    Result<void> good = call.query.allowOnly({"limit", "cursor"});
    if (good) good = readPage(call.query, kMaxPage, query);
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    query.queue = call.queue;
    query.states = std::move(states);
    const auto page = co_await engine_.list(std::move(query));
    co_return page ? jsonResponse(pageJson(*page)) : errorResponse(page.error());
}

coro::Task<Response> Api::listRunning(Call& call) {
    co_return co_await listStates(call, {ActionState::Submitting, ActionState::Running});
}

coro::Task<Response> Api::listCompleted(Call& call) {
    co_return co_await listStates(
        call, {ActionState::Completed, ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled});
}

coro::Task<Response> Api::listHistory(Call& call) {
    Result<void> good = call.query.allowOnly({});
    if (good) good = co_await requireQueue(call);
    if (!good) co_return errorResponse(good.error());
    engine::QueueSelector queue{.ref = call.queue};
    const auto page = co_await engine_.history(std::move(queue));
    co_return page ? jsonResponse(pageJson(*page)) : errorResponse(page.error());
}

} // namespace yard::http
