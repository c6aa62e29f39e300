#include "core/engine/state/queues.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/json/utf8.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr std::size_t kTokenBytes = 12; ///< 24 hex digits

std::string describe(const QueueRef& ref) {
    return ref.number ? fmt::format("{}", ref.number->value) : ref.token;
}

std::unexpected<Error> deletedMeanwhile(QueueId id) {
    return fail(ErrorKind::NotFound, fmt::format("Queue {} was deleted meanwhile: make another one.", id.value));
}

} // namespace

void Queues::restore(const std::vector<store::QueueRow>& rows, std::int64_t lastNumber) {
    YARD_ASSERT_OWNER(owner_);
    book_.numbersUsedUpTo(lastNumber);
    for (const store::QueueRow& row : rows) {
        QueueConfig config;
        if (!row.config.empty()) {
            auto parsed = applyQueueConfig(config, row.config);
            if (parsed)
                config = *parsed;
            else
                logWarning("engine", "queue {}: {}; the defaults hold", row.id.value, parsed.error().message);
        }
        parts_.session.queues().add(row.id, config, row.state, row.held, row.counters, row.failedBefore);
        setLabelLimits(row.id, config);
        QueueEntry& entry = book_.add({row.id, row.token, row.tag, row.created, parts_.now(), row.deleting});
        entry.mark = row.mark;
        if (row.counters.completed > 0) entry.completed.missedUntil(parts_.now());
    }
}

void Queues::goOnDeleting() {
    YARD_ASSERT_OWNER(owner_);
    for (const QueueId id : book_.forgetting())
        if (auto gone = parts_.session.queues().forget(id, parts_.outbox); !gone)
            logWarning("engine", "queue {}: {}", id.value, gone.error().message);
}

// --- who is meant

std::unexpected<Error> Queues::noQueue(const QueueRef& ref) const {
    const bool was = ref.number && book_.wasThere(*ref.number);
    return fail(ErrorKind::NotFound,
                fmt::format("There is no queue {}{}: GET queues lists those there are.", describe(ref),
                            was ? " any more (it was deleted, or idle for too long)" : ""));
}

Result<QueueId> Queues::existing(const QueueRef& ref) {
    const QueueEntry* entry = book_.find(ref);
    if (!entry) return noQueue(ref);
    used(entry->id);
    return entry->id;
}

std::optional<QueueId> Queues::known(const QueueRef& ref) const {
    if (const QueueEntry* entry = book_.find(ref)) return entry->id;
    return ref.number && book_.wasThere(*ref.number) ? ref.number : std::nullopt;
}

Result<QueueId> Queues::numberOf(const QueueRef& ref) {
    const std::optional<QueueId> number = known(ref);
    if (!number) return noQueue(ref);
    used(*number);
    return *number;
}

Result<std::optional<QueueId>> Queues::numberIfNamed(const std::optional<QueueRef>& ref) {
    if (!ref) return std::optional<QueueId>();
    const Result<QueueId> number = numberOf(*ref);
    if (!number) return std::unexpected(number.error());
    return *number;
}

QueueView Queues::view(const QueueEntry& entry) const {
    QueueView view;
    view.id = entry.id;
    view.token = entry.token;
    view.tag = entry.tag;
    if (const auto status = parts_.session.views().queue(entry.id)) {
        view.state = status->state;
        view.held = status->held;
        view.counters = status->counters;
        view.heldActions = status->heldActions;
        view.perMinute = entry.completed.within(parts_.now());
        parts_.estimate(view, *status);
    }
    if (const QueueConfig* config = parts_.session.queues().configOf(entry.id)) view.config = *config;
    view.mark = entry.mark;
    view.comments = parts_.annotations.summaryOf(entry.id);
    return view;
}

store::QueueRow Queues::row(const QueueEntry& entry) const {
    const QueueView seen = view(entry);
    store::QueueRow row;
    row.id = entry.id;
    row.token = entry.token;
    row.tag = entry.tag;
    row.state = seen.state;
    row.held = seen.held;
    row.config = toJson(seen.config);
    row.created = entry.created;
    row.mark = entry.mark;
    if (const auto status = parts_.session.views().queue(entry.id)) row.failedBefore = status->failedBefore;
    return row;
}

void Queues::setLabelLimits(QueueId id, const QueueConfig& config) {
    std::vector<std::pair<session::LabelId, int>> limits;
    for (const auto& [label, most] : config.labelLimits)
        limits.emplace_back(session::LabelId{parts_.dictionary.internLabel(label).id}, most);
    parts_.session.queues().setLabelLimits(id, std::move(limits));
}

// --- what happens to their actions

void Queues::used(QueueId id) {
    YARD_ASSERT_OWNER(owner_);
    QueueEntry* entry = book_.find(id);
    const QueueConfig* config = parts_.session.queues().configOf(id);
    if (!entry || !config) return;
    entry->lastUsed = parts_.now();
    if (id.value == 0 || config->idleExpiry == Duration::zero()) return;
    if (!nextExpiry_ || entry->lastUsed + config->idleExpiry < *nextExpiry_) expiresEarlier_.set();
}

void Queues::ended(QueueId id, ActionState state) {
    used(id);
    QueueEntry* entry = state == ActionState::Completed ? book_.find(id) : nullptr;
    if (entry) entry->completed.note(parts_.now());
}

void Queues::stopped(QueueId id) {
    logWarning("engine", "queue {} is held: as many of its actions failed as its \"stop_after_failures\" says",
               id.value);
    parts_.spawn("hold queue", writeStopped(id));
}

coro::Task<void> Queues::writeStopped(QueueId id) {
    const Result<QueueView> done = co_await commit(id);
    if (!done)
        logWarning("engine", "that queue {} is held could not be written: {}", id.value, done.error().message);
}

void Queues::forgotten(QueueId id) {
    YARD_ASSERT_OWNER(owner_);
    book_.remove(id);
    parts_.annotations.forget(id);
    parts_.changed(id);
    parts_.spawn("forget queue", drop(id));
}

coro::Task<void> Queues::drop(QueueId id) {
    const store::AckDetail done = co_await parts_.commit(store::DropQueue{id});
    if (done.error) logWarning("engine", "queue {} could not be removed: {}", id.value, done.error->message);
}

std::optional<MonoTime> Queues::expire(MonoTime now) {
    std::optional<MonoTime> next;
    for (QueueEntry* entry : book_.all()) {
        const QueueConfig* config = parts_.session.queues().configOf(entry->id);
        const auto status = parts_.session.views().queue(entry->id);
        if (entry->id.value == 0 || !config || !status || config->idleExpiry == Duration::zero()) continue;
        if (status->counters.active() > 0) continue; // its end sets lastUsed, and we look again then at the latest
        const MonoTime due = entry->lastUsed + config->idleExpiry;
        if (due > now) {
            next = next ? std::min(*next, due) : due;
            continue;
        }
        logInfo("engine", "queue {} was idle for {} s and is deleted", entry->id.value,
                config->idleExpiry.count() / 1'000'000);
        entry->forgetting = true;
        parts_.changed(entry->id);
        if (auto gone = parts_.session.queues().forget(entry->id, parts_.outbox); !gone)
            logWarning("engine", "queue {}: {}", entry->id.value, gone.error().message);
        parts_.wake();
    }
    return next;
}

coro::Task<void> Queues::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        expiresEarlier_.clear();
        nextExpiry_ = expire(parts_.now());
        if (nextExpiry_)
            co_await coro::comesWithin(*nextExpiry_ - parts_.now(), expiresEarlier_);
        else
            co_await expiresEarlier_.wait();
    }
}

// --- commands

coro::Task<std::vector<QueueView>> Queues::list() {
    std::vector<QueueView> views;
    for (const QueueEntry* entry : all()) views.push_back(view(*entry));
    co_return views;
}

coro::Task<Result<QueueView>> Queues::get(QueueRef ref) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    co_return view(*find(*id));
}

coro::Task<Result<QueueView>> Queues::create(std::string tag, std::string configJson) {
    if (tag.size() > kMaxTag || !isUtf8(tag))
        co_return invalid("tag", fmt::format("Give \"tag\" as UTF-8 text of at most {} bytes.", kMaxTag));
    QueueConfig config;
    if (!configJson.empty()) {
        auto given = applyQueueConfig(config, configJson);
        if (!given) co_return std::unexpected(given.error());
        config = *given;
    }
    if (parts_.session.state() >= SessionState::Draining) {
        if (auto accepts = parts_.session.queues().accepts(QueueId{0}); !accepts)
            co_return std::unexpected(accepts.error());
    }
    QueueEntry entry{book_.takeNumber(), randomHex(kTokenBytes), std::move(tag), wallNow(), parts_.now(), false};
    store::QueueRow row;
    row.id = entry.id;
    row.token = entry.token;
    row.tag = entry.tag;
    row.config = toJson(config);
    row.created = entry.created;
    const store::AckDetail done = co_await parts_.commit(store::PutQueue{std::move(row)});
    if (done.error) co_return std::unexpected(*done.error);
    parts_.session.queues().add(entry.id, config);
    setLabelLimits(entry.id, config);
    QueueEntry& kept = book_.add(std::move(entry));
    used(kept.id);
    parts_.changed(kept.id);
    co_return view(kept);
}

/// Writes the queue as it is now, with another mark if there is one, and tells it then.
coro::Task<Result<QueueView>> Queues::commit(QueueId id, std::optional<Mark> mark) {
    const QueueEntry* entry = find(id);
    if (!entry) co_return deletedMeanwhile(id);
    parts_.wake();
    store::PutQueue put{row(*entry)};
    if (mark) put.row.mark = *mark;
    const store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(*done.error);
    entry = find(id);
    if (!entry) co_return deletedMeanwhile(id);
    if (mark) book_.find(id)->mark = *mark;
    parts_.changed(id);
    co_return view(*entry);
}

coro::Task<Result<QueueView>> Queues::configure(QueueRef ref, std::string configJson) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    auto config = applyQueueConfig(*parts_.session.queues().configOf(*id), configJson);
    if (!config) co_return std::unexpected(config.error());
    if (auto done = parts_.session.queues().configure(*id, *config); !done) co_return std::unexpected(done.error());
    setLabelLimits(*id, *config);
    used(*id);
    co_return co_await commit(*id);
}

coro::Task<Result<QueueView>> Queues::mark(QueueRef ref, Mark mark) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    co_return co_await commit(*id, mark);
}

coro::Task<Result<QueueView>> Queues::setHeld(QueueRef ref, bool held) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    const Result<void> done =
        held ? parts_.session.queues().hold(*id, parts_.outbox) : parts_.session.queues().release(*id);
    if (!done) co_return std::unexpected(done.error());
    co_return co_await commit(*id);
}

coro::Task<Result<QueueView>> Queues::drain(QueueRef ref) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    if (auto done = parts_.session.queues().drain(*id); !done) co_return std::unexpected(done.error());
    co_return co_await commit(*id);
}

coro::Task<Result<QueueView>> Queues::cancel(QueueRef ref) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    if (auto done = parts_.session.queues().cancel(*id, parts_.outbox); !done)
        co_return std::unexpected(done.error());
    co_return co_await commit(*id);
}

coro::Task<Result<void>> Queues::remove(QueueRef ref) {
    const Result<QueueId> id = existing(ref);
    if (!id) co_return std::unexpected(id.error());
    if (id->value == 0)
        co_return fail(ErrorKind::WrongState,
                       "Queue 0 is the default queue and cannot be deleted: hold it instead.");
    const auto status = parts_.session.views().queue(*id);
    if (status && status->state != QueueState::Cancelled)
        if (auto done = parts_.session.queues().cancel(*id, parts_.outbox); !done)
            co_return std::unexpected(done.error());
    parts_.wake();
    if (auto kept = co_await commitDeletion(*id); !kept) co_return std::unexpected(kept.error());
    QueueEntry* still = book_.find(*id);
    if (!still) co_return deletedMeanwhile(*id);
    still->forgetting = true;
    parts_.changed(*id);
    auto forgotten = parts_.session.queues().forget(*id, parts_.outbox);
    parts_.wake();
    co_return forgotten;
}

/// Cancelled and to be deleted, before anyone is told so: a start in between goes on with it.
coro::Task<Result<void>> Queues::commitDeletion(QueueId id) {
    store::PutQueue put{row(*book_.find(id))};
    put.row.deleting = true;
    const store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(*done.error);
    co_return Result<void>{};
}

coro::Task<Result<void>> Queues::setAllHeld(bool held) {
    std::vector<QueueId> ids;
    for (const QueueEntry* entry : all()) ids.push_back(entry->id);
    for (const QueueId id : ids) {
        const auto status = parts_.session.views().queue(id);
        if (!status || status->held == held || status->state == QueueState::Cancelled) continue;
        const Result<QueueView> done = co_await setHeld(QueueRef{id, {}}, held);
        if (!done && done.error().kind != ErrorKind::NotFound) co_return std::unexpected(done.error());
    }
    co_return Result<void>{};
}

} // namespace yard::engine
