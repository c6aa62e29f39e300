#include "app/yardctl/http_client.h"

#include "app/yardctl/wire.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace yard::ctl {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr std::size_t kUsualAnswer = 8u << 10;
constexpr std::size_t kMaxHeader = 16u << 10;

using Parser = http::response_parser<http::buffer_body>;

std::unexpected<Error> connectionError(const Endpoint& endpoint, const Wire& wire, std::string_view doing,
                                       const boost::system::error_code& ec) {
    const std::string why = wire.timedOut() ? std::string("nothing came for too long") : ec.message();
    return fail(ErrorKind::Io, fmt::format("the connection to {} broke while {}: {}", endpoint.url(), doing, why));
}

} // namespace

bool HttpRequest::repeatable() const {
    if (method != "POST" && method != "PATCH") return true;
    return std::ranges::any_of(headers, [](const auto& h) { return h.first == "Idempotency-Key"; });
}

struct HttpClient::Impl {
    Impl(Endpoint e, std::string t)
        : endpoint(std::move(e))
        , token(std::move(t)) {
        buffer.reserve(kUsualAnswer); // else 512 bytes are read at a time
    }

    Endpoint endpoint;
    std::string token;
    Wire wire;
    beast::flat_buffer buffer;

    /// What one try came to: an answer, an error, or a kept-alive connection that the server had closed.
    struct Try {
        Result<HttpResponse> result;
        bool stale = false;
    };

    Result<void> connect(const HttpRequest& request) {
        wire.setSilence(request.timeouts.silence);
        if (wire.isReusable()) return {};
        buffer.clear();
        return wire.connect(endpoint, request.timeouts.connect);
    }

    http::request<http::string_body> message(const HttpRequest& request) const {
        http::request<http::string_body> out;
        out.version(11);
        out.method_string(request.method);
        out.target(request.path);
        out.set(http::field::host, endpoint.authority());
        out.set(http::field::user_agent, "yardctl");
        if (!token.empty()) out.set(http::field::authorization, "Bearer " + token);
        for (const auto& [name, value] : request.headers) out.set(name, value);
        const bool sends = request.method != "GET" && request.method != "HEAD";
        if (request.bodyFile >= 0)
            out.content_length(request.bodyFileSize);
        else if (sends)
            out.content_length(request.body.size());
        return out;
    }

    /// Header, then the body from memory or file. An error here is not the last word: the server may have
    /// answered early and closed.
    Result<void> send(const HttpRequest& request) {
        const auto out = message(request);
        boost::system::error_code ec;
        http::request_serializer<http::string_body> serializer(out);
        http::write_header(wire, serializer, ec);
        if (!ec && request.bodyFile < 0 && !request.body.empty()) wire.writeAll(request.body, ec);
        if (ec) return connectionError(endpoint, wire, "sending", ec);
        return request.bodyFile < 0 ? Result<void>() : sendFile(request);
    }

    Result<void> sendFile(const HttpRequest& request) {
        std::array<char, kPiece> piece{};
        std::uint64_t sent = 0;
        while (sent < request.bodyFileSize) {
            const auto want = std::min<std::uint64_t>(piece.size(), request.bodyFileSize - sent);
            const ssize_t got = ::pread(request.bodyFile, piece.data(), want, static_cast<off_t>(sent));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failErrno("cannot read the file that is being sent", errno);
            if (got == 0) return fail(ErrorKind::Io, "the file that is being sent became shorter meanwhile");
            boost::system::error_code ec;
            wire.writeAll({piece.data(), static_cast<std::size_t>(got)}, ec);
            if (ec) return connectionError(endpoint, wire, "sending", ec);
            sent += static_cast<std::uint64_t>(got);
        }
        return {};
    }

    Try once(const HttpRequest& request, const BodySink* sink) {
        const bool reused = wire.isReusable();
        if (auto connected = connect(request); !connected) return {std::unexpected(connected.error())};
        auto sent = send(request);
        // A file that cannot be read leaves a request half sent; anything else may have been answered early.
        if (!sent && request.bodyFile >= 0 && !wire.failed()) {
            wire.close();
            return {std::unexpected(sent.error())};
        }
        Parser parser;
        parser.body_limit(boost::none);
        parser.header_limit(kMaxHeader);
        if (request.method == "HEAD") parser.skip(true);
        boost::system::error_code ec;
        do http::read_header(wire, buffer, parser, ec);
        while (!ec && parser.get().result_int() / 100 == 1 && restart(parser, request));
        if (ec) {
            const bool silent = buffer.size() == 0 && !wire.timedOut() && !wire.isInterrupted();
            wire.close();
            if (!sent) return {std::unexpected(sent.error()), reused && silent};
            return {connectionError(endpoint, wire, "waiting for an answer", ec), reused && silent};
        }
        auto result = readBody(parser, sink);
        // A request that was not taken whole cannot be followed by another on the same connection.
        if (!sent || !result || !parser.keep_alive()) wire.close();
        return {std::move(result)};
    }

    /// Skips an interim answer (100 Continue).
    static bool restart(Parser& parser, const HttpRequest& request) {
        std::destroy_at(&parser);
        std::construct_at(&parser);
        parser.body_limit(boost::none);
        parser.header_limit(kMaxHeader);
        if (request.method == "HEAD") parser.skip(true);
        return true;
    }

    Result<HttpResponse> readBody(Parser& parser, const BodySink* sink) {
        HttpResponse response;
        response.status = parser.get().result_int();
        const bool streams = sink && response.status == 200;
        // Not zeroed: most answers touch little of it.
        const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
        while (!parser.is_done()) {
            auto& body = parser.get().body();
            body.data = piece.get();
            body.size = kPiece;
            boost::system::error_code ec;
            http::read_some(wire, buffer, parser, ec);
            const std::string_view got(piece.get(), kPiece - body.size);
            if (streams && !got.empty()) {
                if (auto taken = (*sink)(got); !taken) return std::unexpected(taken.error());
            } else if (response.body.size() + got.size() > kMaxKeptBody) {
                return fail(ErrorKind::TooLarge, "the answer is too large to be kept in memory; ask for less");
            } else {
                response.body += got;
            }
            if (ec == http::error::need_buffer) ec = {};
            if (ec) return connectionError(endpoint, wire, "reading the answer", ec);
        }
        return response;
    }

    Result<HttpResponse> run(const HttpRequest& request, const BodySink* sink) {
        Try first = once(request, sink);
        if (!first.stale || !request.repeatable()) return std::move(first.result);
        return std::move(once(request, sink).result);
    }
};

HttpClient::HttpClient(Endpoint endpoint, std::string token)
    : impl_(std::make_unique<Impl>(std::move(endpoint), std::move(token))) {}

HttpClient::~HttpClient() = default;

Result<void> HttpClient::connect() {
    return impl_->connect({});
}

Result<HttpResponse> HttpClient::exchange(const HttpRequest& request) {
    return impl_->run(request, nullptr);
}

Result<HttpResponse> HttpClient::stream(const HttpRequest& request, const BodySink& sink) {
    return impl_->run(request, &sink);
}

void HttpClient::interrupt() {
    impl_->wire.interrupt();
}

bool HttpClient::isInterrupted() const {
    return impl_->wire.isInterrupted();
}

} // namespace yard::ctl
