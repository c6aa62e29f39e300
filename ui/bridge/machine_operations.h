// What the window can ask of an engine about its machines (docs/machines.md), as operation.h has the rest. Values; ui
// thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

/// All of them; with a number that one.
Operation lookAtMachines(std::optional<qint64> machine = {});
Operation drainMachine(qint64 machine, const QString& name);
Operation pauseMachine(qint64 machine, const QString& name);
Operation resumeMachine(qint64 machine, const QString& name);
/// In which it gets work, by its own clock; empty: always.
Operation setMachineHours(qint64 machine, const QString& name, const QString& hours);
/// `force`: what it has ends there, and runs elsewhere.
Operation removeMachine(qint64 machine, const QString& name, bool force);
/// A machine that the engine links to; what is empty is left out.
struct MachineAddition {
    QString address;
    QString token;       ///< of its engine; by ssh none
    QString fingerprint; ///< that was confirmed
    QString name;
    bool installs = false; ///< by ssh: the program is copied there first
};
Request addMachine(const MachineAddition& wanted);

/// What asks other systems for machines.
Operation lookAtAllocators();
/// Its members, as POST and PATCH take them.
Request addAllocator(const QJsonObject& members);
Request changeAllocator(const QString& name, const QJsonObject& members);
/// Its jobs are ended.
Operation removeAllocator(const QString& name);
Operation pauseAllocator(const QString& name);
Operation resumeAllocator(const QString& name);
/// A token that opens links only, `uses` times within `expiresS` seconds; 0 cores: as many as the machine gives.
Request makeJoinToken(int uses, qint64 expiresS, double maxCores);

} // namespace yard::ui::operations
