// When actions and queues are expected to start and to end, from what was seen here. Where something that has to
// end first has no end that is known, nothing is said but why: EstimateGap.
//
// How long one takes: the mean of its worker and function (of a command, of its label) in its queue, else anywhere.
// What comes when: what there is to do, played by the scheduler itself in virtual time (core/session/outlook.h).
// What runs without a known end never gives its resources back in that play.
#include "core/engine/engine_core.h"

#include "core/base/log.h"

#include <algorithm>
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
        estimator_.learn(row->queue, Estimator::kindOf(row->workerName, row->function, row->label), took);
        session_->learnRunTime(row->queue, took);
    }
}

/// Of its worker and function; of a command its label.
std::optional<Duration> EngineCore::usualTime(QueueId queue, session::ClassId cls, session::LabelId label) const {
    const ClassKey& key = dictionary_.classKey(cls.value);
    return estimator_.usual(queue, Estimator::kindOf(key.workerName, key.function, dictionary_.label(label.value)));
}

session::Outlook::Answer EngineCore::runTimeOf(const session::Outlook::Question& asked, MonoTime now) const {
    const auto usual = usualTime(asked.queue, asked.cls, asked.label);
    if (!usual) return {.time = {}, .gap = EstimateGap::NoHistory};
    const Attempt* attempt = asked.runs ? dispatcher_->find(asked.lsn) : nullptr;
    const WallMicros begun = attempt ? attempt->record.times[ActionState::Submitting] : 0;
    if (begun == 0) return {.time = *usual};
    const Duration soFar(scale_.at(now) - begun);
    if (isFarOverdue(*usual, soFar)) return {.time = {}, .gap = EstimateGap::Overdue};
    return {.time = stillTakes(*usual, soFar), .isLate = isOverdue(*usual, soFar)};
}

/// As it was a second ago at most, and while nothing changes; else as it is, or, where that takes long, as often as
/// it costs a fiftieth of the time.
const session::Outlook& EngineCore::outlook() const {
    constexpr int kMostItems = 1'000;
    constexpr int kPart = 50;
    constexpr Duration kOld{1'000'000};
    constexpr Duration kShort{250};
    const MonoTime now = MonoClock::now();
    if (now < (isOutlookOfNow() ? outlook_.until : std::min(outlook_.until, outlook_.soon))) return outlook_.of;
    outlook_.revision = session_->revision();
    outlook_.of =
        session::Outlook(session_->outline(kMostItems), now,
                         [this, now](const session::Outlook::Question& asked) { return runTimeOf(asked, now); });
    const MonoTime done = MonoClock::now();
    outlook_.soon = done - now < kShort ? done : done + (done - now) * kPart;
    outlook_.until = done + kOld;
    return outlook_.of;
}

bool EngineCore::isOutlookOfNow() const {
    return session_->revision() == outlook_.revision;
}

void EngineCore::estimateRunning(ActionResult& result, const session::LiveView& live) const {
    const WallMicros begun = result.times[ActionState::Submitting];
    if (begun == 0) return;
    const auto usual = usualTime(live.queue, live.cls, live.label);
    const WallMicros now = scale_.at(MonoClock::now());
    if (!usual) {
        result.estimateGap = EstimateGap::NoHistory;
        return;
    }
    const Duration soFar(now - begun);
    if (result.note.empty()) result.note = leftOf(*usual, soFar);
    if (isOverdue(*usual, soFar)) {
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
    result.estimateGap = whyNotToStart(waiting);
    if (result.estimateGap != EstimateGap::None) return;
    const auto usual = usualTime(live.queue, live.cls, live.label);
    if (!usual) {
        result.estimateGap = EstimateGap::NoHistory;
        return;
    }
    const session::Outlook& seen = outlook();
    const auto start = guards_->isHolding() ? std::nullopt : seen.startOf(live);
    if (!start) {
        // Of a queue that came after the last play nothing is known for a moment, not even why.
        const bool isKnown = guards_->isHolding() || seen.queue(live.queue) || isOutlookOfNow();
        result.estimateGap = isKnown ? EstimateGap::WaitsForUnknown : EstimateGap::None;
        return;
    }
    result.estimatedStart = scale_.at(std::max({*start, MonoClock::now(), waiting.wakesAt}));
    result.estimatedFinish = result.estimatedStart + usual->count();
}

void EngineCore::estimateQueue(QueueView& view, const session::QueueStatus& status) const {
    if (status.counters.active() <= 0 || status.state == QueueState::Cancelled) return;
    const SessionState state = session_->state();
    if (status.counters.pending > 0 && state != SessionState::Ready && state != SessionState::Draining) {
        view.estimateGap = EstimateGap::Session;
        return;
    }
    const session::Outlook::OfQueue* of = outlook().queue(view.id);
    const bool isHeldBack = status.counters.pending > 0 && guards_->isHolding();
    if (!of || isHeldBack) {
        view.estimateGap = isHeldBack || isOutlookOfNow() ? EstimateGap::WaitsForUnknown : EstimateGap::None;
        return;
    }
    view.estimateGap = of->gap;
    if (of->gap != EstimateGap::None || !of->finish) return;
    const MonoTime now = MonoClock::now();
    view.estimatedFinish = scale_.at(std::max(*of->finish, now));
    if (of->start && status.counters.pending > 0) view.estimatedStart = scale_.at(std::max(*of->start, now));
}

} // namespace yard::engine
