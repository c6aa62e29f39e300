#include "core/runners/warm_channel.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace yard::runners {

namespace {

/// Bytes that wait for a process to read; beyond, nothing more is sent to it.
constexpr std::size_t kMostUnread = 64u << 10;

} // namespace

Result<UniqueFd> WarmChannel::open() {
    YARD_ASSERT_OWNER(owner_);
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failErrno("no socket could be made for it", errno);
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    theirs_.reset(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 0));
    if (!theirs_) return failErrno("no socket could be made for it", errno);
    struct stat socket{};
    if (::fstat(theirs_.get(), &socket) == 0) theirInode_ = socket.st_ino;
    socket_ = std::move(ours);
    return theirs;
}

void WarmChannel::watch(int epollFd, std::uint64_t key) {
    epollFd_ = epollFd;
    key_ = key;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = key;
    ::epoll_ctl(epollFd, EPOLL_CTL_ADD, socket_.get(), &event);
}

/// shutdown() first: a child that is just being cloned may hold a copy of the descriptor.
void WarmChannel::close() {
    if (!socket_) return;
    ::epoll_ctl(epollFd_, EPOLL_CTL_DEL, socket_.get(), nullptr);
    ::shutdown(socket_.get(), SHUT_RDWR);
    socket_.reset();
    out_.clear();
    written_ = 0;
}

bool WarmChannel::put(const warm::Request& request) {
    YARD_ASSERT_OWNER(owner_);
    const std::size_t before = out_.size();
    if (!warm::put(out_, request)) return false;
    put_ += out_.size() - before;
    count();
    return true;
}

bool WarmChannel::isFull() const {
    return out_.size() - written_ >= kMostUnread;
}

WarmChannel::Write WarmChannel::write() {
    YARD_ASSERT_OWNER(owner_);
    while (socket_ && written_ < out_.size()) {
        const ssize_t n =
            ::send(socket_.get(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return Write::HungUp;
        if (n < 0) break;
        written_ += static_cast<std::size_t>(n);
        sent_ += static_cast<std::uint64_t>(n);
    }
    const bool isDone = written_ == out_.size();
    if (isDone) {
        out_.clear();
        written_ = 0;
    }
    if (!socket_ || waitsToWrite_ == !isDone) return Write::Done;
    waitsToWrite_ = !isDone;
    epoll_event event{};
    event.events = isDone ? EPOLLIN : EPOLLIN | EPOLLOUT;
    event.data.u64 = key_;
    ::epoll_ctl(epollFd_, EPOLL_CTL_MOD, socket_.get(), &event);
    return isDone ? Write::HasRoom : Write::Done;
}

/// The kernel counts what waits at the process's end, and drops it only with that: we have it too.
std::uint64_t WarmChannel::bytesRead() const {
    int unread = 0;
    if (::ioctl(theirs_.get(), FIONREAD, &unread) != 0) return std::numeric_limits<std::uint64_t>::max();
    return sent_ - std::min<std::uint64_t>(sent_, std::max(unread, 0));
}

} // namespace yard::runners
