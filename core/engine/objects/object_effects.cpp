#include "core/engine/objects/object_effects.h"

#include "core/base/log.h"
#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/model/action_spec.h"
#include "core/store/object_operations.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace yard::engine {

using lifecycle::CarryOut;
using lifecycle::EffectKey;
using lifecycle::EffectKind;

namespace {

store::EffectName nameOf(const EffectKey& key) {
    return {.object = key.object.value, .revision = key.revision, .position = key.position};
}

std::optional<JsonView> memberIn(const Result<JsonTape>& tape, std::string_view name) {
    return tape ? memberOf(tape->root(), name) : std::nullopt;
}

} // namespace

void ObjectEffects::carryOut(CarryOut effect) {
    YARD_ASSERT_OWNER(owner_);
    const lifecycle::Object* object = parts_.orchestrator.find(effect.key.object);
    if (!object) { // it was removed, and its rows with it
        parts_.troubles.createIsOver(effect.key);
        return parts_.outbox.done(effect.key);
    }
    if (effect.effect.kind != EffectKind::Call)
        parts_.hooks.fireEffect(lifecycle::HookPoint::EffectStarted, effect);
    switch (effect.effect.kind) {
    case EffectKind::Create: return parts_.io.spawn("object create", makeObject(std::move(effect)));
    case EffectKind::Submit: return parts_.io.spawn("object submit", submitAction(std::move(effect)));
    case EffectKind::Wake: return parts_.io.spawn("object wake", wakeOthers(std::move(effect)));
    case EffectKind::Call: break;
    }
    if (object->key == 0 || !parts_.orchestrator.hasActors(object->type))
        return failed(effect, "no actor of its type can be asked");
    parts_.orchestrator.addCall(effect.key);
    calls_[effect.key] = std::move(effect);
    parts_.io.wakeUp();
}

void ObjectEffects::succeeded(const CarryOut& effect) {
    parts_.hooks.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect);
    parts_.outbox.done(effect.key);
    parts_.io.wakeUp();
}

/// It is tried again later. The move that it belongs to stays.
void ObjectEffects::failed(const CarryOut& effect, const std::string& why) {
    logWarning("objects", "{} of object {} is not carried out yet ({} tries): {}",
               lifecycle::name(effect.effect.kind), effect.key.object.value, effect.attempt, why);
    parts_.hooks.fireEffect(lifecycle::HookPoint::EffectFailed, effect, why);
    parts_.outbox.failed(effect.key, parts_.io.now());
    if (effect.effect.kind == EffectKind::Create) {
        parts_.orchestrator.createFailed(effect.key.object);
        parts_.troubles.createFailed(effect);
    }
    parts_.io.wakeUp();
}

/// Its object, or looks at it, wait for it: what passes soon is not waited for longer.
void ObjectEffects::notMade(const CarryOut& effect, const Error& error) {
    if (error.kind == ErrorKind::Journal) parts_.io.refused(error);
    constexpr std::array kPassing{ErrorKind::Journal, ErrorKind::Busy, ErrorKind::AtLimit,
                                  ErrorKind::TooManyPending, ErrorKind::NotAccepting};
    if (std::ranges::find(kPassing, error.kind) == kPassing.end()) return failed(effect, error.message);
    parts_.outbox.postponed(effect.key, parts_.io.now());
    parts_.io.wakeUp();
}

coro::Task<void> ObjectEffects::makeObject(CarryOut effect) {
    const auto tape = readJson(effect.effect.body);
    const auto body = memberIn(tape, "create");
    auto given =
        body ? readGivenObject(*body) : Result<GivenObject>(fail(ErrorKind::Malformed, "it cannot be read"));
    if (!given) co_return failed(effect, given.error().message);
    const lifecycle::Object* maker = parts_.orchestrator.find(effect.key.object);
    const auto number = parts_.orchestrator.findType(given->type);
    if (given->parent == 0 && maker && number &&
        parts_.orchestrator.type(*number).parent == parts_.orchestrator.type(maker->type).name)
        given->parent = effect.key.object.value;
    const auto clean = co_await parts_.hooks.cleaned(*std::move(given));
    if (!clean && clean.error().kind == ErrorKind::Busy) co_return notMade(effect, clean.error());
    if (!clean) co_return failed(effect, clean.error().message);
    const auto done = co_await parts_.make(*clean, nameOf(effect.key));
    if (!done) co_return notMade(effect, done.error());
    if (done->empty() && parts_.orchestrator.find(effect.key.object))
        logWarning("objects", "create of object {} was carried out before: what it made is seen after a start",
                   effect.key.object.value);
    parts_.troubles.createIsOver(effect.key);
    succeeded(effect);
    parts_.orchestrator.created(effect.key.object);
}

/// In one commit with its row: whatever dies after the submission, there is no next try.
coro::Task<void> ObjectEffects::submitAction(CarryOut effect) {
    const auto tape = readJson(effect.effect.body);
    const auto body = memberIn(tape, "submit");
    auto text = body ? canonicalJson(*body) : Result<std::string>(fail(ErrorKind::Malformed, "it cannot be read"));
    auto parsed = text ? parseActions(*text) : Result<ParsedActions>(std::unexpected(text.error()));
    if (!parsed) co_return failed(effect, parsed.error().message);
    const auto leadsOut = [](const ParsedAction& action) { return action.spec->isExec() && !action.spec->sandbox; };
    if (parts_.areContained() && std::ranges::any_of(parsed->actions, leadsOut))
        co_return failed(effect, R"(an exec that a worker submits has to say "sandbox": true)");
    Submission submission;
    submission.actions = std::move(parsed->actions);
    const auto name = memberIn(tape, "as");
    submission.effect = {.effect = nameOf(effect.key),
                         .name = name ? std::string(name->string()) : std::string(),
                         .isOwned = submission.actions.size() == 1 && !submission.actions.front().spec->array};
    if (submission.effect->isOwned)
        submission.accepted = [this, object = effect.key.object.value](Lsn lsn) { parts_.owned.add(lsn, object); };
    const auto answer = co_await parts_.submit(std::move(submission));
    if (!answer) co_return notMade(effect, answer.error());
    succeeded(effect);
}

coro::Task<void> ObjectEffects::dropEffect(EffectKey key) {
    const auto posted = parts_.io.post(store::DropEffect{.effect = nameOf(key)});
    const store::AckDetail done = co_await posted->get();
    if (done.error)
        parts_.outbox.failed(key, parts_.io.now());
    else
        parts_.outbox.done(key);
    parts_.io.wakeUp();
}

coro::Task<Result<std::vector<std::int64_t>>> ObjectEffects::idsToWake(const CarryOut& effect) {
    const auto tape = readJson(effect.effect.body);
    const auto whom = memberIn(tape, "wake");
    std::vector<std::int64_t> ids;
    if (!whom) co_return ids;
    if (whom->kind() == JsonKind::Array) {
        for (const JsonView id : *whom) ids.push_back(id.node().integer);
        co_return ids;
    }
    if (whom->kind() != JsonKind::String) co_return ids;
    if (whom->string() == "parent") {
        const lifecycle::Object* object = parts_.orchestrator.find(effect.key.object);
        if (object && object->parent.value != 0) ids.push_back(object->parent.value);
        co_return ids;
    }
    store::ObjectQuestion question{.parent = effect.key.object.value, .limit = store::kMostObjectRows};
    question.newestFirst = false;
    do {
        const auto page = co_await parts_.page(question);
        if (!page) co_return std::unexpected(page.error());
        for (const store::ObjectRow& row : page->rows) ids.push_back(row.id);
        question.cursor = page->cursor;
    } while (question.cursor != 0);
    co_return ids;
}

/// In portions; the row goes with the last one.
coro::Task<void> ObjectEffects::wakeOthers(CarryOut effect) {
    auto ids = co_await idsToWake(effect);
    if (!ids) co_return failed(effect, ids.error().message);
    const WallMicros now = parts_.io.now();
    const std::span<const std::int64_t> all(*ids);
    std::size_t at = 0;
    do {
        const auto some = all.subspan(at, std::min(store::kMostObjects, all.size() - at));
        at += some.size();
        store::WakeObjects wake{.ids = {some.begin(), some.end()}, .effect = {}, .at = now};
        if (at >= all.size()) wake.effect = nameOf(effect.key);
        for (const std::int64_t id : some) parts_.wake(lifecycle::ObjectId(id), effect.key.object, now);
        const auto posted = parts_.io.post(std::move(wake));
        const store::AckDetail done = co_await posted->get();
        if (done.error) co_return failed(effect, done.error->message);
    } while (at < all.size());
    succeeded(effect);
}

// --- calls

std::optional<std::string> ObjectEffects::beginCall(const EffectKey& key) {
    YARD_ASSERT_OWNER(owner_);
    const auto effect = calls_.find(key);
    if (effect == calls_.end()) return std::nullopt;
    const lifecycle::Object* object = parts_.orchestrator.find(key.object);
    if (!object) { // it was removed, and the row with it
        parts_.outbox.done(key);
        calls_.erase(effect);
        return std::nullopt;
    }
    auto members = callMembers(effect->second.effect.body, key.object.value, effect->second.attempt);
    if (!members || !parts_.orchestrator.type(object->type).actor) {
        failed(calls_.extract(effect).mapped(), "it cannot be read");
        return std::nullopt;
    }
    parts_.hooks.fireEffect(lifecycle::HookPoint::EffectStarted, effect->second);
    return members;
}

void ObjectEffects::failCalls(lifecycle::TypeNumber number) {
    for (const EffectKey& key : parts_.orchestrator.takeCalls(number))
        if (const auto effect = calls_.extract(key); !effect.empty())
            failed(effect.mapped(), "no actor of its type can be asked");
}

void ObjectEffects::callEnded(lifecycle::ActorNumber actor, const EffectKey& key,
                              const Result<lifecycle::Answer>& answer) {
    auto effect = calls_.extract(key);
    if (effect.empty()) return;
    if (!answer) return failed(effect.mapped(), fmt::format("actor {}: {}", actor, answer.error().message));
    parts_.hooks.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect.mapped());
    parts_.io.spawn("object call", dropEffect(key));
}

} // namespace yard::engine
