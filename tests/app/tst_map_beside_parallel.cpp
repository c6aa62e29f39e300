// yardctl map beside GNU parallel (Debian: parallel): the same words to both, then what came on stdout, the exit code and the
// job log, without the times in it. Skipped where parallel is not installed; ./dev installs it.
#include "tests/app/at_engine.h"

#include <QStandardPaths>
#include <QTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ranges>

using namespace yard;
using namespace yard::torture;
using test::at;
using test::CtlProcess;
using test::Ended;

namespace {

/// Seq, Host, Send, Receive, Exitval, Signal and Command, by the first.
std::string comparable(const std::string& log) {
    std::vector<std::string> rows;
    for (const auto& part : std::views::split(log, '\n')) {
        std::vector<std::string> columns;
        for (const auto& column : std::views::split(std::string_view(part.begin(), part.end()), '\t'))
            columns.emplace_back(column.begin(), column.end());
        if (columns.size() < 9 || columns[0] == "Seq") continue;
        columns.erase(columns.begin() + 2, columns.begin() + 4);
        rows.push_back(fmt::format("{:0>8}", fmt::join(columns, " ")));
    }
    std::ranges::sort(rows);
    return fmt::format("{}", fmt::join(rows, "\n"));
}

Ended inShell(const std::string& line) {
    return CtlProcess({"-c", QString::fromStdString(line)}, {}, "sh").end();
}

/// Rows of --header, --trim, --plus, -q, --arg-sep and --delay.
void addShapesOfValues() {
    QTest::newRow("a head of each source") << "-k --tag --header : echo {a} {b.} {1} ::: a 1 2 ::: b x.y";
    QTest::newRow("a head of columns") << "-k --header : --colsep , echo {n}:{v} ::: n,v 1,2 3,4";
    QTest::newRow("a head alone") << "-k --header : echo ::: a";
    QTest::newRow("no head") << "-k --header 0 echo ::: a";
    QTest::newRow("a head of pieces") << "-k --header : --pipe --block 2k cat < in/many";
    QTest::newRow("a head of lines") << "-k --header 2 --pipe cat < in/two";
    QTest::newRow("results by names")
        << "-k --header : --results DIR echo ::: a 1 ::: b x; find DIR -type f | sort";
    for (const char* how : {"n", "l", "r", "lr", "rl"})
        QTest::addRow("trimmed, %s", how)
            << QString("-k --tag --trim %1 echo 'x{/}y' ::: ' a/ b ' \"$(printf '\\t b')\"").arg(how);
    QTest::newRow("columns are trimmed") << "-k --tag --colsep , echo 'x{1}y{2}z' ::: 'a , b '";
    QTest::newRow("columns as they are") << "-k --colsep , --trim n echo 'x{1}y{2}z' ::: 'a , b '";
    QTest::newRow("more parts of paths")
        << "-k --plus echo {+/} {+.} {+..} {+...} {..} {...} {/..} {/...} ::: a/b.c.d.e.f x y.z /q /a/b.c";
    QTest::newRow("counts of jobs") << "-j1 -k --plus echo {##} {0#} {0%} {#} ::: 1 2 3 4 5 6 7 8 9 10 11";
    QTest::newRow("count of jobs with several values") << "-k --plus -n3 echo {##} ::: 1 2 3 4";
    QTest::newRow("parts of values") << "-k --plus echo {:1} {:2:3} {:-def} {:9} {1:1} ::: abcdef '' 0";
    QTest::newRow("ends of values")
        << "-k --plus echo '{#z.*z.}' '{##z.*z.}' '{%.z.*z}' '{%%.z.*z}' ::: z.z.z.foo foo.z.z.z ZZz";
    QTest::newRow("other text in values")
        << "-k --plus echo '{/z/y}' '{//z/y}' '{/#z/y}' '{/%z/y}' '{/[zo]/}' ::: z.z.z.foo foo.z.z.z";
    QTest::newRow("matches of nothing") << "-k --plus echo '{//o*/x}' '{/o*/x}' '{^^o*}' ::: foo oof ''";
    QTest::newRow("letters of values") << "-k --plus echo '{^z}' '{^^z}' '{,Z}' '{,,Z}' ::: zz.z ZZz";
    QTest::newRow("text in braces") << "-k --plus echo {++} {+} {....} {:x} {%} ::: a";
    QTest::newRow("quoted words") << "-k -q echo {} '$HOME' 'a  b;c' \"it's\" 'p{}q' ::: 'x y' \"it's\"";
    QTest::newRow("a quoted program") << "-k -q perl -e 'print \"$ARGV[0]\\n\"' ::: 'x  y'";
    QTest::newRow("a quoted line") << "-k -q ::: 'echo a; exit 3'";
    QTest::newRow("quoted words of several values") << "-k -q -n2 echo 'a{}b' {1} ::: '1 x' 2";
    QTest::newRow("quoted words repeated") << "-j1 -k -q -X echo 'p{}q' ::: 1 2";
    QTest::newRow("another mark of values") << "-k --arg-sep , echo {} , a b , 1 ,+ 2";
    QTest::newRow("another mark of files") << "-k --arg-file-sep // echo {} // in/two";
    QTest::newRow("one after the other, slowly") << "-j2 -k --delay 0.05 echo ::: 1 2 3";
}

} // namespace

class TestMapBesideParallel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void theSameComesOfTheSameWords_data();
    void theSameComesOfTheSameWords();
    void aLogOfParallelIsResumed();

private:
    std::string mine(const std::string& words) const {
        return fmt::format("{} --data-dir {} map {}", YARDCTL_PATH, place_->data(), words);
    }
    std::unique_ptr<Place> place_;
    std::unique_ptr<Yardmaster> engine_;
};

void TestMapBesideParallel::initTestCase() {
    if (QStandardPaths::findExecutable("parallel").isEmpty()) QSKIP("parallel is not installed (Debian: parallel)");
    place_ = std::make_unique<Place>();
    std::filesystem::create_directories(place_->path("home"));
    writeText(place_->path("home/will-cite"), "");
    qputenv("PARALLEL_HOME", place_->path("home").c_str());
    qputenv("PARALLEL_SHELL", "/bin/sh");
    engine_ = std::make_unique<Yardmaster>(*place_);
    QVERIFY2(engine_->isServing(), engine_->errors().c_str());
    std::filesystem::create_directories(place_->work() + "/in");
    writeText(place_->work() + "/in/lines", "a b\n\nit's;$x\nlast");
    writeText(place_->work() + "/in/two", "1\n2\n");
    writeText(place_->work() + "/in/table", "a,1\nb,2,more\n");
    std::string many;
    for (int i = 1; i <= 3'000; ++i) many += fmt::format("{}\n", i);
    writeText(place_->work() + "/in/many", many);
}

void TestMapBesideParallel::cleanupTestCase() {
    if (engine_) QCOMPARE(engine_->stop(), 0);
}

void TestMapBesideParallel::theSameComesOfTheSameWords_data() {
    QTest::addColumn<QString>("words"); // behind "parallel" and "map", for the shell
    QTest::newRow("values") << "-k echo {} ::: 'a b' \"it's\" '' 'x;y' 'a\\b' '~z' '*'";
    QTest::newRow("appended") << "-k echo ::: a b";
    QTest::newRow("parts of paths") << "-k echo {/} {//} {/.} {.} {#} ::: a/b.c /x.y z a/b.c/d x. /a/";
    QTest::newRow("dry run") << "--dry-run -k echo {/} {} ::: a/b.c 'c d'";
    QTest::newRow("two sources") << "-k echo {1}-{2} ::: A B ::: 1 2";
    QTest::newRow("linked sources") << "-k echo {1}-{2}-{3} ::: A B ::: 1 2 :::+ x y";
    QTest::newRow("unequal links") << "-k echo ::: A B C :::+ 1 2";
    QTest::newRow("by position") << "-k echo {2} {1.} {-1/} ::: a.b ::: c/d";
    QTest::newRow("stdin") << "-k echo 'x{}y' < in/lines";
    QTest::newRow("a file") << "-k -a in/lines echo";
    QTest::newRow("files as sources") << "-k echo :::: in/lines in/two";
    QTest::newRow("files beside values") << "-k echo ::: A B :::: in/two";
    QTest::newRow("columns") << "-k --colsep , echo {2}:{1} :::: in/table";
    QTest::newRow("ends of zero") << "-k -0 echo \"'{}'\" < in/lines";
    QTest::newRow("several values") << "-k -n2 echo {1}+{2} : {} ::: 1 2 3 4 5";
    QTest::newRow("another replacement string") << "-P2 -k -I% echo % {} {#} {.} ::: a.b c";
    QTest::newRow("context") << "-j2 -k -X echo p{}q ::: 1 2 3 4 5 6 7";
    QTest::newRow("tags") << "-k --tag 'echo {1}; echo more' ::: A B ::: 1 2";
    QTest::newRow("one after the other") << "-j1 echo ::: 1 2 3";
    QTest::newRow("a line for the shell") << "-k 'x={}; echo $((x * 2)) | tr 0-9 a-j' ::: 1 2 3";
    QTest::newRow("commands as values") << "-k ::: 'echo a; exit 2' 'echo b'";
    QTest::newRow("failures are counted") << "-k 'echo {}; exit {}' ::: 0 3 4 0";
    QTest::newRow("a signal") << "-k 'kill -9 $$ #' ::: 1";
    QTest::newRow("a program that is not there") << "-k no-such-program-7 ::: 1";
    QTest::newRow("over a hundred failures") << "-k 'exit 1 #' ::: $(seq 105)";
    QTest::newRow("a timeout") << "-k --timeout 1 'sleep {}' ::: 30 0";
    QTest::newRow("halt at the first") << "-j1 --halt now,fail=1 'echo {}; exit {}' ::: 0 3 4";
    QTest::newRow("halt soon") << "-j1 --halt soon,fail=1 'echo {}; exit {}' ::: 0 3 4";
    QTest::newRow("halt at the second") << "-j1 --halt soon,fail=2 'echo {}; exit {}' ::: 0 3 4 5";
    QTest::newRow("halt at a part") << "-j1 --halt now,fail=50% 'exit {}' ::: 0 3 4 5";
    QTest::newRow("halt at a success") << "-j1 --halt now,success=1 'exit {}' ::: 3 0 4 5";
    QTest::newRow("results")
        << "-k --results DIR 'echo {}; echo e >&2' ::: a/b 'c d' + ::: 1; find DIR -type f | sort; "
           "cat DIR/1/*/2/1/stdout";
    QTest::newRow("pieces of stdin") << "-k --pipe --block 2k wc -l < in/many";
    QTest::newRow("one piece") << "-k --pipe cat < in/two";
    addShapesOfValues();
    QTest::newRow("nothing") << "-k echo < /dev/null";
    QTest::newRow("blank values are left out") << "-k -r echo x{}y < in/lines";
    QTest::newRow("blank values beside others") << "-k -r echo x{}y ::: '' ' ' a";
    QTest::newRow("nothing but blanks") << "-r echo ::: '' ' '";
    QTest::newRow("ungrouped") << "-j1 -u 'echo {}; echo more' ::: 1 2 3 4";
    QTest::newRow("places") << "-j1 echo {%} {} ::: a b";
    QTest::newRow("lines as they come") << "-j1 --line-buffer 'echo {}; sleep 0.1; echo more' ::: 1 2 3 4";
    QTest::newRow("groups") << "-j1 'echo {}; echo more' ::: 1 2";
    QTest::newRow("a bar") << "-k --bar echo ::: a b";
    QTest::newRow("when it ends") << "-k --eta echo ::: a b";
    QTest::newRow("progress") << "-k --progress echo ::: a b";
    QTest::newRow("a part of the cores") << "-j50% -k echo ::: a b";
    QTest::newRow("more than the cores") << "-j+1 -k echo ::: a b";
    QTest::newRow("less than the cores") << "-j-1 -k echo ::: a b";
    QTest::newRow("as many as can be") << "-j0 -k echo ::: a b";
    QTest::newRow("long names") << "--jobs 2 --keep-order --max-args 2 echo ::: 1 2 3";
    QTest::newRow("values that are only counted") << "-k -N0 'echo x{#}' ::: a b";
    QTest::newRow("values that are left out where they would stand") << "-k -n0 --tag echo '[{}]' y{1} ::: a b";
    QTest::newRow("numbered values of a job") << "-k -N2 echo {1} {2} {#} ::: 1 2 3 4";
    QTest::newRow("columns by tabs") << "-k --colsep '\\t' echo {2} ::: \"$(printf 'a\\tb')\"";
    QTest::newRow("again in vain") << "-k --retries 2 'echo {}; exit {}' ::: 0 3";
    QTest::newRow("in any order") << "--shuf echo ::: x x x";
    QTest::newRow("far over the others' time") << "-j2 -k --timeout 3000% 'sleep {}' ::: 0.05 0.05 0.05 0.05 30";
    QTest::newRow("halt soon at a success") << "-j1 --halt soon,success=1 'exit {}' ::: 3 0 4";
    QTest::newRow("halt once some are done") << "-j1 --halt now,done=2 'echo {}; exit {}' ::: 0 3 4";
    QTest::newRow("the number for the command") << "-k 'echo $PARALLEL_SEQ #' ::: a b";
}

void TestMapBesideParallel::theSameComesOfTheSameWords() {
    QFETCH(QString, words);
    std::array<Ended, 2> ended;
    std::array<std::string, 2> logs;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const std::string log = fmt::format("{}/log", place_->work());
        std::filesystem::remove(log);
        std::string line = words.toStdString();
        for (std::size_t spot = line.find("DIR"); spot != std::string::npos; spot = line.find("DIR"))
            line.replace(spot, 3, "kept");
        std::filesystem::remove_all(place_->work() + "/kept");
        const std::string both = fmt::format("--joblog log {}", line);
        ended.at(i) = inShell(fmt::format("cd {}; {}", place_->work(), i == 0 ? "parallel " + both : mine(both)));
        logs.at(i) = comparable(fileText(log));
    }
    QCOMPARE(ended[1].out, ended[0].out);
    QCOMPARE(ended[1].code, ended[0].code);
    QCOMPARE(logs[1], logs[0]);
}

void TestMapBesideParallel::aLogOfParallelIsResumed() {
    const std::string begin = fmt::format("cd {}; parallel --joblog old 'exit {{}}' ::: 0 1 2", place_->work());
    QCOMPARE(inShell(begin).code, 2);
    const std::string cd = fmt::format("cd {}; ", place_->work());
    QCOMPARE(inShell(cd + mine("-k --joblog old --resume 'echo {}' ::: 0 1 2 3 4")).out, std::string("3\n4\n"));
    QCOMPARE(inShell(cd + mine("-k --joblog old --resume-failed 'echo {}' ::: 0 1 2 3 4")).out,
             std::string("1\n2\n"));
    // And parallel takes ours.
    QCOMPARE(inShell(cd + "parallel -k --joblog old --resume-failed 'echo {}' ::: 0 1 2 3 4 5").out,
             std::string("5\n"));
}

QTEST_GUILESS_MAIN(TestMapBesideParallel)
#include "tst_map_beside_parallel.moc"
