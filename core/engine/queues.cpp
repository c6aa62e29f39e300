// Queues and the state of the session: committed first, then told to the session, then answered.
#include "core/engine/engine_core.h"

#include "core/base/files.h"
#include "core/base/log.h"

#include <fmt/format.h>
#include <unistd.h>

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

std::unexpected<Error> EngineCore::noQueue(const QueueRef& ref) const {
    const bool was = ref.number && queues_.wasThere(*ref.number);
    return fail(ErrorKind::NotFound,
                fmt::format("There is no queue {}{}: GET queues lists those there are.", describe(ref),
                            was ? " any more (it was deleted, or idle for too long)" : ""));
}

Result<QueueEntry*> EngineCore::findQueue(const QueueRef& ref) {
    QueueEntry* entry = queues_.find(ref);
    if (!entry) return noQueue(ref);
    noteQueueUsed(entry->id);
    return entry;
}

std::optional<QueueId> EngineCore::knownQueue(const QueueRef& ref) const {
    if (const QueueEntry* entry = queues_.find(ref)) return entry->id;
    return ref.number && queues_.wasThere(*ref.number) ? ref.number : std::nullopt;
}

Result<QueueId> EngineCore::numberOf(const QueueRef& ref) {
    const std::optional<QueueId> known = knownQueue(ref);
    if (!known) return noQueue(ref);
    noteQueueUsed(*known);
    return *known;
}

coro::Task<Result<QueueId>> EngineCore::queueNumber(QueueRef ref) {
    co_return numberOf(ref);
}

Result<std::optional<QueueId>> EngineCore::queueIdOf(const std::optional<QueueRef>& ref) {
    if (!ref) return std::optional<QueueId>();
    const Result<QueueId> number = numberOf(*ref);
    if (!number) return std::unexpected(number.error());
    return *number;
}

QueueView EngineCore::view(const QueueEntry& entry) const {
    QueueView view;
    view.id = entry.id;
    view.token = entry.token;
    view.tag = entry.tag;
    if (const auto status = session_->queueStatus(entry.id)) {
        view.state = status->state;
        view.held = status->held;
        view.counters = status->counters;
        view.perMinute = entry.completed.within(MonoClock::now());
        estimateQueue(view, *status);
    }
    if (const QueueConfig* config = session_->queueConfig(entry.id)) view.config = *config;
    return view;
}

store::QueueRow EngineCore::row(const QueueEntry& entry) const {
    const QueueView seen = view(entry);
    store::QueueRow row;
    row.id = entry.id;
    row.token = entry.token;
    row.tag = entry.tag;
    row.state = seen.state;
    row.held = seen.held;
    row.config = toJson(seen.config);
    row.created = entry.created;
    if (const auto status = session_->queueStatus(entry.id)) row.failedBefore = status->failedBefore;
    return row;
}

void EngineCore::setLabelLimits(QueueId id, const QueueConfig& config) {
    std::vector<std::pair<session::LabelId, int>> limits;
    for (const auto& [label, most] : config.labelLimits)
        limits.emplace_back(session::LabelId{dictionary_.internLabel(label).id}, most);
    session_->setLabelLimits(id, std::move(limits));
}

coro::Task<std::vector<QueueView>> EngineCore::queues() {
    std::vector<QueueView> views;
    for (const QueueEntry* entry : queues_.all()) views.push_back(view(*entry));
    co_return views;
}

coro::Task<Result<QueueView>> EngineCore::queue(QueueRef ref) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    co_return view(**entry);
}

coro::Task<Result<QueueView>> EngineCore::createQueue(std::string tag, std::string configJson) {
    if (tag.size() > kMaxTag || !isUtf8(tag))
        co_return invalid("tag", fmt::format("Give \"tag\" as UTF-8 text of at most {} bytes.", kMaxTag));
    QueueConfig config;
    if (!configJson.empty()) {
        auto given = applyQueueConfig(config, configJson);
        if (!given) co_return std::unexpected(given.error());
        config = *given;
    }
    if (session_->state() >= SessionState::Draining) {
        if (auto accepts = session_->accepts(QueueId{0}); !accepts) co_return std::unexpected(accepts.error());
    }
    QueueEntry entry{
        queues_.takeNumber(), randomHex(kTokenBytes), std::move(tag), wallNow(), MonoClock::now(), false};
    store::QueueRow row;
    row.id = entry.id;
    row.token = entry.token;
    row.tag = entry.tag;
    row.config = toJson(config);
    row.created = entry.created;
    const store::AckDetail done = co_await committer_.commit(store::PutQueue{std::move(row)});
    if (done.error) co_return std::unexpected(*done.error);
    session_->addQueue(entry.id, config);
    setLabelLimits(entry.id, config);
    QueueEntry& kept = queues_.add(std::move(entry));
    noteQueueUsed(kept.id);
    noteChange(ChangeEntry::Kind::Queue, kept.id);
    co_return view(kept);
}

/// Writes the queue as it is now. What changed it took effect before the commit, the answer comes after it: nobody
/// is told what is not durable, and a commit that fails is told as such.
coro::Task<Result<QueueView>> EngineCore::commitQueue(QueueId id) {
    QueueEntry* entry = queues_.find(id);
    if (!entry) co_return deletedMeanwhile(id);
    wake();
    const store::AckDetail done = co_await committer_.commit(store::PutQueue{row(*entry)});
    if (done.error) co_return std::unexpected(*done.error);
    entry = queues_.find(id);
    if (!entry) co_return deletedMeanwhile(id);
    noteChange(ChangeEntry::Kind::Queue, id);
    co_return view(*entry);
}

coro::Task<Result<QueueView>> EngineCore::configureQueue(QueueRef ref, std::string configJson) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    const QueueId id = (*entry)->id;
    auto config = applyQueueConfig(*session_->queueConfig(id), configJson);
    if (!config) co_return std::unexpected(config.error());
    if (auto done = session_->configureQueue(id, *config); !done) co_return std::unexpected(done.error());
    setLabelLimits(id, *config);
    noteQueueUsed(id);
    co_return co_await commitQueue(id);
}

coro::Task<Result<QueueView>> EngineCore::holdQueue(QueueRef ref, bool held) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    const QueueId id = (*entry)->id;
    const Result<void> done = held ? session_->holdQueue(id, outbox_) : session_->releaseQueue(id);
    if (!done) co_return std::unexpected(done.error());
    co_return co_await commitQueue(id);
}

coro::Task<Result<QueueView>> EngineCore::drainQueue(QueueRef ref) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    const QueueId id = (*entry)->id;
    if (auto done = session_->drainQueue(id); !done) co_return std::unexpected(done.error());
    co_return co_await commitQueue(id);
}

coro::Task<Result<QueueView>> EngineCore::cancelQueue(QueueRef ref) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    const QueueId id = (*entry)->id;
    if (auto done = session_->cancelQueue(id, outbox_); !done) co_return std::unexpected(done.error());
    co_return co_await commitQueue(id);
}

coro::Task<Result<void>> EngineCore::deleteQueue(QueueRef ref) {
    const Result<QueueEntry*> entry = findQueue(ref);
    if (!entry) co_return std::unexpected(entry.error());
    const QueueId id = (*entry)->id;
    if (id.value == 0)
        co_return fail(ErrorKind::WrongState,
                       "Queue 0 is the default queue and cannot be deleted: hold it instead.");
    // Cancelled first, durably: a start in between carries on with it.
    const auto status = session_->queueStatus(id);
    if (status && status->state != QueueState::Cancelled) {
        if (auto done = session_->cancelQueue(id, outbox_); !done) co_return std::unexpected(done.error());
        const Result<QueueView> cancelled = co_await commitQueue(id);
        if (!cancelled) co_return std::unexpected(cancelled.error());
    }
    QueueEntry* still = queues_.find(id);
    if (!still) co_return deletedMeanwhile(id);
    still->forgetting = true;
    noteChange(ChangeEntry::Kind::Queue, id);
    auto forgotten = session_->forgetQueue(id, outbox_);
    wake();
    co_return forgotten;
}

coro::Task<Result<void>> EngineCore::holdAll(bool held) {
    std::vector<QueueId> ids;
    for (const QueueEntry* entry : queues_.all()) ids.push_back(entry->id);
    for (const QueueId id : ids) {
        const auto status = session_->queueStatus(id);
        if (!status || status->held == held || status->state == QueueState::Cancelled) continue;
        const Result<QueueView> done = co_await holdQueue(QueueRef{id, {}}, held);
        if (!done && done.error().kind != ErrorKind::NotFound) co_return std::unexpected(done.error());
    }
    co_return Result<void>{};
}

// --- session

coro::Task<Result<void>> EngineCore::moveSession(SessionState to) {
    if (to == SessionState::Sunset) {
        // Main closes the engine, which moves the session: there is one way down.
        const std::uint64_t one = 1;
        if (::write(sunsetFd_.get(), &one, sizeof one) != sizeof one)
            co_return failErrno("waking the main thread", errno);
        co_return Result<void>{};
    }
    auto moved = session_->moveTo(to, outbox_);
    if (moved) noteChange(ChangeEntry::Kind::Session);
    wake();
    co_return moved;
}

} // namespace yard::engine
