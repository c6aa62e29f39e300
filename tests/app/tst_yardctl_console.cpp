// yardctl console: at a console of the test's own process, and where there is none.
#include "core/console/console.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/app/terminal_process.h"

#include <QTest>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::test;

namespace {

coro::Task<console::ApiAnswer> answered(console::ApiRequest request) {
    if (request.path != "queues")
        co_return console::ApiAnswer{.status = 404, .body = R"({"message":"Not there."})"};
    co_return console::ApiAnswer{.status = 200, .body = R"({"queues":[{"queue_id":0,"tag":"main"}]})"};
}

} // namespace

class TestYardctlConsole : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void aLineIsRunAndPrinted();
    void aLineThatFailsExitsWithOne();
    void linesComeFromAPipe();
    void aFarewellEndsWithTheCodeSoFar_data();
    void aFarewellEndsWithTheCodeSoFar();
    void severalLinesShareTheirVariables();
    void withoutAnEngineItSaysSo();
    void anAddressIsNotWhereAConsoleIs();
    void whoFindsNoPlaceIsToldSo();
    void atATerminalLinesAreAnswered_data();
    void atATerminalLinesAreAnswered();
    void aTabCompletesACommand();
    void linesComeBackFromTheHistory();
    void anInterruptGivesALineUp_data();
    void anInterruptGivesALineUp();
    void aSignalEndsThePrompt_data();
    void aSignalEndsThePrompt();
    void aStopIsDroppedWhereNoShellIs();
    void whatIsWatchedEndsWithALine_data();
    void whatIsWatchedEndsWithALine();
    void aConsoleThatGoesEndsThePrompt();

private:
    void start(std::size_t connections);
    /// `terminal`: its name; a dumb one edits nothing.
    std::unique_ptr<TerminalProcess> atATerminal(const char* terminal = "xterm") const {
        return std::make_unique<TerminalProcess>(std::vector<std::string>{
            "/usr/bin/env", fmt::format("TERM={}", terminal), "XDG_STATE_HOME=" + data_->file("state"),
            YARDCTL_PATH, "--data-dir", data_->path().toStdString(), "console"});
    }

    FakeServer server_{table({})};
    std::optional<DataDirectory> data_;
    std::unique_ptr<console::Console> console_;
};

void TestYardctlConsole::init() {
    data_.emplace(server_);
    start(8);
}

void TestYardctlConsole::cleanup() {
    console_.reset();
}

void TestYardctlConsole::start(std::size_t connections) {
    console_.reset();
    auto started = console::Console::start({.socket = data_->file("backdoor.sock"),
                                            .greeting = "hello",
                                            .ask = [](auto request) { return answered(std::move(request)); },
                                            .connections = connections,
                                            .user = ::geteuid()});
    QVERIFY2(started.has_value(), started ? "" : started.error().message.c_str());
    console_ = std::move(*started);
}

void TestYardctlConsole::aLineIsRunAndPrinted() {
    const Ended ended = data_->run({"console", "-c", "queues"});
    QCOMPARE(ended.out, "queue_id  tag\n0         main\n");
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
}

void TestYardctlConsole::aLineThatFailsExitsWithOne() {
    const Ended ended = data_->run({"console", "-c", "action 5", "-c", "1 + 1"});
    QCOMPARE(ended.out, "error: Not there.\n2\n");
    QCOMPARE(ended.code, 1);
}

void TestYardctlConsole::linesComeFromAPipe() {
    const Ended ended = data_->run({"console"}, "x = 20\n\nx + 1\nx + 2");
    QCOMPARE(ended.out, "21\n22\n");
    QCOMPARE(ended.code, 0);
}

void TestYardctlConsole::aFarewellEndsWithTheCodeSoFar_data() {
    QTest::addColumn<QString>("word");
    for (const char* word : {"exit", "quit", " exit \r"}) QTest::newRow(word) << QString(word);
}

void TestYardctlConsole::aFarewellEndsWithTheCodeSoFar() {
    QFETCH(QString, word);
    const Ended ended = data_->run({"console"}, "1 + 1\n" + word.toStdString() + "\n5\n");
    QCOMPARE(ended.out, "2\n");
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QCOMPARE(data_->run({"console"}, "action 5\n" + word.toStdString() + "\n").code, 1);
    const Ended given = data_->run({"console", "-c", "1 + 1", "-c", word, "-c", "5"});
    QCOMPARE(given.out, "2\n");
    QCOMPARE(given.err, "");
    QCOMPARE(given.code, 0);
}

void TestYardctlConsole::severalLinesShareTheirVariables() {
    QCOMPARE(data_->run({"console", "-c", "x = 4", "-c", "x"}).out, "4\n");
    QCOMPARE(data_->run({"console", "-c", "x =\n4"}).code, 2);
}

void TestYardctlConsole::withoutAnEngineItSaysSo() {
    console_.reset();
    const Ended ended = data_->run({"console", "-c", "1"});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("no engine has a console in "), ended.err.c_str());
}

void TestYardctlConsole::anAddressIsNotWhereAConsoleIs() {
    const Ended ended = data_->run({"--url", "http://127.0.0.1:1", "console", "-c", "1"});
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("without --url"), ended.err.c_str());
}

void TestYardctlConsole::whoFindsNoPlaceIsToldSo() {
    start(0);
    const Ended ended = data_->run({"console", "-c", "1"});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("eight others"), ended.err.c_str());
}

static void withAndWithoutAnEditor() {
    QTest::addColumn<QByteArray>("terminal");
    QTest::newRow("with an editor") << QByteArray("xterm");
    QTest::newRow("without one") << QByteArray("dumb");
}

void TestYardctlConsole::atATerminalLinesAreAnswered_data() {
    withAndWithoutAnEditor();
}

void TestYardctlConsole::atATerminalLinesAreAnswered() {
    QFETCH(QByteArray, terminal);
    const auto process = atATerminal(terminal.constData());
    QVERIFY2(process->shows("yard> "), process->shown().c_str());
    QVERIFY2(process->shown().contains("hello"), process->shown().c_str());
    process->type("6 * 7\n");
    QVERIFY2(process->shows("42\r\n"), process->shown().c_str());
    process->type("queues\n");
    QVERIFY2(process->shows("main\r\n"), process->shown().c_str());
    process->type("exit\n");
    QCOMPARE(process->end(), 0);
    QCOMPARE(process->modes(), process->modesBefore());
}

void TestYardctlConsole::aTabCompletesACommand() {
    const auto process = atATerminal();
    QVERIFY(process->shows("yard> "));
    process->type("que\t");
    QVERIFY2(process->shows("ues "), process->shown().c_str()); // what was missing
    process->type("\n");
    QVERIFY2(process->shows("main\r\n"), process->shown().c_str());
    process->type("\x04");
    QCOMPARE(process->end(), 0);
}

void TestYardctlConsole::linesComeBackFromTheHistory() {
    const auto first = atATerminal();
    QVERIFY(first->shows("yard> "));
    first->type("40 + 2\n");
    QVERIFY2(first->shows("42\r\n"), first->shown().c_str());
    QVERIFY(first->shows("yard> "));
    first->type("exit\n");
    QCOMPARE(first->end(), 0);
    const auto second = atATerminal();
    QVERIFY(second->shows("yard> "));
    second->forget();
    second->type("\x1b[A\x1b[A\n"); // the last but one
    QVERIFY2(second->shows("42\r\n"), second->shown().c_str());
    second->type("exit\n");
    QCOMPARE(second->end(), 0);
    struct stat status{};
    QCOMPARE(::stat((data_->file("state") + "/yardmaster/console_history").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777u, 0600u);
}

void TestYardctlConsole::anInterruptGivesALineUp_data() {
    withAndWithoutAnEditor();
}

void TestYardctlConsole::anInterruptGivesALineUp() {
    QFETCH(QByteArray, terminal);
    const auto process = atATerminal(terminal.constData());
    QVERIFY(process->shows("yard> "));
    process->type("not to be");
    QVERIFY(process->shows("not to be"));
    process->forget();
    process->type("\x03");
    QVERIFY2(process->shows("yard> "), process->shown().c_str());
    process->type("5 * 5\n");
    QVERIFY2(process->shows("25\r\n"), process->shown().c_str());
    process->type("exit\n");
    QCOMPARE(process->end(), 0);
}

void TestYardctlConsole::aSignalEndsThePrompt_data() {
    QTest::addColumn<QByteArray>("terminal");
    QTest::addColumn<int>("number");
    QTest::newRow("TERM") << QByteArray("xterm") << SIGTERM;
    QTest::newRow("HUP") << QByteArray("xterm") << SIGHUP;
    QTest::newRow("QUIT") << QByteArray("xterm") << SIGQUIT;
    QTest::newRow("without an editor") << QByteArray("dumb") << SIGTERM;
}

void TestYardctlConsole::aSignalEndsThePrompt() {
    QFETCH(QByteArray, terminal);
    QFETCH(int, number);
    const auto process = atATerminal(terminal.constData());
    QVERIFY(process->shows("yard> "));
    process->type("not to be");
    QVERIFY(process->shows("not to be"));
    process->signal(number);
    QCOMPARE(process->end(), 128 + number);
    QCOMPARE(process->modes(), process->modesBefore());
}

void TestYardctlConsole::aStopIsDroppedWhereNoShellIs() {
    const auto process = atATerminal(); // the first of its session: the system does not stop it
    QVERIFY(process->shows("yard> "));
    process->forget();
    process->signal(SIGTSTP);
    QVERIFY2(process->shows("yard> "), process->shown().c_str());
    process->type("5 * 5\n");
    QVERIFY2(process->shows("25\r\n"), process->shown().c_str());
    process->type("exit\n");
    QCOMPARE(process->end(), 0);
    QCOMPARE(process->modes(), process->modesBefore());
}

void TestYardctlConsole::whatIsWatchedEndsWithALine_data() {
    QTest::addColumn<QByteArray>("terminal");
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("enter") << QByteArray("xterm") << QByteArray("\n");
    QTest::newRow("interrupt") << QByteArray("xterm") << QByteArray("\x03");
    QTest::newRow("without an editor") << QByteArray("dumb") << QByteArray("\n");
}

void TestYardctlConsole::whatIsWatchedEndsWithALine() {
    QFETCH(QByteArray, terminal);
    QFETCH(QByteArray, key);
    const auto process = atATerminal(terminal.constData());
    QVERIFY(process->shows("yard> "));
    process->type("watch 0.2 \"1 + 10\"\n");
    QVERIFY2(process->shows("11\r\n11\r\n"), process->shown().c_str());
    process->forget();
    process->type(key.toStdString());
    QVERIFY2(process->shows("yard> "), process->shown().c_str());
    process->type("exit\n");
    QCOMPARE(process->end(), 0);
}

void TestYardctlConsole::aConsoleThatGoesEndsThePrompt() {
    const auto process = atATerminal();
    QVERIFY(process->shows("yard> "));
    console_.reset();
    QCOMPARE(process->end(), 1);
    QVERIFY2(process->shown().contains("the console was closed"), process->shown().c_str());
    QCOMPARE(process->modes(), process->modesBefore());
}

QTEST_GUILESS_MAIN(TestYardctlConsole)
#include "tst_yardctl_console.moc"
