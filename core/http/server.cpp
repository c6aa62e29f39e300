#include "core/http/server.h"

#include "core/base/log.h"
#include "core/base/open_files.h"
#include "core/base/thread_name.h"
#include "core/coro/helper_pool.h"
#include "core/coro/stuck_watch.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/http/connection.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <fmt/format.h>
#include <future>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

namespace yard::http {

namespace {

using boost::asio::ip::tcp;

/// Descriptors that the rest of the process may need, when the limit is generous.
constexpr std::size_t kReservedDescriptors = 256;
/// Connections that are still there when the loop is shut down have this long to unwind.
constexpr Duration kUnwind = std::chrono::seconds(1);

std::size_t connectionCap(std::size_t wanted) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return wanted;
    const std::size_t limit = files.rlim_cur;
    const std::size_t room = limit > 2 * kReservedDescriptors ? limit - kReservedDescriptors : limit / 2;
    return std::max<std::size_t>(1, std::min(wanted, room));
}

Limits withCap(Limits limits) {
    limits.maxConnections = connectionCap(limits.maxConnections);
    return limits;
}

std::string printed(const std::string& host, unsigned port) {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

} // namespace

Result<ListenAddress> parseListenAddress(std::string_view text) {
    const auto wrong = [&] {
        return invalid("listen", fmt::format("\"{}\" is no address to listen on; write it like 127.0.0.1:8640, or "
                                             "[::1]:8640, with port 0 for any free one.",
                                             text));
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong();
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string_view::npos) {
        return wrong();
    }
    if (host == "localhost") host = "127.0.0.1";
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string(host), error);
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error || digits.empty() || problem != std::errc{} || end != digits.data() + digits.size()) return wrong();
    return ListenAddress{.host = std::string(host), .port = port};
}

bool isLoopback(const ListenAddress& address) {
    boost::system::error_code error;
    return boost::asio::ip::make_address(address.host, error).is_loopback();
}

struct Server::Impl {
    Impl(Handler& handler, const Limits& limits, std::shared_ptr<tls::ServerTls> tls)
        : state(handler, withCap(limits), std::move(tls))
        , loop(coro::Loop::Options{.name = "http"})
        , acceptor(std::in_place, loop.io()) {}

    Result<void> take(ListeningSocket socket);
    void begin();
    coro::Task<void> acceptAll();
    coro::Task<void> watchCertificate();
    coro::Task<void> waitForDescriptors();
    coro::Task<void> makeRoom();
    void evictOne();
    coro::Task<void> stopAccepting();
    coro::Task<void> handOver(std::promise<ListeningSocket>& done);
    coro::Task<void> finish();
    coro::Task<void> waitUntilClosed();

    // The loop goes before the state that its frames refer to, and after the acceptor, which needs it.
    ServerState state;
    coro::Loop loop;
    std::optional<coro::TcpAcceptor> acceptor;
    OpenFilesRoom room{OpenFilesRoom::kForConnections}; ///< of the loop's thread
    coro::ThreadRef accepting;
    coro::ThreadRef watching;                ///< where the certificate may change
    std::optional<coro::HelperPool> helpers; ///< reads it
    std::string host;
    std::uint64_t nextConnection = 1;
    std::jthread thread;
};

Result<ListeningSocket> Server::listen(const ListenAddress& address) {
    boost::system::error_code error;
    const auto ip = boost::asio::ip::make_address(address.host, error);
    if (error)
        return invalid("listen", fmt::format("\"{}\" is no IP address; give one to listen on.", address.host));
    boost::asio::io_context context;
    tcp::acceptor acceptor(context);
    const tcp::endpoint endpoint(ip, address.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(boost::asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    ListeningSocket made{.fd = {}, .host = address.host, .port = 0, .isV6 = ip.is_v6()};
    if (!error) made.port = acceptor.local_endpoint(error).port();
    if (!error) made.fd.reset(acceptor.release(error));
    if (error) {
        Error failure{.kind = ErrorKind::Io, .message = {}, .field = "listen", .need = {}};
        failure.message = fmt::format("cannot listen on {}: {}; choose another address or port with --listen",
                                      printed(address.host, address.port), error.message());
        failure.sysErrno = error.value();
        return std::unexpected(std::move(failure));
    }
    return made;
}

Result<void> Server::Impl::take(ListeningSocket socket) {
    boost::system::error_code error;
    acceptor->assign(socket.isV6 ? tcp::v6() : tcp::v4(), socket.fd.get(), error);
    if (error) return failErrno("take the listening socket", error.value());
    (void)socket.fd.release();
    host = std::move(socket.host);
    state.port = socket.port;
    return {};
}

void Server::Impl::begin() {
    accepting = loop.spawn("http accept", acceptAll());
    accepting->markService();
    if (state.tls && state.tls->mayChange()) {
        helpers.emplace(1);
        watching = loop.spawn("http certificate", watchCertificate());
        watching->markService();
    }
    loop.release();
    thread = std::jthread([this] {
        nameThisThread("http");
        state.handler.begin();
        const coro::StuckWatch::Watched watched(loop);
        loop.runForever();
        if (const std::size_t left = loop.shutdown(kUnwind))
            logWarning("http", "{} connections did not end in time and were cut", left);
        loop.release();
    });
}

coro::Task<void> Server::Impl::watchCertificate() {
    for (;;) {
        co_await coro::sleepFor(state.limits.certificate);
        co_await helpers->run([tls = state.tls] { tls->reload(); });
    }
}

coro::Task<void> Server::Impl::acceptAll() {
    for (;;) {
        co_await waitForDescriptors();
        auto [error, socket] = co_await coro::accept(*acceptor);
        if (!error) {
            state.accepted.fetch_add(1, std::memory_order_relaxed);
            coro::spawn(fmt::format("http client {}", nextConnection++), serve(state, std::move(socket)));
            co_await coro::yieldNow(); // it counts itself
            co_await makeRoom();
            continue;
        }
        if (error == boost::asio::error::connection_aborted) continue;
        // Out of descriptors or memory: give some back if there are any to spare, and do not spin.
        state.acceptFailures.fetch_add(1, std::memory_order_relaxed);
        logWarning("http", "cannot take a connection: {}", error.message());
        evictOne();
        co_await coro::sleepFor(state.limits.acceptBackoff);
    }
}

/// Of those who are idle, the one that is so for longest.
void Server::Impl::evictOne() {
    if (state.idle.empty()) return;
    state.evicted.fetch_add(1, std::memory_order_relaxed);
    state.idle.front().interruptSoftly();
}

/// While few descriptors are left, clients wait in the socket: the last are for the journal, and for what runs. Idle
/// connections give way only while somebody waits.
coro::Task<void> Server::Impl::waitForDescriptors() {
    if (room.admits(MonoClock::now())) co_return;
    auto [error] = co_await coro::asyncOp<coro::DoneSignature>(
        "a client", [this](auto handler) { acceptor->async_wait(tcp::acceptor::wait_read, std::move(handler)); });
    if (error) co_return; // accept tells of it
    bool isDelayed = false;
    while (!room.admits(MonoClock::now())) {
        if (!isDelayed) state.delayed.fetch_add(1, std::memory_order_relaxed);
        isDelayed = true;
        evictOne();
        co_await coro::sleepFor(state.limits.acceptBackoff);
    }
}

/// One over the cap: closes the connection that is idle for longest, as soon as there is one, and takes no other
/// before one has ended.
coro::Task<void> Server::Impl::makeRoom() {
    bool evicted = false;
    while (state.open > state.limits.maxConnections) {
        if (!evicted && !state.idle.empty()) {
            evicted = true;
            state.evicted.fetch_add(1, std::memory_order_relaxed);
            state.idle.front().interruptSoftly();
        }
        co_await state.changed.wait();
    }
}

coro::Task<void> Server::Impl::waitUntilClosed() {
    while (state.open > 0) co_await state.changed.wait();
}

/// A connection that was taken at that moment is served.
coro::Task<void> Server::Impl::stopAccepting() {
    accepting->interrupt();
    co_await accepting.join();
}

coro::Task<void> Server::Impl::handOver(std::promise<ListeningSocket>& done) {
    co_await stopAccepting();
    ListeningSocket socket{.fd = {}, .host = host, .port = state.port, .isV6 = false};
    boost::system::error_code error;
    socket.isV6 = acceptor->local_endpoint(error).protocol() == tcp::v6();
    // Out of epoll as well, which Asio's close would leave to the last copy of the descriptor.
    socket.fd.reset(acceptor->release(error));
    acceptor.reset();
    done.set_value(std::move(socket));
}

/// The body of the thread that stops the server.
coro::Task<void> Server::Impl::finish() {
    state.stopping = true;
    if (acceptor) co_await stopAccepting();
    acceptor.reset();
    if (helpers) {
        watching->interrupt();
        co_await watching.join();
        helpers->stop();
    }
    while (!state.idle.empty()) state.idle.front().interruptSoftly();
    while (!state.waiting.empty()) state.waiting.front().interruptSoftly();
    const bool ended = co_await coro::within(state.limits.stop, waitUntilClosed());
    if (!ended) logInfo("http", "{} answers under way are cut", state.open);
    loop.stop();
}

Server::Server(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

Server::~Server() {
    stop();
}

Result<std::unique_ptr<Server>> Server::startOn(ListeningSocket socket, Handler& handler, Limits limits,
                                                std::shared_ptr<tls::ServerTls> tls) {
    // A loop and its thread are more than a machine may have left; Asio and the library say so by throwing.
    try {
        auto impl = std::make_unique<Impl>(handler, limits, std::move(tls));
        if (auto taken = impl->take(std::move(socket)); !taken) return std::unexpected(std::move(taken.error()));
        impl->begin();
        return std::unique_ptr<Server>(new Server(std::move(impl)));
    } catch (const std::runtime_error& problem) {
        return fail(ErrorKind::Io, fmt::format("no server can be started ({}); raise the limit of open files or "
                                               "threads",
                                               problem.what()));
    }
}

Result<std::unique_ptr<Server>> Server::start(const ListenAddress& address, Handler& handler, Limits limits,
                                              std::shared_ptr<tls::ServerTls> tls) {
    auto socket = listen(address);
    if (!socket) return std::unexpected(std::move(socket.error()));
    return startOn(std::move(*socket), handler, limits, std::move(tls));
}

ListeningSocket Server::handOver() {
    Impl* impl = impl_.get();
    std::promise<ListeningSocket> done;
    impl->loop.post([impl, &done] { impl->loop.spawn("http hand over", impl->handOver(done)); },
                    coro::Band::Results);
    return done.get_future().get();
}

void Server::stop() {
    if (!impl_->thread.joinable()) return;
    Impl* impl = impl_.get();
    impl->loop.post([impl] { impl->loop.spawn("http stop", impl->finish()); }, coro::Band::Results);
    impl->thread.join();
}

namespace {

/// Keeps the function while its coroutine lives.
coro::Task<void> runOwned(std::move_only_function<coro::Task<void>()> body) {
    co_await body();
}

} // namespace

void Server::spawn(std::string name, std::move_only_function<coro::Task<void>()> body) {
    Impl* impl = impl_.get();
    impl->loop.post([impl, name = std::move(name), body = std::move(body)]() mutable {
        impl->loop.spawn(std::move(name), runOwned(std::move(body)));
    });
}

std::uint16_t Server::port() const {
    return impl_->state.port;
}

std::string Server::urlOf(const ListeningSocket& socket, bool secure) {
    return (secure ? "https://" : "http://") + printed(socket.host, socket.port);
}

std::string Server::url() const {
    return (impl_->state.tls ? "https://" : "http://") + printed(impl_->host, impl_->state.port);
}

ServerCounters Server::counters() const {
    const ServerState& state = impl_->state;
    return {.open = state.openCount.load(std::memory_order_relaxed),
            .accepted = state.accepted.load(std::memory_order_relaxed),
            .requests = state.requests.load(std::memory_order_relaxed),
            .acceptFailures = state.acceptFailures.load(std::memory_order_relaxed),
            .evicted = state.evicted.load(std::memory_order_relaxed),
            .delayed = state.delayed.load(std::memory_order_relaxed)};
}

} // namespace yard::http
