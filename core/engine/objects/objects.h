// Objects: work that has a life (docs/objects.md). Drives core/lifecycle with the journal and with actors in the warm
// pool: commits what that decides, and reports what came of it. Each effect of a move is a row of the journal
// from the commit of the move on, and is carried out from there.
//
// Owner: engine thread; one cooperative thread (run()), which wakes for the next time that something is due and when
// something happened, and one for each commit and each look on its way. Lifetime: after Intake and the registry; before
// the warm runner. Bounds: store::kMostObjects at once; looks as many as there are actors; effects on their way
// lifecycle::Outbox::kMaxOnTheirWay. A write that the journal refuses did not happen: the object is looked at again.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/one_shot.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/objects/actor_processes.h"
#include "core/engine/objects/look_ahead.h"
#include "core/engine/objects/object_actor.h"
#include "core/engine/objects/object_effects.h"
#include "core/engine/objects/object_hooks.h"
#include "core/engine/objects/object_io.h"
#include "core/engine/objects/object_request_keys.h"
#include "core/engine/objects/object_retention.h"
#include "core/engine/objects/object_troubles.h"
#include "core/engine/objects/object_view.h"
#include "core/engine/objects/owned_actions.h"
#include "core/engine/objects/pokes.h"
#include "core/engine/state/views.h"
#include "core/engine/state/worker_registry.h"
#include "core/lifecycle/move_rates.h"
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"
#include "core/store/object_operations.h"
#include "core/store/object_reads.h"
#include "core/store/operations.h"
#include "core/store/reader.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

/// Which objects a list has.
struct ObjectQuery {
    std::string type{};   ///< empty: any
    std::string status{}; ///< likewise
    std::string text{};   ///< "field:value" of its type, with blanks between
    std::int64_t parent = 0;
    std::int64_t cursor = 0;
    int limit = 100;
    bool newestFirst = true;
    bool isBare = false;                              ///< rows are without their fields
    std::optional<std::vector<std::int64_t>> among{}; ///< of these alone
};

class Objects {
public:
    struct Reads {
        std::function<coro::Task<Result<std::optional<store::ObjectWithRelatives>>>(std::int64_t)> object;
        std::function<coro::Task<Result<store::ObjectPage>>(store::ObjectQuestion)> page;
        std::function<coro::Task<Result<std::vector<store::ObjectMoveRow>>>(std::int64_t)> history;
        std::function<coro::Task<Result<ActionResult>>(Lsn)> action;
        /// As Reader::keptAnswer().
        std::function<coro::Task<Result<std::optional<store::Reader::KeptAnswer>>>(std::string key)> keptAnswer;
        LookAhead::Read ahead{}; ///< empty: each row is read after its claim
        /// As Reader::objectStays().
        std::function<coro::Task<Result<std::vector<store::StatusStay>>>(std::int64_t, std::vector<std::string>)>
            stays{};
    };
    struct Parts {
        /// As ObjectIo::post.
        std::function<PostedObjects(store::Action)> post;
        Reads reads;
        ActorProcesses& actors;
        std::function<const RegisteredWorker*(std::string_view)> worker; ///< null: there is none
        std::function<coro::Task<Result<SubmitAnswer>>(Submission)> submit;
        std::function<bool(const Resources&)> everFits; ///< this machine has that much
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<bool()> areContained; ///< workers run in sandboxes: no effect of theirs leads out of one
        std::function<WallMicros()> now;    ///< never runs backwards
        std::function<void(std::int64_t id)> changed{}; ///< as ChangeLog::noteObject(); empty: nobody asks
        ObjectTroubles::Tell trouble{};                 ///< empty: nobody asks
        Hooks* hooks = nullptr;                         ///< null: there are none
    };
    explicit Objects(Parts parts);

    // --- a start and an end
    /// What the journal has. A type that cannot be read is left out with its objects, and the log names it; a new
    /// one of its name takes its place, and its objects at the next start.
    void restore(std::span<const store::ObjectTypeRow> types, std::span<const store::EffectRow> effects,
                 std::int64_t lastObject, std::int64_t lastType);
    /// After restore(), whose effects hold back the looks at their objects.
    void restoreObjects(std::span<const store::ObjectStanding> objects);
    coro::Task<void> run();
    /// Nothing is decided any more. What is looked at is due at once for the next engine.
    void stop();
    /// Some were registered or removed.
    void workersChanged();

    // --- types
    /// A new one, or a new version of one. Malformed, Invalid, TooLarge; WrongState: objects stand in its way; Busy;
    /// Journal, and then all is as it was.
    coro::Task<Result<ObjectTypeView>> putType(std::string json);
    /// By name.
    std::vector<ObjectTypeView> types() const;
    /// The same without their bodies.
    std::vector<ObjectTypeView> counts() const;
    Result<ObjectTypeView> type(std::string name) const;
    /// How long its objects usually stay in each status, of some that were there; by status. NotFound.
    coro::Task<Result<std::vector<store::StatusStay>>> stays(std::string name);
    /// NotFound; WrongState with objects, unless `isForced`: then they go, too.
    coro::Task<Result<void>> removeType(std::string name, bool isForced);

    // --- objects
    using Created = CreatedObjects;
    /// One or a list, all or none. One whose key its type has already is the one that is there.
    coro::Task<Result<Created>> create(std::string json);
    /// The same once: a repeat within a day makes nothing, and gets the first answer. Invalid: another body.
    coro::Task<Result<Created>> createOnce(std::string json, store::Idempotency once);
    /// With children and history; not before it has the status `until` (empty: a final one), `wait` at most.
    coro::Task<Result<ObjectView>> get(std::int64_t id, Duration wait, std::string until);
    /// NotFound: no such type; Invalid: it has no such status or field.
    coro::Task<Result<ObjectList>> list(ObjectQuery query);
    struct Changed {
        ObjectView view;
        bool isOther = false; ///< it has another revision, and nothing was changed
    };
    /// Sets fields. NotFound, Invalid; WrongState: it has ended; Busy: its type is being changed.
    coro::Task<Result<Changed>> change(std::int64_t id, std::string fields, std::optional<std::int64_t> revision);
    /// Due now, and with them their effects that are to be tried again. How many of them are there and have not ended.
    coro::Task<Result<std::int64_t>> look(std::vector<std::int64_t> ids);
    /// NotFound, Invalid; WrongState: the table does not allow it, or it was moved meanwhile; Busy as change().
    coro::Task<Result<void>> move(std::int64_t id, std::string to, bool isForced);
    /// The same once, as createOnce().
    coro::Task<Result<void>> moveOnce(std::int64_t id, std::string to, bool isForced, store::Idempotency once);
    using Choice = ObjectChoice;
    /// What is chosen first is kept, and a repeat within a day is about the same. Invalid: another body.
    coro::Task<Result<Choice>> chooseOnce(Choice choice, store::Idempotency once);
    /// With history and effects; children stay. How many there were.
    coro::Task<Result<std::int64_t>> remove(std::vector<std::int64_t> ids);
    OrchestratorView orchestrator() const;
    ObjectTroubles& troubles() { return troubles_; }
    ObjectRetention& retention() { return retention_; }
    /// restore() before run(), which tells the ends.
    OwnedActions& actions() { return owned_; }

private:
    struct TypeEntry {
        std::int64_t id = 0; ///< in the journal
        std::string body{};
        std::string worker{};   ///< id of its actors' one, as it was last
        unsigned creating = 0;  ///< objects of it that are not committed yet
        bool isLeaving = false; ///< takes no new ones
        std::string lastFailure{};
        lifecycle::MoveRates rates{};
    };
    struct ByHand {
        coro::Event done{};
        bool isDone = false; ///< committed, and it was as it was seen
        std::optional<Error> error{};
    };

    // objects_driving.cpp: decisions
    void drain();
    void carry(std::vector<lifecycle::Decision> decisions);
    void carryClaims(std::vector<lifecycle::Claim> claims);
    void carry(const lifecycle::StartActor& start);
    void carry(const lifecycle::SendTick& tick);
    void carry(const lifecycle::SendCall& call);
    void carry(lifecycle::Write write);
    void carry(const lifecycle::EndActor& end);
    void carry(const lifecycle::WarnOrphan& orphan) { troubles_.warnOf(orphan); }
    void carry(const lifecycle::Idle&) const { hooks_.fire(lifecycle::HookPoint::OrchestratorIdle); }
    coro::Task<void> commitClaims(std::vector<lifecycle::Claim> claims, PostedObjects posted);
    coro::Task<void> commitWrite(lifecycle::Write write, std::optional<std::string> launch,
                                 std::optional<ObjectHooks::View> view, PostedObjects posted);
    void journalRefused(const Error& error);
    coro::Task<void> lookAt(lifecycle::SendTick tick, LookAhead::BatchPtr ahead);
    coro::Task<Result<std::optional<store::ObjectWithRelatives>>> rowFor(lifecycle::Seen seen,
                                                                         LookAhead::BatchPtr ahead);
    void readAhead(const std::vector<lifecycle::Claim>& claims);
    void poke(lifecycle::ObjectId id, PokeWhy why, std::int64_t by, WallMicros now);
    void settlePokes(const lifecycle::Write& write, const lifecycle::Object& before);
    std::string processName(const ObjectActor& actor) const; ///< without its number
    void actorReady(lifecycle::ActorNumber actor);
    void actorBegan(lifecycle::ActorNumber actor);
    void actorAnswered(lifecycle::ActorNumber actor, const std::string& answer);
    void actorEnded(lifecycle::ActorNumber actor, std::string error);
    std::optional<WallMicros> nextWake(WallMicros now) const;
    void wakeUp() { work_.set(); }
    void noteChanged(std::int64_t id) {
        if (parts_.changed) parts_.changed(id);
    }

    // objects.cpp, objects_changing.cpp: commands
    Result<lifecycle::TypeNumber> numberOf(std::string_view name) const;
    ObjectTypeView viewOf(lifecycle::TypeNumber number) const;
    ObjectTypeView countsOf(lifecycle::TypeNumber number) const;
    std::vector<OrchestratorView::Move> movesOf(lifecycle::TypeNumber number) const;
    std::vector<std::string> statusesOf(lifecycle::TypeNumber number) const;
    std::vector<ObjectTypeView> viewsOfAll(ObjectTypeView (Objects::*viewOfOne)(lifecycle::TypeNumber) const) const;
    ObjectView viewOf(store::ObjectRow row) const;
    void learn(lifecycle::TypeNumber number);
    /// A type while it is changed: no look begins, no object is made, and none is moved by hand.
    class Held {
    public:
        Held(Objects& objects, lifecycle::TypeNumber number);
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        ~Held();

    private:
        Objects& objects_;
        lifecycle::TypeNumber number_;
    };
    coro::Task<Result<void>> untilUnwritten(lifecycle::TypeNumber number);
    coro::Task<Result<void>> commitType(lifecycle::Type type, store::ObjectTypeRow row);
    Result<void> mayChange(lifecycle::TypeNumber number) const;
    Result<const lifecycle::Object*> changeable(std::int64_t id) const;
    Result<store::NewObject> newObject(const GivenObject& given, WallMicros now);
    coro::Task<Result<Created>> createAll(std::string json, std::optional<store::Idempotency> once);
    coro::Task<Result<std::vector<std::int64_t>>> commitNew(std::vector<store::NewObject> objects,
                                                            std::optional<store::EffectName> effect,
                                                            std::optional<store::Idempotency> once = {});
    coro::Task<Result<std::vector<std::int64_t>>> makeFor(GivenObject given, store::EffectName effect);
    coro::Task<Result<void>> moveByHand(std::int64_t id, std::string to, bool isForced,
                                        std::optional<store::Idempotency> once);
    coro::Task<Result<bool>> decideByHand(lifecycle::ObjectId id, lifecycle::Revision revision);
    bool isMovedByHand(lifecycle::ObjectId id) const;
    bool isReached(std::int64_t id, const std::string& until) const;

    Parts parts_;
    ObjectIo io_;
    lifecycle::Orchestrator orchestrator_;
    lifecycle::Outbox outbox_;
    ObjectTroubles troubles_;
    ObjectHooks hooks_;
    OwnedActions owned_;
    ObjectEffects effects_;
    ObjectRetention retention_;
    ObjectRequestKeys keys_;
    std::vector<TypeEntry> types_;                          ///< by their numbers
    std::map<std::int64_t, lifecycle::TypeNumber> numbers_; ///< by their numbers in the journal
    std::map<std::string, std::int64_t> unread_;            ///< types of the journal that cannot be read
    std::map<lifecycle::ActorNumber, ObjectActor> actors_;
    std::map<lifecycle::ObjectId, ObjectMoveNote> told_; ///< until the write that follows
    std::map<std::pair<lifecycle::ObjectId, lifecycle::Revision>, std::shared_ptr<ByHand>> byHand_;
    std::int64_t lastObject_ = 0;
    std::int64_t lastType_ = 0;
    bool isStopped_ = false;
    coro::Event work_;                ///< there may be something to decide
    coro::ConditionVariable changed_; ///< some object is another one
    LookAhead ahead_;
    Pokes pokes_;
    coro::Mutex typeMutex_; ///< one change of types at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
