#include "core/engine/reading/estimates.h"

#include "core/model/action_name.h"
#include "core/session/queue_commands.h"

#include <algorithm>

namespace yard::engine {

void Estimates::learn(std::span<const ActionResult> newestFirst) {
    YARD_ASSERT_OWNER(owner_);
    for (auto row = newestFirst.rbegin(); row != newestFirst.rend(); ++row) {
        const WallMicros begun = row->times[ActionState::Submitting];
        if (row->state != ActionState::Completed || begun == 0) continue;
        const Duration took(row->times[ActionState::Completed] - begun);
        const std::string kind = Estimator::kindOf(row->workerName, row->function, row->label);
        parts_.estimator.learn(row->queue, kind, took);
        if (Estimator::isMixed(kind)) parts_.estimator.learnCommand(row->command, took);
        parts_.session.queues().learnRunTime(row->queue, took);
    }
}

/// Of its worker and function; of a command its label, and where it has none what it runs, if that is known.
std::optional<Estimates::UsualTime> Estimates::usualTime(QueueId queue, session::ClassId cls,
                                                         session::LabelId label,
                                                         const std::function<std::string()>& command) const {
    const ClassKey& key = parts_.dictionary.classKey(cls.value);
    const std::string kind = Estimator::kindOf(key.workerName, key.function, parts_.dictionary.label(label.value));
    const bool isMixed = Estimator::isMixed(kind);
    if (const std::string name = isMixed ? command() : std::string(); !name.empty()) {
        // What other commands of its queue took says nothing of one that is known by name.
        const auto own = parts_.estimator.ofCommand(name);
        return own ? std::optional(UsualTime{*own}) : std::nullopt;
    }
    const auto usual = parts_.estimator.usual(queue, kind);
    return usual ? std::optional(UsualTime{*usual, !isMixed}) : std::nullopt;
}

/// What has not been submitted yet has no LSN.
std::string Estimates::commandOf(Lsn lsn, const Attempt* attempt) const {
    if (attempt && attempt->spec) return commandName(attempt->spec->argv);
    return lsn.value > 0 ? commands_.of(lsn) : std::string();
}

session::Outlook::Answer Estimates::runTimeOf(const session::Outlook::Question& asked, MonoTime now) const {
    const Attempt* attempt = asked.runs ? parts_.attempt(asked.lsn) : nullptr;
    const auto usual =
        usualTime(asked.queue, asked.cls, asked.label, [&] { return commandOf(asked.lsn, attempt); });
    if (!usual) return {.time = {}, .gap = EstimateGap::NoHistory};
    const WallMicros begun = attempt ? attempt->record.times[ActionState::Submitting] : 0;
    if (begun == 0) return {.time = usual->time};
    const Duration soFar(parts_.scale.at(now) - begun);
    if (!usual->isOfItsKind && isOverdue(usual->time, soFar)) return {.time = {}, .gap = EstimateGap::NoHistory};
    if (isFarOverdue(usual->time, soFar)) return {.time = {}, .gap = EstimateGap::Overdue};
    return {.time = stillTakes(usual->time, soFar), .isLate = isOverdue(usual->time, soFar)};
}

session::Outlook::Answer Estimates::left(const session::LiveView& live) const {
    return runTimeOf({.lsn = live.lsn,
                      .queue = live.queue,
                      .cls = live.cls,
                      .label = live.label,
                      .runs = live.state != ActionState::Pending},
                     parts_.now());
}

bool Estimates::isOfItsCommand(session::ClassId cls, session::LabelId label) const {
    const ClassKey& key = parts_.dictionary.classKey(cls.value);
    return Estimator::isMixed(
        Estimator::kindOf(key.workerName, key.function, parts_.dictionary.label(label.value)));
}

std::optional<Duration> Estimates::usual(QueueId queue, session::ClassId cls, session::LabelId label) const {
    const auto usual = usualTime(queue, cls, label, [] { return std::string(); });
    return usual ? std::optional(usual->time) : std::nullopt;
}

session::Outlook::Answer Estimates::ofCommand(const std::string& command) const {
    const auto own = parts_.estimator.ofCommand(command);
    return own ? session::Outlook::Answer{.time = *own}
               : session::Outlook::Answer{.time = {}, .gap = EstimateGap::NoHistory};
}

/// As it was a second ago at most, and while nothing changes; else as it is, or, where that takes long, as often as
/// it costs a fiftieth of the time.
const session::Outlook& Estimates::outlook() const {
    constexpr int kMostItems = 1'000;
    constexpr int kPart = 50;
    constexpr Duration kOld{1'000'000};
    constexpr Duration kShort{250};
    const MonoTime now = parts_.now();
    if (now < (isOutlookOfNow() ? outlook_.until : std::min(outlook_.until, outlook_.soon))) return outlook_.of;
    outlook_.revision = parts_.session.revision();
    outlook_.isStale = false;
    outlook_.of =
        session::Outlook(parts_.session.outline(kMostItems, now), now,
                         [this, now](const session::Outlook::Question& asked) { return runTimeOf(asked, now); });
    const MonoTime done = parts_.now();
    outlook_.soon = done - now < kShort ? done : done + (done - now) * kPart;
    outlook_.until = done + kOld;
    return outlook_.of;
}

bool Estimates::isOutlookOfNow() const {
    return parts_.session.revision() == outlook_.revision && !outlook_.isStale;
}

void Estimates::ofRunning(ActionResult& result, const session::LiveView& live) const {
    const WallMicros begun = result.times[ActionState::Submitting];
    if (begun == 0) return;
    const auto usual =
        usualTime(live.queue, live.cls, live.label, [&] { return commandOf(live.lsn, parts_.attempt(live.lsn)); });
    const WallMicros now = parts_.scale.at(parts_.now());
    const Duration soFar(now - begun);
    if (!usual || (!usual->isOfItsKind && isOverdue(usual->time, soFar))) {
        result.estimateGap = EstimateGap::NoHistory;
        return;
    }
    if (result.note.empty()) result.note = leftOf(usual->time, soFar);
    if (isOverdue(usual->time, soFar)) {
        result.estimateGap = EstimateGap::Overdue;
        return;
    }
    result.estimatedStart = begun;
    result.estimatedFinish = std::max(begun + usual->time.count(), now);
}

namespace {

EstimateGap whyNotToStart(const session::Waiting& waiting) {
    if (waiting.sessionHolds) return EstimateGap::Session;
    if (waiting.held || waiting.queueHeld || waiting.queueYields) return EstimateGap::Held;
    if (waiting.unmet > 0) return EstimateGap::Dependency;
    if (std::ranges::any_of(waiting.locks, &session::Waiting::Lock::elsewhere)) return EstimateGap::Lock;
    return EstimateGap::None;
}

} // namespace

void Estimates::ofPending(ActionResult& result, const session::LiveView& live,
                          const session::Waiting& waiting) const {
    result.estimateGap = whyNotToStart(waiting);
    if (result.estimateGap != EstimateGap::None) return;
    const auto usual = usualTime(live.queue, live.cls, live.label, [&] {
        return result.command.empty() ? commandOf(live.lsn, nullptr) : result.command;
    });
    if (!usual) {
        result.estimateGap = EstimateGap::NoHistory;
        return;
    }
    const session::Outlook& seen = outlook();
    const auto start = parts_.nothingStarts() ? std::nullopt : seen.startOf(live);
    if (!start) {
        // Of a queue that came after the last play nothing is known for a moment, not even why.
        const bool isKnown = parts_.nothingStarts() || seen.queue(live.queue) || isOutlookOfNow();
        result.estimateGap = isKnown ? EstimateGap::WaitsForUnknown : EstimateGap::None;
        return;
    }
    result.estimatedStart = parts_.scale.at(std::max({*start, parts_.now(), waiting.wakesAt}));
    result.estimatedFinish = result.estimatedStart + usual->time.count();
}

void Estimates::ofQueue(QueueView& view, const session::QueueStatus& status) const {
    if (status.counters.active() <= 0 || status.state == QueueState::Cancelled) return;
    const SessionState state = parts_.session.state();
    if (status.counters.pending > 0 && state != SessionState::Ready && state != SessionState::Draining) {
        view.estimateGap = EstimateGap::Session;
        return;
    }
    const session::Outlook::OfQueue* of = outlook().queue(view.id);
    const bool isHeldBack = status.counters.pending > 0 && parts_.nothingStarts();
    if (!of || isHeldBack) {
        view.estimateGap = isHeldBack || isOutlookOfNow() ? EstimateGap::WaitsForUnknown : EstimateGap::None;
        return;
    }
    view.estimateGap = of->gap;
    if (of->gap != EstimateGap::None || !of->finish) return;
    const MonoTime now = parts_.now();
    view.estimatedFinish = parts_.scale.at(std::max(*of->finish, now));
    if (of->start && status.counters.pending > 0) view.estimatedStart = parts_.scale.at(std::max(*of->start, now));
}

} // namespace yard::engine
