#include "core/engine/objects/object_hooks.h"

#include "core/coro/timeout.h"
#include "core/json/json_reader.h"
#include "core/lifecycle/field_values.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using lifecycle::HookEvent;
using lifecycle::HookObject;
using lifecycle::HookPoint;
using lifecycle::TypeNumber;

namespace {

HookObject hookObjectOf(const lifecycle::Object& object, const lifecycle::Type& type) {
    HookObject shown;
    shown.id = object.id;
    shown.status = type.states[object.status].name;
    shown.parent = object.parent;
    shown.retryAt = object.retryAt;
    shown.revision = object.revision;
    shown.retries = object.retries;
    return shown;
}

/// A call has a name; others are named by their kind.
std::string effectName(const lifecycle::Effect& effect) {
    if (effect.kind == lifecycle::EffectKind::Call) {
        const auto tape = readJson(effect.body);
        const auto name = tape ? memberOf(tape->root(), "call") : std::nullopt;
        if (name && name->kind() == JsonKind::String) return std::string(name->string());
    }
    return std::string(lifecycle::name(effect.kind));
}

} // namespace

void ObjectHooks::fire(HookPoint point) const {
    if (!wants(point)) return;
    HookEvent event;
    event.point = point;
    fire(event);
}

void ObjectHooks::fire(const HookEvent& event) const {
    YARD_ASSERT_OWNER(owner_);
    if (hooks_) hooks_->fire(event);
}

std::string ObjectHooks::actorName(lifecycle::ActorNumber number, TypeNumber type) const {
    const lifecycle::Type& of = orchestrator_.type(type);
    return fmt::format("{} #{}", of.actor ? of.actor->worker : of.name, number);
}

void ObjectHooks::fireActor(HookPoint point, lifecycle::ActorNumber number, const ObjectActor& actor,
                            std::string error) const {
    if (point == HookPoint::ActorShutdown && !actor.isReady) return; // it never came up
    if (point == HookPoint::ActorShutdown && actor.seen.id.value != 0) {
        fireLook(HookPoint::ActorTickException, number, actor, error);
        fireLook(HookPoint::ActorTickEnd, number, actor);
    }
    if (!wants(point)) return;
    HookEvent event;
    event.point = point;
    event.type = orchestrator_.type(actor.type).name;
    event.actor = actorName(number, actor.type);
    event.error = std::move(error);
    fire(event);
}

void ObjectHooks::fireLook(HookPoint point, lifecycle::ActorNumber number, const ObjectActor& actor,
                           std::string error) const {
    if (!wants(point)) return;
    const lifecycle::Type& type = orchestrator_.type(actor.type);
    const lifecycle::Object* object = orchestrator_.find(actor.seen.id);
    HookEvent event;
    event.point = point;
    event.type = type.name;
    event.object = object ? hookObjectOf(*object, type) : HookObject{.id = actor.seen.id};
    event.object->fields = actor.fields;
    event.actor = actorName(number, actor.type);
    event.error = std::move(error);
    fire(event);
}

void ObjectHooks::fireEffect(HookPoint point, const lifecycle::CarryOut& effect, std::string error) const {
    if (!wants(point)) return;
    HookEvent event;
    event.point = point;
    event.object = HookObject{.id = effect.key.object};
    if (const lifecycle::Object* object = orchestrator_.find(effect.key.object)) {
        const lifecycle::Type& type = orchestrator_.type(object->type);
        event.type = type.name;
        event.object = hookObjectOf(*object, type);
    }
    event.effect = effectName(effect.effect);
    event.error = std::move(error);
    fire(event);
}

void ObjectHooks::fireNew(HookPoint point, TypeNumber type, const store::NewObject& made) const {
    if (!wants(point)) return;
    HookEvent event;
    event.point = point;
    event.type = orchestrator_.type(type).name;
    HookObject object;
    if (point != HookPoint::Save) object.id = lifecycle::ObjectId(made.id); // before, its key may have another one
    object.status = made.status;
    object.fields = made.fields;
    object.key = made.key;
    object.parent = lifecycle::ObjectId(made.parent);
    object.retryAt = made.retryAt;
    event.object = std::move(object);
    fire(event);
}

void ObjectHooks::fireDeleted(const lifecycle::Object& object) const {
    if (!wants(HookPoint::Deleted)) return;
    const lifecycle::Type& type = orchestrator_.type(object.type);
    HookEvent event;
    event.point = HookPoint::Deleted;
    event.type = type.name;
    event.object = hookObjectOf(object, type);
    fire(event);
}

// --- writes

bool ObjectHooks::tellsWrites() const {
    using enum HookPoint;
    return std::ranges::any_of(
        std::array{Save, Updated, TransitionStart, TransitionEnd, ActorTickEnd, ActorTickException},
        [this](HookPoint point) { return wants(point); });
}

std::optional<ObjectHooks::View> ObjectHooks::tellBefore(const lifecycle::Write& write,
                                                         const lifecycle::Object& object,
                                                         const ObjectMoveNote& note) const {
    if (!tellsWrites()) return std::nullopt;
    const lifecycle::Type& type = orchestrator_.type(object.type);
    View view{.type = object.type, .object = hookObjectOf(object, type), .actor = note.actor};
    if (!note.fields.empty())
        view.object.fields = lifecycle::mergedFields(note.fields, write.set).value_or(std::string());
    for (const HookEvent& event : lifecycle::hooksBefore(type, write, view.object, view.actor)) fire(event);
    return view;
}

void ObjectHooks::tellAfter(const lifecycle::Write& write, bool ok, const View& view) const {
    const lifecycle::Type& type = orchestrator_.type(view.type);
    if (ok)
        for (const HookEvent& event : lifecycle::hooksAfter(type, write, view.object, view.actor)) fire(event);
    if (!write.isOfTick || view.actor.empty()) return;
    HookEvent event;
    event.type = type.name;
    event.object = view.object;
    event.actor = view.actor;
    if (!write.lastError.empty()) {
        event.point = HookPoint::ActorTickException;
        event.error = write.lastError;
        fire(event);
        event.error.clear();
    }
    event.point = HookPoint::ActorTickEnd;
    fire(event);
}

// --- what is asked

coro::Task<Result<GivenObject>> ObjectHooks::cleaned(GivenObject given) {
    if (!wants(HookPoint::Init) && !wants(HookPoint::Clean)) co_return given;
    const auto number = orchestrator_.findType(given.type);
    if (!number) co_return given; // it is refused for that
    const lifecycle::Type type = orchestrator_.type(*number);
    auto fields = lifecycle::fieldsForNew(type, given.fields);
    if (!fields) co_return std::unexpected(fields.error());
    HookEvent event;
    event.point = HookPoint::Init;
    event.type = type.name;
    event.object = HookObject{.status = given.status.empty() ? type.states[type.initial()].name : given.status,
                              .fields = *std::move(fields),
                              .key = given.key,
                              .parent = lifecycle::ObjectId(given.parent)};
    fire(event);
    event.point = HookPoint::Clean;
    auto clean = co_await hooks_->clean(type, std::move(event));
    if (!clean) co_return std::unexpected(clean.error());
    given.fields = *std::move(clean);
    co_return given;
}

coro::Task<Result<std::vector<GivenObject>>> ObjectHooks::cleanedInTurn(std::vector<GivenObject> given) {
    for (std::size_t at = 0; at < given.size(); ++at) {
        auto clean = co_await cleaned(std::move(given[at]));
        if (!clean) {
            clean.error().index = static_cast<int>(at);
            co_return std::unexpected(std::move(clean.error()));
        }
        given[at] = *std::move(clean);
    }
    co_return given;
}

coro::Task<Result<std::vector<GivenObject>>> ObjectHooks::allCleaned(std::vector<GivenObject> given) {
    if (!wants(HookPoint::Init) && !wants(HookPoint::Clean)) co_return given;
    const std::size_t count = given.size();
    auto clean = co_await coro::within(kCleanedWithin, cleanedInTurn(std::move(given)));
    if (clean) co_return *std::move(clean);
    co_return fail(
        ErrorKind::NotAccepting,
        fmt::format("Hooks were asked about {} objects for {} s and had not answered for all. Nothing was "
                    "made: send fewer at once, or let the hook answer faster.",
                    count, std::chrono::duration_cast<std::chrono::seconds>(kCleanedWithin).count()));
}

coro::Task<Result<std::string>> ObjectHooks::cleanedSet(lifecycle::Type type, store::ObjectRow before,
                                                        std::string set) {
    auto fields = lifecycle::mergedFields(before.fields, set);
    if (!fields) co_return std::unexpected(fields.error());
    HookEvent event;
    event.point = HookPoint::Clean;
    event.type = type.name;
    event.object = HookObject{.id = lifecycle::ObjectId(before.id),
                              .status = before.status,
                              .fields = *fields,
                              .key = before.key,
                              .parent = lifecycle::ObjectId(before.parent),
                              .retryAt = before.retryAt,
                              .revision = before.revision,
                              .retries = static_cast<unsigned>(before.retries)};
    auto clean = co_await hooks_->clean(std::move(type), std::move(event));
    if (!clean) co_return std::unexpected(clean.error());
    if (*clean == *fields) co_return set;
    co_return lifecycle::changesBetween(before.fields, *clean);
}

} // namespace yard::engine
