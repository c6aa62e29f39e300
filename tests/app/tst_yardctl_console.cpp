// yardctl console: at a console of the test's own process, and where there is none.
#include "core/console/console.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
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

private:
    void start(std::size_t connections);

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

QTEST_GUILESS_MAIN(TestYardctlConsole)
#include "tst_yardctl_console.moc"
