// The one that knows all types: which objects are due, which actors are started for them, what each looks at, and when
// it ends. Decisions alone: events go in, decisions come out by take(). Whoever owns it carries them out, in this order.
//
// Owner: one thread, the engine's. No clock, no I/O: times go in, of a scale that never runs backwards.
// Invariants: an object is in one place (Where); one actor looks at it at most; a final object is in no queue.
// The owner writes to a journal that keeps order: an answer of claimed() or written() comes in the order of decisions.
#pragma once

#include "core/lifecycle/decisions.h"
#include "core/lifecycle/orphans.h"
#include "core/lifecycle/pending_writes.h"
#include "core/lifecycle/time_index.h"

#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::lifecycle {

class Orchestrator {
public:
    /// An object is looked at once in this time at most, but for kBurst moves in a row.
    static constexpr Duration kHotPause = std::chrono::milliseconds(100);
    static constexpr std::uint8_t kBurst = 8;
    /// A free actor waits so long for an object that is due once its creates are carried out.
    static constexpr Duration kCreateGrace = std::chrono::seconds(1);
    /// Objects that one pass finds due; the rest is the next one's.
    static constexpr std::size_t kDuePerPass = 10'000;
    /// Looks of an actor before it may have to make room for another key.
    static constexpr unsigned kTurn = 100;

    // --- types
    /// What putType() of a new type, or of a new version of one, comes to. Errors: as successors(); Busy while something
    /// of the type is being written, see hold(); AtLimit.
    Result<TypeChange> plan(const Type& type, WallMicros now) const;
    /// What was planned. Errors: as plan(); none where it was planned, and outdate() and hold() kept it so.
    Result<TypeNumber> putType(Type type, WallMicros now);
    /// Who looks at objects of the type now does so in vain: nothing is decided from it, and they are looked at again.
    void outdate(TypeNumber type) { ++types_[type].generation; }
    /// WrongState with objects.
    Result<void> removeType(TypeNumber type);
    /// No look begins while a type is held.
    void hold(TypeNumber type, bool isHeld) { types_[type].isHeld = isHeld; }
    /// Registered or not. At first it is.
    void workerKnown(TypeNumber type, bool isKnown);
    /// Another version of it is there: actors of the one before end once they have answered.
    void workerReplaced(TypeNumber type) { ++types_[type].workerVersion; }
    /// It has actors, and their worker is there.
    bool hasActors(TypeNumber type) const { return types_[type].type.actor && types_[type].workerKnown; }
    std::optional<TypeNumber> findType(std::string_view name) const;
    /// With those that were removed: their numbers count from 0.
    std::size_t typeCount() const { return types_.size(); }
    const Type& type(TypeNumber number) const { return types_[number].type; }
    /// The number of a launch key, from the texts of its fields.
    KeyNumber keyNumber(TypeNumber type, std::string_view key);
    std::uint64_t count(TypeNumber type, StateNumber state) const { return types_[type].counts[state]; }

    // --- objects, after their commit
    void add(const Object& object);
    void remove(ObjectId id);
    /// Called when its wake is handed to the journal, not after the commit: what is decided from then on counts with it.
    void wake(ObjectId id, WallMicros now);
    /// Decides a Write. Errors: as moveByHand(); NotFound.
    Result<void> move(ObjectId id, std::string_view to, bool isForced, WallMicros now);
    /// Decides a Write that sets fields and moves nothing. NotFound; WrongState: it has ended.
    Result<void> setByHand(ObjectId id, std::string set, WallMicros now);
    /// One of the creates in a write of `maker` is carried out, and the new object is added.
    void created(ObjectId maker);
    /// One of them could not be, and is tried again. `maker` is warned of once, as it may wait for good.
    void createFailed(ObjectId maker);
    /// Its fields name another launch key since a commit.
    void setKey(ObjectId id, KeyNumber key);
    const Object* find(ObjectId id) const;

    // --- the journal's answers
    /// `ok` false: the swap failed. Nothing happens.
    void claimed(const Claim& claim, bool ok, WallMicros now);
    void written(const Write& write, bool ok, WallMicros now);

    /// It refuses: no look begins before `until`. False: it was so already.
    bool pause(WallMicros until, WallMicros now);

    // --- actors
    void actorReady(ActorNumber actor);
    /// When what it was given is late; 0: its time has not begun, as it waits for its place.
    void setDeadline(ActorNumber actor, WallMicros deadline);
    /// `error` is empty where an EndActor ended it. A crash while it looked is an exception of that look alone.
    void actorEnded(ActorNumber actor, std::string error, WallMicros now);
    /// An error of `answer` is an exception of the tick.
    void answered(ActorNumber actor, const Result<Answer>& answer, WallMicros now);
    /// A `call` effect waits for an actor of its object's type and key.
    void addCall(const EffectKey& effect);
    void callEnded(ActorNumber actor);
    /// Calls that no actor was given yet: they wait for none any more.
    std::vector<EffectKey> takeCalls(TypeNumber type);

    // --- decisions
    /// One pass: queues, running actors, actors to spawn, orphans, idle.
    void pass(WallMicros now);
    std::vector<Decision> take() { return std::exchange(decisions_, {}); }
    /// When pass() may decide something even if no event comes before. Nothing: never.
    std::optional<WallMicros> nextPass(WallMicros now) const;

    // --- what people see
    const Orphans& orphans() const { return orphans_; }
    /// Claims and writes that are not answered yet.
    const PendingWrites& writes() const { return writing_; }
    /// What is claimed, or looked at and not answered.
    std::vector<ObjectId> looked() const;
    std::size_t stuck() const { return stuck_; }
    std::size_t stuck(TypeNumber type) const { return types_[type].stuck; }
    std::size_t size() const { return objects_.size(); }
    std::size_t actorCount() const { return actors_.size(); }
    bool isThere(TypeNumber type) const { return types_[type].isThere; }
    /// How many actors the queues of a type are worth, within its limits.
    unsigned wanted(TypeNumber type) const;
    /// Due and in the queue of a type's actors.
    std::size_t queued(TypeNumber type) const;

private:
    struct TypeEntry {
        Type type{};
        std::vector<std::uint64_t> counts{}; ///< objects by state
        std::map<std::string, KeyNumber, std::less<>> keys{};
        std::vector<std::string> keyTexts{""}; ///< by number; 0 is none
        KeyNumber lastSpawned = 0;
        unsigned actors = 0;
        std::size_t stuck = 0;
        unsigned generation = 0; ///< of its states' numbers
        unsigned workerVersion = 0;
        bool workerKnown = true;
        bool isHeld = false;
        bool isThere = true;
    };
    using GroupKey = std::pair<TypeNumber, KeyNumber>;
    struct Group {
        std::set<std::pair<WallMicros, ObjectId>> queue{};
        std::deque<EffectKey> calls{};
        unsigned actors = 0;
        WallMicros notBefore = 0; ///< its last actor could not be started
        WallMicros keptUntil = 0; ///< its free actors stay, for the next look at `keptFor`
        ObjectId keptFor{};       ///< due once its creates are carried out; the last one of those
    };
    enum class ActorState : std::uint8_t { Starting, Free, Looking, Calling, Ending };
    struct Actor {
        GroupKey group{};
        ActorState state = ActorState::Starting;
        Seen seen{};
        WallMicros deadline = 0;
        WallMicros freeSince = 0; ///< 0: it has work, or nobody looked yet
        unsigned generation = 0;
        unsigned workerVersion = 0;
        unsigned looks = 0;
    };

    // where objects are
    std::optional<OrphanReason> orphanReason(const Object& object) const;
    WallMicros dueAt(Object& object) const;
    void place(Object& object);
    void unplace(Object& object);
    void enqueue(Object& object);
    Object* held(ObjectId id);
    // events
    void decide(Write write, Object& object, WallMicros now);
    void release(ObjectId id);
    void failLook(const Actor& actor, std::string error, WallMicros now);
    void changeStates(TypeNumber number, Type type, const std::vector<StateNumber>& to, WallMicros now);
    // pass
    void takeDue(WallMicros now);
    void endLate(WallMicros now);
    void giveWork(WallMicros now);
    WallMicros lingersUntil(const Actor& actor) const;
    void look(ActorNumber number, Actor& actor, Group& group, WallMicros now);
    void spawnFor(TypeNumber number, WallMicros now);
    void spawnInto(const GroupKey& key, Group& group, WallMicros now);
    bool isAnotherStarving(const GroupKey& key, WallMicros now) const;
    void countStuck(TypeNumber type, bool isStuck);
    void endActor(ActorNumber number, Actor& actor, EndReason why);
    void warnOfOrphans();

    std::vector<TypeEntry> types_;
    std::unordered_map<ObjectId, Object> objects_;
    TimeIndex times_;
    std::map<GroupKey, Group> groups_; ///< those with objects, calls or actors
    std::map<ActorNumber, Actor> actors_;
    std::unordered_map<ObjectId, ActorNumber> looks_;
    PendingWrites writing_;
    Orphans orphans_;
    std::vector<Decision> decisions_;
    WallMicros pausedUntil_ = 0;
    ActorNumber lastActor_ = 0;
    std::size_t stuck_ = 0;
    bool isIdle_ = false;
};

} // namespace yard::lifecycle
