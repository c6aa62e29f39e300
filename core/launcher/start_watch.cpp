#include "core/launcher/start_watch.h"

#include "core/host/process_tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <unistd.h>
#include <utility>

namespace yard::runners {

namespace {

std::string commandLineOf(int pid) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

StartWatch::Number StartWatch::enter(AttemptId id) {
    const ThreadLock lock(mutex_);
    phase_ = Phase::Looking;
    id_ = id;
    since_ = MonoClock::now();
    path_.clear();
    if (thread_ == 0) thread_ = ::gettid();
    isLate_ = isGivenUp_ = wasKilled_ = false;
    toEndSince_.reset();
    return ++number_;
}

bool StartWatch::lookAt(Number start, std::string_view path) {
    const ThreadLock lock(mutex_);
    if (start != number_) return false;
    phase_ = Phase::Looking;
    path_ = path;
    return !isGivenUp_;
}

bool StartWatch::mayClone(Number start) {
    const ThreadLock lock(mutex_);
    if (start != number_ || isGivenUp_) return false;
    phase_ = Phase::Cloning;
    return true;
}

StartWatch::Left StartWatch::leave(Number start) {
    const ThreadLock lock(mutex_);
    if (start != number_) return Left::LeftBehind;
    phase_ = isGivenUp_ ? Phase::Ending : Phase::Outside;
    return isGivenUp_ ? Left::GivenUp : Left::Done;
}

bool StartWatch::close(Number start) {
    const ThreadLock lock(mutex_);
    if (start != number_) return false;
    phase_ = Phase::Outside;
    return true;
}

void StartWatch::giveUp(AttemptId id, MonoTime now, const IsAttempt& isAttempt) {
    const ThreadLock lock(mutex_);
    if (phase_ == Phase::Outside || id_ != id) return;
    if (!toEndSince_) toEndSince_ = now;
    end(isAttempt, false);
}

void StartWatch::end(const IsAttempt& isAttempt, bool evenIfExecuted) {
    // What is below a thread that only looks helps it, whatever it has executed.
    const bool isLooking = phase_ == Phase::Looking;
    if (isLooking) isGivenUp_ = true;
    killChild(isAttempt, evenIfExecuted || isLooking);
}

std::optional<StartWatch::Seen> StartWatch::look(MonoTime now, Duration limit, const IsAttempt& isAttempt,
                                                 const MayLeave& mayLeave) {
    const ThreadLock lock(mutex_);
    if (phase_ == Phase::Outside) return {};
    Seen seen{.id = id_, .start = number_, .path = path_};
    const bool isLate = now - since_ >= limit;
    if (std::exchange(isLate_, isLate) && isLate) {
        seen.isGivenUp = !std::exchange(isGivenUp_, true);
        if (!toEndSince_) toEndSince_ = now;
    }
    if (!toEndSince_) return {};
    const bool wasPatient = now - *toEndSince_ >= kPatience;
    end(isAttempt, isGivenUp_ || wasPatient);
    if (wasPatient && isGivenUp_ && (phase_ != Phase::Cloning || wasKilled_) && mayLeave(seen)) {
        seen.isLeftBehind = true;
        ++number_;
        phase_ = Phase::Outside;
        thread_ = 0;
    }
    return seen;
}

/// The thread cannot leave the start meanwhile. So what it starts is no attempt yet, and its other children are.
void StartWatch::killChild(const IsAttempt& isAttempt, bool evenIfExecuted) {
    const int self = ::getpid();
    for (const int pid : host::childrenOfThread(self, thread_)) {
        if (isAttempt(pid)) continue;
        const UniqueFd child = host::openProcess(pid);
        // Still ours: then the descriptor means this one. Until it executes it has our memory, and our words.
        if (!child || std::ranges::count(host::childrenOfThread(self, thread_), pid) == 0) continue;
        if (!evenIfExecuted && commandLineOf(pid) != commandLineOf(self)) continue;
        if (host::signalProcess(child.get(), SIGKILL)) isGivenUp_ = wasKilled_ = true;
    }
}

} // namespace yard::runners
