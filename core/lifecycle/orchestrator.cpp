#include "core/lifecycle/orchestrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace yard::lifecycle {
namespace {

/// Whether it was woken; it is not any more.
bool takeWake(Object& object) {
    const bool wasWoken = object.isWoken;
    object.isWoken = false;
    return wasWoken;
}

} // namespace

std::string_view name(OrphanReason reason) {
    switch (reason) {
    case OrphanReason::NoActor: return "no_actor";
    case OrphanReason::StatusNotClaimed: return "status_not_claimed";
    case OrphanReason::WorkerUnknown: return "worker_unknown";
    case OrphanReason::KeyMissing: return "key_missing";
    case OrphanReason::CreatePending: return "create_pending";
    }
    return "";
}

// --- types

Result<TypeChange> Orchestrator::plan(const Type& type, WallMicros now) const {
    constexpr std::size_t kMaxTypes = 10'000;
    const auto known = findType(type.name);
    if (!known) {
        if (types_.size() >= kMaxTypes)
            return fail(ErrorKind::AtLimit, fmt::format("There are {} types; remove one.", kMaxTypes));
        return TypeChange{};
    }
    const TypeEntry& entry = types_[*known];
    if (writing_.hasOf(*known))
        return fail(ErrorKind::Busy, fmt::format("Objects of {} are being written; try again.", type.name));
    StateSet occupied = 0;
    for (StateNumber state = 0; state < static_cast<StateNumber>(entry.counts.size()); ++state)
        if (entry.counts[state] > 0) occupied |= only(state);
    auto to = successors(entry.type, type, occupied);
    if (!to) return std::unexpected(to.error());
    TypeChange change{.to = *std::move(to), .moves = {}};
    const Type& before = entry.type;
    for (StateNumber state = 0; state < static_cast<StateNumber>(change.to.size()); ++state) {
        const State& after = type.states[change.to[state]];
        const bool isOther = before.states[state].name != after.name || before.isFinal(state) != after.isFinal;
        if (entry.counts[state] == 0 || !isOther) continue;
        change.moves.push_back({.from = before.states[state].name,
                                .to = after.name,
                                .retryAt = before.isFinal(state) && !after.isFinal ? now : 0,
                                .isFinal = after.isFinal});
    }
    return change;
}

Result<TypeNumber> Orchestrator::putType(Type type, WallMicros now) {
    const auto change = plan(type, now);
    if (!change) return std::unexpected(change.error());
    if (const auto known = findType(type.name)) {
        changeStates(*known, std::move(type), change->to, now);
        return *known;
    }
    TypeEntry& entry = types_.emplace_back();
    entry.counts.assign(type.states.size(), 0);
    entry.type = std::move(type);
    return static_cast<TypeNumber>(types_.size() - 1);
}

/// What an actor has from its start on is another.
static bool hasOtherStart(const Type& before, const Type& after) {
    return before.actor && after.actor &&
           (before.actor->locks != after.actor->locks || before.actor->resources != after.actor->resources);
}

void Orchestrator::changeStates(TypeNumber number, Type type, const std::vector<StateNumber>& to, WallMicros now) {
    TypeEntry& entry = types_[number];
    const Type before = std::exchange(entry.type, std::move(type));
    const auto counts = std::exchange(entry.counts, std::vector<std::uint64_t>(entry.type.states.size(), 0));
    for (std::size_t state = 0; state < to.size(); ++state) entry.counts[to[state]] += counts[state];
    outdate(number);
    if (hasOtherStart(before, entry.type)) workerReplaced(number);
    for (auto& [id, object] : objects_) {
        if (object.type != number) continue;
        const bool isLooked = object.where == Where::Looking;
        if (!isLooked) unplace(object);
        const bool wasFinal = before.isFinal(object.status);
        object.status = to[object.status];
        const bool isFinal = entry.type.isFinal(object.status);
        if (wasFinal && !isFinal) object.retryAt = now;
        if (isFinal) object.retryAt = 0;
        if (wasFinal != isFinal)
            if (Object* parent = held(object.parent)) parent->pendingChildren += isFinal ? -1U : 1U;
        if (!isLooked) place(object);
    }
}

Result<void> Orchestrator::removeType(TypeNumber type) {
    TypeEntry& entry = types_[type];
    if (std::ranges::any_of(entry.counts, [](std::uint64_t count) { return count > 0; }))
        return fail(ErrorKind::WrongState,
                    fmt::format("There are objects of the type {}; delete them first.", entry.type.name));
    entry.isThere = false;
    for (auto& [number, actor] : actors_)
        if (actor.group.first == type && actor.state != ActorState::Ending)
            endActor(number, actor, EndReason::TypeGone);
    return {};
}

void Orchestrator::workerKnown(TypeNumber type, bool isKnown) {
    if (std::exchange(types_[type].workerKnown, isKnown) == isKnown) return;
    for (auto& [id, object] : objects_) {
        if (object.type != type || (object.where != Where::Orphan && object.where != Where::Queued)) continue;
        unplace(object);
        place(object);
    }
}

std::optional<TypeNumber> Orchestrator::findType(std::string_view name) const {
    for (std::size_t number = 0; number < types_.size(); ++number)
        if (types_[number].isThere && types_[number].type.name == name) return static_cast<TypeNumber>(number);
    return std::nullopt;
}

KeyNumber Orchestrator::keyNumber(TypeNumber type, std::string_view key) {
    TypeEntry& entry = types_[type];
    if (const auto known = entry.keys.find(key); known != entry.keys.end()) return known->second;
    const auto number = static_cast<KeyNumber>(entry.keyTexts.size());
    entry.keyTexts.emplace_back(key);
    entry.keys.emplace(key, number);
    return number;
}

// --- where objects are

Object* Orchestrator::held(ObjectId id) {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : &found->second;
}

const Object* Orchestrator::find(ObjectId id) const {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : &found->second;
}

std::optional<OrphanReason> Orchestrator::orphanReason(const Object& object) const {
    const TypeEntry& entry = types_[object.type];
    if (!entry.type.actor) return OrphanReason::NoActor;
    if (!contains(entry.type.actor->claims, object.status)) return OrphanReason::StatusNotClaimed;
    if (!entry.workerKnown) return OrphanReason::WorkerUnknown;
    if (object.key == 0) return OrphanReason::KeyMissing;
    if (object.pendingCreates > 0) return OrphanReason::CreatePending;
    return std::nullopt;
}

/// Not before the hot pause is over, once its looks came too fast.
WallMicros Orchestrator::dueAt(Object& object) const {
    const WallMicros soonest = object.lookedAt + kHotPause.count();
    object.isHot = object.lookedAt > 0 && object.burst >= kBurst && object.retryAt < soonest;
    return object.isHot ? soonest : object.retryAt;
}

void Orchestrator::place(Object& object) {
    if (types_[object.type].type.isFinal(object.status)) {
        object.isHot = false;
        object.where = Where::Nowhere;
        return;
    }
    object.indexedAt = dueAt(object);
    object.where = Where::Waiting;
    times_.add(object);
}

void Orchestrator::unplace(Object& object) {
    if (object.where == Where::Waiting) times_.remove(object);
    if (object.where == Where::Orphan) orphans_.remove(object);
    if (object.where == Where::Queued)
        groups_[{object.type, object.key}].queue.erase({object.indexedAt, object.id});
    object.where = Where::Nowhere;
}

void Orchestrator::enqueue(Object& object) {
    if (const auto why = orphanReason(object)) {
        object.where = Where::Orphan;
        orphans_.add(object, *why);
        if (*why != OrphanReason::CreatePending) orphans_.warn(object);
        return;
    }
    object.where = Where::Queued;
    object.isWarned = false;
    if (types_[object.type].type.actor->order == Order::Created) object.indexedAt = 0;
    groups_[{object.type, object.key}].queue.emplace(object.indexedAt, object.id);
}

// --- objects

void Orchestrator::add(const Object& object) {
    const auto [added, isNew] = objects_.try_emplace(object.id, object);
    if (!isNew) return;
    TypeEntry& entry = types_[object.type];
    ++entry.counts[object.status];
    if (object.isStuck) countStuck(object.type, true);
    if (Object* parent = held(object.parent); parent && !entry.type.isFinal(object.status))
        ++parent->pendingChildren;
    isIdle_ = false;
    place(added->second);
}

void Orchestrator::remove(ObjectId id) {
    Object* object = held(id);
    if (!object) return;
    unplace(*object);
    TypeEntry& entry = types_[object->type];
    --entry.counts[object->status];
    if (object->isStuck) countStuck(object->type, false);
    if (Object* parent = held(object->parent); parent && !entry.type.isFinal(object->status))
        --parent->pendingChildren;
    objects_.erase(id);
}

void Orchestrator::wake(ObjectId id, WallMicros now) {
    Object* object = held(id);
    if (!object || types_[object->type].type.isFinal(object->status)) return;
    isIdle_ = false;
    // Also with a write on its way, whose time of the next look is of before.
    if (object->where == Where::Looking || writing_.has(id)) object->isWoken = true;
    if (object->where == Where::Looking) return;
    if (object->where != Where::Waiting) return; // due already
    unplace(*object);
    object->retryAt = std::min(object->retryAt, now);
    place(*object);
}

Result<void> Orchestrator::move(ObjectId id, std::string_view to, bool isForced, WallMicros now) {
    Object* object = held(id);
    if (!object) return fail(ErrorKind::NotFound, fmt::format("There is no object {}.", id.value));
    auto write = moveByHand(types_[object->type].type, object->seen(), to, isForced, now);
    if (!write) return std::unexpected(std::move(write.error()));
    decide(std::move(*write), *object, now);
    return {};
}

Result<void> Orchestrator::setByHand(ObjectId id, std::string set, WallMicros now) {
    Object* object = held(id);
    if (!object) return fail(ErrorKind::NotFound, fmt::format("There is no object {}.", id.value));
    if (types_[object->type].type.isFinal(object->status))
        return fail(ErrorKind::WrongState,
                    "The object has ended, and stays as it is; move it out of its end first.");
    Write write = changeByHand(*object, std::move(set), now);
    if (object->where == Where::Looking) write.retryAt = now; // what is answered to that look counts no more
    decide(std::move(write), *object, now);
    return {};
}

void Orchestrator::created(ObjectId maker) {
    Object* object = held(maker);
    if (!object || object->pendingCreates == 0) return;
    --object->pendingCreates;
    if (object->pendingCreates > 0 || object->where != Where::Orphan) return;
    unplace(*object);
    place(*object);
}

void Orchestrator::createFailed(ObjectId maker) {
    Object* object = held(maker);
    if (object && object->where == Where::Orphan) orphans_.warn(*object);
}

void Orchestrator::setKey(ObjectId id, KeyNumber key) {
    Object* object = held(id);
    if (!object || object->key == key) return;
    const bool isLooked = object->where == Where::Looking;
    if (!isLooked) unplace(*object);
    object->key = key;
    if (!isLooked) place(*object);
}

// --- the journal's answers

void Orchestrator::decide(Write write, Object& object, WallMicros now) {
    if (write.isOfTick && takeWake(object) && !write.ends && !write.isStuck)
        write.retryAt = std::min(write.retryAt, now);
    if (write.ends && object.parent != ObjectId{}) {
        write.wakes = object.parent;
        wake(object.parent, now);
    }
    writing_.begin(object);
    decisions_.emplace_back(std::move(write));
}

/// Its look is over without a write, or with one that was not the first.
void Orchestrator::release(ObjectId id) {
    looks_.erase(id);
    Object* object = held(id);
    if (!object || object->where != Where::Looking) return;
    object->where = Where::Nowhere;
    place(*object);
}

void Orchestrator::claimed(const Claim& claim, bool ok, WallMicros now) {
    writing_.end(claim.id);
    Object* object = held(claim.id);
    const auto look = looks_.find(claim.id);
    if (look == looks_.end()) return; // its actor ended meanwhile
    const auto found = actors_.find(look->second);
    if (found == actors_.end() || found->second.state != ActorState::Looking) return release(claim.id);
    Actor& actor = found->second;
    if (actor.seen.revision != claim.revision) return; // of a look before this one
    const bool isAsSeen =
        object && object->revision == claim.revision && actor.generation == types_[object->type].generation;
    if (ok && object) object->retryAt = claim.retryAt;
    if (ok && isAsSeen) {
        const Duration limit = types_[object->type].type.actor->maxTickTime;
        actor.deadline = now + limit.count();
        decisions_.emplace_back(SendTick{.actor = look->second, .seen = actor.seen, .deadline = actor.deadline});
        return;
    }
    actor.state = ActorState::Free;
    if (object) object->retryAt = std::min(object->retryAt, now);
    release(claim.id);
}

void Orchestrator::written(const Write& write, bool ok, WallMicros now) {
    writing_.end(write.id);
    Object* object = held(write.id);
    if (!object) return;
    TypeEntry& entry = types_[object->type];
    if (!ok) {
        if (!write.isOfTick) return;
        object->retryAt = std::min(object->retryAt, now);
        release(write.id);
        return;
    }
    const bool isLooked = object->where == Where::Looking && !write.isOfTick;
    if (!isLooked) unplace(*object);
    --entry.counts[object->status];
    ++entry.counts[write.to];
    if (object->isStuck != write.isStuck) countStuck(object->type, write.isStuck);
    object->isStuck = write.isStuck;
    if (entry.type.isFinal(object->status) != write.ends)
        if (Object* parent = held(object->parent)) parent->pendingChildren += write.ends ? -1U : 1U;
    const bool isOther = object->status != write.to;
    object->status = write.to;
    object->revision = write.newRevision;
    object->pendingCreates +=
        static_cast<std::uint32_t>(std::ranges::count(write.effects, EffectKind::Create, &Effect::kind));
    object->retries = static_cast<std::uint16_t>(write.retries);
    object->retryAt = write.retryAt;
    if (takeWake(*object) && !write.ends) object->retryAt = std::min(object->retryAt, now);
    if (write.isOfTick && object->pendingCreates > 0 && !write.ends && object->retryAt <= now) {
        Group& group = groups_[{object->type, object->key}];
        group.keptUntil = now + kCreateGrace.count();
        group.keptFor = object->id;
    }
    if (isOther) object->isWarned = false;
    isIdle_ = false;
    if (!isLooked) place(*object);
}

bool Orchestrator::pause(WallMicros until, WallMicros now) {
    return std::exchange(pausedUntil_, until) <= now;
}

// --- actors

void Orchestrator::actorReady(ActorNumber number) {
    const auto actor = actors_.find(number);
    if (actor != actors_.end() && actor->second.state == ActorState::Starting)
        actor->second.state = ActorState::Free;
}

void Orchestrator::setDeadline(ActorNumber number, WallMicros deadline) {
    const auto actor = actors_.find(number);
    if (actor == actors_.end()) return;
    const ActorState state = actor->second.state;
    if (state == ActorState::Looking || state == ActorState::Calling) actor->second.deadline = deadline;
}

void Orchestrator::actorEnded(ActorNumber number, std::string error, WallMicros now) {
    const auto found = actors_.find(number);
    if (found == actors_.end()) return;
    const Actor actor = found->second;
    actors_.erase(found);
    TypeEntry& entry = types_[actor.group.first];
    --entry.actors;
    Group& group = groups_[actor.group];
    --group.actors;
    if (actor.state == ActorState::Starting) group.notBefore = now + entry.type.backoff.count();
    if (const auto look = looks_.find(actor.seen.id); look != looks_.end() && look->second == number)
        looks_.erase(look);
    if (actor.state != ActorState::Looking) return;
    failLook(actor, error.empty() ? "worker_crashed" : std::move(error), now);
}

/// The actor of a look does not answer it any more.
void Orchestrator::failLook(const Actor& actor, std::string error, WallMicros now) {
    Object* object = held(actor.seen.id);
    if (!object || object->where != Where::Looking) return;
    const TypeEntry& entry = types_[object->type];
    if (object->revision != actor.seen.revision || actor.generation != entry.generation)
        return release(actor.seen.id);
    decide(exceptionOf(entry.type, actor.seen, std::move(error), now), *object, now);
}

void Orchestrator::answered(ActorNumber number, const Result<Answer>& answer, WallMicros now) {
    const auto found = actors_.find(number);
    if (found == actors_.end() || found->second.state != ActorState::Looking) return;
    Actor& actor = found->second;
    actor.state = ActorState::Free;
    Object* object = held(actor.seen.id);
    looks_.erase(actor.seen.id);
    if (!object || object->where != Where::Looking) return;
    const TypeEntry& entry = types_[object->type];
    if (actor.generation != entry.generation) {
        object->retryAt = std::min(object->retryAt, now);
        return release(object->id);
    }
    if (object->revision != actor.seen.revision) { // changed by hand meanwhile
        if (object->retryAt != 0) object->retryAt = std::min(object->retryAt, now);
        return release(object->id);
    }
    auto write = answer ? transitionOf(entry.type, actor.seen, *answer, now)
                        : Result<Write>(exceptionOf(entry.type, actor.seen, answer.error().message, now));
    if (!write) write = exceptionOf(entry.type, actor.seen, write.error().message, now);
    decide(std::move(*write), *object, now);
}

void Orchestrator::addCall(const EffectKey& effect) {
    const Object* object = find(effect.object);
    if (!object || object->key == 0 || !types_[object->type].type.actor) return;
    groups_[{object->type, object->key}].calls.push_back(effect);
    isIdle_ = false;
}

void Orchestrator::callEnded(ActorNumber number) {
    const auto actor = actors_.find(number);
    if (actor != actors_.end() && actor->second.state == ActorState::Calling)
        actor->second.state = ActorState::Free;
}

std::vector<EffectKey> Orchestrator::takeCalls(TypeNumber type) {
    std::vector<EffectKey> taken;
    for (auto at = groups_.lower_bound({type, 0}); at != groups_.end() && at->first.first == type; ++at)
        for (const EffectKey& effect : std::exchange(at->second.calls, {})) taken.push_back(effect);
    return taken;
}

// --- what people see

unsigned Orchestrator::wanted(TypeNumber number) const {
    const auto& rules = types_[number].type.actor;
    if (!rules) return 0;
    unsigned wanted = 0;
    for (auto at = groups_.lower_bound({number, 0}); at != groups_.end() && at->first.first == number; ++at) {
        const std::size_t queue = at->second.queue.size() + at->second.calls.size();
        if (queue > 0) wanted += std::min(actorsWorth(*rules, queue), rules->maxPerKey);
    }
    return std::min(wanted, rules->maxActors);
}

void Orchestrator::countStuck(TypeNumber type, bool isStuck) {
    const std::size_t one = isStuck ? 1 : std::size_t(-1);
    stuck_ += one;
    types_[type].stuck += one;
}

std::vector<ObjectId> Orchestrator::looked() const {
    std::vector<ObjectId> all;
    for (const auto& [id, actor] : looks_) all.push_back(id);
    return all;
}

std::size_t Orchestrator::queued(TypeNumber type) const {
    std::size_t all = 0;
    for (auto group = groups_.lower_bound({type, 0}); group != groups_.end() && group->first.first == type; ++group)
        all += group->second.queue.size();
    return all;
}

} // namespace yard::lifecycle
