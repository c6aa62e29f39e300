#include "app/yardctl/event_stream.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
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

} // namespace

struct EventStream::Impl {
    asio::io_context context;
    websocket::stream<asio::ip::tcp::socket> socket{context};
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
    const Endpoint& endpoint = location.endpoint;
    impl->url = endpoint.url();
    boost::system::error_code ec;
    asio::ip::tcp::resolver resolver(impl->context);
    const auto places = resolver.resolve(endpoint.host, endpoint.port, ec);
    if (!ec) asio::connect(impl->socket.next_layer(), places, ec);
    if (ec) return fail(ErrorKind::Io, fmt::format("cannot connect to {}: {}", impl->url, ec.message()));
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
