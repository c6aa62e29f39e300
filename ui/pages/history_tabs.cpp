#include "ui/pages/history_tabs.h"

#include <QCoreApplication>

namespace yard::ui {

QStringList historyTabTitles() {
    const auto title = [](const char* text) { return QCoreApplication::translate("HistoryTabs", text); };
    return {
        title(QT_TRANSLATE_NOOP("HistoryTabs", "Kinds")), title(QT_TRANSLATE_NOOP("HistoryTabs", "Regressions")),
        title(QT_TRANSLATE_NOOP("HistoryTabs", "Flaky")), title(QT_TRANSLATE_NOOP("HistoryTabs", "Failures")),
        title(QT_TRANSLATE_NOOP("HistoryTabs", "Usage")), title(QT_TRANSLATE_NOOP("HistoryTabs", "Alerts")),
        title(QT_TRANSLATE_NOOP("HistoryTabs", "Audit"))};
}

} // namespace yard::ui
