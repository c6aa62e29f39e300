// An epoll with a wake-up event, and an inbox for messages to the thread that waits on it. Used by the launcher's
// threads, which do not use Asio: a closed descriptor stays in an epoll while a child between clone and exec holds
// its copy, so everything here is taken out before it is closed, and an event is a hint.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cstdint>
#include <span>
#include <sys/epoll.h>
#include <vector>

namespace yard::runners {

/// Owner: the thread that waits; wake() may be called by any.
class EpollSet {
public:
    static constexpr std::uint64_t kWakeKey = ~std::uint64_t{0};

    /// Throws std::system_error when descriptors run out: only at the start of the launcher.
    EpollSet();
    bool add(int fd, std::uint32_t events, std::uint64_t key);
    void change(int fd, std::uint32_t events, std::uint64_t key);
    void remove(int fd);
    /// Waits until `until` (max(): forever). The wake-up is taken and not among the answers.
    std::span<const epoll_event> wait(MonoTime until);
    void wake();
    int wakeFd() const { return wake_.get(); }

private:
    UniqueFd epoll_;
    UniqueFd wake_;
    std::array<epoll_event, 64> events_;
};

/// Messages to one thread. post() wakes it only when it may be asleep with an empty inbox.
template<class Message>
class Inbox {
public:
    explicit Inbox(EpollSet& epoll)
        : epoll_(epoll) {}
    void post(Message message) {
        bool first = false;
        {
            const ThreadLock lock(mutex_);
            first = messages_.empty();
            messages_.push_back(std::move(message));
        }
        if (first) epoll_.wake();
    }
    std::vector<Message> take() {
        const ThreadLock lock(mutex_);
        return std::exchange(messages_, {});
    }

private:
    EpollSet& epoll_;
    ThreadMutex mutex_;
    std::vector<Message> messages_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::runners
