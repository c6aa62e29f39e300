#include "core/http/connection.h"

#include "core/base/log.h"
#include "core/base/sentences.h"
#include "core/coro/one_shot.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/http/error_map.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace yard::http {

namespace {

constexpr std::size_t kSmallBuffer = 4 * 1024;
constexpr std::size_t kBodyBuffer = 64 * 1024;
constexpr std::size_t kStreamBuffer = 256 * 1024;
/// Of a body that nobody wants: so much is read and dropped to keep the connection.
constexpr std::uint64_t kMaxSkipped = 64 * 1024;
/// Of input after a refusal: so much is read and dropped, that the answer is not lost in a reset.
constexpr std::size_t kMaxLinger = 16u << 20;
/// Request bodies keep their buffer for the next request up to this.
constexpr std::size_t kMaxKeptBody = 64 * 1024;

/// To a client that does not speak TLS where it has to.
constexpr std::string_view kSpeakTls =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 77\r\nConnection: close\r\n\r\n"
    R"({"error":"malformed","message":"This engine speaks TLS: use https:// here."}
)";

Response timeoutResponse(std::string_view what) {
    Response response;
    response.status = 408;
    response.body = fmt::format(R"({{"error":"timeout","message":"{}"}})", what);
    response.close = true;
    return response;
}

} // namespace

Connection::Connection(ServerState& server, coro::TcpSocket socket)
    : server_(server)
    , socket_(std::move(socket))
    , share_(server.budget)
    , wanted_(kSmallBuffer) {
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
    socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    request_.link = this;
    request_.secure = server.tls != nullptr;
    request_.localPort = server.port;
    const auto peer = socket_.remote_endpoint(ignored);
    if (!ignored) request_.peer = peer.address().to_string();
    ++server_.open;
    server_.openCount.fetch_add(1, std::memory_order_relaxed);
}

Connection::~Connection() {
    if (tls_) tls_->close();
    // release() takes the descriptor out of epoll, which Asio's close leaves to the kernel (and that to the last
    // copy).
    boost::system::error_code error;
    const int fd = socket_.is_open() ? socket_.release(error) : -1;
    if (fd >= 0 && !error) {
        ::shutdown(fd, SHUT_RDWR);
        ::close(fd);
    }
    --server_.open;
    server_.openCount.fetch_sub(1, std::memory_order_relaxed);
    server_.changed.notifyAll();
}

coro::Task<void> Connection::run() {
    thread_ = &coro::currentThread();
    if (server_.tls) {
        const bool begun = co_await beginTls();
        if (!begun) co_return;
    }
    for (;;) {
        const bool came = co_await waitForRequest();
        if (!came) co_return;
        const Next next = co_await serveOne();
        server_.requests.fetch_add(1, std::memory_order_relaxed);
        share_.release();
        if (next == Next::Linger) co_await linger();
        if (next != Next::KeepAlive) co_return;
        co_await coro::giveWayIfSelfish();
    }
}

void Connection::interruptSoftly() {
    unlink();
    if (webSocket_) return webSocket_->stop();
    if (stream_) return stream_->close();
    softlyInterrupted_ = true;
    thread_->interrupt();
}

bool Connection::peerGone() {
    if (tls_) return tls_->peerGone();
    char byte;
    const ssize_t n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Connection::cut() {
    ::shutdown(socket_.native_handle(), SHUT_RDWR);
}

void Connection::setInterruptible(bool interruptible) {
    if (interruptible) {
        server_.waiting.push_back(*this);
        return;
    }
    unlink();
    // The stop reached its aim, the wait is over: the answer can be written. Not when the loop destroys the frame.
    if (softlyInterrupted_ && coro::currentThreadOrNull() == thread_) {
        softlyInterrupted_ = false;
        coro::acknowledgeInterrupt();
    }
}

// --- before the first request

coro::Task<bool> Connection::beginTls() {
    if (server_.stopping) co_return false;
    auto session = server_.tls->accept();
    if (!session) co_return false;
    tls_ = std::make_unique<TlsChannel>(socket_, std::move(session));
    server_.idle.push_back(*this);
    server_.changed.notifyAll();
    const auto greeting = co_await coro::within(server_.limits.handshake, tls_->greet(server_.handshakes));
    unlink();
    if (!greeting || softlyInterrupted_) co_return false;
    if (*greeting == TlsChannel::Greeting::Plain) {
        tls_.reset();
        const bool told = co_await send(kSpeakTls);
        if (told) co_await linger();
        co_return false;
    }
    co_return *greeting == TlsChannel::Greeting::Done;
}

// --- between requests

coro::Task<bool> Connection::waitForRequest() {
    if (begin_ < end_) co_return true;
    if (server_.stopping) co_return false;
    wanted_ = kSmallBuffer;
    server_.idle.push_back(*this);
    server_.changed.notifyAll();
    const bool came = (co_await coro::within(server_.limits.idle, fill())).value_or(false);
    unlink();
    if (came && softlyInterrupted_) {
        // A request and the wish to close met: the request wins.
        softlyInterrupted_ = false;
        coro::acknowledgeInterrupt();
    }
    co_return came;
}

coro::Task<Connection::Next> Connection::serveOne() {
    mayGoOn_ = false;
    bodyDone_ = true;
    continueDue_ = false;
    request_.source = nullptr;
    request_.route = -1;
    for (std::string& capture : request_.captures) capture.clear();
    if (request_.body.capacity() > kMaxKeptBody) request_.body = std::string();
    request_.body.clear();

    std::optional<Response> failure = co_await readHead();
    if (failure) {
        failure->close = true;
        bodyDone_ = false;
        co_return co_await answer(std::move(*failure));
    }
    beginBody();
    failure = wrongExpectation();
    if (failure) co_return co_await answer(std::move(*failure));

    Admission admission = server_.handler.admit(request_);
    if (admission.refusal) {
        if (admission.delay > Duration::zero()) co_await coro::sleepFor(admission.delay);
        co_return co_await answer(std::move(*admission.refusal));
    }
    if (admission.mode == BodyMode::Stream) {
        wanted_ = kStreamBuffer;
        request_.source = this;
    } else if (!bodyDone_) {
        const Trouble trouble = co_await readWhole(admission.limit);
        if (trouble == Trouble::Gone) co_return Next::Close;
        if (trouble != Trouble::None) co_return co_await answer(troubleResponse(trouble, admission.limit));
    }
    Response response = co_await callHandler();
    if (response.webSocket) co_return co_await upgrade(std::move(response.webSocket));
    if (response.stream) co_return co_await beginStream(std::move(response.stream), response.protocol);
    co_return co_await answer(std::move(response));
}

/// Nothing when the head is complete.
coro::Task<std::optional<Response>> Connection::readHead() {
    parser_.reset();
    const auto complete = co_await coro::within(server_.limits.head, parseHead());
    if (!complete) co_return timeoutResponse("The request did not arrive in time; send it at once.");
    if (!*complete) co_return errorResponse(complete->error());
    // The client closed in the middle of a head: an answer does no harm, and helps one that only closed its half.
    if (!**complete) co_return errorResponse(ErrorKind::Malformed, "The request ends within its head.");
    mayGoOn_ = parser_.keepsAlive() && !server_.stopping;
    co_return std::nullopt;
}

coro::Task<Result<bool>> Connection::parseHead() {
    for (;;) {
        std::string_view in(buffer_.data() + begin_, end_ - begin_);
        const Result<bool> complete = parser_.readHead(in, request_.head);
        begin_ = end_ - in.size();
        if (!complete || *complete) co_return complete;
        const bool more = co_await fill();
        if (!more) co_return false;
    }
}

void Connection::beginBody() {
    const RequestHead& head = request_.head;
    bodyDone_ = !head.hasBody;
    bodyLeft_ = head.contentLength.value_or(0);
    bodyReceived_ = 0;
    bodyBegan_ = coro::currentLoop().now();
    if (bodyDone_) return;
    if (!head.contentLength || bodyLeft_ > kSmallBuffer) wanted_ = kBodyBuffer;
    const auto expect = head.field("Expect");
    continueDue_ = expect && head.isHttp11 && begin_ == end_;
}

std::optional<Response> Connection::wrongExpectation() const {
    const auto expect = request_.head.field("Expect");
    if (!expect || equalsNoCase(*expect, "100-continue")) return std::nullopt;
    Response response = errorResponse(ErrorKind::Malformed, "The only expectation met here is 100-continue.");
    response.status = 417;
    return response;
}

// --- answering

coro::Task<Connection::Next> Connection::answer(Response response) {
    const bool skip = canSkipBody();
    if (!skip || response.close || server_.stopping) mayGoOn_ = false;
    const bool written = co_await writeResponse(response);
    response.producer.reset();
    if (!written) co_return Next::Close;
    if (!mayGoOn_) co_return bodyDone_ ? Next::Close : Next::Linger;
    if (bodyDone_) co_return Next::KeepAlive;
    const bool skipped = co_await skipBody();
    co_return skipped ? Next::KeepAlive : Next::Close;
}

coro::Task<Response> Connection::callHandler() {
    try {
        co_return co_await server_.handler.handle(request_);
    } catch (const coro::LostError&) {
        // The engine went away under the request.
    } catch (const std::exception& problem) {
        logError("http", "{} {}: {}", name(request_.head.method), request_.head.path(), problem.what());
        co_return errorResponse(ErrorKind::Internal, "The engine made a mistake; its log says more.");
    }
    co_return errorResponse(ErrorKind::NotAccepting, kEngineIsStopping);
}

std::optional<Response> Connection::refuseToUpgrade() const {
    if (begin_ < end_)
        return errorResponse(ErrorKind::Malformed, "Wait for the answer 101 before you send frames.");
    if (server_.stopping) return errorResponse(ErrorKind::NotAccepting, kEngineIsStopping);
    return std::nullopt;
}

/// The rest of the connection's life as a WebSocket.
coro::Task<Connection::Next> Connection::upgrade(std::unique_ptr<WebSocketHandler> handler) {
    mayGoOn_ = false;
    if (auto refusal = refuseToUpgrade()) co_return co_await answer(std::move(*refusal));
    buffer_ = Bytes();
    server_.waiting.push_back(*this);
    co_await runWebSocket(socket_, tls_.get(), request_.head, *handler, server_.limits, webSocket_);
    unlink();
    co_return Next::Linger;
}

/// The same as a stream of another protocol.
coro::Task<Connection::Next> Connection::beginStream(std::unique_ptr<StreamHandler> handler,
                                                     std::string_view protocol) {
    mayGoOn_ = false;
    if (auto refusal = refuseToUpgrade()) co_return co_await answer(std::move(*refusal));
    buffer_ = Bytes();
    const std::string switching =
        fmt::format("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: {}\r\n\r\n", protocol);
    const bool answered = co_await send(switching);
    // A stop looks at who is listed: it has passed one that was still answering.
    if (!answered || server_.stopping) co_return Next::Close;
    server_.waiting.push_back(*this);
    co_await runStream(socket_, tls_.get(), request_.head.path(), *handler, stream_);
    unlink();
    co_return Next::Linger;
}

bool Connection::canSkipBody() const {
    return bodyDone_ || (!continueDue_ && request_.head.contentLength && bodyLeft_ <= kMaxSkipped);
}

coro::Task<bool> Connection::skipBody() {
    while (!bodyDone_) {
        const Piece piece = co_await nextPiece();
        if (piece.trouble != Trouble::None) co_return false;
    }
    co_return true;
}

coro::Task<void> Connection::linger() {
    if (tls_) tls_->close();
    ::shutdown(socket_.native_handle(), SHUT_WR);
    co_await coro::within(server_.limits.linger, dropInput());
}

coro::Task<void> Connection::dropInput() {
    for (std::size_t dropped = 0; dropped < kMaxLinger; dropped += end_) {
        begin_ = end_ = 0;
        const bool more = co_await fill();
        if (!more) co_return;
    }
}

// --- bodies

coro::Task<Result<std::string_view>> Connection::read() {
    const Piece piece = co_await nextPiece();
    switch (piece.trouble) {
    case Trouble::None: co_return piece.bytes;
    case Trouble::Malformed: co_return fail(ErrorKind::Malformed, chunkError_);
    case Trouble::Slow: co_return fail(ErrorKind::Io, "The body arrived too slowly.");
    default: co_return fail(ErrorKind::Io, "The client closed the connection within its body.");
    }
}

coro::Task<Connection::Trouble> Connection::readWhole(std::uint64_t limit) {
    if (request_.head.contentLength) {
        if (bodyLeft_ > limit) co_return Trouble::TooLarge;
        request_.body.reserve(std::min<std::uint64_t>(bodyLeft_, kBodyBuffer));
    }
    std::string& body = request_.body;
    while (!bodyDone_) {
        const std::uint64_t next = std::min<std::uint64_t>(request_.head.contentLength ? bodyLeft_ : kBodyBuffer,
                                                           std::max(buffer_.size(), wanted_));
        // Of a piece that goes over the limit nothing is kept: no more is asked for than a body may have.
        const std::uint64_t most = std::min<std::uint64_t>(body.size() + next, limit);
        if (!share_.holds(most)) {
            const bool room = co_await share_.growTo(most, server_.limits.budgetWait);
            if (!room) co_return Trouble::NoRoom;
        }
        const Piece piece = co_await nextPiece();
        if (piece.trouble != Trouble::None) co_return piece.trouble;
        if (piece.bytes.size() > limit - body.size()) co_return Trouble::TooLarge;
        body.append(piece.bytes);
    }
    co_return Trouble::None;
}

coro::Task<Connection::Piece> Connection::nextPiece() {
    if (std::exchange(continueDue_, false) && begin_ == end_) {
        const bool sent = co_await send("HTTP/1.1 100 Continue\r\n\r\n");
        if (!sent) co_return Piece{.bytes = {}, .trouble = Trouble::Gone};
    }
    while (!bodyDone_) {
        const Piece piece = takePiece();
        if (piece.trouble != Trouble::None || !piece.bytes.empty()) co_return piece;
        if (bodyDone_) break;
        const Trouble trouble = co_await fillBody();
        if (trouble != Trouble::None) co_return Piece{.bytes = {}, .trouble = trouble};
    }
    co_return Piece{};
}

/// What the buffer has of the body; empty when that is nothing.
Connection::Piece Connection::takePiece() {
    std::string_view in(buffer_.data() + begin_, end_ - begin_);
    if (in.empty()) return {};
    if (request_.head.contentLength) {
        const std::string_view bytes = in.substr(0, bodyLeft_);
        begin_ += bytes.size();
        bodyLeft_ -= bytes.size();
        bodyDone_ = bodyLeft_ == 0;
        return {.bytes = bytes};
    }
    const Result<std::string_view> bytes = parser_.readChunked(in);
    begin_ = end_ - in.size();
    if (!bytes) {
        chunkError_ = bytes.error().message;
        return {.bytes = {}, .trouble = Trouble::Malformed};
    }
    bodyDone_ = parser_.isDone();
    return {.bytes = *bytes};
}

coro::Task<Connection::Trouble> Connection::fillBody() {
    const std::size_t had = end_ - begin_;
    const std::optional<bool> more = co_await coro::within(server_.limits.bodyStall, fill());
    if (!more) co_return Trouble::Slow;
    if (!*more) co_return Trouble::Gone;
    bodyReceived_ += end_ - begin_ - had;
    const Duration allowed =
        server_.limits.bodyGrace +
        std::chrono::seconds(bodyReceived_ / std::max<std::uint64_t>(1, server_.limits.minBodyRate));
    co_return coro::currentLoop().now() - bodyBegan_ > allowed ? Trouble::Slow : Trouble::None;
}

/// At least one more byte in the buffer; false at the end or on an error.
coro::Task<bool> Connection::fill() {
    makeRoom();
    if (tls_) {
        const std::size_t count = co_await tls_->read({buffer_.data() + end_, buffer_.size() - end_});
        end_ += count;
        co_return count > 0;
    }
    const auto [error, bytes] = co_await coro::asyncOp<coro::IoSignature>("http read", [&](auto handler) {
        socket_.async_read_some(boost::asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                                std::move(handler));
    });
    if (error) co_return false;
    end_ += bytes;
    co_return true;
}

void Connection::makeRoom() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        if (buffer_.size() != wanted_) {
            buffer_ = Bytes(); // first, so that both are never there at once
            buffer_.resize(wanted_);
        }
        return;
    }
    if (end_ < buffer_.size()) return;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        return;
    }
    // Full of something that is not complete: the parser refuses before it is over twice the limit of a head.
    buffer_.resize(buffer_.size() * 2);
}

Response Connection::troubleResponse(Trouble trouble, std::uint64_t limit) const {
    switch (trouble) {
    case Trouble::Slow: return timeoutResponse("The body did not arrive in time; send it faster or in parts.");
    case Trouble::TooLarge:
        return errorResponse(ErrorKind::TooLarge,
                             fmt::format("The body is over the {} bytes that this route takes; send less.", limit));
    case Trouble::NoRoom:
        return errorResponse(ErrorKind::Busy, "Too many requests are under way; send this one again in a second.");
    default: break;
    }
    Response response = errorResponse(ErrorKind::Malformed, chunkError_);
    response.close = true;
    return response;
}

coro::Task<void> serve(ServerState& server, coro::TcpSocket socket) {
    Connection connection(server, std::move(socket));
    co_await connection.run();
}

} // namespace yard::http
