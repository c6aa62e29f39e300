// Workers in the window, offscreen, on the real program: drafts, questions to programs, registration with its
// chunks, the page, removing.
#include "tests/ui/window_test.h"
#include "ui/forms/describer.h"
#include "ui/forms/register_form.h"
#include "ui/pages/workers/worker_panel.h"
#include "ui/pages/workers/workers_page.h"
#include "ui/state/chunk_upload.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>

using namespace yard;
using namespace yard::ui;

namespace {
constexpr const char* kProgram =
    "#!/bin/sh\n"
    "[ \"$1\" = --describe ] && echo '{\"functions\":[{\"name\":\"thumb\",\"version\":\"2\"},"
    "{\"name\":\"fail\"}]}' && exit 0\n"
    "exit 1\n";
} // namespace

class TestWorkers : public test::WindowTest {
    Q_OBJECT

    QTemporaryDir files_;

    QString write(const QString& name, const QByteArray& text, bool runs) {
        const QString path = files_.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(text);
        if (runs) file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    RegisterForm* openForm(const QString& path) {
        window_->navigation().openRegister(path);
        return window_->findChildren<RegisterForm*>().last();
    }
    WorkersPage* page() {
        window_->navigation().show("workers");
        return qobject_cast<WorkersPage*>(window_->navigation().page());
    }
    int rowOf(const QString& name) { return rowWith(page()->table()->rows(), name); }
    void registerFrom(const QString& path) {
        RegisterForm* form = openForm(path);
        QTRY_VERIFY_WITH_TIMEOUT(form->descriptor().contains("functions"), kSoon);
        const QPointer<RegisterForm> alive(form);
        form->findChild<QAbstractButton*>("register-now")->click();
        QTRY_VERIFY_WITH_TIMEOUT(!alive, kSoon);
    }

private slots:
    void initTestCase() { QVERIFY(start("workers")); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void namesAreMadeOfWhatThereIs() {
        QCOMPARE(workerNameFrom("thumb-2"), QString("thumb-2"));
        QCOMPARE(workerNameFrom("2 thumbs!"), QString("thumbs"));
        QCOMPARE(workerNameFrom("cancel"), QString("worker"));
        QCOMPARE(workerNameFrom("äö"), QString("worker"));
    }

    void aProgramIsAWorkerWithGuessesThatSaySo() {
        const WorkerDraft draft = draftWorker(write("thumb.sh", kProgram, true));
        QCOMPARE(draft.problem, QString());
        QCOMPARE(draft.descriptor.value("name").toString(), QString("thumb"));
        QCOMPARE(draft.descriptor.value("executable").toString(), QString("thumb.sh"));
        QVERIFY(draft.guesses.contains("name"));
        QVERIFY(draft.guesses.contains("version"));
        QVERIFY(!draft.guesses.contains("executable"));
        QVERIFY(draft.describes);
    }

    void aDescriptorThatIsNoJsonTellsTheLineBesideItsText() {
        const QString path = write("broken/worker.json", "{\n  \"name\": \"a\",\n  oops\n}\n", false);
        const WorkerDraft draft = draftWorker(QFileInfo(path).path());
        QVERIFY2(draft.problem.startsWith("Line 3"), qPrintable(draft.problem));
        QVERIFY(draft.text.contains("oops"));
    }

    void whatIsNoWorkerSaysWhatOneIs() {
        QVERIFY(draftWorker(write("notes.txt", "hello", false)).problem.contains("descriptor"));
        QVERIFY(draftWorker(files_.filePath("nowhere")).problem.contains("not there"));
        QVERIFY(draftWorker(write("list.json", "[1]", false)).problem.contains("object"));
        QDir().mkpath(files_.filePath("hollow"));
        QVERIFY(draftWorker(files_.filePath("hollow")).problem.contains("worker.json"));
    }

    void aProgramIsAskedForItsFunctions() {
        Describer describer;
        Described answer;
        bool done = false;
        describer.ask(write("asked.sh", kProgram, true), [&](const Described& got) {
            answer = got;
            done = true;
        });
        QTRY_VERIFY_WITH_TIMEOUT(done, kSoon);
        QCOMPARE(answer.problem, QString());
        QCOMPARE(answer.functions.size(), 2);
    }

    void aProgramThatHangsFloodsOrBabblesIsEnded() {
        const auto problemOf = [&](const QByteArray& script, DescribeLimits limits) {
            Describer describer(limits);
            QString problem;
            bool done = false;
            describer.ask(write("odd.sh", "#!/bin/sh\n" + script, true), [&](const Described& got) {
                problem = got.problem;
                done = true;
            });
            [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
            return problem;
        };
        QVERIFY(problemOf("sleep 600\n", {std::chrono::milliseconds(100), 1'000}).contains("within"));
        QVERIFY(problemOf("yes\n", {std::chrono::seconds(10), 1'000}).contains("too much"));
        QVERIFY(problemOf("echo hello\n", {std::chrono::seconds(10), 1'000}).contains("--describe"));
        Describer describer;
        QString problem;
        describer.ask("/nowhere/program", [&](const Described& got) { problem = got.problem; });
        QTRY_VERIFY_WITH_TIMEOUT(problem.contains("started"), kSoon);
    }

    void aProgramIsRegisteredWithItsChunksAndStandsInTheTable() {
        registerFrom(write("thumb.sh", kProgram, true));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("thumb") >= 0, kSoon);
        QCOMPARE(page()->table()->rows()->cell(rowOf("thumb"), 3).text, QString("thumb, fail"));
        QCOMPARE(page()->table()->rows()->cell(rowOf("thumb"), 2).text, QString("process"));
    }

    void aFolderWithItsDescriptorIsRegisteredAsItIs() {
        write("folder/bin/convert", kProgram, true);
        write("folder/worker.json",
              R"({"name":"convert","version":"3.1","executable":"bin/convert","functions":[{"name":"all"}]})",
              false);
        RegisterForm* form = openForm(files_.filePath("folder"));
        QTRY_COMPARE_WITH_TIMEOUT(form->descriptor().value("name").toString(), QString("convert"), kSoon);
        QVERIFY(form->row("platform")->note().contains("guessed"));
        QCOMPARE(form->row("version")->note(), QString());
        form->findChild<QAbstractButton*>("register-now")->click();
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("convert") >= 0, kSoon);
        QCOMPARE(page()->table()->rows()->cell(rowOf("convert"), 1).text, QString("3.1"));
    }

    void fieldsAndTextFillEachOtherIn() {
        RegisterForm* form = openForm(write("both.sh", kProgram, true));
        QTRY_VERIFY_WITH_TIMEOUT(form->descriptor().contains("functions"), kSoon);
        auto* version = qobject_cast<QLineEdit*>(form->row("version")->control());
        version->setFocus();
        version->selectAll();
        QTest::keyClicks(version, "7.2");
        QCOMPARE(form->row("version")->note(), QString());
        auto* text = form->findChild<QPlainTextEdit*>("descriptor");
        QVERIFY(text->toPlainText().contains("\"7.2\""));
        version->clearFocus();
        text->setPlainText(R"({"name":"other","executable":"both.sh"})");
        QCOMPARE(qobject_cast<QLineEdit*>(form->row("name")->control())->text(), QString("other"));
        text->setPlainText("{\n oops");
        QVERIFY(form->problem().startsWith("Line 2"));
        QVERIFY(!form->findChild<QAbstractButton*>("register-now")->toolTip().isEmpty());
        form->close();
    }

    void aFieldThatTheDescriptorCannotHaveIsNamedAndNothingIsLost() {
        RegisterForm* form = openForm(write("bad.sh", kProgram, true));
        QTRY_VERIFY_WITH_TIMEOUT(form->descriptor().contains("functions"), kSoon);
        auto* name = qobject_cast<QLineEdit*>(form->row("name")->control());
        name->setFocus();
        name->selectAll();
        QTest::keyClicks(name, "1 bad name");
        form->findChild<QAbstractButton*>("register-now")->click();
        QTRY_VERIFY_WITH_TIMEOUT(!form->row("name")->problem().isEmpty(), kSoon);
        QCOMPARE(name->text(), QString("1 bad name"));
        form->close();
    }

    void aMissingFileOfAChunkIsTold() {
        QString message;
        window_->engine().state()->link().sendFile({"PUT", "chunks/" + QString(64, 'a'), {}, {}},
                                                   files_.filePath("nowhere"), this,
                                                   [&](const Answer& answer) { message = answer.message; });
        QTRY_VERIFY_WITH_TIMEOUT(message.contains("cannot be read"), kSoon);
        message.clear();
        runWithChunks(*window_->engine().commands(),
                      operations::submit(QJsonObject{{"worker", "exec"},
                                                     {"argv", QJsonArray{"true"}},
                                                     {"inputs", QJsonObject{{"a", QString(64, 'b')}}}},
                                         0, "default"),
                      {}, this, [&](const Answer& answer) { message = answer.message; });
        QTRY_VERIFY_WITH_TIMEOUT(message.contains("lacks"), kSoon);
    }

    void thePanelTellsFilesAndDescriptor() {
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("convert") >= 0, kSoon);
        page()->table()->selectRow(rowOf("convert"));
        QCOMPARE(page()->panel()->id().size(), 64);
        page()->closeInnermost();
        const QAbstractItemModelTester tester(page()->table()->rows(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        page()->takeUpdates();
    }

    void aWorkerThatIsNotUsedIsRemovedAndOneInUseIsAskedAbout() {
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("convert") >= 0, kSoon);
        page()->table()->selectRow(rowOf("convert"));
        page()->commands().last()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("convert") < 0, kSoon);
        page()->closeInnermost();
        window_->engine().commands()->run(operations::submit(
            QJsonObject{{"worker", "thumb"}, {"function", "thumb"}, {"hold", true}}, 0, "default"));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("thumb") >= 0, kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(page()->table()->rows()->cell(rowOf("thumb"), 6).text, QString("1"), kSoon * 2);
        page()->table()->selectRow(rowOf("thumb"));
        answerNext("keep");
        page()->commands().last()->trigger();
        QVERIFY(rowOf("thumb") >= 0);
        answerNext("verb");
        page()->commands().last()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(page()->isEmpty(), kSoon);
    }
};

QTEST_MAIN(TestWorkers)
#include "tst_workers.moc"
