// Recordings over a real engine with real processes: what is taken along, how it is asked for, and what a restart finds.
#include "core/engine/recordings/recordings.h"
#include "core/launcher/launcher.h"
#include "core/recording/recording_reader.h"
#include "tests/http/api_test.h"
#include "tests/recording/sample.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;

class RecordingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }
    void whatEndsIsRecordedWithAllThatItReadAndLeft();
    void whatIsNotMeantIsNotTakenAlong();
    void thePastIsTakenAsFarAsItIsKept();
    void attachmentsAreTakenAsTheyAreAskedFor_data();
    void attachmentsAreTakenAsTheyAreAskedFor();
    void elementsOfAnArrayAreRecordedEach();
    void aFullRecordingEndsWithASentenceAndTheWorkGoesOn();
    void actionsAreLinesOfJson();
    void whatHasLineBreaksIsOneLineAllTheSame();
    void oneThatRunsIsNotChanged();
    void oneThatIsOverIsRenamedAndNotedAndRemoved();
    void noNoteIsWrittenIntoAFileThatIsFetched();
    void aFileThatComesIsCheckedBeforeItIsListed();
    void aFileThatIsNotListedIsNotOverwritten();
    void garbageIsRefusedAndLeavesNothing();
    void anEngineThatEndsLeavesAReadableFile();
    void aKilledWriterIsFoundInterrupted();
    void wrongRequestsAreRefused_data();
    void wrongRequestsAreRefused();

private:
    std::int64_t run(const std::string& script, const std::string& more = {}) {
        return api_->post("/compute/jobs?wait=60", api_->engine.shJson(script, more)).number("lsn");
    }
    Reply start(const std::string& name, const std::string& more = {}) {
        return api_->post("/compute/recordings", fmt::format(R"({{"name":"{}"{}}})", name, more));
    }
    Reply stop(const std::string& name) { return api_->post(fmt::format("/compute/recordings/{}/stop", name)); }
    /// The state once it is over.
    std::string stateAtEnd(const std::string& name) {
        std::string state;
        test::EngineTest::eventually([&] {
            state = api_->get("/compute/recordings/" + name).text("state");
            return state != "recording";
        });
        return state;
    }
    std::string pathOf(const std::string& name) const {
        return api_->engine.path("data/recordings/" + name + ".yrec");
    }
    std::string checked(const std::string& path) const {
        auto reader = recording::RecordingReader::open(path);
        if (!reader) return reader.error().message;
        const auto done = reader->check([] { return true; });
        return done ? "ok" : done.error().message;
    }
    std::set<std::int64_t> lsnsIn(const std::string& path) const {
        auto reader = recording::RecordingReader::open(path);
        std::set<std::int64_t> lsns;
        if (!reader) return lsns;
        const auto page = reader->actions(0, 10'000);
        if (!page) return lsns;
        for (const auto& action : *page) lsns.insert(recording::columnsOf(action.result)->lsn.value);
        return lsns;
    }
    std::string names() {
        std::string all;
        const boost::json::object answer = api_->get("/compute/recordings").json();
        for (const auto& value : answer.at("recordings").as_array())
            all += (all.empty() ? "" : " ") + std::string(value.at("name").as_string());
        return all;
    }

    std::unique_ptr<ApiTest> api_;
};

void RecordingsTest::whatEndsIsRecordedWithAllThatItReadAndLeft() {
    const std::string input = "what it reads\n";
    const std::string hash = Sha256::of(input).hex();
    QCOMPARE(
        api_->call("PUT", "/compute/chunks/" + hash, input, {{"Content-Type", "application/octet-stream"}}).status,
        200);
    QCOMPARE(start("night", R"(,"note":"a note")").text("state"), std::string("recording"));
    std::set<std::int64_t> lsns;
    for (int i = 0; i < 50; ++i) {
        const Reply reply = api_->post(
            "/compute/jobs?wait=60",
            fmt::format(
                R"({{"worker":"exec","argv":["/bin/sh","-c","cat inputs/in; mkdir -p outputs; echo {} > outputs/o"],)"
                R"("inputs":{{"in":"{}"}},"expect":["o"]}})",
                i, hash));
        QCOMPARE(reply.text("state"), std::string("completed"));
        lsns.insert(reply.number("lsn"));
    }
    const Reply over = stop("night");
    QCOMPARE(over.status, 200);
    QCOMPARE(over.text("state"), std::string("complete"));
    QCOMPARE(over.number("actions"), 50);
    QCOMPARE(over.number("missed"), 0);
    QCOMPARE(over.number("chunks_gone"), 0);
    QVERIFY(over.number("chunks") >= 51);
    QCOMPARE(checked(pathOf("night")), std::string("ok"));
    QCOMPARE(lsnsIn(pathOf("night")), lsns);
    auto reader = recording::RecordingReader::open(pathOf("night"));
    QVERIFY(*reader->hasChunk(Sha256::of(input)));
    QVERIFY(*reader->hasChunk(Sha256::of("49\n")));
    const auto first = reader->actions(0, 1);
    QVERIFY(first->front().action.contains(hash));
    QVERIFY(first->front().result.contains(R"("state":"completed")"));
    QVERIFY(!first->front().machine.empty());
}

void RecordingsTest::whatIsNotMeantIsNotTakenAlong() {
    start("some", R"(,"filter":"label:yes -exit:0")");
    run("exit 1", R"(,"label":"yes","max_retries":0)");
    run("exit 1", R"(,"label":"no","max_retries":0)");
    run("true", R"(,"label":"yes")");
    QCOMPARE(stop("some").number("actions"), 1);
}

void RecordingsTest::thePastIsTakenAsFarAsItIsKept() {
    std::set<std::int64_t> lsns;
    for (int i = 0; i < 5; ++i) lsns.insert(run(fmt::format("echo {}", i), R"(,"label":"past")"));
    run("true", R"(,"label":"other")");
    QCOMPARE(start("past", R"(,"from":{"filter":"label:past"})").status, 200);
    QCOMPARE(stateAtEnd("past"), std::string("complete"));
    QCOMPARE(checked(pathOf("past")), std::string("ok"));
    QCOMPARE(lsnsIn(pathOf("past")), lsns);
    // When its actions ran, not when it was written.
    const auto timeOf = [&](std::int64_t lsn, const char* what) {
        return api_->get(fmt::format("/compute/jobs/{}", lsn)).json().at("timestamps").at(what).as_int64();
    };
    const Reply past = api_->get("/compute/recordings/past");
    QCOMPARE(past.number("started"), timeOf(*lsns.begin(), "running"));
    QCOMPARE(past.number("ended"), timeOf(*lsns.rbegin(), "completed"));
    const auto head = recording::RecordingReader::open(pathOf("past"))->head();
    QCOMPARE(head->started, past.number("started"));
    QCOMPARE(head->ended, past.number("ended"));
    QVERIFY(*recording::RecordingReader::open(pathOf("past"))->hasChunk(Sha256::of("3\n")));
    QCOMPARE(api_->call("PATCH", fmt::format("/compute/jobs/{}", *lsns.begin()), R"({"mark":"red"})").status, 200);
    QCOMPARE(start("marked", R"(,"from":{"filter":"mark:red"})").status, 200);
    QCOMPARE(stateAtEnd("marked"), std::string("complete"));
    QCOMPARE(lsnsIn(pathOf("marked")), std::set<std::int64_t>{*lsns.begin()});
    // Both say the same of an action.
    start("live", R"(,"filter":"label:later")");
    run("echo x", R"(,"label":"later")");
    stop("live");
    start("later", R"(,"from":{"filter":"label:later"})");
    QCOMPARE(stateAtEnd("later"), std::string("complete"));
    QCOMPARE(recording::RecordingReader::open(pathOf("live"))->actions(0, 9)->front().result,
             recording::RecordingReader::open(pathOf("later"))->actions(0, 9)->front().result);
}

void RecordingsTest::attachmentsAreTakenAsTheyAreAskedFor_data() {
    QTest::addColumn<QString>("attachments");
    QTest::addColumn<bool>("input");
    QTest::addColumn<bool>("output");
    QTest::newRow("all") << "all" << true << true;
    QTest::newRow("inputs") << "inputs" << true << false;
    QTest::newRow("none") << "none" << false << false;
}

void RecordingsTest::attachmentsAreTakenAsTheyAreAskedFor() {
    QFETCH(QString, attachments);
    QFETCH(bool, input);
    QFETCH(bool, output);
    start("some", fmt::format(R"(,"attachments":"{}")", attachments.toStdString()));
    const std::string given = "given to it";
    const std::string hash = Sha256::of(given).hex();
    api_->call("PUT", "/compute/chunks/" + hash, given, {{"Content-Type", "application/octet-stream"}});
    QVERIFY(run("echo printed", fmt::format(R"(,"stdin":{{"hash":"{}"}})", hash)) > 0);
    QCOMPARE(stop("some").number("actions"), 1);
    auto reader = recording::RecordingReader::open(pathOf("some"));
    QCOMPARE(*reader->hasChunk(Sha256::of(given)), input);
    QCOMPARE(*reader->hasChunk(Sha256::of("printed\n")), output);
    QCOMPARE(checked(pathOf("some")), std::string("ok"));
}

void RecordingsTest::elementsOfAnArrayAreRecordedEach() {
    start("array");
    const std::int64_t lsn =
        api_->post("/compute/jobs", api_->engine.shJson("echo $YARD_INDEX", R"(,"array":{"from":3,"to":5})"))
            .number("lsn");
    for (int i = 0; i < 3; ++i) api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn + i));
    QCOMPARE(stop("array").number("actions"), 3);
    QCOMPARE(lsnsIn(pathOf("array")), (std::set<std::int64_t>{lsn, lsn + 1, lsn + 2}));
    QCOMPARE(checked(pathOf("array")), std::string("ok"));
}

void RecordingsTest::aFullRecordingEndsWithASentenceAndTheWorkGoesOn() {
    start("small", R"(,"max_bytes":1048576)");
    run("head -c 3000000 /dev/urandom");
    QCOMPARE(stateAtEnd("small"), std::string("cut"));
    QCOMPARE(api_->get("/compute/recordings/small").text("why"),
             std::string("The recording has reached its limit of 1048576 bytes."));
    QVERIFY(run("true") > 0);
    QCOMPARE(checked(pathOf("small")), std::string("ok"));
    QCOMPARE(stop("small").status, 409);
}

void RecordingsTest::actionsAreLinesOfJson() {
    start("one");
    const std::int64_t lsn = run("echo x", R"(,"label":"a")");
    run("exit 3", R"(,"max_retries":0)");
    stop("one");
    const Reply lines = api_->get("/compute/recordings/one/actions");
    QCOMPARE(lines.status, 200);
    QCOMPARE(std::ranges::count(lines.body, '\n'), 2);
    const auto first = boost::json::parse(lines.body.substr(0, lines.body.find('\n'))).as_object();
    QCOMPARE(first.at("n").as_int64(), 1);
    QCOMPARE(first.at("result").at("lsn").as_int64(), lsn);
    QCOMPARE(std::string(first.at("action").at("label").as_string()), std::string("a"));
    QCOMPARE(api_->get("/compute/recordings/none/actions").status, 404);
}

void RecordingsTest::whatHasLineBreaksIsOneLineAllTheSame() {
    const std::string path = api_->engine.path("broken.yrec");
    recording::RecordedAction action = test::sampleAction(1, "a");
    action.action.insert(1, "\r\n");
    action.result.insert(1, "\n");
    {
        auto writer = recording::RecordingWriter::create(path, test::sampleHead(), 1u << 30);
        QVERIFY(writer && writer->add(action) && writer->finish({.state = recording::RecordingState::Complete}));
    }
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(api_->call("PUT", "/compute/recordings/one/file", file.readAll().toStdString(),
                        {{"Content-Type", "application/octet-stream"}})
                 .status,
             200);
    const Reply lines = api_->get("/compute/recordings/one/actions");
    QCOMPARE(std::ranges::count(lines.body, '\n'), 1);
    QVERIFY(!lines.body.contains('\r'));
    QCOMPARE(boost::json::parse(lines.body).at("result").at("lsn").as_int64(), 1);
}

void RecordingsTest::oneThatRunsIsNotChanged() {
    start("one");
    QCOMPARE(start("one").status, 409);
    QCOMPARE(api_->call("DELETE", "/compute/recordings/one").status, 409);
    QCOMPARE(api_->call("PATCH", "/compute/recordings/one", R"({"name":"two"})").status, 409);
    QCOMPARE(api_->get("/compute/recordings/one/file").status, 409);
    for (const char* name : {"b", "c", "d"}) QCOMPARE(start(name).status, 200);
    const Reply fifth = start("e");
    QCOMPARE(fifth.status, 409);
    QCOMPARE(fifth.text("error"), std::string("at_limit"));
}

void RecordingsTest::oneThatIsOverIsRenamedAndNotedAndRemoved() {
    start("one");
    run("true");
    stop("one");
    start("other");
    stop("other");
    QCOMPARE(api_->call("PATCH", "/compute/recordings/one", R"({"name":"other"})").status, 409);
    const Reply changed = api_->call("PATCH", "/compute/recordings/one", R"({"name":"two","note":"better"})");
    QCOMPARE(changed.text("name"), std::string("two"));
    QCOMPARE(changed.text("note"), std::string("better"));
    QCOMPARE(changed.number("actions"), 1);
    QCOMPARE(names(), std::string("other two"));
    QCOMPARE(recording::RecordingReader::open(pathOf("two"))->head()->note, std::string("better"));
    QCOMPARE(api_->get("/compute/recordings/one").status, 404);
    QCOMPARE(api_->call("DELETE", "/compute/recordings/two").status, 200);
    QCOMPARE(names(), std::string("other"));
    QVERIFY(!QFile::exists(QString::fromStdString(pathOf("two"))));
}

void RecordingsTest::noNoteIsWrittenIntoAFileThatIsFetched() {
    QCOMPARE(start("night").status, 200);
    run("echo hello");
    QCOMPARE(stop("night").status, 200);
    const auto note = [&](const std::string& text) {
        return api_->call("PATCH", "/compute/recordings/night", fmt::format(R"({{"note":"{}"}})", text)).status;
    };
    auto copied = api_->engine.run(api_->engine->ask(&engine::Recordings::fileToCopy, std::string("night")));
    QVERIFY(copied.has_value());
    QCOMPARE(copied->path, pathOf("night"));
    QCOMPARE(note("while it goes"), 409);
    QCOMPARE(api_->get("/compute/recordings/night").text("note"), std::string());
    copied->use.reset();
    QCOMPARE(note("afterwards"), 200);
    // A file that was fetched whole is let go by itself.
    QVERIFY(!api_->get("/compute/recordings/night/file").body.empty());
    QCOMPARE(note("and again"), 200);
    QCOMPARE(checked(pathOf("night")), std::string("ok"));
    const auto none = api_->engine.run(api_->engine->ask(&engine::Recordings::fileToCopy, std::string("day")));
    QVERIFY(!none && none.error().kind == ErrorKind::NotFound);
}

void RecordingsTest::aFileThatComesIsCheckedBeforeItIsListed() {
    start("one", R"(,"note":"from afar")");
    run("echo x");
    stop("one");
    const Reply file = api_->get("/compute/recordings/one/file");
    QCOMPARE(file.status, 200);
    QCOMPARE(file.length, std::optional<std::uint64_t>(file.body.size()));
    const ApiTest::Fields kBytes = {{"Content-Type", "application/octet-stream"}};
    const Reply come = api_->call("PUT", "/compute/recordings/two/file", file.body, kBytes);
    QCOMPARE(come.status, 200);
    QCOMPARE(come.text("name"), std::string("two"));
    QCOMPARE(come.text("note"), std::string("from afar"));
    QCOMPARE(come.number("actions"), 1);
    QCOMPARE(names(), std::string("one two"));
    QCOMPARE(api_->call("PUT", "/compute/recordings/two/file", file.body, kBytes).status, 409);
    QCOMPARE(api_->call("PUT", "/compute/recordings/..%2Fx/file", file.body, kBytes).status, 422);
    // One byte of what was printed.
    std::string damaged = file.body;
    for (std::size_t at = damaged.size() - 1; at > 0; at -= 64)
        if (damaged[at] != 0) {
            damaged[at] = static_cast<char>(damaged[at] ^ 1);
            break;
        }
    const Reply refused = api_->call("PUT", "/compute/recordings/three/file", damaged, kBytes);
    QCOMPARE(refused.status, 400);
    QCOMPARE(names(), std::string("one two"));
}

void RecordingsTest::aFileThatIsNotListedIsNotOverwritten() {
    start("one");
    run("true");
    stop("one");
    const Reply file = api_->get("/compute/recordings/one/file");
    QFile other(QString::fromStdString(pathOf("two")));
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write("mine") == 4);
    other.close();
    QCOMPARE(api_->call("PATCH", "/compute/recordings/one", R"({"name":"two"})").status, 409);
    const Reply come = api_->call("PUT", "/compute/recordings/two/file", file.body,
                                  {{"Content-Type", "application/octet-stream"}});
    QCOMPARE(come.status, 409);
    QVERIFY(other.open(QIODevice::ReadOnly));
    QCOMPARE(other.readAll(), QByteArray("mine"));
    QCOMPARE(names(), std::string("one"));
}

void RecordingsTest::garbageIsRefusedAndLeavesNothing() {
    const ApiTest::Fields kBytes = {{"Content-Type", "application/octet-stream"}};
    for (const std::string& bytes : {std::string("x"), std::string(5'000, 'x')}) {
        const Reply refused = api_->call("PUT", "/compute/recordings/bad/file", bytes, kBytes);
        QCOMPARE(refused.status, 400);
        QCOMPARE(refused.text("error"), std::string("malformed"));
    }
    QCOMPARE(names(), std::string());
    const QDir directory(QString::fromStdString(api_->engine.path("data/recordings")));
    QVERIFY(directory.entryList(QDir::Files).isEmpty());
}

void RecordingsTest::anEngineThatEndsLeavesAReadableFile() {
    start("night");
    run("echo x");
    api_->engine.stop();
    api_->engine.start();
    QCOMPARE(checked(pathOf("night")), std::string("ok"));
    auto reader = recording::RecordingReader::open(pathOf("night"));
    QCOMPARE(std::string(recording::name(reader->head()->state)), std::string("interrupted"));
}

void RecordingsTest::aKilledWriterIsFoundInterrupted() {
    const std::string directory = api_->engine.path("data/recordings");
    QVERIFY(QDir().mkpath(QString::fromStdString(directory)));
    start("night");
    run("echo x");
    // As it is in the middle: a second after the first action it is in the file.
    QTRY_COMPARE_WITH_TIMEOUT(lsnsIn(pathOf("night")).size(), std::size_t{1}, kWaitMs);
    QVERIFY(QFile::copy(QString::fromStdString(pathOf("night")), QString::fromStdString(directory + "/left.yrec")));
    QFile part(QString::fromStdString(directory + "/half.part"));
    QVERIFY(part.open(QIODevice::WriteOnly) && part.write("x") == 1);
    part.close();
    api_->engine.stop();
    api_->engine.start();
    auto views = api_->engine.run(api_->engine->ask(&engine::Recordings::list));
    QCOMPARE(views.size(), std::size_t{2});
    for (const engine::RecordingView& view : views) {
        QCOMPARE(std::string(recording::name(view.head.state)), std::string("interrupted"));
        QCOMPARE(view.counts.actions, 1);
    }
    QVERIFY(!part.exists());
}

void RecordingsTest::wrongRequestsAreRefused_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("status");
    const auto row = [](const char* what, const char* body, int status) { QTest::newRow(what) << body << status; };
    row("no name", R"({"note":"x"})", 422);
    row("a name that climbs", R"({"name":"../x"})", 422);
    row("a name that is hidden", R"({"name":".x"})", 422);
    row("a filter that is none", R"({"name":"a","filter":"colour:red"})", 422);
    row("marks of what comes", R"({"name":"a","filter":"mark:red"})", 422);
    row("two filters", R"({"name":"a","filter":"exit:0","from":{"filter":"exit:0"}})", 422);
    row("other attachments", R"({"name":"a","attachments":"some"})", 422);
    row("too little", R"({"name":"a","max_bytes":5})", 422);
    row("an unknown member", R"({"name":"a","speed":5})", 422);
    row("an unknown member of the past", R"({"name":"a","from":{"state":"failed"}})", 422);
}

void RecordingsTest::wrongRequestsAreRefused() {
    QFETCH(QString, body);
    QFETCH(int, status);
    const Reply reply = api_->post("/compute/recordings", body.toStdString());
    QCOMPARE(reply.status, status);
    QCOMPARE(names(), std::string());
    QCOMPARE(stop("none").status, 404);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    RecordingsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_recordings.moc"
