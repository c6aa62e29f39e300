#include "ui/pages/objects/object_values.h"

#include "ui/state/action_row.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QLocale>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace yard::ui {

namespace {

struct ObjectValueWords {
    Q_DECLARE_TR_FUNCTIONS(ObjectValueWords)
};

QStringList wordsIn(const QJsonValue& value) {
    if (value.isString()) return {value.toString()};
    QStringList words;
    for (const QJsonValue each : value.toArray()) words << each.toString();
    return words;
}

QString kindOf(const QJsonObject& state, bool isInitial, bool isFinal) {
    QString kind = state.value("kind").toString();
    if (!kind.isEmpty()) return kind;
    if (isFinal) return QStringLiteral("done");
    return isInitial ? QStringLiteral("wait") : QStringLiteral("work");
}

void readStates(ObjectType& type, const QJsonObject& body, const QJsonObject& counts) {
    const QJsonObject states = body.value("states").toObject();
    for (auto it = states.begin(); it != states.end(); ++it) {
        const QJsonObject json = it.value().toObject();
        const bool isInitial = json.value("initial").toBool();
        const bool isFinal = json.value("final").toBool();
        type.states.push_back({.name = it.key(),
                               .kind = kindOf(json, isInitial, isFinal),
                               .isInitial = isInitial,
                               .isFinal = isFinal,
                               .count = counts.value(it.key()).toInteger()});
    }
    const auto rank = [](const ObjectState& state) { return state.isInitial ? 0 : state.isFinal ? 2 : 1; };
    std::ranges::sort(type.states, {},
                      [&](const ObjectState& state) { return std::pair(rank(state), state.name); });
}

void readMoves(ObjectType& type, const QJsonObject& body) {
    std::set<std::pair<QString, QString>> known;
    for (const QJsonValue each : body.value("transitions").toArray())
        for (const QString& from : wordsIn(each["from"]))
            for (const QString& to : wordsIn(each["to"])) {
                const bool isOfStates = type.state(from) != nullptr && type.state(to) != nullptr;
                if (isOfStates && known.emplace(from, to).second) type.moves.emplace_back(from, to);
            }
}

ObjectType readType(const QJsonObject& json) {
    const QJsonObject body = json.value("type").toObject();
    ObjectType type;
    type.name = json.value("name").toString();
    type.version = unturned(body.value("version").toVariant().toString());
    type.json = body;
    const QJsonObject fields = body.value("fields").toObject();
    for (auto it = fields.begin(); it != fields.end(); ++it) {
        const QJsonObject field = it.value().toObject();
        type.fields.push_back({it.key(), field.value("type").toString("string"), field.value("required").toBool()});
    }
    readStates(type, body, json.value("counts").toObject());
    readMoves(type, body);
    constexpr int kUsualRetries = 5; // docs/objects.md
    type.mostRetries = body.value("max_retries").toInt(kUsualRetries);
    if (const QJsonValue actor = body.value("actor"); actor.isObject()) {
        constexpr double kTickLimit = 60; // docs/objects.md
        constexpr double kSecond = 1e6;
        const double limit = std::clamp(actor["max_tick_time_s"].toDouble(kTickLimit), 0.0, 1e6);
        type.tickLimit = Duration(static_cast<std::int64_t>(limit * kSecond));
        type.mostActors = actor["max_actors"].toInteger(1);
    }
    return type;
}

} // namespace

const ObjectState* ObjectType::state(const QString& called) const {
    const auto found = std::ranges::find(states, called, &ObjectState::name);
    return found == states.end() ? nullptr : &*found;
}

qint64 ObjectType::total() const {
    qint64 all = 0;
    for (const ObjectState& each : states) all += each.count;
    return all;
}

QStringList ObjectType::movesFrom(const QString& status) const {
    QStringList all;
    for (const auto& [from, to] : moves)
        if (from == status) all << to;
    return all;
}

const ActorInfo* OrchestratorInfo::at(qint64 object) const {
    const auto found = std::ranges::find(actors, object, &ActorInfo::object);
    return found == actors.end() ? nullptr : &*found;
}

const OrphanInfo* OrchestratorInfo::orphan(qint64 object) const {
    const auto found = std::ranges::find(orphans, object, &OrphanInfo::id);
    return found == orphans.end() ? nullptr : &*found;
}

std::vector<ObjectType> readObjectTypes(const QJsonObject& json) {
    std::vector<ObjectType> types;
    for (const QJsonValue each : json.value("types").toArray()) types.push_back(readType(each.toObject()));
    std::ranges::sort(types, {}, &ObjectType::name);
    return types;
}

ObjectInfo readObject(const QJsonObject& json) {
    return {.id = json.value("id").toInteger(),
            .type = json.value("type").toString(),
            .status = json.value("status").toString(),
            .key = unturned(json.value("key").toString()),
            .lastError = unturned(json.value("last_error").toString()),
            .parent = json.value("parent").toInteger(),
            .retries = json.value("retries").toInteger(),
            .revision = json.value("revision").toInteger(),
            .nextLook = json.value("retry_at").toInteger(),
            .started = json.value("start_ts").toInteger(),
            .ended = json.value("end_ts").toInteger(),
            .created = json.value("created").toInteger(),
            .changed = json.value("modified").toInteger(),
            .isStuck = json.value("stuck").toBool(),
            .isHot = json.value("hot").toBool()};
}

namespace {

std::vector<ObjectAction> readObjectActions(const QJsonObject& json) {
    std::vector<ObjectAction> actions;
    for (auto it = json.begin(); it != json.end(); ++it) {
        const QJsonValue action = it.value();
        const QJsonValue code = action["exit_code"];
        const std::optional<int> exitCode = code.isDouble() ? std::optional(code.toInt()) : std::nullopt;
        const QString reason = action["reason"].toString();
        actions.push_back({.name = unturned(it.key()),
                           .lsn = action["lsn"].toInteger(),
                           .face = faceOf(action["state"].toString().toStdString(), false, false),
                           .reason = reason.isEmpty()
                                         ? QString()
                                         : unturned(wordOfReason(reason, exitCode, action["signal"].toInt())),
                           .note = unturned(action["note"].toString())});
    }
    std::ranges::sort(actions, std::greater<>(), &ObjectAction::lsn);
    return actions;
}

std::vector<ObjectPoke> readObjectPokes(const QJsonArray& json) {
    std::vector<ObjectPoke> pokes;
    for (const QJsonValue poke : json)
        pokes.push_back({.t = poke["t"].toInteger(),
                         .why = poke["why"].toString(),
                         .by = poke["object"].toInteger(poke["lsn"].toInteger()),
                         .outcome = poke["outcome"].toString(),
                         .to = unturned(poke["to"].toString())});
    std::ranges::reverse(pokes);
    return pokes;
}

} // namespace

ObjectStays readObjectStays(const QJsonObject& json) {
    constexpr double kSecond = 1e6;
    constexpr double kMostSeconds = 1e9;
    ObjectStays stays;
    for (const QJsonValue stay : json.value("stays").toArray()) {
        const double usual = std::clamp(stay["usual_s"].toDouble(), 0.0, kMostSeconds);
        stays[stay["status"].toString()] = {.usual = Duration(static_cast<std::int64_t>(usual * kSecond)),
                                            .of = stay["of"].toInteger()};
    }
    return stays;
}

ObjectDetail readObjectDetail(const QJsonObject& json) {
    ObjectDetail detail{.info = readObject(json), .json = json};
    detail.fields = json.value("fields").toObject();
    const QJsonObject children = json.value("children").toObject();
    for (auto it = children.begin(); it != children.end(); ++it)
        detail.children.emplace_back(it.key(), it.value().toInteger());
    for (const QJsonValue move : json.value("history").toArray())
        detail.history.push_back({.t = move["t"].toInteger(),
                                  .from = move["from"].toString(),
                                  .to = move["to"].toString(),
                                  .actor = unturned(move["actor"].toString()),
                                  .tickMs = move["tick_ms"].toInteger()});
    std::ranges::reverse(detail.history);
    detail.actions = readObjectActions(json.value("actions").toObject());
    detail.pokes = readObjectPokes(json.value("pokes").toArray());
    return detail;
}

OrchestratorInfo readOrchestrator(const QJsonObject& json) {
    OrchestratorInfo all;
    for (const QJsonValue type : json.value("types").toArray()) {
        const QString name = type["name"].toString();
        if (const QString why = type["why"].toString(); !why.isEmpty()) all.failures[name] = unturned(why);
        for (const QJsonValue move : type["moves"].toArray())
            all.rates[name].push_back({.from = move["from"].toString(),
                                       .to = move["to"].toString(),
                                       .perMinute = move["per_min"].toDouble()});
        for (const QJsonValue actor : type["actors"].toArray())
            all.actors.push_back({.type = name,
                                  .key = unturned(actor["key"].toString()),
                                  .isReady = actor["ready"].toBool(),
                                  .object = actor["object"].toInteger(),
                                  .since = actor["since"].toInteger()});
    }
    for (const QJsonValue orphan : json.value("orphans").toArray())
        all.orphans.push_back({.id = orphan["id"].toInteger(),
                               .type = orphan["type"].toString(),
                               .status = orphan["status"].toString(),
                               .reason = orphan["reason"].toString()});
    all.orphanCount = json.value("orphan_count").toInteger(static_cast<qint64>(all.orphans.size()));
    all.stuck = json.value("stuck").toInteger();
    return all;
}

const ObjectType* typeNamed(const std::vector<ObjectType>& types, const QString& name) {
    const auto found = std::ranges::find(types, name, &ObjectType::name);
    return found == types.end() ? nullptr : &*found;
}

DisplayState faceOfKind(const QString& kind) {
    if (kind == "work") return DisplayState::Running;
    if (kind == "done") return DisplayState::Completed;
    if (kind == "bad") return DisplayState::Failed;
    if (kind == "skip") return DisplayState::Cancelled;
    return DisplayState::Pending;
}

QString rateWords(const ObjectRates& rates, const QString& from, const QString& to) {
    constexpr double kWhole = 10;
    const auto rate = std::ranges::find_if(
        rates, [&](const ObjectRate& one) { return one.from == from && one.to == to && one.perMinute > 0; });
    return rate == rates.end() ? QString()
                               : QLocale().toString(rate->perMinute, 'f', rate->perMinute < kWhole ? 1 : 0);
}

DisplayState faceOfObject(const std::vector<ObjectType>& types, const ObjectInfo& object) {
    const ObjectType* type = typeNamed(types, object.type);
    const ObjectState* state = type != nullptr ? type->state(object.status) : nullptr;
    if (state == nullptr) return DisplayState::Pending;
    const DisplayState face = faceOfKind(state->kind);
    const bool isTriedAgain = object.retries > 0 && !object.lastError.isEmpty();
    return face == DisplayState::Pending && isTriedAgain ? DisplayState::Retry : face;
}

/// Before types are here nothing is said of them.
QString statusProblem(const std::vector<ObjectType>& types, const ObjectInfo& object) {
    if (types.empty()) return {};
    const ObjectType* type = typeNamed(types, object.type);
    if (type == nullptr)
        return ObjectValueWords::tr("The type \"%1\" is not known, so nobody looks at it")
            .arg(unturned(object.type));
    if (type->state(object.status) == nullptr)
        return ObjectValueWords::tr("Its type has no such status, so nobody looks at it");
    return {};
}

QString statusWords(const std::vector<ObjectType>& types, const ObjectInfo& object) {
    QString status = unturned(object.status);
    if (statusProblem(types, object).isEmpty()) return status;
    return ObjectValueWords::tr("%1, unknown").arg(status);
}

QString pokeWords(const ObjectPoke& poke) {
    const QString by = Format().number(poke.by);
    if (poke.why == "person") return ObjectValueWords::tr("Look now");
    if (poke.why == "object") return ObjectValueWords::tr("woken by object %1").arg(by);
    if (poke.why == "child") return ObjectValueWords::tr("child %1 ended").arg(by);
    if (poke.why == "action") return ObjectValueWords::tr("action %1 ended").arg(by);
    return unturned(poke.why);
}

QString outcomeWords(const ObjectPoke& poke) {
    if (poke.outcome == "waits") return ObjectValueWords::tr("not looked at yet");
    if (poke.outcome == "moved") return ObjectValueWords::tr("moved to %1").arg(poke.to);
    if (poke.outcome == "stayed") return ObjectValueWords::tr("stayed where it was");
    if (poke.outcome == "failed") return ObjectValueWords::tr("the look failed");
    if (poke.outcome == "ended") return ObjectValueWords::tr("it ended before, as %1").arg(poke.to);
    return unturned(poke.outcome);
}

QString orphanWords(const QString& reason) {
    if (reason == "no_actor") return ObjectValueWords::tr("its type has no actor");
    if (reason == "status_not_claimed") return ObjectValueWords::tr("no actor looks at this status");
    if (reason == "worker_unknown") return ObjectValueWords::tr("the worker of its type is not registered");
    if (reason == "key_missing") return ObjectValueWords::tr("a field of its launch key is missing");
    if (reason == "create_pending") return ObjectValueWords::tr("what it creates is not there yet");
    return unturned(reason);
}

QString nextLookWords(WallMicros at, WallMicros now) {
    if (at <= 0) return Format::unknown();
    if (at <= now) return ObjectValueWords::tr("now");
    return ObjectValueWords::tr("in %1").arg(Format().duration(Duration(at - now)));
}

QString objectNote(const ObjectInfo& object, const std::vector<ObjectType>& types,
                   const OrchestratorInfo& orchestrator, WallMicros now) {
    const ActorInfo* actor = orchestrator.at(object.id);
    if (actor != nullptr && actor->since > 0)
        return ObjectValueWords::tr("looked at for %1")
            .arg(Format().duration(Duration(std::max<WallMicros>(0, now - actor->since))));
    if (const OrphanInfo* orphan = orchestrator.orphan(object.id)) return orphanWords(orphan->reason);
    if (object.isStuck) return ObjectValueWords::tr("stuck: %1").arg(object.lastError);
    if (object.isHot) return ObjectValueWords::tr("hot: it is woken again and again, and looked at every 100 ms");
    const ObjectType* type = typeNamed(types, object.type);
    if (!object.lastError.isEmpty() && object.nextLook > 0 && type != nullptr && object.retries > 0)
        return ObjectValueWords::tr("%1; try %2 of %3 next")
            .arg(object.lastError, Format().number(object.retries + 1),
                 Format().number(qint64{type->mostRetries} + 1));
    return object.lastError;
}

} // namespace yard::ui
