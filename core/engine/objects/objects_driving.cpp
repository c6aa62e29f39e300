// Objects: carries out what the orchestrator decides, and reports to it what came of that.
#include "core/engine/objects/objects.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/lifecycle/tick.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <utility>

namespace yard::engine {

using lifecycle::ActorNumber;
using lifecycle::ObjectId;

namespace {

/// Of one commit of claims.
constexpr std::size_t kClaimsAtOnce = 1'000;
/// A look that has more is an exception of its object: an actor's frame has 1 MiB.
constexpr std::size_t kMostLookBytes = (std::size_t{1} << 20) - 512;
constexpr Duration kLeastPause{1'000};
/// No look begins so long after the journal refused something.
constexpr Duration kRefusedPause{1'000'000};

} // namespace

coro::Task<void> Objects::run() {
    hooks_.fire(lifecycle::HookPoint::OrchestratorStartup);
    for (;;) {
        work_.clear();
        drain();
        const WallMicros now = parts_.now();
        const auto next = nextWake(now);
        if (!next)
            co_await work_.wait();
        else
            (void)co_await coro::comesWithin(std::max(Duration(*next - now), kLeastPause), work_);
    }
}

std::optional<WallMicros> Objects::nextWake(WallMicros now) const {
    if (isStopped_) return std::nullopt;
    auto next = orchestrator_.nextPass(now);
    if (const auto effect = outbox_.next()) next = next ? std::min(*next, *effect) : *effect;
    return next;
}

void Objects::stop() {
    YARD_ASSERT_OWNER(owner_);
    if (std::exchange(isStopped_, true)) return;
    store::WakeObjects wake{.ids = {}, .effect = {}, .at = parts_.now()};
    for (const ObjectId id : orchestrator_.looked()) wake.ids.push_back(id.value);
    if (!wake.ids.empty()) (void)parts_.post(std::move(wake));
    owned_.stop();
    retention_.stop();
    if (parts_.hooks) parts_.hooks->stop();
}

void Objects::drain() {
    YARD_ASSERT_OWNER(owner_);
    if (isStopped_) return;
    const WallMicros now = parts_.now();
    owned_.tellEnds();
    hooks_.fire(lifecycle::HookPoint::OrchestratorTickStarted);
    orchestrator_.pass(now);
    carry(orchestrator_.take());
    troubles_.tellChanged();
    for (lifecycle::CarryOut& effect : outbox_.take(now)) effects_.carryOut(std::move(effect));
}

void Objects::carry(std::vector<lifecycle::Decision> decisions) {
    std::vector<lifecycle::Claim> claims;
    for (lifecycle::Decision& decision : decisions) {
        if (const auto* claim = std::get_if<lifecycle::Claim>(&decision)) {
            claims.push_back(*claim);
            if (claims.size() == kClaimsAtOnce) carryClaims(std::exchange(claims, {}));
            continue;
        }
        carryClaims(std::exchange(claims, {}));
        std::visit(
            [this]<class T>(T& what) {
                if constexpr (!std::is_same_v<T, lifecycle::Claim>) carry(std::move(what));
            },
            decision);
    }
    carryClaims(std::move(claims));
}

// --- claims, looks and writes

void Objects::carryClaims(std::vector<lifecycle::Claim> claims) {
    if (claims.empty()) return;
    store::ClaimObjects operation;
    for (const lifecycle::Claim& claim : claims) {
        const lifecycle::Object* object = orchestrator_.find(claim.id);
        operation.claims.push_back(
            {.id = claim.id.value,
             .status = object ? orchestrator_.type(object->type).states[claim.status].name : std::string(),
             .revision = claim.revision,
             .retryAt = claim.retryAt});
    }
    auto posted = parts_.post(std::move(operation));
    readAhead(claims);
    parts_.spawn("object claims", commitClaims(std::move(claims), std::move(posted)));
}

void Objects::readAhead(const std::vector<lifecycle::Claim>& claims) {
    if (!parts_.reads.ahead) return;
    auto batch = std::make_shared<LookAhead::Batch>();
    auto ids = ahead_.begin(claims, batch);
    if (!ids.empty())
        parts_.spawn("object rows", LookAhead::fill(std::move(batch), parts_.reads.ahead, std::move(ids)));
}

coro::Task<void> Objects::commitClaims(std::vector<lifecycle::Claim> claims, PostedObjects posted) {
    const store::AckDetail done = co_await posted->get();
    if (done.error) journalRefused(*done.error);
    for (const lifecycle::Claim& claim : claims)
        orchestrator_.claimed(claim,
                              !done.error && std::ranges::find(done.objects, claim.id.value) == done.objects.end(),
                              parts_.now());
    if (!isStopped_) carry(orchestrator_.take()); // looks that begin take what was read ahead
    ahead_.forget(claims);
    wakeUp();
}

/// Warns once for each pause, not for each object.
void Objects::journalRefused(const Error& error) {
    const WallMicros now = parts_.now();
    if (orchestrator_.pause(now + kRefusedPause.count(), now))
        logWarning("objects", "looks and moves have to wait, the journal does not take them: {}", error.message);
}

void Objects::carry(const lifecycle::SendTick& tick) {
    orchestrator_.setDeadline(tick.actor, 0); // begins with its place in a process
    const auto actor = actors_.find(tick.actor);
    if (actor == actors_.end()) return;
    actor->second.seen = tick.seen;
    actor->second.since = parts_.now();
    parts_.spawn("object look", lookAt(tick, ahead_.take(tick.seen.id)));
}

/// As the journal has it after the claim.
coro::Task<Result<std::optional<store::ObjectWithRelatives>>> Objects::rowFor(lifecycle::Seen seen,
                                                                              LookAhead::BatchPtr ahead) {
    auto before = co_await LookAhead::wait(std::move(ahead), seen);
    const lifecycle::Object* object = orchestrator_.find(seen.id);
    if (!before || !object) co_return co_await parts_.reads.object(seen.id.value);
    before->row.retryAt = object->retryAt;
    co_return std::move(before);
}

coro::Task<void> Objects::lookAt(lifecycle::SendTick tick, LookAhead::BatchPtr ahead) {
    const auto read = co_await rowFor(tick.seen, std::move(ahead));
    Result<std::vector<OwnedActionView>> actions;
    if (read && *read) actions = co_await owned_.views((*read)->actions);
    const auto actor = actors_.find(tick.actor);
    const lifecycle::Object* object = orchestrator_.find(tick.seen.id);
    if (actor == actors_.end() || actor->second.seen.id != tick.seen.id) co_return;
    Result<std::string> members = fail(ErrorKind::NotFound, "The object was removed before it was looked at.");
    if (!read)
        members = std::unexpected(read.error());
    else if (!actions)
        members = std::unexpected(actions.error());
    else if (*read && object && orchestrator_.type(object->type).actor) {
        ObjectView view = viewOf((*read)->row);
        view.children = (*read)->children;
        view.pending = object->pendingChildren;
        view.actions = *std::move(actions);
        std::optional<ObjectView> parent;
        if ((*read)->parent) parent = viewOf(*(*read)->parent);
        actor->second.fields = view.row.fields;
        const Duration limit = orchestrator_.type(object->type).actor->maxTickTime;
        members = tickMembers(view, parent, parts_.now(), limit, kMostLookBytes);
        if (members->size() > kMostLookBytes)
            members =
                fail(ErrorKind::TooLarge, "The object and its parent are over 1 MiB, which no actor is sent.");
    }
    if (members) {
        hooks_.fireLook(lifecycle::HookPoint::ActorTickStart, tick.actor, actor->second);
        co_return parts_.actors.ask(tick.actor, orchestrator_.type(object->type).actor->function,
                                    *std::move(members));
    }
    actor->second.seen = {};
    orchestrator_.answered(tick.actor, std::unexpected(members.error()), parts_.now());
    wakeUp();
}

void Objects::carry(lifecycle::Write write) {
    auto told = told_.extract(write.id);
    const lifecycle::Object* object = orchestrator_.find(write.id);
    if (!object) {
        orchestrator_.written(write, false, parts_.now());
        return;
    }
    const lifecycle::Type& type = orchestrator_.type(object->type);
    if (write.wakes.value != 0) ahead_.childEnds(write.wakes);
    store::MoveObject move{.id = write.id.value,
                           .from = type.states[write.from].name,
                           .revision = write.revision,
                           .to = type.states[write.to].name,
                           .newRevision = write.newRevision,
                           .retryAt = write.retryAt,
                           .retries = write.retries,
                           .moves = write.moves,
                           .starts = write.starts,
                           .ends = write.ends,
                           .isStuck = write.isStuck,
                           .set = write.set,
                           .lastError = write.lastError,
                           .launch = {},
                           .effects = {},
                           .wakes = write.wakes.value,
                           .actor = write.isOfTick ? "" : "by hand",
                           .tickMs = 0,
                           .at = write.at};
    if (!told.empty()) {
        move.actor = told.mapped().actor;
        move.tickMs = told.mapped().tickMs;
        move.idempotency = std::move(told.mapped().once);
        if (setsKey(type, write.set)) move.launch = launchKey(type, told.mapped().fields, write.set);
    }
    for (const lifecycle::Effect& effect : write.effects)
        move.effects.emplace_back(std::to_underlying(effect.kind), effect.body);
    auto launch = move.launch;
    auto view = hooks_.tellBefore(write, *object, told.empty() ? ObjectMoveNote{} : std::move(told.mapped()));
    parts_.spawn("object write",
                 commitWrite(std::move(write), std::move(launch), std::move(view), parts_.post(std::move(move))));
}

coro::Task<void> Objects::commitWrite(lifecycle::Write write, std::optional<std::string> launch,
                                      std::optional<ObjectHooks::View> view, PostedObjects posted) {
    const store::AckDetail done = co_await posted->get();
    const bool ok = !done.error && done.objects.empty();
    const WallMicros now = parts_.now();
    if (done.error) journalRefused(*done.error);
    if (write.wakes.value != 0) ahead_.childEnded(write.wakes);
    // Its time is that of the wake: a look that began since then answers it.
    if (ok && write.wakes.value != 0) poke(write.wakes, PokeWhy::Child, write.id.value, write.at);
    if (ok)
        for (std::uint32_t at = 0; at < write.effects.size(); ++at)
            outbox_.add(write.keyOf(at), write.effects[at], now);
    const lifecycle::Object* before = orchestrator_.find(write.id);
    const bool isOther =
        write.newRevision != write.revision || (before && before->isStuck != write.isStuck); // else a wait alone
    if (ok && write.moves && before) types_[before->type].rates.count(write.from, write.to, now);
    if (ok && before) settlePokes(write, *before);
    orchestrator_.written(write, ok, now);
    if (ok && isOther) noteChanged(write.id.value);
    if (view) hooks_.tellAfter(write, ok, *view);
    if (const lifecycle::Object* object = orchestrator_.find(write.id); ok && launch && object)
        orchestrator_.setKey(write.id, orchestrator_.keyNumber(object->type, *launch));
    if (!write.isOfTick)
        if (const auto byHand = byHand_.extract({write.id, write.newRevision}); !byHand.empty()) {
            byHand.mapped()->isDone = ok;
            byHand.mapped()->error = done.error;
            byHand.mapped()->done.set();
        }
    changed_.notifyAll();
    wakeUp();
}

// --- who let them be due

/// Of what is there and has not ended: of other things nothing comes.
void Objects::poke(ObjectId id, PokeWhy why, std::int64_t by, WallMicros now) {
    const lifecycle::Object* object = orchestrator_.find(id);
    if (object && !orchestrator_.type(object->type).isFinal(object->status))
        pokes_.note(id, {.t = now, .by = by, .why = why});
}

/// A look answers those that came before it began.
void Objects::settlePokes(const lifecycle::Write& write, const lifecycle::Object& before) {
    const std::string& to = orchestrator_.type(before.type).states[write.to].name;
    if (write.isOfTick && !write.lastError.empty())
        pokes_.settle(write.id, before.lookedAt, PokeOutcome::Failed, {});
    else if (write.isOfTick)
        pokes_.settle(write.id, before.lookedAt, write.moves ? PokeOutcome::Moved : PokeOutcome::Stayed,
                      write.moves ? std::string_view(to) : std::string_view());
    if (write.ends) pokes_.settle(write.id, std::numeric_limits<WallMicros>::max(), PokeOutcome::Ended, to);
}

// --- actors

std::string Objects::processName(const ObjectActor& actor) const {
    const std::string& type = orchestrator_.type(actor.type).name;
    return actor.key.empty() ? type : fmt::format("{} {}", type, shownKey(actor.key));
}

void Objects::carry(const lifecycle::StartActor& start) {
    const lifecycle::Type& type = orchestrator_.type(start.type);
    const RegisteredWorker* worker = type.actor ? parts_.worker(type.actor->worker) : nullptr;
    if (!worker) return actorEnded(start.actor, "its worker is not there");
    actors_[start.actor] = {.type = start.type, .key = start.key, .since = parts_.now()};
    parts_.actors.start({.actor = start.actor,
                         .worker = worker->id,
                         .descriptor = worker->descriptor,
                         .name = processName(actors_[start.actor]),
                         .resources = type.actor->resources,
                         .locks = type.actor->locks});
}

void Objects::carry(const lifecycle::EndActor& end) {
    using lifecycle::EndReason;
    if (const auto actor = actors_.extract(end.actor); !actor.empty()) {
        const std::string why = end.why == EndReason::Timeout ? "tick_timeout" : "";
        if (actor.mapped().call)
            effects_.callEnded(end.actor, *actor.mapped().call, fail(ErrorKind::Busy, "tick_timeout"));
        hooks_.fireActor(lifecycle::HookPoint::ActorShutdown, end.actor, actor.mapped(), why);
    }
    parts_.actors.end(end.actor, end.why == EndReason::Timeout || end.why == EndReason::TypeGone);
    orchestrator_.actorEnded(end.actor, {}, parts_.now());
    wakeUp();
}

void Objects::carry(const lifecycle::SendCall& call) {
    orchestrator_.setDeadline(call.actor, 0); // begins with its place in a process
    const auto actor = actors_.find(call.actor);
    if (actor == actors_.end()) return orchestrator_.callEnded(call.actor);
    const lifecycle::Type& type = orchestrator_.type(actor->second.type);
    auto members = effects_.beginCall(call.effect);
    if (!members || !type.actor) return orchestrator_.callEnded(call.actor);
    actor->second.call = call.effect;
    actor->second.since = parts_.now();
    parts_.actors.ask(call.actor, type.actor->function, *std::move(members));
}

void Objects::actorReady(ActorNumber number) {
    const auto actor = actors_.find(number);
    if (actor == actors_.end()) return;
    actor->second.isReady = true;
    types_[actor->second.type].lastFailure.clear();
    hooks_.fireActor(lifecycle::HookPoint::ActorStartup, number, actor->second);
    orchestrator_.actorReady(number);
    wakeUp();
}

void Objects::actorBegan(ActorNumber number) {
    const auto actor = actors_.find(number);
    if (actor == actors_.end()) return;
    const lifecycle::Type& type = orchestrator_.type(actor->second.type);
    if (type.actor) orchestrator_.setDeadline(number, parts_.now() + type.actor->maxTickTime.count());
    wakeUp();
}

void Objects::actorAnswered(ActorNumber number, const std::string& json) {
    const auto found = actors_.find(number);
    if (found == actors_.end() || isStopped_) return;
    ObjectActor& actor = found->second;
    const lifecycle::Type& type = orchestrator_.type(actor.type);
    const auto answer = lifecycle::parseAnswer(type, json);
    if (const auto call = std::exchange(actor.call, {})) {
        effects_.callEnded(number, *call, answer);
        orchestrator_.callEnded(number);
        return wakeUp();
    }
    const lifecycle::Seen seen = std::exchange(actor.seen, {});
    const lifecycle::TypeNumber actorType = actor.type;
    const WallMicros now = parts_.now();
    told_[seen.id] = {.actor = hooks_.actorName(number, actor.type),
                      .tickMs = (now - actor.since) / 1'000,
                      .fields = std::move(actor.fields)};
    if (!answer)
        logWarning("objects", "a look at object {} ({}) failed: {}", seen.id.value, type.name,
                   answer.error().message);
    orchestrator_.answered(number, answer, now);
    carry(orchestrator_.take());
    // No write took it: the object was moved meanwhile, and the look came to nothing.
    if (told_.erase(seen.id) > 0)
        hooks_.fireLook(lifecycle::HookPoint::ActorTickEnd, number, {.type = actorType, .seen = seen});
    wakeUp();
}

void Objects::actorEnded(ActorNumber number, std::string error) {
    if (isStopped_) return;
    const auto actor = actors_.extract(number);
    if (!actor.empty()) {
        const ObjectActor& entry = actor.mapped();
        logWarning("objects", "an actor of {} ended: {}", orchestrator_.type(entry.type).name, error);
        if (!entry.isReady) types_[entry.type].lastFailure = error;
        if (entry.call) effects_.callEnded(number, *entry.call, fail(ErrorKind::Busy, error));
        hooks_.fireActor(lifecycle::HookPoint::ActorShutdown, number, entry, error);
    }
    orchestrator_.actorEnded(number, std::move(error), parts_.now());
    wakeUp();
}

} // namespace yard::engine
