// The parts of yardctl map that need no engine: replacement strings, values, jobs, job logs, when to halt.
#include "app/yardctl/map/command_template.h"
#include "app/yardctl/map/delivery.h"
#include "app/yardctl/map/halt_policy.h"
#include "app/yardctl/map/in_flight.h"
#include "app/yardctl/map/job_log.h"
#include "app/yardctl/map/job_planner.h"
#include "app/yardctl/map/leftover.h"
#include "app/yardctl/map/map_actions.h"
#include "app/yardctl/map/map_options.h"
#include "app/yardctl/map/progress.h"
#include "app/yardctl/map/values.h"
#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <thread>

using namespace yard;
using namespace yard::ctl;

namespace {

using Texts = std::vector<std::string>;
using Values = CommandTemplate::Values;

std::string lineOf(const Texts& words, const Texts& values, Values how = Values::One) {
    const auto command = CommandTemplate::parse(words, how);
    return command ? command->line({.values = values, .seq = 7, .slot = 2}) : command.error().message;
}

std::string argvOf(const Texts& words, const Texts& values, Values how = Values::One) {
    const auto command = CommandTemplate::parse(words, how);
    return fmt::format("[{}]", fmt::join(command->argv({.values = values, .seq = 7, .slot = 2}), "]["));
}

/// The records of what stands behind the command, "A B|C D".
std::string recordsOf(const Texts& operands, RecordSource::How how = {}) {
    MapOptions options;
    if (auto read = readSources(operands, options); !read) return read.error().message;
    auto source = RecordSource::open(options.sources, std::move(how));
    if (!source) return source.error().message;
    std::string out;
    for (auto record = source->next();; record = source->next()) {
        if (!record) return record.error().message;
        if (!*record) return out;
        out += fmt::format("{}{}", out.empty() ? "" : "|", fmt::join(**record, " "));
    }
}

std::string jobsOf(const Texts& values, JobPlanner::How how) {
    const auto command = CommandTemplate::parse(Texts{"x"}, how.isContext ? Values::Context : Values::One);
    auto source = RecordSource::open({{.values = values}}, {});
    JobPlanner planner(std::move(*source), how, *command);
    std::string out;
    for (auto job = planner.next(); job && *job; job = planner.next())
        out += fmt::format("{}:{} ", (*job)->seq, fmt::join((*job)->values, ","));
    return out;
}

std::string written(const QTemporaryDir& dir, const std::string& name, std::string_view text) {
    const std::string path = dir.path().toStdString() + "/" + name;
    (void)writeFileAtomically(path, text, 0600);
    return path;
}

Arguments argumentsOf(const Texts& words) {
    std::vector<const char*> raw{"map"};
    for (const std::string& word : words) raw.push_back(word.c_str());
    const auto line = parseCommandLine(raw);
    return line ? line->arguments : Arguments();
}

/// The JSON of the first job with the value "a", or why there is none.
std::string actionOf(const Texts& words) {
    const Arguments arguments = argumentsOf(words);
    Engine engine({});
    const auto options = mapOptionsOf(arguments);
    if (!options) return options.error().message;
    const auto command = CommandTemplate::parse(options->words, Values::One);
    if (!command) return "refused";
    const auto actions = MapActions::of({arguments, engine}, *command, *options, 0);
    if (!actions) return "refused";
    ChunkSource none;
    const auto text = actions->text({.seq = 1, .values = {"a"}}, *command, 0, none);
    return text ? *text : text.error().message;
}

/// Ascending.
std::vector<std::int64_t> numbersOf(const Outcome<DoneJobs>& done) {
    std::vector<std::int64_t> out;
    for (const auto& [seq, command] : *done) out.push_back(seq);
    std::ranges::sort(out);
    return out;
}

std::string refusalOf(const Texts& words) {
    const auto options = mapOptionsOf(argumentsOf(words));
    return options ? std::string("taken") : options.error().message;
}

} // namespace

class TestMapWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void replacementStringsAreThoseOfParallel_data();
    void replacementStringsAreThoseOfParallel();
    void anotherTextStandsForTheValue();
    void optionsHaveTheNamesOfParallel();
    void valuesAreQuotedForTheShell();
    void whatIsPlainNeedsNoShell();
    void programsElsewhereAreNotLookedForHere();
    void contextIsRepeatedForEachValue();
    void perlIsRefused();
    void sourcesAreCombined();
    void linkedSourcesGoSideBySide();
    void filesAreReadAsTheyAreNeeded();
    void whatNoProgramTakesIsRefused();
    void columnsAreSplit();
    void jobsTakeSeveralValues();
    void theLastValuesAreSharedOut();
    void aJobLogIsReadAsItWasWritten();
    void aLogThatIsNoneIsRefused();
    void theTornLineOfAKillIsCutOff();
    void aLogIsOfOneMapAtATime();
    void aLogIsKnownByItsFile();
    void haltsAsParallelDoes();
    void haltsThatAreNoneAreRefused();
    void jobsAtOnceAreOfTheCores();
    void blocksHaveSizes();
    void optionsThatDoNotGoTogetherAreRefused();
    void resultsStayInTheirDirectory();
    void whoSubmitsWaitsForRoom();
    void anEndIsWeighedBeforeAnotherJobHasItsPlace();
    void placesAreGivenBack();
    void progressSaysHowFarItIs();
    void queuesAreFoundByTheirLog();
};

void TestMapWords::replacementStringsAreThoseOfParallel_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("line");
    QTest::newRow("whole") << "cat {}" << "a/b.c" << "cat a/b.c";
    QTest::newRow("appended") << "cat" << "a/b.c" << "cat a/b.c";
    QTest::newRow("all five") << "{/} {//} {/.} {.} {#}" << "a/b.c" << "b.c a b a/b 7";
    QTest::newRow("at the root") << "{/} {//} {/.} {.}" << "/x.y" << "x.y / x /x";
    QTest::newRow("without") << "{/} {//} {/.} {.}" << "z" << "z . z z";
    QTest::newRow("dot in the directory") << "{/} {//} {/.} {.}" << "a/b.c/d" << "d a/b.c d a/b.c/d";
    QTest::newRow("dot at the end") << "{/.} {.}" << "x." << "x x";
    QTest::newRow("a directory") << "{/} {//} {/.} {.}" << "/a/" << "'' / '' /a/";
    QTest::newRow("place") << "{%}:{}" << "a" << "2:a";
    QTest::newRow("numbered") << "{1}{-1.}{2}" << "a.b" << "a.ba";
    QTest::newRow("no replacement string") << "{a} {} {0}" << "v" << "{a} v {0}";
    QTest::newRow("spaces stay") << "a  b {}" << "v" << "a  b v";
    QTest::newRow("empty") << "echo {}" << "" << "echo ''";
    QTest::newRow("only a number appends nothing") << "echo {#}" << "v" << "echo 7";
}

void TestMapWords::replacementStringsAreThoseOfParallel() {
    QFETCH(QString, command);
    QFETCH(QString, value);
    QTEST(QString::fromStdString(lineOf({command.toStdString()}, {value.toStdString()})), "line");
}

void TestMapWords::anotherTextStandsForTheValue() {
    const auto line = [](const Texts& words, std::string_view whole) {
        const Texts values{"a.b"};
        return CommandTemplate::parse(words, Values::One, whole)->line({.values = values, .seq = 7, .slot = 2});
    };
    QCOMPARE(line({"echo % {} {#} {.} {%}"}, "%"), "echo a.b {} 7 a 2");
    QCOMPARE(line({"echo {}"}, "%"), "echo {} a.b");
    QCOMPARE(line({"echo {.}x"}, "%"), "echo ax");
    QCOMPARE(line({"echo x,,y"}, ",,"), "echo xa.by");
    QCOMPARE(line({"echo {}"}, "{}"), "echo a.b");
}

void TestMapWords::optionsHaveTheNamesOfParallel() {
    QCOMPARE(mapOptionsOf(argumentsOf({"-P2", "wc"}))->jobs, std::optional<std::string>("2"));
    QCOMPARE(mapOptionsOf(argumentsOf({"--max-procs", "50%", "wc"}))->jobs, std::optional<std::string>("50%"));
    QCOMPARE(mapOptionsOf(argumentsOf({"-N3", "wc"}))->records, 3u);
    QCOMPARE(mapOptionsOf(argumentsOf({"-I%", "wc"}))->whole, "%");
    QVERIFY(mapOptionsOf(argumentsOf({"--progress", "wc"}))->showsBar);
    QVERIFY(refusalOf({"-I", "", "wc"}).contains("--replace"));
    for (const auto* option : {"-L1", "-m", "-v", "--xargs"}) {
        const std::array<const char*, 2> words{"map", option};
        const auto parsed = parseCommandLine(words);
        QVERIFY2(!parsed && parsed.error().message.contains("here it is"), option);
    }
}

void TestMapWords::valuesAreQuotedForTheShell() {
    QCOMPARE(shellQuoted("a_b-c.d+e/f"), "a_b-c.d+e/f");
    QCOMPARE(shellQuoted("a b"), "'a b'");
    QCOMPARE(shellQuoted("it's"), "'it'\"'\"'s'");
    QCOMPARE(shellQuoted("'x"), "\"'\"'x'");
    QCOMPARE(shellQuoted("a\nb"), "'a\nb'");
    QCOMPARE(shellQuoted("\xff"), "'\xff'");
    QCOMPARE(shellQuoted(""), "''");
    QCOMPARE(lineOf({"echo", "{1}-{2}"}, {"a b", "c"}), "echo 'a b'-c");
    QCOMPARE(lineOf({"echo"}, {"1", "2"}), "echo 1 2");
    QCOMPARE(lineOf({}, {"echo a; exit 3"}), "echo a; exit 3");
}

void TestMapWords::whatIsPlainNeedsNoShell() {
    const auto programOf = [](const Texts& words) {
        return CommandTemplate::parse(words, Values::One)->plainProgram().value_or("-");
    };
    QCOMPARE(programOf({"gzip", "-9", "{}"}), "gzip");
    QCOMPARE(programOf({"gzip -9 {} > {}.gz"}), "-");
    QCOMPARE(programOf({"A=1", "x"}), "-");
    QCOMPARE(programOf({"{}", "x"}), "-");
    QCOMPARE(programOf({}), "-");
    QCOMPARE(programOf({"echo", "$HOME"}), "-");
    QCOMPARE(argvOf({"convert  {} {.}.webp"}, {"a b.png"}), "[convert][a b.png][a b.webp]");
    QCOMPARE(argvOf({"p", "x{}y"}, {"1", "2"}), "[p][x1][2y]");
    QCOMPARE(argvOf({"p", "{}"}, {""}), "[p][]");
    QCOMPARE(argvOf({"p", "{2}", "{#}"}, {"a"}), "[p][7]");
    QVERIFY(isProgramHere("sh"));
    QVERIFY(!isProgramHere("no-such-program-7"));
}

void TestMapWords::programsElsewhereAreNotLookedForHere() {
    QVERIFY(actionOf({"/bin/cat", "{}", ":::", "a"}).contains(R"("argv":["/bin/cat","a"])"));
    QVERIFY(actionOf({"--machine", "local", "/bin/cat", ":::", "a"}).contains(R"("argv":["/bin/cat","a"])"));
    QVERIFY(actionOf({"--machine", "desk", "/bin/cat", ":::", "a"}).contains(R"("-c","/bin/cat a"])"));
}

void TestMapWords::contextIsRepeatedForEachValue() {
    QCOMPARE(lineOf({"echo", "p{}q", "r"}, {"1", "2"}, Values::Context), "echo p1q p2q r");
    QCOMPARE(argvOf({"echo", "p{}q", "r"}, {"1", "2"}, Values::Context), "[echo][p1q][p2q][r]");
    QCOMPARE(lineOf({"wc"}, {}, Values::None), "wc");
}

void TestMapWords::perlIsRefused() {
    QVERIFY(lineOf({"echo {= s/a/b/ =}"}, {"a"}).starts_with("map has no replacement strings of Perl"));
}

void TestMapWords::sourcesAreCombined() {
    QCOMPARE(recordsOf({"x", ":::", "A", "B", ":::", "1", "2"}), "A 1|A 2|B 1|B 2");
    QCOMPARE(recordsOf({":::", "a"}), "a");
    QCOMPARE(recordsOf({"x", ":::"}), "");
    QCOMPARE(recordsOf({"x", ":::", "A", ":::"}), "");
    QCOMPARE(recordsOf({"x", "::::"}), ":::: wants a file");
    QCOMPARE(recordsOf({"x", ":::+", "A"}), ":::+ links to the source before it, and there is none");
    MapOptions options;
    QVERIFY(readSources({"x", ":::", "A", "B", ":::", "1", "2", "3"}, options));
    QCOMPARE(RecordSource::open(options.sources, {})->total(), std::optional<std::int64_t>(6));
}

void TestMapWords::linkedSourcesGoSideBySide() {
    QCOMPARE(recordsOf({"x", ":::", "A", "B", "C", ":::+", "1", "2"}), "A 1|B 2");
    QCOMPARE(recordsOf({"x", ":::", "A", "B", ":::", "1", "2", ":::+", "x", "y"}), "A 1 x|A 2 y|B 1 x|B 2 y");
}

void TestMapWords::filesAreReadAsTheyAreNeeded() {
    const QTemporaryDir dir;
    const std::string one = written(dir, "one", "a\n\nb b\nlast");
    const std::string two = written(dir, "two", "1\n2\n");
    QCOMPARE(recordsOf({"x", "::::", one}), "a||b b|last");
    QCOMPARE(recordsOf({"x", "::::", one, two}), "a 1|a 2| 1| 2|b b 1|b b 2|last 1|last 2");
    QCOMPARE(recordsOf({"x", ":::", "A", "::::+", two}), "A 1");
    QCOMPARE(recordsOf({"x", "::::", written(dir, "nul", std::string_view("a\0b\nc\0", 6))}, {.separator = '\0'}),
             "a|b\nc");
    QVERIFY(recordsOf({"x", "::::", one + "-not"}).starts_with("cannot open "));
    // Ended from elsewhere, as by Ctrl+C: no half value comes of it.
    InFlight ended({});
    ended.stop();
    QCOMPARE(recordsOf({"x", "::::", one}, {.stop = ended.stopDescriptor()}), "");
}

void TestMapWords::whatNoProgramTakesIsRefused() {
    const QTemporaryDir dir;
    QVERIFY(
        recordsOf({"x", "::::", written(dir, "long", std::string(kMaxValue + 1, 'x'))}).starts_with("value 1 of "));
    QCOMPARE(recordsOf({"x", "::::", written(dir, "fits", std::string(kMaxValue, 'x'))}).size(), kMaxValue);
    QVERIFY(recordsOf({"x", "::::", written(dir, "nul", std::string_view("a\0b\n", 4))}).contains("has a byte 0"));
}

void TestMapWords::columnsAreSplit() {
    QCOMPARE(splitColumns("a,b,,c", ","), (Record{"a", "b", "", "c"}));
    QCOMPARE(splitColumns("a\tb", "\\t"), (Record{"a", "b"}));
    QCOMPARE(splitColumns("a   b", " +"), (Record{"a", "b"}));
    QCOMPARE(splitColumns("a", ","), (Record{"a"}));
    QVERIFY(checkColumns(","));
    QVERIFY(!checkColumns("("));
    QCOMPARE(recordsOf({"x", ":::", "a,b", "c,d,e"}, {.columns = ","}), "a b|c d e");
}

void TestMapWords::jobsTakeSeveralValues() {
    QCOMPARE(jobsOf({"1", "2", "3"}, {}), "1:1 2:2 3:3 ");
    QCOMPARE(jobsOf({"1", "2", "3", "4", "5"}, {.records = 2}), "1:1,2 2:3,4 3:5 ");
    QCOMPARE(jobsOf({}, {}), "");
    const std::string all = jobsOf({"1", "2", "3"}, {.shuffles = true});
    for (const char value : {'1', '2', '3'}) QVERIFY(all.contains(fmt::format(":{} ", value)));
}

void TestMapWords::theLastValuesAreSharedOut() {
    const Texts seven{"1", "2", "3", "4", "5", "6", "7"};
    QCOMPARE(jobsOf(seven, {.isContext = true, .maxLine = 1000, .jobsAtOnce = 2}), "1:1,2,3,4 2:5,6,7 ");
    QCOMPARE(jobsOf(seven, {.isContext = true, .maxLine = 1000, .jobsAtOnce = 1}), "1:1,2,3,4,5,6,7 ");
    // A value takes its byte, a space, and one for its place: three fit.
    QCOMPARE(jobsOf(seven, {.isContext = true, .maxLine = 9, .jobsAtOnce = 1}), "1:1,2,3 2:4,5,6 3:7 ");
    QCOMPARE(jobsOf(seven, {.records = 3, .isContext = true, .maxLine = 1000, .jobsAtOnce = 1}),
             "1:1,2,3 2:4,5,6 3:7 ");
}

void TestMapWords::aJobLogIsReadAsItWasWritten() {
    const std::string line = jobLogLine({.seq = 3,
                                         .startMicros = 1'795'764'321'443'000,
                                         .seconds = 0.007,
                                         .received = 4,
                                         .exitCode = 2,
                                         .command = "echo a\nb"});
    QCOMPARE(line, std::string("3\t:\t1795764321.443\t     0.007\t0\t4\t2\t0\techo a\0b\n", 47));
    const std::string text = std::string(kJobLogHead) + line + jobLogLine({.seq = 5, .command = "x\ty"}) +
                             jobLogLine({.seq = 6, .signal = 9, .command = "z"});
    QCOMPARE(numbersOf(doneJobs(text, false)), (std::vector<std::int64_t>{3, 5, 6}));
    QCOMPARE(numbersOf(doneJobs(text, true)), (std::vector<std::int64_t>{5}));
    // One that ran well later is done.
    QCOMPARE(numbersOf(doneJobs(text + jobLogLine({.seq = 3}), true)), (std::vector<std::int64_t>{3, 5}));
    QCOMPARE(numbersOf(doneJobs(text + "7\t:\t1", false)), (std::vector<std::int64_t>{3, 5, 6}));
    QVERIFY(doneJobs("", true)->empty());
    QCOMPARE(doneJobs(text, false)->at(3), loggedHash("echo a\nb"));
    QVERIFY(doneJobs(text, false)->at(3) != loggedHash("echo ab"));
}

void TestMapWords::aLogThatIsNoneIsRefused() {
    QVERIFY(!doneJobs("hello\n", false));
    QVERIFY(!doneJobs("1\t:\tx\ty\t0\t0\tzero\t0\tc\n", false));
    QVERIFY(!doneJobs("-1\t:\t1\t1\t0\t0\t0\t0\tc\n", false));
    const QTemporaryDir dir;
    QVERIFY(!JobLog::open(dir.path().toStdString(), JobLog::Begin::New));
}

void TestMapWords::theTornLineOfAKillIsCutOff() {
    const QTemporaryDir dir;
    const std::string whole = std::string(kJobLogHead) + jobLogLine({.seq = 1, .command = "a"});
    const std::string path = written(dir, "log", whole + "2\t:\t17957");
    {
        auto log = JobLog::open(path, JobLog::Begin::Resume);
        QVERIFY(log);
        QCOMPARE(log->textBefore(), whole);
        QVERIFY(log->append({.seq = 2, .command = "b"}));
    }
    QCOMPARE(*readFile(path), whole + jobLogLine({.seq = 2, .command = "b"}));
    auto log = JobLog::open(path, JobLog::Begin::New);
    QCOMPARE(*readFile(path), std::string(kJobLogHead));
}

void TestMapWords::aLogIsOfOneMapAtATime() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString() + "/log";
    const auto first = JobLog::open(path, JobLog::Begin::New);
    QVERIFY(first);
    const auto second = JobLog::open(path, JobLog::Begin::Resume);
    QVERIFY(!second && second.error().message.starts_with("another map writes"));
}

void TestMapWords::aLogIsKnownByItsFile() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString() + "/log";
    const auto identity = [](const std::string& file, JobLog::Begin begin) {
        const auto log = JobLog::open(file, begin);
        return log ? log->identity() : log.error().message;
    };
    const std::string first = identity(path, JobLog::Begin::New);
    QCOMPARE(first.size(), 16u);
    QCOMPARE(identity(path, JobLog::Begin::Resume), first);
    QVERIFY(identity(path + "2", JobLog::Begin::New) != first);
    QCOMPARE(identity("/dev/null", JobLog::Begin::New), "");
    QVERIFY(identity("/dev/null", JobLog::Begin::Resume).contains("is not a file"));
}

void TestMapWords::haltsAsParallelDoes() {
    using When = HaltPolicy::When;
    const auto after = [](const std::string& text, const std::vector<int>& codes, std::int64_t total = 4) {
        auto halt = HaltPolicy::parse(text).value();
        halt.setTotal(total);
        std::size_t seen = 0;
        for (const int code : codes) {
            ++seen;
            if (halt.note(code) != When::Never) break;
        }
        return fmt::format("{} {}", seen, halt.exitCode().value_or(-1));
    };
    QCOMPARE(after("never", {1, 1}), "2 -1");
    QCOMPARE(after("now,fail=1", {0, 3, 4}), "2 3");
    QCOMPARE(after("soon,fail=1", {0, 137, 4}), "2 137");
    QCOMPARE(after("soon,fail=2", {0, 3, 4, 5}), "3 2");
    QCOMPARE(after("now,fail=50%", {0, 3, 4, 5}), "3 50");
    QCOMPARE(after("now,success=1", {3, 0, 4, 5}), "2 0");
    QCOMPARE(after("now,done=3", {3, 0, 4, 5}), "3 2");
    QCOMPARE(after("1", {2}), "1 2");
    QCOMPARE(after("2", {2}), "1 2");
    QCOMPARE(HaltPolicy::parse("soon,fail=3")->stopsAfterFailures(), std::optional<std::int64_t>(3));
    QCOMPARE(HaltPolicy::parse("soon,fail=3%")->stopsAfterFailures(), std::optional<std::int64_t>());
    // A part of nobody knows how many waits.
    auto halt = HaltPolicy::parse("now,fail=10%").value();
    QCOMPARE(halt.note(1), When::Never);
    halt.setTotal(10);
    QCOMPARE(halt.note(1), When::Now);
}

void TestMapWords::haltsThatAreNoneAreRefused() {
    for (const auto* text :
         {"", "later,fail=1", "now", "now,fail", "now,fail=0", "now,fail=x", "now,fail=1.5", "fail=1,now"})
        QVERIFY2(!HaltPolicy::parse(text), text);
}

void TestMapWords::jobsAtOnceAreOfTheCores() {
    QCOMPARE(jobsAtOnce("3", 8).value(), 3);
    QCOMPARE(jobsAtOnce("50%", 8).value(), 4);
    QCOMPARE(jobsAtOnce("1%", 8).value(), 1);
    QCOMPARE(jobsAtOnce("+2", 8).value(), 10);
    QCOMPARE(jobsAtOnce("-2", 8).value(), 6);
    QCOMPARE(jobsAtOnce("-20", 8).value(), 1);
    QCOMPARE(jobsAtOnce("0", 8).value(), 1'000'000);
    for (const auto* text : {"", "x", "3x", "1e3", "99999999"}) QVERIFY2(!jobsAtOnce(text, 8), text);
}

void TestMapWords::blocksHaveSizes() {
    QCOMPARE(blockSize("10M").value(), 10u << 20);
    QCOMPARE(blockSize("20k").value(), 20'000u);
    QCOMPARE(blockSize("20K").value(), 20'480u);
    QCOMPARE(blockSize("4096").value(), 4'096u);
    for (const auto* text : {"", "x", "1T", "0", "65M", "-1"}) QVERIFY2(!blockSize(text), text);
}

void TestMapWords::optionsThatDoNotGoTogetherAreRefused() {
    QCOMPARE(refusalOf({"-j2", "-k", "echo", ":::", "a"}), "taken");
    QCOMPARE(refusalOf({"-j", "-1", "echo", ":::", "a"}), "taken");
    QVERIFY(refusalOf({"--resume", "echo", ":::", "a"}).contains("--joblog"));
    QVERIFY(refusalOf({"--resume", "--shuf", "--joblog", "l", "echo"}).contains("--shuf"));
    QVERIFY(refusalOf({"--pipe", "wc", ":::", "a"}).contains("--pipe reads stdin"));
    QVERIFY(refusalOf({"--pipe"}).contains("--pipe wants a command"));
    QVERIFY(refusalOf({"--block", "1M", "wc"}).contains("--pipe"));
    QVERIFY(refusalOf({"-d", "-k", "wc"}).contains("--keep-order and --detach"));
    QVERIFY(refusalOf({"-d", "--delay", "1s", "wc"}).contains("--delay and --detach"));
    QVERIFY(refusalOf({"--delay", "x", "wc"}).contains("is not a duration"));
    QVERIFY(refusalOf({"--delay", "2d", "wc"}).contains("--delay wants"));
    QVERIFY(refusalOf({"-d", "--timeout", "200%", "wc"}).contains("--timeout and --detach"));
    QCOMPARE(refusalOf({"-d", "--timeout", "3s", "wc"}), "taken");
    for (const auto* halt : {"now,success=1", "soon,done=3", "now,fail=10%"})
        QVERIFY2(refusalOf({"-d", "--halt", halt, "wc"}).contains("--halt and --detach"), halt);
    for (const auto* halt : {"never", "soon,fail=3"}) QCOMPARE(refusalOf({"-d", "--halt", halt, "wc"}), "taken");
    QVERIFY(refusalOf({"--results", "{}", "wc"}).contains("--results"));
    QVERIFY(refusalOf({"--timeout", "0%", "wc"}).contains("--timeout"));
    for (const auto* option : {"--timeout=0", "--deadline=0s", "--retries=-1", "--retries=1001",
                               "--interruptions=-1", "--priority=1000", "--priority=-101", "--cores=0"}) {
        const std::string refusal = refusalOf({option, "wc"});
        QVERIFY2(refusal.starts_with(std::string_view(option).substr(0, std::string_view(option).find('='))),
                 refusal.c_str());
    }
    QCOMPARE(refusalOf({"--retries=1000", "-p-100", "--cores=0.5", "--deadline=1s", "wc"}), "taken");
    QVERIFY(refusalOf({"-n-1", "wc"}).contains("--max-args"));
    QCOMPARE(refusalOf({"-n0", "wc"}), "taken");
    QVERIFY(refusalOf({"-n0", "-X", "wc"}).contains("--context-replace"));
    QVERIFY(refusalOf({"-N0", "--results", "r", "wc"}).contains("--results"));
    QVERIFY(refusalOf({"-n0"}).contains("name the command"));
    QCOMPARE(mapOptionsOf(argumentsOf({"wc"}))->sources.front().path, "-");
    QCOMPARE(mapOptionsOf(argumentsOf({"-a", "f", "wc"}))->sources.front().path, "f");
    QCOMPARE(mapOptionsOf(argumentsOf({"--timeout", "150%", "wc"}))->timeoutPercent, std::optional<double>(150));
}

void TestMapWords::resultsStayInTheirDirectory() {
    QCOMPARE(resultsDirectory("d", {"a/b", "c d"}), "d/1/a\\_b/2/c d");
    QCOMPARE(resultsDirectory("d", {"v", "w", "x"}, {"a/b", ""}), "d/a\\_b/v/2/w/3/x");
    QCOMPARE(resultsDirectory("d", {"..", "."}), "d/1/\\../2/\\.");
    QCOMPARE(resultsDirectory("d", {"a\\b\tc"}), "d/1/a\\\\b\\tc");
    QCOMPARE(resultsDirectory("d", {std::string(300, 'x')}).size(), 4u + 255u);
}

void TestMapWords::whoSubmitsWaitsForRoom() {
    InFlight flight({.jobs = 2});
    QCOMPARE(flight.awaitRoom(0), 2u);
    flight.add(5, {.seq = 1});
    QCOMPARE(flight.awaitRoom(1), 0u); // what is on its way has to go first
    flight.add(6, {.seq = 2});
    std::size_t room = 0;
    std::thread submits([&] { room = flight.awaitRoom(0); });
    QCOMPARE(flight.oldest(1), std::vector<std::int64_t>{5});
    QCOMPARE(flight.take(5)->seq, 1);
    QVERIFY(!flight.take(5));
    flight.freeTaken();
    submits.join();
    QCOMPARE(room, 1u);
    QCOMPARE(flight.lowestSeq(), std::optional<std::int64_t>(2));
    flight.keepBack(1); // they take room, too
    std::thread waits([&] { room = flight.awaitRoom(0); });
    flight.stop();
    waits.join();
    QCOMPARE(room, 0u);
    QVERIFY(!flight.isFinished());
    flight.finish(std::nullopt);
    QVERIFY(flight.isFinished());
}

void TestMapWords::anEndIsWeighedBeforeAnotherJobHasItsPlace() {
    InFlight flight({.jobs = 2});
    flight.add(5, {.seq = 1});
    QVERIFY(flight.take(5));
    QCOMPARE(flight.awaitRoom(0), 1u);
    flight.freeTaken();
    QCOMPARE(flight.awaitRoom(0), 2u);
}

void TestMapWords::placesAreGivenBack() {
    InFlight flight({});
    QCOMPARE(flight.takeSlot(), 1);
    QCOMPARE(flight.takeSlot(), 2);
    flight.add(5, {.seq = 1, .slot = 1});
    (void)flight.take(5);
    QCOMPARE(flight.takeSlot(), 1);
    QCOMPARE(flight.takeSlot(), 3);
}

void TestMapWords::progressSaysHowFarItIs() {
    QCOMPARE(progressLine({.ended = 450, .failed = 3, .total = 1000}, 4.5, 80),
             "[#########           ]  45 %  450 of 1000, 3 failed, 100/s, 5.5 s left");
    QCOMPARE(progressLine({.ended = 1, .total = 4, .parts = 1}, 10, 80),
             "[##########          ]  50 %  1 of 4, 0.1/s, 10.0 s left");
    QCOMPARE(progressLine({.ended = 0, .total = 4, .parts = 1}, 10, 80),
             "[#####               ]  25 %  0 of 4, 30.0 s left");
    QCOMPARE(progressLine({.ended = 1, .total = 4, .left = 7}, 10, 80),
             "[#####               ]  25 %  1 of 4, 0.1/s, 7.0 s left");
    QCOMPARE(progressLine({.ended = 4, .total = 4, .parts = 1, .left = 7}, 10, 80),
             "[####################] 100 %  4 of 4, 0.4/s");
    QCOMPARE(progressLine({.ended = 12, .left = 7}, 10, 80), "12 done, 1.2/s"); // of how many is not known
    QCOMPARE(progressLine({.ended = 1000, .total = 1000}, 10, 80),
             "[####################] 100 %  1000 of 1000, 100/s");
    QCOMPARE(progressLine({.ended = 12}, 10, 80), "12 done, 1.2/s");
    QCOMPARE(progressLine({.ended = 12}, 10, 4), "12 d");
    QCOMPARE(progressLine({}, 0, 80), "0 done");
}

void TestMapWords::queuesAreFoundByTheirLog() {
    QCOMPARE(mapQueueTag("/usr/bin/gzip", ""), "map gzip");
    QCOMPARE(mapQueueTag("gzip", "0123456789abcdef"), "map gzip 0123456789abcdef");
    QCOMPARE(mapQueueTag("\xff", "01"), "map … 01");
    QCOMPARE(mapQueueTag("/bin/sort {} > /tmp/{}", ""), "map sort");
}

QTEST_GUILESS_MAIN(TestMapWords)
#include "tst_map_words.moc"
