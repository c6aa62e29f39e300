// Frames over a socket: bytes and descriptors are sent, and what was received is cut as wire.h says.
#include "core/lease/wire.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace yard::runners::wire {

ssize_t sendWith(int socketFd, std::string_view bytes, std::span<const SharedFd> fds) {
    iovec from{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFds * sizeof(int))] = {};
    if (!fds.empty()) {
        assert(fds.size() <= kMostFds);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
        for (std::size_t i = 0; i < fds.size(); ++i) {
            const int fd = fds[i]->get();
            std::memcpy(CMSG_DATA(head) + i * sizeof fd, &fd, sizeof fd);
        }
    }
    return ::sendmsg(socketFd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

FrameBuffer::Fill FrameBuffer::receive(int socketFd) {
    if (at_ > 0) {
        bytes_.erase(0, at_);
        at_ = 0;
    }
    constexpr std::size_t kRead = 64u << 10;
    if (!chunk_) chunk_ = std::make_unique_for_overwrite<char[]>(kRead);
    iovec into{chunk_.get(), kRead};
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFds * sizeof(int))];
    msghdr message{};
    message.msg_iov = &into;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got = -1;
    do got = ::recvmsg(socketFd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const int err = errno;
    for (cmsghdr* head = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr; head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            fds_.emplace_back(fd);
        }
    }
    if (got > 0) bytes_.append(chunk_.get(), static_cast<std::size_t>(got));
    if (got > 0) return static_cast<std::size_t>(got) == kRead ? Fill::Data : Fill::LastData;
    if (got < 0 && (err == EAGAIN || err == EWOULDBLOCK)) return Fill::WouldBlock;
    return Fill::Closed;
}

UniqueFd FrameBuffer::takeFd() {
    if (fds_.empty()) return {};
    UniqueFd fd = std::move(fds_.front());
    fds_.pop_front();
    return fd;
}

std::optional<Frame> FrameBuffer::next() {
    if (broken_ || bytes_.size() - at_ < 4) return {};
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + at_, 4);
    if (length == 0 || length > kMaxFrame) {
        broken_ = true;
        return {};
    }
    if (bytes_.size() - at_ - 4 < length) return {};
    const std::string_view body = std::string_view(bytes_).substr(at_ + 4, length);
    at_ += 4 + length;
    return Frame{static_cast<FrameType>(body[0]), body.substr(1)};
}

} // namespace yard::runners::wire
