// What warm workers answer, in the detail of their actions: the result to read, copy and save, and the message.
#include "tests/support/waiting.h"
#include "tests/ui/warm_worker.h"
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/result_view.h"
#include "ui/widgets/text_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QPlainTextEdit>

using namespace yard;
using namespace yard::ui;

class TestResult : public test::WindowTest {
    Q_OBJECT

    QTemporaryDir files_;
    QString worker_;
    qint64 queue_ = 0; ///< retries nothing

    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->navigation().page())->detail(); }
    ResultView* result() { return detail()->result(); }
    /// The action has ended and its detail is open.
    void show(const QJsonValue& args, const QString& state) {
        const QJsonObject job{{"worker", worker_}, {"function", "add"}, {"args", args}};
        const qint64 lsn =
            ask("POST", QStringLiteral("queues/%1/jobs").arg(queue_), job).json.value("lsn").toInteger();
        QVERIFY(lsn != 0);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), state, kSoon);
        window_->navigation().showAction(lsn, "output");
        QTRY_COMPARE_WITH_TIMEOUT(detail()->action().value("lsn").toInteger(), lsn, kSoon);
    }
    void press(const QString& text) {
        for (auto* button : result()->findChildren<QAbstractButton*>())
            if (button->text() == text) return QTest::mouseClick(button, Qt::LeftButton);
        QFAIL(qPrintable(text));
    }
    static QJsonArray ones(int count) {
        QJsonArray list;
        for (int i = 0; i < count; ++i) list.append(1);
        return list;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("result", {"--capacity", "2"}));
        QVERIFY(openWindow());
        worker_ = test::registerWarmWorker(window_->engine().state()->link(), "adder", "1", {{"max_processes", 1}});
        QVERIFY(!worker_.isEmpty());
        const QJsonObject config{{"config", QJsonObject{{"max_retries", 0}}}};
        queue_ = ask("POST", "queues", config).json.value("queue_id").toInteger();
        QVERIFY(queue_ != 0);
    }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void aResultHasThePlaceOfTheOutputThereIsNot() {
        show(QJsonObject{{"a", QJsonArray{1, "two"}}, {"b", QJsonArray{QJsonObject{{"three", 3}}}}}, "completed");
        QTRY_VERIFY_WITH_TIMEOUT(result()->isVisible(), kSoon);
        QCOMPARE(result()->text()->toPlainText(),
                 QString("[\n    1,\n    \"two\",\n    {\n        \"three\": 3\n    }\n]\n"));
        QVERIFY(!detail()->output()->isVisible());
        detail()->takeFocus();
        QTRY_VERIFY_WITH_TIMEOUT(result()->text()->hasFocus(), kWaitMs);
        // What printed something has its output, and nothing is left of the result of the one before.
        const qint64 other = submit("prints", "echo hello");
        window_->navigation().showAction(other, "output");
        QTRY_VERIFY_WITH_TIMEOUT(detail()->output()->isVisible() && !result()->isVisible(), kSoon);
    }

    void aNumberIsAResultAsWell() {
        show(QJsonObject{{"a", 20}, {"b", 22}}, "completed");
        QTRY_COMPARE_WITH_TIMEOUT(result()->text()->toPlainText(), QString("42"), kSoon);
        press("Copy");
        QCOMPARE(QApplication::clipboard()->text(), QString("42"));
        QVERIFY(window_->findChild<StatusBar*>("status-bar")->sentence().contains("result of action"));
    }

    void ofALongOneTheBeginningIsShownAndTheWholeIsCopiedAndSaved() {
        show(QJsonObject{{"a", ones(10'000)}, {"b", ones(10'000)}}, "completed");
        QTRY_COMPARE_WITH_TIMEOUT(result()->text()->toPlainText().size(), ResultView::kMostShown, kSoon);
        const QString whole = jsonText(ones(20'000));
        press("Copy");
        QCOMPARE(QApplication::clipboard()->text(), whole);
        const QString path = files_.filePath("result.json");
        chooseNext(path);
        press("Save…");
        QFile saved(path);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(saved.readAll()), whole);
        QVERIFY(window_->findChild<StatusBar*>("status-bar")->sentence().contains(path));
        // Where nothing can be written it says so.
        chooseNext(files_.filePath("no/such/folder/result.json"));
        press("Save…");
        QVERIFY(window_->findChild<StatusBar*>("status-bar")->sentence().contains("folder"));
        QVERIFY(!QFile::exists(files_.filePath("no")));
    }

    void whatItSaidOfItsFailureIsAFactAndStandsWhereNothingWasPrinted() {
        show(QJsonObject{{"a", 1}}, "failed");
        const auto factOf = [&](const QString& name) -> QString {
            for (const Fact& fact : detail()->why()->facts())
                if (fact.name == name) return fact.value;
            return {};
        };
        const auto message = [&] { return factOf("message"); };
        QTRY_VERIFY_WITH_TIMEOUT(message().contains("KeyError"), kSoon);
        QVERIFY(!result()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(detail()->output()->view()->spokenValue().contains("KeyError"), kSoon);
        // Of what printed something it is the first error, and other output is no message.
        const qint64 bad = submit("prints an error", "echo fine; echo 'error: no disk' >&2; exit 3");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(bad), QString("failed"), kSoon);
        window_->navigation().showAction(bad, "output");
        QTRY_COMPARE_WITH_TIMEOUT(factOf("first error"), QString("error: no disk"), kSoon);
        QCOMPARE(message(), QString());
        const qint64 ended = submit("prints and is cancelled", "echo rendering; sleep 60");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ended), QString("running"), kSoon);
        window_->navigation().showAction(ended, "output");
        QTRY_VERIFY_WITH_TIMEOUT(detail()->output()->view()->text().size() > 0, kSoon);
        ask("POST", QStringLiteral("jobs/%1/cancel").arg(ended));
        QTRY_COMPARE_WITH_TIMEOUT(factOf("reason"), QString("cancelled"), kSoon);
        QCOMPARE(message() + factOf("first error"), QString());
    }

    void whatWasWrittenAndLostIsNotCalledNothing() {
        show(QJsonObject{{"a", 20}, {"b", 22}}, "completed");
        OutputTab* output = detail()->output();
        const QJsonObject kept{{"n", 1}, {"stdout", QJsonObject{{"size", 0}}}};
        const QJsonObject lost{{"n", 2}, {"output_lost", true}};
        const QJsonObject action{
            {"lsn", 999'999}, {"state", "failed"}, {"retry_count", 1}, {"attempts", QJsonArray{kept, lost}}};
        output->show(action, 1);
        QVERIFY(output->view()->spokenValue().contains("wrote nothing"));
        output->show(action, 2);
        QVERIFY(output->view()->spokenValue().contains("was lost"));
    }
};

QTEST_MAIN(TestResult)
#include "tst_result.moc"
