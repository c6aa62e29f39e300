#include "core/allocators/allocator.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <utility>

namespace yard::allocators {

Pilot* Allocator::find(std::string_view job) {
    if (job.empty()) return nullptr;
    const auto at = std::ranges::find(pilots_, job, &Pilot::job);
    return at == pilots_.end() ? nullptr : &*at;
}

Pilot* Allocator::find(PilotNumber number) {
    const auto at = std::ranges::find(pilots_, number, &Pilot::number);
    return at == pilots_.end() ? nullptr : &*at;
}

unsigned Allocator::counted() const {
    return static_cast<unsigned>(std::ranges::count_if(pilots_, isCounted));
}

unsigned Allocator::pending() const {
    return static_cast<unsigned>(std::ranges::count_if(pilots_, isPending));
}

void Allocator::sweep() {
    std::erase_if(pilots_, [](const Pilot& pilot) { return pilot.state == PilotState::Gone; });
}

/// A job that has no name yet is ended when it gets one: see started().
void Allocator::endOne(Pilot& pilot, std::vector<std::string>& end, MonoTime now) {
    if (!move(pilot, PilotState::Ending, now)) return;
    if (!pilot.job.empty()) end.push_back(pilot.job);
}

Plan Allocator::look(std::span<const WaitingWork> work, MonoTime now) {
    demand_ = demandOf(work, settings_.shape, settings_.limits);
    Plan plan;
    endSurplus(plan, now);
    if (pause_.state(now) != AllocatorState::Active) return plan;
    while (counted() < demand_.wanted && pending() < settings_.pendingMax) {
        pilots_.push_back({.number = ++last_, .job = {}, .state = PilotState::Asked, .since = now});
        plan.start.push_back(last_);
    }
    return plan;
}

/// What waits in the other queue goes first, the newest of it, then machines that have been idle long enough.
void Allocator::endSurplus(Plan& plan, MonoTime now) {
    for (Pilot& pilot : pilots_ | std::views::reverse) {
        if (counted() <= demand_.wanted) return;
        if (isPending(pilot)) endOne(pilot, plan.end, now);
    }
    for (Pilot& pilot : pilots_) {
        if (counted() <= demand_.wanted) return;
        if (pilot.state == PilotState::Joined && pilot.idle && now - *pilot.idle >= settings_.idle)
            endOne(pilot, plan.end, now);
    }
}

std::vector<std::string> Allocator::endAll(MonoTime now) {
    std::vector<std::string> end;
    for (Pilot& pilot : pilots_) endOne(pilot, end, now);
    return end;
}

bool Allocator::endJob(std::string_view job, MonoTime now) {
    Pilot* const pilot = find(job);
    return pilot && move(*pilot, PilotState::Ending, now);
}

void Allocator::giveUp(PilotNumber number, MonoTime now) {
    Pilot* const pilot = find(number);
    if (!pilot) return;
    std::ignore = move(*pilot, PilotState::Gone, now);
    sweep();
}

void Allocator::adopt(std::string job, MonoTime now) {
    if (job.empty() || find(job)) return;
    pilots_.push_back({.number = ++last_, .job = std::move(job), .state = PilotState::Waiting, .since = now});
}

bool Allocator::started(PilotNumber number, std::string job, MonoTime now) {
    Pilot* const pilot = find(number);
    if (!pilot) return true;
    pilot->job = std::move(job);
    return !move(*pilot, PilotState::Waiting, now);
}

void Allocator::notStarted(PilotNumber number, std::string sentence, MonoTime now) {
    Pilot* const pilot = find(number);
    if (!pilot) return;
    pause_.failed(std::move(sentence), now);
    gone(*pilot, now);
    sweep();
}

std::vector<std::string> Allocator::listed(std::span<const Listed> jobs, MonoTime now) {
    std::vector<std::string> end;
    for (Pilot& pilot : pilots_) {
        if (pilot.job.empty()) continue;
        const auto at = std::ranges::find(jobs, pilot.job, &Listed::job);
        if (at == jobs.end()) {
            const bool mayBeTooYoung = pilot.state == PilotState::Waiting && now - pilot.since < kListLag;
            if (!mayBeTooYoung) gone(pilot, now);
        } else if (!at->never.empty() && pilot.state == PilotState::Waiting) {
            pause_.failed(at->never, now);
            endOne(pilot, end, now);
        } else if (at->isRunning && pilot.state == PilotState::Waiting) {
            std::ignore = move(pilot, PilotState::Starting, now);
        } else if (!at->isRunning && (pilot.state == PilotState::Starting || pilot.state == PilotState::Joined)) {
            std::ignore = move(pilot, PilotState::Waiting, now);
        }
    }
    sweep();
    return end;
}

/// One that vanished by itself soon after it began, without work, was none: the program is missing there, or it cannot
/// reach this yard.
void Allocator::gone(Pilot& pilot, MonoTime now) {
    const bool byItself = pilot.state == PilotState::Starting || pilot.state == PilotState::Joined;
    if (byItself && !pilot.hasRun && pilot.began && now - *pilot.began < kNoPilot)
        pause_.failed(fmt::format("Job {} ended after {} without having run anything; look at what it printed.",
                                  pilot.job,
                                  durationText(std::chrono::duration<double>(now - *pilot.began).count())),
                      now);
    std::ignore = move(pilot, PilotState::Gone, now);
}

void Allocator::joined(std::string_view job, MonoTime now) {
    Pilot* const pilot = find(job);
    if (pilot && move(*pilot, PilotState::Joined, now)) pilot->idle = now;
}

void Allocator::worked(std::string_view job, bool isIdle, MonoTime now) {
    Pilot* const pilot = find(job);
    if (!pilot || pilot->state != PilotState::Joined) return;
    if (!pilot->hasRun) pause_.succeeded();
    pilot->hasRun = true;
    if (!isIdle) {
        pilot->idle.reset();
    } else if (!pilot->idle) {
        pilot->idle = now;
    }
}

void Allocator::left(std::string_view job, MonoTime now) {
    Pilot* const pilot = find(job);
    if (pilot && pilot->state == PilotState::Joined) std::ignore = move(*pilot, PilotState::Starting, now);
}

std::optional<MonoTime> Allocator::nextLook(MonoTime now) const {
    std::optional<MonoTime> next = pause_.until(now);
    const auto earlier = [&next](MonoTime time) { next = next ? std::min(*next, time) : time; };
    if (counted() > demand_.wanted)
        for (const Pilot& pilot : pilots_)
            if (pilot.idle) earlier(*pilot.idle + settings_.idle);
    return next;
}

std::string Allocator::decision(MonoTime now) const {
    const auto wanted = [this] {
        return fmt::format("{} machine{} wanted", demand_.wanted, demand_.wanted == 1 ? "" : "s");
    };
    const auto waiting = [this] {
        return fmt::format("{} action{} wait{}, {} of work for one machine", demand_.actions,
                           demand_.actions == 1 ? "" : "s", demand_.actions == 1 ? "s" : "",
                           durationText(demand_.machineSeconds));
    };
    std::string text;
    switch (demand_.because) {
    case Because::NothingWaits: text = wanted() + ": nothing waits that they could run"; break;
    case Because::Backlog: text = fmt::format("{}: {}", wanted(), waiting()); break;
    case Because::AtLeast: text = wanted() + ": as many are kept at least"; break;
    case Because::AtMost: text = fmt::format("{}, the most allowed: {}", wanted(), waiting()); break;
    case Because::NothingFits:
        text = fmt::format("{}: the {} action{} that wait{} need{} a larger machine, or one that lives longer",
                           wanted(), demand_.unfit, demand_.unfit == 1 ? "" : "s", demand_.unfit == 1 ? "s" : "",
                           demand_.unfit == 1 ? "s" : "");
        break;
    }
    switch (pause_.state(now)) {
    case AllocatorState::Active:
        if (counted() < demand_.wanted && pending() >= settings_.pendingMax)
            text += fmt::format("; {} wait in the other queue, no more are asked for meanwhile", pending());
        break;
    case AllocatorState::BackingOff: text += "; starts nothing for now: " + pause_.reason(); break;
    case AllocatorState::Paused:
        text += pause_.reason().empty() ? "; paused" : "; paused: " + pause_.reason();
        break;
    }
    return text;
}

} // namespace yard::allocators
