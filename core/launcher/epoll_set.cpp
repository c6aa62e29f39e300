#include "core/launcher/epoll_set.h"

#include <algorithm>
#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>

namespace yard::runners {

EpollSet::EpollSet()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC))
    , wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!epoll_ || !wake_ || !add(wake_.get(), EPOLLIN, kWakeKey))
        throw std::system_error(errno, std::generic_category(), "epoll");
}

bool EpollSet::add(int fd, std::uint32_t events, std::uint64_t key) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void EpollSet::change(int fd, std::uint32_t events, std::uint64_t key) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EpollSet::remove(int fd) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const epoll_event> EpollSet::wait(MonoTime until) {
    int timeout = -1;
    if (until != MonoTime::max()) {
        const auto left = std::max(until - MonoClock::now(), Duration::zero());
        // Rounded up: waking a little late is fine, waking early again and again is not.
        const auto milliseconds = (left.count() + 999) / 1000;
        timeout = static_cast<int>(std::min<std::int64_t>(milliseconds, 1'000'000));
    }
    const int n = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout);
    std::size_t kept = 0;
    for (int i = 0; i < n; ++i) {
        if (events_[static_cast<std::size_t>(i)].data.u64 == kWakeKey) {
            eventfd_t count = 0;
            ::eventfd_read(wake_.get(), &count);
        } else {
            events_[kept++] = events_[static_cast<std::size_t>(i)];
        }
    }
    return {events_.data(), kept};
}

void EpollSet::wake() {
    ::eventfd_write(wake_.get(), 1);
}

} // namespace yard::runners
