#include "core/engine/alerts/hook_client.h"

#include "core/base/text.h"
#include "core/coro/net.h"
#include "core/coro/timeout.h"
#include "core/linkio/lookup.h"
#include "core/linkio/streams.h"
#include "core/tls/session.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace yard::engine {

namespace {

using HookStream = std::unique_ptr<linkio::ByteStream>;

constexpr std::size_t kMostHead = 16U << 10;
constexpr Duration kTlsLimit{10'000'000};

std::unexpected<Error> hookFailed(const alerts::Url& url, std::string_view what) {
    return fail(ErrorKind::Io, fmt::format("{} {}.", url.authority(), what));
}

/// To the first that answers.
coro::Task<Result<HookStream>> connectToHook(coro::Loop& loop, coro::HelperPool& helpers, alerts::Url url) {
    const auto endpoints =
        co_await helpers.run([host = url.host, port = url.port] { return linkio::lookUp(host, port); });
    if (!endpoints) co_return hookFailed(url, "is not known here: " + endpoints.error());
    std::string why = "it has no address";
    for (const auto& endpoint : *endpoints) {
        coro::TcpSocket socket(loop.io());
        if (const auto error = co_await coro::connect(socket, endpoint)) {
            why = error.message();
            continue;
        }
        coro::ErrorCode released;
        UniqueFd fd(socket.release(released));
        if (released) continue;
        auto plain = linkio::socketStream(loop, std::move(fd));
        if (!plain || !url.secure) co_return plain;
        auto session = tls::Session::connect({.fingerprint = {}, .host = url.host});
        if (!session) co_return std::unexpected(session.error());
        co_return co_await linkio::tlsStream(std::move(*plain), std::move(*session), kTlsLimit);
    }
    co_return hookFailed(url, "cannot be reached: " + why);
}

struct HookAnswer {
    int status = 0;
    std::string location;
};

bool isField(std::string_view line, std::string_view name) {
    return line.size() > name.size() && line[name.size()] == ':' &&
           std::ranges::equal(line.substr(0, name.size()), name,
                              [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

/// Status and Location of a head, its lines ended by CR LF. Nothing: it is no HTTP.
std::optional<HookAnswer> parseHookHead(std::string_view head) {
    constexpr std::size_t kStatusAt = 9; // behind "HTTP/1.1 "
    HookAnswer answer;
    const bool isHttp = head.starts_with("HTTP/1.") && head.size() > kStatusAt + 3 && head[kStatusAt - 1] == ' ';
    const char* const digits = head.data() + kStatusAt;
    if (!isHttp || std::from_chars(digits, digits + 3, answer.status).ptr != digits + 3 || answer.status < 100)
        return std::nullopt;
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
        const std::size_t begin = at + 2;
        at = head.find("\r\n", begin);
        const std::string_view line = head.substr(begin, at == std::string_view::npos ? at : at - begin);
        constexpr std::string_view kLocation = "location";
        if (isField(line, kLocation)) answer.location = trimmed(line.substr(kLocation.size() + 1));
    }
    return answer;
}

/// The head alone: what follows says nothing to us.
coro::Task<Result<HookAnswer>> readHookAnswer(linkio::ByteStream& stream, const alerts::Url& url) {
    std::array<char, 4U << 10> buffer{};
    std::string bytes;
    std::size_t end = std::string::npos;
    while (end == std::string::npos) {
        const std::size_t count = co_await stream.read(std::span(buffer));
        if (count == 0) co_return hookFailed(url, "ended the connection without an answer");
        bytes.append(buffer.data(), count);
        end = bytes.find("\r\n\r\n");
        if (end == std::string::npos && bytes.size() > kMostHead) break;
    }
    auto answer = parseHookHead(std::string_view(bytes).substr(0, end));
    if (!answer || end == std::string::npos) co_return hookFailed(url, "answers something that is no HTTP");
    co_return *std::move(answer);
}

coro::Task<Result<HookAnswer>> exchangeHook(coro::Loop& loop, coro::HelperPool& helpers, alerts::Url url,
                                            std::string_view body) {
    auto stream = co_await connectToHook(loop, helpers, url);
    if (!stream) co_return std::unexpected(stream.error());
    std::string request =
        fmt::format("POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
                    "User-Agent: yardmaster\r\nConnection: close\r\n\r\n",
                    url.target, url.authority(), body.size());
    request += body;
    if (!co_await (*stream)->write(request)) co_return hookFailed(url, "ended the connection");
    auto answer = co_await readHookAnswer(**stream, url);
    (*stream)->close();
    co_return answer;
}

bool isRedirection(int status) {
    return status == 301 || status == 302 || status == 307 || status == 308;
}

coro::Task<Result<int>> followHook(coro::Loop& loop, coro::HelperPool& helpers, HookRequest request) {
    alerts::Url url = request.url;
    for (int hop = 0; hop <= kMostRedirects; ++hop) {
        const auto answer = co_await exchangeHook(loop, helpers, url, request.body);
        if (!answer) co_return std::unexpected(answer.error());
        if (answer->status >= 200 && answer->status < 300) co_return answer->status;
        if (!isRedirection(answer->status)) co_return hookFailed(url, fmt::format("answers {}", answer->status));
        auto next = alerts::redirected(url, answer->location);
        if (!next) co_return hookFailed(url, "redirects to something that is no address");
        // Against the address that the operator named: no host on the way hands its trust on.
        if (!alerts::mayFollow(request.url, *next, request.allowed) || (url.secure && !next->secure))
            co_return hookFailed(
                url, fmt::format("redirects to {}, which webhook_allow does not name", next->authority()));
        url = *std::move(next);
    }
    co_return hookFailed(url, "redirects too often");
}

} // namespace

coro::Task<Result<int>> sendHook(coro::Loop& loop, coro::HelperPool& helpers, HookRequest request, Duration limit) {
    const alerts::Url url = request.url;
    auto sent = co_await coro::within(limit, followHook(loop, helpers, std::move(request)));
    if (!sent) co_return hookFailed(url, fmt::format("does not answer within {:g} s", inSeconds(limit)));
    co_return *std::move(sent);
}

} // namespace yard::engine
