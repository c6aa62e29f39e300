// What looks after running actions: the memory guard, and whether they get on. Both wait while nothing runs.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/engine/progress.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr Duration kMemoryPeriod{1'000'000};
constexpr Duration kShortestLook{250'000};
constexpr Duration kLongestLook{60'000'000};

} // namespace

// --- memory

coro::Task<void> EngineCore::guardMemory() {
    for (;;) {
        const bool anything =
            dispatcher_->inFlight() > 0 || (guard_.isHolding() && session_->counts().all.pending > 0);
        if (!anything) {
            setHolding([this] { guard_.forget(); });
            memoryWork_.clear();
            co_await memoryWork_.wait();
        }
        co_await coro::sleepFor(kMemoryPeriod);
        const auto reading =
            co_await helpers_->run([read = options_.readMemory] { return read ? read() : readMemory(); });
        if (!reading) continue; // no such thing here
        bool stop = false;
        setHolding([&] { stop = guard_.observe(*reading, settings_, MonoClock::now()); });
        if (stop) stopForMemory();
    }
}

/// Tells of it when `change` makes the guard hold, or let go.
void EngineCore::setHolding(const std::function<void()>& change) {
    const bool before = guard_.isHolding();
    change();
    if (guard_.isHolding() == before) return;
    if (guard_.isHolding()) {
        logWarning("guard", "nothing starts: {}", guard_.reason());
        session_->takeBackAhead(outbox_);
    } else {
        logInfo("guard", "starting goes on");
    }
    noteChange(ChangeEntry::Kind::Session);
    wake();
}

void EngineCore::stopForMemory() {
    const auto newest = dispatcher_->newestRunning();
    if (!newest) return;
    ++counters_.stoppedForMemory;
    logWarning("guard", "action {} is stopped: {:.0f} % of the {} is in use", newest->lsn.value,
               guard_.usedPercent(), guard_.whose());
    dispatcher_->stopForMemory(
        *newest, fmt::format("stopped when {:.0f} % of the {} was in use", guard_.usedPercent(), guard_.whose()));
    noteChange(ChangeEntry::Kind::Session);
}

// --- progress

coro::Task<void> EngineCore::watchProgress() {
    for (;;) {
        progressWork_.clear();
        const Duration limit = settings_.hung;
        if (limit == Duration::zero() || dispatcher_->inFlight() == 0) {
            co_await progressWork_.wait();
            continue;
        }
        co_await coro::sleepFor(std::clamp(limit / 4, kShortestLook, kLongestLook));
        const std::vector<int> leaders = dispatcher_->runningSince(MonoClock::now() - limit / 4);
        if (leaders.empty()) continue;
        const auto times = co_await helpers_->run([leaders] { return processorTimes(leaders); });
        for (const Lsn lsn : dispatcher_->noteProgress(times, MonoClock::now(), limit)) noteRow(lsn);
    }
}

// --- estimates

/// From what finished last: the newest counts most, so it comes last.
coro::Task<void> EngineCore::learnFromHistory() {
    constexpr int kRows = 1'000;
    auto rows = co_await read([](store::Reader& reader) { return reader.history(kRows); });
    if (!rows) {
        logDebug("engine", "what finished last cannot be read: {}", rows.error().message);
        co_return;
    }
    for (auto row = rows->rbegin(); row != rows->rend(); ++row) {
        const WallMicros begun = row->times[ActionState::Submitting];
        if (row->state != ActionState::Completed || begun == 0) continue;
        estimator_.learn(Estimator::kindOf(row->workerName, row->function, row->label),
                         Duration(row->times[ActionState::Completed] - begun));
    }
}

std::optional<Duration> EngineCore::usualTime(session::ClassId cls, session::LabelId label) const {
    const ClassKey& key = dictionary_.classKey(cls.value);
    return estimator_.mean(Estimator::kindOf(key.workerName, key.function, dictionary_.label(label.value)));
}

/// How many actions of this queue run at once when it and the others have enough: its part of the slots by weight.
double EngineCore::parallelOf(QueueId id) const {
    const MonoTime now = MonoClock::now();
    if (now >= weightsUntil_) {
        weightsUntil_ = now + Duration(1'000'000);
        activeWeight_ = 0;
        for (const QueueEntry* entry : queues_.all()) {
            const auto status = session_->queueStatus(entry->id);
            const QueueConfig* config = session_->queueConfig(entry->id);
            if (config && status && status->counters.active() > 0 && !status->held) activeWeight_ += config->weight;
        }
    }
    const QueueConfig* config = session_->queueConfig(id);
    if (!config) return 1;
    double parallel = coreSlots_;
    if (activeWeight_ > config->weight) parallel *= config->weight / activeWeight_;
    if (config->maxRunning > 0) parallel = std::min(parallel, static_cast<double>(config->maxRunning));
    return parallel;
}

void EngineCore::estimateRunning(ActionResult& result, const session::LiveView& live) const {
    const WallMicros begun = result.times[ActionState::Submitting];
    const auto usual = usualTime(live.cls, live.label);
    if (begun == 0 || !usual) return;
    result.estimatedStart = begun;
    const WallMicros now = scale_.at(MonoClock::now());
    result.estimatedFinish = std::max(begun + usual->count(), now);
    if (result.note.empty())
        result.note =
            result.estimatedFinish > now
                ? fmt::format("about {} left", roughly(Duration(result.estimatedFinish - now)))
                : fmt::format("usually takes {}, now {}", roughly(*usual), roughly(Duration(now - begun)));
}

void EngineCore::estimatePending(ActionResult& result, const session::LiveView& live,
                                 const session::Waiting& waiting) const {
    const auto status = session_->queueStatus(live.queue);
    if (!status) return;
    const bool unknowable = waiting.held || waiting.queueHeld || waiting.sessionHolds || waiting.unmet > 0;
    const auto usual = usualTime(live.cls, live.label);
    const Duration each =
        status->averageRunTime > Duration::zero() ? status->averageRunTime : usual.value_or(Duration::zero());
    if (unknowable || each == Duration::zero()) return;
    const std::int64_t before = waiting.position ? waiting.position->before : 0;
    const MonoTime now = MonoClock::now();
    const MonoTime start = std::max(now + waitBehind(before, parallelOf(live.queue), each), waiting.wakesAt);
    result.estimatedStart = scale_.at(start);
    result.estimatedFinish = result.estimatedStart + usual.value_or(each).count();
}

void EngineCore::estimateQueue(QueueView& view, const session::QueueStatus& status) const {
    if (status.held || status.counters.active() == 0 || status.averageRunTime == Duration::zero()) return;
    const WallMicros now = scale_.at(MonoClock::now());
    const double parallel = parallelOf(view.id);
    // What runs is half done on average.
    const Duration rest = waitBehind(status.counters.pending, parallel, status.averageRunTime) +
                          (status.counters.running > 0 ? status.averageRunTime / 2 : status.averageRunTime);
    view.estimatedFinish = now + rest.count();
    if (status.counters.pending > 0 && static_cast<double>(status.counters.running) >= parallel)
        view.estimatedStart = now + waitBehind(1, parallel, status.averageRunTime).count() / 2;
    else if (status.counters.pending > 0)
        view.estimatedStart = now;
}

} // namespace yard::engine
