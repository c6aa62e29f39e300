// Makes the service of courtesy, and says which attempts it may lower or freeze.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the service leads here.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <functional>
#include <utility>
#include <vector>

namespace yard::engine {

class CourtesyWiring {
public:
    /// `wake`: the pump has something to do.
    CourtesyWiring(Ground& ground, Services& services, std::function<void()> wake)
        : ground_(ground)
        , services_(services)
        , wake_(std::move(wake)) {}
    CourtesyWiring(const CourtesyWiring&) = delete;
    CourtesyWiring& operator=(const CourtesyWiring&) = delete;

    /// Once there are a session and Execution.
    void open();
    /// An attempt has begun.
    void lowerLate(const Attempt& attempt);

private:
    bool isLoweredByCourtesy(const Attempt& attempt) const;
    std::vector<int> loweredByCourtesy() const;
    bool isFreezable(const Attempt& attempt) const;
    std::vector<courtesy::Freezable> freezable() const;
    double coresOfActions() const;
    bool isFreezing() const;

    Ground& ground_;
    Services& services_;
    std::function<void()> wake_;
};

} // namespace yard::engine
