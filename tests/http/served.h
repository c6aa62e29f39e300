// Engine, routes and a server on a free port, for tests over real sockets.
#pragma once

#include "tests/engine/engine_test.h"

#include "core/engine/state/queues.h"
#include "core/http/api.h"
#include "core/http/server.h"
#include "tests/http/ws_client.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

class Served {
public:
    explicit Served(Limits limits = {}, std::size_t maxWatchers = 1'000,
                    std::function<void(engine::Options&)> adjust = {})
        : engine(2, std::move(adjust)) {
        ApiOptions options;
        options.maxWatchers = maxWatchers;
        api_ = std::make_unique<Api>(*engine, options);
        auto started = Server::start({"127.0.0.1", 0}, *api_, limits);
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
        engine.run(engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"max_retries":0})"));
    }
    ~Served() { server->stop(); }
    std::uint16_t port() const { return server->port(); }
    WsClient connect(std::string_view target = "/compute/events", int receiveBufferBytes = 0) {
        return WsClient(port(), engine->token(), target, {}, receiveBufferBytes);
    }
    RawAnswer get(std::string_view target, std::vector<std::pair<std::string, std::string>> fields,
                  std::string_view method = "GET") {
        RawClient client(port());
        client.send(WsClient::request(port(), engine->token(), target, std::move(fields), method));
        return client.receive(method == "HEAD");
    }

    test::EngineTest engine;

private:
    std::unique_ptr<Api> api_;

public:
    std::unique_ptr<Server> server;
};

/// What a watcher of all ends sends.
inline constexpr std::string_view kEnds = R"({"watch":{"finished":true}})";

/// Past the greeting and the snapshot.
inline boost::json::object begin(WsClient& client) {
    const boost::json::object hello = client.next();
    if (hello.contains("resumed") && !hello.at("resumed").as_bool()) client.next();
    return hello;
}

} // namespace yard::http
