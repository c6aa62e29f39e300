// Who waits for the end of which action. Owner: engine thread. A waiter that gives up (its time is over, its client
// gone) leaves nothing behind.
#pragma once

#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/model/result.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace yard::engine {

class Waiters {
    struct Waiting {
        coro::Event ended;
        int count = 0;
        std::optional<ActionResult> result; ///< as the journal has it once it has ended; nothing: ask the journal
    };

public:
    /// One waiter's place; gives itself back.
    class Ticket {
    public:
        Ticket(Waiters& waiters, Lsn lsn)
            : waiters_(waiters)
            , lsn_(lsn)
            , waiting_(waiters.enter(lsn)) {}
        ~Ticket() { waiters_.leave(lsn_, *waiting_); }
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;
        coro::PlainWait ended() { return waiting_->ended.wait(); }
        /// Once it has ended: its result, if that was kept for those who wait.
        const std::optional<ActionResult>& result() const {
            static const std::optional<ActionResult> none;
            return waiting_->ended.isSet() ? waiting_->result : none;
        }

    private:
        Waiters& waiters_;
        Lsn lsn_;
        std::shared_ptr<Waiting> waiting_;
    };

    bool contains(Lsn lsn) const { return waiting_.contains(lsn); }
    /// The result, on its way to the journal, for those who wait; they get it with tell().
    void keep(Lsn lsn, ActionResult result) {
        if (const auto at = waiting_.find(lsn); at != waiting_.end()) at->second->result = std::move(result);
    }
    /// The action has ended and its result is committed.
    void tell(Lsn lsn) {
        YARD_ASSERT_OWNER(owner_);
        const auto at = waiting_.find(lsn);
        if (at == waiting_.end()) return;
        at->second->ended.set();
        waiting_.erase(at);
    }

private:
    std::shared_ptr<Waiting> enter(Lsn lsn) {
        YARD_ASSERT_OWNER(owner_);
        std::shared_ptr<Waiting>& waiting = waiting_[lsn];
        if (!waiting) waiting = std::make_shared<Waiting>();
        ++waiting->count;
        return waiting;
    }
    void leave(Lsn lsn, Waiting& waiting) {
        if (--waiting.count > 0) return;
        const auto at = waiting_.find(lsn);
        if (at != waiting_.end() && at->second.get() == &waiting) waiting_.erase(at);
    }

    std::unordered_map<Lsn, std::shared_ptr<Waiting>> waiting_;
    OwnerCheck owner_;
};

} // namespace yard::engine
