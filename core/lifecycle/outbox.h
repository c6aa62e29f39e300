// Effects that a committed transition has and that are not carried out yet. Each row was written in the commit of its
// transition, so none is lost; it goes in the commit that carries it out (Create, Submit, Wake) or after its answer
// (Call). Decisions alone; the owner is that of the orchestrator. No clock: times go in.
#pragma once

#include "core/lifecycle/transition.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace yard::lifecycle {

struct CarryOut {
    EffectKey key{};
    Effect effect{};
    unsigned attempt = 1; ///< over 1: a repeat, as far as this life of the engine knows
};

class Outbox {
public:
    /// At once on their way; others wait for one of these to end. Calls, which wait for an actor, are counted apart.
    static constexpr std::size_t kMaxOnTheirWay = 1'000;
    static constexpr Duration kFirstPause = std::chrono::seconds(10);
    static constexpr Duration kLongestPause = std::chrono::hours(1);
    static constexpr Duration kShortPause = std::chrono::seconds(1);

    /// A row that is in the journal: after its commit, or at a start. One that is known already is left as it is.
    void add(EffectKey key, Effect effect, WallMicros now);
    /// Those to carry out now, calls last, in the order of their keys among those due at the same instant.
    std::vector<CarryOut> take(WallMicros now);
    /// It is carried out, and its row is gone from the journal.
    void done(const EffectKey& key);
    /// It was not; it is tried again after 10 s, 20 s … 1 h. The move that it belongs to stays.
    void failed(const EffectKey& key, WallMicros now);
    /// It could not be tried, for a reason that passes: again in a second, and that was no attempt.
    void postponed(const EffectKey& key, WallMicros now);
    /// Those of an object that wait are due now.
    void hurry(ObjectId object, WallMicros now);
    std::optional<WallMicros> next() const;
    std::size_t size() const { return rows_.size(); }
    /// Whether an object has any.
    bool has(ObjectId object) const;
    /// Of an object: Object::pendingCreates at a start.
    std::uint32_t creates(ObjectId object) const;

private:
    struct Row {
        Effect effect{};
        unsigned attempts = 0;
        WallMicros at = 0; ///< 0: on its way
    };
    std::map<EffectKey, Row> rows_;
    struct Lane {
        std::set<std::pair<WallMicros, EffectKey>> waiting{};
        std::size_t onTheirWay = 0;
    };
    Lane& laneOf(const Row& row) { return row.effect.kind == EffectKind::Call ? calls_ : others_; }
    void take(Lane& lane, WallMicros now, std::vector<CarryOut>& taken);
    /// One that is on its way; null where the key has none.
    Row* onItsWay(const EffectKey& key);
    void waitUntil(WallMicros at, const EffectKey& key, Row& row);

    Lane others_;
    Lane calls_;
};

} // namespace yard::lifecycle
