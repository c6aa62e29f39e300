// Attempts that are run again from their directories, in the same sandbox and without an engine: real programs, real files.
#include "core/base/files.h"
#include "tests/app/at_engine.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

using namespace yard;
using namespace yard::torture;
namespace fs = std::filesystem;

namespace {

/// A script of a directory, with this as its stdin.
test::Ended script(const std::string& directory, const char* name, std::string_view input = {}) {
    return test::CtlProcess({}, input, directory + "/" + name).end();
}

bool isGdbThere() {
    return ::access("/usr/bin/gdb", X_OK) == 0;
}

} // namespace

class TestReproduce : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanupTestCase();
    void aCommandRunsAgainWithItsVariablesInputsAndStdin();
    void itWorksAfterTheEngineIsGone();
    void aSandboxedOneIsInTheSameSandbox();
    void limitsOfASandboxHoldAgain();
    void aWorkerGetsItsFilesAndItsAction();
    void aShellIsInTheSamePlace();
    void aTerminalPassesMoreThanItHolds();
    void deniedCallsAreTold();
    void gdbStandsAtTheStartOfTheProgram();
    void anEarlierAttemptIsNamed();
    void anElementOfAnArrayKeepsItsIndex();
    void variablesThatAreNotKeptComeFromTheShell();
    void nothingThatIsThereIsWrittenOver();
    void whatNeverRanIsRefused();
    void aDirectoryOfAnotherKindIsRefused();
    void whatOthersMayWriteIsRefused();

private:
    /// The action's LSN, once it has ended.
    std::int64_t run(const std::string& json) {
        Caller caller = engine_->caller();
        const Answer answer = caller.post("/compute/jobs?wait=60", json);
        return answer.number("lsn");
    }
    /// The directory of one that ended; empty: it failed, and the test with it.
    std::string reproduced(const std::string& word) {
        const std::string directory = place_->path(fmt::format("again-{}", ++made_));
        const test::Ended made =
            test::ctl(*place_, {"reproduce", QString::fromStdString(word), QString::fromStdString(directory)});
        if (made.code != 0) QTest::qFail(made.err.c_str(), __FILE__, __LINE__);
        return made.code == 0 ? directory : std::string();
    }
    std::string reproduced(std::int64_t lsn) { return reproduced(fmt::format("{}", lsn)); }

    std::unique_ptr<Place> place_;
    std::unique_ptr<Yardmaster> engine_;
    int made_ = 0; ///< directories
};

void TestReproduce::init() {
    if (engine_) return;
    place_ = std::make_unique<Place>();
    engine_ = std::make_unique<Yardmaster>(*place_);
    QVERIFY2(engine_->isServing(), engine_->errors().c_str());
}

void TestReproduce::cleanupTestCase() {
    engine_.reset();
    place_.reset();
}

void TestReproduce::aCommandRunsAgainWithItsVariablesInputsAndStdin() {
    const std::int64_t lsn = run(shJson(*place_, R"(echo "$COLOUR"; cat; echo no >&2; exit 7)",
                                        R"(,"env":{"COLOUR":"blue"},"stdin":{"text":"given\n"},"max_retries":0)"));
    const std::string directory = reproduced(lsn);
    QVERIFY(!directory.empty());
    const test::Ended again = script(directory, "run");
    QCOMPARE(again.out, std::string("blue\ngiven\n"));
    QCOMPARE(again.err, std::string("no\n"));
    QCOMPARE(again.code, 7);
    const std::string readme = fileText(directory + "/README");
    QVERIFY2(readme.contains(fmt::format("Attempt 1 of action {}", lsn)), readme.c_str());
    QVERIFY2(readme.contains("failed: exit code 7") && readme.contains(place_->work()), readme.c_str());
    QCOMPARE(test::ctl(*place_,
                       {"--json", "reproduce", QString::number(lsn), QString::fromStdString(place_->path("more"))})
                 .out,
             fmt::format("{{\"lsn\":{},\"attempt\":1,\"directory\":\"{}\"}}\n", lsn, place_->path("more")));
}

void TestReproduce::itWorksAfterTheEngineIsGone() {
    const std::string directory = reproduced(run(R"({"worker":"exec","argv":["sh","-c","echo here; exit 3"]})"));
    QVERIFY(!directory.empty());
    engine_->kill();
    fs::remove_all(place_->data());
    const test::Ended again = script(directory, "run");
    QCOMPARE(again.out, std::string("here\n"));
    QCOMPARE(again.code, 3);
    engine_.reset();
}

void TestReproduce::aSandboxedOneIsInTheSameSandbox() {
    const std::string inside =
        "id -u; uname -n; pwd; cat /proc/self/status | grep -E '^(Seccomp|NoNewPrivs|CapEff)'; "
        "ls /inputs; echo left >/outputs/x; echo $HOME; ls /home 2>/dev/null | wc -l";
    const std::int64_t lsn =
        run(fmt::format(R"({{"worker":"exec","sandbox":true,"argv":["sh","-c",{}]}})", jsonText(inside)));
    const test::Ended first = test::ctl(*place_, {"logs", QString::number(lsn)});
    QVERIFY2(first.out.contains("sandbox") && first.out.contains("Seccomp:\t2"), first.out.c_str());
    const std::string directory = reproduced(lsn);
    QVERIFY(!directory.empty());
    const test::Ended again = script(directory, "run");
    QCOMPARE(again.out, first.out);
    QCOMPARE(again.err, std::string());
    QCOMPARE(fileText(directory + "/outputs/x"), std::string("left\n"));
}

void TestReproduce::limitsOfASandboxHoldAgain() {
    const std::int64_t lsn =
        run(R"({"worker":"exec","sandbox":true,"argv":["sh","-c","ulimit -n; ulimit -f; ulimit -d"],
                "resources":{"memory_mb":300}})");
    const test::Ended first = test::ctl(*place_, {"logs", QString::number(lsn)});
    const std::string directory = reproduced(lsn);
    QVERIFY(!directory.empty());
    QCOMPARE(script(directory, "run").out, first.out);
    const std::int64_t late =
        run(R"({"worker":"exec","sandbox":true,"argv":["sleep","300"],"deadline_s":0.3,"max_retries":0})");
    const std::string slow = reproduced(fmt::format("{}", late));
    const test::Ended ended = script(slow, "run");
    QCOMPARE(ended.code, 128 + 9);
    QVERIFY2(ended.err.contains("over its deadline of 0.3 s"), ended.err.c_str());
}

void TestReproduce::aWorkerGetsItsFilesAndItsAction() {
    const std::string worker = place_->path("w");
    QVERIFY(makeDirectories(worker + "/bin"));
    QVERIFY(writeFileAtomically(
        worker + "/bin/w",
        "#!/bin/sh\ncat \"$YARD_ACTION\"; echo; cat \"${YARD_ACTION%/*}/worker/table\"; echo $TONE\n", 0755));
    QVERIFY(writeFileAtomically(worker + "/table", "rows\n", 0644));
    QVERIFY(writeFileAtomically(
        worker + "/worker.json",
        R"({"name":"w","version":"1","executable":"bin/w","functions":[{"name":"f","version":"1"}],"environment":{"TONE":"low"}})",
        0644));
    const test::Ended added = test::ctl(*place_, {"workers", "add", QString::fromStdString(worker)});
    QCOMPARE(added.code, 0);
    const std::int64_t lsn = run(R"({"worker":"w","function":"f","args":{"a":[1,2]}})");
    const test::Ended first = test::ctl(*place_, {"logs", QString::number(lsn)});
    QVERIFY2(first.out.ends_with("rows\nlow\n"), (first.out + first.err).c_str());
    const std::string directory = reproduced(lsn);
    QVERIFY(!directory.empty());
    engine_->kill();
    QCOMPARE(script(directory, "run").out, first.out);
    QVERIFY(fileText(directory + "/README").contains("w 1, function f"));
    // This engine has no sandbox for workers; in one it finds all at the same places below the root.
    std::string enter = fileText(directory + "/enter.json");
    const std::string without = R"("sandbox":false)";
    QVERIFY2(enter.contains(without), enter.c_str());
    writeText(directory + "/enter.json", enter.replace(enter.find(without), without.size(), R"("sandbox":true)"));
    const test::Ended inside = script(directory, "run");
    QCOMPARE(inside.out, first.out);
    QCOMPARE(inside.err, std::string());
    engine_.reset();
}

void TestReproduce::aShellIsInTheSamePlace() {
    const std::string directory =
        reproduced(run(R"({"worker":"exec","sandbox":true,"argv":["false"],"env":{"K":"v"},"max_retries":0})"));
    QVERIFY(!directory.empty());
    const test::Ended shell = script(directory, "shell", "echo $K; uname -n; id -u\nexit 9\n");
    QCOMPARE(shell.out, std::string("v\nsandbox\n1000\n"));
    QCOMPARE(shell.code, 9);
    const std::string plain =
        reproduced(fmt::format("{}", run(shJson(*place_, "exit 1", R"(,"env":{"K":"w"},"max_retries":0)"))));
    QCOMPARE(script(plain, "shell", "echo $K; pwd\n").out, fmt::format("w\n{}\n", place_->work()));
}

void TestReproduce::aTerminalPassesMoreThanItHolds() {
    constexpr std::size_t kBytes = 400'000;
    const std::string command = "[ -e /outputs/go ] || exit 0; head -c 400000";
    const std::string directory = reproduced(
        run(fmt::format(R"({{"worker":"exec","sandbox":true,"tty":{{"rows":24,"cols":80}},"argv":["sh","-c",{}]}})",
                        jsonText(command))));
    QVERIFY(!directory.empty());
    writeText(directory + "/outputs/go", "x");
    std::string lines;
    while (lines.size() < 2 * kBytes) lines += "some words of a line that is not too long for a terminal\n";
    writeText(place_->path("keys"), lines);
    const QStringList typed = {"-c", R"("$0" <"$1")", QString::fromStdString(directory + "/run"),
                               QString::fromStdString(place_->path("keys"))};
    const test::Ended again = test::CtlProcess(typed, {}, "/bin/sh").end();
    QCOMPARE(again.code, 0);
    QVERIFY2(again.out.size() >= kBytes, fmt::format("{}", again.out.size()).c_str());
}

void TestReproduce::deniedCallsAreTold() {
    const std::string directory = reproduced(
        run(R"({"worker":"exec","sandbox":true,"argv":["/usr/sbin/chroot","/","true"],"max_retries":0})"));
    QVERIFY(!directory.empty());
    const test::Ended again = script(directory, "run");
    QVERIFY2(again.err.contains("yardmaster: denied: chroot"), again.err.c_str());
    QVERIFY(again.code != 0);
}

void TestReproduce::gdbStandsAtTheStartOfTheProgram() {
    if (!isGdbThere()) QSKIP("there is no gdb here");
    const std::string directory = reproduced(
        run(R"({"worker":"exec","sandbox":true,"argv":["sleep","300"],"deadline_s":0.2,"max_retries":0})"));
    QVERIFY(!directory.empty());
    const test::Ended debugged = script(directory, "debug", "info inferiors\nkill\nquit\n");
    QVERIFY2(debugged.out.contains("sleep"), (debugged.out + debugged.err).c_str());
    const std::string plain = reproduced(fmt::format("{}", run(R"({"worker":"exec","argv":["true"],"cwd":"/"})")));
    const test::Ended outside = script(plain, "debug", "run\nquit\n");
    QVERIFY2(outside.out.contains("exited normally"), (outside.out + outside.err).c_str());
}

void TestReproduce::anEarlierAttemptIsNamed() {
    Caller caller = engine_->caller();
    const std::string token =
        caller.post("/compute/queues", R"({"config":{"max_retries":1,"backoff_s":0.01}})").text("token");
    const Answer ended = caller.post("/compute/queues/" + token + "/jobs?wait=60", shJson(*place_, "exit 4"));
    const std::int64_t lsn = ended.number("lsn");
    const std::string first = reproduced(fmt::format("{}.1", lsn));
    QVERIFY(fileText(first + "/README").starts_with(fmt::format("Attempt 1 of action {}", lsn)));
    const std::string last = reproduced(fmt::format("{}", lsn));
    QVERIFY(fileText(last + "/README").starts_with(fmt::format("Attempt 2 of action {}", lsn)));
    QCOMPARE(test::ctl(*place_, {"reproduce", QString("%1.9").arg(lsn)}).code, 1);
}

void TestReproduce::anElementOfAnArrayKeepsItsIndex() {
    Caller caller = engine_->caller();
    const Answer posted = caller.post(
        "/compute/jobs",
        R"({"worker":"exec","argv":["sh","-c","echo $YARD_INDEX {index}"],"cwd":"/","array":{"from":5,"to":7}})");
    const std::int64_t lsn = posted.number("lsn") + 1;
    QCOMPARE(caller.result(lsn).status, 200);
    const std::string directory = reproduced(lsn);
    QVERIFY(!directory.empty());
    QCOMPARE(script(directory, "run").out, std::string("6 6\n"));
}

void TestReproduce::variablesThatAreNotKeptComeFromTheShell() {
    const std::string directory =
        reproduced(run(shJson(*place_, "echo ${YARD_TEST_SECRET-none}", R"(,"env":{"YARD_TEST_SECRET":"first"})")));
    QVERIFY(!directory.empty());
    QVERIFY(
        fileText(directory + "/README").contains("values of YARD_TEST_SECRET are not kept: give it in your shell"));
    const test::Ended without = script(directory, "run");
    QVERIFY2(without.err.contains("the value of YARD_TEST_SECRET is not kept"), without.err.c_str());
    QCOMPARE(without.out, std::string("none\n"));
    qputenv("YARD_TEST_SECRET", "told");
    const test::Ended with = script(directory, "run");
    qunsetenv("YARD_TEST_SECRET");
    QCOMPARE(with.out, std::string("told\n"));
}

void TestReproduce::nothingThatIsThereIsWrittenOver() {
    const std::int64_t lsn = run(shJson(*place_, "exit 0"));
    fs::create_directory(place_->path("full"));
    writeText(place_->path("full/run"), "mine\n");
    fs::create_directory_symlink(place_->path("full"), place_->path("link"));
    fs::create_symlink(place_->path("nowhere"), place_->path("dangling"));
    for (const char* name : {"full", "link", "dangling"}) {
        const test::Ended refused =
            test::ctl(*place_, {"reproduce", QString::number(lsn), QString::fromStdString(place_->path(name))});
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.err.contains("is there already; name another directory"), refused.err.c_str());
    }
    QCOMPARE(fileText(place_->path("full/run")), std::string("mine\n"));
    QVERIFY(!fs::exists(place_->path("nowhere")));
}

void TestReproduce::whatNeverRanIsRefused() {
    Caller caller = engine_->caller();
    const std::int64_t lsn =
        caller.post("/compute/jobs", R"({"worker":"exec","argv":["true"],"cwd":"/","hold":true})").number("lsn");
    const test::Ended refused =
        test::ctl(*place_, {"reproduce", QString::number(lsn), QString::fromStdString(place_->path("never"))});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("has not been started yet"), refused.err.c_str());
    QVERIFY(!fs::exists(place_->path("never")));
    QCOMPARE(test::ctl(*place_, {"reproduce", "1..3"}).code, 2);
    QCOMPARE(test::ctl(*place_, {"reproduce", "4.x"}).code, 2);
}

void TestReproduce::aDirectoryOfAnotherKindIsRefused() {
    const std::string directory = reproduced(run(shJson(*place_, "exit 0")));
    QVERIFY(!directory.empty());
    const auto refusal = [&] { return script(directory, "run"); };
    writeText(directory + "/enter.json", R"({"format":2})");
    QVERIFY(refusal().err.contains("\"format\" is not as this yardmaster writes it"));
    writeText(directory + "/enter.json", R"({"lsn":2})");
    QVERIFY(refusal().err.contains("is not what 'yardctl reproduce' writes"));
    writeText(directory + "/enter.json", R"({"format":1,"memory_mb":-1})");
    QCOMPARE(refusal().code, 1);
    writeText(directory + "/enter.json", "nonsense");
    QCOMPARE(refusal().code, 1);
    fs::remove(directory + "/enter.json");
    QVERIFY(refusal().err.contains("enter.json"));
}

void TestReproduce::whatOthersMayWriteIsRefused() {
    const std::string directory = reproduced(run(shJson(*place_, "exit 0")));
    QVERIFY(!directory.empty());
    for (const char* name : {"", "/enter.json", "/posted.json"}) {
        fs::permissions(directory + name, fs::perms::others_write, fs::perm_options::add);
        const test::Ended refused = script(directory, "run");
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.err.contains("others may write " + directory + name), refused.err.c_str());
        fs::permissions(directory + name, fs::perms::others_write, fs::perm_options::remove);
    }
    QCOMPARE(script(directory, "run").code, 0);
    if (::geteuid() != 0) return;
    constexpr uid_t kNobody = 65534;
    QCOMPARE(::chown((directory + "/enter.json").c_str(), kNobody, kNobody), 0);
    QVERIFY(script(directory, "run").err.contains("belongs to somebody else"));
}

QTEST_GUILESS_MAIN(TestReproduce)
#include "tst_reproduce.moc"
