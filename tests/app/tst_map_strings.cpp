// The shape of values and commands of yardctl map: --plus, -q, --header, --trim, --arg-sep. No engine.
#include "app/yardctl/map/command_template.h"
#include "app/yardctl/map/job_planner.h"
#include "app/yardctl/map/map_options.h"
#include "app/yardctl/map/values.h"
#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::ctl;

namespace {

using Texts = std::vector<std::string>;
using Values = CommandTemplate::Values;

std::string lineOf(const Texts& words, const Texts& values) {
    const auto command = CommandTemplate::parse(words, Values::One);
    return command ? command->line({.values = values, .seq = 7, .slot = 2}) : command.error().message;
}

std::string plusLineOf(const Texts& words, const Texts& values) {
    const auto command = CommandTemplate::parse(words, CommandTemplate::How{.hasPlus = true});
    if (!command) return command.error().message;
    return command->line({.values = values, .seq = 7, .slot = 2, .total = 120, .atOnce = 10});
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

std::string refusalOf(const Texts& words) {
    const auto options = mapOptionsOf(argumentsOf(words));
    return options ? std::string("taken") : options.error().message;
}

} // namespace

class TestMapStrings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plusHasTheStringsOfParallel_data();
    void plusHasTheStringsOfParallel();
    void whatPlusHasNotIsRefused();
    void quotedWordsAreWordsOfTheShell();
    void columnsHaveNames();
    void valuesAreTrimmed();
    void sourcesHaveOtherMarks();
    void jobsAreCountedBeforeTheFirst();
};

void TestMapStrings::plusHasTheStringsOfParallel_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("line");
    const QString path = "{+/} {+.} {+..} {+...} {..} {...} {/..} {/...}";
    QTest::newRow("a path") << path << "a/b.c.d.e.f" << "a f e.f d.e.f a/b.c.d a/b.c b.c.d b.c";
    QTest::newRow("no path") << path << "x" << "'' '' '' '' x x x x";
    QTest::newRow("at the root") << path << "/q" << "'' '' '' '' /q /q q q";
    QTest::newRow("counts") << "{##} {0#} {0%} {#} {%}" << "x" << "120 007 02 7 2";
    QTest::newRow("the place, by the shell") << "{slot}" << "x" << "${PARALLEL_JOBSLOT}";
    QTest::newRow("parts") << "{:2} {:1:2} {:9} {:1:99} {:2:-1}" << "abcdef" << "cdef bc '' bcdef {:2:-1}";
    QTest::newRow("instead of nothing") << "{:-x}" << "" << "x";
    QTest::newRow("instead of 0") << "{:-x}" << "0" << "x";
    QTest::newRow("not instead of something") << "{:-x}" << "a" << "a";
    QTest::newRow("from the front") << "{#z.*z.} {##z.*z.}" << "z.z.z.foo" << "z.foo foo";
    QTest::newRow("from the end") << "{%.z.*z} {%%.z.*z}" << "foo.z.z.z" << "foo.z foo";
    QTest::newRow("what is not there") << "{#q} {##q} {%q} {%%q} {/q/x} {^q}" << "ab" << "ab ab ab ab ab ab";
    QTest::newRow("replaced") << "{/b/X} {//b/X} {/#a/X} {/%b/X} {/b/}" << "abcb" << "aXcb aXcX Xbcb abcX acb";
    QTest::newRow("matches of nothing") << "{//o*/x} {/o*/x} {^^o*}" << "foo" << "xfxx xfoo fOO";
    QTest::newRow("an expression") << "{//[0-9]+/N}" << "a12b3" << "aNbN";
    QTest::newRow("raised") << "{^z} {^^z}" << "z.z" << "Z.z Z.Z";
    QTest::newRow("lowered") << "{,Z} {,,Z}" << "ZZz" << "zZz zzz";
    QTest::newRow("by position") << "{1..} {-1+/} {2..}" << "a/b.c.d" << "a/b a ";
    QTest::newRow("none") << "{++} {+} {....} {:x} {/a} {}" << "v" << "{++} {+} {....} {:x} {/a} v";
}

void TestMapStrings::plusHasTheStringsOfParallel() {
    QFETCH(QString, command);
    QFETCH(QString, value);
    QTEST(QString::fromStdString(plusLineOf({command.toStdString()}, {value.toStdString()})), "line");
}

void TestMapStrings::whatPlusHasNotIsRefused() {
    QCOMPARE(lineOf({"echo {..} {##}"}, {"a.b.c"}), "echo {..} {##} a.b.c"); // without --plus they are text
    for (const auto* name : {"{uniq}", "{choose_k}", "{host}", "{agrp}"})
        QVERIFY2(plusLineOf({"echo", name}, {"a"}).starts_with("map has no {"), name);
    QVERIFY(plusLineOf({"echo {/(/x}"}, {"a"}).contains("cannot be read"));
    const auto parsed = [](Values values) {
        const Texts words{"echo {##}"};
        return CommandTemplate::parse(words, {.values = values, .hasPlus = true}).has_value();
    };
    QVERIFY(parsed(Values::One) && !parsed(Values::Context) && !parsed(Values::None));
}

void TestMapStrings::quotedWordsAreWordsOfTheShell() {
    const auto line = [](const Texts& words, const Texts& values, Values how = Values::One) {
        return CommandTemplate::parse(words, {.values = how, .isQuoted = true})->line({.values = values});
    };
    QCOMPARE(line({"echo", "{}", "$HOME", "a  b;c", ""}, {"x y"}), "echo 'x y' '$HOME' 'a  b;c' ''");
    QCOMPARE(line({"echo", "a b{}c"}, {"x y"}), "echo 'a bx yc'");
    QCOMPARE(line({"echo a"}, {"b"}), "'echo a' b");
    QCOMPARE(line({}, {"echo a; exit 3"}), "'echo a; exit 3'");
    QCOMPARE(line({"echo", "p {}q"}, {"1", "2"}, Values::Context), "echo 'p 1q' 'p 2q'");
    QCOMPARE(line({"echo", "a{}b", "{1}"}, {"1 x", "2"}), "echo 'a1 x' 2b '1 x'");
    const Texts words{"perl", "-e", "print $x;"};
    QCOMPARE(CommandTemplate::parse(words, {.isQuoted = true})->plainProgram(), std::optional<std::string>("perl"));
    QVERIFY(!CommandTemplate::parse(Texts{"", "ls"}, {.isQuoted = true})->plainProgram());
}

void TestMapStrings::columnsHaveNames() {
    const auto line = [](const Texts& words, const Texts& names) {
        const Texts values{"v.w", "x/y"};
        return CommandTemplate::parse(words, {.names = names})->line({.values = values});
    };
    QCOMPARE(line({"echo {a.} {b/} {1} {c}"}, {"a", "b"}), "echo v y v.w {c}");
    QCOMPARE(line({"echo {a b} {a}"}, {"a b", "a"}), "echo v.w x/y");
    QCOMPARE(line({"echo {a}"}, {"a", "a"}), "echo v.w"); // the first of two
    QCOMPARE(line({"echo {}"}, {"", "b"}), "echo v.w x/y");
    const auto open = [](const Texts& operands, RecordSource::How how) {
        MapOptions options;
        (void)readSources(operands, options);
        return RecordSource::open(options.sources, std::move(how));
    };
    const auto two = open({"x", ":::", "a", "1", "2", ":::+", "b", "3", "4"}, {.hasHeader = true});
    QCOMPARE(two->names(), (Texts{"a", "b"}));
    QCOMPARE(two->total(), std::optional<std::int64_t>(2));
    QCOMPARE(open({"x", ":::", "a,b\r"}, {.hasHeader = true, .columns = ","})->names(), (Texts{"a", "b"}));
    QCOMPARE(open({"x", ":::", "a\tb", "1"}, {.hasHeader = true})->names(), (Texts{"a", "b"}));
    QVERIFY(open({"x", ":::"}, {.hasHeader = true})->names().empty());
    const QTemporaryDir dir;
    const std::string file = written(dir, "table", "n\n1\n2\n");
    QCOMPARE(open({"x", "::::", file}, {.hasHeader = true})->names(), (Texts{"n"}));
    QCOMPARE(recordsOf({"x", "::::", file}, {.hasHeader = true}), "1|2");
    QVERIFY(mapOptionsOf(argumentsOf({"--header", ":", "wc"}))->hasHeader);
    QVERIFY(!mapOptionsOf(argumentsOf({"--header", "0", "wc"}))->hasHeader);
    QCOMPARE(mapOptionsOf(argumentsOf({"--pipe", "--header", "3", "wc"}))->headLines, 3u);
    for (const auto* what : {"x", "-1", "1001", ""})
        QVERIFY2(refusalOf({"--header", what, "wc"}).contains("--header wants"), what);
}

void TestMapStrings::valuesAreTrimmed() {
    const auto trimmed = [](Trim trim) {
        const Texts words{"x{/}y"};
        const Texts values{" a/ b\t"};
        const auto command = CommandTemplate::parse(words, {.trim = trim});
        return command->line({.values = values}) + "|" + command->tag(values);
    };
    QCOMPARE(trimmed(Trim::None), "x' b\t'y| a/ b\t");
    QCOMPARE(trimmed(Trim::Left), "x' b\t'y|a/ b\t");
    QCOMPARE(trimmed(Trim::Right), "x' b'y| a/ b");
    QCOMPARE(trimmed(Trim::Both), "x' b'y|a/ b");
    QCOMPARE(trimmedBy(Trim::Both, " \n "), "");
    QCOMPARE(trimmedBy(Trim::Right, ""), "");
    QVERIFY(mapOptionsOf(argumentsOf({"--trim", "rl", "wc"}))->trim == Trim::Both);
    QVERIFY(!mapOptionsOf(argumentsOf({"wc"}))->trim);
    QVERIFY(refusalOf({"--trim", "x", "wc"}).contains("--trim wants"));
}

void TestMapStrings::sourcesHaveOtherMarks() {
    const auto options = mapOptionsOf(argumentsOf({"--arg-sep", ",", "echo", ",", "a", ":::", ",+", "b", "c"}));
    QCOMPARE(options->words, Texts{"echo"});
    QCOMPARE(options->sources.size(), 2u);
    QCOMPARE(options->sources[0].values, (Texts{"a", ":::"}));
    QVERIFY(options->sources[1].isLinked);
    const auto files = mapOptionsOf(argumentsOf({"--arg-file-sep", "//", "echo", "//", "f", ":::", "a"}));
    QVERIFY(files->sources[0].isFile && !files->sources[1].isFile);
    QVERIFY(refusalOf({"--arg-sep", "", "wc"}).contains("--arg-sep wants"));
    QVERIFY(refusalOf({"--arg-sep", "::::", "wc"}).contains("two words"));
    QVERIFY(refusalOf({"--arg-sep", "x", "--arg-file-sep", "x+", "wc"}).contains("two words"));
}

void TestMapStrings::jobsAreCountedBeforeTheFirst() {
    const auto command = CommandTemplate::parse(Texts{"{##}"}, CommandTemplate::How{.hasPlus = true});
    auto source = RecordSource::open({{.values = {"1", "2", "3", "4", "5"}}}, {});
    JobPlanner planner(std::move(*source), {.records = 2, .counts = true, .jobsAtOnce = 4}, *command);
    const auto first = planner.next();
    QCOMPARE((*first)->total, 3);
    QCOMPARE((*first)->atOnce, 4);
    QCOMPARE((*first)->values, (Texts{"1", "2"}));
    QCOMPARE(planner.total(), std::optional<std::int64_t>(3));
}

QTEST_GUILESS_MAIN(TestMapStrings)
#include "tst_map_strings.moc"
