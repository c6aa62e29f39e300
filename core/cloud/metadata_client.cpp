#include "core/cloud/metadata_client.h"

#include "core/coro/loop.h"
#include "core/coro/net.h"
#include "core/coro/timeout.h"

#include <array>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <span>

namespace yard::cloud {

namespace {

namespace http = boost::beast::http;

std::string headOf(const Request& request, const Place& place) {
    std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 0\r\n",
                                   request.method, request.target, place.address);
    for (const auto& [field, value] : request.headers) head += fmt::format("{}: {}\r\n", field, value);
    return head + "\r\n";
}

std::unexpected<Error> silent(std::string_view what) {
    return fail(ErrorKind::Io, fmt::format("The metadata service does not answer: {}.", what));
}

std::unexpected<Error> noHttp() {
    return fail(ErrorKind::Malformed, "What answers at the address of the metadata service is none.");
}

using Parser = http::response_parser<http::string_body>;

Answer answerOf(Parser& parser) {
    const auto& message = parser.get();
    const auto field = [&message](std::string_view name) {
        const auto at = message.find(std::string(name));
        return at == message.end() ? std::string() : std::string(at->value());
    };
    return {.status = message.result_int(),
            .etag = field("ETag"),
            .flavor = field("Metadata-Flavor"),
            .body = message.body()};
}

} // namespace

coro::Task<Result<Answer>> MetadataClient::ask(Request request, Duration limit) {
    try {
        co_return co_await coro::withTimeout(limit, exchange(request));
    } catch (const coro::TimeoutError&) {
        co_return silent("no answer in time");
    }
}

coro::Task<Result<Answer>> MetadataClient::exchange(const Request& request) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(place_.address, error);
    if (error) co_return silent(error.message());
    coro::TcpSocket socket(coro::currentLoop().io());
    if (const auto failed = co_await coro::connect(socket, {address, place_.port}))
        co_return silent(failed.message());
    const std::string head = headOf(request, place_);
    if (const auto sent = co_await coro::writeAll(socket, std::span(head)); sent.error)
        co_return silent(sent.error.message());

    Parser parser;
    parser.body_limit(kMaxAnswer);
    parser.header_limit(16U << 10);
    std::array<char, 8U << 10> buffer{};
    std::string bytes;
    while (!parser.is_done()) {
        const auto read = co_await coro::readSome(socket, std::span(buffer));
        if (read.error == boost::asio::error::eof) {
            parser.put_eof(error);
            if (error || !parser.is_done()) co_return noHttp();
            break;
        }
        if (read.error) co_return silent(read.error.message());
        bytes.append(buffer.data(), read.bytes);
        while (!bytes.empty() && !parser.is_done()) {
            const std::size_t used = parser.put(boost::asio::buffer(bytes), error);
            bytes.erase(0, used);
            if (error == http::error::need_more || (!error && used == 0)) break;
            if (error) co_return noHttp();
        }
        if (bytes.size() > kMaxAnswer) co_return noHttp();
    }
    co_return answerOf(parser);
}

} // namespace yard::cloud
