// Everything the window can ask of an engine to change, as values: what people call it, the request, and the
// command of yardctl that does the same. Values; ui thread. What is not here, the window does not do.
#pragma once

#include "core/model/annotation.h"
#include "ui/bridge/engine_link.h"

#include <QJsonObject>
#include <QString>
#include <QUrl>
#include <optional>
#include <vector>

namespace yard::ui {

struct Operation {
    QString title; ///< translated: "Cancel 3 actions"
    Request request;
    QString yardctl; ///< a whole line, without the engine (EngineLink::yardctl()); empty: yardctl cannot
};

/// Which actions: by number, or all that a filter finds.
struct Target {
    std::vector<qint64> lsns;
    QString filter;              ///< used when there are no lsns
    std::optional<qint64> count; ///< how many that is; unknown is any number

    static Target of(std::vector<qint64> lsns);
    /// All that `filter` finds; an empty one finds every action.
    static Target matching(const QString& filter, std::optional<qint64> count = {});
    bool isEmpty() const { return lsns.empty() && filter.isEmpty(); }
};

/// On one line, as a body of a request.
QByteArray jsonBody(const QJsonObject& object);

/// The engine takes so many numbers of actions in one request.
inline constexpr qsizetype kMostInOneRequest = 1'000;
/// The same as requests that the engine takes: several where it names more actions than that, by number.
std::vector<Request> piecesOf(const Request& request);
/// What one answer would say of all of them; the first that is not ok() is the end.
Answer joined(const Answer& before, const Answer& next);

namespace operations {

/// Looking at them, which changes nothing: what is copied where nobody said what is to be done.
Operation look(const Target& target);
/// Lines with a text in their outputs; an empty target: of all actions.
Operation searchOutputs(const Target& target, const QString& text, bool exactCase);
Operation reschedule(const Target& target);
Operation cancel(const Target& target);
Operation retire(const Target& target);
Operation hold(const Target& target);
Operation release(const Target& target);
Operation setPriority(const Target& target, int priority);
/// Mark::None takes it away.
Operation mark(const Target& target, Mark mark);
Operation comment(qint64 lsn, const QString& text);
Operation moveTo(const Target& target, qint64 queue, const QString& name);
/// Within the order of their queue. `where`: "top", "up", "down", "bottom", or empty: before the action `before`.
/// At most kMostInOneRequest by number: an order is given in one.
Operation place(const Target& target, const QString& where, qint64 before = 0);

/// Failures by likeness of the last `hours`, 0: of all time; with the id of a `group` the counts of that one.
Operation lookAtFailures(const QString& filter, int hours, const QString& group = {});
/// `until`: microseconds since the epoch; 0 ends the mute.
Operation muteFailures(const QString& group, qint64 until);

Operation lookAtQueue(qint64 queue);
Operation markQueue(qint64 queue, const QString& name, Mark mark);
Operation commentQueue(qint64 queue, const QString& name, const QString& text);
Operation holdQueue(qint64 queue, const QString& name);
Operation releaseQueue(qint64 queue, const QString& name);
Operation drainQueue(qint64 queue, const QString& name);
Operation cancelQueue(qint64 queue, const QString& name, qint64 active);
Operation deleteQueue(qint64 queue, const QString& name);
Operation createQueue(const QString& tag, const QJsonObject& config);
Operation configureQueue(qint64 queue, const QString& name, const QJsonObject& config);

Operation holdAll();
Operation releaseAll();
Operation drainSession();
Operation pauseSession();
Operation abandonSession();
Operation sunsetSession();

/// `actions`: one, or a list; into queue 0 when `queue` is 0.
Operation submit(const QJsonValue& actions, qint64 queue, const QString& queueName);
Operation registerWorker(const QString& id, const QByteArray& descriptor, const QString& name);
Operation removeWorker(const QString& id, const QString& name, bool force);
/// `worker`: its id; its warm processes are replaced one by one.
Operation restartPool(const QString& worker, const QString& name);
Operation detachProcess(const QString& process);
/// max, max_per_group, max_idle_s.
Operation configurePool(const QJsonObject& limits);
Operation changeSettings(const QJsonObject& settings);

} // namespace operations
} // namespace yard::ui
