// The form for new work, offscreen, on the real program: fields and JSON fill each other in, inputs are sent, what
// is refused names its field and keeps what was written.
#include "tests/support/waiting.h"
#include "tests/ui/window_test.h"
#include "ui/forms/submit_form.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>

using namespace yard;
using namespace yard::ui;

class TestSubmit : public test::WindowTest {
    Q_OBJECT

    QTemporaryDir files_;

    SubmitForm* open(const QJsonObject& action = {}) {
        window_->navigation().openSubmit(action);
        return window_->findChildren<SubmitForm*>().last();
    }
    static void type(SubmitForm* form, const QString& member, const QString& text) {
        auto* edit = qobject_cast<QLineEdit*>(form->row(member)->control());
        edit->setFocus();
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, text);
    }
    static void press(SubmitForm* form, const char* button) { form->findChild<QAbstractButton*>(button)->click(); }

private slots:
    void initTestCase() { QVERIFY(start("submit")); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void commandLinesSplitAsAShellDoes() {
        QCOMPARE(wordsOf("a 'b c' \"d \\\" e\" f\\ g ''"), (QStringList{"a", "b c", "d \" e", "f g", ""}));
        QVERIFY(!wordsOf("a 'b").has_value());
        const QStringList odd{"it's", "", "a b", "$x"};
        QCOMPARE(wordsOf(lineOf(odd)), odd);
    }

    void fieldsMakeTheAction() {
        SubmitForm* form = open();
        type(form, "argv", "sh -c 'echo {index}'");
        type(form, "label", "hello");
        type(form, "cores", "2");
        type(form, "priority", "-5");
        type(form, "array", "0-3");
        type(form, "after", "12, 13 any");
        const QJsonObject action = form->actions().toObject();
        QCOMPARE(action.value("argv").toArray(), (QJsonArray{"sh", "-c", "echo {index}"}));
        QCOMPARE(action.value("label").toString(), QString("hello"));
        QCOMPARE(action.value("resources").toObject().value("cores").toInt(), 2);
        QCOMPARE(action.value("priority").toInt(), -5);
        QCOMPARE(action.value("array").toObject().value("to").toInt(), 3);
        QCOMPARE(action.value("after").toArray().at(1).toObject().value("on").toString(), QString("any"));
        type(form, "cores", "");
        QVERIFY(!form->actions().toObject().contains("resources"));
        form->close();
    }

    void byKeysAlone() {
        window_->navigation().openSubmit({});
        SubmitForm* form = window_->findChildren<SubmitForm*>().last();
        QVERIFY(QTest::qWaitForWindowActive(form));
        auto* command = qobject_cast<QLineEdit*>(form->row("argv")->control());
        QTRY_VERIFY_WITH_TIMEOUT(command->hasFocus(), kWaitMs);
        QCOMPARE(command->selectedText(), QString("echo hello")); // so that typing is in place of it
        QTest::keyClicks(command, "true by keys");
        const qint64 before = window_->engine().state()->count(DisplayState::Completed);
        QTest::keyClick(command, Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Completed), before + 1, kSoon);
        // Not what cannot be submitted.
        form = open();
        type(form, "argv", "a 'b");
        QTest::keyClick(form, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(form->isVisible());
        form->close();
    }

    void aFieldThatCannotBeReadSaysWhyAndBlocksSubmitting() {
        SubmitForm* form = open();
        for (const auto& [member, text] : {std::pair{"argv", "a 'b"},
                                           {"array", "some"},
                                           {"after", "x"},
                                           {"cores", "many"},
                                           {"inputs", "what"}}) {
            type(form, member, text);
            QVERIFY2(!form->row(member)->problem().isEmpty(), member);
            QVERIFY(!form->findChild<QAbstractButton*>("submit-now")->toolTip().isEmpty());
            type(form, member, "");
        }
        form->close();
    }

    void theViewsFillEachOtherInAndKeepWhatTheFormDoesNotKnow() {
        SubmitForm* form =
            open({{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"env", QJsonObject{{"A", "1"}}}});
        press(form, "view-json");
        auto* text = form->findChild<QPlainTextEdit*>("json");
        QVERIFY(text->toPlainText().contains("env"));
        text->setPlainText("{\"worker\":\"exec\",\"argv\":[\"ls\",\"-l\"],\"env\":{\"A\":\"2\"}}");
        press(form, "view-form");
        QCOMPARE(qobject_cast<QLineEdit*>(form->row("argv")->control())->text(), QString("ls -l"));
        type(form, "label", "x");
        QCOMPARE(form->actions().toObject().value("env").toObject().value("A").toString(), QString("2"));
        press(form, "view-json");
        text->setPlainText("[{}]");
        press(form, "view-form");
        QVERIFY(form->problem().contains("list"));
        text->setPlainText("{oops");
        QVERIFY(form->problem().contains("character"));
        form->close();
    }

    void anInputIsHashedSentAndSubmitted() {
        const QString path = files_.filePath("photo.jpg");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("bytes of a photo " + QByteArray::number(QDateTime::currentMSecsSinceEpoch()));
        file.close();
        SubmitForm* form = open({{"worker", "exec"}, {"argv", QJsonArray{"cat", "inputs/photo.jpg"}}});
        form->addInput(path);
        QTRY_VERIFY_WITH_TIMEOUT(form->actions().toObject().contains("inputs"), kSoon);
        const QPointer<SubmitForm> alive(form);
        const qint64 before = window_->engine().state()->count(DisplayState::Completed);
        press(form, "submit-now");
        QTRY_VERIFY_WITH_TIMEOUT(!alive, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Completed), before + 1, kSoon);
    }

    void anInputThatCannotBeReadSaysSo() {
        SubmitForm* form = open();
        form->addInput(files_.filePath("nowhere"));
        QTRY_VERIFY_WITH_TIMEOUT(form->row("inputs")->problem().contains("nowhere"), kSoon);
        form->close();
    }

    void whatTheEngineRefusesNamesItsFieldAndStays() {
        SubmitForm* form = open();
        type(form, "priority", "500");
        press(form, "submit-now");
        QTRY_VERIFY_WITH_TIMEOUT(!form->row("priority")->problem().isEmpty(), kSoon);
        QCOMPARE(qobject_cast<QLineEdit*>(form->row("priority")->control())->text(), QString("500"));
        form->close();
    }

    void itIsCopiedAsACommand() {
        SubmitForm* form = open();
        form->findChild<QAction*>("copy-as-yardctl")->trigger();
        QVERIFY(
            QApplication::clipboard()->text().contains("yardctl --data-dir " + engine_.directory() + " submit"));
        form->findChild<QAction*>("copy-as-curl")->trigger();
        QVERIFY(QApplication::clipboard()->text().startsWith("curl"));
        form->close();
    }

    void functionsAreThoseOfTheWorker() {
        SubmitForm* form = open({{"worker", "thumb"}, {"function", "small"}});
        QVERIFY(!form->row("argv")->isVisible());
        QVERIFY(form->row("function")->isVisible());
        qobject_cast<QComboBox*>(form->row("worker")->control())->setEditText("exec");
        QVERIFY(form->row("argv")->isVisible());
        QVERIFY(!form->actions().toObject().contains("function"));
        form->close();
    }
};

QTEST_MAIN(TestSubmit)
#include "tst_submit.moc"
