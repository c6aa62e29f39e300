#include "app/yardctl/event_stream.h"

#include "app/yardctl/wire.h"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace {

/// A snapshot of the engine: a thousand rows, a thousand queues.
constexpr std::size_t kMaxFrame = 64u << 20;

/// A Wire as the layer below a WebSocket, which is only read and written by calls that block.
class WireLayer {
public:
    using executor_type = asio::io_context::executor_type;
    explicit WireLayer(asio::io_context& context)
        : executor_(context.get_executor()) {}
    executor_type get_executor() const { return executor_; }
    Wire& wire() { return wire_; }

    template<class Buffers>
    std::size_t read_some(const Buffers& buffers, boost::system::error_code& ec) {
        return wire_.read_some(buffers, ec);
    }
    template<class Buffers>
    std::size_t write_some(const Buffers& buffers, boost::system::error_code& ec) {
        return wire_.write_some(buffers, ec);
    }
    // Beast's concepts want the throwing forms to exist; nothing calls them.
    template<class Buffers>
    std::size_t read_some(const Buffers& buffers) {
        return wire_.read_some(buffers);
    }
    template<class Buffers>
    std::size_t write_some(const Buffers& buffers) {
        return wire_.write_some(buffers);
    }
    friend void teardown(beast::role_type, WireLayer& layer, boost::system::error_code& ec) {
        layer.wire_.close();
        ec = {};
    }

private:
    executor_type executor_;
    Wire wire_;
};

} // namespace

struct EventStream::Impl {
    asio::io_context context;
    websocket::stream<WireLayer> socket{context};
    std::string url;

    std::unexpected<Error> broken(std::string_view doing, const boost::system::error_code& ec) const {
        return fail(ErrorKind::Io,
                    fmt::format("the connection to {} broke while {}: {}", url, doing, ec.message()));
    }
};

EventStream::EventStream(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
EventStream::~EventStream() = default;

Result<std::unique_ptr<EventStream>> EventStream::open(const Location& location, std::string_view watch) {
    auto impl = std::make_unique<Impl>();
    impl->url = location.endpoint.url();
    Endpoint endpoint = location.endpoint;
    if (endpoint.secure && endpoint.fingerprint.empty())
        if (auto known = introduce(endpoint); !known) return std::unexpected(known.error());
    if (auto connected = impl->socket.next_layer().wire().connect(endpoint, Timeouts{}.connect); !connected) {
        Error error = connected.error();
        if (error.kind == ErrorKind::Io) error.message = fmt::format("{}: {}", endpoint.url(), error.message);
        return std::unexpected(std::move(error));
    }
    boost::system::error_code ec;
    impl->socket.read_message_max(kMaxFrame);
    impl->socket.set_option(websocket::stream_base::decorator([&location](websocket::request_type& request) {
        request.set(beast::http::field::user_agent, "yardctl");
        if (!location.token.empty()) request.set(beast::http::field::authorization, "Bearer " + location.token);
    }));
    websocket::response_type answer;
    impl->socket.handshake(answer, endpoint.authority(), endpoint.prefix + "/events", ec);
    if (ec == websocket::error::upgrade_declined)
        return fail(ErrorKind::Io,
                    answer.result() == beast::http::status::unauthorized
                        ? fmt::format("{} does not take this token: give its own with --token-file", impl->url)
                        : fmt::format("{} tells no events ({})", impl->url, answer.result_int()));
    if (ec) return impl->broken("asking for events", ec);
    impl->socket.write(asio::buffer(watch), ec);
    if (ec) return impl->broken("asking for events", ec);
    return std::unique_ptr<EventStream>(new EventStream(std::move(impl)));
}

Result<std::optional<std::string>> EventStream::next() {
    beast::flat_buffer buffer;
    boost::system::error_code ec;
    impl_->socket.read(buffer, ec);
    if (ec == websocket::error::closed) return std::nullopt;
    if (ec) return impl_->broken("waiting for events", ec);
    return std::string(static_cast<const char*>(buffer.data().data()), buffer.size());
}

} // namespace yard::ctl
