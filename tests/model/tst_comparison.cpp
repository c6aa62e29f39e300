// In what two runs differ: facts in their order, the same work, and the first line in which two streams differ.
#include "core/model/comparison.h"
#include "tests/support/show_strings.h"

#include <QTest>

#include <fmt/format.h>

using namespace yard;

namespace {

ComparedRun run(std::string spec, std::string worker = {}) {
    ComparedRun made;
    made.action.workerId = worker.empty() ? "exec" : "id";
    made.action.state = ActionState::Completed;
    made.spec = std::move(spec);
    made.worker = std::move(worker);
    return made;
}

std::string printed(const std::vector<Difference>& differences) {
    std::string text;
    for (const Difference& one : differences)
        text += fmt::format("{} {}: {} | {}\n", one.what, one.name, one.a, one.b);
    return text;
}

/// Both streams in pieces of `step` bytes, as it asks for them: "3: a | b", or "alike".
std::string compared(std::string_view a, std::string_view b, std::size_t step) {
    StreamComparison comparison;
    std::array<std::string_view, 2> left{a, b};
    while (const auto side = comparison.wants()) {
        std::string_view& of = left.at(*side);
        comparison.add(*side, of.substr(0, step));
        of.remove_prefix(std::min(step, of.size()));
    }
    if (!comparison.differs()) return "alike";
    return fmt::format("{}: {} | {}", comparison.line(), comparison.lineOf(0).value_or("-"),
                       comparison.lineOf(1).value_or("-"));
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatDiffersComesInTheOrderOfTheContract() {
        ComparedRun a = run(
            R"({"worker":"t","function":"f","args":{"b":1,"a":2},"inputs":{"x":"1","y":"2"},"env":{"K":"1"},"resources":{"cores":1}})",
            R"({"name":"t","version":"1","environment":{"L":"C"},"limits":{"processes":5}})");
        ComparedRun b = run(
            R"({"worker":"t","function":"g","args":{"a":2,"b":1},"inputs":{"x":"1","y":"3"},"env":{"K":"2","M":"3"},"resources":{"cores":2}})",
            R"({"name":"t","version":"2","environment":{"L":"C"},"limits":{"processes":6}})");
        a.deadline = Duration(1'000'000);
        b.deadline = Duration(2'000'000);
        a.action.machine = "here";
        b.action.machine = "there";
        AttemptRecord attempt;
        attempt.outcome.state = ActionState::Completed;
        attempt.outcome.exitCode = 0;
        attempt.times[ActionState::Submitting] = 1'000'000;
        attempt.times[ActionState::Running] = 1'500'000;
        attempt.times.exited = attempt.times[ActionState::Completed] = 3'000'000;
        a.attempt = attempt;
        attempt.outcome.state = ActionState::Failed;
        attempt.outcome.reason = Reason::ExitCode;
        attempt.outcome.exitCode = 3;
        attempt.times[ActionState::Failed] = attempt.times.exited = 4'000'000;
        b.attempt = attempt;
        QCOMPARE(printed(differencesOf(a, b)), "spec function: \"f\" | \"g\"\n"
                                               "inputs y: \"2\" | \"3\"\n"
                                               "worker version: \"1\" | \"2\"\n"
                                               "environment K: \"1\" | \"2\"\n"
                                               "environment M:  | \"3\"\n"
                                               "machine name: \"here\" | \"there\"\n"
                                               "limits processes: 5 | 6\n"
                                               "limits cores: 1 | 2\n"
                                               "limits deadline_s: 1 | 2\n"
                                               "outcome state: \"completed\" | \"failed\"\n"
                                               "outcome exit_code: 0 | 3\n"
                                               "outcome reason:  | \"exit_code\"\n"
                                               "times running: 1.5 | 2.5\n");
    }

    void whatAnActionSaysReplacesWhatItsWorkerSays() {
        const ComparedRun a = run(R"({"env":{"L":"x"}})", R"({"environment":{"L":"C"}})");
        const ComparedRun b = run(R"({"env":{"L":"x"}})", R"({"environment":{"L":"D"}})");
        QCOMPARE(printed(differencesOf(a, b)), "");
    }

    void whatIsNoJsonCountsAsAbsent() {
        QCOMPARE(printed(differencesOf(run("nonsense"), run("[1]"))), "");
        QCOMPARE(printed(differencesOf(run("nonsense"), run(R"({"argv":["a"]})"))), "spec argv:  | [\"a\"]\n");
    }

    void theSameWorkIsTheSameWhereverItRuns_data() {
        QTest::addColumn<QByteArray>("other");
        QTest::addColumn<bool>("same");
        QTest::newRow("itself") << QByteArray(R"({"worker":"exec","argv":["a"],"env":{"K":"1"}})") << true;
        QTest::newRow("label and priority")
            << QByteArray(R"({"label":"x","priority":3,"worker":"exec","env":{"K":"1"},"argv":["a"]})") << true;
        QTest::newRow("another command")
            << QByteArray(R"({"worker":"exec","argv":["b"],"env":{"K":"1"}})") << false;
        QTest::newRow("another variable")
            << QByteArray(R"({"worker":"exec","argv":["a"],"env":{"K":"2"}})") << false;
        QTest::newRow("an input more")
            << QByteArray(R"({"worker":"exec","argv":["a"],"env":{"K":"1"},"inputs":{"x":"1"}})") << false;
        QTest::newRow("nothing") << QByteArray() << false;
    }
    void theSameWorkIsTheSameWhereverItRuns() {
        QFETCH(QByteArray, other);
        QFETCH(bool, same);
        QCOMPARE(isSameWork(R"({"worker":"exec","argv":["a"],"env":{"K":"1"}})", other.toStdString()), same);
    }

    void theFirstLineThatDiffersIsFound_data() {
        QTest::addColumn<std::string>("a");
        QTest::addColumn<std::string>("b");
        QTest::addColumn<std::string>("found");
        const auto row = [](const char* of, std::string a, std::string b, std::string found) {
            QTest::newRow(of) << std::move(a) << std::move(b) << std::move(found);
        };
        row("nothing at all", "", "", "alike");
        row("the same lines", "a\nb\n", "a\nb\n", "alike");
        row("the first", "a\n", "b\n", "1: a | b");
        row("in the middle of a line", "a\nbcd\ne", "a\nbxd\ne", "2: bcd | bxd");
        row("one ends before", "a\nb\n", "a\n", "2: b | -");
        row("one ends within a line", "a\nbc", "a\nb", "2: bc | b");
        row("only a line's end", "a\n", "a", "1: a | a");
        row("one is empty", "", "x", "1: - | x");
    }
    void theFirstLineThatDiffersIsFound() {
        QFETCH(std::string, a);
        QFETCH(std::string, b);
        QFETCH(std::string, found);
        for (const std::size_t step : {1, 2, 3, 100}) QCOMPARE(compared(a, b, step), found);
    }

    void aLongLineIsCut() {
        const std::string most(StreamComparison::kMaxLine, 'x');
        QCOMPARE(compared("a\n" + most + "yyy\n", "a\n" + most + "zzz\n", 7), "2: " + most + " | " + most);
        QCOMPARE(compared(most.substr(2) + "a" + most, most.substr(2) + "b" + most, 64),
                 "1: " + most.substr(2) + "ax | " + most.substr(2) + "bx");
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
