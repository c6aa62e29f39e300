// Requests as bytes. However they are cut, the same ones are taken, and mean the same.
#include "core/http/api.h"
#include "core/http/message_parser.h"
#include "core/http/query.h"
#include "core/http/router.h"
#include "tests/fuzz/fuzz.h"

#include <string>

using namespace yard;
using namespace yard::http;

namespace {

constexpr std::size_t kMaxInput = 64u << 10;

/// What was understood; empty when it was refused, or needs more bytes. Which of these two, and why it was refused,
/// may depend on how the bytes are cut: only what is taken counts.
using Outcome = std::string;

/// The body's bytes as far as they are there; true at the end of the message.
Result<bool> readBody(MessageParser& parser, const RequestHead& head, std::string_view& in, std::string& body) {
    if (!head.hasBody) return true;
    if (head.contentLength) {
        const std::string_view part = in.substr(0, *head.contentLength - body.size());
        body += part;
        in.remove_prefix(part.size());
        return body.size() == *head.contentLength;
    }
    for (;;) {
        const Result<std::string_view> piece = parser.readChunked(in);
        if (!piece) return std::unexpected(piece.error());
        body += *piece;
        if (piece->empty()) return parser.isDone();
    }
}

Outcome outcome(std::string_view bytes, std::size_t step) {
    MessageParser parser;
    RequestHead head;
    std::string pending;
    std::string body;
    bool headDone = false;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        pending += bytes.substr(at, step);
        std::string_view in = pending;
        if (!headDone) {
            const Result<bool> complete = parser.readHead(in, head);
            if (!complete) return {};
            headDone = *complete;
        }
        if (headDone) {
            const Result<bool> end = readBody(parser, head, in, body);
            if (!end) return {};
            if (*end)
                return std::string(name(head.method)) + " " + std::string(head.target()) + " " + body +
                       (parser.keepsAlive() ? " keeps" : " closes");
        }
        pending = std::string(in);
    }
    return {};
}

const Router& router() {
    static const Router table = [] {
        std::vector<RouteSpec> specs;
        for (const Route& route : allRoutes()) specs.push_back(route.spec);
        return Router(specs, "/compute");
    }();
    return table;
}

void route(std::string_view bytes) {
    MessageParser parser;
    RequestHead head;
    const Result<bool> complete = parser.readHead(bytes, head);
    if (!complete || !*complete) return;
    std::array<std::string, kMaxCaptures> captures;
    const Router::Match match = router().match(head.method, head.path(), captures);
    (void)Router::allowed(match.methods);
    const auto query = Query::parse(head.query());
    if (!query) return;
    (void)query->seconds("wait", 300);
    (void)query->integer("limit", 1, 1000);
    (void)query->flag("follow");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > kMaxInput) return 0;
    const std::string_view bytes = fuzz::textOf(data, size);
    const Outcome atOnce = outcome(bytes, std::max<std::size_t>(size, 1));
    const Outcome cut = outcome(bytes, 1);
    const Outcome thirds = outcome(bytes, size / 3 + 1);
    fuzz::promise(atOnce == cut, "bytes one by one mean the same");
    fuzz::promise(atOnce == thirds, "bytes in thirds mean the same");
    route(bytes);
    return 0;
}
