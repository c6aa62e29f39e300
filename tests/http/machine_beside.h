// A machine beside an engine, as far as routes and events show it: it says Hello by a connection that takes everything.
#pragma once

#include "core/engine/machines/machines.h"
#include "core/link/bodies.h"
#include "tests/engine/engine_test.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

class DeafWire final : public engine::LinkWire {
public:
    bool send(link::Kind, std::uint64_t, std::string_view) override { return true; }
    bool hasRoomForBulk() const override { return true; }
    void finish() override {}
    void end() override {}
};

inline link::Hello helloOfDesk(std::int64_t milliCores = 1'500) {
    link::Hello hello;
    hello.runId = "run";
    hello.name = "desk";
    hello.platform = "linux-x86_64";
    hello.version = "0.1.0";
    hello.capacity = {.milliCores = milliCores, .memoryMb = 64};
    return hello;
}

/// False: the engine does not know the line, or the machine broke the rules.
inline bool machineSays(test::EngineTest& engine, engine::LineId line, link::Kind kind, std::string body = {}) {
    return engine.run(
        engine->ask(&engine::Machines::frameCame, line,
                    engine::LinkFrame{.id = 1, .kind = static_cast<std::uint8_t>(kind), .body = std::move(body)}));
}

/// Nothing: it is not taken.
inline std::optional<engine::LineId> machineComes(test::EngineTest& engine, const link::Hello& hello,
                                                  engine::MachineCaller who) {
    const auto line =
        engine.run(engine->ask(&engine::Machines::opened, std::move(who), std::make_shared<DeafWire>()));
    if (!line || !machineSays(engine, *line, link::Kind::Hello, link::put(hello))) return std::nullopt;
    return *line;
}

} // namespace yard::http
