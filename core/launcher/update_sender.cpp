#include "core/launcher/update_sender.h"

#include <algorithm>
#include <cerrno>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace yard::runners {

UpdateSender::UpdateSender(int socketFd, int mainWakeFd, Duration quiet)
    : socketFd_(socketFd)
    , mainWakeFd_(mainWakeFd)
    , quiet_(quiet) {}

void UpdateSender::put(AttemptId id, const Started& started, bool urgent) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, id, started);
    appended(started.times.running, urgent);
}

void UpdateSender::put(const wire::EndedFrame& frame, bool urgent) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, frame);
    appended(frame.ended.times.ended, urgent);
}

void UpdateSender::put(AttemptId id, const LockBusy& busy) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, id, busy);
    appended(MonoClock::now(), true);
}

void UpdateSender::put(AttemptId id, const StreamAt& at) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, id, at);
    appended(MonoClock::now(), true);
}

void UpdateSender::put(AttemptId id, const OutputEnds& ends) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, id, ends);
    appended(MonoClock::now(), true);
}

void UpdateSender::put(AttemptId id, const Frozen& frozen) {
    const ThreadLock lock(mutex_);
    wire::put(unsent_, id, frozen);
    appended(frozen.at, true);
}

void UpdateSender::putReturned(AttemptId id) {
    const ThreadLock lock(mutex_);
    wire::putReturned(unsent_, id);
    appended(MonoClock::now(), true);
}

void UpdateSender::appended(MonoTime now, bool urgent) {
    firstUnsent_ = std::min(firstUnsent_, now);
    urgent_ = urgent_ || urgent;
}

MonoTime UpdateSender::flushAt() {
    const ThreadLock lock(mutex_);
    if (urgent_) return MonoTime{};
    return firstUnsent_ == MonoTime::max() ? firstUnsent_ : firstUnsent_ + quiet_;
}

void UpdateSender::flushIfDue(MonoTime now) {
    if (now >= flushAt()) flush();
}

void UpdateSender::flush() {
    const ThreadLock sendLock(sendMutex_);
    {
        const ThreadLock lock(mutex_);
        if (sending_.empty())
            sending_.swap(unsent_);
        else
            sending_.append(unsent_);
        unsent_.clear();
        firstUnsent_ = MonoTime::max();
        urgent_ = false;
    }
    while (sent_ < sending_.size()) {
        const ssize_t n =
            ::send(socketFd_, sending_.data() + sent_, sending_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            sending_.erase(0, sent_);
            sent_ = 0;
            if (!blocked_.exchange(true, std::memory_order_relaxed)) ::eventfd_write(mainWakeFd_, 1);
            return;
        }
        // The engine is gone: the main thread reads the same from the socket and ends everything.
        if (n < 0) break;
        sent_ += static_cast<std::size_t>(n);
    }
    sending_.clear();
    sent_ = 0;
    blocked_.store(false, std::memory_order_relaxed);
}

void UpdateSender::sayHello(int pid) {
    {
        const ThreadLock lock(mutex_);
        wire::Hello hello;
        hello.pid = pid;
        wire::put(unsent_, hello);
    }
    flush();
}

} // namespace yard::runners
