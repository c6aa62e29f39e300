// Takes links: brings what machines say to the engine, and what it says back to them.
//
// Owner: the http thread. Lifetime: outlives the Api whose door it is; the engine outlives it. Bounds: kMostMachines links;
// of each one frame is on its way to the engine, and the engine's control and chunks on their way back have a limit each.
#pragma once

#include "core/engine/engine.h"
#include "core/http/link_door.h"

#include <cstddef>

namespace yard::http {

class MachineDoor final : public LinkDoor {
public:
    explicit MachineDoor(engine::Engine& engine)
        : engine_(engine) {}
    bool isFull() const override;
    coro::Task<void> serve(linkio::ByteStream& stream, LinkOpener opener) override;

private:
    engine::Engine& engine_;
    std::size_t open_ = 0;
};

} // namespace yard::http
