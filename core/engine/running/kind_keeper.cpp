#include "core/engine/running/kind_keeper.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/kinds/kind_name.h"
#include "core/model/failure_line.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

namespace yard::engine {

namespace {

using kinds::Kind;
using kinds::Quantity;

/// Not for anything hostile: who makes two works alike on purpose spoils the figures of his own kind.
class WorkHash {
public:
    void add(std::string_view text) { add(std::hash<std::string_view>{}(text)); }
    void add(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x9e37'79b9'7f4a'7c15ull + (hash_ >> 29); }
    std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0x2545'f491'4f6c'dd1dull;
};

/// The same for the same work: what runs, on what; not when, where or how often.
std::uint64_t workOf(const ActionSpec& spec, const ClassKey& key) {
    WorkHash hash;
    hash.add(key.workerId);
    hash.add(spec.function);
    hash.add(spec.args);
    for (const auto& [path, chunk] : spec.inputs) {
        hash.add(path);
        hash.add(std::hash<Hash256>{}(chunk));
    }
    for (const std::string& word : spec.argv) hash.add(word);
    hash.add(spec.cwd ? *spec.cwd : std::string_view());
    for (const auto& [name, value] : spec.env) {
        hash.add(name);
        hash.add(value);
    }
    if (spec.stdinSource) {
        hash.add(spec.stdinSource->text);
        if (spec.stdinSource->chunk) hash.add(std::hash<Hash256>{}(*spec.stdinSource->chunk));
    }
    return hash.value();
}

std::optional<double> secondsBetween(WallMicros from, WallMicros to) {
    if (from == 0 || to == 0 || to < from) return std::nullopt;
    return inSeconds(Duration(to - from));
}

KindFigures shown(const kinds::Figures& figures) {
    KindFigures view{.runs = figures.runs, .failed = figures.failed, .reasons = figures.reasons};
    for (std::size_t i = 0; i < kinds::kQuantities; ++i) {
        const kinds::Sketch& sketch = figures.sketches[i];
        if (sketch.count() == 0) continue;
        const auto at = [&](double q) { return sketch.quantile(q).value_or(0); };
        view.quantiles[i] = {.p50 = at(0.5), .p90 = at(0.9), .p95 = at(0.95), .p99 = at(0.99)};
    }
    return view;
}

KindRow rowOf(const Kind& kind, WallMicros since) {
    KindRow row{.kind = kind.name(),
                .figures = shown(since > 0 ? kind.since(since) : kind.total()),
                .last = kind.last(),
                .versions = {},
                .flaky = {},
                .mixed = kind.mixedWorks(),
                .regression = kind.regression(),
                .estimate = kind.estimate(Quantity::Duration),
                .learnedMemory = kind.learnedMemory(),
                .askedMemory = kind.askedMemory()};
    for (const kinds::NamedFigures& version : kind.versions()) row.versions.push_back(version.name);
    if (row.mixed > 0) row.flaky = kind.flakiness();
    return row;
}

double keyOf(const Kind& kind, KindOrder order) {
    switch (order) {
    case KindOrder::Last: return static_cast<double>(kind.last());
    case KindOrder::Runs: return static_cast<double>(kind.total().runs);
    case KindOrder::Failed: return static_cast<double>(kind.total().failed);
    case KindOrder::Duration: return kind.total()[Quantity::Duration].quantile(0.5).value_or(-1);
    case KindOrder::Memory: return kind.total()[Quantity::Memory].quantile(0.5).value_or(-1);
    case KindOrder::Name: break;
    }
    return 0;
}

} // namespace

// --- what comes in

void KindKeeper::restore(std::span<const store::DocumentRow> documents) {
    std::size_t damaged = 0;
    std::vector<std::string> withoutRoom;
    for (const store::DocumentRow& row : documents) {
        if (row.kind != kDocumentKind) continue;
        const auto loaded = table_.load(row.name, row.body);
        if (!loaded)
            ++damaged;
        else if (!*loaded)
            withoutRoom.push_back(row.name);
    }
    table_.sortBySeen();
    table_.putBack(withoutRoom, 0);
    if (damaged > 0)
        logWarning("engine", "the figures of {} kinds of work are damaged; they are counted again", damaged);
}

std::optional<std::int64_t> KindKeeper::learnedMemory(const ActionSpec& spec, std::string_view worker) const {
    YARD_ASSERT_OWNER(owner_);
    const Kind* kind = table_.find(kinds::kindName(spec, worker));
    const auto bytes = kind ? kind->learnedMemory() : std::nullopt;
    if (!bytes) return std::nullopt;
    constexpr double kMebibyte = 1 << 20;
    constexpr double kMost = 1e9;
    constexpr std::uint64_t kSteps = 16;
    const auto exact = static_cast<std::uint64_t>(std::ceil(std::clamp(*bytes / kMebibyte, 1.0, kMost)));
    const std::uint64_t step = std::max<std::uint64_t>(1, std::bit_floor(exact) / kSteps);
    return static_cast<std::int64_t>((exact + step - 1) / step * step);
}

void KindKeeper::note(const Attempt& attempt, const AttemptRecord& record, const session::LiveView& live) {
    YARD_ASSERT_OWNER(owner_);
    const AttemptOutcome& outcome = record.outcome;
    const Timestamps& times = record.times;
    const bool completed = outcome.state == ActionState::Completed;
    if (!attempt.spec || times[ActionState::Running] == 0) return;
    if (!completed && outcome.state != ActionState::Failed) return;
    const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
    const std::string kind = kinds::kindName(*attempt.spec, key.workerName);
    const std::string machine = parts_.machineName(attempt.machine);
    kinds::Run run{.kind = kind, .version = key.workerVersion, .machine = machine};
    run.end = times[outcome.state];
    run.lsn = attempt.id.lsn;
    run.reason = completed ? Reason::None : outcome.reason;
    run.duration = secondsBetween(times[ActionState::Running], times.exited ? times.exited : run.end);
    if (run.duration) *run.duration = std::max(0.0, *run.duration - inSeconds(Duration(times.frozen)));
    if (const auto cpu = outcome.measures[Measure::CpuTime]) run.cpu = inSeconds(Duration(*cpu));
    if (const auto peak = outcome.measures[Measure::PeakMemory]) run.memory = static_cast<double>(*peak);
    if (attempt.id.attempt == 1) run.wait = secondsBetween(live.submitTime, times[ActionState::Submitting]);
    if (attempt.isTakenOver) run.duration = run.wait = {}; // it began before anybody here looked
    std::uint64_t output = 0;
    for (const NamedChunk& chunk : outcome.outputs) output += chunk.chunk.size;
    run.output = static_cast<double>(output);
    constexpr double kMebibyte = 1 << 20;
    if (parts_.suggests && key.resources.memoryMb > 0 && parts_.suggests(live.queue))
        run.asked = static_cast<double>(key.resources.memoryMb) * kMebibyte;
    run.work = workOf(*attempt.spec, key);
    run.failedBefore = static_cast<std::uint32_t>(std::max(0, live.retries.ownFailures));
    const std::string line = completed ? std::string() : maskedLine(outcome.note).line;
    run.line = line;
    table_.add(run);
    work_.set();
}

coro::Task<void> KindKeeper::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        co_await work_.wait();
        work_.clear();
        while (!table_.isSettled()) {
            co_await coro::sleepFor(kPeriod);
            (void)table_.look(kLooks, [this](const Kind& kind) { tellChange(kind); });
            (void)co_await write(table_.takeChanged(parts_.now(), kWritten));
            if (table_.dropped() > 0 && !std::exchange(toldDropped_, true))
                logWarning("engine",
                           "there are more than {} kinds of work; the ones longest unseen are forgotten, \"{}\" "
                           "among them. A label for what is alike makes it one kind.",
                           kinds::KindTable::kMaxKinds, table_.lastDropped());
        }
    }
}

void KindKeeper::tellChange(const Kind& kind) const {
    if (kind.changes().empty() || !kind.changes().back().isRegression() || !parts_.regressed) return;
    parts_.regressed(kind.name(), kind.changes().back());
}

coro::Task<void> KindKeeper::save() {
    for (;;) {
        auto documents = table_.takeChanged(parts_.now(), kWrittenAtEnd, true);
        if (documents.empty()) co_return;
        // What was put back would come again at once, and without end.
        if (!co_await write(std::move(documents))) co_return;
    }
}

coro::Task<bool> KindKeeper::write(std::vector<kinds::KindDocument> documents) {
    if (documents.empty()) co_return true;
    store::PutDocuments put;
    put.changes.reserve(documents.size());
    std::vector<std::string> names;
    names.reserve(documents.size());
    for (kinds::KindDocument& document : documents) {
        names.push_back(document.name);
        put.changes.push_back(
            {.kind = std::string(kDocumentKind),
             .name = std::move(document.name),
             .body = document.body.empty() ? std::nullopt : std::optional(std::move(document.body))});
    }
    const store::AckDetail done = co_await parts_.commit(std::move(put));
    if (!done.error) {
        toldUnwritten_ = false;
        co_return true;
    }
    table_.putBack(names, parts_.now());
    if (!std::exchange(toldUnwritten_, true))
        logWarning("engine", "what is known of kinds of work cannot be written: {}", done.error->message);
    co_return false;
}

// --- what is asked

Result<const Kind*> KindKeeper::find(const std::string& kind) const {
    if (const Kind* found = table_.find(kind)) return found;
    return fail(ErrorKind::NotFound, "No such kind of work is known; GET kinds lists those that are.");
}

KindKeeper::Page KindKeeper::pageOf(const KindQuery& query) const {
    std::vector<std::pair<double, const Kind*>> all;
    table_.each([&](const Kind& kind) {
        if (kind.last() >= query.since) all.emplace_back(keyOf(kind, query.order), &kind);
    });
    const auto isBefore = [&](const auto& a, const auto& b) {
        if (query.order == KindOrder::Name)
            return query.descending ? b.second->name() < a.second->name() : a.second->name() < b.second->name();
        if (a.first != b.first) return query.descending ? b.first < a.first : a.first < b.first;
        return a.second->name() < b.second->name();
    };
    const std::size_t begin = std::min(query.from, all.size());
    const std::size_t end = begin + std::min(query.limit, all.size() - begin);
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(end), isBefore);
    Page page{.names = {}, .next = end < all.size() ? end : 0};
    page.names.reserve(end - begin);
    for (const auto& [key, kind] : std::span(all).subspan(begin, end - begin)) page.names.push_back(kind->name());
    return page;
}

coro::Task<Result<KindList>> KindKeeper::list(KindQuery query) {
    YARD_ASSERT_OWNER(owner_);
    const Page page = pageOf(query);
    KindList view{.kinds = {}, .next = page.next, .dropped = table_.dropped(), .lastDropped = table_.lastDropped()};
    for (std::size_t i = 0; i < page.names.size(); ++i) {
        if (i > 0 && i % kShown == 0) co_await coro::yieldNow();
        // By name: a pointer would not outlast the turn of others.
        if (const Kind* kind = table_.find(page.names[i])) view.kinds.push_back(rowOf(*kind, query.since));
    }
    co_return view;
}

coro::Task<Result<KindDetail>> KindKeeper::show(std::string kind) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = find(kind);
    if (!found) co_return std::unexpected(found.error());
    const Kind& of = **found;
    KindDetail view{.row = rowOf(of, 0), .versions = {}, .machines = {}, .days = {}, .weeks = {}};
    const auto named = [](const std::vector<kinds::NamedFigures>& from, std::vector<KindDetail::Part>& to) {
        for (const auto& one : from) to.push_back({.name = one.name, .start = 0, .figures = shown(one.figures)});
    };
    const auto periods = [](const std::vector<kinds::PeriodFigures>& from, std::vector<KindDetail::Part>& to) {
        for (const auto& one : from) to.push_back({.name = {}, .start = one.start, .figures = shown(one.figures)});
    };
    named(of.versions(), view.versions);
    named(of.machines(), view.machines);
    periods(of.days(), view.days);
    periods(of.weeks(), view.weeks);
    co_return view;
}

coro::Task<Result<KindFlakiness>> KindKeeper::flaky(std::string kind) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = find(kind);
    if (!found) co_return std::unexpected(found.error());
    KindFlakiness view;
    std::ranges::copy_if((*found)->works(), std::back_inserter(view.inputs), &kinds::Work::isMixed);
    std::ranges::sort(view.inputs, std::ranges::greater{},
                      [](const kinds::Work& work) { return std::pair(work.failed, work.key); });
    view.lines = (*found)->lines();
    std::ranges::sort(view.lines, [](const kinds::FailureLine& a, const kinds::FailureLine& b) {
        return std::tie(b.count, a.line) < std::tie(a.count, b.line);
    });
    co_return view;
}

coro::Task<Result<RegressionList>> KindKeeper::regressions() {
    YARD_ASSERT_OWNER(owner_);
    std::vector<std::pair<const Kind*, const kinds::Change*>> all;
    table_.each([&](const Kind& kind) {
        for (const kinds::Change& change : kind.changes())
            if (change.isRegression()) all.emplace_back(&kind, &change);
    });
    const auto isBefore = [](const auto& a, const auto& b) {
        return std::tie(b.second->t, a.first->name()) < std::tie(a.second->t, b.first->name());
    };
    const std::size_t shown = std::min(all.size(), kMostRegressionsShown);
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(shown), isBefore);
    RegressionList view;
    view.reserve(shown);
    for (const auto& [kind, change] : std::span(all).first(shown))
        view.push_back({.kind = kind->name(), .change = *change});
    co_return view;
}

} // namespace yard::engine
