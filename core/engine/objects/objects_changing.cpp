// Objects: what people and effects make and change.
#include "core/engine/objects/objects.h"

#include "core/json/canonical_json.h"
#include "core/lifecycle/field_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using lifecycle::ObjectId;
using lifecycle::TypeNumber;

/// No version of the type is on its way, which would know nothing of a change of its objects.
Result<void> Objects::mayChange(TypeNumber number) const {
    if (!types_[number].isLeaving) return {};
    return fail(ErrorKind::Busy, fmt::format("The type {} is being changed; try again in a moment.",
                                             orchestrator_.type(number).name));
}

// --- new ones

Result<store::NewObject> Objects::newObject(const GivenObject& given, WallMicros now) {
    const auto number = numberOf(given.type);
    if (!number)
        return invalid("type", fmt::format("There is no type \"{}\" of objects; add it first.", given.type));
    if (auto may = mayChange(*number); !may) return std::unexpected(std::move(may.error()));
    const lifecycle::Type& type = orchestrator_.type(*number);
    const auto status = given.status.empty() ? std::optional(type.initial()) : type.find(given.status);
    if (!status) return invalid("status", fmt::format("The type {} has no state {}.", type.name, given.status));
    auto fields = lifecycle::fieldsForNew(type, given.fields);
    if (!fields) return std::unexpected(std::move(fields.error()));
    store::NewObject object{.id = ++lastObject_,
                            .type = types_[*number].id,
                            .parent = given.parent,
                            .status = type.states[*status].name,
                            .retryAt = 0,
                            .key = given.key,
                            .launch = launchKey(type, *fields, {}),
                            .fields = *std::move(fields)};
    if (!type.isFinal(*status)) object.retryAt = given.retryAt > 0 ? given.retryAt : now;
    return object;
}

coro::Task<Result<std::vector<std::int64_t>>> Objects::commitNew(std::vector<store::NewObject> objects,
                                                                 std::optional<store::EffectName> effect,
                                                                 std::optional<store::Idempotency> once) {
    for (const store::NewObject& object : objects) {
        ++types_[numbers_.at(object.type)].creating;
        hooks_.fireNew(lifecycle::HookPoint::Save, numbers_.at(object.type), object);
    }
    const auto posted = parts_.post(store::CreateObjects{
        .objects = objects, .effect = effect, .now = parts_.now(), .idempotency = std::move(once)});
    const store::AckDetail done = co_await posted->get();
    for (const store::NewObject& object : objects) --types_[numbers_.at(object.type)].creating;
    if (done.error) co_return std::unexpected(*done.error);
    if (done.repeated) co_return createdFromAnswer(done.answer).ids;
    // Fewer where the effect was carried out already.
    for (std::size_t at = 0; at < std::min(objects.size(), done.objects.size()); ++at) {
        const store::NewObject& made = objects[at];
        if (done.objects[at] != made.id) continue;
        const TypeNumber number = numbers_.at(made.type);
        lifecycle::Object object;
        object.id = ObjectId(made.id);
        object.parent = ObjectId(made.parent);
        object.type = number;
        object.status = *orchestrator_.type(number).find(made.status);
        object.retryAt = made.retryAt;
        if (made.launch) object.key = orchestrator_.keyNumber(number, *made.launch);
        orchestrator_.add(object);
        types_[number].rates.count({}, object.status, parts_.now());
        noteChanged(made.id);
        hooks_.fireNew(lifecycle::HookPoint::Created, number, made);
    }
    changed_.notifyAll();
    wakeUp();
    co_return done.objects;
}

/// What an effect makes.
coro::Task<Result<std::vector<std::int64_t>>> Objects::makeFor(GivenObject given, store::EffectName effect) {
    auto object = newObject(given, parts_.now());
    if (!object) co_return std::unexpected(std::move(object.error()));
    std::vector<store::NewObject> one;
    one.push_back(*std::move(object));
    co_return co_await commitNew(std::move(one), effect);
}

coro::Task<Result<Objects::Created>> Objects::create(std::string json) {
    return createAll(std::move(json), {});
}

coro::Task<Result<Objects::Created>> Objects::createAll(std::string json, std::optional<store::Idempotency> once) {
    YARD_ASSERT_OWNER(owner_);
    Created created;
    auto given = readGivenObjects(json, created.isList);
    if (!given) co_return std::unexpected(given.error());
    const auto refusal = [&created](Error error, std::size_t at) {
        if (created.isList) error.index = static_cast<int>(at);
        return std::unexpected(std::move(error));
    };
    // All are asked of before the first is made: from then on nothing is waited for before the commit.
    given = co_await hooks_.allCleaned(*std::move(given));
    if (!given) {
        if (!created.isList) given.error().index = -1;
        co_return std::unexpected(std::move(given.error()));
    }
    std::vector<store::NewObject> objects;
    objects.reserve(given->size());
    for (const GivenObject& one : *given) {
        auto object = newObject(one, parts_.now());
        if (object && one.parent != 0 && !orchestrator_.find(ObjectId(one.parent)))
            object = invalid("parent", fmt::format("There is no object {}.", one.parent));
        if (!object) co_return refusal(std::move(object.error()), objects.size());
        objects.push_back(*std::move(object));
    }
    if (once) once->answer = createdAnswerBegin(created.isList);
    auto ids = co_await commitNew(std::move(objects), {}, std::move(once));
    if (!ids) co_return std::unexpected(ids.error());
    created.ids = *std::move(ids);
    co_return created;
}

// --- changes by hand

Result<const lifecycle::Object*> Objects::changeable(std::int64_t id) const {
    const lifecycle::Object* object = orchestrator_.find(ObjectId(id));
    if (!object) return fail(ErrorKind::NotFound, fmt::format("There is no object {}.", id));
    if (auto may = mayChange(object->type); !may) return std::unexpected(std::move(may.error()));
    return object;
}

bool Objects::isMovedByHand(ObjectId id) const {
    const auto first = byHand_.lower_bound({id, 0});
    return first != byHand_.end() && first->first.first == id;
}

/// Carries out the decision that was just made, and waits for it. False: somebody else was first.
coro::Task<Result<bool>> Objects::decideByHand(ObjectId id, lifecycle::Revision revision) {
    auto mine = std::make_shared<ByHand>();
    byHand_[{id, revision + 1}] = mine;
    carry(orchestrator_.take());
    co_await mine->done.wait();
    if (mine->error) co_return std::unexpected(*mine->error);
    co_return mine->isDone;
}

/// What a person sets, as canonical JSON.
static Result<std::string> checkedSet(const lifecycle::Type& type, std::string_view fields) {
    const auto tape = readJson(fields);
    if (!tape) return std::unexpected(tape.error());
    if (auto fine = lifecycle::checkSet(type, tape->root()); !fine) return std::unexpected(fine.error());
    return canonicalJson(tape->root());
}

coro::Task<Result<Objects::Changed>> Objects::change(std::int64_t number, std::string fields,
                                                     std::optional<std::int64_t> revision) {
    YARD_ASSERT_OWNER(owner_);
    const ObjectId id(number);
    auto before = co_await get(number, Duration::zero(), {});
    if (!before) co_return std::unexpected(before.error());
    const auto found = changeable(number);
    if (!found) co_return std::unexpected(found.error());
    const lifecycle::Object* object = *found;
    if (before->row.revision != object->revision || (revision && *revision != object->revision))
        co_return Changed{.view = *std::move(before), .isOther = true};
    auto set = checkedSet(orchestrator_.type(object->type), fields);
    if (set && hooks_.wants(lifecycle::HookPoint::Clean)) {
        auto cleaned = co_await hooks_.cleanedSet(orchestrator_.type(object->type), before->row, *std::move(set));
        const auto again = changeable(number);
        if (!again) co_return std::unexpected(again.error());
        object = *again;
        if (before->row.revision != object->revision)
            co_return Changed{.view = *std::move(before), .isOther = true};
        set = cleaned ? checkedSet(orchestrator_.type(object->type), *cleaned) : std::move(cleaned);
    }
    if (!set) co_return std::unexpected(set.error());
    const lifecycle::Revision seen = object->revision;
    if (byHand_.contains({id, seen + 1})) co_return Changed{.view = *std::move(before), .isOther = true};
    told_[id] = {.actor = "by hand", .tickMs = 0, .fields = before->row.fields};
    auto decided = orchestrator_.setByHand(id, *std::move(set), parts_.now());
    if (!decided) {
        told_.erase(id);
        co_return std::unexpected(decided.error());
    }
    const auto done = co_await decideByHand(id, seen);
    if (!done) co_return std::unexpected(done.error());
    auto after = co_await get(number, Duration::zero(), {});
    if (!after) co_return std::unexpected(after.error());
    co_return Changed{.view = *std::move(after), .isOther = !*done};
}

coro::Task<Result<void>> Objects::move(std::int64_t number, std::string to, bool isForced) {
    return moveByHand(number, std::move(to), isForced, {});
}

coro::Task<Result<void>> Objects::moveByHand(std::int64_t number, std::string to, bool isForced,
                                             std::optional<store::Idempotency> once) {
    YARD_ASSERT_OWNER(owner_);
    const ObjectId id(number);
    ObjectMoveNote told{.actor = "by hand", .once = std::move(once)};
    if (hooks_.tellsWrites()) { // hooks see its fields
        auto read = co_await parts_.reads.object(number);
        if (!read) co_return std::unexpected(read.error());
        if (*read) told.fields = std::move((*read)->row.fields);
    }
    const auto object = changeable(number);
    if (!object) co_return std::unexpected(object.error());
    const lifecycle::Revision seen = (*object)->revision;
    const auto moved = [] {
        return fail(ErrorKind::WrongState, "The object was moved at the same moment; look at it again.");
    };
    if (byHand_.contains({id, seen + 1})) co_return moved();
    if (auto decided = orchestrator_.move(id, to, isForced, parts_.now()); !decided)
        co_return std::unexpected(decided.error());
    told_[id] = std::move(told);
    const auto done = co_await decideByHand(id, seen);
    if (!done) co_return std::unexpected(done.error());
    if (!*done) co_return moved();
    co_return Result<void>{};
}

coro::Task<Result<std::int64_t>> Objects::look(std::vector<std::int64_t> ids) {
    YARD_ASSERT_OWNER(owner_);
    const WallMicros now = parts_.now();
    for (const std::int64_t id : ids) outbox_.hurry(ObjectId(id), now); // also of what has ended
    std::erase_if(ids, [this](std::int64_t id) {
        const lifecycle::Object* object = orchestrator_.find(ObjectId(id));
        return !object || orchestrator_.type(object->type).isFinal(object->status);
    });
    for (const std::int64_t id : ids) {
        poke(ObjectId(id), PokeWhy::Person, 0, now);
        orchestrator_.wake(ObjectId(id), now);
    }
    const auto count = std::ssize(ids);
    const auto posted = parts_.post(store::WakeObjects{.ids = std::move(ids), .effect = {}, .at = now});
    wakeUp();
    if (const store::AckDetail done = co_await posted->get(); done.error) co_return std::unexpected(*done.error);
    co_return count;
}

coro::Task<Result<std::int64_t>> Objects::remove(std::vector<std::int64_t> ids) {
    YARD_ASSERT_OWNER(owner_);
    const auto posted = parts_.post(store::DropObjects{.ids = ids});
    if (const store::AckDetail done = co_await posted->get(); done.error) co_return std::unexpected(*done.error);
    std::int64_t count = 0;
    for (const std::int64_t id : ids) {
        const lifecycle::Object* object = orchestrator_.find(ObjectId(id));
        if (!object) continue;
        // What waits for its last child is woken by the end of that, however it came.
        if (object->parent.value != 0) {
            poke(object->parent, PokeWhy::Child, id, parts_.now());
            orchestrator_.wake(object->parent, parts_.now());
        }
        pokes_.forget(ObjectId(id));
        hooks_.fireDeleted(*object);
        outbox_.hurry(ObjectId(id), parts_.now()); // what waits of it is over
        orchestrator_.remove(ObjectId(id));
        noteChanged(id);
        ++count;
    }
    changed_.notifyAll();
    wakeUp();
    co_return count;
}

// --- requests that may come twice

coro::Task<Result<Objects::Created>> Objects::createOnce(std::string json, store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    const auto held = co_await keys_.hold(once.key);
    auto before = co_await keys_.firstAnswer(once);
    if (!before) co_return std::unexpected(std::move(before.error()));
    if (*before) co_return createdFromAnswer(**before);
    co_return co_await createAll(std::move(json), std::move(once));
}

coro::Task<Result<void>> Objects::moveOnce(std::int64_t id, std::string to, bool isForced,
                                           store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    const auto held = co_await keys_.hold(once.key);
    const auto before = co_await keys_.firstAnswer(once);
    if (!before) co_return std::unexpected(before.error());
    if (*before) co_return Result<void>{};
    co_return co_await moveByHand(id, std::move(to), isForced, std::move(once));
}

coro::Task<Result<Objects::Choice>> Objects::chooseOnce(Choice choice, store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    once.answer = choiceAnswer(choice);
    const auto posted = parts_.post(
        store::CreateObjects{.objects = {}, .effect = {}, .now = parts_.now(), .idempotency = std::move(once)});
    const store::AckDetail done = co_await posted->get();
    if (done.error) co_return std::unexpected(*done.error);
    if (done.repeated) co_return choiceFromAnswer(done.answer);
    co_return choice;
}

} // namespace yard::engine
