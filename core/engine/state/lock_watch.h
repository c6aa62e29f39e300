// Named locks as the engine sees them: which of them another engine has, since a start found one held until a look
// finds it free, and who holds or waits for one. The session decides by what it is told here.
//
// Owner: engine thread; run() is one of its cooperative threads. What looks at files is a helper's. Lifetime: after the
// session, the dictionary and the helpers; before them.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/views.h"
#include "core/lease/runner.h"
#include "core/locks/named_lock.h"
#include "core/session/session.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// How the directory of locks is looked at. Both block on files; any thread.
struct LockLooks {
    std::function<locks::LockState(const std::string& name)> look;
    std::function<std::vector<LockView>()> held; ///< every lock that somebody holds
};
LockLooks looksAt(std::string directory);

class LockWatch {
public:
    struct Parts {
        session::Session& session;
        InternTable& dictionary;
        coro::HelperPool& helpers;
        LockLooks looks;
        LockHolderView self;                      ///< this engine, as the holder of a lock; its LSN is filled in
        std::function<WallMicros(Lsn)> startedAt; ///< of an action that holds one; 0: not known
        std::function<void()> wake;               ///< something may start now
    };
    explicit LockWatch(Parts parts)
        : parts_(std::move(parts)) {}

    /// Looks again and again at those that another engine has and that an action here waits for.
    coro::Task<void> run();
    /// A start found a lock held: nothing that claims it starts before it was seen free.
    void foundBusy(const runners::LockBusy& busy);
    /// Something of ours has ended, or waits for a lock: worth a look.
    void lookSoon();
    Wait waitFor(const session::Waiting::Lock& lock) const;
    /// All that are held or waited for, by name; of each at most 100 that wait.
    coro::Task<std::vector<LockView>> list();

private:
    LockHolderView ownHolder(Lsn lsn) const;
    void foundFree(session::LockId id);

    Parts parts_;
    std::map<session::LockId, std::optional<locks::LockHolder>> holders_; ///< of those held elsewhere
    coro::Event work_; ///< something waits for a lock held elsewhere, or has ended
    OwnerCheck owner_;
};

} // namespace yard::engine
