#include "ui/bridge/machine_operations.h"

#include "ui/bridge/shell_engine.h"

#include <QCoreApplication>

#include <chrono>

namespace yard::ui::operations {

namespace {

Operation onMachine(const char* title, Request request, const QString& verb, qint64 machine, const QString& name) {
    return {QCoreApplication::translate("Operation", title).arg(name), std::move(request),
            QStringLiteral("yardctl machines %1 %2").arg(verb).arg(machine)};
}

QString pathOfMachine(qint64 machine, const QString& verb = {}) {
    return QStringLiteral("machines/%1").arg(machine) + (verb.isEmpty() ? QString() : '/' + verb);
}

} // namespace

Operation lookAtMachines(std::optional<qint64> machine) {
    if (!machine)
        return {QCoreApplication::translate("Operation", "List machines"),
                {"GET", "machines", {}, {}, {}},
                "yardctl machines"};
    return {QCoreApplication::translate("Operation", "Show the machine"),
            {"GET", pathOfMachine(*machine), {}, {}, {}},
            QStringLiteral("yardctl machines show %1").arg(*machine)};
}

Operation drainMachine(qint64 machine, const QString& name) {
    return onMachine(QT_TRANSLATE_NOOP("Operation", "Drain machine %1"),
                     {"POST", pathOfMachine(machine, "drain"), {}, {}, {}}, "drain", machine, name);
}

Operation pauseMachine(qint64 machine, const QString& name) {
    return onMachine(QT_TRANSLATE_NOOP("Operation", "Pause machine %1"),
                     {"PATCH", pathOfMachine(machine), {}, jsonBody({{"paused", true}}), {}}, "pause", machine,
                     name);
}

Operation resumeMachine(qint64 machine, const QString& name) {
    return onMachine(QT_TRANSLATE_NOOP("Operation", "Resume machine %1"),
                     {"POST", pathOfMachine(machine, "resume"), {}, {}, {}}, "resume", machine, name);
}

Operation setMachineHours(qint64 machine, const QString& name, const QString& hours) {
    Operation operation =
        onMachine(QT_TRANSLATE_NOOP("Operation", "Set the hours of machine %1"),
                  {"PATCH", pathOfMachine(machine), {}, jsonBody({{"hours", hours}}), {}}, "hours", machine, name);
    operation.yardctl += ' ' + shellWord(hours.isEmpty() ? QStringLiteral("always") : hours);
    return operation;
}

Operation removeMachine(qint64 machine, const QString& name, bool force) {
    Operation operation =
        onMachine(QT_TRANSLATE_NOOP("Operation", "Remove machine %1"),
                  {"DELETE", pathOfMachine(machine), {}, force ? jsonBody({{"force", true}}) : QByteArray(), {}},
                  "remove", machine, name);
    if (force) operation.yardctl += QStringLiteral(" --force");
    return operation;
}

Request addMachine(const MachineAddition& wanted) {
    QJsonObject body{{"address", wanted.address}};
    if (!wanted.token.isEmpty()) body.insert("token", wanted.token);
    if (!wanted.fingerprint.isEmpty()) body.insert("fingerprint", wanted.fingerprint);
    if (!wanted.name.isEmpty()) body.insert("name", wanted.name);
    if (wanted.installs) body.insert("install", true);
    Request request{"POST", "machines", {}, jsonBody(body), {}};
    if (wanted.installs) request.patience = std::chrono::minutes(12); // the engine gives up earlier
    return request;
}

Operation lookAtAllocators() {
    return {QCoreApplication::translate("Operation", "List allocators"),
            {"GET", "allocators", {}, {}, {}},
            "yardctl allocators"};
}

Request addAllocator(const QJsonObject& members) {
    return {"POST", "allocators", {}, jsonBody(members), {}};
}

/// Names are letters, digits, dots and dashes.
Request changeAllocator(const QString& name, const QJsonObject& members) {
    return {"PATCH", QStringLiteral("allocators/") + name, {}, jsonBody(members), {}};
}

Operation removeAllocator(const QString& name) {
    return {QCoreApplication::translate("Operation", "Remove allocator %1").arg(name),
            {"DELETE", QStringLiteral("allocators/") + name, {}, {}, {}},
            QStringLiteral("yardctl allocators remove %1").arg(name)};
}

Operation pauseAllocator(const QString& name) {
    return {QCoreApplication::translate("Operation", "Pause allocator %1").arg(name),
            {"POST", QStringLiteral("allocators/%1/pause").arg(name), {}, {}, {}},
            QStringLiteral("yardctl allocators pause %1").arg(name)};
}

Operation resumeAllocator(const QString& name) {
    return {QCoreApplication::translate("Operation", "Resume allocator %1").arg(name),
            {"POST", QStringLiteral("allocators/%1/resume").arg(name), {}, {}, {}},
            QStringLiteral("yardctl allocators resume %1").arg(name)};
}

Request makeJoinToken(int uses, qint64 expiresS, double maxCores) {
    QJsonObject body{{"uses", uses}, {"expires_s", expiresS}};
    if (maxCores > 0) body.insert("max_cores", maxCores);
    return {"POST", "machines/tokens", {}, jsonBody(body), {}};
}

} // namespace yard::ui::operations
