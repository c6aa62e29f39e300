#include "core/engine/guests/join.h"

#include "core/base/hash.h"
#include "core/base/port.h"
#include "core/coro/net.h"
#include "core/coro/timeout.h"
#include "core/json/json_reader.h"
#include "core/json/utf8.h"
#include "core/link/states.h"
#include "core/linkio/lookup.h"
#include "core/linkio/streams.h"
#include "core/model/api_address.h"
#include "core/tls/session.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

namespace yard::engine {

namespace {

using StreamPtr = std::unique_ptr<linkio::ByteStream>;

constexpr std::size_t kMostOfAnswer = 16u << 10;
constexpr Duration kConnect = std::chrono::seconds(8);
constexpr Duration kHandshake = std::chrono::seconds(10);

std::unexpected<JoinFailure> again(std::string sentence) {
    return std::unexpected(JoinFailure{.isFinal = false, .sentence = std::move(sentence)});
}

std::unexpected<JoinFailure> forGood(std::string sentence) {
    return std::unexpected(JoinFailure{.isFinal = true, .sentence = std::move(sentence)});
}

/// A name that begins as an address does may be anybody's.
bool isLoopback(const std::string& host) {
    in_addr address{};
    return host == "localhost" || host == "::1" ||
           (host.starts_with("127.") && ::inet_pton(AF_INET, host.c_str(), &address) == 1);
}

bool isHex(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// It goes into a request's head.
bool isPlain(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; });
}

/// To the first that answers.
coro::Task<std::expected<StreamPtr, JoinFailure>> connectTo(coro::Loop& loop, coro::HelperPool& helpers,
                                                            const YardAddress& yard) {
    const auto endpoints =
        co_await helpers.run([host = yard.host, port = yard.port] { return linkio::lookUp(host, port); });
    if (!endpoints) co_return again(fmt::format("{} is not known here: {}.", yard.host, endpoints.error()));
    std::string why = "it has no address";
    for (const auto& endpoint : *endpoints) {
        coro::TcpSocket socket(loop.io());
        const auto error = co_await coro::within(kConnect, coro::connect(socket, endpoint));
        if (!error || *error) {
            why = error ? error->message() : std::string("no answer");
            continue;
        }
        coro::ErrorCode released;
        UniqueFd fd(socket.release(released));
        if (released) continue;
        auto stream = linkio::socketStream(loop, std::move(fd));
        if (!stream) co_return again(stream.error().message);
        co_return std::move(*stream);
    }
    co_return again(fmt::format("{} cannot be reached: {}.", yard.url(), why));
}

coro::Task<std::expected<StreamPtr, JoinFailure>> secured(StreamPtr below, const YardAddress& yard) {
    auto session = tls::Session::connect({.fingerprint = yard.fingerprint, .host = yard.host});
    if (!session) co_return again(session.error().message);
    auto stream = co_await linkio::tlsStream(std::move(below), std::move(*session), kHandshake);
    if (stream) co_return std::move(*stream);
    if (stream.error().kind == ErrorKind::Invalid)
        co_return std::unexpected(
            JoinFailure{.isFinal = true, .sentence = stream.error().message, .fingerprint = stream.error().field});
    co_return again(stream.error().message);
}

std::string headOf(const JoinRequest& request) {
    std::string head = fmt::format("GET {}/{} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n"
                                   "Connection: Upgrade\r\nUpgrade: yard-link\r\n",
                                   request.yard.prefix, request.path, request.yard.authority(), request.bearer);
    if (!request.ownKey.empty()) head += fmt::format("Yard-Machine-Key: {}\r\n", request.ownKey);
    return head + "\r\n";
}

std::optional<std::size_t> lengthOf(std::string_view head) {
    std::string lower(head);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
    constexpr std::string_view kName = "\r\ncontent-length:";
    std::size_t at = lower.find(kName);
    if (at == lower.npos) return std::nullopt;
    at = lower.find_first_not_of(' ', at + kName.size());
    std::size_t length = 0;
    if (at == lower.npos ||
        std::from_chars(lower.data() + at, lower.data() + lower.size(), length).ec != std::errc())
        return std::nullopt;
    return length;
}

struct YardAnswer {
    std::string head;
    std::string body;
};

/// As much of it as is of use.
coro::Task<std::optional<YardAnswer>> readAnswer(linkio::ByteStream& stream) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    std::string all;
    std::array<char, 2048> room{};
    std::size_t end = std::string::npos;
    std::size_t wanted = kMostOfAnswer;
    while (all.size() < wanted) {
        // Nothing beyond the head: who answers may speak over the link first, and that is for who has it then.
        const std::size_t most = end == all.npos ? 1 : room.size();
        const std::size_t count = co_await stream.read(std::span(room).first(most));
        if (count == 0) break;
        all.append(room.data(), count);
        if (end != all.npos) continue;
        end = all.find(kEnd);
        if (end == all.npos) continue;
        const bool isLink = all.starts_with("HTTP/1.1 101");
        const std::size_t rest = isLink ? 0 : lengthOf(all.substr(0, end)).value_or(kMostOfAnswer);
        wanted = std::min(kMostOfAnswer, end + kEnd.size() + std::min(rest, kMostOfAnswer));
    }
    if (end == all.npos) co_return std::nullopt;
    co_return YardAnswer{.head = all.substr(0, end), .body = all.substr(end + kEnd.size())};
}

std::string messageOf(std::string_view body) {
    const auto tape = readJson(body);
    if (!tape || !tape->root().isObject()) return {};
    for (const JsonView member : tape->root())
        if (member.key() == "message" && member.kind() == JsonKind::String &&
            !hasControlCharacters(member.string()))
            return std::string(utf8Prefix(member.string(), 1'000));
    return {};
}

coro::Task<Joined> joinInTime(coro::Loop& loop, coro::HelperPool& helpers, const JoinRequest& request) {
    auto stream = co_await connectTo(loop, helpers, request.yard);
    if (!stream) co_return std::unexpected(std::move(stream.error()));
    if (request.yard.secure) {
        stream = co_await secured(std::move(*stream), request.yard);
        if (!stream) co_return std::unexpected(std::move(stream.error()));
    }
    const std::string head = headOf(request);
    const bool sent = co_await (*stream)->write(head);
    std::optional<YardAnswer> answer;
    if (sent) answer = co_await readAnswer(**stream);
    if (!answer) co_return again(fmt::format("{} ended the connection without an answer.", request.yard.url()));
    auto read = readJoinAnswer(answer->head, answer->body);
    if (!read) co_return std::unexpected(std::move(read.error()));
    co_return std::move(*stream);
}

} // namespace

bool isMachineKey(std::string_view text) {
    return isHex(text, 2 * kKeyBytes);
}

std::string YardAddress::authority() const {
    return host.find(':') == host.npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string YardAddress::url() const {
    return fmt::format("{}://{}", secure ? "https" : "http", authority());
}

Result<YardAddress> parseYardAddress(std::string_view url, bool insecure, std::string_view instead) {
    const auto wrong = [&] {
        return invalid("join", fmt::format("'{}' is no address of a yard: write https://HOST:PORT.", url));
    };
    const ApiAddress api = apiOfWritten(url);
    std::string_view rest = api.server;
    YardAddress yard{.host = {}, .port = std::to_string(kUsualPort), .prefix = api.prefix, .secure = false};
    if (rest.starts_with("https://"))
        yard.secure = true;
    else if (!rest.starts_with("http://"))
        return wrong();
    rest.remove_prefix(yard.secure ? 8 : 7);
    if (!isPlain(rest) || !isPlain(api.prefix) || rest.contains('@')) return wrong();
    if (rest.starts_with('[')) {
        const std::size_t end = rest.find(']');
        if (end == rest.npos) return wrong();
        yard.host = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
    } else {
        yard.host = rest.substr(0, rest.find(':'));
        rest.remove_prefix(yard.host.size());
    }
    if (!rest.empty()) {
        if (!rest.starts_with(':') || !isPort(rest.substr(1))) return wrong();
        yard.port = rest.substr(1);
    }
    if (yard.host.empty()) return wrong();
    if (!yard.secure && !insecure && !isLoopback(yard.host))
        return invalid("join", fmt::format("{} is plain HTTP: others could read along. Use {}.", url, instead));
    return yard;
}

Result<JoinToken> parseJoinToken(std::string_view text) {
    const std::size_t dot = text.find('.');
    JoinToken token{.secret = std::string(text.substr(0, dot)), .fingerprint = {}};
    if (dot != text.npos) token.fingerprint = text.substr(dot + 1);
    if (!isMachineKey(token.secret) || (dot != text.npos && !tls::isFingerprint(token.fingerprint)))
        return invalid("join_token", "That is no join token: copy all of what the yard's 'yardctl machines token' "
                                     "printed.");
    return token;
}

std::expected<void, JoinFailure> readJoinAnswer(std::string_view head, std::string_view body) {
    unsigned status = 0;
    if (!head.starts_with("HTTP/1.1 ") || head.size() < 12 ||
        std::from_chars(head.data() + 9, head.data() + 12, status).ptr != head.data() + 12)
        return again("What answers at that address is no Yardmaster.");
    if (status == 101) {
        if (body.empty()) return {};
        return again("The yard spoke before it was greeted.");
    }
    std::string sentence = messageOf(body);
    if (sentence.empty()) sentence = fmt::format("The yard refuses the link (HTTP {}).", status);
    constexpr std::array kFinal = {400u, 401u, 403u, 404u, 409u, 422u, 426u, 501u};
    if (std::ranges::find(kFinal, status) != kFinal.end()) return forGood(std::move(sentence));
    return again(std::move(sentence));
}

Duration waitBeforeNext(unsigned failures, Duration unit) {
    constexpr std::size_t kRandomBytes = 3;
    const std::string hex = randomHex(kRandomBytes);
    std::uint32_t random = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), random, 16);
    const double part = static_cast<double>(random) / (1u << (8 * kRandomBytes));
    const double seconds = std::chrono::duration<double>(link::reconnectDelay(failures, part)).count();
    return std::chrono::duration_cast<Duration>(unit * seconds);
}

coro::Task<Joined> join(coro::Loop& loop, coro::HelperPool& helpers, JoinRequest request) {
    auto joined = co_await coro::within(request.limit, joinInTime(loop, helpers, request));
    if (joined) co_return std::move(*joined);
    co_return again(fmt::format("{} does not answer.", request.yard.url()));
}

} // namespace yard::engine
