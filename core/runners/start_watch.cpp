#include "core/runners/start_watch.h"

#include "core/runners/process_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <unistd.h>

namespace yard::runners {

namespace {

std::string commandLineOf(int pid) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

void StartWatch::enter(AttemptId id) {
    const std::scoped_lock lock(mutex_);
    id_ = id;
    since_ = MonoClock::now();
    if (thread_ == 0) thread_ = ::gettid();
    isToEnd_ = isLate_ = isGivenUp_ = false;
}

bool StartWatch::leave() {
    const std::scoped_lock lock(mutex_);
    id_.reset();
    return isGivenUp_;
}

void StartWatch::giveUp(AttemptId id, const IsAttempt& isAttempt) {
    const std::scoped_lock lock(mutex_);
    if (id_ != id) return;
    isToEnd_ = true;
    killChild(isAttempt, false);
}

std::optional<AttemptId> StartWatch::giveUpLate(MonoTime now, Duration limit, const IsAttempt& isAttempt) {
    const std::scoped_lock lock(mutex_);
    if (!id_) return {};
    const bool isLate = now - since_ >= limit;
    if (std::exchange(isLate_, isLate) && isLate) {
        const bool isNew = !std::exchange(isGivenUp_, true);
        killChild(isAttempt, true);
        return isNew ? id_ : std::nullopt;
    }
    if (isToEnd_) killChild(isAttempt, false);
    return {};
}

/// The thread cannot leave the start meanwhile. So what it starts is no attempt yet, and its other children are.
void StartWatch::killChild(const IsAttempt& isAttempt, bool evenIfExecuted) {
    const int self = ::getpid();
    for (const int pid : childrenOfThread(self, thread_)) {
        if (isAttempt(pid)) continue;
        const UniqueFd child = openProcess(pid);
        // Still ours: then the descriptor means this one. Until it executes it has our memory, and our words.
        if (!child || std::ranges::count(childrenOfThread(self, thread_), pid) == 0) continue;
        if (!evenIfExecuted && commandLineOf(pid) != commandLineOf(self)) continue;
        if (signalProcess(child.get(), SIGKILL)) isGivenUp_ = true;
    }
}

void SilentPaths::add(std::string path, MonoTime now) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(paths_, [&](const auto& known) { return known.second <= now || known.first == path; });
    if (paths_.size() == kMost) paths_.erase(paths_.begin());
    paths_.emplace_back(std::move(path), now + kRemembered);
}

bool SilentPaths::contains(std::string_view path, MonoTime now) {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(paths_,
                               [&](const auto& known) { return known.second > now && known.first == path; });
}

} // namespace yard::runners
