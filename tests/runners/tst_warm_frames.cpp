// Frames between engine and warm worker: however the bytes are cut, and whatever a worker sends.
#include "core/runners/warm_frames.h"

#include <QtTest>

#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners::warm;

namespace {

std::string frame(std::uint64_t id, std::string_view json) {
    std::string bytes(12, '\0');
    const auto length = static_cast<std::uint32_t>(8 + json.size());
    std::memcpy(bytes.data(), &length, 4);
    std::memcpy(bytes.data() + 4, &id, 8);
    return bytes.append(json);
}

} // namespace

class TestWarmFrames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRequestIsWhatTheContractSays();
    void aRequestOverAMebibyteIsRefused();
    void framesComeWholeHoweverTheyAreCut();
    void aFrameOverAMebibyteBreaksTheStream();
    void aFrameWithoutAnIdBreaksTheStream();
    void readyIsRead_data();
    void readyIsRead();
    void answersAreRead_data();
    void answersAreRead();
    void aResultKeepsItsNumbersAsWritten();
    void aResultOver64KiBIsLeftOut();
    void aResultThatNobodyTakesIsLeftOutAndTheRestIsRead();
    void aLongMessageIsCutBetweenCharacters();
    void whatSaysHowFarItIsIsNoAnswer();
    void aClosedSocketIsSeen();
};

void TestWarmFrames::aRequestIsWhatTheContractSays() {
    std::string out = "before";
    QVERIFY(put(out, {.id = 258,
                      .lsn = Lsn(7),
                      .function = "th\"umb",
                      .args = R"({"a":1.50})",
                      .inputs = "/i",
                      .outputs = "/o"}));
    const std::string json = R"({"lsn":7,"function":"th\"umb","args":{"a":1.50},"inputs":"/i","outputs":"/o"})";
    QCOMPARE(out, "before" + frame(258, json));
    QCOMPARE(static_cast<unsigned char>(out[10]), 2); // little-endian
    out.clear();
    QVERIFY(put(out, {.id = 1, .lsn = Lsn(7), .function = "f", .args = {}, .inputs = {}, .outputs = {}}));
    QCOMPARE(out, frame(1, R"({"lsn":7,"function":"f","args":null})"));
    out.clear();
    QVERIFY(put(out, {.id = 1,
                      .lsn = Lsn(7),
                      .function = "f",
                      .args = {},
                      .inputs = {},
                      .outputs = {},
                      .given = R"({"gpus":["1"]})"}));
    QCOMPARE(out, frame(1, R"({"lsn":7,"function":"f","args":null,"resources_given":{"gpus":["1"]}})"));
    out.clear();
    QVERIFY(put(out, {.id = 1,
                      .lsn = Lsn(7),
                      .function = "f",
                      .args = {},
                      .inputs = {},
                      .outputs = {},
                      .look = R"("tick":{})"}));
    QCOMPARE(out, frame(1, R"({"function":"f","tick":{}})"));
}

void TestWarmFrames::aRequestOverAMebibyteIsRefused() {
    const std::string args = '"' + std::string(kMaxFrame, 'a') + '"';
    std::string out = "x";
    QVERIFY(!put(out, {.id = 1, .lsn = Lsn(1), .function = "f", .args = args, .inputs = {}, .outputs = {}}));
    QCOMPARE(out, std::string("x"));
}

void TestWarmFrames::framesComeWholeHoweverTheyAreCut() {
    const std::string bytes = frame(1, R"({"a":1})") + frame(~0ull, "") + frame(3, std::string(1000, ' '));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{11}, bytes.size()}) {
        FrameBuffer buffer;
        std::vector<std::pair<std::uint64_t, std::string>> got;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            buffer.append(std::string_view(bytes).substr(at, piece));
            while (const auto next = buffer.next()) got.emplace_back(next->id, next->json);
        }
        QCOMPARE(got.size(), 3u);
        QCOMPARE(got[0].second, std::string(R"({"a":1})"));
        QCOMPARE(got[1].first, std::uint64_t{~0ull});
        QCOMPARE(got[2].second.size(), 1000u);
        QCOMPARE(buffer.held(), 0u);
        QVERIFY(!buffer.isBroken());
    }
}

void TestWarmFrames::aFrameOverAMebibyteBreaksTheStream() {
    FrameBuffer fits;
    fits.append(frame(1, std::string(kMaxFrame - 8, ' ')));
    QVERIFY(fits.next());
    FrameBuffer over;
    over.append(frame(1, std::string(kMaxFrame - 7, ' ')).substr(0, 4));
    QVERIFY(!over.next());
    QVERIFY(over.isBroken());
    over.append(frame(2, "{}"));
    QVERIFY(!over.next());
}

void TestWarmFrames::aFrameWithoutAnIdBreaksTheStream() {
    for (const char length : {char{0}, char{7}}) {
        FrameBuffer buffer;
        buffer.append(std::string({length, 0, 0, 0}));
        QVERIFY(!buffer.next());
        QVERIFY(buffer.isBroken());
    }
}

void TestWarmFrames::readyIsRead_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<int>("concurrency"); // -1: refused
    QTest::addColumn<int>("ahead");
    const auto row = [](const char* what, const char* json, int concurrency, int ahead) {
        QTest::newRow(what) << QString::fromUtf8(json) << concurrency << ahead;
    };
    row("plain", R"({"ready": true})", 1, 32);
    row("all", R"({"ready":true,"concurrency":1024,"ahead":0,"other":[]})", 1024, 0);
    row("not ready", R"({"ready":false,"concurrency":1})", -1, 0);
    row("says nothing", R"({"concurrency":1})", -1, 0);
    row("concurrency 0", R"({"ready":true,"concurrency":0})", -1, 0);
    row("concurrency 1025", R"({"ready":true,"concurrency":1025})", -1, 0);
    row("concurrency 1.5", R"({"ready":true,"concurrency":1.5})", -1, 0);
    row("ahead -1", R"({"ready":true,"ahead":-1})", -1, 0);
    row("ahead 33", R"({"ready":true,"ahead":33})", -1, 0);
    row("a list", "[true]", -1, 0);
    row("no JSON", "ready", -1, 0);
    row("nothing", "", -1, 0);
}

void TestWarmFrames::readyIsRead() {
    QFETCH(QString, json);
    QFETCH(int, concurrency);
    QFETCH(int, ahead);
    const auto ready = parseReady(json.toStdString());
    QCOMPARE(ready.has_value(), concurrency >= 0);
    if (!ready) return;
    QCOMPARE(static_cast<int>(ready->concurrency), concurrency);
    QCOMPARE(static_cast<int>(ready->ahead), ahead);
}

void TestWarmFrames::answersAreRead_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<bool>("good");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("result");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* what, const char* json, bool good, int code, const char* result,
                        const char* message) {
        QTest::newRow(what) << QString::fromUtf8(json) << good << code << QString::fromUtf8(result)
                            << QString::fromUtf8(message);
    };
    row("plain", R"({"exit_code":0})", true, 0, "", "");
    row("empty", "{}", true, 0, "", "");
    row("all", R"({"message":"ä","exit_code": 3, "result": [1, {"a": null}], "more":1})", true, 3,
        R"([1,{"a":null}])", "ä");
    row("null message", R"({"exit_code":1,"message":null})", true, 1, "", "");
    row("null result", R"({"result":null})", true, 0, "null", "");
    row("code is text", R"({"exit_code":"0"})", false, 0, "", "");
    row("code is too large", R"({"exit_code":2147483648})", false, 0, "", "");
    row("code is no integer", R"({"exit_code":0.5})", false, 0, "", "");
    row("message is no text", R"({"message":1})", false, 0, "", "");
    row("a list", R"([{"exit_code":0}])", false, 0, "", "");
    row("a number", "0", false, 0, "", "");
    row("cut short", R"({"exit_code":0)", false, 0, "", "");
    row("two", R"({"exit_code":0}{"exit_code":0})", false, 0, "", "");
    row("nothing", "", false, 0, "", "");
}

void TestWarmFrames::answersAreRead() {
    QFETCH(QString, json);
    QFETCH(bool, good);
    QFETCH(int, exitCode);
    QFETCH(QString, result);
    QFETCH(QString, message);
    const auto answer = parseAnswer(json.toStdString());
    QCOMPARE(answer.has_value(), good);
    if (!answer) return;
    QCOMPARE(answer->exitCode, exitCode);
    QCOMPARE(QString::fromStdString(answer->result), result);
    QCOMPARE(QString::fromStdString(answer->message), message);
    QVERIFY(!answer->resultTooLarge);
}

void TestWarmFrames::aResultKeepsItsNumbersAsWritten() {
    const auto answer = parseAnswer(R"({"exit_code":0,"result":{"a":1.10,"b":1e3}})");
    QVERIFY(answer);
    QCOMPARE(answer->result, std::string(R"({"a":1.10,"b":1e3})"));
}

void TestWarmFrames::aResultOver64KiBIsLeftOut() {
    const auto of = [](std::size_t size) {
        return parseAnswer(R"({"result":")" + std::string(size - 2, 'a') + "\"}");
    };
    QVERIFY(of(kMaxResult) && !of(kMaxResult)->resultTooLarge);
    QCOMPARE(of(kMaxResult)->result.size(), kMaxResult);
    QVERIFY(of(kMaxResult + 1) && of(kMaxResult + 1)->resultTooLarge);
    QVERIFY(of(kMaxResult + 1)->result.empty());
}

void TestWarmFrames::aResultThatNobodyTakesIsLeftOutAndTheRestIsRead() {
    const std::string deep = std::string(80, '[') + std::string(80, ']');
    const std::string abyss = std::string(2'000, '[') + std::string(2'000, ']');
    const auto of = [](const std::string& result, const std::string& more = R"("exit_code":3,"message":"m")") {
        return parseAnswer("{" + more + ",\"result\":" + result + "}");
    };
    for (const std::string& result :
         {std::string("18446744073709551616"), std::string("[1e999]"), std::string(R"({"a":1,"a":2})"), deep}) {
        const auto answer = of(result);
        QVERIFY2(answer, result.c_str());
        QCOMPARE(answer->exitCode, 3);
        QCOMPARE(answer->message, std::string("m"));
        QVERIFY(answer->result.empty() && !answer->resultTooLarge);
        QVERIFY(!answer->resultRefused.empty());
    }
    QCOMPARE(of(deep)->resultRefused, std::string("The JSON is nested deeper than 64 levels; flatten it."));
    QVERIFY(of("1")->resultRefused.empty());
    // Nothing else may be wrong with it.
    QVERIFY(!of(abyss));
    QVERIFY(!of("18446744073709551616 1"));
    for (const char* more : {R"("exit_code":"3")", R"("exit_code":4294967296)", R"("exit_code":1.5)",
                             R"("exit_code":18446744073709551616)", R"("message":7)"})
        QVERIFY2(!of("[1e999]", more), more);
    QVERIFY(!parseAnswer(R"({"exit_code":0,"more":1e999})"));
    QVERIFY(!parseAnswer(R"([{"result":1e999}])"));
    QVERIFY(of("1e999", R"("message":null)")->message.empty());
}

void TestWarmFrames::aLongMessageIsCutBetweenCharacters() {
    const std::string euro = "\xe2\x82\xac";
    std::string text = "a";
    while (text.size() < 5'000) text += euro;
    for (const char* result : {"", R"(,"result":1e999)"}) {
        const auto answer = parseAnswer("{\"message\":\"" + text + "\"" + result + "}");
        QVERIFY(answer);
        QCOMPARE(answer->message, text.substr(0, 4'096)); // 1 + 3 * 1365
    }
    const auto odd = parseAnswer("{\"message\":\"b" + text + "\"}");
    QCOMPARE(odd->message, "b" + text.substr(0, 4'093));
}

void TestWarmFrames::whatSaysHowFarItIsIsNoAnswer() {
    const auto of = [](std::string_view json) {
        const auto said = parseProgress(json);
        if (!said) return std::string("no");
        return (said->fraction ? std::to_string(*said->fraction).substr(0, 4) : "-") + " " + said->message;
    };
    QCOMPARE(of(R"({"progress":0.4,"message":"a\nb"})"), std::string("0.40 b"));
    QCOMPARE(of(R"({"progress": 1})"), std::string("1.00 "));
    QCOMPARE(of(R"({"progress":null,"message":"loading"})"), std::string("- loading"));
    QCOMPARE(of(R"({"progress":1.5})"), std::string("- "));
    QCOMPARE(of(R"({"progress":"half","message":3,"more":[]})"), std::string("- "));
    for (const char* answer :
         {R"({"exit_code":0})", R"({"progress":0.4,"exit_code":0})", R"({"progress":1,"result":5})",
          R"({"message":"m","progress":0.4})", R"({"progress":0.4)", R"(["progress"])", ""})
        QCOMPARE(of(answer), std::string("no"));
}

void TestWarmFrames::aClosedSocketIsSeen() {
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    FrameBuffer buffer;
    QVERIFY(buffer.receive(ends[0]) == FrameBuffer::Fill::WouldBlock);
    const std::string bytes = frame(9, "{}");
    QCOMPARE(::write(ends[1], bytes.data(), bytes.size()), ssize_t(bytes.size()));
    QVERIFY(buffer.receive(ends[0]) == FrameBuffer::Fill::LastData);
    QCOMPARE(buffer.next()->id, 9u);
    ::close(ends[1]);
    QVERIFY(buffer.receive(ends[0]) == FrameBuffer::Fill::Closed);
    ::close(ends[0]);
}

QTEST_APPLESS_MAIN(TestWarmFrames)
#include "tst_warm_frames.moc"
