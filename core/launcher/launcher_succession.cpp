// The part of a spawner that replaces its thread: what the launcher's main thread does of it, and how a thread
// begins and ends.
#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/launcher/launcher_spawner.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

namespace yard::runners {
namespace {

constexpr int kLookForChildrenMilliseconds = 200;

} // namespace

void Spawner::drive() {
    nameThisThread(fmt::format("spawner {}", index_));
    try {
        if (const auto taken = std::move(takenOver_)) {
            hasMarked_ = std::ranges::any_of(
                children_, [](const auto& child) { return child->phase == SlotChild::Phase::Marked; });
            if (auto next = fail(*taken->child, std::move(taken->failure)))
                runChain(*taken->child, std::move(*next));
        }
        run();
    } catch (const LeftBehind&) {
        outliveChildren();
        shared_.leftBehind.fetch_sub(1);
    }
}

/// Our end is their parent-death signal. Somebody else reaps them.
void Spawner::outliveChildren() const {
    siginfo_t info{};
    while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) == 0 || errno != ECHILD)
        ::poll(nullptr, 0, kLookForChildrenMilliseconds);
}

bool Spawner::isAttempt(int pid) const {
    const std::vector<SlotView> busy = shared_.board.busy();
    return std::ranges::find(busy, pid, &SlotView::pid) != busy.end();
}

void Spawner::giveUpStart(AttemptId id, MonoTime now) {
    starts_.giveUp(id, now, [this](int pid) { return isAttempt(pid); });
}

bool Spawner::lookAfterStart(MonoTime now, bool isEnding) {
    const auto seen = starts_.look(
        now, kLongestStart, [this](int pid) { return isAttempt(pid); },
        [&](const StartWatch::Seen& one) { return leaveBehind(one, isEnding); });
    if (!seen) return false;
    if (seen->isGivenUp)
        logWarning("runners", "the start of action {} (attempt {}) does not get on, and is given up",
                   seen->id.lsn.value, seen->id.attempt);
    if (!seen->isLeftBehind) return true;
    logWarning("runners", "a thread stands still on '{}', which does not answer; another one takes its place",
               takenOver_->failure.path);
    thread_.detach();
    thread_ = std::thread([this] { drive(); });
    return false;
}

/// Its thread stands still in the start, and will hear of this before it touches anything of ours.
bool Spawner::leaveBehind(const StartWatch::Seen& seen, bool isEnding) {
    SlotChild& old = *starting_;
    const ProgramStarter::Blame blame = ProgramStarter::blameFor(old, seen.path);
    if (!shared_.silent->stand(seen.start, blame.path, isEnding)) return false;
    auto fresh = std::make_shared<SlotChild>();
    fresh->slot = old.slot;
    fresh->index = old.index;
    fresh->generation = old.generation;
    fresh->err.stream = Stream::Err;
    fresh->lease.id = old.lease.id;
    fresh->ring = old.ring;
    fresh->locks = std::move(old.locks);
    fresh->ended.slot = old.slot;
    fresh->ended.times = old.ended.times;
    SpawnFailure failure = ProgramStarter::silence(old, blame);
    children_[old.index] = fresh;
    takenOver_ = std::make_unique<TakenOver>(TakenOver{std::move(fresh), std::move(failure)});
    workspace_ = std::make_shared<StartWorkspace>();
    starting_.reset();
    shared_.leftBehind.fetch_add(1);
    return true;
}

} // namespace yard::runners
