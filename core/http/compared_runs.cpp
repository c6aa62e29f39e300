#include "core/http/compared_runs.h"

#include "core/base/parsed_number.h"
#include "core/base/sentences.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/settings_service.h"
#include "core/engine/state/workers.h"
#include "core/http/file_producers.h"
#include "core/http/permission.h"
#include "core/json/json_writer.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

/// Which deadline holds: that of the action, else of its queue, its worker, the settings. As it would be now.
coro::Task<Duration> deadlineOf(Call& call, const KnownRun& known) {
    if (known.spec && known.spec->deadline) co_return *known.spec->deadline;
    const QueueRef ref{.number = known.run.action.queue, .token = {}};
    const auto queue = co_await call.engine.ask(&engine::Queues::get, ref);
    if (queue && queue->config.deadline) co_return *queue->config.deadline;
    if (known.descriptor && known.descriptor->deadline) co_return *known.descriptor->deadline;
    co_return (co_await call.engine.ask(&engine::SettingsService::view)).asked.deadline;
}

std::unexpected<Error> noAttempt(Lsn lsn, std::uint32_t attempt) {
    return fail(ErrorKind::NotFound, fmt::format("Action {0} has no attempt {1}: GET jobs/{0}/attempts lists them.",
                                                 lsn.value, attempt));
}

coro::Task<void> addSpec(Call& call, KnownRun& known) {
    const Lsn lsn = known.run.action.lsn;
    auto text = co_await call.engine.ask(&engine::ActionDetails::spec, lsn, true);
    if (!text) co_return;
    const bool all = co_await maySeeInputs(call, lsn);
    known.run.spec = all ? std::move(*text) : withoutInputs(std::move(*text));
    auto parsed = parseAction(known.run.spec);
    if (!parsed) co_return;
    auto spec = std::make_shared<ActionSpec>(*parsed->spec);
    if (known.run.action.index) applyArrayIndex(*spec, *known.run.action.index);
    known.spec = std::move(spec);
}

coro::Task<void> addWorker(Call& call, KnownRun& known) {
    const std::string& id = known.run.action.workerId;
    if (id.empty() || id == "exec") co_return;
    const auto worker = co_await call.engine.ask(&engine::Workers::get, id);
    if (!worker) co_return;
    known.run.worker = shownDescriptor(call, worker->canonical);
    if (auto parsed = parseWorker(known.run.worker)) known.descriptor = parsed->descriptor;
}

bool isLeaving(Call& call) {
    return call.request.link->isStopping() || call.request.link->peerGone();
}

/// Decimal, from 1 on; nothing: it is no such number.
std::optional<std::int64_t> numberUpTo(std::string_view digits, std::int64_t most) {
    const auto value = parsedNumber<std::int64_t>(digits);
    return value && *value > 0 && *value <= most ? value : std::nullopt;
}

using Streams = std::array<std::optional<ChunkSource>, 2>;

coro::Task<Result<std::optional<Difference>>> firstDifference(Call& call, std::string_view name, ChunkRef a,
                                                              ChunkRef b) {
    Streams sources;
    for (const auto& [side, chunk] : {std::pair(0u, a), std::pair(1u, b)}) {
        auto opened = co_await openChunk(call.helpers, call.engine.chunks(), chunk.hash, 0, false);
        if (!opened) co_return std::optional<Difference>();
        sources.at(side).emplace(std::move(*opened));
    }
    const auto comparison = std::make_shared<StreamComparison>();
    while (const auto side = comparison->wants()) {
        if (isLeaving(call)) co_return fail(ErrorKind::NotAccepting, kEngineIsStopping);
        auto bytes = co_await sources.at(*side)->read(kReadPiece);
        if (!bytes) co_return std::optional<Difference>(); // retired meanwhile
        co_await call.helpers.run([comparison, side = *side, piece = std::move(*bytes)]() -> bool {
            comparison->add(side, piece);
            return true;
        });
    }
    if (!comparison->differs()) co_return std::optional<Difference>();
    Difference found{.what = "output", .name = std::string(name), .line = comparison->line()};
    if (const auto line = comparison->lineOf(0)) appendJsonString(found.a, *line);
    if (const auto line = comparison->lineOf(1)) appendJsonString(found.b, *line);
    co_return std::optional(std::move(found));
}

} // namespace

std::vector<AttemptRecord> attemptsOf(const ActionResult& action) {
    std::vector<AttemptRecord> attempts = action.attempts;
    const bool isUnderWay = action.state == ActionState::Submitting || action.state == ActionState::Running;
    if (!isUnderWay) return attempts;
    AttemptRecord now;
    now.n = attempts.empty() ? 1 : attempts.back().n + 1;
    now.outcome = action.outcome.value_or(AttemptOutcome{});
    now.outcome.state = action.state;
    now.outcome.reason = Reason::None;
    now.times = action.times;
    now.times[ActionState::New] = now.times[ActionState::Pending] = 0;
    attempts.push_back(std::move(now));
    return attempts;
}

coro::Task<Result<KnownRun>> knownRun(Call& call, Lsn lsn, std::uint32_t attempt) {
    auto action = co_await call.engine.ask(&engine::ActionRows::action, lsn);
    if (!action) co_return std::unexpected(action.error());
    KnownRun known{.run = {.action = std::move(*action)}};
    const std::vector<AttemptRecord> attempts = attemptsOf(known.run.action);
    const auto at = attempt == 0 && !attempts.empty() ? std::prev(attempts.end())
                                                      : std::ranges::find(attempts, attempt, &AttemptRecord::n);
    if (at != attempts.end()) known.run.attempt = *at;
    if (at == attempts.end() && attempt != 0) co_return noAttempt(lsn, attempt);
    co_await addSpec(call, known);
    co_await addWorker(call, known);
    known.run.deadline = co_await deadlineOf(call, known);
    co_return known;
}

coro::Task<Result<KnownRun>> lastGoodRun(Call& call, const KnownRun& of) {
    const ActionResult& action = of.run.action;
    if (action.state == ActionState::Completed && of.run.attempt && !action.attempts.empty() &&
        of.run.attempt->n != action.attempts.back().n)
        co_return co_await knownRun(call, action.lsn, 0);
    engine::ListQuery query;
    query.states = {ActionState::Completed};
    query.queue = call.queue;
    query.worker = action.workerName.empty() ? action.workerId : action.workerName;
    query.label = action.label;
    query.limit = kMaxPage;
    // All of it, also what this token does not see.
    const auto own = co_await call.engine.ask(&engine::ActionDetails::spec, action.lsn, true);
    int specs = 0;
    for (int looked = 0; own && looked < kMostLookedAt && specs < kMostSpecsRead;) {
        if (isLeaving(call)) co_return fail(ErrorKind::NotAccepting, kEngineIsStopping);
        const auto page = co_await call.engine.ask(&engine::Listing::list, query);
        if (!page) co_return std::unexpected(page.error());
        for (const ActionResult& other : page->jobs) {
            ++looked;
            if (other.lsn == action.lsn || other.function != action.function || other.command != action.command)
                continue;
            if (++specs > kMostSpecsRead) break;
            const auto text = co_await call.engine.ask(&engine::ActionDetails::spec, other.lsn, true);
            if (text && isSameWork(*own, *text)) co_return co_await knownRun(call, other.lsn, 0);
        }
        if (page->cursor.empty()) break;
        query.cursor = page->cursor;
    }
    co_return fail(ErrorKind::NotFound,
                   fmt::format("No other action with the work of {} has completed among the last {} of its worker: "
                               "name one with \"with\".",
                               action.lsn.value, kMostLookedAt));
}

Result<NamedRun> readNamedRun(std::string_view text) {
    const std::size_t dot = text.find('.');
    const auto lsn = numberUpTo(text.substr(0, dot), kMostLsn);
    const auto attempt = dot == std::string_view::npos ? 0 : readAttempt(text.substr(dot + 1));
    if (!lsn || !attempt)
        return invalid("with", "Give \"with\" as the number of an action, or as LSN.N of one attempt.");
    return NamedRun{.lsn = Lsn(*lsn), .attempt = *attempt};
}

std::optional<std::uint32_t> readAttempt(std::string_view digits) {
    const auto number = numberUpTo(digits, kMaxAttempt);
    return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

coro::Task<Result<std::optional<Difference>>> outputDifference(Call& call, const AttemptRecord& a,
                                                               const AttemptRecord& b) {
    for (const bool isErr : {false, true}) {
        const auto& left = isErr ? a.outcome.err : a.outcome.out;
        const auto& right = isErr ? b.outcome.err : b.outcome.out;
        if (!left || !right || left->hash == right->hash) continue;
        auto found = co_await firstDifference(call, isErr ? "stderr" : "stdout", *left, *right);
        if (!found || *found) co_return found;
    }
    co_return std::optional<Difference>();
}

} // namespace yard::http
