// What GET accounting, alerts and audit say, as the rows and words of the page History (docs/figures.md, docs/alerts.md,
// docs/audit.md). Values; ui thread.
#pragma once

#include "core/base/clock.h"
#include "ui/widgets/rows_model.h"

#include <QJsonObject>
#include <vector>

namespace yard::ui {

struct UsageInfo {
    QString key;
    qint64 actions = 0;
    double coreSeconds = 0;
    double wastedSeconds = 0;
    double memoryGbHours = 0;
    double waitSeconds = 0; ///< of all its actions together
};
struct UsageSum {
    double coreSeconds = 0;
    double wastedSeconds = 0;
    qint64 retired = 0; ///< actions that are not kept any more: what they used is in no row
};

/// Words of `by` in the order in which they are offered, and their titles.
const std::vector<const char*>& usageKinds();
QString usageKindTitle(const QString& by);

std::vector<UsageInfo> usageOf(const QJsonObject& accounting);
UsageSum usageSum(const QJsonObject& accounting);
/// "2,318.0 core hours, 94.6 of them wasted (4.1 %)", and what is missing.
QString usageWords(const UsageSum& sum);
/// "0.94" and the like: one decimal from 10 on, and never 0 for what is not nothing.
QString coreHours(double coreSeconds);

std::vector<Column> usageColumns();
/// `nameOf`: what people call the key.
Row usageRow(const UsageInfo& usage, qint64 id, double all, const QString& name);

std::vector<Column> alertColumns();
/// `rule`: one of GET alerts.
Row alertRow(const QJsonObject& rule, qint64 id, WallMicros now);
/// "the desktop, ci.example.org": to whom it is told.
QString alertTargets(const QJsonObject& rule);

std::vector<Column> auditColumns();
Row auditRow(const QJsonObject& entry, qint64 id, WallMicros now);

} // namespace yard::ui
