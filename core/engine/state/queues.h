// Queues and what is asked of them: made, configured, held, drained, cancelled, deleted, and deleted by themselves
// once nobody has used them for as long as they say. A change takes effect in the session first, is committed, and
// is answered then: nobody is told what is not durable.
//
// Owner: engine thread; run() is one of its cooperative threads. Lifetime: after the session and the dictionary.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/annotations.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/queue_registry.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"
#include "core/store/journal.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

class Queues {
public:
    struct Parts {
        session::Session& session;
        session::Outbox& outbox;
        InternTable& dictionary;
        Annotations& annotations;
        /// Answered once the journal has it.
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void(QueueView&, const session::QueueStatus&)> estimate; ///< when it starts and is done
        std::function<void(QueueId)> changed;
        std::function<MonoTime()> now; ///< of the loop on which run() waits
        std::function<void()> wake;    ///< something may start now, or is to be taken back
    };
    explicit Queues(Parts parts)
        : parts_(std::move(parts)) {}

    /// Before anything else: those of the journal. A configuration that cannot be read is the default one.
    void restore(const std::vector<store::QueueRow>& rows, std::int64_t lastNumber);
    /// Once the session has the pending actions: those that were being deleted go with the last of these.
    void goOnDeleting();
    /// Deletes those that were idle for as long as their configuration says.
    coro::Task<void> run();

    // --- who is meant. Asking for a queue counts as using it, but for the const ones.
    /// Null when there is none, or it is being deleted.
    const QueueEntry* find(QueueId id) const { return book_.find(id); }
    /// What a filter may call it beside its number: its tag and its token. Empty where there is none.
    std::vector<std::string> namesOf(QueueId id) const {
        const QueueEntry* entry = find(id);
        return entry ? std::vector{entry->tag, entry->token} : std::vector<std::string>();
    }
    /// In the order of their numbers.
    std::vector<const QueueEntry*> all() const { return book_.all(); }
    /// One that is there. NotFound.
    Result<QueueId> existing(const QueueRef& ref);
    /// Also one that was deleted, by its number: its finished actions stay.
    std::optional<QueueId> known(const QueueRef& ref) const;
    /// The same. NotFound.
    Result<QueueId> numberOf(const QueueRef& ref);
    /// Nothing when none is named.
    Result<std::optional<QueueId>> numberIfNamed(const std::optional<QueueRef>& ref);
    QueueView view(const QueueEntry& entry) const;

    // --- what happens to their actions
    /// Something of the queue was asked for: its idle time begins again.
    void used(QueueId id);
    void ended(QueueId id, ActionState state);
    /// The session holds it: too many of its actions failed.
    void stopped(QueueId id);
    /// The last action of one that was deleted has ended.
    void forgotten(QueueId id);

    // --- commands
    coro::Task<std::vector<QueueView>> list();
    coro::Task<Result<QueueView>> get(QueueRef ref);
    /// `configJson` empty: the defaults.
    coro::Task<Result<QueueView>> create(std::string tag, std::string configJson);
    coro::Task<Result<QueueView>> configure(QueueRef ref, std::string configJson);
    coro::Task<Result<QueueView>> mark(QueueRef ref, Mark mark);
    coro::Task<Result<QueueView>> setHeld(QueueRef ref, bool held);
    coro::Task<Result<void>> setAllHeld(bool held);
    coro::Task<Result<QueueView>> drain(QueueRef ref);
    coro::Task<Result<QueueView>> cancel(QueueRef ref);
    /// Cancels what is in it first.
    coro::Task<Result<void>> remove(QueueRef ref);

private:
    std::unexpected<Error> noQueue(const QueueRef& ref) const;
    store::QueueRow row(const QueueEntry& entry) const;
    void setLabelLimits(QueueId id, const QueueConfig& config);
    coro::Task<Result<QueueView>> commit(QueueId id, std::optional<Mark> mark = {});
    coro::Task<Result<void>> commitDeletion(QueueId id);
    coro::Task<void> writeStopped(QueueId id);
    coro::Task<void> drop(QueueId id);
    /// Deletes what is idle; when the next one may be.
    std::optional<MonoTime> expire(MonoTime now);

    Parts parts_;
    QueueRegistry book_;
    std::optional<MonoTime> nextExpiry_; ///< when the next idle queue is looked at
    coro::Event expiresEarlier_;         ///< than nextExpiry_
    OwnerCheck owner_;
};

} // namespace yard::engine
