#include "core/engine/running/gpu_watch.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/running/gpu_environment.h"

#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kWatchedPeriod{1'000'000};
constexpr Duration kUnwatchedPeriod{5'000'000};

} // namespace

GpuWatch::GpuWatch(Parts parts)
    : parts_(std::move(parts))
    , last_(parts_.gpus->all().size()) {}

coro::Task<void> GpuWatch::run() {
    YARD_ASSERT_OWNER(owner_);
    while (!last_.empty()) {
        note(co_await parts_.helpers.run([gpus = parts_.gpus] { return gpus->look(); }));
        co_await coro::sleepFor(parts_.isWatched() ? kWatchedPeriod : kUnwatchedPeriod);
    }
}

void GpuWatch::note(const std::vector<host::GpuFigures>& figures) {
    for (std::size_t i = 0; i < last_.size() && i < figures.size(); ++i) {
        const host::Gpu& gpu = parts_.gpus->all()[i];
        const bool wasLost = !last_[i].lost.empty();
        const bool isLost = !figures[i].lost.empty();
        last_[i] = figures[i];
        if (wasLost == isLost) continue;
        parts_.session.setPieceLost(kGpus, gpu.index, isLost);
        if (isLost) {
            logWarning("engine", "GPU {} ({}) is given to nobody any more: {}", gpu.index, gpu.name, last_[i].lost);
        } else {
            logInfo("engine", "GPU {} ({}) is back", gpu.index, gpu.name);
            parts_.wake();
        }
        parts_.changed();
    }
}

std::vector<GpuView> GpuWatch::view() const {
    std::vector<GpuView> all;
    for (std::size_t i = 0; i < last_.size(); ++i)
        all.push_back({.gpu = parts_.gpus->all()[i], .figures = last_[i]});
    return all;
}

} // namespace yard::engine
