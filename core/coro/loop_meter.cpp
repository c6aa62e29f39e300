#include "core/coro/loop_meter.h"

#include "core/base/log.h"
#include "core/coro/thread.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace yard::coro {

namespace {

bool isLonger(const SlowTurn& a, const SlowTurn& b) {
    return a.ran > b.ran;
}

} // namespace

void LoopMeter::noteSlow(const Thread* thread, Duration ran) {
    if (slow_.size() == kSlowTurns) {
        std::ranges::pop_heap(slow_, isLonger);
        slow_.pop_back();
    }
    slow_.push_back({.thread = thread ? thread->id() : 0,
                     .name = thread ? thread->name() : std::string(),
                     .ran = ran,
                     .ended = wallNow(),
                     .chain = thread ? thread->chain() : std::vector<AwaitPlace>()});
    std::ranges::push_heap(slow_, isLonger);
    if (slow_.size() == kSlowTurns) slowFrom_ = slow_.front().ran + Duration(1);
}

std::vector<SlowTurn> LoopMeter::slowestTurns() const {
    std::vector<SlowTurn> turns = slow_;
    std::ranges::sort(turns, isLonger);
    return turns;
}

void LoopMeter::warn(const Thread& thread, Duration ran) {
    ++latencyWarnings_;
    logWarning("coro", "thread {} \"{}\" of loop {} ran {} ms without yielding", thread.id(), thread.name(), loop_,
               std::chrono::duration_cast<std::chrono::milliseconds>(ran).count());
    std::string_view word = "until";
    for (const AwaitPlace& place : thread.chain())
        logWarning("coro", "  {} {}:{} {}", std::exchange(word, "in"), place.file, place.line,
                   functionName(place.function));
    if (latencyHook_) latencyHook_(thread, ran);
}

void LoopMeter::warnOfPosted(Duration ran) {
    ++latencyWarnings_;
    logWarning("coro", "a function posted to loop {} ran {} ms", loop_, ran.count() / 1000);
}

} // namespace yard::coro
