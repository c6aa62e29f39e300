#include "core/engine/state/lock_watch.h"

#include "core/coro/timeout.h"
#include "core/locks/lock_directory.h"
#include "core/locks/named_lock.h"
#include "core/session/live_views.h"
#include "core/session/resource_holds.h"
#include "core/session/wait_reasons.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// While something waits for a lock of another engine: looked at so often, and when something of ours ended, but
/// not more often than the second says.
constexpr Duration kLookEvery{1'000'000};
constexpr Duration kLookAtMost{100'000};
/// Waiting actions that a list of locks names, of each.
constexpr int kMostWaiting = 100;
constexpr std::size_t kMostLocks = 1'000;

LockHolderView viewOf(const locks::LockHolder& holder) {
    return {.engine = holder.engineId, .pid = holder.pid, .dataDir = holder.dataDir, .lsn = holder.lsn};
}

struct Look {
    session::LockId id;
    std::string name;
    locks::LockState state;
};

/// Every lock in the directory that somebody holds.
std::vector<LockView> heldLocks(const std::string& directory) {
    namespace fs = std::filesystem;
    std::vector<LockView> held;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end && held.size() < kMostLocks;
         at.increment(error)) {
        const auto name = locks::lockNameOf(at->path().filename().string());
        if (!name) continue;
        const locks::LockState state = locks::look(directory, *name);
        if (!state.isHeld) continue;
        LockView& view = held.emplace_back();
        view.name = *name;
        if (!state.holder) continue;
        view.holder = viewOf(*state.holder);
        view.heldSince = state.holder->since;
    }
    return held;
}

} // namespace

LockLooks looksAt(std::string directory) {
    return {.look = [directory](const std::string& name) { return locks::look(directory, name); },
            .held = [directory] { return heldLocks(directory); }};
}

LockHolderView LockWatch::ownHolder(Lsn lsn) const {
    LockHolderView holder = parts_.self;
    holder.lsn = lsn;
    return holder;
}

void LockWatch::foundBusy(const runners::LockBusy& busy) {
    YARD_ASSERT_OWNER(owner_);
    const session::LockId id(parts_.dictionary.internLock(busy.name));
    holders_[id] = busy.holder;
    parts_.session.holds().setLockElsewhere(id, true);
    work_.set();
}

void LockWatch::lookSoon() {
    if (!holders_.empty()) work_.set();
}

void LockWatch::foundFree(session::LockId id) {
    holders_.erase(id);
    parts_.session.holds().setLockElsewhere(id, false);
    parts_.wake();
}

Wait LockWatch::waitFor(const session::Waiting::Lock& lock) const {
    Wait wait;
    wait.kind = WaitKind::Lock;
    wait.name = parts_.dictionary.lockName(lock.lock.value);
    if (lock.holder.value != 0) {
        wait.holder = ownHolder(lock.holder);
        wait.message = fmt::format("lock {} is held by action {}", wait.name, lock.holder.value);
        return wait;
    }
    const auto known = holders_.find(lock.lock);
    if (lock.elsewhere && known != holders_.end() && known->second) {
        wait.holder = engine::viewOf(*known->second);
        wait.message = fmt::format("lock {} is held by {}", wait.name, locks::describe(*known->second));
    } else if (lock.elsewhere) {
        wait.message = fmt::format("lock {} is held by another process", wait.name);
    } else {
        wait.message = fmt::format("lock {} is kept for an action that needs several", wait.name);
    }
    return wait;
}

coro::Task<void> LockWatch::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        work_.clear();
        std::vector<Look> looks;
        for (const session::LockElsewhere& lock : parts_.session.views().locksElsewhere()) {
            if (lock.isWaitedFor)
                looks.push_back({lock.id, parts_.dictionary.lockName(lock.id.value), {}});
            else
                foundFree(lock.id); // nobody asks: the next one that does finds out by trying
        }
        if (looks.empty()) {
            co_await work_.wait();
            co_await coro::sleepFor(kLookAtMost);
            continue;
        }
        looks = co_await parts_.helpers.run([look = parts_.looks.look, looks = std::move(looks)]() mutable {
            for (Look& one : looks) one.state = look(one.name);
            return std::move(looks);
        });
        for (Look& look : looks) {
            if (look.state.isHeld)
                holders_[look.id] = std::move(look.state.holder);
            else
                foundFree(look.id);
        }
        if (co_await coro::comesWithin(kLookEvery, work_)) co_await coro::sleepFor(kLookAtMost);
    }
}

coro::Task<std::vector<LockView>> LockWatch::list() {
    std::vector<LockView> views = co_await parts_.helpers.run([held = parts_.looks.held] { return held(); });
    for (const session::LockStatus& status : parts_.session.reasons().locks(kMostWaiting)) {
        const std::string& name = parts_.dictionary.lockName(status.lock.value);
        auto at = std::ranges::find(views, name, &LockView::name);
        if (at == views.end()) {
            views.emplace_back().name = name;
            at = std::prev(views.end());
        }
        if (status.holder.value != 0) {
            at->holder = ownHolder(status.holder);
            if (at->heldSince == 0) at->heldSince = parts_.startedAt(status.holder);
        }
        at->waiting = status.waiting;
        at->hasMore = status.hasMore;
    }
    std::ranges::sort(views, {}, &LockView::name);
    co_return views;
}

} // namespace yard::engine
