#include "core/http/tls_channel.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"

#include <cerrno>
#include <sys/socket.h>

namespace yard::http {

namespace {

/// First byte of a TLS connection: a record of its handshake.
constexpr char kHandshakeRecord = 0x16;

} // namespace

/// 0: the peer is gone.
coro::Task<std::size_t> TlsChannel::receive() {
    const auto [error, bytes] = co_await coro::asyncOp<coro::IoSignature>("http read", [&](auto handler) {
        socket_.async_read_some(boost::asio::buffer(input_.data(), input_.size()), std::move(handler));
    });
    co_return error ? 0 : bytes;
}

coro::Task<bool> TlsChannel::sendOutput() {
    const std::string_view bytes = takeOutput();
    if (bytes.empty()) co_return true;
    const auto [error, sent] = co_await coro::asyncOp<coro::IoSignature>("http write", [&](auto handler) {
        boost::asio::async_write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), std::move(handler));
    });
    co_return !error;
}

/// It has a turn while it computes, and not while it waits for the peer: who is silent keeps nobody waiting.
coro::Task<TlsChannel::Step> TlsChannel::shakeHands(coro::Semaphore& turns) {
    const auto turn = co_await turns.hold();
    const Step step = session_->handshake();
    co_await coro::yieldNow();
    co_return step;
}

coro::Task<TlsChannel::Greeting> TlsChannel::greet(coro::Semaphore& turns) {
    for (bool isFirst = true;; isFirst = false) {
        const std::size_t came = co_await receive();
        if (came == 0) co_return Greeting::Over;
        if (isFirst && input_[0] != kHandshakeRecord) co_return Greeting::Plain;
        session_->feed({input_.data(), came});
        const Step step = co_await shakeHands(turns);
        const bool sent = co_await sendOutput(); // an alert, too
        if (step == Step::Done && sent) co_return Greeting::Done;
        if (step == Step::Failed) logDebug("http", "no handshake: {}", session_->failure());
        if (step != Step::NeedsMore || !sent) co_return Greeting::Over;
    }
}

TlsChannel::Step TlsChannel::decrypt(std::size_t came, std::span<char> into, std::size_t& count) {
    session_->feed({input_.data(), came});
    return session_->read(into, count);
}

coro::Task<std::size_t> TlsChannel::read(std::span<char> into) {
    std::size_t came = 0;
    for (;;) {
        std::size_t count = 0;
        const Step step = decrypt(came, into, count);
        if (step == Step::Done) co_return count;
        if (step != Step::NeedsMore) co_return 0;
        came = co_await receive();
        if (came == 0) co_return 0;
    }
}

bool TlsChannel::encrypt(std::string_view piece) {
    return session_->write(piece) == Step::Done;
}

void TlsChannel::close() {
    session_->close();
    const std::string_view bytes = takeOutput();
    if (!bytes.empty())
        (void)::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool TlsChannel::peerGone() {
    for (;;) {
        const tls::Session::Peer peer = session_->peek();
        if (peer != tls::Session::Peer::Silent) return peer == tls::Session::Peer::Gone;
        const ssize_t n = ::recv(socket_.native_handle(), input_.data(), input_.size(), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
        if (n == 0) return true;
        session_->feed({input_.data(), static_cast<std::size_t>(n)});
    }
}

} // namespace yard::http
