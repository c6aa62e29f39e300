// The routes of an action's terminal: keys, size, and what is refused.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::http;

namespace {

constexpr const char* kTty = R"(,"max_retries":0,"tty":{"rows":33,"cols":101})";

std::string job(std::int64_t lsn, std::string_view more = "") {
    return fmt::format("/compute/jobs/{}{}", lsn, more);
}

} // namespace

class ApiTerminalsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void keysAndSizesReachTheProgram();
    void coloursAreKeptAsTheyCame();
    void aSizeThatIsNoneIsRefused_data();
    void aSizeThatIsNoneIsRefused();
    void anActionThatCannotHaveOneIsRefused_data();
    void anActionThatCannotHaveOneIsRefused();
    void whereNobodySitsNothingIsTyped();
    void tooManyKeysAreRefused();
    void keysAreBytes();
    void onlyWhoFollowsIsAtIt();

private:
    Reply type(std::int64_t lsn, std::string keys) {
        return api_->call("POST", job(lsn, "/terminal"), std::move(keys),
                          {{"Content-Type", "application/octet-stream"}});
    }
    bool shows(std::int64_t lsn, std::string_view text) {
        return test::EngineTest::eventually(
            [&] { return api_->get(job(lsn, "/stdout")).body.find(text) != std::string::npos; });
    }
    std::unique_ptr<ApiTest> api_;
};

void ApiTerminalsTest::keysAndSizesReachTheProgram() {
    const std::int64_t lsn = api_->sh("echo ready; read x; echo $x; stty size; read y; exit 7", kTty);
    QVERIFY(shows(lsn, "ready"));
    const auto size = [&] { return boost::json::serialize(api_->get(job(lsn)).json().at("tty")); };
    QCOMPARE(size(), R"({"rows":33,"cols":101,"attached":0})");
    Reply done = api_->call("PATCH", job(lsn, "/terminal"), R"({"rows":50,"cols":132})");
    QCOMPARE(done.status, 200);
    QCOMPARE(done.number("lsn"), lsn);
    QCOMPARE(size(), R"({"rows":50,"cols":132,"attached":0})");
    QCOMPARE(type(lsn, "hello\n").status, 200);
    QVERIFY(shows(lsn, "50 132"));
    QCOMPARE(type(lsn, "").status, 200); // nothing is fine
    QCOMPARE(type(lsn, "\n").status, 200);
    const Reply result = api_->get(job(lsn, "?wait=60"));
    QCOMPARE(result.number("exit_code"), std::int64_t{7});
    QVERIFY(!result.json().contains("tty"));
    QCOMPARE(api_->get(job(lsn, "/stdout")).body, "ready\r\nhello\r\nhello\r\n50 132\r\n\r\n");
    QCOMPARE(api_->get(job(lsn, "/stderr")).body, "");
    QCOMPARE(boost::json::serialize(api_->get(job(lsn, "/spec")).json().at("tty")), R"({"rows":33,"cols":101})");
}

void ApiTerminalsTest::coloursAreKeptAsTheyCame() {
    const std::int64_t lsn = api_->sh(R"(printf '\\033[31mred\\033[0m\\n')", kTty);
    QCOMPARE(api_->get(job(lsn, "?wait=60")).text("state"), "completed");
    QCOMPARE(api_->get(job(lsn, "/stdout")).body, "\x1b[31mred\x1b[0m\r\n");
}

void ApiTerminalsTest::aSizeThatIsNoneIsRefused_data() {
    QTest::addColumn<QByteArray>("size");
    for (const char* size :
         {R"({})", R"({"rows":24})", R"({"cols":80})", R"({"rows":0,"cols":80})", R"({"rows":24,"cols":1001})",
          R"({"rows":-1,"cols":80})", R"({"rows":1e300,"cols":80})", R"({"rows":"24","cols":80})",
          R"({"rows":24.5,"cols":80})", R"({"rows":24,"cols":80,"depth":2})", R"({"rows":null,"cols":80})",
          R"([24,80])", R"("24x80")"})
        QTest::addRow("%s", size) << QByteArray(size);
}

void ApiTerminalsTest::aSizeThatIsNoneIsRefused() {
    QFETCH(QByteArray, size);
    const Reply submitted =
        api_->post("/compute/jobs", api_->engine.shJson("true", ",\"tty\":" + size.toStdString()));
    QCOMPARE(submitted.status, 422);
    QVERIFY2(submitted.text("field").starts_with("tty"), submitted.body.c_str());
    const std::int64_t lsn = api_->sh("read x", kTty);
    const Reply changed = api_->call("PATCH", job(lsn, "/terminal"), size.toStdString());
    QVERIFY2(changed.status == 422 || changed.status == 400, changed.body.c_str());
    QCOMPARE(api_->post(job(lsn, "/cancel")).status, 200);
}

void ApiTerminalsTest::anActionThatCannotHaveOneIsRefused_data() {
    QTest::addColumn<QByteArray>("action");
    QTest::addColumn<QByteArray>("sentence");
    const QByteArray exec = R"({"worker":"exec","argv":["true"],"tty":{"rows":24,"cols":80},)";
    QTest::addRow("with stdin") << exec + R"("stdin":{"text":""}})"
                                << QByteArray("Remove \"stdin\" or \"tty\": a terminal is the program's stdin.");
    QTest::addRow("of another worker") << QByteArray(R"({"worker":"w","tty":{"rows":24,"cols":80}})")
                                       << QByteArray("Remove \"tty\": only the worker \"exec\" takes it.");
    QTest::addRow("that asks for several")
        << exec + R"("resources":{"terminals":3}})"
        << QByteArray("Remove \"terminals\" of \"resources\": an action with \"tty\" takes one.");
}

void ApiTerminalsTest::anActionThatCannotHaveOneIsRefused() {
    QFETCH(QByteArray, action);
    QFETCH(QByteArray, sentence);
    const Reply refused = api_->post("/compute/jobs", action.toStdString());
    QCOMPARE(refused.status, 422);
    QCOMPARE(refused.text("message"), sentence.toStdString());
}

void ApiTerminalsTest::whereNobodySitsNothingIsTyped() {
    const auto both = [&](std::int64_t lsn, int status, const std::string& sentence) {
        const Reply typed = type(lsn, "x");
        QCOMPARE(typed.status, status);
        QCOMPARE(typed.text("message"), sentence);
        const Reply sized = api_->call("PATCH", job(lsn, "/terminal"), R"({"rows":1,"cols":1})");
        QCOMPARE(sized.status, status);
        QCOMPARE(sized.text("message"), sentence);
    };
    QCOMPARE(type(999'999, "x").status, 404);
    const std::int64_t plain = api_->sh("echo ready; exec sleep 1000");
    QVERIFY(shows(plain, "ready"));
    both(plain, 409, fmt::format("Action {} has no terminal: submit it with \"tty\" to get one.", plain));
    QCOMPARE(api_->post(job(plain, "/cancel")).status, 200);
    const std::int64_t held = api_->sh("true", std::string(kTty) + R"(,"hold":true)");
    both(held, 409, fmt::format("Action {} does not run: its terminal is there once it does.", held));
    QCOMPARE(api_->post(job(held, "/release")).status, 200);
    QCOMPARE(api_->get(job(held, "?wait=60")).text("state"), "completed");
    both(held, 409, fmt::format("Action {} has ended: nobody is at its terminal.", held));
    QCOMPARE(api_->get(job(held, "/terminal")).status, 405);
}

void ApiTerminalsTest::tooManyKeysAreRefused() {
    const std::int64_t lsn = api_->sh("stty raw -echo; echo ready; exec sleep 1000", kTty);
    QVERIFY(shows(lsn, "ready"));
    QCOMPARE(type(lsn, std::string((64u << 10) + 1, 'k')).status, 413);
    Reply reply;
    do reply = type(lsn, std::string(64u << 10, 'k'));
    while (reply.status == 200);
    QCOMPARE(reply.status, 429);
    QCOMPARE(reply.field("Retry-After"), "1");
    QVERIFY2(reply.text("message").starts_with("The program does not read its terminal: "), reply.body.c_str());
    QCOMPARE(api_->post(job(lsn, "/cancel")).status, 200);
}

void ApiTerminalsTest::keysAreBytes() {
    const std::int64_t lsn = api_->sh("echo ready; read x; echo [$x]", kTty);
    QVERIFY(shows(lsn, "ready"));
    for (const char* type : {"application/json", "text/plain", "application/x-www-form-urlencoded", ""}) {
        const Reply refused = api_->call("POST", job(lsn, "/terminal"), "no\n", {{"Content-Type", type}});
        QCOMPARE(refused.status, 415);
        QCOMPARE(refused.text("message"),
                 "Send the keys as they are, with \"Content-Type: application/octet-stream\".");
    }
    const Reply typed = api_->call("POST", job(lsn, "/terminal"), "yes\n",
                                   {{"Content-Type", "Application/Octet-Stream; charset=binary"}});
    QCOMPARE(typed.status, 200);
    QVERIFY(shows(lsn, "[yes]"));
}

void ApiTerminalsTest::onlyWhoFollowsIsAtIt() {
    const std::int64_t lsn = api_->sh("true", kTty);
    QCOMPARE(api_->get(job(lsn, "?wait=60")).text("state"), "completed");
    const Reply apart = api_->get(job(lsn, "/stdout?terminal=1"));
    QCOMPARE(apart.status, 422);
    QCOMPARE(apart.text("message"), "Give \"follow=1\" with \"terminal=1\".");
    QCOMPARE(api_->get(job(lsn, "/stdout?follow=1&terminal=1")).status, 200);
    QVERIFY(api_->get(job(lsn, "/stderr?follow=1&terminal=1")).status >= 400);
}

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    QCoreApplication app(argc, argv);
    ApiTerminalsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_terminals.moc"
