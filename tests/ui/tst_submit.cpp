// The form for new work, offscreen, on the real program: fields and JSON fill each other in, inputs are sent, what
// is refused names its field and keeps what was written.
#include "tests/support/waiting.h"
#include "tests/ui/window_test.h"
#include "ui/forms/submit_form.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QPlainTextEdit>
#include <QScrollArea>

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
    static QString textOf(SubmitForm* form, const QString& member) {
        return qobject_cast<QLineEdit*>(form->row(member)->control())->text();
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

    void noRowIsCutAtTheRight() {
        SubmitForm* form = open();
        auto* scroll = form->findChild<QScrollArea*>("fields");
        QVERIFY(QTest::qWaitForWindowExposed(form));
        QVERIFY(scroll->widget()->minimumSizeHint().width() > 0);
        QTRY_VERIFY_WITH_TIMEOUT(
            scroll->widget()->width() > 0 && scroll->widget()->width() <= scroll->viewport()->width(), kWaitMs);
        form->close();
    }

    void byKeysAlone() {
        window_->navigation().openSubmit({});
        SubmitForm* form = window_->findChildren<SubmitForm*>().last();
        QVERIFY(QTest::qWaitForWindowActive(form));
        auto* command = qobject_cast<QLineEdit*>(form->row("argv")->control());
        QTRY_VERIFY_WITH_TIMEOUT(command->hasFocus(), kWaitMs);
        QCOMPARE(command->text(), QString()); // the example is none that could be submitted
        QVERIFY(!form->findChild<QAbstractButton*>("submit-now")->isEnabled());
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

    void fieldsAndJsonFollowEachOther() {
        SubmitForm* form =
            open({{"worker", "exec"}, {"argv", QJsonArray{"true"}}, {"env", QJsonObject{{"A", "1"}}}});
        QVERIFY(form->json()->toPlainText().contains("\"env\""));
        QCOMPARE(textOf(form, "env"), QString("A=1"));
        form->json()->setPlainText("{\"worker\":\"exec\",\"argv\":[\"ls\",\"-l\"],\"deadline_s\":60}");
        QCOMPARE(textOf(form, "argv"), QString("ls -l"));
        QCOMPARE(textOf(form, "deadline_s"), QString("60"));
        QCOMPARE(textOf(form, "env"), QString());
        type(form, "label", "x");
        QVERIFY(form->json()->toPlainText().contains("\"label\": \"x\""));
        QCOMPARE(form->actions().toObject().value("deadline_s").toInt(), 60);
        form->close();
    }

    void whatIsNoActionHasNoFieldsAndIsNotLost() {
        SubmitForm* form = open({{"worker", "exec"}, {"argv", QJsonArray{"true"}}});
        QWidget* field = form->row("label")->control();
        form->json()->setPlainText("[{\"worker\":\"exec\",\"argv\":[\"true\"]}]");
        QVERIFY(form->problem().contains("list"));
        QVERIFY(!field->isEnabled());
        QVERIFY(form->findChild<QAbstractButton*>("submit-now")->isEnabled());
        QCOMPARE(form->actions().toArray().size(), 1);
        form->json()->setPlainText("{oops");
        QVERIFY(form->problem().contains("character"));
        QVERIFY(!field->isEnabled() && form->actions().isNull());
        QVERIFY(!form->findChild<QAbstractButton*>("submit-now")->isEnabled());
        QCOMPARE(form->json()->toPlainText(), QString("{oops"));
        QApplication::clipboard()->setText("before");
        form->findChild<QAction*>("copy-as-curl")->trigger();
        QCOMPARE(QApplication::clipboard()->text(), QString("before"));
        form->json()->setPlainText("{\"worker\":\"exec\",\"argv\":[\"true\"]}");
        QVERIFY(field->isEnabled() && form->problem().isEmpty());
        form->close();
    }

    void aLongTextIsNotCutAndItsSpacesStay() {
        SubmitForm* form = open({{"worker", "exec"},
                                 {"argv", QJsonArray{"true"}},
                                 {"stdin", QJsonObject{{"text", QString(40'000, 'x')}}}});
        auto* edit = qobject_cast<QLineEdit*>(form->row("stdin")->control());
        edit->setFocus();
        QTest::keyClick(edit, Qt::Key_End);
        QTest::keyClicks(edit, "y ");
        QCOMPARE(form->actions().toObject().value("stdin").toObject().value("text").toString(),
                 QString(40'000, 'x') + "y ");
        form->close();
    }

    void theFormHasAFieldForEverythingThatAnActionCanHave() {
        QUrl url = engine_.address();
        url.setPath("/openapi.json");
        QNetworkRequest request(url);
        request.setRawHeader("Authorization", "Bearer " + engine_.token());
        QNetworkAccessManager network;
        QNetworkReply* reply = network.get(request);
        QTRY_VERIFY_WITH_TIMEOUT(reply->isFinished(), kSoon);
        const QJsonObject schemas =
            QJsonDocument::fromJson(reply->readAll()).object().value("components")["schemas"].toObject();
        const QStringList members = schemas.value("Action")["properties"].toObject().keys();
        QVERIFY(members.size() > 20);
        SubmitForm* form = open();
        for (const QString& member : members) QVERIFY2(form->row(member) != nullptr, qPrintable(member));
        form->close();
    }

    void everyMemberReadsAsItIsShown_data() {
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QJsonValue>("value");
        const auto row = [](const char* member, const char* text, const QJsonValue& value) {
            QTest::newRow(member) << QString(member) << QString(text) << value;
        };
        row("argv", "sh -c 'echo $A'", QJsonArray{"sh", "-c", "echo $A"});
        row("cwd", "/tmp/a b", "/tmp/a b");
        row("args", "{\"a\":[1,2]}", QJsonObject{{"a", QJsonArray{1, 2}}});
        row("env", "A=1 'B=two words' SECRET",
            QJsonObject{{"A", "1"}, {"B", "two words"}, {"SECRET", QJsonValue()}});
        row("stdin", "one\\ntwo \\\\", QJsonObject{{"text", "one\ntwo \\"}});
        row("locks", "app:a, app:b", QJsonArray{"app:a", "app:b"});
        row("expect", "a/b.png, c", QJsonArray{"a/b.png", "c"});
        row("resources", "gpus=1, licence.x=2", QJsonObject{{"gpus", 1}, {"licence.x", 2}});
        row("priority", "-5", -5);
        row("max_retries", "0", 0);
        row("max_interruptions", "10", 10);
        row("deadline_s", "60", 60);
        row("array", "0-99", QJsonObject{{"from", 0}, {"to", 99}});
        row("tty", "24x80", QJsonObject{{"rows", 24}, {"cols", 80}});
        row("after", "12, array 13 any", QJsonArray{12, QJsonObject{{"array", 13}, {"on", "any"}}});
        row("replaces", "12, 13", QJsonArray{12, 13});
        row("id", "compile", "compile");
        row("machine", "tag:render", "tag:render");
        row("machine", "desk, local", QJsonArray{"desk", "local"});
        row("jobserver", "true", true);
        row("jobserver", "fifo", "fifo");
        row("platform", "linux-aarch64", "linux-aarch64");
    }
    void everyMemberReadsAsItIsShown() {
        QFETCH(QString, member);
        QFETCH(QString, text);
        QFETCH(QJsonValue, value);
        QCOMPARE(fieldText(member, {{member, value}}), text);
        QJsonObject action{{"worker", "exec"}};
        QVERIFY(readField(member, text, action));
        QCOMPARE(action.value(member), value);
        QVERIFY(readField(member, {}, action));
        QCOMPARE(action, (QJsonObject{{"worker", "exec"}}));
    }

    void aTimeWithoutADayIsTheNextOne() {
        const QDateTime now(QDate(2026, 11, 24), QTime(22, 0));
        const auto read = [&](const QString& text) {
            QJsonObject action;
            return readField("not_before", text, action, now)
                       ? QDateTime::fromMSecsSinceEpoch(action.value("not_before").toInteger() / 1'000)
                       : QDateTime();
        };
        QCOMPARE(read("22:30"), QDateTime(QDate(2026, 11, 24), QTime(22, 30)));
        QCOMPARE(read("06:30"), QDateTime(QDate(2026, 11, 25), QTime(6, 30)));
        QCOMPARE(read("2026-12-01 06:30"), QDateTime(QDate(2026, 12, 1), QTime(6, 30)));
        QVERIFY(!read("soon").isValid());
        QJsonObject action;
        QVERIFY(readField("not_before", "2026-12-01 06:30", action, now));
        QCOMPARE(fieldText("not_before", action), QString("2026-12-01 06:30:00"));
    }

    void whatCannotBeReadLeavesTheActionAsItWas_data() {
        QTest::addColumn<QString>("member");
        QTest::addColumn<QString>("text");
        for (const auto& [member, text] : {std::pair{"env", "'A=1"},
                                           {"env", "=1"},
                                           {"resources", "gpus"},
                                           {"resources", "gpus=x"},
                                           {"priority", "1.5"},
                                           {"deadline_s", "long"},
                                           {"tty", "24"},
                                           {"jobserver", "pipe"},
                                           {"replaces", "x"},
                                           {"max_retries", "many"}})
            QTest::addRow("%s %s", member, text) << QString(member) << QString(text);
    }
    void whatCannotBeReadLeavesTheActionAsItWas() {
        QFETCH(QString, member);
        QFETCH(QString, text);
        const QJsonObject before{{"worker", "exec"}, {"resources", QJsonObject{{"cores", 2}}}};
        QJsonObject action = before;
        QVERIFY(!readField(member, text, action));
        QCOMPARE(action, before);
        QVERIFY(!fieldWants(member).isEmpty());
    }

    void coresAndOtherResourcesDoNotTouchEachOther() {
        QJsonObject action;
        QVERIFY(readField("cores", "2", action));
        QVERIFY(readField("resources", "gpus=1", action));
        QCOMPARE(action.value("resources").toObject(), (QJsonObject{{"cores", 2}, {"gpus", 1}}));
        QVERIFY(readField("resources", "", action));
        QCOMPARE(action.value("resources").toObject(), (QJsonObject{{"cores", 2}}));
        QVERIFY(readField("cores", "", action));
        QVERIFY(action.isEmpty());
    }

    void boxesAreMembersWhereTheyAreNotAsUsual() {
        SubmitForm* form = open({{"worker", "exec"}, {"argv", QJsonArray{"true"}}});
        const auto box = [&](const char* member) { return qobject_cast<QCheckBox*>(form->row(member)->control()); };
        QVERIFY(box("engine_env")->isChecked() && !box("sandbox")->isChecked() && !box("hold")->isChecked());
        for (const char* member : {"engine_env", "sandbox", "hold"}) box(member)->click();
        const QJsonObject action = form->actions().toObject();
        QVERIFY(action.contains("engine_env") && !action.value("engine_env").toBool());
        QVERIFY(action.value("sandbox").toBool() && action.value("hold").toBool());
        for (const char* member : {"engine_env", "sandbox", "hold"}) box(member)->click();
        QCOMPARE(form->actions().toObject().size(), 2);
        form->close();
    }

    void anActionWithEverythingRuns() {
        SubmitForm* form = open();
        type(form, "argv", "sh -c 'read line; echo $A $line'");
        type(form, "env", "A=1");
        type(form, "stdin", "two\\n");
        type(form, "locks", "app:form");
        type(form, "deadline_s", "60");
        type(form, "max_retries", "0");
        type(form, "label", "with everything");
        press(form, "submit-now");
        const auto found = [this] { return jobs("q=label:%22with%20everything%22%20state:completed"); };
        QTRY_COMPARE_WITH_TIMEOUT(found().size(), 1, kSoon);
        const QJsonArray ended = found();
        const qint64 lsn = ended[0]["lsn"].toInteger();
        QCOMPARE(ask("GET", QStringLiteral("jobs/%1/stdout").arg(lsn)).bytes, QByteArray("1 two\n"));
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
        SubmitForm* form = open({{"worker", "exec"}, {"argv", QJsonArray{"true"}}});
        type(form, "priority", "500");
        press(form, "submit-now");
        QTRY_VERIFY_WITH_TIMEOUT(!form->row("priority")->problem().isEmpty(), kSoon);
        QCOMPARE(textOf(form, "priority"), QString("500"));
        type(form, "label", "changed"); // then it may be tried again
        QVERIFY(form->row("priority")->problem().isEmpty());
        QVERIFY(form->findChild<QAbstractButton*>("submit-now")->isEnabled());
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
