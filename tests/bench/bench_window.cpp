// The window over an engine with a million actions, of which a fifth have ended: first paint, jumps, scrolling,
// sorting, filtering, selecting, memory, and what it takes while nothing and while much happens. Offscreen, or on
// the display of QT_QPA_PLATFORM=xcb.
//
//   bench_window [--million N] [--idle SECONDS] [YARDMASTER]     (default: `yardmaster` beside this program)
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <malloc.h>
#include <random>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr long kGroup = 500;
constexpr int kPatienceMs = 120'000;
constexpr double kMegabyte = 1e6;

/// Counts what a widget paints.
class Paints : public QObject {
public:
    using QObject::QObject;
    long count = 0;
    bool eventFilter(QObject* object, QEvent* event) override {
        if (event->type() == QEvent::Paint) ++count;
        return QObject::eventFilter(object, event);
    }
};

/// Milliseconds until it holds.
template<class Holds>
double until(Holds holds) {
    QElapsedTimer clock;
    clock.start();
    QTimer wakes;
    wakes.start(1);
    while (!holds()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (clock.elapsed() > kPatienceMs) {
            std::fputs("bench_window: it does not come\n", stderr);
            std::exit(1);
        }
    }
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void idle(int seconds) {
    QElapsedTimer clock;
    clock.start();
    QTimer::singleShot(seconds * 1'000, qApp, [] {});
    while (clock.elapsed() < seconds * 1'000) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

void say(const char* what, double value, const char* unit, const char* target) {
    std::printf("%-52s %9.2f %s%s%s\n", what, value, unit, *target ? "   target " : "", target);
    std::fflush(stdout);
}

std::string action(long i) {
    return fmt::format(R"({{"worker":"exec","argv":["/bin/true","{}"],"cwd":"/","label":"album {}","hold":true,)"
                       R"("priority":{}}})",
                       i, i % 1'000, i * 7 % 200 - 100);
}

/// Held ones, and a fifth of them cancelled.
void fill(const bench::Server& server, long count) {
    std::vector<std::string> texts;
    for (long i = 0; i < 40 * kGroup; i += kGroup) {
        std::string list = "[";
        for (long k = 0; k < kGroup; ++k) list += (k ? "," : "") + action(i + k);
        texts.push_back(bench::request("POST", "/compute/jobs", server.token(), list + "]"));
    }
    bench::drive(server.port(), 4, count / kGroup,
                 [&](long i) -> const std::string& { return texts[static_cast<std::size_t>(i) % texts.size()]; });
    const std::string filter = fmt::format(R"({{"filter":"lsn:1..{}"}})", count / 5);
    (void)bench::ask(server.port(), bench::request("POST", "/compute/jobs/cancel", server.token(), filter));
}

struct Driven {
    MainWindow& window;
    ActionsPage* page = nullptr;
    Paints* paints = nullptr;

    Table* table() const { return page->table(); }
    ActionsModel* model() const { return page->model(); }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) const {
        QKeyEvent press(QEvent::KeyPress, key, modifiers);
        QCoreApplication::sendEvent(table(), &press);
    }
    /// The rows in view are here, and have been painted.
    double untilShown() const {
        const int known = model()->rowCount();
        const auto here = [this, known] {
            if (known == 0 && model()->rowCount() == 0) return false;
            const int first = std::max(0, table()->rowAt(0));
            int last = table()->rowAt(table()->viewport()->height() - 1);
            if (last < 0) last = model()->rowCount() - 1;
            for (int row = first; row <= last; ++row)
                if (!model()->isHere(row)) return false;
            return last >= first;
        };
        double took = until(here);
        const long painted = paints->count;
        table()->viewport()->update();
        took += until([&] { return paints->count > painted; });
        return took;
    }
};

void scroll(const Driven& driven, const char* what, int frames, const std::function<int(int)>& to) {
    std::vector<double> times;
    const double cpu = bench::cpuSeconds();
    for (int i = 0; i < frames; ++i) {
        QElapsedTimer clock;
        clock.start();
        driven.table()->verticalScrollBar()->setValue(to(i));
        driven.table()->viewport()->repaint();
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        QCoreApplication::processEvents();
    }
    std::ranges::sort(times);
    std::printf("%-52s %9.2f ms a frame, p99 %.2f, worst %.2f; CPU %.2f ms   target 16.7\n", what,
                times[times.size() / 2], times[times.size() * 99 / 100], times.back(),
                (bench::cpuSeconds() - cpu) * 1e3 / frames);
    std::fflush(stdout);
}

void scrolling(const Driven& driven) {
    until([&] { return driven.model()->isWhole(); });
    driven.key(Qt::Key_End);
    say("End: the last rows in view", driven.untilShown(), "ms", "");
    driven.table()->verticalScrollBar()->setValue(driven.table()->verticalScrollBar()->maximum() / 2);
    say("scroll bar to the middle", driven.untilShown(), "ms", "");
    driven.key(Qt::Key_Home);
    driven.untilShown();
    scroll(driven, "scrolling by three rows", 300, [](int i) { return i * 72; });
    std::mt19937 random(1);
    const int most = driven.table()->verticalScrollBar()->maximum();
    scroll(driven, "scrolling anywhere", 300,
           [&](int) { return static_cast<int>(random() % static_cast<unsigned>(most)); });
    driven.key(Qt::Key_Home);
    driven.table()->clearSelection();
}

void sorting(const Driven& driven, long count) {
    const auto click = [&](int column) { emit driven.table()->horizontalHeader()->sectionClicked(column); };
    for (const auto& [name, column] : {std::pair{"sort by number, oldest first", int{ActionsModel::kLsn}},
                                       std::pair{"sort by label", int{ActionsModel::kWhat}},
                                       std::pair{"sort by state", int{ActionsModel::kState}}}) {
        bool came = false;
        QObject here;
        QObject::connect(driven.model(), &QAbstractItemModel::modelReset, &here, [&] { came = true; });
        click(column);
        if (column == ActionsModel::kLsn) click(column); // newest first is how it was
        const double first = until([&] { return came; });
        const double shown = driven.untilShown();
        say(fmt::format("{}: first rows", name).c_str(), first + shown, "ms", "");
        say("  all numbers", first + shown + until([&] { return driven.model()->isWhole(); }), "ms", "");
        driven.key(Qt::Key_End);
        say("  End: the last rows in view", driven.untilShown(), "ms", "");
        driven.key(Qt::Key_Home);
        driven.table()->clearSelection();
    }
    click(ActionsModel::kState);
    click(ActionsModel::kState);
    until([&] { return driven.model()->idAt(0) == count; });
}

void filtering(const Driven& driven, long count) {
    for (const char* filter : {"label:\"album 7\"", "state:cancelled", "album", "priority>5 lsn>1000"}) {
        bool came = false;
        QObject here;
        QObject::connect(driven.model(), &QAbstractItemModel::modelReset, &here, [&] { came = true; });
        QElapsedTimer clock;
        clock.start();
        driven.page->setFilter(filter);
        if (QString(filter).startsWith("priority")) { // no such key: the rows stay
            say("filter that is wrong: said so", until([&] { return !driven.model()->problem().isEmpty(); }), "ms",
                "");
            continue;
        }
        until([&] { return came; }); // the rows before stay until then
        driven.untilShown();
        say(fmt::format("filter {}: first rows", filter).c_str(), static_cast<double>(clock.elapsed()), "ms", "");
        until([&] { return driven.model()->isWhole(); });
        say("  all numbers", static_cast<double>(clock.elapsed()), "ms", "");
    }
    driven.page->setFilter({});
    until([&] { return driven.model()->isWhole() && driven.model()->rowCount() == count; });
}

void lists(const Driven& driven, long count) {
    scrolling(driven);
    sorting(driven, count);
    filtering(driven, count);
    QElapsedTimer clock;
    clock.start();
    driven.key(Qt::Key_A, Qt::ControlModifier);
    driven.table()->viewport()->repaint();
    say("Ctrl+A, painted", static_cast<double>(clock.nsecsElapsed()) / 1e6, "ms", "16.7");
    driven.table()->clearSelection();
}

/// A share of a core while 10,000 actions a second end.
void busy(const Driven& driven, const bench::Server& server, long count, const char* what) {
    const double before = bench::cpuSeconds();
    QElapsedTimer clock;
    clock.start();
    static long next = 0;
    next = std::max(next, count / 5 + 1);
    constexpr int kSeconds = 8;
    for (int second = 0; second < kSeconds; ++second) {
        const QString filter = QStringLiteral("lsn:%1..%2").arg(next).arg(next + 9'999);
        next += 10'000;
        driven.window.engine().state()->link().send(
            {"POST", "jobs/cancel", {}, QStringLiteral(R"({"filter":"%1"})").arg(filter).toUtf8(), {}}, qApp,
            [](const Answer&) {});
        idle(1);
    }
    static_cast<void>(server);
    say(what, (bench::cpuSeconds() - before) / (static_cast<double>(clock.elapsed()) / 1e3) * 100, "% of a core",
        "5");
}

/// A share of a core on two pages: idle, then while much ends.
void shares(const Driven& driven, const bench::Server& server, long count, double idleSeconds) {
    for (const char* page : {"actions", "dashboard"}) {
        driven.window.navigation().show(page);
        idle(3);
        const double before = bench::cpuSeconds();
        idle(static_cast<int>(idleSeconds));
        say(fmt::format("idle, {}", page).c_str(), (bench::cpuSeconds() - before) / idleSeconds * 100,
            "% of a core", "0.5");
        if (count >= 1'000'000) busy(driven, server, count, fmt::format("10,000 ends a second, {}", page).c_str());
    }
}

} // namespace

int main(int argc, char** argv) {
    QElapsedTimer sinceStart;
    sinceStart.start();
    double million = 1'000'000;
    double idleSeconds = 20;
    const std::string program =
        bench::programFrom(argc, argv, {{"--million", million, kGroup * 40}, {"--idle", idleSeconds}});
    const long count = static_cast<long>(million) / kGroup * kGroup;
    const bench::ScratchDirectory directory("bench_window");
    const bench::Server server(program, directory.path());
    fill(server, count);
    std::printf("%ld actions\n", count);

    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    sinceStart.restart();
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName("yardmaster-bench");
    const Theme theme(nullptr);
    dressApplication();
    MainWindow window;
    Paints windowPaints;
    window.installEventFilter(&windowPaints);
    window.resize(1'440, 900);
    window.QMainWindow::show();
    until([&] { return windowPaints.count > 0; });
    say("application to the window's first frame", static_cast<double>(sinceStart.elapsed()), "ms", "400");
    window.engine().set(
        std::make_unique<AttachedLink>(QUrl(QStringLiteral("http://127.0.0.1:%1/compute").arg(server.port())),
                                       QByteArray::fromStdString(server.token())),
        "bench");
    until([&] { return window.engine().state()->isLive(); });
    window.navigation().show("actions", "label:nobody");
    Driven driven{window, qobject_cast<ActionsPage*>(window.navigation().page()), new Paints(&window)};
    driven.table()->viewport()->installEventFilter(driven.paints);
    until([&] { return driven.model()->isWhole(); });
    idle(2);
    malloc_trim(0);
    const long empty = bench::residentBytes();
    driven.page->setFilter({});
    say("Actions, first rows painted", driven.untilShown(), "ms", "200");
    say("all their numbers", until([&] { return driven.model()->isWhole(); }), "ms", "");
    lists(driven, count);
    say("memory above an empty list, after all that",
        static_cast<double>(bench::residentBytes() - empty) / kMegabyte, "MB", "80");
    malloc_trim(0);
    say("  of that in use", static_cast<double>(bench::residentBytes() - empty) / kMegabyte, "MB", "");
    driven.key(Qt::Key_Home);
    driven.table()->clearSelection();
    idle(3);
    shares(driven, server, count, idleSeconds);
    return 0;
}
