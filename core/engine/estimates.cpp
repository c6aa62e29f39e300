// When actions and queues are expected to start and to end, from what was seen here. Where something that has to
// end first has no end that is known, nothing is said but why: EstimateGap.
//
// How long one takes: the mean of its queue, else of its worker and function (of a command, of its label). How many
// run at once: what the machine has, less what runs without a known end, over what they take of every resource they
// name; of that the part of the queue by weight beside the queues that are at work, at most `max_running`. What
// claims a lock, or a place of its label, cannot be there before those have ended one after the other that come
// first.
#include "core/engine/engine_core.h"

#include "core/base/log.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace yard::engine {

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
        const Duration took(row->times[ActionState::Completed] - begun);
        estimator_.learn(Estimator::kindOf(row->workerName, row->function, row->label), took);
        session_->learnRunTime(row->queue, took);
    }
}

/// Of its worker and function; of a command its label.
std::optional<Duration> EngineCore::usualTime(session::ClassId cls, session::LabelId label) const {
    const ClassKey& key = dictionary_.classKey(cls.value);
    return estimator_.mean(Estimator::kindOf(key.workerName, key.function, dictionary_.label(label.value)));
}

/// What runs now and has no end that is known: by resource, and in which queues. Looked at once a second at most.
const EngineCore::WithoutEnd& EngineCore::withoutEnd() const {
    const MonoTime now = MonoClock::now();
    if (now < withoutEnd_.until) return withoutEnd_;
    withoutEnd_ = {.until = now + Duration(1'000'000), .taken = {}, .queues = {}};
    for (const Lsn lsn : session_->runningActions()) {
        const auto live = session_->live(lsn);
        const Attempt* attempt = live ? dispatcher_->find(lsn) : nullptr;
        if (!attempt) continue;
        const WallMicros begun = attempt->record.times[ActionState::Submitting];
        const auto usual = usualTime(live->cls, live->label);
        if (usual && (begun == 0 || !isOverdue(*usual, Duration(scale_.at(now) - begun)))) continue;
        withoutEnd_.queues.insert(live->queue);
        if (attempt->warm) continue; // its process has the resources, for others too
        for (const session::ResourceNeed& need : session_->needs(live->cls))
            withoutEnd_.taken[need.resource] += need.need;
    }
    return withoutEnd_;
}

/// So many of them can run beside what has no end that is known.
double EngineCore::atOnceBesideThose(session::ClassId cls) const {
    double most = session_->atOnce(cls);
    const auto& taken = withoutEnd().taken;
    if (taken.empty()) return most;
    for (const session::ResourceNeed& need : session_->needs(cls))
        if (const auto at = taken.find(need.resource); at != taken.end() && need.need > 0)
            most = std::min(most, (need.total - at->second) / need.need);
    return most;
}

/// The part of the machine that this queue has while others are at work.
double EngineCore::shareOf(QueueId id) const {
    const MonoTime now = MonoClock::now();
    if (now >= weightsUntil_) {
        weightsUntil_ = now + Duration(1'000'000);
        activeWeight_ = 0;
        for (const QueueEntry* entry : queues_.all()) {
            const auto status = session_->queueStatus(entry->id);
            const QueueConfig* config = session_->queueConfig(entry->id);
            if (!config || !status || !status->isAtWork) continue;
            // What has no end is taken off the machine already, and nothing else of that queue wants a share.
            if (status->waitsInLine || !withoutEnd().queues.contains(entry->id)) activeWeight_ += config->weight;
        }
    }
    const QueueConfig* config = session_->queueConfig(id);
    return config && activeWeight_ > config->weight ? config->weight / activeWeight_ : 1;
}

/// Of so many that the machine could run.
double EngineCore::atOnceIn(QueueId id, const QueueConfig& config, double possible) const {
    const double share = possible * shareOf(id);
    return config.maxRunning > 0 ? std::min(share, static_cast<double>(config.maxRunning)) : share;
}

void EngineCore::estimateRunning(ActionResult& result, const session::LiveView& live) const {
    const WallMicros begun = result.times[ActionState::Submitting];
    if (begun == 0) return;
    const auto usual = usualTime(live.cls, live.label);
    const WallMicros now = scale_.at(MonoClock::now());
    if (!usual) {
        result.estimateGap = EstimateGap::NoHistory;
        return;
    }
    if (result.note.empty()) result.note = leftOf(*usual, Duration(now - begun));
    if (isOverdue(*usual, Duration(now - begun))) {
        result.estimateGap = EstimateGap::Overdue;
        return;
    }
    result.estimatedStart = begun;
    result.estimatedFinish = std::max(begun + usual->count(), now);
}

namespace {

EstimateGap whyNotToStart(const session::Waiting& waiting) {
    if (waiting.sessionHolds) return EstimateGap::Session;
    if (waiting.held || waiting.queueHeld) return EstimateGap::Held;
    if (waiting.unmet > 0) return EstimateGap::Dependency;
    if (waiting.lock && waiting.lock->elsewhere) return EstimateGap::Lock;
    return EstimateGap::None;
}

} // namespace

void EngineCore::estimatePending(ActionResult& result, const session::LiveView& live,
                                 const session::Waiting& waiting) const {
    const auto status = session_->queueStatus(live.queue);
    const QueueConfig* config = session_->queueConfig(live.queue);
    if (!status || !config) return;
    result.estimateGap = whyNotToStart(waiting);
    if (result.estimateGap != EstimateGap::None) return;
    const auto usual = usualTime(live.cls, live.label);
    const std::int64_t before = waiting.position ? waiting.position->before : 0;
    const std::int64_t alike = waiting.position ? waiting.position->alike : 0;
    const double possible = atOnceBesideThose(live.cls);
    const bool isBehindUnknown = before > alike && status->averageRunTime == Duration::zero();
    if (!usual)
        result.estimateGap = EstimateGap::NoHistory;
    else if (possible < 1 || isBehindUnknown)
        result.estimateGap = EstimateGap::WaitsForUnknown;
    if (result.estimateGap != EstimateGap::None) return;
    const Duration each = status->averageRunTime > Duration::zero() ? status->averageRunTime : *usual;

    const double parallel = atOnceIn(live.queue, *config, possible);
    Duration wait = waitBehind(before, parallel, each);
    // Those that come first and need the same lock go one by one; who has it now is half through on average.
    if (!dictionary_.classKey(live.cls.value).locks.empty())
        wait = std::max(wait, waitBehind(alike, 1, *usual) + (waiting.lock ? *usual / 2 : Duration::zero()));
    if (waiting.labelLimit)
        wait = std::max(wait, waitBehind(std::max<std::int64_t>(waiting.labelLimit->parked, 1),
                                         waiting.labelLimit->most, *usual));
    const MonoTime start = std::max(MonoClock::now() + wait, waiting.wakesAt);
    result.estimatedStart = scale_.at(start);
    result.estimatedFinish = result.estimatedStart + usual->count();
}

namespace {

/// Of one of those of a queue that wait in line; where none does, because a label has no place, of one that runs.
std::optional<Duration> usualTimeIn(const session::Session& session, QueueId queue, const session::QueueLoad& load,
                                    const auto& usualTime) {
    if (load.part > 0) return usualTime(load.cls, load.label);
    for (const Lsn lsn : session.runningActions())
        if (const auto live = session.live(lsn); live && live->queue == queue)
            return usualTime(live->cls, live->label);
    return std::nullopt;
}

} // namespace

/// What stands against an estimate of a queue that has something to do.
EstimateGap EngineCore::gapOf(const QueueView& view, const session::QueueStatus& status,
                              const session::QueueLoad& load) const {
    const std::int64_t running = status.counters.running;
    if (status.held || status.counters.pending - status.heldActions + running <= 0) return EstimateGap::Held;
    if (running == 0 && load.part == 0 && !status.isAtWork) return EstimateGap::Dependency;
    if (withoutEnd().queues.contains(view.id)) return EstimateGap::WaitsForUnknown;
    const auto usual = [this](session::ClassId cls, session::LabelId label) { return usualTime(cls, label); };
    if (status.averageRunTime == Duration::zero() && !usualTimeIn(*session_, view.id, load, usual))
        return EstimateGap::NoHistory;
    return load.part > 0 && atOnceBesideThose(load.cls) < 1 ? EstimateGap::WaitsForUnknown : EstimateGap::None;
}

/// Of what may run: what is held by itself does not count.
void EngineCore::estimateQueue(QueueView& view, const session::QueueStatus& status) const {
    const QueueConfig* config = session_->queueConfig(view.id);
    if (!config || status.counters.active() <= 0) return;
    const session::QueueLoad load = session_->loadOf(view.id);
    view.estimateGap = gapOf(view, status, load);
    if (view.estimateGap != EstimateGap::None) return;
    const std::int64_t pending = status.counters.pending - status.heldActions;
    const std::int64_t running = status.counters.running;
    Duration each = status.averageRunTime;
    const auto usual = [this](session::ClassId cls, session::LabelId label) { return usualTime(cls, label); };
    if (each == Duration::zero()) each = *usualTimeIn(*session_, view.id, load, usual);

    const double possible = load.part > 0 ? std::min(1 / load.part, atOnceBesideThose(load.cls)) : coreSlots_;
    const double parallel = atOnceIn(view.id, *config, possible);
    // What runs is half done on average.
    const Duration now = running > 0 ? each / 2 : Duration::zero();
    const Duration rest =
        std::max(waitBehind(pending, parallel, each), waitBehind(std::llround(load.chain), 1.0, each));
    const WallMicros present = scale_.at(MonoClock::now());
    view.estimatedFinish = present + std::max((now + rest).count(), (running > 0 ? each / 2 : each).count());
    if (pending > 0)
        view.estimatedStart =
            present + (static_cast<double>(running) >= parallel ? waitBehind(1, parallel, each).count() / 2 : 0);
}

} // namespace yard::engine
