// What the sandbox allows an action, what it ran into, and what an operator may grant it in addition. Values, made
// of what the engine tells; ui thread.
#pragma once

#include "ui/widgets/facts.h"

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

/// What is known; each is empty until it was asked for, or when it is no longer kept.
struct SandboxInput {
    QJsonObject action;          ///< GET jobs/{lsn}
    QJsonObject spec;            ///< GET jobs/{lsn}/spec
    QJsonObject descriptor = {}; ///< GET workers/{id}, of a registered worker
    QJsonObject session;         ///< GET session
    QJsonObject settings = {};   ///< GET settings
    bool isExec() const { return action.value("worker").toString() == "exec"; }
};

/// Something more that an action may have when it runs again.
struct Grant {
    enum class Kind : std::uint8_t { Network, Memory, Outputs, NoSandbox };
    Kind kind = Kind::Network;
    QString title;          ///< "Allow the network"
    QString effect;         ///< what changes, for whom, as sentences
    QJsonObject settings;   ///< of the engine, to be changed first; empty: none
    QJsonObject descriptor; ///< of the worker that runs it then; empty: the same one
    QJsonObject action;     ///< to be submitted; empty: the action is rescheduled
};

/// As the engine is set now: whether there is a sandbox, and its limits.
std::vector<Fact> limitsInForce(const SandboxInput& in);
/// None: nothing was denied, or nothing of it is the operator's to grant.
std::vector<Grant> grantsFor(const SandboxInput& in);
/// What can be done about one entry of denied[]: a sentence without a full stop.
QString remedyFor(const QJsonObject& denial, const SandboxInput& in);
/// The grant that would have let it through.
std::optional<Grant::Kind> grantKindOf(const QJsonObject& denial, const SandboxInput& in);
/// "EPERM"; the number where it has no name.
QString nameOfError(int number);

} // namespace yard::ui
