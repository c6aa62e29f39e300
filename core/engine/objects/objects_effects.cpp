// Objects: effects of committed moves. A create, a submit and a wake go with their row in one commit, or find by their key
// that they were carried out; a call is repeated until its actor says that it was done.
#include "core/engine/objects/objects.h"

#include "core/base/log.h"
#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <fmt/format.h>
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

void Objects::carryOut(CarryOut effect) {
    const lifecycle::Object* object = orchestrator_.find(effect.key.object);
    if (!object) { // it was removed, and its rows with it
        troubles_.createIsOver(effect.key);
        return outbox_.done(effect.key);
    }
    if (effect.effect.kind != EffectKind::Call) hooks_.fireEffect(lifecycle::HookPoint::EffectStarted, effect);
    switch (effect.effect.kind) {
    case EffectKind::Create: return parts_.spawn("object create", makeObject(std::move(effect)));
    case EffectKind::Submit: return parts_.spawn("object submit", submitAction(std::move(effect)));
    case EffectKind::Wake: return parts_.spawn("object wake", wakeOthers(std::move(effect)));
    case EffectKind::Call: break;
    }
    if (object->key == 0 || !orchestrator_.hasActors(object->type))
        return failed(effect, "no actor of its type can be asked");
    orchestrator_.addCall(effect.key);
    calls_[effect.key] = std::move(effect);
    wakeUp();
}

/// It is tried again later. The move that it belongs to stays.
void Objects::failed(const CarryOut& effect, const std::string& why) {
    logWarning("objects", "{} of object {} is not carried out yet ({} tries): {}",
               lifecycle::name(effect.effect.kind), effect.key.object.value, effect.attempt, why);
    hooks_.fireEffect(lifecycle::HookPoint::EffectFailed, effect, why);
    outbox_.failed(effect.key, parts_.now());
    if (effect.effect.kind == EffectKind::Create) {
        orchestrator_.createFailed(effect.key.object);
        troubles_.createFailed(effect);
    }
    wakeUp();
}

/// Its object, or looks at it, wait for it: what passes soon is not waited for longer.
void Objects::notMade(const CarryOut& effect, const Error& error) {
    if (error.kind == ErrorKind::Journal) journalRefused(error);
    constexpr std::array kPassing{ErrorKind::Journal, ErrorKind::Busy, ErrorKind::AtLimit,
                                  ErrorKind::TooManyPending, ErrorKind::NotAccepting};
    if (std::ranges::find(kPassing, error.kind) == kPassing.end()) return failed(effect, error.message);
    outbox_.postponed(effect.key, parts_.now());
    wakeUp();
}

coro::Task<void> Objects::makeObject(CarryOut effect) {
    const auto tape = readJson(effect.effect.body);
    const auto body = memberIn(tape, "create");
    auto given =
        body ? readGivenObject(*body) : Result<GivenObject>(fail(ErrorKind::Malformed, "it cannot be read"));
    if (!given) co_return failed(effect, given.error().message);
    const lifecycle::Object* maker = orchestrator_.find(effect.key.object);
    const auto number = numberOf(given->type);
    if (given->parent == 0 && maker && number &&
        orchestrator_.type(*number).parent == orchestrator_.type(maker->type).name)
        given->parent = effect.key.object.value;
    const auto clean = co_await hooks_.cleaned(*std::move(given));
    if (!clean && clean.error().kind == ErrorKind::Busy) co_return notMade(effect, clean.error());
    if (!clean) co_return failed(effect, clean.error().message);
    auto object = newObject(*clean, parts_.now());
    if (!object) co_return notMade(effect, object.error());
    std::vector<store::NewObject> one;
    one.push_back(std::move(*object));
    const auto done = co_await commitNew(std::move(one), nameOf(effect.key));
    if (!done) co_return notMade(effect, done.error());
    if (done->empty() && orchestrator_.find(effect.key.object))
        logWarning("objects", "create of object {} was carried out before: what it made is seen after a start",
                   effect.key.object.value);
    hooks_.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect);
    troubles_.createIsOver(effect.key);
    outbox_.done(effect.key);
    orchestrator_.created(effect.key.object);
    wakeUp();
}

/// In one commit with its row: whatever dies after the submission, there is no next try.
coro::Task<void> Objects::submitAction(CarryOut effect) {
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
        submission.accepted = [this, object = effect.key.object.value](Lsn lsn) { owned_.add(lsn, object); };
    const auto answer = co_await parts_.submit(std::move(submission));
    if (!answer) co_return notMade(effect, answer.error());
    hooks_.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect);
    outbox_.done(effect.key);
    wakeUp();
}

coro::Task<void> Objects::dropEffect(EffectKey key) {
    const auto posted = parts_.post(store::DropEffect{.effect = nameOf(key)});
    const store::AckDetail done = co_await posted->get();
    if (done.error)
        outbox_.failed(key, parts_.now());
    else
        outbox_.done(key);
    wakeUp();
}

coro::Task<Result<std::vector<std::int64_t>>> Objects::idsToWake(const CarryOut& effect) {
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
        const lifecycle::Object* object = orchestrator_.find(effect.key.object);
        if (object && object->parent.value != 0) ids.push_back(object->parent.value);
        co_return ids;
    }
    store::ObjectQuestion question{.parent = effect.key.object.value, .limit = store::kMostObjectRows};
    question.newestFirst = false;
    do {
        const auto page = co_await parts_.reads.page(question);
        if (!page) co_return std::unexpected(page.error());
        for (const store::ObjectRow& row : page->rows) ids.push_back(row.id);
        question.cursor = page->cursor;
    } while (question.cursor != 0);
    co_return ids;
}

/// In portions; the row goes with the last one.
coro::Task<void> Objects::wakeOthers(CarryOut effect) {
    auto ids = co_await idsToWake(effect);
    if (!ids) co_return failed(effect, ids.error().message);
    const WallMicros now = parts_.now();
    const std::span<const std::int64_t> all(*ids);
    std::size_t at = 0;
    do {
        const auto some = all.subspan(at, std::min(store::kMostObjects, all.size() - at));
        at += some.size();
        store::WakeObjects wake{.ids = {some.begin(), some.end()}, .effect = {}, .at = now};
        if (at >= all.size()) wake.effect = nameOf(effect.key);
        for (const std::int64_t id : some) orchestrator_.wake(lifecycle::ObjectId(id), now);
        const auto posted = parts_.post(std::move(wake));
        const store::AckDetail done = co_await posted->get();
        if (done.error) co_return failed(effect, done.error->message);
    } while (at < all.size());
    hooks_.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect);
    outbox_.done(effect.key);
    wakeUp();
}

// --- calls

void Objects::carry(const lifecycle::SendCall& call) {
    orchestrator_.setDeadline(call.actor, 0);
    const auto actor = actors_.find(call.actor);
    const auto effect = calls_.find(call.effect);
    if (actor == actors_.end() || effect == calls_.end()) return orchestrator_.callEnded(call.actor);
    if (!orchestrator_.find(call.effect.object)) { // it was removed, and the row with it
        outbox_.done(call.effect);
        calls_.erase(effect);
        return orchestrator_.callEnded(call.actor);
    }
    const lifecycle::Type& type = orchestrator_.type(actor->second.type);
    auto members = callMembers(effect->second.effect.body, call.effect.object.value, effect->second.attempt);
    if (!members || !type.actor) {
        failed(calls_.extract(effect).mapped(), "it cannot be read");
        return orchestrator_.callEnded(call.actor);
    }
    actor->second.call = call.effect;
    actor->second.since = parts_.now();
    hooks_.fireEffect(lifecycle::HookPoint::EffectStarted, effect->second);
    parts_.actors.ask(call.actor, type.actor->function, std::move(*members));
}

/// Nobody takes them: they do not stand in the way of others, and are tried again later.
void Objects::failCalls(lifecycle::TypeNumber number) {
    for (const EffectKey& key : orchestrator_.takeCalls(number))
        if (const auto effect = calls_.extract(key); !effect.empty())
            failed(effect.mapped(), "no actor of its type can be asked");
}

void Objects::callEnded(lifecycle::ActorNumber actor, EffectKey key, const Result<lifecycle::Answer>& answer) {
    auto effect = calls_.extract(key);
    if (effect.empty()) return;
    if (!answer) return failed(effect.mapped(), fmt::format("actor {}: {}", actor, answer.error().message));
    hooks_.fireEffect(lifecycle::HookPoint::EffectSucceeded, effect.mapped());
    parts_.spawn("object call", dropEffect(key));
}

} // namespace yard::engine
