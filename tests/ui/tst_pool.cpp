// The pool page, offscreen, on the real program with warm workers of the Python kit: the tree, those that are gone,
// limits, commands.
#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/real_engine.h"
#include "tests/ui/warm_worker.h"
#include "ui/bridge/attached_link.h"
#include "ui/log/log_view.h"
#include "ui/pages/pool/limits_panel.h"
#include "ui/pages/pool/pool_page.h"
#include "ui/pages/pool/pool_strip.h"
#include "ui/pages/pool/process_output.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {
constexpr int kSoon = kWaitMs;
} // namespace

class TestPool : public QObject {
    Q_OBJECT

    test::RealEngine engine_;
    std::unique_ptr<Theme> theme_;
    std::unique_ptr<MainWindow> window_;
    QTemporaryDir files_;
    QString worker_;

    PoolPage* page() {
        window_->navigation().show("pool");
        return qobject_cast<PoolPage*>(window_->navigation().page());
    }
    TableModel* rows() { return page()->table()->rows(); }
    int rowOf(const QString& text, int column = 0) {
        for (int row = 0; row < rows()->rowCount(); ++row)
            if (rows()->cell(row, column).text.contains(text)) return row;
        return -1;
    }
    void submit(const QString& function, const QJsonValue& args, const QString& label = {}) {
        const QJsonObject job{{"worker", worker_}, {"function", function}, {"args", args}, {"label", label}};
        bool done = false;
        window_->engine().state()->link().send({"POST", "jobs", {}, QJsonDocument(job).toJson()}, this,
                                               [&](const Answer& answer) { done = answer.ok(); });
        QTRY_VERIFY_WITH_TIMEOUT(done, kSoon);
    }
    void click(const QString& text, int column = 0) {
        const int row = rowOf(text);
        QVERIFY2(row >= 0, qPrintable(text));
        Table* table = page()->table();
        const QRect area = table->visualRect(rows()->index(row, column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, QPoint(area.left() + 60, area.center().y()));
    }
    QAbstractButton* button(const QString& text) {
        for (auto* each : page()->findChildren<QAbstractButton*>())
            if (each->text() == text && each->isVisible()) return each;
        return nullptr;
    }
    QString file(const QString& name) { return files_.filePath(name); }
    void touch(const QString& name) {
        QFile made(file(name));
        QVERIFY(made.open(QIODevice::WriteOnly));
    }
    int countGone(const QString& why) {
        const TableModel* gone = page()->goneTable()->rows();
        int count = 0;
        for (int row = 0; row < gone->rowCount(); ++row)
            if (gone->cell(row, 3).text.contains(why)) ++count;
        return count;
    }
    bool hasGone(const QString& why) { return countGone(why) > 0; }

private slots:
    void initTestCase() {
        test::useOwnSettings("pool");
        engine_.setArguments({"--capacity", "4"});
        QVERIFY(engine_.start());
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }
    void init() {
        window_ = std::make_unique<MainWindow>();
        window_->engine().set(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        window_->resize(1440, 900);
        window_->show();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->isLive(), kSoon);
    }
    void cleanup() { window_.reset(); }

    void withoutAWorkerItShowsOne() {
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
        QVERIFY(!page()->table()->isVisible());
        QAbstractButton* copy = button("Copy the example");
        QVERIFY(copy != nullptr);
        QTest::mouseClick(copy, Qt::LeftButton);
        QVERIFY(QApplication::clipboard()->text().contains("yard_worker.run()"));
    }

    void aProcessStandsBelowItsWorkerWithWhatItDoes() {
        worker_ =
            test::registerWarmWorker(window_->engine().state()->link(), "thumbs", "1.2", {{"max_processes", 2}});
        QVERIFY(!worker_.isEmpty());
        const QAbstractItemModelTester tester(rows(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        submit("gate", file("a"), "IMG_20935");
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("thumbs 1.2") == 0, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("IMG_20935", 2) == 1, kSoon);
        QCOMPARE(rows()->cell(1, 1).text, QString("busy"));
        QCOMPARE(rows()->cell(1, 4).text, QString("1"));
        QVERIFY(rows()->cell(0, 2).text.startsWith("1 of 2"));
        QCOMPARE(page()->strip()->figures()[0], QString("1"));
        touch("a");
        QTRY_COMPARE_WITH_TIMEOUT(rows()->cell(1, 1).text, QString("idle"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(rows()->cell(1, 5).text, QString("1"), kSoon);
    }

    void aGroupFolds() {
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 2, kSoon);
        click("thumbs 1.2");
        QCOMPARE(rows()->rowCount(), 1);
        click("thumbs 1.2");
        QCOMPARE(rows()->rowCount(), 2);
        // By keys as well.
        page()->table()->setFocus();
        QTest::keyClick(page()->table(), Qt::Key_Return);
        QCOMPARE(rows()->rowCount(), 1);
        QTest::keyClick(page()->table(), Qt::Key_Return);
        QCOMPARE(rows()->rowCount(), 2);
    }

    void commandsSayWhatTheyNeed() {
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 2, kSoon);
        page()->table()->clearSelection();
        QVERIFY(!page()->commands()[0]->isEnabled());
        QVERIFY(!page()->commands()[1]->isEnabled());
        click("process");
        for (const QAction* action : page()->commands())
            QCOMPARE(action->isEnabled(), action->text() != "Open what it works on");
        page()->commands()[5]->trigger();
        QVERIFY(QApplication::clipboard()->text().toInt() > 1);
        QVERIFY(page()->closeInnermost());
        QVERIFY(!page()->closeInnermost());
        QCOMPARE(page()->asOperation().yardctl, QString("yardctl pool"));
    }

    void detachedOneIsAmongThoseThatAreGone() {
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 2, kSoon);
        click("process");
        QTest::mouseClick(button("Detach process"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(hasGone("detached by hand"), kSoon);
        page()->takeUpdates();
        QTRY_VERIFY_WITH_TIMEOUT(rows()->rowCount() == 1, kSoon);
        QVERIFY(rows()->cell(0, 2).text.startsWith("no process"));
    }

    void aCrashSaysWhy() {
        submit("die", QJsonValue());
        QTRY_COMPARE_WITH_TIMEOUT(countGone("crashed: it was ended by signal 9"), 4, kSoon); // three retries
    }

    void aRestartReplacesProcesses() {
        submit("add", QJsonObject{{"a", 1}, {"b", 2}});
        const auto shown = [&] { // nothing is selected, so that rows come by themselves
            page()->takeUpdates();
            return rowOf("process") > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), kSoon);
        page()->setFilter("thumbs");
        QTest::mouseClick(button("Restart one by one"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(hasGone("replaced by a restart"), kSoon);
    }

    void aProcessSaysWhichPiecesItHas() {
        QHash<QString, CpuSeen> before;
        const QJsonObject given{{"gpus", QJsonArray{"1"}}};
        const QJsonObject process{{"id", "p1"},
                                  {"worker", "w"},
                                  {"state", "idle"},
                                  {"why_started", "restart"},
                                  {"resources_given", given}};
        const QJsonObject group{{"worker", "w"}, {"processes", QJsonArray{process}}};
        const PoolView view = readPool({{"groups", QJsonArray{group}}}, before, 1);
        QCOMPARE(view.groups.size(), 1U);
        QCOMPARE(startedBecause(view.groups.front().processes.front(), view.groups.front()),
                 QString("restart, gpus 1"));
    }

    void whatIsNewOfAKeptEndIsTheRestBehindWhatWasSeen() {
        KeptEnd end;
        const auto take = [&](qint64 size, const QByteArray& text) {
            const KeptEnd::News news = end.take(size, text);
            return (news.isAnew ? "again " : "") + news.bytes;
        };
        QCOMPARE(take(0, ""), QByteArray());
        QCOMPARE(take(3, "abc"), QByteArray("abc"));
        QCOMPARE(take(3, "abc"), QByteArray());
        QCOMPARE(take(5, "abcde"), QByteArray("de"));
        QCOMPARE(take(7, "cdefg"), QByteArray("fg")); // its beginning is no longer kept
        QCOMPARE(take(90, "vwxyz"), QByteArray("again vwxyz"));
        // A byte that is no character is three here, and told as one.
        QCOMPARE(take(91, "vwxyz\xef\xbf\xbd"), QByteArray("again vwxyz\xef\xbf\xbd"));
        QCOMPARE(take(93, "vwxyz\xef\xbf\xbdok"), QByteArray("ok"));
        KeptEnd late;
        QCOMPARE(late.take(1'000, "end").bytes, QByteArray("end"));
    }

    void whatAProcessPrintsIsShownWhileItLivesAndAfterwards() {
        const auto shown = [&] { // nothing is selected, so that rows come by themselves
            page()->table()->clearSelection();
            page()->takeUpdates();
            return rowOf("process") > 0;
        };
        submit("say", "good morning");
        QTRY_VERIFY_WITH_TIMEOUT(shown(), kSoon);
        click("process");
        const auto lines = [this] {
            const LogText& text = page()->output()->view()->text();
            QString all;
            for (std::size_t i = 0; i < text.size(); ++i) all += text.line(i).text + '\n';
            return all;
        };
        QTest::keyClick(page()->table(), Qt::Key_L, Qt::ControlModifier);
        QVERIFY(page()->output()->isVisible() && !page()->goneTable()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(lines().contains("good morning\n") && lines().contains("GOOD MORNING\n"), kSoon);
        submit("say", "good night");
        QTRY_VERIFY_WITH_TIMEOUT(lines().contains("good night\n"), kSoon);
        QCOMPARE(lines().count("good morning"), 1);
        const QString process = page()->output()->process();
        QCOMPARE(page()->asOperation().yardctl, "yardctl pool --output " + process);
        // Esc leads back to those that are gone.
        QTest::keyClick(window_.get(), Qt::Key_Escape);
        QVERIFY(page()->goneTable()->isVisible() && !page()->output()->isVisible());
        const int before = countGone("detached");
        click("process");
        QTest::mouseClick(button("Detach process"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(countGone("detached"), before + 1, kSoon);
        page()->goneTable()->selectId(process.mid(1).toLongLong());
        page()->goneTable()->setFocus();
        QTest::keyClick(page()->goneTable(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(lines().contains("good night\n"), kSoon);
        QTest::keyClick(window_.get(), Qt::Key_Escape);
    }

    void limitsChangeInPlace() {
        LimitsPanel* limits = page()->limits();
        QLineEdit* most = limits->field("max")->edit();
        QTRY_COMPARE_WITH_TIMEOUT(most->text(), QString("8"), kSoon);
        most->setFocus();
        most->selectAll();
        QTest::keyClicks(most, "many");
        QTest::keyClick(most, Qt::Key_Return);
        QCOMPARE(limits->field("max")->problem(), QString("This wants a number"));
        most->selectAll();
        QTest::keyClicks(most, "100000");
        QTest::keyClick(most, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(limits->field("max")->problem().contains("256"), kSoon);
        most->selectAll();
        QTest::keyClicks(most, "3");
        QTest::keyClick(most, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(limits->field("max")->problem(), QString(), kSoon);
        bool seen = false;
        window_->engine().state()->link().send({"GET", "pool", {}, {}}, this, [&](const Answer& answer) {
            seen = answer.json.value("max").toInteger() == 3;
        });
        QTRY_VERIFY_WITH_TIMEOUT(seen, kSoon);
    }

    void aLostEngineLeavesWhatWasThere() {
        page()->setFilter("thumbs");
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("thumbs") == 0, kSoon);
        page()->setFilter("thumbs");
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->engine().state()->isLive(), kSoon);
        QVERIFY(rowOf("thumbs") == 0);
        QVERIFY(!page()->commands()[0]->isEnabled());
    }
};

QTEST_MAIN(TestPool)
#include "tst_pool.moc"
