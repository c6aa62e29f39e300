// GET events: the way of a request to the hub of watchers.
#include "core/http/route.h"

#include "core/coro/suspend.h"
#include "core/coro/thread_group.h"
#include "core/http/error_map.h"
#include "core/http/event_hub.h"
#include "core/http/web_socket.h"

namespace yard::http {

namespace {

class EventsHandler final : public WebSocketHandler {
public:
    /// `expires`: of the token that asks; 0: never.
    EventsHandler(EventHub& hub, std::optional<Since> since, bool wantsAlerts, WallMicros expires)
        : hub_(hub)
        , since_(std::move(since))
        , wantsAlerts_(wantsAlerts)
        , expires_(expires) {}

    coro::Task<void> serve(WebSocket& socket) override {
        if (expires_ == 0) co_return co_await hub_.serve(socket, since_, wantsAlerts_);
        coro::ThreadGroup cutter;
        cutter.spawn("events expiry", cutAfter(socket, Duration(expires_ - wallNow())));
        std::exception_ptr trouble;
        try {
            co_await hub_.serve(socket, since_, wantsAlerts_);
        } catch (...) {
            trouble = std::current_exception();
        }
        co_await cutter.stop();
        if (trouble) std::rethrow_exception(trouble);
    }

private:
    static coro::Task<void> cutAfter(WebSocket& socket, Duration left) {
        co_await coro::sleepFor(left);
        socket.cut();
    }

    EventHub& hub_;
    std::optional<Since> since_;
    const bool wantsAlerts_;
    const WallMicros expires_;
};

coro::Task<Response> getEvents(Call& call) {
    std::optional<Since> since;
    if (const auto text = call.query.text("since")) {
        auto parsed = parseSince(*text);
        if (!parsed) co_return errorResponse(parsed.error());
        since = std::move(*parsed);
    }
    const auto alerts = call.query.integer("alerts", 0, 1);
    if (!alerts) co_return errorResponse(alerts.error());
    if (auto refusal = refuseUpgrade(call.request.head)) co_return std::move(*refusal);
    if (call.api.events.isFull())
        co_return errorResponse(ErrorKind::Busy, "Too many watch this engine already; close one, or ask with GET.");
    Response response;
    response.status = 101;
    response.webSocket = std::make_unique<EventsHandler>(
        call.api.events, std::move(since), alerts->value_or(0) == 1, call.request.presence.caller()->expires);
    co_return response;
}

} // namespace

std::span<const Route> eventRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "events", Global, None, Needs::Read},
         &getEvents,
         {.id = "getEvents",
          .summary = "Changes as they happen, over a WebSocket",
          .query = "since alerts",
          .answers = {{{101, ""}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
