// The one place that includes Beast.
#include "core/http/message_parser.h"

#include "core/base/text.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>
#include <optional>

namespace yard::http {

namespace {

namespace beast = boost::beast;
using beast::http::error;
using BeastView = beast::string_view;

/// Bytes of the shortest last chunk with its trailer.
constexpr std::size_t kShortestEnd = 5;

std::string_view toStd(BeastView view) {
    return {view.data(), view.size()};
}

/// Collects what Beast's grammar accepts.
class Parser final : public beast::http::basic_parser<true> {
public:
    RequestHead* head = nullptr;
    std::string_view piece; ///< of a chunked body, from the last put
    std::optional<Error> refusal;

    explicit Parser(RequestHead* target)
        : head(target) {
        header_limit(static_cast<std::uint32_t>(kMaxHeadBytes));
        body_limit(boost::none); // limits of bodies belong to routes
    }

private:
    void refuse(std::string message, beast::error_code& ec) {
        refusal = Error{.kind = ErrorKind::Malformed, .message = std::move(message), .field = {}, .need = {}};
        ec = error::bad_value;
    }

    void on_request_impl(beast::http::verb, BeastView method, BeastView target, int version,
                         beast::error_code&) override {
        head->setTarget(toStd(target));
        head->method = methodFrom(toStd(method));
        head->isHttp11 = version == 11;
    }

    void on_field_impl(beast::http::field field, BeastView name, BeastView value, beast::error_code& ec) override {
        if (is_header_done()) return; // a trailer: nothing of it is used
        switch (field) {
        case beast::http::field::content_length:
            if (seenLength_ || !isDigits(toStd(value)))
                return refuse("Send Content-Length once, as a plain number.", ec);
            seenLength_ = true;
            break;
        case beast::http::field::transfer_encoding:
            if (!equalsNoCase(toStd(value), "chunked"))
                return refuse("The only transfer coding taken here is \"chunked\"; send that or a length.", ec);
            if (!head->isHttp11) return refuse("An HTTP/1.0 request has no transfer coding; send a length.", ec);
            break;
        case beast::http::field::host:
            if (seenHost_) return refuse("Send one Host field.", ec);
            seenHost_ = true;
            break;
        default: break;
        }
        head->addField(toStd(name), toStd(value));
    }

    void on_header_impl(beast::error_code& ec) override {
        if (head->isHttp11 && !seenHost_) return refuse("An HTTP/1.1 request needs a Host field.", ec);
        if (head->target().front() != '/' && head->target() != "*")
            return refuse("Name the path alone in the request line, beginning with a slash.", ec);
        if (chunked()) {
            head->hasBody = true;
        } else {
            head->contentLength = content_length().value_or(0);
            head->hasBody = *head->contentLength > 0;
        }
    }

    std::size_t on_chunk_body_impl(std::uint64_t, BeastView body, beast::error_code&) override {
        piece = toStd(body);
        return body.size();
    }

    void on_response_impl(int, BeastView, int, beast::error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
    std::size_t on_body_impl(BeastView body, beast::error_code&) override { return body.size(); }
    void on_chunk_header_impl(std::uint64_t, BeastView, beast::error_code&) override {}
    void on_finish_impl(beast::error_code&) override {}

    bool seenLength_ = false;
    bool seenHost_ = false;
};

} // namespace

struct MessageParser::Impl {
    std::optional<Parser> parser;
    bool startedElement = false; ///< the front of a chunked body was looked at and is not complete
    std::size_t headBytes = 0;   ///< taken so far: Beast's own limit does not count what it has consumed

    std::unexpected<Error> failure(const beast::error_code& ec) {
        if (ec == error::header_limit) return tooLarge();
        if (parser->refusal) return std::unexpected(*parser->refusal);
        return fail(ErrorKind::Malformed, fmt::format("This is not HTTP/1.1: {}.", ec.message()));
    }
    static std::unexpected<Error> tooLarge() {
        return fail(ErrorKind::HeadersTooLarge,
                    fmt::format("Request line and header fields are over {} bytes; send less.", kMaxHeadBytes));
    }
};

MessageParser::MessageParser()
    : impl_(std::make_unique<Impl>()) {}

MessageParser::~MessageParser() = default;

void MessageParser::reset() {
    impl_->parser.reset();
    impl_->headBytes = 0;
    impl_->startedElement = false;
}

Result<bool> MessageParser::readHead(std::string_view& in, RequestHead& head) {
    if (!impl_->parser) {
        // Empty lines before a request are skipped (RFC 9112, 2.2), and count like the rest.
        while (in.size() >= 2 && in.starts_with("\r\n")) {
            in.remove_prefix(2);
            impl_->headBytes += 2;
        }
        if (impl_->headBytes > kMaxHeadBytes) return Impl::tooLarge();
        if (in.empty() || in == "\r") return false;
        head.clear();
        impl_->parser.emplace(&head);
    }
    Parser& parser = *impl_->parser;
    while (!in.empty()) {
        const std::size_t room = kMaxHeadBytes - impl_->headBytes;
        const std::string_view offered = in.substr(0, room);
        beast::error_code ec;
        const std::size_t taken = parser.put(boost::asio::const_buffer(offered.data(), offered.size()), ec);
        in.remove_prefix(taken);
        impl_->headBytes += taken;
        if (ec == error::need_more) {
            if (in.size() >= kMaxHeadBytes - impl_->headBytes) return Impl::tooLarge();
            return false;
        }
        if (ec) return impl_->failure(ec);
        if (parser.is_header_done()) return true;
    }
    return false;
}

bool MessageParser::keepsAlive() const {
    return impl_->parser && impl_->parser->is_header_done() && impl_->parser->keep_alive();
}

Result<std::string_view> MessageParser::readChunked(std::string_view& in) {
    Parser& parser = *impl_->parser;
    parser.piece = {};
    while (!in.empty() && !parser.is_done()) {
        // Beast asserts that a last chunk it has seen a part of ("0\r\n") comes back with at least the two bytes
        // that it lacks. Nothing that is complete is shorter than "0\r\n\r\n", so waiting for that much loses
        // nothing.
        if (impl_->startedElement && in.size() < kShortestEnd) break;
        beast::error_code ec;
        const std::size_t taken = parser.put(boost::asio::const_buffer(in.data(), in.size()), ec);
        in.remove_prefix(taken);
        impl_->startedElement = ec == error::need_more;
        if (ec == error::need_more) {
            // A chunk's size line or the trailer: neither may be longer than a head.
            if (in.size() >= kMaxHeadBytes)
                return fail(ErrorKind::Malformed, "A chunk header or trailer is too long; send shorter ones.");
            break;
        }
        if (ec) return impl_->failure(ec);
        if (!parser.piece.empty()) break;
    }
    return parser.piece;
}

bool MessageParser::isDone() const {
    return impl_->parser && impl_->parser->is_done();
}

} // namespace yard::http
