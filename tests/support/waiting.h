// What a test waits for at most. It ends what hangs: no test waits for it otherwise.
#pragma once

#include <chrono>
#include <thread>

namespace yard {

/// In ms. With a sanitizer, on a busy machine, everything takes many times as long.
#ifdef YARD_SANITIZED
inline constexpr int kWaitMs = 180'000;
#else
inline constexpr int kWaitMs = 60'000;
#endif

/// Whether it holds in time, for what other threads and processes bring about: this thread handles no events
/// meanwhile. Blocks for `limitMs` at most.
template<class F>
bool eventually(F holds, int limitMs = kWaitMs) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limitMs);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

} // namespace yard
