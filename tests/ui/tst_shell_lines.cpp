// Lines for a shell: they name the engine that the window shows, whatever engine the shell would find by itself.
#include "core/base/files.h"
#include "ui/bridge/engine_link.h"
#include "ui/bridge/operation.h"
#include "ui/desktop/terminal.h"
#include "ui/state/reproduction.h"

#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {
const QUrl kAddress("http://10.0.0.7:8640/compute");
}

class TestShellLines : public QObject {
    Q_OBJECT

    static void makeProgram(const QString& path, const QString& script) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("#!/bin/sh\n" + script.toUtf8() + '\n') > 0);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }
    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void anEngineElsewhereIsNamedByAddressAndTokenFile() {
        const ShellEngine engine{{}, "/home/me/a token"};
        QCOMPARE(
            yardctlFor("yardctl show 7", engine, kAddress),
            QString(
                "yardctl --url http://10.0.0.7:8640/compute --insecure --token-file '/home/me/a token' show 7"));
        QCOMPARE(curlOf({"GET", "jobs/7"}, engine, kAddress),
                 QString("curl -sS -H \"Authorization: Bearer $(cat '/home/me/a token')\" "
                         "http://10.0.0.7:8640/compute/jobs/7"));
        QVERIFY(curlOf({"DELETE", "jobs/7"}, engine, kAddress).contains(" -X DELETE "));
        QVERIFY(curlOf({"A; touch b", "jobs/7"}, engine, kAddress).contains(" -X 'A; touch b' "));
    }

    void aTokenThatIsInNoFileIsAskedForByName() {
        QCOMPARE(
            yardctlFor("yardctl show 7", {}, kAddress),
            QString(
                "yardctl --url http://10.0.0.7:8640/compute --insecure --token-file \"$YARD_TOKEN_FILE\" show 7"));
        QVERIFY(curlOf({"GET", "jobs/7"}, {}, kAddress).contains("$(cat \"$YARD_TOKEN_FILE\")"));
    }

    void anEngineByTlsIsKnownByItsKey() {
        const QUrl address("https://10.0.0.7:8640/compute");
        const ShellEngine engine{{}, "/t", QByteArray(64, '0')};
        QCOMPARE(yardctlFor("yardctl show 7", engine, address),
                 QString("yardctl --url https://10.0.0.7:8640/compute --token-file /t show 7"));
        QCOMPARE(curlOf({"GET", "jobs/7"}, engine, address),
                 QString("curl -sS -k --pinnedpubkey sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= "
                         "-H \"Authorization: Bearer $(cat /t)\" https://10.0.0.7:8640/compute/jobs/7"));
        // Authorities vouch for it.
        QVERIFY(!curlOf({"GET", "jobs/7"}, {{}, "/t"}, address).contains("-k"));
        const QUrl here("http://127.0.0.1:8640/compute");
        QVERIFY(!yardctlFor("yardctl show 7", engine, here).contains("--insecure"));
        QVERIFY(!curlOf({"GET", "jobs/7"}, engine, here).contains("-k"));
    }

    void anEngineOfADirectoryIsNamedByIt() {
        const QTemporaryDir directory;
        const ShellEngine engine{directory.path(), {}};
        QCOMPARE(yardctlFor("yardctl show 7", engine, kAddress),
                 QStringLiteral("yardctl --data-dir %1 show 7").arg(directory.path()));
        QVERIFY(curlOf({"GET", "jobs/7"}, engine, kAddress).contains(directory.path() + "/token"));
    }

    void theEngineThatYardctlFindsItselfNeedsNoName() {
        const ShellEngine engine{QString::fromStdString(defaultDataDirectory()), {}};
        QCOMPARE(yardctlFor("yardctl show 7", engine, kAddress), QString("yardctl show 7"));
        QCOMPARE(yardctlFor({}, engine, kAddress), QString());
    }

    void whatIsPipedInStaysAsItIs() {
        const QJsonObject action{{"worker", "exec"}, {"argv", QJsonArray{"echo", "| yardctl cancel 5"}}};
        const QString line = yardctlFor(operations::submit(action, 3, "q").yardctl, {"/data", {}}, kAddress);
        QVERIFY2(line.startsWith("printf '%s' ") && line.endsWith("| yardctl --data-dir /data submit --queue 3 -"),
                 qPrintable(line));
        QVERIFY2(line.contains("| yardctl cancel 5"), qPrintable(line));
    }

    void whereNobodySaidWhatIsToBeDoneNothingIsChanged() {
        QCOMPARE(operations::look(Target::of({7})).yardctl, QString("yardctl show 7"));
        QCOMPARE(operations::look(Target::of({9, 7})).yardctl, QString("yardctl ls lsn:9,7"));
        QCOMPARE(operations::look(Target::matching("state:failed queue:a b")).yardctl,
                 QString("yardctl ls 'state:failed queue:a b'"));
        QCOMPARE(operations::look(Target::matching("-state:completed")).yardctl,
                 QString("yardctl ls -- -state:completed"));
        for (const Target& target : {Target::of({7}), Target::of({9, 7}), Target::matching("x")})
            QCOMPARE(operations::look(target).request.method, QByteArray("GET"));
    }

    // --- an action in a terminal

    void theTerminalThatWasChosenIsTakenElseTheFirstThereIs() {
        QTemporaryDir folder;
        QCOMPARE(terminalWords("mine", {folder.path()}), QStringList());
        makeProgram(folder.filePath("xterm"), "");
        makeProgram(folder.filePath("kitty"), "");
        QCOMPARE(terminalWords({}, {folder.path()}), (QStringList{folder.filePath("kitty")}));
        QCOMPARE(terminalWords("xterm", {folder.path()}), (QStringList{folder.filePath("xterm"), "-e"}));
        QCOMPARE(terminalWords("none", {folder.path()}), (QStringList{folder.filePath("kitty")}));
        makeProgram(folder.filePath("mine"), "");
        QCOMPARE(terminalWords("mine", {folder.path()}), (QStringList{folder.filePath("mine"), "-e"}));
    }

    void whereThereIsNoTerminalItIsSaid() {
        QTemporaryDir folder;
        QProcessEnvironment environment;
        environment.insert("PATH", folder.path());
        QVERIFY(openTerminal({"/bin/true"}, environment).contains("xterm"));
    }

    void aTerminalOpensWithTheWords() {
        QTemporaryDir folder;
        makeProgram(folder.filePath("mine"), "for word; do printf '%s\\n' \"$word\"; done > " +
                                                 folder.filePath("part") + " && /bin/mv " +
                                                 folder.filePath("part") + ' ' + folder.filePath("said"));
        QProcessEnvironment environment;
        environment.insert("PATH", folder.path());
        environment.insert("TERMINAL", "mine");
        QCOMPARE(openTerminal({"a b", "$c"}, environment), QString());
        QTRY_VERIFY(QFile::exists(folder.filePath("said")));
        QCOMPARE(contentOf(folder.filePath("said")), QByteArray("-e\na b\n$c\n"));
    }

    void anActionIsMadeADirectoryAndAShellOpensThere() {
        QTemporaryDir folder;
        const QString yardctl = folder.filePath("yardctl");
        // As yardctl reproduce does: the directory is named last, and is not there yet.
        makeProgram(yardctl, "[ \"$1\" = reproduce ] && [ \"$2\" = 12 ] || exit 1\n"
                             "mkdir \"$3\" && cd \"$3\" && echo what differs > README &&\n"
                             "printf '#!/bin/sh\necho in $PWD\n' > shell && chmod +x shell");
        QStringList words = reproduceWords(yardctl + " reproduce 12", 12);
        QProcess shell;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TMPDIR", folder.path());
        shell.setProcessEnvironment(environment);
        shell.start(words.takeFirst(), words, QIODevice::ReadOnly);
        QVERIFY(shell.waitForFinished());
        const QByteArray said = shell.readAllStandardOutput();
        QVERIFY2(said.startsWith("what differs\nin " + folder.path().toUtf8()), said.constData());
        QVERIFY2(said.endsWith("/action-12\n"), said.constData());
    }

    void whatCannotBeReproducedKeepsItsTerminalOpen() {
        QStringList words = reproduceWords("false", 12);
        QProcess shell;
        shell.start(words.takeFirst(), words);
        QVERIFY(shell.waitForReadyRead());
        QVERIFY(shell.readAllStandardOutput().contains("Enter closes this window."));
        QCOMPARE(shell.state(), QProcess::Running);
        shell.write("\n");
        QVERIFY(shell.waitForFinished());
    }

    void everyActionIsMeantByNoFilterAtAll() {
        QCOMPARE(Target::matching(" ").filter, QString("lsn>0"));
        QVERIFY(Target().isEmpty());
    }
};

QTEST_MAIN(TestShellLines)
#include "tst_shell_lines.moc"
