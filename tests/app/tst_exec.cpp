// yardctl exec: files of actions run to their ends, at an engine that is there and at one of its own.
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "tests/app/at_engine.h"

#include <QTest>
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::torture;
namespace fs = std::filesystem;

class TestExec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void everyActionOfAllFilesIsWaitedFor();
    void oneThatFailsMakesItFail();
    void outputsAreSavedAndInputsAreFiles();
    void standardInputIsAFile();
    void jsonHasALineForEachAction();
    void aSignalCancelsWhatHasNotEnded();
    void aSignalEndsItsReadingOfStandardInput();
    void whatIsRefusedIsSaid();
    void whatWasAcceptedBeforeOneThatIsRefusedIsCancelled();
    void withoutAnEngineOneIsStartedAndGoneAfterwards();
    void theDirectoryOfItsOwnEngineIsKeptWhereItIsAskedFor();
    void aSignalEndsItsOwnEngine();
    void aSignalWhileItsOwnEngineStartsLeavesNothing();
    void wordsThatDoNotGoTogetherAreWrongUsage();

private:
    QString file(const char* name, const std::string& text) {
        writeText(place_->path(name), text);
        return QString::fromStdString(place_->path(name));
    }
    std::string sh(std::string_view script, std::string_view more = {}) const {
        return shJson(*place_, script, more);
    }
    /// Without any engine in reach.
    test::Ended alone(const QStringList& words) const { return test::CtlProcess(words).end(); }
    /// Directories that engines of single runs left.
    std::size_t left() const {
        std::size_t count = 0;
        for (const auto& entry : fs::directory_iterator(place_->path("tmp")))
            count += entry.path().filename().string().starts_with("yard-exec-") ? 1 : 0;
        return count;
    }
    std::unique_ptr<Place> place_;
};

void TestExec::init() {
    place_ = std::make_unique<Place>();
    fs::create_directory(place_->path("tmp"));
    qputenv("TMPDIR", QByteArray::fromStdString(place_->path("tmp")));
}

void TestExec::cleanup() {
    qunsetenv("TMPDIR");
    place_.reset();
}

void TestExec::everyActionOfAllFilesIsWaitedFor() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString lines =
        file("lines", sh("exit 0", R"(,"label":"one")") + "\n" + sh("exit 0", R"(,"label":"two")"));
    const QString list = file("list", "[" + sh("exit 0", R"(,"label":"three")") + "]");
    const test::Ended ended = test::ctl(*place_, {"exec", lines, list});
    QCOMPARE(ended.code, 0);
    const auto at = [&](const char* word) { return ended.out.find(word); };
    QVERIFY2(at("completed  one") < at("completed  two") && at("completed  two") < at("completed  three"),
             ended.out.c_str());
    QCOMPARE(std::ranges::count(ended.out, '\n'), 3);
    QVERIFY2(ended.err.starts_with("3 of 3 completed, in "), ended.err.c_str());
}

void TestExec::oneThatFailsMakesItFail() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString lines = file("lines", sh("exit 3", R"(,"max_retries":0,"label":"bad")") + "\n" +
                                            sh("exit 0", R"(,"label":"good")"));
    const test::Ended ended = test::ctl(*place_, {"exec", lines});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.out.contains("failed: exit code 3") && ended.out.contains("completed  good"), ended.out.c_str());
    QVERIFY2(ended.err.starts_with("1 of 2 completed, 1 did not, in "), ended.err.c_str());
}

void TestExec::outputsAreSavedAndInputsAreFiles() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    writeText(place_->path("given"), "given\n");
    const QString one = file(
        "one",
        fmt::format(
            R"({{"worker":"exec","sandbox":true,"argv":["cp","/inputs/a","/outputs/b"],"inputs":{{"a":"@{}"}}}})",
            place_->path("given")));
    const QString out = QString::fromStdString(place_->path("out"));
    const test::Ended ended = test::ctl(*place_, {"--json", "exec", "--out", out, one});
    QCOMPARE(ended.err, std::string());
    QCOMPARE(ended.code, 0);
    const auto lsn = boost::json::parse(ended.out).at("lsn").as_int64();
    QCOMPARE(fileText(fmt::format("{}/out/{}/b", place_->path(), lsn)), std::string("given\n"));
}

void TestExec::standardInputIsAFile() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ended = test::CtlProcess(test::at(*place_, {"exec", "-"}), sh("exit 0") + "\n").end();
    QCOMPARE(ended.code, 0);
    QVERIFY2(ended.err.starts_with("1 of 1 completed"), ended.err.c_str());
    QCOMPARE(test::ctl(*place_, {"exec", "-", "-"}).code, 2);
}

void TestExec::jsonHasALineForEachAction() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString lines = file("lines", sh("exit 0") + "\n" + sh("exit 0"));
    const test::Ended ended = test::ctl(*place_, {"--json", "exec", lines});
    QCOMPARE(ended.err, std::string());
    std::istringstream all(ended.out);
    int count = 0;
    for (std::string line; std::getline(all, line); ++count)
        QCOMPARE(boost::json::parse(line).at("state").as_string(), "completed");
    QCOMPARE(count, 2);
}

void TestExec::aSignalCancelsWhatHasNotEnded() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string mark = place_->path("began");
    const QString lines =
        file("lines", sh("exit 0", R"(,"label":"first")") + "\n" + sh("touch " + mark + "; sleep 300") + "\n");
    test::CtlProcess process(test::at(*place_, {"exec", lines}));
    QVERIFY(process.waitForOutput(1));
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(mark); }, kWaitMs));
    process.signal(SIGINT);
    const test::Ended ended = process.end();
    QCOMPARE(ended.code, 128 + SIGINT);
    QVERIFY2(ended.err.contains("what had not ended was cancelled; 1 of 2 completed"), ended.err.c_str());
    Caller caller = engine.caller();
    QVERIFY(QTest::qWaitFor(
        [&] { return caller.get("/compute/jobs?state=cancelled").body.contains(R"("state":"cancelled")"); },
        kWaitMs));
}

void TestExec::aSignalEndsItsReadingOfStandardInput() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string pipe = place_->path("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const UniqueFd writer(::open(pipe.c_str(), O_RDWR | O_CLOEXEC)); // its end does not come
    QVERIFY(writeAll(writer.get(), sh("exit 0") + "\n"));
    QStringList words = {"-c", R"(from=$1; shift; exec "$0" "$@" <"$from")", YARDCTL_PATH,
                         QString::fromStdString(pipe)};
    words += test::at(*place_, {"exec", "-"});
    test::CtlProcess process(words, {}, "/bin/sh");
    const auto isRead = [&] {
        int left = 1;
        return ::ioctl(writer.get(), FIONREAD, &left) == 0 && left == 0;
    };
    QVERIFY(QTest::qWaitFor(isRead, kWaitMs));
    process.signal(SIGINT);
    QCOMPARE(process.end().code, 128 + SIGINT);
}

void TestExec::whatIsRefusedIsSaid() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended wrong = test::ctl(*place_, {"exec", file("wrong", R"({"worker":"exec","argv":[]})")});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.contains("line 1"), wrong.err.c_str());
    QCOMPARE(test::ctl(*place_, {"exec", "/nonexistent/file"}).code, 1);
}

void TestExec::whatWasAcceptedBeforeOneThatIsRefusedIsCancelled() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString good = file("good", sh("sleep 300"));
    const test::Ended refused = test::ctl(*place_, {"exec", good, file("wrong", R"({"worker":"exec","argv":[]})")});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("line 1") &&
                 refused.err.contains("what had been accepted of the files before was cancelled"),
             refused.err.c_str());
    Caller caller = engine.caller();
    QVERIFY(QTest::qWaitFor(
        [&] { return caller.get("/compute/jobs?state=cancelled").body.contains(R"("state":"cancelled")"); },
        kWaitMs));
}

void TestExec::withoutAnEngineOneIsStartedAndGoneAfterwards() {
    const QString lines = file("lines", sh("echo x >done; exit 0", R"(,"label":"one")") + "\n" +
                                            sh("exit 4", R"(,"max_retries":0,"label":"two")"));
    const test::Ended ended = alone({"exec", "--private", lines});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.out.contains("completed  one") && ended.out.contains("failed: exit code 4"), ended.out.c_str());
    QCOMPARE(fileText(place_->path("work/done")), std::string("x\n"));
    QCOMPARE(left(), std::size_t{0});
    QCOMPARE(describe(processesOf(*place_)), std::string());
}

void TestExec::theDirectoryOfItsOwnEngineIsKeptWhereItIsAskedFor() {
    const test::Ended ended = alone({"exec", "--private", "--keep", file("one", sh("exit 0"))});
    QCOMPARE(ended.code, 0);
    QVERIFY2(ended.err.contains("yardctl: the engine's directory is " + place_->path("tmp/yard-exec-")),
             ended.err.c_str());
    QCOMPARE(left(), std::size_t{1});
    const std::string said = "the engine's directory is ";
    const std::string kept = ended.err.substr(ended.err.find(said) + said.size());
    QVERIFY(fs::exists(kept.substr(0, kept.find('\n')) + "/journal.sqlite"));
}

void TestExec::aSignalEndsItsOwnEngine() {
    const std::string mark = place_->path("began");
    test::CtlProcess process({"exec", "--private", file("one", sh("touch " + mark + "; sleep 300"))});
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(mark); }, kWaitMs));
    process.signal(SIGTERM);
    QCOMPARE(process.end().code, 128 + SIGTERM);
    QCOMPARE(left(), std::size_t{0});
    QCOMPARE(describe(processesOf(*place_)), std::string());
}

void TestExec::aSignalWhileItsOwnEngineStartsLeavesNothing() {
    test::CtlProcess process({"exec", "--private", file("one", sh("sleep 300"))});
    QVERIFY(QTest::qWaitFor([&] { return left() == 1; }, kWaitMs));
    process.signal(SIGTERM);
    QCOMPARE(process.end().code, 128 + SIGTERM);
    QCOMPARE(left(), std::size_t{0});
    QCOMPARE(describe(processesOf(*place_)), std::string());
}

void TestExec::wordsThatDoNotGoTogetherAreWrongUsage() {
    const QString one = file("one", sh("exit 0"));
    for (const QStringList& words :
         {QStringList{"exec", "--keep", one}, QStringList{"--url", "http://127.0.0.1:1", "exec", "--private", one},
          QStringList{"exec", "--private", "--queue", "0", one}, QStringList{"exec"}})
        QCOMPARE(alone(words).code, 2);
    QCOMPARE(left(), std::size_t{0});
}

QTEST_GUILESS_MAIN(TestExec)
#include "tst_exec.moc"
