// Makes the services of objects: their hooks, their actors and themselves.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the services lead here.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <string>

namespace yard::engine {

class ObjectWiring {
public:
    ObjectWiring(Ground& ground, Services& services)
        : ground_(ground)
        , services_(services) {}
    ObjectWiring(const ObjectWiring&) = delete;
    ObjectWiring& operator=(const ObjectWiring&) = delete;

    /// Once there are a journal and a session. Takes the folder of hooks and the plugins out of Ground.
    void open();

private:
    void openHooks();
    void openActors();
    void openObjects();
    Result<PlanPtr> sandboxOf(const HookFile& file, const std::string& directory, SlotId slot) const;

    Ground& ground_;
    Services& services_;
};

} // namespace yard::engine
