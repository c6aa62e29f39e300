// The engine behind its door: opens and closes, owns the engine thread, and takes the turns in which the session decides
// and the services carry it out. What the services stand on is in Ground, they themselves in Services; Wiring made
// them. What is asked of the engine is asked of a service (ask.h), and passes none of this.
//
// Owner: built and closed by main; everything between open() and close() on the engine thread, in cooperative
// threads: one that takes turns (pump), one that waits for the session's timers, one for each service that has a run(),
// one per command, two for each attempt that needs a directory. Others post, or use the thread-safe parts.
#pragma once

#include "core/coro/events.h"
#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/interrupted.h"
#include "core/engine/kernel/services.h"
#include "core/engine/kernel/warm_side.h"
#include "core/engine/kernel/wiring.h"

#include <atomic>
#include <future>
#include <thread>

namespace yard::engine {

class Kernel {
public:
    explicit Kernel(Options options);
    ~Kernel();

    // --- life, called by main (lifecycle.cpp)
    Result<void> open();
    void close();
    void hurry();

    /// Moves the engine's threads onto one CPU while it has little to do, apart while it is busy. Engine thread.
    void placeThreads();
    /// Engine thread.
    Services& services() { return services_; }

    // --- any thread
    bool isClosing() const { return closing_; }
    /// What of it is for any thread is said there.
    Ground& ground() { return ground_; }

private:
    // lifecycle.cpp
    Result<void> openStorage();
    void openSession();
    void settingsChanged(const Settings& before);
    Result<void> begin();
    Result<void> startRunners();
    void startServices();
    void runLoop(std::promise<Result<void>> begun);
    coro::Task<void> beginWork(std::promise<Result<void>> begun);
    /// Something is in flight, or not committed.
    bool isBusy() const;
    coro::Task<void> idleFor(Duration atMost);
    coro::Task<void> sunset();

    // pump.cpp: the turns
    void wake() { work_.set(); }
    coro::Task<void> pump();
    coro::Task<void> watchTimers();
    bool takeTurn();
    void carryOut();

    std::atomic<bool> closing_{false};
    std::atomic<bool> hurried_{false};
    Ground ground_;
    Services services_{ground_.loop, [this] { wake(); }};
    WarmSide warmSide_{ground_, services_, [this] { wake(); }};
    Wiring wiring_{ground_, services_, warmSide_, [this] { wake(); }};
    coro::Event work_;                ///< the pump has something to do
    coro::Event timersChanged_;       ///< nextWake() may be earlier than before
    coro::ConditionVariable idle_;    ///< notified when nothing is in flight any more
    InterruptedAttempts interrupted_; ///< until the journal is restored
    std::thread thread_;
};

} // namespace yard::engine
