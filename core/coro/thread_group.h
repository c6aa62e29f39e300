// ThreadGroup: threads that belong to an object and are joined before it goes, such as the connections of a server.
// Owner: the loop's OS thread. Lifetime: stop() or join() before destruction, checked in debug builds.
#pragma once

#include "core/coro/suspend.h"
#include "core/coro/thread.h"

#include <cstddef>
#include <string>
#include <vector>

namespace yard::coro {

class ThreadGroup {
public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;
    ~ThreadGroup();

    /// Starts a thread that belongs to the group, on `loop` or on the current one.
    ThreadRef spawn(Loop& loop, std::string name, Task<void> body);
    ThreadRef spawn(std::string name, Task<void> body);
    /// Those that have not ended. A walk over the group.
    std::size_t size() const noexcept;
    void interruptAll();
    /// Waits until all have ended, also those that are started meanwhile. Throws Interrupted.
    Task<void> join();
    /// Interrupts all and waits until they have ended, whatever happens to the caller; what is pending for it is
    /// raised at its next suspension.
    Task<void> stop();

private:
    void forgetEnded();
    std::vector<ThreadRef> threads_;
    std::size_t forgetAt_ = 64; ///< ended threads are dropped when the list has grown to this
};

} // namespace yard::coro
