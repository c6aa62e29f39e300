// Objects, their types, and the orchestrator: docs/objects.md.
#include "core/http/route.h"

#include "core/base/parsed_number.h"
#include "core/engine/objects/objects.h"
#include "core/http/error_map.h"
#include "core/http/idempotency_key.h"
#include "core/http/json_answer.h"
#include "core/http/object_selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

namespace {

constexpr std::size_t kMaxName = 64;
/// Whoever waits is looked after so often: it may be gone.
constexpr Duration kLookAtObjectClient{1'000'000};

Response countResponse(const Result<std::int64_t>& count) {
    if (!count) return errorResponse(count.error());
    return objectOf([&](JsonWriter& writer) { writer.member("count", *count); });
}

Response viewResponse(const Result<engine::ObjectView>& view, int status = 200) {
    if (!view) return errorResponse(view.error());
    return objectOf(
        [&](JsonWriter& writer) {
            engine::writeObject(writer, *view);
            if (!view->pokes.empty()) {
                writer.key("pokes");
                engine::writePokes(writer, view->pokes);
            }
            if (view->actions.empty()) return;
            writer.key("actions");
            engine::writeActions(writer, view->actions);
        },
        status);
}

// --- types

void writeType(JsonWriter& writer, const engine::ObjectTypeView& type) {
    writer.member("name", type.name);
    writer.key("type");
    writer.raw(type.body);
    writer.key("counts");
    engine::writeCounts(writer, type.counts);
}

Response typeResponse(const Result<engine::ObjectTypeView>& type) {
    if (!type) return errorResponse(type.error());
    return objectOf([&](JsonWriter& writer) { writeType(writer, *type); });
}

coro::Task<Response> listTypes(Call& call) {
    const auto types = co_await call.engine.ask(&engine::Objects::types);
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("types");
        writer.openArray();
        for (const engine::ObjectTypeView& type : types) {
            writer.openObject();
            writeType(writer, type);
            writer.closeObject();
        }
        writer.closeArray();
    });
}

coro::Task<Response> putType(Call& call) {
    co_return typeResponse(co_await call.engine.ask(&engine::Objects::putType, std::move(call.request.body)));
}

coro::Task<Response> getType(Call& call) {
    co_return typeResponse(co_await call.engine.ask(&engine::Objects::type, call.capture()));
}

coro::Task<Response> removeType(Call& call) {
    const auto isForced = call.query.flag("force");
    if (!isForced) co_return errorResponse(isForced.error());
    const auto done = co_await call.engine.ask(&engine::Objects::removeType, call.capture(), *isForced);
    if (!done) co_return errorResponse(done.error());
    co_return objectOf([&](JsonWriter& writer) { writer.member("name", call.capture()); });
}

coro::Task<Response> getStays(Call& call) {
    const auto stays = co_await call.engine.ask(&engine::Objects::stays, call.capture());
    if (!stays) co_return errorResponse(stays.error());
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("stays");
        writer.openArray();
        for (const store::StatusStay& stay : *stays) {
            writer.openObject();
            writer.member("status", stay.status);
            writer.member("usual_s", static_cast<double>(stay.usual.count()) / 1e6);
            writer.member("of", stay.of);
            writer.closeObject();
        }
        writer.closeArray();
    });
}

// --- questions

Result<engine::ObjectQuery> queryOf(const Call& call, std::int64_t parent) {
    engine::ObjectQuery query;
    query.type = call.query.text("type").value_or("");
    query.status = call.query.text("status").value_or("");
    query.text = call.query.text("q").value_or("");
    query.parent = parent;
    const auto limit = call.query.integer("limit", 1, store::kMostObjectRows);
    if (!limit) return std::unexpected(limit.error());
    query.limit = static_cast<int>(limit->value_or(query.limit));
    const auto cursor = call.query.integer("cursor", 1, kMostLsn);
    if (!cursor) return std::unexpected(cursor.error());
    query.cursor = cursor->value_or(0);
    const std::string_view sort = call.query.text("sort").value_or("-id");
    if (sort != "id" && sort != "-id") return invalid("sort", "Objects are sorted by \"id\" or \"-id\".");
    query.newestFirst = sort == "-id";
    return query;
}

coro::Task<Response> listSelected(Call& call, engine::ObjectQuery query) {
    const auto list = co_await call.engine.ask(&engine::Objects::list, std::move(query));
    if (!list) co_return errorResponse(list.error());
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("objects");
        writer.openArray();
        for (const engine::ObjectView& view : list->rows) {
            writer.openObject();
            engine::writeObject(writer, view);
            writer.closeObject();
        }
        writer.closeArray();
        if (list->cursor != 0) writer.member("cursor", std::to_string(list->cursor));
        if (list->isBounded) writer.member("bounded", true);
    });
}

coro::Task<Response> listObjects(Call& call) {
    const auto parent = call.query.integer("parent", 1, kMostLsn);
    if (!parent) co_return errorResponse(parent.error());
    auto query = queryOf(call, parent->value_or(0));
    if (!query) co_return errorResponse(query.error());
    co_return co_await listSelected(call, *std::move(query));
}

coro::Task<Response> listChildren(Call& call) {
    const std::int64_t id = call.number();
    auto query = queryOf(call, id);
    if (!query) co_return errorResponse(query.error());
    if (const auto parent = co_await call.engine.ask(&engine::Objects::get, id, Duration::zero(), std::string());
        !parent)
        co_return errorResponse(parent.error());
    co_return co_await listSelected(call, *std::move(query));
}

coro::Task<Response> getObject(Call& call) {
    const auto wait = call.query.seconds("wait", kMaxWaitSeconds);
    if (!wait) co_return errorResponse(wait.error());
    const std::string until(call.query.text("until").value_or(""));
    const MonoTime end = MonoClock::now() + wait->value_or(Duration::zero());
    Link& link = *call.request.link;
    for (;;) {
        const Duration left = std::clamp(end - MonoClock::now(), Duration::zero(), kLookAtObjectClient);
        auto view = co_await call.engine.ask(&engine::Objects::get, call.number(), left, until);
        const bool isOver = !wait->has_value() || MonoClock::now() >= end || link.isStopping() || link.peerGone();
        if (!view || view->isReached || isOver)
            co_return viewResponse(view, wait->has_value() && view && !view->isReached ? 202 : 200);
    }
}

coro::Task<Response> getHistory(Call& call) {
    const auto view =
        co_await call.engine.ask(&engine::Objects::get, call.number(), Duration::zero(), std::string());
    if (!view) co_return errorResponse(view.error());
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("history");
        engine::writeHistory(writer, view->history);
    });
}

// --- changes

coro::Task<Result<engine::Objects::Created>> createAsked(Call& call) {
    auto once = co_await idempotencyOf(call);
    if (!once) co_return std::unexpected(std::move(once.error()));
    std::string body = std::move(call.request.body);
    if (*once) co_return co_await call.engine.ask(&engine::Objects::createOnce, std::move(body), **once);
    co_return co_await call.engine.ask(&engine::Objects::create, std::move(body));
}

coro::Task<Response> createObjects(Call& call) {
    const auto created = co_await createAsked(call);
    if (!created) co_return errorResponse(created.error());
    co_return objectOf([&](JsonWriter& writer) {
        if (!created->isList) return writer.member("id", created->ids.front());
        writer.key("ids");
        writer.openArray();
        for (const std::int64_t id : created->ids) writer.integer(id);
        writer.closeArray();
    });
}

/// The field's value is a revision, in quotes or not; nothing where there is no such field.
Result<std::optional<std::int64_t>> revisionAsked(const Call& call) {
    const auto field = call.request.head.field("If-Match");
    if (!field) return std::optional<std::int64_t>();
    std::string_view digits = *field;
    if (digits.size() > 1 && digits.front() == '"' && digits.back() == '"')
        digits = digits.substr(1, digits.size() - 2);
    const auto revision = parsedNumber<std::int64_t>(digits);
    if (!revision) return invalid("If-Match", "Give If-Match as the revision of the object.");
    return revision;
}

coro::Task<Response> changeObject(Call& call) {
    const auto revision = revisionAsked(call);
    if (!revision) co_return errorResponse(revision.error());
    if (call.body.raw().empty())
        co_return errorResponse(invalid("fields", "Give the fields that are to be set as an object.").error());
    const auto changed =
        co_await call.engine.ask(&engine::Objects::change, call.number(), call.body.raw(), *revision);
    if (!changed) co_return errorResponse(changed.error());
    if (!changed->isOther) co_return viewResponse(changed->view);
    Response response =
        errorResponse(ErrorKind::WrongState,
                      fmt::format("The object was changed meanwhile, it has revision {}; look at it again.",
                                  changed->view.row.revision));
    response.status = 412;
    co_return response;
}

coro::Task<Response> lookAtObject(Call& call) {
    const std::int64_t id = call.number();
    auto view = co_await call.engine.ask(&engine::Objects::get, id, Duration::zero(), std::string());
    if (!view) co_return errorResponse(view.error());
    if (const auto done = co_await call.engine.ask(&engine::Objects::look, std::vector<std::int64_t>{id}); !done)
        co_return errorResponse(done.error());
    co_return viewResponse(co_await call.engine.ask(&engine::Objects::get, id, Duration::zero(), std::string()));
}

struct MoveAsked {
    std::int64_t id = 0;
    std::string to{};
    bool isForced = false;
    std::optional<store::Idempotency> once{};
};

coro::Task<Result<void>> moveOne(Call& call, MoveAsked asked) {
    if (!asked.once) co_return co_await call.engine.ask(&engine::Objects::move, asked.id, asked.to, asked.isForced);
    co_return co_await call.engine.ask(&engine::Objects::moveOnce, asked.id, asked.to, asked.isForced, *asked.once);
}

coro::Task<Response> moveObject(Call& call) {
    const std::int64_t id = call.number();
    const auto to = call.body.word("to", kMaxName);
    if (!to) co_return errorResponse(to.error());
    const auto isForced = call.body.flag("force");
    if (!isForced) co_return errorResponse(isForced.error());
    const auto once = co_await idempotencyOf(call);
    if (!once) co_return errorResponse(once.error());
    if (const auto done = co_await moveOne(call, {.id = id, .to = *to, .isForced = *isForced, .once = *once});
        !done)
        co_return errorResponse(done.error());
    co_return viewResponse(co_await call.engine.ask(&engine::Objects::get, id, Duration::zero(), std::string()));
}

coro::Task<Response> removeObject(Call& call) {
    const std::int64_t id = call.number();
    const auto count = co_await call.engine.ask(&engine::Objects::remove, std::vector<std::int64_t>{id});
    if (count && *count == 0)
        co_return errorResponse(ErrorKind::NotFound, fmt::format("There is no object {}.", call.capture()));
    co_return countResponse(count);
}

// --- many

Response selectionResponse(const Result<std::int64_t>& count, const engine::Objects::Choice& chosen) {
    if (!count) return errorResponse(count.error());
    return objectOf([&](JsonWriter& writer) {
        writer.member("count", *count);
        if (chosen.cursor != 0) writer.member("cursor", chosen.cursor);
    });
}

coro::Task<Response> lookAtMany(Call& call) {
    const auto chosen = co_await selectedObjects(call);
    if (!chosen) co_return errorResponse(chosen.error());
    if (chosen->ids.empty()) co_return selectionResponse(0, *chosen);
    co_return selectionResponse(co_await call.engine.ask(&engine::Objects::look, chosen->ids), *chosen);
}

coro::Task<Response> removeMany(Call& call) {
    const auto chosen = co_await selectedObjects(call);
    if (!chosen) co_return errorResponse(chosen.error());
    if (chosen->ids.empty()) co_return selectionResponse(0, *chosen);
    co_return selectionResponse(co_await call.engine.ask(&engine::Objects::remove, chosen->ids), *chosen);
}

/// With a key a repeat is about those that the first was about, whatever its filter finds by then.
coro::Task<Result<engine::Objects::Choice>> chosenOnce(Call& call, const std::optional<store::Idempotency>& once) {
    auto chosen = co_await selectedObjects(call);
    if (!chosen) co_return std::unexpected(std::move(chosen.error()));
    if (!once) co_return *std::move(chosen);
    co_return co_await call.engine.ask(&engine::Objects::chooseOnce, *std::move(chosen), *once);
}

/// Each by itself: those that cannot be moved are named.
coro::Task<Response> moveMany(Call& call) {
    const auto to = call.body.word("to", kMaxName);
    if (!to) co_return errorResponse(to.error());
    const auto isForced = call.body.flag("force");
    if (!isForced) co_return errorResponse(isForced.error());
    const auto once = co_await idempotencyOf(call);
    if (!once) co_return errorResponse(once.error());
    const auto chosen = co_await chosenOnce(call, *once);
    if (!chosen) co_return errorResponse(chosen.error());
    std::int64_t count = 0;
    std::vector<std::pair<std::int64_t, std::string>> refused;
    for (const std::int64_t id : chosen->ids) {
        MoveAsked asked{.id = id, .to = *to, .isForced = *isForced, .once = *once};
        if (asked.once) asked.once->key += fmt::format("\n{}", id); // each has a commit of its own
        const auto done = co_await moveOne(call, std::move(asked));
        if (done)
            ++count;
        else
            refused.emplace_back(id, done.error().message);
    }
    co_return objectOf([&](JsonWriter& writer) {
        writer.member("count", count);
        if (chosen->cursor != 0) writer.member("cursor", chosen->cursor);
        if (refused.empty()) return;
        writer.key("refused");
        writer.openArray();
        for (const auto& [id, message] : refused) {
            writer.openObject();
            writer.member("id", id);
            writer.member("message", message);
            writer.closeObject();
        }
        writer.closeArray();
    });
}

// --- the orchestrator

void writeActors(JsonWriter& writer, const engine::OrchestratorView::Type& type) {
    writer.key("actors");
    writer.openArray();
    for (const auto& actor : type.actors) {
        writer.openObject();
        if (!actor.key.empty()) writer.member("key", actor.key);
        writer.member("process", actor.process);
        writer.member("ready", actor.isReady);
        if (actor.object != 0) writer.member("object", actor.object);
        writer.member("since", actor.since);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeMoves(JsonWriter& writer, const engine::OrchestratorView::Type& type) {
    if (type.moves.empty()) return;
    writer.key("moves");
    writer.openArray();
    for (const auto& move : type.moves) {
        writer.openObject();
        if (!move.from.empty()) writer.member("from", move.from);
        writer.member("to", move.to);
        writer.member("per_min", move.perMinute);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeHooks(JsonWriter& writer, const std::vector<lifecycle::HookFigures>& hooks) {
    writer.key("hooks");
    writer.openArray();
    for (const lifecycle::HookFigures& hook : hooks) {
        writer.openObject();
        writer.member("name", hook.name);
        writer.member("kind", hook.isPlugin ? "plugin" : "program");
        writer.member("runs", hook.runs);
        writer.member("failed", hook.failed);
        writer.member("p95_ms", static_cast<double>(hook.p95.count()) / 1'000);
        writer.member("waiting", hook.waiting);
        writer.member("dropped", hook.dropped);
        writer.closeObject();
    }
    writer.closeArray();
}

coro::Task<Response> getOrchestrator(Call& call) {
    const auto view = co_await call.engine.ask(&engine::Objects::orchestrator);
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("types");
        writer.openArray();
        for (const auto& type : view.types) {
            writer.openObject();
            writer.member("name", type.name);
            writer.member("queue", type.due);
            writer.member("due", type.due);
            writer.member("wanted", type.wanted);
            writeActors(writer, type);
            writeMoves(writer, type);
            if (!type.why.empty()) writer.member("why", type.why);
            writer.closeObject();
        }
        writer.closeArray();
        writer.key("orphans");
        writer.openArray();
        for (const auto& orphan : view.orphans) {
            writer.openObject();
            writer.member("id", orphan.id);
            writer.member("type", orphan.type);
            writer.member("status", orphan.status);
            writer.member("reason", orphan.reason);
            writer.closeObject();
        }
        writer.closeArray();
        writer.member("orphan_count", view.orphanCount);
        writer.member("objects", view.objects);
        writer.member("stuck", view.stuck);
        writer.member("outbox", view.outbox);
        writeHooks(writer, view.hooks);
        if (view.nextLook) writer.member("next_look", *view.nextLook);
    });
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Route> objectRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "types", Global, None, Needs::Read},
         &listTypes,
         {.id = "listObjectTypes",
          .summary = "Types of objects, with how many there are by status",
          .answers = {{{200, "ObjectTypes"}}}}},
        {{Post, "types", Global, Json, Needs::Operate},
         &putType,
         {.id = "putObjectType",
          .summary = "Add a type of objects, or a new version of one",
          .members = kReadsItself,
          .request = "AnyObject",
          .answers = {{{200, "ObjectType"}}}}},
        {{Get, "types/{name}", Global, None, Needs::Read},
         &getType,
         {.id = "getObjectType", .summary = "One type of objects", .answers = {{{200, "ObjectType"}}}}},
        {{Delete, "types/{name}", Global, OptionalJson, Needs::Operate},
         &removeType,
         {.id = "removeObjectType",
          .summary = "Forget a type; with force also its objects",
          .query = "force",
          .answers = {{{200, "AnyObject"}}}}},
        {{Get, "types/{name}/stays", Global, None, Needs::Read},
         &getStays,
         {.id = "getObjectStays",
          .summary = "How long objects of a type usually stay in each status",
          .answers = {{{200, "ObjectStays"}}}}},
        {{Get, "objects", Global, None, Needs::Read},
         &listObjects,
         {.id = "listObjects",
          .summary = "Objects, the newest first",
          .query = "type=object_type status=object_status q=object_q parent=object_parent sort=object_sort "
                   "limit cursor=object_cursor",
          .answers = {{{200, "ObjectList"}}}}},
        {{Post, "objects", Global, Json, Needs::Operate},
         &createObjects,
         {.id = "createObjects",
          .summary = "Make one object or a list of them, all or none",
          .members = kReadsItself,
          .request = "ObjectOrList",
          .isOnce = true,
          .answers = {{{200, "ObjectIds"}}}}},
        {{Post, "objects/look", Global, Json, Needs::Operate},
         &lookAtMany,
         {.id = "lookAtObjects",
          .summary = "Let them be due now",
          .members = "ids filter cursor",
          .request = "ObjectSelection",
          .answers = {{{200, "ObjectCount"}}}}},
        {{Post, "objects/move", Global, Json, Needs::Operate},
         &moveMany,
         {.id = "moveObjects",
          .summary = "Move each to another status",
          .members = "ids filter cursor to force",
          .request = "ObjectsMove",
          .isOnce = true,
          .answers = {{{200, "ObjectCount"}}}}},
        {{Post, "objects/delete", Global, Json, Needs::Operate},
         &removeMany,
         {.id = "removeObjects",
          .summary = "Delete them with their history; children stay",
          .members = "ids filter cursor",
          .request = "ObjectSelection",
          .answers = {{{200, "ObjectCount"}}}}},
        {{Get, "objects/{id}", Global, None, Needs::Read},
         &getObject,
         {.id = "getObject",
          .summary = "One object, with its children and its history; or wait until it has a status",
          .query = "wait=object_wait until",
          .answers = {{{200, "Object"}, {202, "Object"}}}}},
        {{Patch, "objects/{id}", Global, Json, Needs::Operate},
         &changeObject,
         {.id = "changeObject",
          .summary = "Set fields; with the field If-Match only of that revision, else 412",
          .members = "fields",
          .rawMember = "fields",
          .request = "ObjectChange",
          .answers = {{{200, "Object"}}}}},
        {{Delete, "objects/{id}", Global, OptionalJson, Needs::Operate},
         &removeObject,
         {.id = "removeObject",
          .summary = "Delete it with its history; children stay",
          .answers = {{{200, "ObjectCount"}}}}},
        {{Get, "objects/{id}/history", Global, None, Needs::Read},
         &getHistory,
         {.id = "getObjectHistory",
          .summary = "The last moves of an object, the oldest first",
          .answers = {{{200, "ObjectHistory"}}}}},
        {{Get, "objects/{id}/children", Global, None, Needs::Read},
         &listChildren,
         {.id = "listObjectChildren",
          .summary = "Objects that it is the parent of",
          .query = "type=object_type status=object_status q=object_q sort=object_sort limit cursor=object_cursor",
          .answers = {{{200, "ObjectList"}}}}},
        {{Post, "objects/{id}/look", Global, OptionalJson, Needs::Operate},
         &lookAtObject,
         {.id = "lookAtObject", .summary = "Let it be due now", .answers = {{{200, "Object"}}}}},
        {{Post, "objects/{id}/move", Global, Json, Needs::Operate},
         &moveObject,
         {.id = "moveObject",
          .summary = "Move it to another status; with force also where the type does not allow it",
          .members = "to force",
          .request = "ObjectMove",
          .isOnce = true,
          .answers = {{{200, "Object"}}}}},
        {{Get, "orchestrator", Global, None, Needs::Read},
         &getOrchestrator,
         {.id = "getOrchestrator",
          .summary = "What is due of which type, actors and what they look at, and what nobody looks at",
          .answers = {{{200, "Orchestrator"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
