#include "core/linkio/streams.h"

#include "core/coro/net.h"
#include "core/coro/timeout.h"

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <cassert>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <utility>

namespace yard::linkio {

namespace {

using AnySocket = boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, coro::Executor>;

class SocketStream final : public ByteStream {
public:
    explicit SocketStream(AnySocket socket)
        : socket_(std::move(socket)) {}

    coro::Task<std::size_t> read(std::span<char> into) override {
        const coro::Moved moved = co_await coro::readSome(socket_, into);
        co_return moved.error ? 0 : moved.bytes;
    }
    coro::Task<bool> write(std::string_view bytes) override {
        const coro::Moved moved = co_await coro::writeAll(socket_, bytes);
        co_return !moved.error;
    }
    void close() override { ::shutdown(socket_.native_handle(), SHUT_RDWR); }

private:
    AnySocket socket_;
};

class DescriptorStream final : public ByteStream {
public:
    explicit DescriptorStream(coro::Loop& loop)
        : in_(loop.io())
        , out_(loop.io()) {}

    Result<void> assign(UniqueFd in, UniqueFd out) {
        for (const auto& [stream, fd] : {std::pair(&in_, &in), std::pair(&out_, &out)}) {
            coro::ErrorCode error;
            stream->assign(fd->get(), error);
            if (error) return failErrno("wait for a descriptor of the link", error.value());
            (void)fd->release();
        }
        return {};
    }
    coro::Task<std::size_t> read(std::span<char> into) override {
        const coro::Moved moved = co_await coro::readSome(in_, into);
        co_return moved.error ? 0 : moved.bytes;
    }
    coro::Task<bool> write(std::string_view bytes) override {
        const coro::Moved moved = co_await coro::writeAll(out_, bytes);
        co_return !moved.error;
    }
    void close() override {
        coro::ErrorCode ignored;
        in_.close(ignored);
        out_.close(ignored);
    }

private:
    coro::StreamFd in_;
    coro::StreamFd out_;
};

class TlsStream final : public ByteStream {
public:
    TlsStream(std::unique_ptr<ByteStream> below, std::unique_ptr<tls::Session> session)
        : below_(std::move(below))
        , session_(std::move(session)) {}

    coro::Task<bool> greet() {
        for (;;) {
            const Step step = session_->handshake();
            const std::string said = session_->output(); // an alert, too
            const bool sent = said.empty() || co_await below_->write(said);
            if (step == Step::Done) co_return sent;
            if (step != Step::NeedsMore || !sent) co_return false;
            const bool came = co_await feedSome();
            if (!came) co_return false;
        }
    }
    const std::string& failure() const { return session_->failure(); }
    const std::string& peerFingerprint() const { return session_->peerFingerprint(); }
    bool isMistrusted() const { return session_->isMistrusted(); }

    coro::Task<std::size_t> read(std::span<char> into) override {
        for (;;) {
            std::size_t count = 0;
            const Step step = session_->read(into, count);
            if (step == Step::Done) co_return count;
            if (step != Step::NeedsMore) co_return 0;
            const bool came = co_await feedSome();
            if (!came) co_return 0;
        }
    }
    coro::Task<bool> write(std::string_view bytes) override {
        while (!bytes.empty()) {
            const std::string_view part = bytes.substr(0, tls::Session::kMostWritten);
            bytes.remove_prefix(part.size());
            if (session_->write(part) != Step::Done) co_return false;
            const std::string encrypted = session_->output();
            const bool sent = co_await below_->write(encrypted);
            if (!sent) co_return false;
        }
        co_return true;
    }
    void close() override { below_->close(); }

private:
    using Step = tls::Session::Step;
    coro::Task<bool> feedSome() {
        const std::size_t count = co_await below_->read(input_);
        session_->feed({input_.data(), count});
        co_return count > 0;
    }

    std::unique_ptr<ByteStream> below_;
    std::unique_ptr<tls::Session> session_;
    std::array<char, tls::Session::kMostFed> input_;
};

} // namespace

void tuneSocket(int fd) {
    // Of a unix socket both fail, and are not needed.
    const int on = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof kUnsentBytes);
}

Result<std::unique_ptr<ByteStream>> socketStream(coro::Loop& loop, UniqueFd fd) {
    int family = 0;
    socklen_t size = sizeof family;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_DOMAIN, &family, &size) != 0)
        return failErrno("look at a socket of the link", errno);
    tuneSocket(fd.get());
    AnySocket socket(loop.io());
    coro::ErrorCode error;
    socket.assign(boost::asio::generic::stream_protocol(family, 0), fd.get(), error);
    if (error) return failErrno("wait for a socket of the link", error.value());
    (void)fd.release();
    return std::make_unique<SocketStream>(std::move(socket));
}

Result<std::unique_ptr<ByteStream>> descriptorStream(coro::Loop& loop, UniqueFd in, UniqueFd out) {
    auto stream = std::make_unique<DescriptorStream>(loop);
    if (auto assigned = stream->assign(std::move(in), std::move(out)); !assigned)
        return std::unexpected(std::move(assigned.error()));
    return stream;
}

coro::Task<Result<std::unique_ptr<ByteStream>>> tlsStream(std::unique_ptr<ByteStream> below,
                                                          std::unique_ptr<tls::Session> session, Duration limit) {
    assert(session);
    auto stream = std::make_unique<TlsStream>(std::move(below), std::move(session));
    const std::optional<bool> greeted = co_await coro::within(limit, stream->greet());
    if (!greeted) co_return fail(ErrorKind::Io, "The other side did not finish the handshake of TLS in time.");
    if (stream->isMistrusted()) {
        auto mistrusted = fail(ErrorKind::Invalid, stream->failure());
        mistrusted.error().field = stream->peerFingerprint();
        co_return mistrusted;
    }
    if (!*greeted)
        co_return fail(ErrorKind::Io, stream->failure().empty()
                                          ? std::string("The other side left before the handshake of TLS was done.")
                                          : stream->failure());
    co_return stream;
}

} // namespace yard::linkio
