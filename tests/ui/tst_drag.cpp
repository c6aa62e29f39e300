// Dragging, with a real pointer: an X server of its own (Xvfb), xdotool moves and presses, and what is dragged
// comes from a window of another process. Skipped, and says so, where one of them is not installed.
#include "tests/support/waiting.h"
#include "tests/ui/own_display.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/forms/register_form.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/shell/bars.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/action_file.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QApplication>
#include <QDrag>
#include <QFile>
#include <QJsonObject>
#include <QLabel>
#include <QMouseEvent>
#include <QProcess>
#include <QTest>
#include <cstdio>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr int kSoon = kWaitMs;
constexpr QRect kSource(1'500, 700, 90, 90);

/// The other process: a small window; what is dragged off it is a file, or actions.
class Source final : public QLabel {
public:
    Source(QString what, bool actions)
        : QLabel("drag me")
        , what_(std::move(what))
        , actions_(actions) {
        setWindowFlag(Qt::BypassWindowManagerHint);
        setGeometry(kSource);
    }

protected:
    void mouseMoveEvent(QMouseEvent* event) override {
        if ((event->buttons() & Qt::LeftButton) == 0) return;
        auto* drag = new QDrag(this);
        if (actions_) {
            const QStringList parts = what_.split(' ');
            drag->setMimeData(dragOf({parts[1].toLongLong()}, parts[0]));
        } else {
            auto* data = new QMimeData;
            data->setUrls({QUrl::fromLocalFile(what_)});
            drag->setMimeData(data);
        }
        drag->exec(Qt::CopyAction | Qt::MoveAction, Qt::CopyAction);
    }

private:
    QString what_;
    bool actions_;
};

} // namespace

class TestDrag : public QObject {
    Q_OBJECT

    test::RealEngine engine_;
    QTemporaryDir files_;
    std::unique_ptr<Theme> theme_;
    std::unique_ptr<MainWindow> window_;
    QStringList said_;

    static void pointer(const QStringList& arguments) {
        QProcess process;
        process.start("xdotool", arguments);
        // The window has to answer while the pointer moves over it.
        [[maybe_unused]] const bool ended =
            QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, kSoon);
        QTest::qWait(30); // as a hand: the drag's own messages go to and fro between moves
    }
    static void moveTo(const QPoint& at) {
        pointer({"mousemove", QString::number(at.x()), QString::number(at.y())});
    }

    /// From the other process's window to `to`; released there when `drops`.
    void drag(const QStringList& what, const QPoint& to, const std::function<void()>& before = {}) {
        QProcess source;
        source.setStandardErrorFile(QProcess::nullDevice());
        source.start(QCoreApplication::applicationFilePath(), what);
        QVERIFY(
            QTest::qWaitFor([&] { return source.canReadLine() || source.state() == QProcess::NotRunning; }, kSoon));
        const QPoint from = kSource.center();
        moveTo(from);
        pointer({"mousedown", "1"});
        for (int i = 1; i <= 3; ++i) moveTo(from - QPoint(8 * i, 8 * i));
        for (int i = 1; i <= 10; ++i) moveTo(from + (to - from) * i / 10);
        moveTo(to + QPoint(1, 0));
        QTest::qWait(150);
        if (before) before();
        pointer({"mouseup", "1"});
        QTest::qWait(150);
        source.kill();
        source.waitForFinished();
    }
    /// What the bar at the foot says, as soon as that is this: the last move may be on its way still.
    QString saidOnce(const QString& sentence) {
        const auto* bar = window_->findChild<StatusBar*>("status-bar");
        [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return bar->sentence() == sentence; }, kSoon);
        return bar->sentence();
    }
    QueuesPage* queues() { return qobject_cast<QueuesPage*>(window_->navigation().page()); }
    int rowOf(const QString& name) {
        TableModel* rows = queues()->table()->rows();
        for (int row = 0; row < rows->rowCount(); ++row)
            if (rows->cell(row, 0).text == name) return row;
        return -1;
    }
    QPoint placeOf(const QString& name) {
        Table* table = queues()->table();
        return table->viewport()->mapToGlobal(table->visualRect(table->rows()->index(rowOf(name), 0)).center());
    }
    void makeQueue(const QString& tag) {
        window_->engine().commands()->run(operations::createQueue(tag, {{"idle_expiry_s", 0}}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(tag) >= 0, kSoon);
        for (const auto& [id, info] : window_->engine().state()->queues())
            if (info.tag == tag) window_->engine().commands()->run(operations::holdQueue(id, tag));
    }
    qint64 waitingIn(const QString& tag) const {
        for (const auto& [id, info] : window_->engine().state()->queues())
            if (info.tag == tag) return info.waiting();
        return -1;
    }
    QString write(const QString& name, const QByteArray& text, bool runs = false) {
        QFile file(files_.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(text);
        if (runs) file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file.fileName();
    }

private slots:
    void initTestCase() {
        test::useOwnSettings("drag");
        QVERIFY(engine_.start());
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
        window_ = std::make_unique<MainWindow>();
        window_->setWindowFlag(Qt::BypassWindowManagerHint);
        window_->engine().set(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        window_->setGeometry(0, 0, 1'300, 800);
        window_->navigation().show("queues");
        window_->show();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->isLive() && rowOf("default") >= 0, kSoon);
        makeQueue("nightly-cook");
        makeQueue("unit-tests");
    }
    void cleanupTestCase() { window_.reset(); }

    void filesTellTheirActions() {
        QCOMPARE(parseActions("[{},{}]").actions.size(), 2);
        QCOMPARE(parseActions("{\"worker\":\"exec\"}").actions.size(), 1);
        QCOMPARE(parseActions("{\"a\":1}\n\n{\"b\":2}\n").actions.size(), 2);
        QVERIFY(parseActions("{\"a\":1}\noops\n").problem.startsWith("Line 2"));
        QVERIFY(!parseActions("").problem.isEmpty());
        QVERIFY(!readActions("/nonexistent").problem.isEmpty());
    }

    void actionsOfAnotherEngineAreNotTaken() {
        const std::unique_ptr<QMimeData> data(dragOf({3, 5}, "http://a"));
        QCOMPARE(draggedActions(*data, "http://a"), (std::vector<qint64>{3, 5}));
        QVERIFY(draggedActions(*data, "http://b").empty());
        QVERIFY(draggedActions(QMimeData(), "http://a").empty());
    }

    void aFileOfActionsDroppedOnAQueueIsSubmittedThere() {
        QByteArray lines;
        for (int i = 0; i < 12; ++i) lines += "{\"worker\":\"exec\",\"argv\":[\"true\"]}\n";
        const QString file = write("actions.jsonl", lines);
        QString said;
        bool framed = false;
        drag({"--source", file}, placeOf("nightly-cook"), [&] {
            framed = QTest::qWaitFor(
                [&] {
                    return std::ranges::any_of(window_->findChildren<QWidget*>("drop-frame"), &QWidget::isVisible);
                },
                kSoon);
            said = saidOnce("Submit 12 action(s) to nightly-cook");
        });
        QCOMPARE(said, QString("Submit 12 action(s) to nightly-cook"));
        QVERIFY(framed);
        QTRY_COMPARE_WITH_TIMEOUT(waitingIn("nightly-cook"), 12, kSoon);
        QVERIFY(std::ranges::none_of(window_->findChildren<QWidget*>("drop-frame"), &QWidget::isVisible));
    }

    void anActionDroppedOnAnotherQueueMovesThere() {
        qint64 lsn = 0;
        window_->engine().commands()->run(
            operations::submit(QJsonObject{{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"hold", true}}, 0,
                               "default"),
            this, [&](const Answer& answer) { lsn = answer.json.value("lsn").toInteger(); });
        QTRY_VERIFY_WITH_TIMEOUT(lsn > 0, kSoon);
        QString said;
        drag({"--actions", engine_.address().toString() + ' ' + QString::number(lsn)}, placeOf("unit-tests"),
             [&] { said = saidOnce("Move 1 action(s) to unit-tests"); });
        QCOMPARE(said, QString("Move 1 action(s) to unit-tests"));
        QTRY_COMPARE_WITH_TIMEOUT(waitingIn("unit-tests"), 1, kSoon);
    }

    void aProgramDroppedAnywhereOpensItsRegistration() {
        const QString program = write("thumb.sh", "#!/bin/sh\nexit 1\n", true);
        drag({"--source", program}, window_->mapToGlobal(QPoint(600, 20)));
        RegisterForm* form = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT((form = window_->findChild<RegisterForm*>()) != nullptr, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(form->descriptor().value("name").toString(), QString("thumb"), kSoon);
        form->close();
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && argv[1][0] == '-' && argv[1][1] == '-') {
        QApplication application(argc, argv);
        Source source(QString::fromLocal8Bit(argv[2]), qstrcmp(argv[1], "--actions") == 0);
        source.show();
        QTimer::singleShot(200, &source, [] {
            std::puts("shown");
            std::fflush(stdout);
        });
        return QApplication::exec();
    }
    test::OwnDisplay display;
    if (!test::OwnDisplay::isToBeHad()) {
        std::puts("SKIP   : Xvfb or xdotool is not installed");
        return 0;
    }
    if (!display.start()) return 1;
    qputenv("DISPLAY", display.name());
    qputenv("QT_QPA_PLATFORM", "xcb");
    QApplication application(argc, argv);
    TestDrag test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_drag.moc"
