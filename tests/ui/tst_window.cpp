// The window as a whole, offscreen, on the real program: what its bars say, its pages, what undo and questions do.
#include "tests/ui/demo_load.h"
#include "tests/ui/window_test.h"
#include "ui/pages/queues/queues_page.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPointer>

using namespace yard;
using namespace yard::ui;

class TestWindow : public test::WindowTest {
    Q_OBJECT

    QueuesPage* queues() {
        window_->navigation().show("queues");
        return qobject_cast<QueuesPage*>(window_->navigation().page());
    }
    /// The row of the queue with this name; -1: none.
    int rowOf(const QString& name) { return rowWith(queues()->table()->rows(), name); }
    void makeQueue(const QString& tag) {
        window_->engine().commands()->run(operations::createQueue(tag, {{"idle_expiry_s", 0}}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(tag) >= 0, kSoon);
    }

private slots:
    void initTestCase() { QVERIFY(start("window")); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void theStatusBarTellsTheConnection() {
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<StatusBar*>("status-bar")->connectionText(),
                                  QString("Connected"), kSoon);
    }

    void aKilledEngineIsToldInTheStatusBarAloneAndTheWindowHealsWhenItIsBack() {
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(
            window_->findChild<StatusBar*>("status-bar")->connectionText().startsWith("Reconnecting"), kSoon);
        QVERIFY(window_->findChildren<QDialog*>().isEmpty());
        QVERIFY(engine_.start());
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<StatusBar*>("status-bar")->connectionText(),
                                  QString("Connected"), kSoon);
    }

    void aQueueMadeElsewhereAppears() {
        makeQueue("cook");
        QCOMPARE(queues()->table()->rows()->cell(rowOf("cook"), 1).text, QString("Active"));
    }

    void holdAndReleaseByTheKeyOfTheRow() {
        makeQueue("held-by-key");
        queues()->table()->selectRow(rowOf("held-by-key"));
        queues()->table()->setFocus();
        QTest::keyClick(queues()->table(), Qt::Key_H, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(queues()->table()->rows()->cell(rowOf("held-by-key"), 1).text, QString("Held"),
                                  kSoon);
    }

    void deletingAQueueAsksAndTheSafeButtonKeepsIt() {
        makeQueue("precious");
        queues()->table()->selectRow(rowOf("precious"));
        queues()->table()->setFocus();
        answerNext("keep");
        QTest::keyClick(queues()->table(), Qt::Key_Delete, Qt::ShiftModifier);
        QVERIFY(rowOf("precious") >= 0);
        window_->activateWindow(); // the offscreen platform does not do so by itself
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        queues()->table()->setFocus();
        answerNext("verb");
        QTest::keyClick(queues()->table(), Qt::Key_Delete, Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->queueName(0), QString("default"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::none_of(window_->engine().state()->queues(),
                                 [](const auto& entry) { return entry.second.tag == "precious"; }),
            kSoon);
    }

    void whatWaitsToBeUndoneIsNotSent() {
        const qint64 lsn = submit("undone", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->engine().commands()->change(retiringOf(Target::of({lsn})));
        QVERIFY(window_->engine().commands()->waiting() != nullptr);
        QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window_->engine().commands()->waiting() == nullptr);
        QCOMPARE(stateOf(lsn), QString("completed"));
        window_->engine().commands()->change(retiringOf(Target::of({lsn})));
        window_->engine().commands()->sendNow();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString(), kSoon);
    }

    void theBarWithUndoLiesAtTheFootOfThePageAndMovesNothing() {
        Table* table = queues()->table();
        const qint64 lsn = submit("stands still", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        const QWidget* page = window_->navigation().page();
        const auto places = [&] {
            return std::pair(QRect(table->mapTo(window_.get(), QPoint()), table->size()),
                             QRect(page->mapTo(window_.get(), QPoint()), page->size()));
        };
        const auto before = places();
        window_->engine().commands()->change(retiringOf(Target::of({lsn})));
        auto* bar = window_->findChild<UndoBar*>();
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kSoon);
        const auto isAtTheFoot = [&] {
            const QRect whole = places().second;
            const QRect own(bar->mapTo(window_.get(), QPoint()), bar->size());
            return own.left() == whole.left() && own.right() == whole.right() && own.bottom() == whole.bottom();
        };
        QVERIFY(isAtTheFoot());
        QCOMPARE(places(), before);
        // On top: what is there is the bar, or a part of it.
        const QWidget* there = window_->childAt(bar->mapTo(window_.get(), QPoint(bar->width() - 4, 4)));
        QCOMPARE(there, static_cast<const QWidget*>(bar));
        window_->resize(1'200, 760);
        QTRY_VERIFY_WITH_TIMEOUT(isAtTheFoot(), kSoon);
        window_->navigation().show("actions");
        QCOMPARE(window_->childAt(bar->mapTo(window_.get(), QPoint(bar->width() - 4, 4))), there);
        window_->engine().commands()->undo();
        QVERIFY(!bar->isVisible());
    }

    void theBarWithUndoIsThereAgainWhenTheWindowIsMadeAgain() {
        const qint64 lsn = submit("made again", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->engine().commands()->change(retiringOf(Target::of({lsn})));
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        const QPointer<UndoBar> before(window_->findChild<UndoBar*>());
        QVERIFY(!before.isNull());
        window_->remake();
        QTRY_VERIFY_WITH_TIMEOUT(before.isNull(), kSoon);
        auto* bar = window_->findChild<UndoBar*>();
        QVERIFY(bar != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kSoon);
        window_->engine().commands()->undo();
        QVERIFY(!bar->isVisible());
        QCOMPARE(stateOf(lsn), QString("completed"));
    }

    void whatWaitsToBeUndoneIsDroppedWhenTheConnectionBreaks() {
        QString said;
        connect(window_->engine().commands(), &Commands::said, this,
                [&](const QString& sentence) { said = sentence; });
        const qint64 lsn = submit("dropped", "true");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->engine().commands()->change(retiringOf(Target::of({lsn})));
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() == nullptr, kSoon);
        QVERIFY(said.contains("not sent"));
        QVERIFY(engine_.start());
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->isLive(), kSoon);
        QCOMPARE(stateOf(lsn), QString("completed"));
    }

    void everyPageModelKeepsTheRulesOfModels() {
        const QAbstractItemModelTester tester(queues()->table()->rows(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        makeQueue("one-more");
    }

    void everyControlHasAName() {
        for (const PageSpec& spec : window_->navigation().pages()) {
            window_->navigation().show(spec.id);
            for (QAbstractButton* button : window_->findChildren<QAbstractButton*>())
                QVERIFY2(!button->isVisible() || !button->text().isEmpty() || !button->accessibleName().isEmpty() ||
                             button->objectName().startsWith("qt_"),
                         qPrintable(spec.id + ": a button of " + button->parent()->metaObject()->className()));
            for (QLineEdit* edit : window_->findChildren<QLineEdit*>())
                QVERIFY2(!edit->accessibleName().isEmpty() || edit->parent()->inherits("QComboBox") ||
                             edit->parent()->inherits("QAbstractSpinBox"),
                         qPrintable(spec.id));
        }
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
