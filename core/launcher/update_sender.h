// What the engine is told by the launcher: updates in the order in which they were put here, sent in batches. One waits
// at most for `quiet`; one that is urgent takes all before it along.
//
// Any thread may call; a mutex is held for the time of a copy, the send itself happens under a second one and never
// blocks. Lifetime: the launcher's, below the board and the pump. Bound: none of its own, as each lease has a few
// updates at most, and the launcher takes no more leases than its slots hold.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/lease/runner.h"
#include "core/lease/wire.h"

#include <atomic>
#include <cstddef>
#include <string>

namespace yard::runners {

class UpdateSender {
public:
    /// `mainWakeFd`: an eventfd of the main thread, written when a send would block.
    UpdateSender(int socketFd, int mainWakeFd, Duration quiet);
    UpdateSender(const UpdateSender&) = delete;
    UpdateSender& operator=(const UpdateSender&) = delete;

    void put(AttemptId id, const Started& started, bool urgent);
    void put(const wire::EndedFrame& frame, bool urgent);
    void put(AttemptId id, const LockBusy& busy);
    void put(AttemptId id, const StreamAt& at);
    void put(AttemptId id, const OutputEnds& ends);
    void put(AttemptId id, const Frozen& frozen);
    void putReturned(AttemptId id);
    /// The first word to the engine, sent at once.
    void sayHello(int pid);

    /// When flushIfDue() has to be called at the latest; max() when nothing waits.
    MonoTime flushAt();
    void flushIfDue(MonoTime now);
    void flush();
    /// True after a send that would have blocked: wait for the socket to be writable, then flush().
    bool isBlocked() const { return blocked_.load(std::memory_order_relaxed); }

private:
    void appended(MonoTime now, bool urgent) YARD_REQUIRES(mutex_);

    const int socketFd_;
    const int mainWakeFd_;
    const Duration quiet_;

    ThreadMutex mutex_; ///< taken after sendMutex_, and after the board's
    std::string unsent_ YARD_GUARDED_BY(mutex_);
    MonoTime firstUnsent_ YARD_GUARDED_BY(mutex_) = MonoTime::max();
    bool urgent_ YARD_GUARDED_BY(mutex_) = false;

    ThreadMutex sendMutex_;
    std::string sending_ YARD_GUARDED_BY(sendMutex_);
    std::size_t sent_ YARD_GUARDED_BY(sendMutex_) = 0;
    std::atomic<bool> blocked_{false};
};

} // namespace yard::runners
