#include "core/http/web_socket.h"

#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/coro/timeout.h"
#include "core/http/connection.h"
#include "core/http/error_map.h"

#include <algorithm>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <sys/socket.h>

namespace yard::http {

namespace {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

/// Beast asks for room beyond the message.
constexpr std::size_t kSpare = 4 * 1024;
/// What the kernel keeps of what a slow peer has not taken: what waits there gets old, and thousands may be slow.
constexpr int kSendBuffer = 128 * 1024;

/// The first buffer of a sequence with something in it, or in which there is room.
template<class Buffer, class Buffers>
Buffer firstOf(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers);
         ++at)
        if (const Buffer buffer(*at); buffer.size() > 0) return buffer;
    return {};
}

/// An operation of Asio: what is said, decrypted into one buffer. Ends through the loop, never within its start.
struct ReadSecurely {
    TlsChannel* tls;
    coro::TcpSocket* socket;
    boost::asio::mutable_buffer into;
    bool reads = false; ///< the socket does, for this
    bool ends = false;  ///< only the end is still to be told
    std::size_t count = 0;
    beast::error_code outcome{};

    template<class Self>
    void operator()(Self& self, beast::error_code error = {}, std::size_t came = 0) {
        if (ends) return self.complete(outcome, count);
        if (reads && error) return self.complete(error, 0);
        const std::span<char> room(static_cast<char*>(into.data()), into.size());
        const auto step = room.empty() ? TlsChannel::Step::Done : tls->decrypt(reads ? came : 0, room, count);
        if (step == TlsChannel::Step::NeedsMore) {
            const std::span<char> input = tls->input();
            reads = true;
            return socket->async_read_some(boost::asio::buffer(input.data(), input.size()), std::move(self));
        }
        if (step == TlsChannel::Step::Ended) outcome = boost::asio::error::eof;
        if (step == TlsChannel::Step::Failed) outcome = boost::asio::error::connection_aborted;
        if (reads) return self.complete(outcome, count);
        ends = true;
        boost::asio::post(socket->get_executor(), std::move(self));
    }
};

/// One buffer or the beginning of it, encrypted and sent whole.
struct WriteSecurely {
    TlsChannel* tls;
    coro::TcpSocket* socket;
    std::string_view piece;
    bool sends = false;
    bool ends = false;

    template<class Self>
    void operator()(Self& self, beast::error_code error = {}, std::size_t = 0) {
        if (sends) return self.complete(error, error ? 0 : piece.size());
        if (ends) return self.complete(boost::asio::error::connection_aborted, 0);
        piece = piece.substr(0, tls::Session::kMostWritten);
        if (!tls->encrypt(piece)) {
            ends = true;
            return boost::asio::post(socket->get_executor(), std::move(self));
        }
        sends = true;
        const std::string_view bytes = tls->takeOutput();
        boost::asio::async_write(*socket, boost::asio::buffer(bytes.data(), bytes.size()), std::move(self));
    }
};

/// A connection's socket under Beast, by TLS where it has that, which never closes it: the connection does, and takes it out of epoll first.
class Layer {
public:
    using executor_type = coro::Executor;
    Layer(coro::TcpSocket& socket, TlsChannel* tls)
        : socket_(&socket)
        , tls_(tls) {}
    executor_type get_executor() const noexcept { return socket_->get_executor(); }
    template<class Buffers, class Handler>
    auto async_read_some(const Buffers& buffers, Handler&& handler) {
        if (!tls_) return socket_->async_read_some(buffers, std::forward<Handler>(handler));
        ReadSecurely read{.tls = tls_, .socket = socket_, .into = firstOf<boost::asio::mutable_buffer>(buffers)};
        return boost::asio::async_compose<Handler, coro::IoSignature>(std::move(read), handler, *socket_);
    }
    template<class Buffers, class Handler>
    auto async_write_some(const Buffers& buffers, Handler&& handler) {
        if (!tls_) return socket_->async_write_some(buffers, std::forward<Handler>(handler));
        const auto from = firstOf<boost::asio::const_buffer>(buffers);
        WriteSecurely write{
            .tls = tls_, .socket = socket_, .piece = {static_cast<const char*>(from.data()), from.size()}};
        return boost::asio::async_compose<Handler, coro::IoSignature>(std::move(write), handler, *socket_);
    }
    void shutDown(int how) const { ::shutdown(socket_->native_handle(), how); }

    friend void beast_close_socket(Layer& layer) { layer.shutDown(SHUT_RDWR); }
    template<class Handler>
    friend void async_teardown(beast::role_type, Layer& layer, Handler&& handler) {
        if (layer.tls_) layer.tls_->close();
        layer.shutDown(SHUT_WR);
        boost::asio::post(layer.get_executor(),
                          beast::bind_front_handler(std::forward<Handler>(handler), beast::error_code{}));
    }

private:
    coro::TcpSocket* socket_;
    TlsChannel* tls_; ///< null: none
};

/// Sixteen bytes in base64.
bool isKey(std::string_view key) {
    return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
                      c == '/';
           });
}

class BeastSocket final : public WebSocket {
public:
    BeastSocket(coro::TcpSocket& socket, TlsChannel* tls, const Limits& limits)
        : limits_(limits)
        , stream_(socket, tls)
        , buffer_(limits.webSocketMessage + kSpare) {
        ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
        websocket::stream_base::timeout timeout{};
        timeout.handshake_timeout = limits.linger;
        timeout.idle_timeout = limits.webSocketIdle;
        timeout.keep_alive_pings = true;
        stream_.set_option(timeout);
        stream_.read_message_max(limits.webSocketMessage);
        stream_.auto_fragment(false);
    }

    coro::Task<bool> accept(const RequestHead& head) {
        beast::http::request<beast::http::empty_body> request(beast::http::verb::get, "/", 11);
        for (const char* name : {"Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"})
            if (const auto value = head.field(name)) request.set(name, *value);
        const auto [error] = co_await coro::asyncOp<coro::DoneSignature>(
            "websocket accept", [&](auto handler) { stream_.async_accept(request, std::move(handler)); });
        co_return !error;
    }

    coro::Task<std::optional<Message>> read() override {
        buffer_.clear();
        const auto [error, bytes] = co_await coro::asyncOp<coro::IoSignature>(
            "websocket read", [&](auto handler) { stream_.async_read(buffer_, std::move(handler)); });
        if (error) co_return std::nullopt;
        Message message{std::string(static_cast<const char*>(buffer_.cdata().data()), buffer_.size()),
                        stream_.got_text()};
        co_return message;
    }

    coro::Task<bool> send(std::string_view text) override {
        const std::optional<bool> sent = co_await coro::within(limits_.writeStall, write(text));
        co_return sent.value_or(false);
    }

    coro::Task<void> close(CloseCode code, std::string_view reason) override {
        const websocket::close_reason why(static_cast<websocket::close_code>(code), reason);
        co_await coro::within(limits_.linger, shake(why));
        cut();
    }

    void cut() override { stream_.next_layer().shutDown(SHUT_RDWR); }

private:
    coro::Task<bool> write(std::string_view text) {
        stream_.text(true);
        const auto [error, bytes] = co_await coro::asyncOp<coro::IoSignature>("websocket write", [&](auto handler) {
            stream_.async_write(boost::asio::buffer(text.data(), text.size()), std::move(handler));
        });
        co_return !error;
    }
    coro::Task<void> shake(websocket::close_reason why) {
        co_await coro::asyncOp<coro::DoneSignature>(
            "websocket close", [&](auto handler) { stream_.async_close(why, std::move(handler)); });
    }

    const Limits& limits_;
    websocket::stream<Layer, false> stream_;
    beast::flat_buffer buffer_;
};

/// The connection must not see a socket that is gone.
class Current {
public:
    Current(WebSocket*& slot, WebSocket& socket)
        : slot_(slot) {
        slot_ = &socket;
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() { slot_ = nullptr; }

private:
    WebSocket*& slot_;
};

} // namespace

std::optional<Response> refuseUpgrade(const RequestHead& head) {
    const bool asks = head.method == Method::Get && head.isHttp11 &&
                      hasToken(head.field("Upgrade").value_or(""), "websocket") &&
                      hasToken(head.field("Connection").value_or(""), "upgrade");
    const bool knows = head.field("Sec-WebSocket-Version") == "13";
    if (!asks || !knows) {
        Response response = errorResponse(
            ErrorKind::Malformed, "This is a WebSocket, version 13; open it with a WebSocket client (ws://…).");
        response.status = 426;
        response.fields.emplace_back("Upgrade", "websocket");
        response.fields.emplace_back("Sec-WebSocket-Version", "13");
        return response;
    }
    if (head.count("Sec-WebSocket-Key") != 1 || !isKey(*head.field("Sec-WebSocket-Key")))
        return errorResponse(ErrorKind::Malformed, "Sec-WebSocket-Key is 16 bytes in base64, once.");
    return std::nullopt;
}

coro::Task<void> runWebSocket(coro::TcpSocket& socket, TlsChannel* tls, const RequestHead& head,
                              WebSocketHandler& handler, const Limits& limits, WebSocket*& current) {
    BeastSocket web(socket, tls, limits);
    const bool accepted = co_await web.accept(head);
    if (!accepted) co_return;
    Current guard(current, web);
    try {
        co_await handler.serve(web);
    } catch (const coro::LostError&) {
        // The engine went away.
    } catch (const std::exception& problem) {
        logError("http", "{}: {}", head.path(), problem.what());
    }
    web.onStop(nullptr);
}

} // namespace yard::http
