// GET events: the way of a request to the hub of watchers.
#include "core/http/route.h"

#include "core/http/error_map.h"
#include "core/http/event_hub.h"
#include "core/http/web_socket.h"

namespace yard::http {

namespace {

class EventsHandler final : public WebSocketHandler {
public:
    EventsHandler(EventHub& hub, std::optional<Since> since)
        : hub_(hub)
        , since_(std::move(since)) {}
    coro::Task<void> serve(WebSocket& socket) override { return hub_.serve(socket, since_); }

private:
    EventHub& hub_;
    std::optional<Since> since_;
};

coro::Task<Response> getEvents(Call& call) {
    std::optional<Since> since;
    if (const auto text = call.query.text("since")) {
        auto parsed = parseSince(*text);
        if (!parsed) co_return errorResponse(parsed.error());
        since = std::move(*parsed);
    }
    if (auto refusal = refuseUpgrade(call.request.head)) co_return std::move(*refusal);
    if (call.api.events.isFull())
        co_return errorResponse(ErrorKind::Busy, "Too many watch this engine already; close one, or ask with GET.");
    Response response;
    response.status = 101;
    response.webSocket = std::make_unique<EventsHandler>(call.api.events, std::move(since));
    co_return response;
}

} // namespace

std::span<const Route> eventRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "events", Global},
         &getEvents,
         {.id = "getEvents",
          .summary = "Changes as they happen, over a WebSocket",
          .query = "since",
          .answers = {{{101, ""}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
