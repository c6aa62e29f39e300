// What people should look at of each type: objects that do not get on, and objects that are due and that nobody looks
// at. Told when it begins and when it is over; the log names one object of each type and reason.
//
// Owner: engine thread. Lifetime: that of Objects, after the orchestrator. Bounds: one entry for each type, and one for
// each create that has failed more than once, of which the outbox has a limited number.
#pragma once

#include "core/base/owner.h"
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yard::engine {

class ObjectTroubles {
public:
    enum class Kind : unsigned char { Stuck, Orphans };
    /// Of a type, when it begins and when it is over: then `text` is empty.
    using Tell = std::function<void(Kind, const std::string& type, const std::string& text)>;

    /// `tell` may be empty: nobody asks.
    ObjectTroubles(const lifecycle::Orchestrator& orchestrator, Tell tell)
        : orchestrator_(orchestrator)
        , tell_(std::move(tell)) {}

    /// Those that began, or are over. Of what is over the log warns again when it comes back. The first call tells all.
    void tellChanged();
    /// All that there are, and are not, again. Before the first tellChanged() nothing is known, and nothing is told.
    void tellAll();
    /// Once for each type and reason until there are none: GET orchestrator names some.
    void warnOf(const lifecycle::WarnOrphan& orphan);
    /// A create of an object was not carried out. Its object, and who waits for that, may wait for good.
    void createFailed(const lifecycle::CarryOut& effect);
    /// It was carried out, or is no longer needed.
    void createIsOver(const lifecycle::EffectKey& key);

private:
    struct TypeEntry {
        std::array<bool, lifecycle::kOrphanReasons> isWarned{}; ///< in the log
        std::array<bool, 2> told{};                             ///< by Kind: that there is some
        std::size_t failing = 0;                                ///< creates of its objects that have failed again
    };
    TypeEntry& entryOf(lifecycle::TypeNumber number);
    std::size_t countOf(lifecycle::TypeNumber number, Kind what);
    void tell(lifecycle::TypeNumber number, Kind what);
    std::string orphansText(lifecycle::TypeNumber number);

    const lifecycle::Orchestrator& orchestrator_;
    Tell tell_;
    std::vector<TypeEntry> types_;                                    ///< by their numbers
    std::map<lifecycle::EffectKey, lifecycle::TypeNumber> failing_{}; ///< creates that have failed more than once
    bool hasPassed_ = false;                                          ///< tellChanged() was called
    OwnerCheck owner_;
};

} // namespace yard::engine
