#include "core/engine/running/gpu_watch.h"

#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/engine/running/gpu_environment.h"
#include "core/session/machine_commands.h"

#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

using Seen = std::vector<host::GpuFigures>;

coro::Task<void> until(coro::Event& event) {
    co_await event.wait();
}

coro::Task<Seen> answerOf(coro::OneShot<Seen>& shot) {
    co_return co_await shot.get();
}

} // namespace

GpuWatch::GpuWatch(Parts parts)
    : parts_(std::move(parts))
    , last_(parts_.gpus.size()) {}

coro::Task<void> GpuWatch::run() {
    YARD_ASSERT_OWNER(owner_);
    while (!last_.empty()) {
        const MonoTime at = MonoClock::now();
        asked_.clear();
        const std::uint64_t look = ++begun_;
        coro::OneShot<Seen> shot("GPUs");
        parts_.reader.look([promise = shot.promise()](Seen seen) mutable { promise.set(std::move(seen)); });
        std::optional<Seen> seen = co_await coro::within(parts_.pace.limit, answerOf(shot));
        if (!seen) {
            noteSilence();
            seen = co_await shot.get(); // asking again would only wait behind it
        }
        at_ = at;
        note(*seen);
        ended_ = look;
        answered_.notifyAll();
        const Duration period = parts_.isWatched() ? parts_.pace.watched : parts_.pace.unwatched;
        (void)co_await coro::within(period, until(asked_));
        // Each of many failures asks: those that come meanwhile share a look.
        if (const Duration since = MonoClock::now() - at; since < parts_.pace.apart)
            co_await coro::sleepFor(parts_.pace.apart - since);
    }
}

coro::Task<void> GpuWatch::seen(std::uint64_t look) {
    while (ended_ < look && !isSilent_) co_await answered_.wait();
}

coro::Task<std::string> GpuWatch::lostOf(GivenResources given) {
    YARD_ASSERT_OWNER(owner_);
    if (last_.empty()) co_return std::string();
    asked_.set();
    // The one that is under way may have begun before whatever is asked about.
    (void)co_await coro::within(parts_.pace.limit + parts_.pace.apart, seen(begun_ + 1));
    for (std::size_t i = 0; i < last_.size(); ++i)
        if (const host::Gpu& gpu = parts_.gpus[i]; !last_[i].lost.empty() && wasGiven(given, kGpus, gpu.index))
            co_return fmt::format("GPU {} was lost: {}", gpu.index, last_[i].lost);
    co_return std::string();
}

/// What was lost stays so: it is not known to be back.
void GpuWatch::noteSilence() {
    isSilent_ = true;
    answered_.notifyAll();
    for (host::GpuFigures& figures : last_) {
        std::string lost = std::move(figures.lost);
        figures = {.lost = std::move(lost),
                   .unknown = "its driver does not answer",
                   .utilisationPercent = {},
                   .memoryUsedBytes = {},
                   .powerWatts = {},
                   .temperatureC = {},
                   .processes = {}};
    }
    logWarning("engine",
               "the driver of the GPUs has not answered for {:g} s: what they do is not known until it does",
               std::chrono::duration<double>(parts_.pace.limit).count());
    parts_.changed();
}

void GpuWatch::note(const std::vector<host::GpuFigures>& figures) {
    if (std::exchange(isSilent_, false)) {
        logInfo("engine", "the driver of the GPUs answers again");
        parts_.changed();
    }
    const bool isFirst = !std::exchange(hasLooked_, true);
    for (std::size_t i = 0; i < last_.size() && i < figures.size(); ++i) {
        const bool wasLost = !last_[i].lost.empty();
        const bool isLost = !figures[i].lost.empty();
        last_[i] = figures[i];
        if (wasLost != isLost)
            noteLost(i, isLost);
        else if (isFirst) // it may have been lost at the start
            parts_.session.machines().setPieceLost(kGpus, parts_.gpus[i].index, false);
        if (wasLost != isLost || isFirst) parts_.tell({.gpu = parts_.gpus[i], .figures = last_[i], .at = at_});
    }
    if (isFirst) parts_.wake();
}

void GpuWatch::noteLost(std::size_t at, bool isLost) {
    const host::Gpu& gpu = parts_.gpus[at];
    parts_.session.machines().setPieceLost(kGpus, gpu.index, isLost);
    if (isLost) {
        logWarning("engine", "GPU {} ({}) is given to nobody any more: {}", gpu.index, gpu.name, last_[at].lost);
        parts_.endThose(gpu.index, last_[at].lost);
    } else {
        logInfo("engine", "GPU {} ({}) is back", gpu.index, gpu.name);
        parts_.wake();
    }
    parts_.changed();
}

std::vector<GpuView> GpuWatch::view() const {
    std::vector<GpuView> all;
    for (std::size_t i = 0; i < last_.size(); ++i)
        all.push_back({.gpu = parts_.gpus[i], .figures = last_[i], .at = at_});
    return all;
}

} // namespace yard::engine
