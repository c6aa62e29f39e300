// The tabs of History, which the pages History and Failures share: Failures is a page of its own, with commands of its own,
// and stands behind one of them. Owner: ui thread.
#pragma once

#include "ui/widgets/tabs.h"

#include <QStringList>

namespace yard::ui {

enum HistoryTab : int { KindsTab, RegressionsTab, FlakyTab, FailuresTab, UsageTab, AlertsTab, AuditTab };

/// In the order of HistoryTab.
QStringList historyTabTitles();

} // namespace yard::ui
