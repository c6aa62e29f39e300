// Named locks as the engine sees them, those of other engines too; and the janitor, which takes away what nobody
// owns any more. What blocks is a helper's.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/base/remove_tree.h"
#include "core/coro/timeout.h"
#include "core/locks/janitor.h"
#include "core/locks/lock_directory.h"
#include "core/locks/named_lock.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// While something waits for a lock of another engine: looked at so often, and when something of ours ended, but
/// not more often than the second says.
constexpr Duration kLookEvery{1'000'000};
constexpr Duration kLookAtMost{100'000};
constexpr Duration kJanitorEvery{60'000'000};
/// A part of the janitor's work: deletions of ended attempts wait so long for it.
constexpr Duration kJanitorPart{50'000};
constexpr std::size_t kMostFindings = 20;
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

std::vector<session::LockId> EngineCore::lockIds(const ClassKey& key) {
    std::vector<session::LockId> ids;
    for (const std::string& name : key.locks) ids.emplace_back(dictionary_.internLock(name));
    return ids;
}

LockHolderView EngineCore::ownHolder(Lsn lsn) const {
    return {.engine = directory_->engineId(), .pid = ::getpid(), .dataDir = directory_->path(), .lsn = lsn};
}

/// A start found a lock held: nothing that claims it starts before it was seen free.
void EngineCore::lockBusy(const runners::LockBusy& busy) {
    const session::LockId id(dictionary_.internLock(busy.name));
    lockHolders_[id] = busy.holder;
    session_->setLockElsewhere(id, true);
    locksWork_.set();
}

void EngineCore::lockFree(session::LockId id) {
    lockHolders_.erase(id);
    session_->setLockElsewhere(id, false);
    wake();
}

Wait EngineCore::lockWait(const session::Waiting::Lock& lock) const {
    Wait wait;
    wait.kind = WaitKind::Lock;
    wait.name = dictionary_.lockName(lock.lock.value);
    if (lock.holder.value != 0) {
        wait.holder = ownHolder(lock.holder);
        wait.message = fmt::format("lock {} is held by action {}", wait.name, lock.holder.value);
        return wait;
    }
    const auto known = lockHolders_.find(lock.lock);
    if (lock.elsewhere && known != lockHolders_.end() && known->second) {
        wait.holder = engine::viewOf(*known->second);
        wait.message = fmt::format("lock {} is held by {}", wait.name, locks::describe(*known->second));
    } else if (lock.elsewhere) {
        wait.message = fmt::format("lock {} is held by another process", wait.name);
    } else {
        wait.message = fmt::format("lock {} is kept for an action that needs several", wait.name);
    }
    return wait;
}

coro::Task<void> EngineCore::watchLocks() {
    for (;;) {
        locksWork_.clear();
        std::vector<Look> looks;
        for (const session::Session::LockElsewhere& lock : session_->locksElsewhere()) {
            if (lock.isWaitedFor)
                looks.push_back({lock.id, dictionary_.lockName(lock.id.value), {}});
            else
                lockFree(lock.id); // nobody asks: the next one that does finds out by trying
        }
        if (looks.empty()) {
            co_await locksWork_.wait();
            co_await coro::sleepFor(kLookAtMost);
            continue;
        }
        looks = co_await helpers_->run([directory = lockDir_, looks = std::move(looks)]() mutable {
            for (Look& look : looks) look.state = locks::look(directory, look.name);
            return std::move(looks);
        });
        for (Look& look : looks) {
            if (look.state.isHeld)
                lockHolders_[look.id] = std::move(look.state.holder);
            else
                lockFree(look.id);
        }
        if (co_await coro::comesWithin(kLookEvery, locksWork_)) co_await coro::sleepFor(kLookAtMost);
    }
}

coro::Task<std::vector<LockView>> EngineCore::locks() {
    std::vector<LockView> views = co_await helpers_->run([directory = lockDir_] { return heldLocks(directory); });
    for (const session::LockStatus& status : session_->locks(kMostWaiting)) {
        const std::string& name = dictionary_.lockName(status.lock.value);
        auto at = std::ranges::find(views, name, &LockView::name);
        if (at == views.end()) {
            views.emplace_back().name = name;
            at = std::prev(views.end());
        }
        if (status.holder.value != 0) {
            at->holder = ownHolder(status.holder);
            const Attempt* attempt = dispatcher_->find(status.holder);
            if (at->heldSince == 0 && attempt) at->heldSince = attempt->record.times[ActionState::Submitting];
        }
        at->waiting = status.waiting;
        at->hasMore = status.hasMore;
    }
    std::ranges::sort(views, {}, &LockView::name);
    co_return views;
}

// --- the janitor

/// At the start and every minute. What it looks at and removes is a helper's, in parts.
coro::Task<void> EngineCore::sweepOrphans() {
    locks::Janitor::Places places;
    places.scratch = directory_->scratch();
    places.locks = lockDir_;
    places.ownSlots = static_cast<unsigned>(coreSlots_ + sharedSlots_ + poolSlots_);
    places.ownFrom = kFirstMailbox;
    places.deadline = settings_.deadline;
    places.remove = [stop = helpers_->stopping()](const std::string& path) { return removeTree(path, stop); };
    // Shared: a part may still be under way when the loop ends.
    const auto janitor = std::make_shared<locks::Janitor>(std::move(places), claims_);
    for (;;) {
        bool more = true;
        while (more) more = co_await helpers_->runInBackground([janitor] { return janitor->step(kJanitorPart); });
        takeFindings(janitor->takeReport());
        co_await coro::sleepFor(kJanitorEvery);
    }
}

void EngineCore::takeFindings(const locks::JanitorReport& report) {
    counters_.orphansReaped += static_cast<std::uint64_t>(report.reaped);
    counters_.staleLocks += static_cast<std::uint64_t>(report.staleLocks);
    for (const locks::Finding& finding : report.findings) {
        logWarning("janitor", "{}", finding.message);
        findings_.push_back(finding.message);
    }
    if (findings_.size() > kMostFindings)
        findings_.erase(findings_.begin(), findings_.end() - static_cast<std::ptrdiff_t>(kMostFindings));
    if (report.reaped + report.staleLocks > 0)
        logInfo("janitor", "{} directories and {} locks that nobody owned are gone", report.reaped,
                report.staleLocks);
    if (report.reaped + report.staleLocks > 0 || !report.findings.empty()) noteChange(ChangeEntry::Kind::Session);
}

} // namespace yard::engine
