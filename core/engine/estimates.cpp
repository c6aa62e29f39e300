// When actions and queues are expected to start and to end, from what was seen here. Where nothing is known,
// nothing is said: an action that is held or waits for another one, a queue with nothing that may run, a machine
// that has completed nothing yet.
//
// How long one takes: the mean of its queue, else of its worker and function, else of all that completed here. How
// many run at once: what the machine has over what they take, of every resource they name; of that the part of the
// queue by weight beside the queues that are at work, at most `max_running`. What claims a lock, or a place of its
// label, cannot be there before those have ended one after the other that come first.
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

/// Of its worker and function, else of anything.
std::optional<Duration> EngineCore::usualTime(session::ClassId cls, session::LabelId label) const {
    const ClassKey& key = dictionary_.classKey(cls.value);
    const auto kind =
        estimator_.mean(Estimator::kindOf(key.workerName, key.function, dictionary_.label(label.value)));
    return kind ? kind : estimator_.meanOfAll();
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
            if (config && status && status->isAtWork) activeWeight_ += config->weight;
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
    const auto usual = usualTime(live.cls, live.label);
    if (begun == 0 || !usual) return;
    result.estimatedStart = begun;
    const WallMicros now = scale_.at(MonoClock::now());
    result.estimatedFinish = std::max(begun + usual->count(), now);
    if (result.note.empty()) result.note = leftOf(*usual, Duration(now - begun));
}

void EngineCore::estimatePending(ActionResult& result, const session::LiveView& live,
                                 const session::Waiting& waiting) const {
    const auto status = session_->queueStatus(live.queue);
    const QueueConfig* config = session_->queueConfig(live.queue);
    if (!status || !config) return;
    const bool unknowable = waiting.held || waiting.queueHeld || waiting.sessionHolds || waiting.unmet > 0 ||
                            (waiting.lock && waiting.lock->elsewhere);
    const auto usual = usualTime(live.cls, live.label);
    if (unknowable || !usual) return;
    const Duration each = status->averageRunTime > Duration::zero() ? status->averageRunTime : *usual;
    const std::int64_t before = waiting.position ? waiting.position->before : 0;
    const std::int64_t alike = waiting.position ? waiting.position->alike : 0;

    const double parallel = atOnceIn(live.queue, *config, session_->atOnce(live.cls));
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

/// Of what may run: what is held by itself does not count. Nothing when nothing may.
void EngineCore::estimateQueue(QueueView& view, const session::QueueStatus& status) const {
    const QueueConfig* config = session_->queueConfig(view.id);
    const std::int64_t pending = status.counters.pending - status.heldActions;
    const std::int64_t running = status.counters.running;
    if (!config || status.held || pending + running <= 0) return;
    const session::QueueLoad load = session_->loadOf(view.id);
    if (running == 0 && load.part == 0 && !status.isAtWork) return; // all of it waits for something else
    std::optional<Duration> each = status.averageRunTime;
    if (*each == Duration::zero()) each = load.part > 0 ? usualTime(load.cls, load.label) : estimator_.meanOfAll();
    if (!each) return;

    const double parallel = atOnceIn(view.id, *config, load.part > 0 ? 1 / load.part : coreSlots_);
    // What runs is half done on average.
    const Duration now = running > 0 ? *each / 2 : Duration::zero();
    const Duration rest =
        std::max(waitBehind(pending, parallel, *each), waitBehind(std::llround(load.chain), 1.0, *each));
    const WallMicros present = scale_.at(MonoClock::now());
    view.estimatedFinish = present + std::max((now + rest).count(), (running > 0 ? *each / 2 : *each).count());
    if (pending > 0)
        view.estimatedStart =
            present + (static_cast<double>(running) >= parallel ? waitBehind(1, parallel, *each).count() / 2 : 0);
}

} // namespace yard::engine
