#include "app/yardctl/wire.h"

#include "app/yardctl/http_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <utility>

namespace yard::ctl {

namespace {

boost::system::error_code systemError(int err) {
    return {err, boost::system::system_category()};
}

struct AddressesDeleter {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesDeleter>;

Result<Addresses> resolve(const Endpoint& endpoint) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int rc = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &list);
    if (rc == 0) return Addresses(list);
    return fail(ErrorKind::Io, fmt::format("cannot find the host {}: {}; check the address in --url", endpoint.host,
                                           ::gai_strerror(rc)));
}

/// Small requests must not wait for acknowledgements, and a machine that vanished must be noticed by a follower
/// that waits without limit.
void tune(int fd) {
    const int on = 1;
    const int idleSeconds = 30;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idleSeconds, sizeof idleSeconds);
}

} // namespace

Wire::Wire()
    : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<void> Wire::connect(const Endpoint& endpoint, std::chrono::milliseconds limit) {
    close();
    failed_ = timedOut_ = false;
    stranger_.clear();
    auto addresses = resolve(endpoint);
    if (!addresses) return std::unexpected(addresses.error());
    Result<void> last = fail(ErrorKind::Io, "no address");
    for (const addrinfo* a = addresses->get(); a; a = a->ai_next) {
        UniqueFd fd(::socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol));
        if (!fd) {
            last = failErrno("cannot make a socket", errno);
            continue;
        }
        last = connectTo(fd.get(), a->ai_addr, a->ai_addrlen, limit);
        if (!last) continue;
        tune(fd.get());
        socket_ = std::move(fd);
        return endpoint.secure ? shakeHands(endpoint, limit) : Result<void>();
    }
    return last;
}

Result<void> Wire::connectTo(int fd, const void* address, unsigned size, std::chrono::milliseconds limit) {
    if (::connect(fd, static_cast<const sockaddr*>(address), size) == 0) return {};
    if (errno != EINPROGRESS) return failErrno("cannot connect", errno);
    if (await(fd, POLLOUT, limit) == 0) return failErrno("cannot connect", isInterrupted() ? ECANCELED : ETIMEDOUT);
    int err = 0;
    socklen_t length = sizeof err;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &length);
    if (err != 0) return failErrno("cannot connect", err);
    return {};
}

Result<void> Wire::shakeHands(const Endpoint& endpoint, std::chrono::milliseconds limit) {
    auto session = tls::Session::connect({.fingerprint = endpoint.fingerprint, .host = endpoint.host});
    if (!session) return std::unexpected(std::move(session.error()));
    tls_ = std::move(*session);
    const auto usual = std::exchange(silence_, limit);
    boost::system::error_code ec;
    auto step = tls_->handshake();
    while (step == tls::Session::Step::NeedsMore && flush(ec) && feed(ec)) step = tls_->handshake();
    silence_ = usual;
    boost::system::error_code unheard;
    const bool told = flush(ec ? unheard : ec);
    if (step == tls::Session::Step::Done && told) return {};
    auto why = step == tls::Session::Step::Failed
                   ? explainHandshake(endpoint)
                   : fail(ErrorKind::Io, fmt::format("cannot connect: no handshake with {}: {}", endpoint.url(),
                                                     ec == boost::asio::error::eof ? "it hung up" : ec.message()));
    close();
    return why;
}

Result<void> Wire::explainHandshake(const Endpoint& endpoint) {
    if (!tls_->isMistrusted())
        return fail(ErrorKind::Io, fmt::format("cannot connect: {} does not speak TLS 1.3 as it should: {}",
                                               endpoint.url(), tls_->failure()));
    const std::string& shown = tls_->peerFingerprint();
    if (endpoint.fingerprint.empty()) {
        stranger_ = shown;
        return fail(ErrorKind::Forbidden,
                    fmt::format("{} is not known here; its fingerprint is {}", endpoint.url(), shown));
    }
    return fail(
        ErrorKind::Forbidden,
        fmt::format("{} shows the fingerprint {}, and {} says {}: either the engine was set up again, or somebody "
                    "is in between. If you know that it was, remove its line there",
                    endpoint.url(), shown, endpoint.knownBy, endpoint.fingerprint));
}

bool Wire::flush(boost::system::error_code& ec) {
    const std::string bytes = tls_->output();
    for (std::string_view rest = bytes; !rest.empty() && !ec;) {
        iovec piece{const_cast<char*>(rest.data()), rest.size()};
        rest.remove_prefix(transmitPlain(&piece, 1, ec));
    }
    return !ec;
}

bool Wire::feed(boost::system::error_code& ec) {
    std::array<char, tls::Session::kMostFed> room;
    iovec piece{room.data(), room.size()};
    const std::size_t came = receivePlain(&piece, 1, ec);
    tls_->feed({room.data(), came});
    return !ec;
}

void Wire::close() {
    if (tls_ && socket_ && !failed_) {
        tls_->close();
        const std::string bytes = tls_->output();
        if (!bytes.empty()) (void)::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    tls_.reset();
    socket_.reset();
}

bool Wire::isReusable() const {
    if (!socket_ || failed_) return false;
    pollfd probe{socket_.get(), POLLIN | POLLRDHUP, 0};
    return ::poll(&probe, 1, 0) == 0;
}

void Wire::interrupt() {
    interrupted_.store(true, std::memory_order_relaxed);
    ::eventfd_write(wake_.get(), 1);
}

short Wire::await(int fd, short events, std::chrono::milliseconds limit) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + limit;
    timedOut_ = false;
    while (true) {
        if (isInterrupted()) return 0;
        int left = -1;
        if (limit.count() > 0) {
            const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            left = static_cast<int>(std::max<std::int64_t>(rest, 0));
        }
        pollfd fds[2] = {{fd, events, 0}, {wake_.get(), POLLIN, 0}};
        const int rc = ::poll(fds, 2, left);
        if (rc < 0 && errno != EINTR) return 0;
        if (rc > 0 && fds[0].revents != 0) return fds[0].revents;
        if (rc == 0 && left == 0) {
            timedOut_ = true;
            return 0;
        }
    }
}

bool Wire::gaveUp(int err, boost::system::error_code& ec) {
    ec = systemError(err);
    failed_ = true;
    return false;
}

bool Wire::awaitReadable(boost::system::error_code& ec) {
    if (await(socket_.get(), POLLIN, silence_) != 0) return true;
    return gaveUp(isInterrupted() ? ECANCELED : ETIMEDOUT, ec);
}

bool Wire::awaitWritable(boost::system::error_code& ec) {
    const short came = await(socket_.get(), POLLIN | POLLOUT, silence_);
    if (came == 0) return gaveUp(isInterrupted() ? ECANCELED : ETIMEDOUT, ec);
    return (came & POLLOUT) != 0 || gaveUp(ECONNABORTED, ec);
}

std::size_t Wire::receive(iovec* vectors, std::size_t count, boost::system::error_code& ec) {
    if (!tls_ || count == 0) return receivePlain(vectors, count, ec);
    ec = {};
    for (;;) {
        std::size_t got = 0;
        const auto step = tls_->read({static_cast<char*>(vectors[0].iov_base), vectors[0].iov_len}, got);
        if (step == tls::Session::Step::Done) return got;
        if (step == tls::Session::Step::NeedsMore && feed(ec)) continue;
        failed_ = true;
        if (!ec)
            ec = step == tls::Session::Step::Ended ? boost::asio::error::make_error_code(boost::asio::error::eof)
                                                   : systemError(EPROTO);
        return 0;
    }
}

std::size_t Wire::transmit(iovec* vectors, std::size_t count, boost::system::error_code& ec) {
    if (!tls_ || count == 0) return transmitPlain(vectors, count, ec);
    ec = {};
    const std::string_view all(static_cast<const char*>(vectors[0].iov_base), vectors[0].iov_len);
    const std::string_view piece = all.substr(0, tls::Session::kMostWritten);
    if (tls_->write(piece) != tls::Session::Step::Done) {
        failed_ = true;
        ec = systemError(EPROTO);
        return 0;
    }
    return flush(ec) ? piece.size() : 0;
}

std::size_t Wire::receivePlain(iovec* vectors, std::size_t count, boost::system::error_code& ec) {
    ec = {};
    if (count == 0) return 0;
    while (true) {
        const ssize_t n = ::readv(socket_.get(), vectors, static_cast<int>(count));
        if (n > 0) return static_cast<std::size_t>(n);
        if (n == 0) {
            failed_ = true;
            ec = boost::asio::error::eof;
            return 0;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            failed_ = true;
            ec = systemError(errno);
            return 0;
        }
        if (!awaitReadable(ec)) return 0;
    }
}

std::size_t Wire::transmitPlain(iovec* vectors, std::size_t count, boost::system::error_code& ec) {
    ec = {};
    if (count == 0) return 0;
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = count;
    while (true) {
        const ssize_t n = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            failed_ = true;
            ec = systemError(errno);
            return 0;
        }
        if (!awaitWritable(ec)) return 0;
    }
}

void Wire::writeAll(std::string_view data, boost::system::error_code& ec) {
    ec = {};
    while (!data.empty() && !ec) data.remove_prefix(write_some(boost::asio::buffer(data), ec));
}

} // namespace yard::ctl
