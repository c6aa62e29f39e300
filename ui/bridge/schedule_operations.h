// What the window can ask of an engine about its schedules (docs/schedules.md), as operation.h has the rest. Values; ui
// thread.
#pragma once

#include "ui/bridge/operation.h"

namespace yard::ui::operations {

Request lookAtSchedules();
/// With its next ten times and its last hundred runs.
Request lookAtSchedule(const QString& name);
/// So many are told at once.
inline constexpr int kMostTimesTold = 1'000;
/// When a line of crontab would be due. `count`: 1 to kMostTimesTold. `after`: a moment; 0: now.
Request tryCron(const QString& line, const QString& zone, int count, qint64 after = 0);
Operation addSchedule(const QJsonObject& schedule);
Operation changeSchedule(const QString& name, const QJsonObject& changes);
Operation removeSchedule(const QString& name);
Operation runSchedule(const QString& name);
Operation pauseSchedule(const QString& name, bool paused);

} // namespace yard::ui::operations
