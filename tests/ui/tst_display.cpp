// The program yardmaster where a display is, and where one is named that does not answer.
#include "tests/support/waiting.h"
#include "tests/ui/own_display.h"

#include <QProcess>
#include <QSize>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

using namespace yard::test;

namespace {

constexpr int kSoon = yard::kWaitMs;

/// The program as a desktop's menu starts it, with a data directory of its own.
class Program {
public:
    explicit Program(const QStringList& variables, const QStringList& arguments = {}) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "DBUS_SESSION_BUS_ADDRESS"})
            environment.remove(name);
        environment.insert("XDG_CONFIG_HOME", directory_.filePath("config"));
        for (const QString& variable : variables)
            environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
        process_.setProcessEnvironment(environment);
        process_.setProgram(YARDMASTER_PATH);
        process_.setArguments(QStringList{"--data-dir", directory_.filePath("data"), "--listen", "127.0.0.1:0"} +
                              arguments);
        process_.start();
    }
    ~Program() {
        process_.kill();
        process_.waitForFinished();
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Its engine has said where it listens.
    bool serves() {
        return QTest::qWaitFor(
                   [&] { return out().contains("listening on") || process_.state() == QProcess::NotRunning; },
                   kSoon) &&
               out().contains("listening on");
    }
    /// Its exit code once it was told to end; -1 when a signal ended it.
    int endedCode() {
        process_.terminate();
        return code();
    }
    int code() {
        const bool ended = process_.waitForFinished(kSoon);
        return ended && process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
    }
    QString out() { return out_ += process_.readAllStandardOutput(); }
    QString err() { return err_ += process_.readAllStandardError(); }

private:
    QTemporaryDir directory_;
    QProcess process_;
    QString out_;
    QString err_;
};

QByteArray xdotool(const QByteArray& display, const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DISPLAY", display);
    process.setProcessEnvironment(environment);
    process.start("xdotool", arguments);
    process.waitForFinished();
    return process.readAllStandardOutput();
}

/// The size of the program's window, empty until it has one.
QSize windowSize(const QByteArray& display) {
    const QByteArray said =
        xdotool(display, {"search", "--onlyvisible", "--name", "Yardmaster", "getwindowgeometry", "--shell"});
    const auto number = [&](const QByteArray& name) {
        const qsizetype at = said.indexOf('\n' + name + '=');
        return at < 0 ? 0 : said.mid(at + name.size() + 2).split('\n').first().toInt();
    };
    return {number("WIDTH"), number("HEIGHT")};
}

} // namespace

class TestDisplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWindowOpensWhereADisplayIsAndFitsOnIt_data() {
        QTest::addColumn<QString>("screen");
        QTest::addColumn<QSize>("size");
        QTest::newRow("a large one") << "1600x1000" << QSize(1440, 900);
        QTest::newRow("a small one, beside a title bar") << "1280x800" << QSize(1280, 760);
        QTest::newRow("one that has room for the least window alone") << "1280x720" << QSize(1280, 700);
        QTest::newRow("smaller than any window") << "800x600" << QSize(1440, 900);
    }
    void aWindowOpensWhereADisplayIsAndFitsOnIt() {
        if (!OwnDisplay::isToBeHad()) QSKIP("Xvfb or xdotool is not installed");
        QFETCH(QString, screen);
        QFETCH(QSize, size);
        OwnDisplay display;
        QVERIFY(display.start(screen));
        Program program({"DISPLAY=" + display.name()});
        QVERIFY(program.serves());
        QTRY_COMPARE_WITH_TIMEOUT(windowSize(display.name()), size, kSoon);
        QCOMPARE(program.endedCode(), 0);
    }

    void askedForNoneItOpensNone() {
        Program program({"DISPLAY=:6553"}, {"--headless"});
        QVERIFY(program.serves());
        QCOMPARE(program.endedCode(), 0);
        QVERIFY2(!program.err().contains("display"), qPrintable(program.err()));
    }

    void oneThatDoesNotAnswerIsSaidAndTheEngineServesWithoutAWindow_data() {
        QTest::addColumn<QStringList>("variables");
        QTest::addColumn<QString>("name");
        QTest::newRow("an X server that is not there") << QStringList{"DISPLAY=:6553"} << ":6553";
        QTest::newRow("no name at all") << QStringList{"DISPLAY=what"} << "what";
        QTest::newRow("a session that has ended")
            << QStringList{"WAYLAND_DISPLAY=wayland-0", "XDG_RUNTIME_DIR=/nonexistent"} << "wayland-0";
        QTest::newRow("a path too long for a socket")
            << QStringList{"WAYLAND_DISPLAY=/" + QString(200, 'x')} << '/' + QString(200, 'x');
    }
    void oneThatDoesNotAnswerIsSaidAndTheEngineServesWithoutAWindow() {
        QFETCH(QStringList, variables);
        QFETCH(QString, name);
        Program program(variables);
        QVERIFY(program.serves());
        QCOMPARE(program.endedCode(), 0);
        QVERIFY2(program.err().contains("the display " + name + " does not answer"), qPrintable(program.err()));
    }

    void attachingNeedsOne_data() {
        QTest::addColumn<QStringList>("variables");
        QTest::addColumn<QString>("why");
        QTest::newRow("none") << QStringList{} << "there is no display here";
        QTest::newRow("silent") << QStringList{"DISPLAY=:6553"} << "the display :6553 does not answer";
    }
    void attachingNeedsOne() {
        QFETCH(QStringList, variables);
        QFETCH(QString, why);
        Program program(variables, {"--attach", "http://127.0.0.1:1"});
        QCOMPARE(program.code(), 1);
        const QString said = program.err();
        QVERIFY2(said.contains(why) && said.contains("use yardctl --url instead"), qPrintable(said));
    }
};

QTEST_GUILESS_MAIN(TestDisplay)
#include "tst_display.moc"
