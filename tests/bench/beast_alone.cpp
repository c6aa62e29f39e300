#include "tests/bench/api_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <thread>

namespace yard::bench {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;

namespace {

struct Session : std::enable_shared_from_this<Session> {
    explicit Session(Tcp::socket connected)
        : socket(std::move(connected)) {}

    void read() {
        request = {};
        http::async_read(socket, buffer, request, [self = shared_from_this()](auto error, std::size_t) {
            if (!error) self->write();
        });
    }
    void write() {
        answer = {};
        answer.result(http::status::ok);
        answer.set(http::field::content_type, "application/json");
        answer.body() = R"({"lsn":123456,"queue_id":0})";
        answer.prepare_payload();
        http::async_write(socket, answer, [self = shared_from_this()](auto error, std::size_t) {
            if (!error) self->read();
        });
    }

    Tcp::socket socket;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::response<http::string_body> answer;
};

} // namespace

struct BeastAlone::Impl {
    asio::io_context io{1};
    Tcp::acceptor acceptor{io, Tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
    std::thread thread;

    void accept() {
        acceptor.async_accept([this](auto error, Tcp::socket socket) {
            if (error) return;
            socket.set_option(Tcp::no_delay(true));
            std::make_shared<Session>(std::move(socket))->read();
            accept();
        });
    }
};

BeastAlone::BeastAlone()
    : impl_(new Impl) {
    impl_->accept();
    impl_->thread = std::thread([this] { impl_->io.run(); });
}

BeastAlone::~BeastAlone() {
    impl_->io.stop();
    impl_->thread.join();
    delete impl_;
}

std::uint16_t BeastAlone::port() const {
    return impl_->acceptor.local_endpoint().port();
}

} // namespace yard::bench
