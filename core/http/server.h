// The HTTP server: an OS thread with a loop of its own, a listener, and one cooperative thread per connection, each
// a plain loop: set the deadline, read, handle, write, decide to go on. What a request means is the Handler's
// business.
//
// Owner: who started it (main); start, stop and destruction on one thread. Lifetime: the handler outlives the
// server. Bounds: connections, bytes of a head, bytes of whole bodies of all connections together, and time for
// every wait; Limits says which and what happens at each.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/http/message.h"
#include "core/tls/server_tls.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace yard::http {

struct ListenAddress {
    std::string host = "127.0.0.1"; ///< an IP literal without brackets
    std::uint16_t port = 8640;      ///< 0: the system picks one
};
/// "ADDR:PORT", "[::1]:PORT", "localhost:PORT". Invalid for anything else.
Result<ListenAddress> parseListenAddress(std::string_view text);
/// Only this machine reaches it.
bool isLoopback(const ListenAddress& address);

struct Limits {
    /// At the cap the connection that is idle for longest is closed for a new one; without an idle one, new ones
    /// wait. Lowered to what the process' descriptor limit leaves.
    std::size_t maxConnections = 12'000;
    /// Whole bodies under way, all connections together. Over it a socket is not read; after budgetWait, 429.
    std::uint64_t bodyBudget = 64u << 20;
    Duration budgetWait = std::chrono::seconds(1);
    Duration idle = std::chrono::seconds(60);       ///< between requests; then closed
    Duration handshake = std::chrono::seconds(5);   ///< of TLS, with the wait for its turn; then closed
    std::size_t handshakes = 8;                     ///< of TLS that compute in one turn of the thread; others wait
    Duration certificate = std::chrono::seconds(5); ///< between two looks whether it has changed
    Duration head = std::chrono::seconds(5);        ///< from the first byte of a head to its last; then 408
    Duration bodyStall = std::chrono::seconds(20);  ///< between bytes of a body; then 408
    Duration bodyGrace =
        std::chrono::seconds(30);          ///< a body has this long, and longer by what arrived / minBodyRate
    std::uint64_t minBodyRate = 16 * 1024; ///< bytes a second
    Duration writeStall = std::chrono::seconds(30); ///< the client takes nothing of an answer; then cut
    Duration linger = std::chrono::seconds(2);      ///< bytes are read and dropped, so that a refusal arrives
    Duration acceptBackoff =
        std::chrono::milliseconds(50);        ///< after EMFILE and the like, and while few files may be opened
    std::size_t webSocketMessage = 64u << 10; ///< bytes of a message that comes in; more ends it with code 1009
    /// Nothing comes by a WebSocket, not even answers to the pings that are sent at half of this; then cut.
    Duration webSocketIdle = std::chrono::seconds(60);
    Duration stop = std::chrono::seconds(5); ///< for answers under way when the server stops; then cut
};

/// What happened since the start. Read from any thread.
struct ServerCounters {
    std::uint64_t open = 0; ///< connections now
    std::uint64_t accepted = 0;
    std::uint64_t requests = 0; ///< answered
    std::uint64_t acceptFailures = 0;
    std::uint64_t evicted = 0; ///< idle connections closed for new ones
    std::uint64_t delayed = 0; ///< new ones waited because the process may open few files more
};

/// A socket that listens already; clients wait in it until a server takes it.
struct ListeningSocket {
    UniqueFd fd;
    std::string host;
    std::uint16_t port = 0;
    bool isV6 = false;
};

class Server {
public:
    /// So that a port in use is known before there is anything to serve. Io ("cannot listen on …", with what to
    /// do), Invalid (the address).
    static Result<ListeningSocket> listen(const ListenAddress& address);
    /// Where one that is started on it is found.
    static std::string urlOf(const ListeningSocket& socket, bool secure);
    /// Serves when it returns. `tls`: null for plain HTTP.
    static Result<std::unique_ptr<Server>> startOn(ListeningSocket socket, Handler& handler, Limits limits = {},
                                                   std::shared_ptr<tls::ServerTls> tls = nullptr);
    /// Both at once.
    static Result<std::unique_ptr<Server>> start(const ListenAddress& address, Handler& handler, Limits limits = {},
                                                 std::shared_ptr<tls::ServerTls> tls = nullptr);
    /// stop(), if that was not called.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Takes no connection from now on; those that are open are served on. What comes waits in the socket, for a
    /// server that is started on it or until it is closed. Once, before stop(). Blocks for a turn of the loop.
    ListeningSocket handOver();
    /// No new connections, idle ones closed, answers under way finished within Limits::stop, then cut. Blocks.
    void stop();

    /// A cooperative thread of the server's loop, for requests that come by no connection; `body` is called there, and
    /// dropped where the server has stopped. Thread-safe.
    void spawn(std::string name, std::move_only_function<coro::Task<void>()> body);

    std::uint16_t port() const;
    /// "http://127.0.0.1:8640", as it listens; "https://…" with TLS.
    std::string url() const;
    ServerCounters counters() const;

private:
    struct Impl;
    explicit Server(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::http
