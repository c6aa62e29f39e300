// What a connection sends: heads, bodies, pieces of long answers; as they are, or encrypted.
#include "core/http/connection.h"

#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/coro/timeout.h"
#include "core/http/error_map.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <iterator>
#include <sys/socket.h>
#include <sys/uio.h>

namespace yard::http {

coro::Task<bool> Connection::writeResponse(Response& response) {
    if (response.producer) co_return co_await writeProduced(response);
    const bool isHead = request_.head.method == Method::Head;
    formatHead(response, isHead && response.length ? *response.length : response.body.size());
    co_return co_await send(answerHead_, isHead ? std::string_view{} : response.body);
}

coro::Task<bool> Connection::writeProduced(Response& response) {
    const bool chunked = !response.length && request_.head.isHttp11;
    if (!response.length && !chunked)
        mayGoOn_ = false; // HTTP/1.0: the end of the connection is the end of the body
    if (request_.head.method == Method::Head) {
        formatHead(response, response.length);
        co_return co_await send(answerHead_);
    }
    Result<std::string_view> piece;
    // With a length the first piece comes at once, and an error in its place can still be said properly.
    if (response.length) {
        piece = co_await produce(*response.producer);
        if (!piece) {
            Response failure = errorResponse(piece.error());
            formatHead(failure, failure.body.size());
            co_return co_await send(answerHead_, failure.body);
        }
    }
    formatHead(response, response.length);
    bool sent = co_await send(answerHead_);
    if (!response.length && sent) piece = co_await produce(*response.producer);
    std::uint64_t total = 0;
    while (sent && piece && !piece->empty()) {
        total += piece->size();
        if (response.length && total > *response.length) co_return false;
        if (chunked) {
            const std::string size = fmt::format("{:x}\r\n", piece->size());
            sent = co_await send(size, *piece, "\r\n");
        } else {
            sent = co_await send(*piece);
        }
        if (sent) piece = co_await produce(*response.producer);
    }
    if (!sent || !piece || (response.length && total != *response.length)) co_return false;
    if (chunked) co_return co_await send("0\r\n\r\n");
    co_return true;
}

/// The next piece, unless the token of who asked is over before it comes.
coro::Task<Result<std::string_view>> Connection::produce(BodyProducer& producer) {
    const std::shared_ptr<const Caller> caller = request_.presence.share();
    const auto over = [] { return fail(ErrorKind::Unauthorized, "The token is no longer valid."); };
    if (caller && caller->isOver()) co_return over();
    try {
        if (!caller || caller->expires == 0) co_return co_await producer.next();
        auto piece = co_await coro::within(Duration(caller->expires - wallNow()), producer.next());
        co_return piece ? std::move(*piece) : over();
    } catch (const std::exception& problem) {
        logWarning("http", "an answer to {} was cut: {}", request_.head.path(), problem.what());
    }
    co_return fail(ErrorKind::Internal, "The answer could not be completed.");
}

void Connection::formatHead(const Response& response, std::optional<std::uint64_t> length) {
    const std::time_t now = static_cast<std::time_t>(wallNow() / 1'000'000);
    if (now != server_.dateSecond) {
        std::tm parts{};
        ::gmtime_r(&now, &parts);
        char text[64];
        std::strftime(text, sizeof text, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
        server_.dateField = text;
        server_.dateSecond = now;
    }
    answerHead_.clear();
    auto out = std::back_inserter(answerHead_);
    fmt::format_to(out, "HTTP/1.1 {} {}\r\n{}", response.status, reasonPhrase(response.status), server_.dateField);
    if (response.status != 204) {
        fmt::format_to(out, "Content-Type: {}\r\n", response.contentType);
        if (length)
            fmt::format_to(out, "Content-Length: {}\r\n", *length);
        else if (request_.head.isHttp11)
            answerHead_ += "Transfer-Encoding: chunked\r\n";
    }
    for (const auto& [fieldName, value] : response.fields) fmt::format_to(out, "{}: {}\r\n", fieldName, value);
    if (!mayGoOn_)
        answerHead_ += "Connection: close\r\n";
    else if (!request_.head.isHttp11)
        answerHead_ += "Connection: keep-alive\r\n";
    answerHead_ += "\r\n";
}

/// All of the pieces, in order; false when the client is gone or takes nothing for too long.
coro::Task<bool> Connection::send(std::string_view first, std::string_view second, std::string_view third) {
    if (!tls_) co_return co_await sendPlain({first, second, third});
    std::size_t encrypted = 0;
    for (std::string_view piece : {first, second, third}) {
        while (!piece.empty()) {
            const std::string_view part = piece.substr(0, tls::Session::kMostWritten);
            piece.remove_prefix(part.size());
            if (!tls_->encrypt(part)) co_return false;
            encrypted += part.size();
            if (encrypted < tls::Session::kMostWritten) continue;
            encrypted = 0;
            const bool sent = co_await sendPlain({tls_->takeOutput(), {}, {}});
            if (!sent) co_return false;
        }
    }
    co_return co_await sendPlain({tls_->takeOutput(), {}, {}});
}

/// As they are, to the socket.
coro::Task<bool> Connection::sendPlain(std::array<std::string_view, 3> pieces) {
    for (;;) {
        std::array<iovec, 3> parts{};
        std::size_t count = 0;
        for (std::string_view piece : pieces)
            if (!piece.empty())
                parts[count++] = {.iov_base = const_cast<char*>(piece.data()), .iov_len = piece.size()};
        if (count == 0) co_return true;
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = count;
        const ssize_t n = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) co_return false;
        std::size_t taken = n < 0 ? 0 : static_cast<std::size_t>(n);
        for (std::string_view& piece : pieces) {
            const std::size_t part = std::min(taken, piece.size());
            piece.remove_prefix(part);
            taken -= part;
        }
        if (n >= 0) continue;
        const bool writable = co_await waitWritable();
        if (!writable) co_return false;
    }
}

coro::Task<bool> Connection::waitWritable() {
    const auto writable = [](coro::TcpSocket& socket) -> coro::Task<bool> {
        const auto [error] = co_await coro::asyncOp<coro::DoneSignature>("http write", [&](auto handler) {
            socket.async_wait(coro::TcpSocket::wait_write, std::move(handler));
        });
        co_return !error;
    };
    const std::optional<bool> ready = co_await coro::within(server_.limits.writeStall, writable(socket_));
    co_return ready.value_or(false);
}

} // namespace yard::http
