// One connection: a loop of read, handle, write on a cooperative thread, and what all connections of a server
// share. Private to core/http. Heavy (sockets): only connection.cpp and server.cpp include it.
//
// Owner: the http thread. Lifetime: ServerState outlives every connection; a Connection lives in the frame of
// serve().
#pragma once

#include "core/base/memory_ledger.h"
#include "core/coro/net.h"
#include "core/coro/sync.h"
#include "core/coro/wait.h"
#include "core/http/body_budget.h"
#include "core/http/message_parser.h"
#include "core/http/server.h"
#include "core/http/tls_channel.h"
#include "core/http/upgraded_stream.h"
#include "core/http/web_socket.h"

#include <array>
#include <atomic>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

class Connection;

/// What the connections of one server share.
struct ServerState {
    ServerState(Handler& requestHandler, const Limits& serverLimits, std::shared_ptr<tls::ServerTls> serverTls)
        : handler(requestHandler)
        , limits(serverLimits)
        , tls(std::move(serverTls))
        , budget(serverLimits.bodyBudget)
        , handshakes(serverLimits.handshakes) {}

    Handler& handler;
    const Limits limits;
    const std::shared_ptr<tls::ServerTls> tls; ///< null: plain HTTP
    BodyBudget budget;
    coro::Semaphore handshakes;         ///< that compute in one turn of the thread
    coro::HookList<Connection> idle;    ///< between requests or before the first, longest first
    coro::HookList<Connection> waiting; ///< handlers that may be interrupted by a stop
    coro::ConditionVariable changed;    ///< a connection ended or became idle
    std::uint16_t port = 0;
    bool stopping = false;
    std::size_t open = 0;
    std::string dateField; ///< "Date: …\r\n" of dateSecond
    std::time_t dateSecond = 0;
    std::atomic<std::uint64_t> openCount{0}, accepted{0}, requests{0}, acceptFailures{0}, evicted{0}, delayed{0};
};

class Connection final : public Link, public BodySource, public coro::ListHook {
public:
    Connection(ServerState& server, coro::TcpSocket socket);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() override;

    /// Until the client or the server ends it. Interrupted and socket errors end it too.
    coro::Task<void> run();
    /// Ends an idle connection, or a handler's wait; the answer is still written then.
    void interruptSoftly();

    bool peerGone() override;
    bool isStopping() const override { return server_.stopping; }
    void setInterruptible(bool interruptible) override;
    void cut() override;
    coro::Task<Result<std::string_view>> read() override;

private:
    enum class Next : unsigned char { KeepAlive, Close, Linger };
    /// Why a body could not be read.
    enum class Trouble : unsigned char { None, Gone, Slow, Malformed, TooLarge, NoRoom };
    struct Piece {
        std::string_view bytes; ///< empty without trouble: the end
        Trouble trouble = Trouble::None;
    };

    coro::Task<bool> beginTls();
    coro::Task<bool> waitForRequest();
    coro::Task<Next> serveOne();
    coro::Task<std::optional<Response>> readHead();
    coro::Task<Result<bool>> parseHead();
    void beginBody();
    std::optional<Response> wrongExpectation() const;
    coro::Task<Next> answer(Response response);
    coro::Task<Trouble> readWhole(std::uint64_t limit);
    coro::Task<Response> callHandler();
    std::optional<Response> refuseToUpgrade() const;
    coro::Task<Next> upgrade(std::unique_ptr<WebSocketHandler> handler);
    coro::Task<Next> beginStream(std::unique_ptr<StreamHandler> handler, std::string_view protocol);
    bool canSkipBody() const;
    coro::Task<bool> skipBody();
    coro::Task<void> linger();
    coro::Task<void> dropInput();

    coro::Task<Piece> nextPiece();
    Piece takePiece();
    coro::Task<Trouble> fillBody();
    coro::Task<bool> fill();
    void makeRoom();
    Response troubleResponse(Trouble trouble, std::uint64_t limit) const;

    coro::Task<bool> writeResponse(Response& response);
    coro::Task<bool> writeProduced(Response& response);
    coro::Task<Result<std::string_view>> produce(BodyProducer& producer);
    void formatHead(const Response& response, std::optional<std::uint64_t> length);
    coro::Task<bool> send(std::string_view first, std::string_view second = {}, std::string_view third = {});
    coro::Task<bool> sendPlain(std::array<std::string_view, 3> pieces);
    coro::Task<bool> waitWritable();

    ServerState& server_;
    coro::TcpSocket socket_;
    std::unique_ptr<TlsChannel> tls_; ///< its buffer is larger than all else here; null: plain HTTP
    coro::Thread* thread_ = nullptr;
    MessageParser parser_;
    Request request_;
    BodyShare share_;
    using Bytes = std::vector<char, TaggedAllocator<char, MemoryOwner::Http>>;
    Bytes buffer_;
    std::size_t begin_ = 0; ///< unread bytes: [begin_, end_) of buffer_
    std::size_t end_ = 0;
    std::size_t wanted_;         ///< size the buffer gets when it is made or empty
    std::uint64_t bodyLeft_ = 0; ///< of a body with a known length
    std::uint64_t bodyReceived_ = 0;
    MonoTime bodyBegan_{};
    bool bodyDone_ = true;     ///< the body was read to its end
    bool continueDue_ = false; ///< the client waits for 100 before it sends the body
    bool mayGoOn_ = false;     ///< another request may follow on this connection
    std::string chunkError_;
    std::string answerHead_;
    bool softlyInterrupted_ = false;
    WebSocket* webSocket_ = nullptr;   ///< while the connection is one
    UpgradedStream* stream_ = nullptr; ///< the same
};

/// Answers the request with 101 and lets `handler` serve (web_socket.cpp). `tls`: null for plain HTTP. `current` points to the WebSocket
/// meanwhile.
coro::Task<void> runWebSocket(coro::TcpSocket& socket, TlsChannel* tls, const RequestHead& head,
                              WebSocketHandler& handler, const Limits& limits, WebSocket*& current);

/// The body of a connection's thread: runs one and counts it.
coro::Task<void> serve(ServerState& server, coro::TcpSocket socket);

} // namespace yard::http
