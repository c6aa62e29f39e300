// What the window can ask of an engine about objects and their types (docs/objects.md), as operation.h has the rest.
// Values; ui thread.
#pragma once

#include "ui/bridge/operation.h"

#include <QJsonObject>
#include <QString>
#include <vector>

namespace yard::ui {

/// Which objects a list is of: the filter of the page, "type:snapshot status:started parent:12 url:https://…".
struct ObjectFilter {
    QString type;
    QString status;
    qint64 parent = 0; ///< 0: any
    QString fields;    ///< "field:value", a space between
    QString problem;   ///< why it cannot be asked for, for people; empty: it can

    static ObjectFilter of(const QString& text);
    bool operator==(const ObjectFilter&) const = default;
};

namespace operations {

/// As many rows as the engine gives at once.
inline constexpr int kMostObjectRows = 1'000;
/// So many objects in one request at most.
inline constexpr std::size_t kMostObjectsAtOnce = 5'000;

/// The first `limit` that come behind the object `after`, the newest first unless `oldestFirst`; 0: from the top.
Request listObjects(const ObjectFilter& filter, qint64 after, int limit, bool oldestFirst);
Operation lookAtObjectList(const ObjectFilter& filter);
Operation lookAtObject(qint64 object);
/// `body`: as POST objects takes one.
Operation createObject(const QJsonObject& body);
/// How long objects of a type usually stay in each status.
Request objectStays(const QString& type);
/// Due now. One to kMostObjectsAtOnce, as in the two below.
Operation objectsDueNow(const std::vector<qint64>& objects);
/// `force`: also where their type does not allow it.
Operation moveObjects(const std::vector<qint64>& objects, const QString& status, bool force);
Operation deleteObjects(const std::vector<qint64>& objects);
/// Of this revision alone: of another one the answer is 412.
Operation setObjectField(qint64 object, qint64 revision, const QString& field, const QJsonValue& value);

} // namespace operations
} // namespace yard::ui
