// One pass of the orchestrator: queues, running actors, actors to spawn, orphans, idle.
#include "core/lifecycle/orchestrator.h"

#include <algorithm>
#include <utility>

namespace yard::lifecycle {

void Orchestrator::pass(WallMicros now) {
    takeDue(now);
    endLate(now);
    giveWork(now);
    for (TypeNumber number = 0; number < static_cast<TypeNumber>(types_.size()); ++number) spawnFor(number, now);
    std::erase_if(groups_, [now](const auto& entry) {
        const Group& group = entry.second;
        return group.queue.empty() && group.calls.empty() && group.actors == 0 && group.notBefore <= now;
    });
    warnOfOrphans();
    const bool isIdle = groups_.empty() && actors_.empty() && times_.next().value_or(now + 1) > now;
    if (isIdle && !isIdle_) decisions_.emplace_back(Idle{});
    isIdle_ = isIdle;
}

void Orchestrator::takeDue(WallMicros now) {
    for (std::size_t taken = 0; taken < kDuePerPass; ++taken) {
        Object* const object = times_.takeDue(now);
        if (!object) return;
        enqueue(*object);
    }
}

void Orchestrator::endLate(WallMicros now) {
    for (auto& [number, actor] : actors_) {
        const bool isBusy = actor.state == ActorState::Looking || actor.state == ActorState::Calling;
        if (!isBusy || actor.deadline == 0 || now < actor.deadline) continue;
        const bool wasLooking = actor.state == ActorState::Looking;
        endActor(number, actor, EndReason::Timeout);
        if (!wasLooking) continue;
        looks_.erase(actor.seen.id);
        failLook(actor, "tick_timeout", now);
    }
}

void Orchestrator::giveWork(WallMicros now) {
    for (auto& [number, actor] : actors_) {
        if (actor.state != ActorState::Free) continue;
        const TypeEntry& entry = types_[actor.group.first];
        Group& group = groups_[actor.group];
        if (!entry.type.actor) {
            endActor(number, actor, EndReason::TypeGone);
        } else if (actor.workerVersion != entry.workerVersion) {
            endActor(number, actor, EndReason::WorkerReplaced);
        } else if (!group.calls.empty()) {
            actor.state = ActorState::Calling;
            actor.freeSince = 0;
            actor.deadline = now + entry.type.actor->maxTickTime.count();
            decisions_.emplace_back(
                SendCall{.actor = number, .effect = group.calls.front(), .deadline = actor.deadline});
            group.calls.pop_front();
        } else if (group.queue.empty()) {
            // Whether it creates, and is kept for that, is known with the commit of its answer.
            if (actor.freeSince == 0) actor.freeSince = now;
            const bool waits = lingersUntil(actor) > now || group.keptUntil > now || writing_.has(actor.seen.id);
            if (!waits || isAnotherStarving(actor.group, now)) endActor(number, actor, EndReason::QueueEmpty);
        } else if (actor.looks >= kTurn && isAnotherStarving(actor.group, now)) {
            endActor(number, actor, EndReason::AnotherKey);
        } else if (!entry.isHeld && pausedUntil_ <= now) {
            look(number, actor, group, now);
        }
    }
}

/// 0: it does not.
WallMicros Orchestrator::lingersUntil(const Actor& actor) const {
    const auto& rules = types_[actor.group.first].type.actor;
    if (actor.state != ActorState::Free || actor.freeSince == 0 || !rules) return 0;
    return actor.freeSince + rules->linger.count();
}

void Orchestrator::look(ActorNumber number, Actor& actor, Group& group, WallMicros now) {
    const ObjectId id = group.queue.begin()->second;
    group.queue.erase(group.queue.begin());
    if (group.keptFor == id) group.keptUntil = 0;
    Object& object = objects_.at(id);
    TypeEntry& entry = types_[object.type];
    const bool isSoon = object.lookedAt > 0 && now < object.lookedAt + kHotPause.count();
    object.burst = isSoon ? static_cast<std::uint8_t>(std::min<int>(object.burst + 1, kBurst)) : std::uint8_t{0};
    if (object.isHot) object.burst = kBurst; // it stays so until it rests
    object.lookedAt = now;
    object.where = Where::Looking;
    object.isWoken = false;
    actor.state = ActorState::Looking;
    actor.freeSince = 0;
    actor.seen = object.seen();
    actor.deadline = 0; // begins with the frame, after the commit
    actor.generation = entry.generation;
    ++actor.looks;
    looks_[id] = number;
    writing_.begin(object);
    decisions_.emplace_back(claimOf(entry.type, object, now));
}

bool Orchestrator::isAnotherStarving(const GroupKey& key, WallMicros now) const {
    const TypeEntry& entry = types_[key.first];
    if (entry.actors < entry.type.actor->maxActors) return false;
    for (auto at = groups_.lower_bound({key.first, 0}); at != groups_.end() && at->first.first == key.first; ++at)
        if (at->second.actors == 0 && !at->second.queue.empty() && at->second.notBefore <= now) return true;
    return false;
}

void Orchestrator::spawnFor(TypeNumber number, WallMicros now) {
    TypeEntry& entry = types_[number];
    if (!entry.isThere || entry.isHeld || !entry.type.actor || !entry.workerKnown) return;
    const auto first = groups_.lower_bound({number, 0});
    const auto last = groups_.lower_bound({static_cast<TypeNumber>(number + 1), 0});
    const auto middle = groups_.upper_bound({number, entry.lastSpawned});
    const auto among = [&](auto from, auto to) {
        for (; from != to && entry.actors < entry.type.actor->maxActors; ++from)
            spawnInto(from->first, from->second, now);
    };
    // Each key in its turn, so that none is passed over for good.
    among(middle, last);
    among(first, middle);
}

void Orchestrator::spawnInto(const GroupKey& key, Group& group, WallMicros now) {
    TypeEntry& entry = types_[key.first];
    const ActorRules& rules = *entry.type.actor;
    if (group.notBefore > now) return;
    const std::size_t queue = group.queue.size() + group.calls.size();
    const unsigned wanted = std::min(actorsWorth(rules, queue), rules.maxPerKey);
    while (group.actors < wanted && entry.actors < rules.maxActors) {
        const ActorNumber number = ++lastActor_;
        actors_[number].group = key;
        actors_[number].workerVersion = entry.workerVersion;
        ++group.actors;
        ++entry.actors;
        entry.lastSpawned = key.second;
        decisions_.emplace_back(StartActor{.actor = number, .type = key.first, .key = entry.keyTexts[key.second]});
    }
}

void Orchestrator::endActor(ActorNumber number, Actor& actor, EndReason why) {
    actor.state = ActorState::Ending;
    decisions_.emplace_back(EndActor{.actor = number, .why = why});
}

void Orchestrator::warnOfOrphans() {
    for (const ObjectId id : orphans_.takeUnwarned()) {
        const Object* object = find(id);
        if (!object || object->where != Where::Orphan) continue;
        if (const auto why = orphanReason(*object)) decisions_.emplace_back(WarnOrphan{.object = id, .why = *why});
    }
}

std::optional<WallMicros> Orchestrator::nextPass(WallMicros now) const {
    auto next = times_.next();
    const auto sooner = [&next](WallMicros at) { next = next ? std::min(*next, at) : at; };
    if (pausedUntil_ > now) sooner(pausedUntil_);
    for (const auto& [number, actor] : actors_)
        if ((actor.state == ActorState::Looking || actor.state == ActorState::Calling) && actor.deadline > 0)
            sooner(actor.deadline);
        else if (const WallMicros until = lingersUntil(actor); until > now)
            sooner(until);
    for (const auto& [key, group] : groups_) {
        if (group.notBefore > now) sooner(group.notBefore);
        if (group.keptUntil > now && group.actors > 0) sooner(group.keptUntil);
    }
    return next;
}

} // namespace yard::lifecycle
