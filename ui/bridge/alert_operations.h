// What the window can ask of an engine about its alerts (docs/alerts.md), as operation.h has the rest. Values; ui thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

Request lookAtAlerts();
/// When the rule would have fired within the last week, and what it would have said.
Request tryAlert(const QJsonObject& rule);
Operation addAlert(const QJsonObject& rule);
/// `on` and `then` as a whole.
Operation changeAlert(const QString& name, const QJsonObject& changes);
Operation removeAlert(const QString& name);
/// 0 ends it.
Operation silenceAlert(const QString& name, int seconds);

} // namespace yard::ui::operations
