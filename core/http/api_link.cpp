// GET link: the way of a machine to who takes links.
#include "core/http/route.h"

#include "core/coro/suspend.h"
#include "core/coro/thread_group.h"
#include "core/engine/guests/guests.h"
#include "core/engine/guests/join.h"
#include "core/http/auth.h"
#include "core/http/error_map.h"
#include "core/http/guest_door.h"
#include "core/http/handler_steps.h"
#include "core/http/join_tokens.h"
#include "core/http/link_door.h"
#include "core/http/tokens.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace yard::http {

namespace {

constexpr std::string_view kProtocol = "yard-link";

class LinkStream final : public StreamHandler {
public:
    /// `expires`: of the token that asks; 0: never.
    LinkStream(LinkDoor& door, LinkOpener opener, WallMicros expires)
        : door_(door)
        , opener_(std::move(opener))
        , expires_(expires) {}

    coro::Task<void> serve(linkio::ByteStream& stream) override {
        if (expires_ == 0) co_return co_await door_.serve(stream, std::move(opener_));
        coro::ThreadGroup closer;
        closer.spawn("link expiry", closeAfter(stream, Duration(expires_ - wallNow())));
        std::exception_ptr trouble;
        try {
            co_await door_.serve(stream, std::move(opener_));
        } catch (...) {
            trouble = std::current_exception();
        }
        co_await closer.stop();
        if (trouble) std::rethrow_exception(trouble);
    }

private:
    static coro::Task<void> closeAfter(linkio::ByteStream& stream, Duration left) {
        co_await coro::sleepFor(left);
        stream.close();
    }

    LinkDoor& door_;
    LinkOpener opener_;
    const WallMicros expires_;
};

/// With a door of its own.
class YardStream final : public StreamHandler {
public:
    YardStream(engine::Engine& engine, LinkOpener opener, WallMicros expires)
        : door_(engine)
        , stream_(door_, std::move(opener), expires) {}
    coro::Task<void> serve(linkio::ByteStream& stream) override { return stream_.serve(stream); }

private:
    GuestDoor door_;
    LinkStream stream_;
};

bool asksForLink(const RequestHead& head) {
    return head.isHttp11 && hasToken(head.field("Upgrade").value_or(""), kProtocol) &&
           hasToken(head.field("Connection").value_or(""), "upgrade");
}

Response upgradeRequired() {
    Response response = errorResponse(ErrorKind::Malformed,
                                      "This is the link of machines; it begins with \"Connection: Upgrade\" and "
                                      "\"Upgrade: yard-link\", as another Yardmaster sends them.");
    response.status = 426;
    response.fields.emplace_back("Upgrade", kProtocol);
    return response;
}

/// The other way round: who asks gives work, and this machine does it.
coro::Task<Response> getGuestLink(Call& call) {
    if (!asksForLink(call.request.head)) co_return upgradeRequired();
    std::string key(call.request.head.field("Yard-Machine-Key").value_or(""));
    if (!engine::isMachineKey(key))
        co_return errorResponse(
            ErrorKind::Malformed,
            "Send the field Yard-Machine-Key, 48 hexadecimal digits: by it this machine knows the engine again.");
    if (const auto may = co_await call.engine.ask(&engine::Guests::mayCome, key); !may)
        co_return errorResponse(may.error());
    const Caller& caller = *call.request.presence.caller();
    Response response;
    response.status = 101;
    response.stream = std::make_unique<YardStream>(
        call.engine,
        LinkOpener{.token = caller.name, .peer = call.request.peer, .key = std::move(key), .maxCores = 0},
        caller.expires);
    response.protocol = kProtocol;
    co_return response;
}

coro::Task<Response> getLink(Call& call) {
    if (!asksForLink(call.request.head)) co_return upgradeRequired();
    LinkDoor* const door = call.api.links;
    if (!door) co_return errorResponse(ErrorKind::NotImplemented, "This engine takes no machines yet.");
    if (door->isFull())
        co_return errorResponse(ErrorKind::Busy,
                                "As many machines are linked to this engine as may be; remove one.");
    Presence& presence = call.request.presence;
    const bool isAdmin = presence.caller() != call.api.joins.joining().get();
    auto entered = co_await call.api.joins.enter(
        std::string(bearerOf(call.request.head).value_or("")), isAdmin,
        std::string(call.request.head.field("Yard-Machine-Key").value_or("")),
        [&engine = call.engine] { return keysOfMachines(engine); }, call.helpers);
    if (!entered) co_return errorResponse(entered.error());
    // What a join token let in stays when that is over.
    if (!isAdmin) presence.enter(entered->caller, call.request.link);
    Response response;
    response.status = 101;
    response.stream = std::make_unique<LinkStream>(*door,
                                                   LinkOpener{.token = isAdmin ? presence.caller()->name : "",
                                                              .peer = call.request.peer,
                                                              .key = entered->key,
                                                              .maxCores = entered->maxCores},
                                                   presence.caller()->expires);
    response.protocol = kProtocol;
    co_return response;
}

} // namespace

std::span<const Route> linkRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "link", Global, None, Needs::Admin},
         &getLink,
         {.id = "getLink",
          .summary = "The link of a machine: frames both ways, over the connection of this request",
          .answers = {{{101, ""}}}}},
        {{Get, "guests/link", Global, None, Needs::Admin},
         &getGuestLink,
         {.id = "getGuestLink",
          .summary = "The link of an engine that this machine is to work for: frames both ways",
          .answers = {{{101, ""}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
