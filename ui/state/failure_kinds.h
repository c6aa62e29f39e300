// Failures of a kind: how they ended and what ran. Values; ui thread.
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <vector>

namespace yard::ui {

struct FailureKind {
    QString text; ///< "exit code 1, shaderc"
    std::vector<qint64> lsns;
};

/// "exit code 1", "signal 11", "deadline".
QString endOf(const QJsonObject& job);
/// The worker's function, its name, or "program" for what has none.
QString whatRan(const QJsonObject& job);
/// The commonest first. `jobs` as GET jobs lists them.
std::vector<FailureKind> failureKindsOf(const QJsonArray& jobs);
/// When it ended, in microseconds since the epoch; 0: it has not.
qint64 endedAt(const QJsonObject& job);

} // namespace yard::ui
