#include "app/yardmaster/console_door.h"

#include "core/coro/one_shot.h"
#include "core/http/error_map.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace yard::app {

namespace {

/// What is shown of one answer.
constexpr std::size_t kAnswerBytes = 8u << 20;

/// Whether the console waits no more. It says so on its thread, the server's looks.
using Left = std::shared_ptr<std::atomic<bool>>;

class OwnLink final : public http::Link {
public:
    explicit OwnLink(Left left)
        : left_(std::move(left)) {}
    bool peerGone() override { return *left_; }
    bool isStopping() const override { return *left_; }
    void setInterruptible(bool) override {}
    void cut() override {}

private:
    const Left left_;
};

console::ApiAnswer refused(std::string sentence) {
    return {.status = 0, .body = std::move(sentence)};
}

coro::Task<console::ApiAnswer> taken(http::Response response) {
    console::ApiAnswer answer{.status = response.status, .body = std::move(response.body)};
    if (response.webSocket || response.stream) co_return refused("this route answers by a connection of its own");
    while (response.producer) {
        const auto piece = co_await response.producer->next();
        if (!piece) co_return refused(piece.error().message);
        if (piece->empty()) break;
        if (answer.body.size() + piece->size() > kAnswerBytes)
            co_return refused("the answer is too large for a console");
        answer.body += *piece;
    }
    co_return answer;
}

/// The bytes of a chunk, in one piece.
class OwnBody final : public http::BodySource {
public:
    explicit OwnBody(std::string bytes)
        : bytes_(std::move(bytes)) {}
    coro::Task<Result<std::string_view>> read() override {
        co_return std::exchange(isRead_, true) ? std::string_view() : std::string_view(bytes_);
    }

private:
    const std::string bytes_;
    bool isRead_ = false;
};

coro::Task<console::ApiAnswer> handled(const ConsoleDoor& door, console::ApiRequest asked, Left left,
                                       bool isChunk = false) {
    OwnLink link(std::move(left));
    http::Request request;
    request.link = &link;
    request.localPort = door.server.port();
    request.secure = door.secure;
    request.head.setTarget(fmt::format("{}/{}", door.prefix, asked.path));
    request.head.method = http::methodFrom(asked.method);
    request.head.hasBody = !asked.body.empty();
    request.head.contentLength = asked.body.size();
    request.head.addField("Host", "localhost");
    request.head.addField("Authorization", "Bearer " + door.token);
    if (!asked.body.empty())
        request.head.addField("Content-Type", isChunk ? "application/octet-stream" : "application/json");
    http::Admission admission = door.handler.admit(request);
    if (admission.refusal) co_return co_await taken(std::move(*admission.refusal));
    const bool isStream = admission.mode == http::BodyMode::Stream;
    if (isStream && !isChunk) co_return refused("a console sends no bytes to a route");
    if (!isStream && asked.body.size() > admission.limit)
        co_return co_await taken(http::errorResponse(
            ErrorKind::TooLarge,
            fmt::format("The body is over the {} bytes that this route takes; send less.", admission.limit)));
    OwnBody source(isStream ? std::move(asked.body) : std::string());
    if (isStream)
        request.source = &source;
    else
        request.body = std::move(asked.body);
    http::Response response = co_await door.handler.handle(request);
    co_return co_await taken(std::move(response));
}

coro::Task<void> carryOut(const ConsoleDoor& door, console::ApiRequest asked, Left left,
                          coro::Promise<console::ApiAnswer> promise) {
    promise.set(co_await handled(door, std::move(asked), std::move(left)));
}

coro::Task<console::ApiAnswer> askThrough(std::shared_ptr<const ConsoleDoor> door, console::ApiRequest asked) {
    // A target is one word: what would end it, or begin another line, is nobody's path.
    if (std::ranges::any_of(asked.path, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }))
        co_return refused("a path has no blanks: encode() them");
    coro::OneShot<console::ApiAnswer> answer("answer of the API");
    const Left left = std::make_shared<std::atomic<bool>>(false);
    const struct Leaving { // also where it is interrupted
        std::atomic<bool>& left;
        ~Leaving() { left = true; }
    } leaving{*left};
    door->server.spawn("console request",
                       [door, left = Left(left), request = std::move(asked), promise = answer.promise()]() mutable {
                           return carryOut(*door, std::move(request), std::move(left), std::move(promise));
                       });
    std::optional<console::ApiAnswer> got;
    try {
        got.emplace(co_await answer.get());
    } catch (const coro::LostError&) {
        // The server ended, or the handler failed and said so in the log.
    }
    if (!got) co_return refused("the engine does not answer");
    co_return std::move(*got);
}

} // namespace

coro::Task<console::ApiAnswer> askAsOwner(const ConsoleDoor& door, console::ApiRequest request, bool isChunk) {
    return handled(door, std::move(request), std::make_shared<std::atomic<bool>>(false), isChunk);
}

console::Ask askBy(ConsoleDoor door) {
    return [shared = std::make_shared<const ConsoleDoor>(std::move(door))](console::ApiRequest asked) {
        return askThrough(shared, std::move(asked));
    };
}

} // namespace yard::app
