#include "ui/pages/actions/actions_page.h"
#include "ui/pages/console/console_page.h"
#include "ui/pages/dashboard/dashboard_page.h"
#include "ui/pages/failures/failures_page.h"
#include "ui/pages/history/history_page.h"
#include "ui/pages/machines/machines_page.h"
#include "ui/pages/objects/objects_page.h"
#include "ui/pages/page.h"
#include "ui/pages/pool/pool_page.h"
#include "ui/pages/queues/queue_commands.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/pages/recordings/recordings_page.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/pages/workers/workers_page.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <iterator>

namespace yard::ui {

namespace {

QString title(const char* text) {
    return QCoreApplication::translate("Pages", text);
}

/// "2 / 6"
PageSpec::Count countOf(qint64 part, qint64 all) {
    return {QLocale().toString(part) + QStringLiteral(" / ") + QLocale().toString(all)};
}

PageSpec::Count failedCount(const EngineState& state) {
    const qint64 failed = state.count(DisplayState::Failed);
    return failed > 0 ? PageSpec::Count{QLocale().toString(failed), true} : PageSpec::Count{};
}

PageSpec::Count unclaimedCount(const EngineState& state) {
    const qint64 unclaimed = state.unclaimed();
    return unclaimed > 0 ? PageSpec::Count{QLocale().toString(unclaimed), true, DisplayState::Abandoned}
                         : PageSpec::Count{};
}

/// Of the work itself.
std::vector<PageSpec> workPages() {
    return {
        {"dashboard",
         title(QT_TRANSLATE_NOOP("Pages", "Dashboard")),
         "dashboard",
         [](Context context) -> Page* { return new DashboardPage(context); },
         {},
         &QueueCommands::declared},
        {"queues", title(QT_TRANSLATE_NOOP("Pages", "Queues")), "queues",
         [](Context context) -> Page* { return new QueuesPage(context); },
         [](const EngineState& state) {
             return PageSpec::Count{QLocale().toString(static_cast<qulonglong>(state.queues().size()))};
         },
         &QueueCommands::declared},
        {"actions", title(QT_TRANSLATE_NOOP("Pages", "Actions")), "actions",
         [](Context context) -> Page* { return new ActionsPage(context); }, failedCount, &ActionsPage::declared},
        {"objects", title(QT_TRANSLATE_NOOP("Pages", "Objects")), "objects",
         [](Context context) -> Page* { return new ObjectsPage(context); }, unclaimedCount, &ObjectsPage::declared},
        {"workers", title(QT_TRANSLATE_NOOP("Pages", "Workers")), "workers",
         [](Context context) -> Page* { return new WorkersPage(context); },
         [](const EngineState& state) {
             return PageSpec::Count{state.workers().isEmpty() ? QString()
                                                              : QLocale().toString(state.workers().size())};
         },
         &WorkersPage::declared},
        {"timelines",
         title(QT_TRANSLATE_NOOP("Pages", "Timelines")),
         "timelines",
         [](Context context) -> Page* { return new TimelinesPage(context); },
         {},
         &TimelinesPage::declared},
    };
}

/// Of what it runs on, what is kept of it, and of the program.
std::vector<PageSpec> otherPages() {
    return {
        {"pool", title(QT_TRANSLATE_NOOP("Pages", "Pool")), "pool",
         [](Context context) -> Page* { return new PoolPage(context); },
         [](const EngineState& state) {
             if (!state.pool()) return PageSpec::Count{};
             return countOf(state.pool()->processes, state.pool()->most);
         },
         &PoolPage::declared},
        {"machines", title(QT_TRANSLATE_NOOP("Pages", "Machines")), "machines",
         [](Context context) -> Page* { return new MachinesPage(context); },
         [](const EngineState& state) {
             if (!state.machines()) return PageSpec::Count{};
             return countOf(state.machines()->here, state.machines()->all);
         },
         &MachinesPage::declared},
        {"recordings",
         title(QT_TRANSLATE_NOOP("Pages", "Recordings")),
         "recordings",
         [](Context context) -> Page* { return new RecordingsPage(context); },
         {},
         &RecordingsPage::declared},
        {"history",
         title(QT_TRANSLATE_NOOP("Pages", "History")),
         "history",
         [](Context context) -> Page* { return new HistoryPage(context); },
         {},
         &HistoryPage::declared},
        {"failures",
         title(QT_TRANSLATE_NOOP("Pages", "Failures")),
         "failures",
         [](Context context) -> Page* { return new FailuresPage(context); },
         {},
         &FailuresPage::declared,
         false},
        {"console",
         title(QT_TRANSLATE_NOOP("Pages", "Console")),
         "console",
         [](Context context) -> Page* { return new ConsolePage(context); },
         {},
         &ConsolePage::declared},
        {"settings",
         title(QT_TRANSLATE_NOOP("Pages", "Settings")),
         "settings",
         [](Context context) -> Page* { return new SettingsPage(context); },
         {},
         {}},
    };
}

} // namespace

std::vector<PageSpec> allPages() {
    std::vector<PageSpec> pages = workPages();
    std::ranges::move(otherPages(), std::back_inserter(pages));
    return pages;
}

} // namespace yard::ui
