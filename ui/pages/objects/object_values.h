// What GET types, GET objects and GET orchestrator say, as values, and the words for them. Values; ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/style/tokens.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <utility>
#include <vector>

namespace yard::ui {

struct ObjectField {
    QString name;
    QString type; ///< "string", "integer", "number", "boolean", "json"
    bool isRequired = false;
};

struct ObjectState {
    QString name;
    QString kind; ///< "wait", "work", "done", "bad", "skip"
    bool isInitial = false;
    bool isFinal = false;
    qint64 count = 0;
};

/// A state machine, with how many objects are where.
struct ObjectType {
    QString name;
    QString version;
    std::vector<ObjectField> fields{};                ///< by name
    std::vector<ObjectState> states{};                ///< the initial one first, final ones last, else by name
    std::vector<std::pair<QString, QString>> moves{}; ///< from, to; each once
    Duration tickLimit{0};                            ///< 0: no actor looks after it
    qint64 mostActors = 0;
    int mostRetries = 0;
    QJsonObject json{};

    const ObjectState* state(const QString& called) const;
    qint64 total() const;
    QStringList movesFrom(const QString& status) const;
};

struct ObjectMove {
    WallMicros t = 0;
    QString from; ///< empty: it was made
    QString to;
    QString actor;
    qint64 tickMs = 0;
};

struct ObjectInfo {
    qint64 id = 0;
    QString type;
    QString status;
    QString key;
    QString lastError;
    qint64 parent = 0; ///< 0: none
    qint64 retries = 0;
    qint64 revision = 0;
    WallMicros nextLook = 0; ///< 0: none, it has ended
    WallMicros started = 0;
    WallMicros ended = 0;
    WallMicros created = 0;
    WallMicros changed = 0;
    bool isStuck = false;
    bool isHot = false; ///< looked at as often as may be
    bool operator==(const ObjectInfo&) const = default;
};

/// What became of an action that a look of it submitted.
struct ObjectAction {
    QString name; ///< as looks call it
    qint64 lsn = 0;
    DisplayState face = DisplayState::Pending;
    QString reason; ///< in words; empty: there is nothing to say
    QString note;
};

/// Somebody let it be due before its time.
struct ObjectPoke {
    WallMicros t = 0;
    QString why;     ///< "person", "object", "child", "action"
    qint64 by = 0;   ///< number of the object or the action; 0: nobody has one
    QString outcome; ///< "waits", "moved", "stayed", "failed", "ended"
    QString to;      ///< the status that it moved to
};

/// How long objects usually stay in a status.
struct ObjectStay {
    Duration usual{0};
    qint64 of = 0; ///< stays that it was taken from
};
using ObjectStays = std::map<QString, ObjectStay>;

/// One in full.
struct ObjectDetail {
    ObjectInfo info;
    QJsonObject fields{};
    std::vector<std::pair<QString, qint64>> children{}; ///< by status
    std::vector<ObjectMove> history{};                  ///< newest first
    std::vector<ObjectAction> actions{};                ///< likewise
    std::vector<ObjectPoke> pokes{};                    ///< likewise
    QJsonObject json{};
};

struct ActorInfo {
    QString type;
    QString key;
    bool isReady = false;
    qint64 object = 0; ///< 0: it looks at none
    WallMicros since = 0;
};

struct OrphanInfo {
    qint64 id = 0;
    QString type;
    QString status;
    QString reason;
};

struct ObjectRate {
    QString from; ///< empty: they were made
    QString to;
    double perMinute = 0; ///< of the last ten
};
using ObjectRates = std::vector<ObjectRate>;

struct OrchestratorInfo {
    std::vector<ActorInfo> actors{};
    std::vector<OrphanInfo> orphans{}; ///< the first ones
    qint64 orphanCount = 0;
    qint64 stuck = 0;
    std::map<QString, QString> failures{};  ///< by type: why its last actor did not come up
    std::map<QString, ObjectRates> rates{}; ///< by type; those of which there are some

    const ActorInfo* at(qint64 object) const;
    const OrphanInfo* orphan(qint64 object) const;
};

/// By name.
std::vector<ObjectType> readObjectTypes(const QJsonObject& json);
ObjectInfo readObject(const QJsonObject& json);
ObjectDetail readObjectDetail(const QJsonObject& json);
ObjectStays readObjectStays(const QJsonObject& json);
OrchestratorInfo readOrchestrator(const QJsonObject& json);
const ObjectType* typeNamed(const std::vector<ObjectType>& types, const QString& name);

/// Icon and colour of a state's kind.
DisplayState faceOfKind(const QString& kind);
/// Of an object; Pending where its type is not known.
DisplayState faceOfObject(const std::vector<ObjectType>& types, const ObjectInfo& object);
/// Its status; where its type is not known here, or has no such status, it says so.
QString statusWords(const std::vector<ObjectType>& types, const ObjectInfo& object);
/// Why it says so; empty: it does not.
QString statusProblem(const std::vector<ObjectType>& types, const ObjectInfo& object);
/// Who it was: "Look now", "child 12 ended"; and what came of it.
QString pokeWords(const ObjectPoke& poke);
QString outcomeWords(const ObjectPoke& poke);
/// "38", "0.4"; empty: there is none.
QString rateWords(const ObjectRates& rates, const QString& from, const QString& to);
/// Why nobody looks at it, for people.
QString orphanWords(const QString& reason);
/// "now", "in 4 s", a dash for what has ended.
QString nextLookWords(WallMicros at, WallMicros now);
/// The next thing that one would ask of an object; may be empty.
QString objectNote(const ObjectInfo& object, const std::vector<ObjectType>& types,
                   const OrchestratorInfo& orchestrator, WallMicros now);

} // namespace yard::ui
