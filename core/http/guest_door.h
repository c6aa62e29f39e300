// Takes links that yards open to this engine: it is to work for them. Their bytes go to the engine by a pair of sockets, as
// they come, so that neither side holds more than those do.
//
// Owner: the http thread. Lifetime: as its link; the engine outlives it.
#pragma once

#include "core/engine/engine.h"
#include "core/http/link_door.h"

namespace yard::http {

class GuestDoor final : public LinkDoor {
public:
    explicit GuestDoor(engine::Engine& engine)
        : engine_(engine) {}
    bool isFull() const override { return false; } ///< Guests::mayCome() says it
    coro::Task<void> serve(linkio::ByteStream& stream, LinkOpener opener) override;

private:
    engine::Engine& engine_;
};

} // namespace yard::http
