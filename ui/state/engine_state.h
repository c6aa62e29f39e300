// What the engine says of itself unasked: session, counts, queues and workers, kept from the events of a link.
// Every page reads it here, none asks for it again. Owner: ui thread; lives as long as the link it was made for.
//
// While the link is down the last values stay; asOf() says how old they are.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/state/queue_history.h"
#include "ui/style/paint.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QTimer>
#include <map>

namespace yard::ui {

struct QueueInfo {
    qint64 id = 0;
    QString tag; ///< empty: it has none
    QString token;
    QString state; ///< "active", "draining", "cancelled"
    bool held = false;
    Mark mark = Mark::None;
    qint64 active = 0;
    paint::Shares shares{}; ///< by face, as far as the engine tells faces
    qint64 perMinute = 0;   ///< completed within the last 60 s, as the engine counts; -1: not known yet
    qint64 finish = 0;      ///< microseconds since the epoch; 0: not known
    QString gap;            ///< why that is not known, in the engine's word
    QJsonObject config;
    QJsonObject json;

    /// The tag; of queue 0 "default"; else "queue 12".
    QString name() const;
    qint64 of(DisplayState face) const;
    qint64 waiting() const; ///< pending, held and to be retried
    qint64 running() const; ///< submitting, too
    qint64 done() const;    ///< in a final state
    qint64 total() const;
};

class EngineState final : public QObject {
    Q_OBJECT
public:
    explicit EngineState(EngineLink& link, QObject* parent = nullptr);

    /// As GET session; empty until the first answer.
    const QJsonObject& session() const { return session_; }
    qint64 count(DisplayState face) const;
    /// Actions of all queues that completed within the last 60 s.
    /// Of all queues; -1 while that of one is not known.
    qint64 perMinute() const;
    /// As the engine tells them; it need not tell every face.
    const QJsonObject& counts() const { return counts_; }
    QString machineName() const;
    /// Of a filter that means days or times of the engine while this machine has another local time: which one, "engine
    /// time, UTC+09:00"; else empty.
    QString zoneNote(const QString& filter) const;
    const std::map<qint64, QueueInfo>& queues() const { return queues_; }
    const QueueInfo* queue(qint64 id) const;
    QString queueName(qint64 id) const;
    /// What queues had left since this window looks.
    const QueueHistory& history() const { return history_; }
    const QStringList& workers() const { return workers_; }
    bool allHeld() const;
    /// Warm processes there are, and at most; absent: no warm worker is registered, or not known yet.
    struct PoolCount {
        qint64 processes = 0;
        qint64 most = 0;
        bool operator==(const PoolCount&) const = default;
    };
    const std::optional<PoolCount>& pool() const { return pool_; }
    /// An answer to GET pool, from who asked for it.
    void tellPool(const QJsonObject& json);
    /// Machines that answer, of all; absent: there is this engine's own alone, or it is not known yet.
    struct MachineCount {
        qint64 here = 0;
        qint64 all = 0;
        bool operator==(const MachineCount&) const = default;
    };
    const std::optional<MachineCount>& machines() const { return machines_; }
    /// By which actions are found, this engine's own among them; empty: not known yet.
    const QStringList& machineNames() const { return machineNames_; }
    /// An answer to GET machines, from who asked for it.
    void tellMachines(const QJsonObject& json);
    /// Objects that are due and that no actor claims; 0: none, or not known yet.
    qint64 unclaimed() const { return unclaimed_; }
    /// An answer to GET orchestrator, from who asked for it.
    void tellOrchestrator(const QJsonObject& json);

    /// A round trip to the engine, in ms; -1: not known.
    int lag() const { return lag_; }
    /// Changes told by events in the last second.
    int eventsPerSecond() const { return eventsPerSecond_; }
    /// When the last word came; invalid: never.
    QDateTime asOf() const { return asOf_; }
    bool isLive() const { return link_.state() == LinkState::Connected; }
    /// Why no command can be given now, for people; empty: they can.
    QString whyBlocked() const;
    EngineLink& link() { return link_; }
    const EngineLink& link() const { return link_; }

    /// While nobody looks nothing is asked.
    void setWatched(bool watched);

signals:
    void sessionChanged();
    void countsChanged();
    void queuesChanged();
    void workersChanged();
    /// Actions of what is watched (link().watch); `all`: forget others.
    void actionsChanged(const QJsonArray& actions, bool all);
    void actionsGone(const QJsonArray& lsns);
    /// Something was told to who watches: GET alerts has it.
    void alertsTold();
    /// Ask again whatever you show.
    void refreshed();
    void connectionChanged();
    /// Lag or events per second are others.
    void pulse();

private:
    void take(const QJsonObject& batch);
    void takeQueues(const QJsonArray& queues);
    void ask();
    void askQueues();
    void askPool();
    void askMachines();
    void askOrchestrator();
    void onSecond();

    EngineLink& link_;
    QJsonObject session_;
    QJsonObject counts_;
    std::map<qint64, QueueInfo> queues_;
    QueueHistory history_;
    QStringList workers_;
    std::optional<PoolCount> pool_;
    std::optional<MachineCount> machines_;
    QStringList machineNames_;
    qint64 unclaimed_ = 0;
    QDateTime asOf_;
    QTimer second_;
    QElapsedTimer clock_;
    int lag_ = -1;
    int changes_ = 0;
    int eventsPerSecond_ = 0;
    int seconds_ = 0;
    bool watched_ = true;
};

} // namespace yard::ui
