// What changes, noted as it happens for those who ask later (change_feed.h). Changes are kept from the first question
// until a while after the last one; else a change costs nothing.
//
// Owner: engine thread. Lifetime: after the session.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/state/change_feed.h"
#include "core/session/session.h"

#include <functional>

namespace yard::engine {

class ChangeLog {
public:
    struct Parts {
        session::Session& session;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<MonoTime()> now; ///< of the loop that spawn() uses
    };
    /// The ring is kept this long after the last question, for who comes back with his revision.
    static constexpr Duration kKeptFor{60'000'000};
    static constexpr Duration kLongestWait{25'000'000};

    explicit ChangeLog(Parts parts)
        : parts_(std::move(parts)) {}

    /// Somebody asks for changes: they are kept from now on.
    void keep();
    const ChangeFeed& feed() const { return feed_; }
    /// The newest revision once there is one after `seen`, or after kLongestWait: who asked shows that he is still
    /// there by asking again.
    coro::Task<std::uint64_t> after(std::uint64_t seen);

    void note(ChangeEntry::Kind kind, QueueId queue = {});
    /// Others see this action differently, though the session does not say so. Nothing where it is not live.
    void noteRow(Lsn lsn);
    void noteRetired(Lsn lsn);
    /// Its mark or comments are others, whatever its state.
    void noteAnnotated(Lsn lsn);
    /// It has a successor: whoever shows it, live or ended, reads it again.
    void noteReplaced(Lsn lsn);
    /// It was made, moved, changed or removed; 0: a type was.
    void noteObject(std::int64_t id);
    /// The journal can be written, or not.
    void noteWritable(bool writable);

private:
    void noteAction(const session::Change& change);
    coro::Task<void> dropUnused();
    coro::Task<void> beyond(std::uint64_t seen);

    Parts parts_;
    ChangeFeed feed_;
    MonoTime used_{}; ///< when somebody last asked
    bool toldWritable_ = true;
    OwnerCheck owner_;
};

} // namespace yard::engine
