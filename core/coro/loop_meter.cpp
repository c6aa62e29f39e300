#include "core/coro/loop_meter.h"

#include "core/base/log.h"
#include "core/coro/thread.h"

#include <chrono>

namespace yard::coro {

void LoopMeter::warn(const Thread& thread, Duration ran) {
    ++latencyWarnings_;
    logWarning("coro", "thread {} \"{}\" of loop {} ran {} ms without yielding", thread.id(), thread.name(), loop_,
               std::chrono::duration_cast<std::chrono::milliseconds>(ran).count());
    if (latencyHook_) latencyHook_(thread, ran);
}

void LoopMeter::warnOfPosted(Duration ran) {
    ++latencyWarnings_;
    logWarning("coro", "a function posted to loop {} ran {} ms", loop_, ran.count() / 1000);
}

} // namespace yard::coro
