// While there is no connection to the engine: what would change something says so instead of seeming to work, and
// works again when the engine is back.
#include "tests/ui/painted.h"
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queues_page.h"
#include "ui/widgets/table.h"

#include <QAction>

using namespace yard;
using namespace yard::ui;

class TestLost : public test::WindowTest {
    Q_OBJECT

    QueuesPage* queues() {
        window_->navigation().show("queues");
        return qobject_cast<QueuesPage*>(window_->navigation().page());
    }
    QString whyNot(const QString& command) {
        for (const QAction* action : window_->navigation().page()->commands())
            if (action->objectName() == command) return blockedWhy(action);
        return "no such command";
    }
    QAbstractButton* button(const QString& text) {
        for (auto* each : window_->navigation().page()->findChildren<QAbstractButton*>())
            if (each->text() == text && each->isVisible()) return each;
        return nullptr;
    }

private slots:
    void initTestCase() { QVERIFY(start("lost")); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void commandsAndSettingsOfAQueueSayThatThereIsNoConnection() {
        const qint64 queue =
            ask("POST", "queues", QJsonObject{{"tag", "cut-off"}}).json.value("queue_id").toInteger();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->queue(queue) != nullptr, kSoon);
        queues()->open(queue, {});
        QTRY_COMPARE_WITH_TIMEOUT(queues()->panel()->queue(), queue, kSoon);
        for (const char* command : {"hold", "drain", "cancel", "delete"}) QCOMPARE(whyNot(command), QString());
        engine_.kill();
        const QString lost = "There is no connection to the engine";
        QTRY_COMPARE_WITH_TIMEOUT(whyNot("hold"), lost, kSoon);
        for (const char* command : {"release", "drain", "cancel", "delete", "reschedule-failures"})
            QCOMPARE(whyNot(command), lost);
        QCOMPARE(whyNot("show-actions"), QString()); // changes nothing
        QCOMPARE(button("New queue…")->toolTip(), lost);
        auto* retries = queues()->panel()->findChild<QLineEdit*>("max_retries");
        retries->setFocus();
        retries->selectAll();
        QTest::keyClicks(retries, "7");
        QTest::keyClick(retries, Qt::Key_Return);
        auto* field = qobject_cast<ValueField*>(retries->parentWidget());
        QCOMPARE(field->problem(), lost);
        QVERIFY(engine_.start());
        QTRY_COMPARE_WITH_TIMEOUT(whyNot("hold"), QString(), kSoon);
        // What was written stays to be entered once more.
        QCOMPARE(retries->text(), QString("7"));
        QTest::keyClick(retries, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(field->problem(), QString(), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->queue(queue)->config.value("max_retries").toInt(), 7,
                                  kSoon);
    }

    void outputThatCannotBeReadIsNotSaidToBeNone() {
        const qint64 queue = makeQueue("once", {{"max_retries", 0}});
        const qint64 failed = submit("speaks", "echo so it says; exit 1", {}, queue);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(failed), QString("failed"), kSoon);
        window_->navigation().showAction(failed, "output");
        DetailPanel* detail = qobject_cast<ActionsPage*>(window_->navigation().page())->detail();
        const auto painted = [&] { return test::Painted(*detail->output()).text(); };
        QTRY_VERIFY_WITH_TIMEOUT(painted().contains("so it says"), kSoon);
        QVERIFY(button("Reschedule")->toolTip().isEmpty());
        engine_.kill();
        const QString lost = "There is no connection to the engine";
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->whyBlocked(), lost, kSoon);
        for (const auto* each : detail->findChildren<QAbstractButton*>())
            if (each->text() == "Reschedule") QCOMPARE(each->toolTip(), lost);
        window_->navigation().show("queues"); // away and back: the output has to be asked for again
        window_->navigation().show("actions");
        QVERIFY2(painted().contains(lost) && !painted().contains("nothing"), qPrintable(painted()));
        QVERIFY(engine_.start());
        QTRY_VERIFY_WITH_TIMEOUT(painted().contains("so it says"), kSoon);
    }
};

QTEST_MAIN(TestLost)
#include "tst_lost.moc"
