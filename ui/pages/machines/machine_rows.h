// What GET machines says, as values, and the rows and words that the page makes of it. Values; ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/widgets/rows_model.h"

#include <QJsonObject>
#include <QStringList>
#include <optional>
#include <vector>

namespace yard::ui {

struct MachineInfo {
    qint64 id = 0; ///< 0: this engine's own
    QString name;
    QString kind; ///< "local", "joined", "linked", "ssh"
    QString address;
    QString state;
    QString reason;
    QString platform;
    QString version;
    double cores = 0;       ///< 0: not told
    qint64 memoryBytes = 0; ///< 0: not told
    double gpus = 0;        ///< 0: none, or not told
    qint64 slotCount = 0;
    qint64 running = 0;
    qint64 waiting = 0;          ///< given to it, and not begun
    WallMicros since = 0;        ///< in this state; 0: not told
    WallMicros lostAt = 0;       ///< of a silent one: when its actions return; 0: it has none
    WallMicros lifetimeEnds = 0; ///< it leaves by itself then; 0: not told
    QString hours;               ///< in which it gets work; empty: always
    QStringList tags;
    QJsonObject json;

    bool isLocal() const { return id == 0; }
    /// Its actions: they end there or return when it goes.
    qint64 has() const { return running + waiting; }
    /// Ids of rows are never 0.
    qint64 row() const { return id + 1; }
    /// Somebody wants it to get nothing new.
    bool isStopped() const { return state == "paused" || state == "draining"; }
};

/// What actions have taken of this engine's own machine.
struct TakenHere {
    std::optional<double> cores;
    std::optional<qint64> memoryBytes;
    std::optional<double> gpus;
    QStringList lostGpus; ///< "GPU 0 is lost: it has fallen off the bus"
};
TakenHere takenHere(const QJsonObject& session);

/// This one first.
std::vector<MachineInfo> readMachines(const QJsonObject& json);
std::vector<Column> machineColumns();
/// "Silent 40 s": with its age where that is what one asks next.
QString machineStateWords(const MachineInfo& machine, WallMicros now);
QString machineKindWords(const MachineInfo& machine);
/// The next thing one would ask; may be empty.
QString machineLastWord(const MachineInfo& machine, WallMicros now);
/// "3.5 of 16" with its share; "– of 16" of another machine: what actions have taken there is not known here.
Cell machineCores(const MachineInfo& machine, const TakenHere& taken);
Cell machineMemory(const MachineInfo& machine, const TakenHere& taken);
Cell machineGpus(const MachineInfo& machine, const TakenHere& taken);
Row machineRow(const MachineInfo& machine, const TakenHere& taken, WallMicros now);
/// "6, 1 silent".
QString machinesNote(const std::vector<MachineInfo>& machines);

} // namespace yard::ui
