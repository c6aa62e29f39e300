// Arguments, directories and variables with bytes that are not UTF-8, as names of files on Linux may be: they reach the
// program as they are, from the command line, a file of actions, and the journal.
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "tests/app/ctl_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <filesystem>
#include <memory>

using namespace yard;
using namespace yard::torture;
namespace fs = std::filesystem;

namespace {

/// With a shell around it, which can write every byte: "$0" is yardctl, "$1" the data directory, "$2" a directory.
test::Ended shell(const Place& place, const QString& line, std::string_view input = {}) {
    return test::CtlProcess({"-c", line, YARDCTL_PATH, QString::fromStdString(place.data()),
                             QString::fromStdString(place.work())},
                            input, "bash")
        .end();
}

QByteArray hex(const std::string& bytes) {
    return QByteArray::fromStdString(bytes).toHex(' ');
}

} // namespace

class TestBytesAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argumentsAreGivenAsTheyAre();
    void everyByteButNulIs();
    void aDirectoryAndVariablesAreToo();
    void theyAreKeptOverARestartAndARetry();
    void theApiWritesThemAsCodeUnits();
    void aFileOfActionsHasThem();
    void labelsAreText();
    void otherWordsAreTextToo();
};

void TestBytesAtAnEngine::argumentsAreGivenAsTheyAre() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended run = shell(place, R"("$0" --data-dir "$1" run -- printf '%s' $'\xff\xfe')");
    QCOMPARE(run.err, std::string());
    QCOMPARE(run.code, 0);
    QCOMPARE(hex(run.out), hex("\xff\xfe"));
    const test::Ended none = shell(place, R"("$0" --data-dir "$1" run -- $'/nowhere/\xff')");
    QCOMPARE(none.code, 127);
    QVERIFY2(isUtf8(none.err), none.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBytesAtAnEngine::everyByteButNulIs() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    std::string all;
    QString word = "$'";
    for (int byte = 1; byte < 256; ++byte) {
        all += static_cast<char>(byte);
        word += QString("\\x%1").arg(byte, 2, 16, QChar('0'));
    }
    const test::Ended run = shell(place, R"("$0" --data-dir "$1" run -- printf '%s' )" + word + "'");
    QCOMPARE(hex(run.out), hex(all));
    QCOMPARE(engine.stop(), 0);
}

void TestBytesAtAnEngine::aDirectoryAndVariablesAreToo() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended run =
        shell(place, R"(mkdir "$2"/$'d\xe9' && cd "$2"/$'d\xe9' && MINE=$'\xfd' "$0" --data-dir "$1" run )"
                     R"(-e OTHER=$'\xfc' -c 'echo "$PWD $(pwd -P) $MINE $OTHER"')");
    QCOMPARE(run.err, std::string());
    const std::string directory = fs::canonical(place.work()).string() + "/d\xe9";
    QCOMPARE(hex(run.out), hex(fmt::format("{} {} \xfd \xfc\n", place.work() + "/d\xe9", directory)));
    const test::Ended named = shell(place, R"("$0" --data-dir "$1" run -C "$2"/$'d\xe9' -- pwd)");
    QCOMPARE(hex(named.out), hex(directory + "\n"));
    const test::Ended clean =
        shell(place, R"("$0" --data-dir "$1" run --clean-env --sandbox -e OTHER=$'\xfc' -- printenv OTHER)");
    if (!clean.err.contains("sandbox")) QCOMPARE(hex(clean.out), hex("\xfc\n"));
    QCOMPARE(engine.stop(), 0);
    QVERIFY(fs::remove(place.work() + "/d\xe9")); // Qt knows no such name
}

void TestBytesAtAnEngine::theyAreKeptOverARestartAndARetry() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    const test::Ended held =
        shell(place, R"("$0" --data-dir "$1" run -d --hold -e V=$'\xfe' -c 'printf "%s" "$V$0"; exit 3' $'\xff')");
    QVERIFY2(held.out == "1\n", held.err.c_str());
    engine->kill();
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    QCOMPARE(shell(place, R"("$0" --data-dir "$1" release 1; "$0" --data-dir "$1" wait 1)").code, 1);
    QCOMPARE(hex(shell(place, R"("$0" --data-dir "$1" logs 1)").out), hex("\xfe\xff"));
    const test::Ended again =
        shell(place, R"("$0" --data-dir "$1" retry --force 1 && "$0" --data-dir "$1" wait 1; )"
                     R"("$0" --data-dir "$1" attempts 1)");
    QVERIFY2(again.err.empty(), again.err.c_str());
    QCOMPARE(engine->caller().result(1).number("retry_count"), std::int64_t{1});
    QCOMPARE(hex(shell(place, R"("$0" --data-dir "$1" logs 1)").out), hex("\xfe\xff"));
    QCOMPARE(engine->stop(), 0);
}

void TestBytesAtAnEngine::theApiWritesThemAsCodeUnits() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::string action =
        R"({"worker":"exec","argv":["printf","%s","a\udcff"],"cwd":"/tmp","env":{"B":"\udcfe"}})";
    QCOMPARE(caller.post("/compute/jobs", action).number("lsn"), std::int64_t{1});
    QCOMPARE(caller.get("/compute/jobs/1/spec").body, action);
    const Answer ended = caller.result(1);
    QCOMPARE(ended.text("name"), std::string("printf %s a\xef\xbf\xbd"));
    QCOMPARE(hex(caller.get("/compute/jobs/1/stdout").body), hex("a\xff"));
    const test::Ended shown = shell(place, R"("$0" --data-dir "$1" show 1)");
    QVERIFY2(shown.out.contains("command      printf %s a\xef\xbf\xbd\n"), shown.out.c_str());
    QVERIFY2(isUtf8(shown.out), shown.out.c_str());
    QVERIFY(shell(place, R"("$0" --data-dir "$1" ls)").out.contains("printf %s a\xef\xbf\xbd"));
    const Answer nul = caller.post("/compute/jobs", R"({"worker":"exec","argv":["true","\udcff\u0000"]})");
    QCOMPARE(nul.status, 422);
    QCOMPARE(nul.text("field"), std::string("argv[1]"));
    QCOMPARE(engine.stop(), 0);
}

void TestBytesAtAnEngine::aFileOfActionsHasThem() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string lines = R"({"worker":"exec","argv":["printf","%s","\udcff }"]}
{"worker":"exec","argv":["printf","%s","b"]})";
    const test::Ended sent = shell(place, R"("$0" --data-dir "$1" submit -)", lines);
    QCOMPARE(sent.err, std::string());
    QCOMPARE(sent.out, std::string("1\n2\n"));
    QCOMPARE(shell(place, R"("$0" --data-dir "$1" submit -l x -)", lines).out, std::string("3\n4\n"));
    Caller caller = engine.caller();
    QCOMPARE(caller.result(3).text("label"), std::string("x"));
    QCOMPARE(hex(caller.get("/compute/jobs/3/stdout").body), hex("\xff }"));
    caller.result(1);
    QCOMPARE(hex(caller.get("/compute/jobs/1/stdout").body), hex("\xff }"));
    const test::Ended graph = shell(place, R"("$0" --data-dir "$1" submit --graph -)", lines);
    QVERIFY2(graph.code == 0 && isUtf8(graph.out), (graph.out + graph.err).c_str());
    const test::Ended half = shell(place, R"("$0" --data-dir "$1" submit -)", R"({"argv":["\ud800"]})");
    QVERIFY2(half.err.contains("line 1: it is not JSON"), half.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBytesAtAnEngine::labelsAreText() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended label = shell(place, R"("$0" --data-dir "$1" run -l $'\xff' true)");
    QCOMPARE(label.code, 2);
    QVERIFY2(label.err.starts_with("yardctl: the label is not valid UTF-8: \xef\xbf\xbd\n"), label.err.c_str());
    const Answer posted =
        engine.caller().post("/compute/jobs", R"({"worker":"exec","argv":["true"],"label":"\udcff"})");
    QCOMPARE(posted.status, 422);
    QCOMPARE(posted.text("field"), std::string("label"));
    QCOMPARE(engine.stop(), 0);
}

void TestBytesAtAnEngine::otherWordsAreTextToo() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const auto refused = [&](const std::string& words, const std::string& message) {
        const test::Ended ended = shell(place, R"("$0" --data-dir "$1" )" + QString::fromStdString(words));
        QVERIFY2(ended.code == 2 && ended.err == "yardctl: " + message + "\n",
                 (words + ": " + std::to_string(ended.code) + " " + ended.err).c_str());
    };
    refused(R"(ls $'a\xff')", "the filter is not valid UTF-8 (byte 0xff): a\xef\xbf\xbd");
    refused(R"(ls --sort $'\xc3')", "the order is not valid UTF-8 (byte 0xc3): \xef\xbf\xbd");
    refused(R"(cancel --filter $'\xff')", "the filter is not valid UTF-8 (byte 0xff)");
    refused(R"(settings $'gr\xff=1')", "\"gr\xef\xbf\xbd\" is not valid UTF-8 (byte 0xff)");
    refused(R"(settings env_never_kept=$'\xff')", "\"env_never_kept\" is not valid UTF-8 (byte 0xff)");
    refused(R"(queue create --tag $'\xff')", "\"tag\" is not valid UTF-8 (byte 0xff)");
    refused(R"(ls $(printf %05000d 0 | tr 0 a))",
            "the filter has 5000 bytes, and at most 4096 are taken: make it shorter");
    refused(R"(ls $(printf %020000d 0 | tr 0 a))",
            "the filter has 20000 bytes, and at most 4096 are taken: make it shorter");
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestBytesAtAnEngine)
#include "tst_bytes_at_an_engine.moc"
