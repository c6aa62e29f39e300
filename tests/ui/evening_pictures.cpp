// evening_pictures DIRECTORY: the pictures of the README, of a real engine after an evening of work (evening.h), each
// page with something selected, and the pictures that rerun.gif is made of, in DIRECTORY/rerun. `./dev pictures` calls
// it. YARD_EVENING_SCALE=0.01: a short evening, to try it.
#include "tests/support/waiting.h"
#include "tests/ui/evening.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/bridge/machine_operations.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/languages.h"
#include "ui/state/poll.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"

#include <QApplication>
#include <QDir>
#include <QJsonArray>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <memory>

using namespace yard;

namespace {

/// What the graphs and the timeline need to have drawn.
constexpr int kSettleMs = 1'500;
constexpr int kFrameMs = 120;

class Album {
public:
    Album(ui::MainWindow& window, ui::Theme& theme, const QString& directory)
        : window_(window)
        , theme_(theme)
        , directory_(directory) {
        directory_.mkpath("rerun");
    }

    int made() const { return made_; }
    void page(const QString& page, ui::Theme::Choice look, const std::function<void()>& select) {
        theme_.choose(look);
        window_.resize(1'440, 900);
        window_.navigation().show(page);
        QTest::qWait(kSettleMs);
        select();
        QTest::qWait(kSettleMs);
        keep(QStringLiteral("%1-%2.png").arg(page, look == ui::Theme::Choice::Dark ? "dark" : "light"));
    }
    void picture(const QString& name) {
        QTest::qWait(kSettleMs);
        keep(name);
    }
    /// Of the animation: what is shown stands for so many pictures.
    void frame(int times = 1) {
        QTest::qWait(kFrameMs);
        for (int i = 0; i < times; ++i)
            keep(QStringLiteral("rerun/%1.png").arg(frames_++, 4, 10, QLatin1Char('0')));
    }

private:
    void keep(const QString& name) {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        if (window_.grab().save(directory_.filePath(name))) ++made_;
    }
    ui::MainWindow& window_;
    ui::Theme& theme_;
    QDir directory_;
    int made_ = 0;
    int frames_ = 0;
};

/// A filter is typed, a failure chosen and its output read; it is run again.
void animate(Album& album, ui::MainWindow& window, const test::Evening& evening) {
    window.resize(1'100, 720);
    window.navigation().show("actions", {});
    auto* page = qobject_cast<ui::ActionsPage*>(window.navigation().page());
    QTest::qWait(kSettleMs);
    album.frame(6);
    auto* field = page->findChild<ui::FilterField*>();
    field->setFocus();
    const QString typed = QStringLiteral("queue:nightly-cook state:failed foliage");
    for (const QChar letter : typed) {
        QTest::keyClicks(field, QString(letter));
        album.frame();
    }
    QTest::keyClick(field, Qt::Key_Escape); // the list of completions
    if (field->text() != typed) page->setFilter(typed);
    album.frame(6);
    window.navigation().showAction(evening.failed, "output");
    QTest::qWait(kSettleMs);
    album.frame(12);
    page->table()->setFocus();
    const QRect row = page->table()->visualRect(page->table()->model()->index(0, 2));
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {}, row.center());
    album.frame(6);
    QTest::keyClick(page->table(), Qt::Key_R, Qt::ControlModifier);
    for (int i = 0; i < 20; ++i) {
        QTest::qWait(kSettleMs / 10);
        album.frame();
    }
    album.frame(8);
}

void takeAll(Album& album, ui::MainWindow& window, const test::Evening& evening) {
    using enum ui::Theme::Choice;
    ui::Navigation& navigation = window.navigation();
    const auto nothing = [] {};
    album.page("dashboard", Dark, nothing);
    album.page("dashboard", Light, nothing);
    album.page("queues", Light, [&] { navigation.page()->open(evening.cook); });
    album.page("actions", Dark, [&] {
        navigation.page()->setFilter("queue:nightly-cook");
        navigation.showAction(evening.failed, "output");
    });
    navigation.showAction(evening.build, "graph");
    album.picture("graph-dark.png");
    for (const ui::PageSpec& spec : navigation.pages())
        for (const auto look : {Dark, Light})
            if (spec.id == "timelines" || spec.id == "pool" || spec.id == "workers" || spec.id == "failures" ||
                spec.id == "machines")
                album.page(spec.id, look, [&] {
                    if (spec.id != "timelines" && navigation.page()->findChild<ui::Table*>() != nullptr) {
                        auto* table = navigation.page()->findChild<ui::Table*>();
                        const int rows = table->rows()->rowCount();
                        if (rows > 0) table->selectId(table->rows()->idAt(spec.id == "machines" ? rows - 1 : 0));
                    }
                });
}

/// A second engine works for the first: the page Machines has something to show. False: it did not come to that.
bool join(test::RealEngine& guest, const test::RealEngine& yard, ui::EngineLink& link) {
    QString token;
    const QByteArray desk = R"({"name":"desk","rights":"admin"})";
    link.send({"POST", "tokens", {}, desk}, &link,
              [&token](const ui::Answer& answer) { token = answer.json.value("token").toString(); });
    if (!QTest::qWaitFor([&] { return !token.isEmpty(); }, kWaitMs)) return false;
    guest.setArguments({"--capacity", "4", "--set", "guest_unsandboxed=on", "--join",
                        QStringLiteral("http://127.0.0.1:%1").arg(yard.port()), "--join-token", token});
    if (!guest.start()) return false;
    qsizetype machines = 0;
    ui::Poll look(
        link, kFrameMs, [] { return ui::operations::lookAtMachines().request; },
        [&machines](const ui::Answer& answer) { machines = answer.json.value("machines").toArray().size(); });
    look.setActive(true);
    return QTest::qWaitFor([&machines] { return machines > 1; }, kWaitMs);
}

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName("yardmaster-pictures");
    if (argc != 2) return std::fputs("usage: evening_pictures DIRECTORY\n", stderr), 2;
    test::RealEngine engine;
    engine.setArguments({"--capacity", "6"});
    if (!engine.start()) return std::fputs("the engine did not start\n", stderr), 1;
    ui::Languages::choose("en"); // plurals are texts of a translation, English ones too
    ui::Languages languages;
    languages.install();
    ui::Theme theme(nullptr);
    ui::dressApplication();
    ui::MainWindow window;
    auto link = std::make_unique<ui::AttachedLink>(engine.address(), engine.token());
    ui::EngineLink& connection = *link;
    window.engine().set(std::move(link), "embedded");
    window.resize(1'440, 900);
    window.show();
    if (!QTest::qWaitFor([&] { return connection.state() == ui::LinkState::Connected; }, kWaitMs)) return 1;
    bool isNumber = false;
    const double scale = qEnvironmentVariable("YARD_EVENING_SCALE").toDouble(&isNumber);
    const auto evening = test::spendEvening(connection, isNumber ? std::clamp(scale, 0.001, 1.0) : 1);
    if (!evening) return std::fputs("the evening did not come to its end\n", stderr), 1;
    test::RealEngine guest;
    if (!join(guest, engine, connection)) return std::fputs("no machine joined\n", stderr), 1;
    Album album(window, theme, QString::fromLocal8Bit(argv[1]));
    takeAll(album, window, *evening);
    theme.choose(ui::Theme::Choice::Dark);
    animate(album, window, *evening);
    std::printf("%d pictures of an evening with %lld ended actions\n", album.made(),
                static_cast<long long>(evening->done));
    return 0;
}
