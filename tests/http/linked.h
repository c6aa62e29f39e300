// A served engine that takes links, at a door that sends back what comes.
#pragma once

#include "core/http/api.h"
#include "core/http/link_door.h"
#include "core/http/server.h"
#include "core/tls/server_tls.h"
#include "tests/engine/engine_test.h"
#include "tests/http/raw_client.h"

#include <array>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

class EchoDoor final : public LinkDoor {
public:
    bool isFull() const override { return full; }
    coro::Task<void> serve(linkio::ByteStream& stream, LinkOpener opener) override {
        who = std::move(opener);
        ++begun;
        std::array<char, 65536> room;
        for (;;) {
            const std::size_t count = co_await stream.read(room);
            if (count == 0) break;
            const bool written = co_await stream.write({room.data(), count});
            if (!written || std::string_view(room.data(), count) == "close") break;
        }
        ++ended;
    }

    std::atomic<bool> full{false};
    LinkOpener who; ///< to be read once it has begun
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
};

struct Linked {
    static constexpr std::string_view kUpgrade = "Connection: Upgrade\r\nUpgrade: yard-link\r\n";

    explicit Linked(bool hasDoor = true, std::shared_ptr<tls::ServerTls> tls = {}) {
        ApiOptions options;
        options.links = hasDoor ? &door : nullptr;
        options.tls = tls;
        api = std::make_unique<Api>(*engine, options);
        auto started = Server::start({"127.0.0.1", 0}, *api, {}, std::move(tls));
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
    }
    ~Linked() { server->stop(); }

    /// That asks for a link; `fields`: whole lines of its head.
    static std::string request(std::string_view bearer, std::string_view fields = kUpgrade) {
        return fmt::format("GET /compute/link HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n{}\r\n",
                           bearer, fields);
    }
    RawAnswer ask(std::string_view bytes) { return exchange(server->port(), bytes); }
    /// A link that this request opens.
    RawClient openedBy(std::string_view request) {
        RawClient client(server->port());
        client.send(request);
        if (!client.receiveUntil("\r\n\r\n") || !client.rest().starts_with("HTTP/1.1 101")) qFatal("no link");
        return client;
    }
    /// A request of the API; without a token it is the owner's.
    RawAnswer call(std::string_view method, std::string_view path, std::string_view body = {},
                   std::string_view bearer = {}) {
        return ask(fmt::format("{} /compute/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
                               "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                               method, path, bearer.empty() ? engine->token() : bearer, body.size(), body));
    }

    test::EngineTest engine{1};
    EchoDoor door;
    std::unique_ptr<Api> api;
    std::unique_ptr<Server> server;
};

} // namespace yard::http
