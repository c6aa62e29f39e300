#include "app/yardctl/engine.h"

#include "app/yardctl/command_words.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/request_text.h"
#include "core/base/files.h"
#include "core/base/sentences.h"
#include "core/model/action_name.h"
#include "core/model/known_engines.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kMaxSmallFile = 64u << 10;
constexpr std::size_t kMaxCommandShown = 4'096;

/// Nobody was there: nothing of a request can have arrived.
bool isUnreachable(const Error& error) {
    return error.message.starts_with("cannot connect");
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
    return text;
}

Result<std::string> readToken(const std::string& path) {
    auto text = readFile(path, kMaxSmallFile);
    if (!text) return fail(text.error().kind, fmt::format("cannot read the token: {}", text.error().message));
    std::string token = trimmed(std::move(*text));
    const bool clean = std::ranges::all_of(token, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (token.empty() || !clean) return fail(ErrorKind::Invalid, fmt::format("{} does not hold a token", path));
    return token;
}

std::string dataDirectory(const GlobalOptions& options) {
    return options.dataDir ? *options.dataDir : defaultDataDirectory();
}

std::string startWords(const GlobalOptions& options) {
    return typedFor(options, {"yardmaster", "--headless"});
}

Result<std::string> readAddress(const GlobalOptions& options) {
    const std::string dir = dataDirectory(options);
    auto text = readFile(dir + "/address", kMaxSmallFile);
    if (text) return trimmed(std::move(*text));
    if (text.error().kind != ErrorKind::NotFound) return text;
    return fail(
        ErrorKind::NotFound,
        fmt::format("no engine serves the data directory {}; start one with {}, or say where it is with --url or "
                    "--data-dir",
                    dir, startWords(options)));
}

/// "https://host:port" and what is on the second line: the fingerprint of its TLS.
struct Published {
    ApiAddress api;
    std::string fingerprint;
};

Result<Published> readPublished(const GlobalOptions& options) {
    const auto text = readAddress(options);
    if (!text) return std::unexpected(text.error());
    const std::size_t end = std::min(text->find('\n'), text->size());
    Published published{.api = apiOfPublished(trimmed(text->substr(0, end))), .fingerprint = {}};
    if (end < text->size()) published.fingerprint = text->substr(end + 1);
    return published;
}

/// What the engine has to show: as it wrote down itself, or as it was trusted before.
Result<void> pin(Endpoint& endpoint, const GlobalOptions& options) {
    const auto published = readPublished(options);
    const auto itself = published ? Endpoint::parse(published->api.server) : std::unexpected(published.error());
    if (itself && itself->url() == endpoint.url()) {
        endpoint.fingerprint = published->fingerprint;
        endpoint.knownBy = dataDirectory(options) + "/address";
        return {};
    }
    endpoint.knownBy = knownEnginesFile();
    auto known = knownFingerprint(endpoint.knownBy, endpoint.authority());
    if (!known) return std::unexpected(known.error());
    endpoint.fingerprint = std::move(*known);
    return {};
}

ErrorKind kindOf(unsigned status) {
    switch (status) {
    case 400: return ErrorKind::Malformed;
    case 401: return ErrorKind::Unauthorized;
    case 403: return ErrorKind::Forbidden;
    case 404: return ErrorKind::NotFound;
    case 405: return ErrorKind::MethodNotAllowed;
    case 409: return ErrorKind::WrongState;
    case 413: return ErrorKind::TooLarge;
    case 415: return ErrorKind::UnsupportedType;
    case 422: return ErrorKind::Invalid;
    case 429: return ErrorKind::Busy;
    case 431: return ErrorKind::HeadersTooLarge;
    case 501: return ErrorKind::NotImplemented;
    case 503: return ErrorKind::NotAccepting;
    default: return ErrorKind::Internal;
    }
}

/// By the engine's word for it, which says more than the status.
std::optional<ErrorKind> kindNamed(std::string_view word) {
    for (int i = 0; i <= std::to_underlying(ErrorKind::Internal); ++i)
        if (const auto kind = static_cast<ErrorKind>(i); errorName(kind) == word) return kind;
    return std::nullopt;
}

/// The engine's sentence, or what came instead of one.
Error errorOf(const HttpResponse& response, const std::string& url) {
    Error error{.kind = kindOf(response.status), .message = {}, .field = {}, .need = {}};
    boost::system::error_code ec;
    const json::value body = parseJson(response.body, ec);
    const json::object* object = ec ? nullptr : body.if_object();
    if (object) {
        if (const auto* m = object->if_contains("message"); m && m->is_string())
            error.message = inCommandWords(m->get_string());
        if (const auto* word = object->if_contains("error"); word && word->is_string())
            error.kind = kindNamed(word->get_string()).value_or(error.kind);
        if (const auto* i = object->if_contains("index"); i && i->is_int64())
            error.index = static_cast<int>(i->get_int64());
        if (const auto* need = object->if_contains("need"); need && need->is_array()) {
            error.kind = ErrorKind::NeedChunks;
            for (const json::value& hash : need->get_array())
                if (hash.is_string()) error.need.emplace_back(hash.get_string());
        }
    }
    if (error.message.empty()) {
        const std::string line = response.body.substr(0, std::min<std::size_t>(response.body.find('\n'), 200));
        error.message = fmt::format("what answers at {} is no Yardmaster engine: it says {}{}{}", url,
                                    response.status, line.empty() ? "" : ", ", line);
    }
    if (response.status == 401)
        error.message += " (yardctl takes the token from --token-file, or from 'token' in the data directory)";
    return error;
}

} // namespace

std::string typedFor(const GlobalOptions& options, std::vector<std::string> words,
                     const std::vector<std::string>& behind) {
    if (options.dataDir) words.insert(words.end(), {"--data-dir", *options.dataDir});
    words.insert(words.end(), behind.begin(), behind.end());
    return fmt::format("'{}'", commandName(words, kMaxCommandShown));
}

bool isGone(const Error& error) {
    if (error.kind != ErrorKind::NotAccepting) return error.kind == ErrorKind::Io;
    return error.message == kEngineIsStopping || error.message == kEngineIsStarting;
}

Result<Location> locate(const GlobalOptions& options) {
    const std::string dir = dataDirectory(options);
    Location out;
    ApiAddress published;
    if (!options.url) {
        auto address = readPublished(options);
        if (!address) return std::unexpected(address.error());
        published = std::move(address->api);
    }
    auto endpoint = Endpoint::parse(options.url.value_or(published.server));
    if (!endpoint) return std::unexpected(endpoint.error());
    out.endpoint = std::move(*endpoint);
    if (!options.url) out.endpoint.prefix = std::move(published.prefix);
    if (options.url)
        if (auto isPrivate = out.endpoint.checkPrivacy(options.insecure); !isPrivate)
            return std::unexpected(isPrivate.error());
    if (out.endpoint.secure)
        if (auto pinned = pin(out.endpoint, options); !pinned) return std::unexpected(pinned.error());
    if (options.tokenFile) {
        auto token = readToken(*options.tokenFile);
        if (!token) return std::unexpected(token.error());
        out.token = std::move(*token);
    } else if (!options.url || options.dataDir || out.endpoint.isLoopback()) {
        auto token = readToken(dir + "/token");
        if (token)
            out.token = std::move(*token);
        else if (!options.url || token.error().kind != ErrorKind::NotFound)
            return std::unexpected(token.error());
    }
    return out;
}

Result<std::shared_ptr<HttpClient>> Engine::client() {
    {
        const ThreadLock lock(mutex_);
        if (interrupted_) return fail(ErrorKind::Io, "interrupted");
        if (client_) return client_;
    }
    auto location = locate(options_);
    if (!location) return std::unexpected(location.error());
    if (location->endpoint.secure && location->endpoint.fingerprint.empty())
        if (auto known = introduce(location->endpoint); !known) return std::unexpected(known.error());
    const ThreadLock lock(mutex_);
    if (interrupted_) return fail(ErrorKind::Io, "interrupted");
    url_ = location->endpoint.url();
    prefix_ = location->endpoint.prefix;
    client_ = std::make_shared<HttpClient>(std::move(location->endpoint), std::move(location->token));
    return client_;
}

std::unique_ptr<Engine> Engine::another() const {
    auto out = std::make_unique<Engine>(options_);
    out->reached_ = reached_.load();
    return out;
}

void Engine::interrupt() {
    const ThreadLock lock(mutex_);
    interrupted_ = true;
    if (client_) client_->interrupt();
}

bool Engine::isInterrupted() const {
    const ThreadLock lock(mutex_);
    return interrupted_;
}

std::string Engine::explain(const Error& error) const {
    if (!isUnreachable(error)) return error.message;
    return fmt::format(
        "no engine answers at {} ({}); start one with {}, or say where it is with --url or --data-dir", url_,
        error.message, startWords(options_));
}

Result<HttpResponse> Engine::send(const Call& call, const BodySink* sink, int bodyFile, std::uint64_t bodySize) {
    isAnswered_ = false;
    const bool isJson = call.contentType == "application/json";
    if (auto refusal =
            refusedText(call.method, call.path, isJson ? std::string_view(call.body) : std::string_view()))
        return std::unexpected(std::move(*refusal));
    auto http = client();
    if (!http) {
        Error error = http.error();
        // An address file that is gone is an engine that is down, if there was one a moment ago.
        if (reached_) error.kind = ErrorKind::Io;
        return std::unexpected(std::move(error));
    }
    HttpRequest request{.method = call.method, .path = prefix_ + "/" + call.path, .headers = {}, .body = call.body};
    request.bodyFile = bodyFile;
    request.bodyFileSize = bodySize;
    request.timeouts.silence = call.silence;
    if (giveUpAt_) {
        const auto left = std::max(*giveUpAt_ - std::chrono::steady_clock::now(), {}) + kLastAnswer;
        const auto most = std::chrono::duration_cast<std::chrono::milliseconds>(left);
        if (call.silence.count() > 0) request.timeouts.silence = std::min(call.silence, most);
        request.timeouts.connect = std::min(request.timeouts.connect, most);
    }
    if (!call.body.empty()) request.headers.emplace_back("Content-Type", call.contentType);
    if (bodyFile >= 0) request.headers.emplace_back("Content-Type", "application/octet-stream");
    if (!call.accept.empty()) request.headers.emplace_back("Accept", call.accept);
    if (!call.idempotencyKey.empty()) request.headers.emplace_back("Idempotency-Key", call.idempotencyKey);
    auto response = sink ? (*http)->stream(request, *sink) : (*http)->exchange(request);
    if (!response) {
        Error error = response.error();
        if (!isUnreachable(error)) reached_ = true;
        error.message = explain(error);
        lose();
        return std::unexpected(std::move(error));
    }
    reached_ = isAnswered_ = true;
    if (response->ok()) return response;
    Error error = errorOf(*response, url_);
    if (error.kind == ErrorKind::NotAccepting && isGone(error)) {
        isAnswered_ = false;
        lose();
    }
    return std::unexpected(std::move(error));
}

/// The engine may come back at another address, so the next request looks for it again.
void Engine::lose() {
    const ThreadLock lock(mutex_);
    client_.reset();
}

Result<void> Engine::reach() {
    auto http = client();
    if (!http) return std::unexpected(http.error());
    auto connected = (*http)->connect();
    if (connected) return connected;
    lose();
    const ErrorKind kind = isUnreachable(connected.error()) ? ErrorKind::NotFound : ErrorKind::Io;
    return fail(kind, explain(connected.error()));
}

Result<Answer> Engine::call(const Call& call) {
    auto response = send(call, nullptr);
    if (!response) return std::unexpected(response.error());
    boost::system::error_code ec;
    json::value body = parseJson(response->body, ec);
    if (ec || !body.is_object())
        return fail(ErrorKind::Internal,
                    fmt::format("what answers at {} is no Yardmaster engine: its answer is no JSON object", url_));
    return Answer{response->status, trimmed(std::move(response->body)), std::move(body.get_object())};
}

Result<Answer> Engine::callPatiently(const Call& what) {
    return patiently([&] { return call(what); });
}

template<class Ask>
auto Engine::patiently(Ask ask) -> decltype(ask()) {
    constexpr std::chrono::milliseconds kPause{200};
    auto until = std::chrono::steady_clock::now() + kPatience;
    if (giveUpAt_) until = std::min(until, *giveUpAt_);
    while (true) {
        auto answer = ask();
        const bool lost = !answer && isGone(answer.error()) && !isAnswered_ && reached_;
        if (!lost || isInterrupted() || std::chrono::steady_clock::now() >= until) return answer;
        std::this_thread::sleep_for(kPause);
    }
}

Result<void> Engine::stream(const Call& call, const BodySink& sink) {
    auto response = send(call, &sink);
    if (!response) return std::unexpected(response.error());
    return {};
}

Result<void> Engine::putFile(const std::string& path, int fd, std::uint64_t size) {
    constexpr std::chrono::minutes kSlowDisk{5};
    // Read from its beginning each time: what arrived of a broken one is thrown away.
    auto response =
        patiently([&] { return send({.method = "PUT", .path = path, .silence = kSlowDisk}, nullptr, fd, size); });
    if (!response) return std::unexpected(response.error());
    return {};
}

} // namespace yard::ctl
