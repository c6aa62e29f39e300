// Starts that cannot succeed, or only just: each says in one sentence what is wrong and what to do, and ends with
// the exit code of its kind (docs/api.md: 1 failure, 2 usage, 3 directory in use, 4 cannot listen).
#include "core/engine/engine.h"
#include "core/lease/slots.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/support/waiting.h"
#include "tests/torture/program.h"

#include <QTest>

#include <arpa/inet.h>
#include <filesystem>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::torture;

namespace fs = std::filesystem;

namespace {

/// The last line of stderr: what the operator sees above the prompt.
std::string lastLine(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

/// "3 yardmaster: …" with the place's path as <place>.
std::string failedStart(const Place& place, Yardmaster::Options options = {}) {
    Yardmaster engine(place, std::move(options));
    if (engine.isServing()) return "it serves";
    std::string words = fmt::format("{} {}", engine.exitCode(), lastLine(engine.errors()));
    for (auto at = words.find(place.path()); at != std::string::npos; at = words.find(place.path()))
        words.replace(at, place.path().size(), "<place>");
    return words;
}

/// A first engine that did one action and ended as asked.
std::int64_t firstEngine(const Place& place) {
    Yardmaster engine(place);
    if (!engine.isServing()) qFatal("%s", engine.errors().c_str());
    Caller caller = engine.caller();
    const std::int64_t lsn = caller.post("/compute/jobs", shJson(place, "echo once")).number("lsn");
    if (caller.result(lsn).status != 200 || engine.stop() != 0) qFatal("%s", engine.errors().c_str());
    return lsn;
}

/// The hard limit, too: it raises the soft one itself.
std::vector<std::string> withDescriptors(int limit) {
    return {"/bin/sh", "-c", fmt::format("ulimit -n {}; exec \"$@\"", limit), "sh"};
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

#define VERIFY_SAYS(text, part)                                                                                    \
    do {                                                                                                           \
        const std::string saidText = (text);                                                                       \
        QVERIFY2(contains(saidText, part), saidText.c_str());                                                      \
    } while (false)

} // namespace

class TestBadStarts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDirectoryInUseNamesTheEngineThatHoldsIt();
    void aDirectoryInUseStaysSoWhenItsLockWasRemoved();
    void aPortInUseIsExit4AndLeavesNothingBehind();
    void aPortInUseCostsNoActionAnAttempt();
    void anEngineWithoutItsLauncherSaysSo();
    void aLinkOverStdioThatNobodySpeaksIsRefused();
    void aReadOnlyDirectoryIsNamed();
    void aFullDiskIsNamed();
    void garbledFilesAreNamedOrReplaced_data();
    void garbledFilesAreNamedOrReplaced();
    void damagedEntriesOfSlotsAreSaidOnce();
    void theLauncherHasNoCopyOfTheListeningSocket();
    void aTokenFileThatOthersReadSaysWhatToType();
    void aDirectoryOthersMayEnterSaysWhatToType();
    void aDataDirectoryThatIsAFileIsNamed();
    void tooFewDescriptorsAreSaidAtOnce();
    void withFewDescriptorsEverythingRunsOneAfterAnother_data();
    void withFewDescriptorsEverythingRunsOneAfterAnother();
    void fewDescriptorsAreEnoughForManyClients();
    void tenThousandQueuedAreThereAtARestart();
};

void TestBadStarts::aDirectoryInUseNamesTheEngineThatHoldsIt() {
    Place place;
    Yardmaster first(place);
    QVERIFY(first.isServing());
    QCOMPARE(
        failedStart(place),
        fmt::format("3 yardmaster: the data directory <place>/data is in use by yardmaster pid {}", first.pid()));
    // The first one has noticed nothing.
    QCOMPARE(first.caller().get("/health").status, 200);
    QVERIFY(fs::exists(place.path("data/address")));
    QCOMPARE(first.stop(), 0);
}

void TestBadStarts::aDirectoryInUseStaysSoWhenItsLockWasRemoved() {
    Place place;
    Yardmaster first(place);
    QVERIFY(first.isServing());
    QCOMPARE(::unlink(place.path("data/lock").c_str()), 0);
    QCOMPARE(
        failedStart(place),
        fmt::format("3 yardmaster: the data directory <place>/data is in use by yardmaster pid {}", first.pid()));
    Caller caller = first.caller();
    const std::int64_t lsn = caller.post("/compute/jobs", shJson(place, "echo still")).number("lsn");
    QCOMPARE(caller.result(lsn).text("state"), std::string("completed"));
    QCOMPARE(first.stop(), 0);
}

void TestBadStarts::aPortInUseIsExit4AndLeavesNothingBehind() {
    Place place;
    Yardmaster first(place);
    QVERIFY(first.isServing());
    Place other;
    Yardmaster::Options options;
    options.listen = fmt::format("127.0.0.1:{}", first.port());
    QCOMPARE(failedStart(other, options),
             fmt::format(
                 "4 yardmaster: cannot listen on {}: Address already in use; choose another address or port with "
                 "--listen",
                 options.listen));
    QCOMPARE(describe(processesOf(other)), std::string());
    QVERIFY(!fs::exists(other.path("data/address")));
}

void TestBadStarts::aPortInUseCostsNoActionAnAttempt() {
    Place place;
    std::int64_t waiting = 0;
    {
        Yardmaster engine(place, {.arguments = {"--capacity", "1"}, .wrapper = {}, .dataDir = {}});
        QVERIFY(engine.isServing());
        Caller caller = engine.caller();
        const std::string hang = "mkdir once 2>/dev/null || exit 0; touch begun; exec " + place.nap() + " 3600";
        QCOMPARE(caller.post("/compute/jobs", shJson(place, hang)).status, 200);
        QVERIFY(eventually([&] { return fs::exists(place.path("work/begun")); }));
        waiting = caller.post("/compute/jobs", shJson(place, "touch ran")).number("lsn");
        engine.kill();
    }
    Place other;
    Yardmaster first(other);
    QVERIFY(first.isServing());
    Yardmaster::Options options;
    options.listen = fmt::format("127.0.0.1:{}", first.port());
    VERIFY_SAYS(failedStart(place, options), "4 yardmaster: cannot listen on ");
    QVERIFY(!fs::exists(place.path("work/ran")));
    Yardmaster engine(place);
    QVERIFY(engine.isServing());
    const Answer answer = engine.caller().result(waiting);
    QVERIFY2(answer.text("state") == "completed" && answer.number("retry_count") == 0, answer.shown().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::anEngineWithoutItsLauncherSaysSo() {
    Place place;
    engine::Options options;
    options.dataDir = place.data();
    options.noSandbox = true;
    options.launcherProgram = "/no/such/program";
    const auto engine = engine::Engine::open(std::move(options));
    QVERIFY(!engine);
    VERIFY_SAYS(engine.error().message, "start the launcher /no/such/program: No such file or directory");
}

void TestBadStarts::aLinkOverStdioThatNobodySpeaksIsRefused() {
    const Place place;
    const std::string key(48, 'a');
    const std::string half = "yard-link 1 " + key.substr(1);
    for (const std::string& said : {std::string(), "GET / HTTP/1.1\n" + key + key, half, half + "A\n"}) {
        writeText(place.path("said"), said);
        VERIFY_SAYS(failedStart(place, {.arguments = {"--link-stdio"},
                                        .wrapper = {"/bin/sh", "-c",
                                                    fmt::format("exec \"$@\" <{}", place.path("said")), "sh"}}),
                    "2 yardmaster: --link-stdio is for an engine that starts this program by ssh");
    }
    QVERIFY(!fs::exists(place.data()));
}

void TestBadStarts::aReadOnlyDirectoryIsNamed() {
    static const QTemporaryDir dir;
    YARD_IN_MOUNT_NAMESPACE(dir.path(), "mount -t tmpfs -o size=8m,mode=700 tmpfs $YARD_TEST_MOUNTED");
    const std::string mounted = qEnvironmentVariable(test::kMountedVariable).toStdString();
    {
        Place place(mounted);
        (void)firstEngine(place);
    }
    const std::string readOnly = fmt::format("mount -o remount,ro {}", mounted);
    QCOMPARE(std::system(readOnly.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
    Place elsewhere;
    Yardmaster::Options options;
    options.dataDir = mounted + "/data";
    VERIFY_SAYS(failedStart(elsewhere, options), "1 yardmaster: ");
    VERIFY_SAYS(failedStart(elsewhere, options), "Read-only file system");
    VERIFY_SAYS(failedStart(elsewhere, options), options.dataDir);
    options.dataDir = mounted + "/new";
    VERIFY_SAYS(failedStart(elsewhere, options), "Read-only file system");
}

void TestBadStarts::aFullDiskIsNamed() {
    static const QTemporaryDir dir;
    YARD_IN_MOUNT_NAMESPACE(dir.path(), "mount -t tmpfs -o size=4m,mode=700 tmpfs $YARD_TEST_MOUNTED");
    const std::string mounted = qEnvironmentVariable(test::kMountedVariable).toStdString();
    Place place;
    Yardmaster::Options options;
    options.dataDir = mounted + "/data";
    const std::string fill = fmt::format("head -c 8m /dev/zero >{}/filler 2>/dev/null; true", mounted);
    QCOMPARE(std::system(fill.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
    const std::string said = failedStart(place, options);
    VERIFY_SAYS(said, "1 yardmaster: ");
    QVERIFY2(contains(said, "No space left on device") || contains(said, "disk is full"), said.c_str());
    VERIFY_SAYS(said, "the disk with the data directory " + options.dataDir + " is full; free some space there");
    VERIFY_SAYS(said, "--data-dir");
    QCOMPARE(describe(processesOf(place)), std::string());
    // With room it starts as if nothing had been.
    fs::remove(mounted + "/filler");
    Yardmaster engine(place, options);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::garbledFilesAreNamedOrReplaced_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("error"); // empty: it starts
    QTest::newRow("journal") << "journal.sqlite" << "journal.sqlite";
    QTest::newRow("slots") << "slots" << "";
    QTest::newRow("address") << "address" << "";
    QTest::newRow("lock") << "lock" << "";
    QTest::newRow("token") << "token" << "";
    QTest::newRow("engine_id") << "engine_id" << "engine_id is damaged";
    QTest::newRow("journal's log") << "journal.sqlite-wal" << "";
}

void TestBadStarts::garbledFilesAreNamedOrReplaced() {
    QFETCH(QString, file);
    QFETCH(QString, error);
    Place place;
    const std::int64_t lsn = firstEngine(place);
    const std::string garbage = "\x01garbage\xff" + std::string(20'000, 'g');
    writeText(place.data() + "/" + file.toStdString(), file == "token" ? "not what it was" : garbage);
    if (!error.isEmpty()) {
        const std::string said = failedStart(place);
        VERIFY_SAYS(said, "1 yardmaster: ");
        VERIFY_SAYS(said, error.toStdString());
        QCOMPARE(describe(processesOf(place)), std::string());
        // It was left as it is, for whoever can save something.
        QCOMPARE(fileText(place.data() + "/" + file.toStdString()), garbage);
        return;
    }
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(engine.caller().result(lsn).text("state"), std::string("completed"));
    QCOMPARE(fileText(place.path("data/address")), fmt::format("http://127.0.0.1:{}\n", engine.port()));
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::damagedEntriesOfSlotsAreSaidOnce() {
    Place place;
    const std::int64_t lsn = firstEngine(place);
    for (const char* name : {"slots", "slots.warm"}) {
        auto file = runners::SlotsFile::create(place.path("data/") + name, 1);
        QVERIFY(file);
        for (int i = 0; i < 3; ++i) QVERIFY(file->take(SlotId(0), {Lsn(-1 - i), 1}));
        QVERIFY(file->take(SlotId(0), {Lsn(lsn), 1})); // of an attempt whose end is known
    }
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(engine.caller().result(lsn).text("state"), std::string("completed"));
    QCOMPARE(engine.stop(), 0);
    const QString said = QString::fromStdString(engine.errors());
    QVERIFY2(said.contains("6 damaged entries of \"slots\" were passed over"), engine.errors().c_str());
    QCOMPARE(said.count("damaged"), 1);
    Yardmaster next(place);
    QVERIFY2(next.isServing(), next.errors().c_str());
    QVERIFY2(!contains(next.errors(), "damaged"), next.errors().c_str());
    QCOMPARE(next.stop(), 0);
}

/// Else the next engine could not have the port while the launcher of a killed one still ends what ran.
void TestBadStarts::theLauncherHasNoCopyOfTheListeningSocket() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const auto socketsOf = [](int pid) {
        std::set<std::string> sockets;
        for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid))) {
            std::error_code gone;
            const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
            if (target.starts_with("socket:")) sockets.insert(target);
        }
        return sockets;
    };
    QVERIFY(!socketsOf(engine.pid()).empty());
    QTRY_VERIFY_WITH_TIMEOUT(engine.launcherPid() != 0, kWaitMs);
    // The launcher closes what it inherited first thing in its main(); until then it has what we gave the engine.
    std::string shared;
    const auto sharesNone = [&] {
        const std::set<std::string> ofEngine = socketsOf(engine.pid());
        shared.clear();
        for (const std::string& socket : socketsOf(engine.launcherPid()))
            if (ofEngine.contains(socket)) shared += socket + " ";
        return shared.empty();
    };
    QVERIFY2(eventually(sharesNone), shared.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::aTokenFileThatOthersReadSaysWhatToType() {
    Place place;
    (void)firstEngine(place);
    ::chmod(place.path("data/token").c_str(), 0644);
    QCOMPARE(failedStart(place),
             std::string("1 yardmaster: others can read <place>/data/token (mode 0644): chmod 600 "
                         "<place>/data/token"));
    writeText(place.path("data/token"), "");
    QCOMPARE(failedStart(place),
             std::string("1 yardmaster: <place>/data/token is empty: delete it to have one made"));
}

void TestBadStarts::aDirectoryOthersMayEnterSaysWhatToType() {
    Place place;
    (void)firstEngine(place);
    ::chmod(place.data().c_str(), 0755);
    QCOMPARE(failedStart(place),
             std::string("1 yardmaster: others may enter <place>/data (mode 0755): chmod 700 <place>/data"));
}

void TestBadStarts::aDataDirectoryThatIsAFileIsNamed() {
    Place place;
    writeText(place.data(), "a file");
    VERIFY_SAYS(failedStart(place), "1 yardmaster: ");
    VERIFY_SAYS(failedStart(place), "<place>/data");
}

void TestBadStarts::tooFewDescriptorsAreSaidAtOnce() {
    for (const int limit : {5, 20, 63}) {
        Place place;
        Yardmaster::Options options;
        options.wrapper = withDescriptors(limit);
        QCOMPARE(
            failedStart(place, options),
            fmt::format("1 yardmaster: only {} files may be open at once, and it takes 64: raise the hard limit "
                        "(ulimit -Hn), then start again.",
                        limit));
    }
    Place place;
    Yardmaster::Options options;
    options.wrapper = withDescriptors(100);
    const std::string said = failedStart(place, options);
    VERIFY_SAYS(said, "1 yardmaster: A process may open only 100 files here");
    VERIFY_SAYS(said, "ulimit -Hn");
    QCOMPARE(describe(processesOf(place)), std::string());
}

void TestBadStarts::withFewDescriptorsEverythingRunsOneAfterAnother_data() {
    QTest::addColumn<int>("limit");
    for (const int limit : {1024, 256, 128}) QTest::addRow("%d", limit) << limit;
}

/// Far more at once than there are slots, of those that need a core and of those that need a part of one.
void TestBadStarts::withFewDescriptorsEverythingRunsOneAfterAnother() {
    QFETCH(int, limit);
    constexpr std::int64_t kEach = 300;
    Place place;
    Yardmaster::Options options;
    options.wrapper = withDescriptors(limit);
    options.arguments = {"--capacity", "8"};
    Yardmaster engine(place, options);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::string array = fmt::format(R"(,"array":{{"from":1,"to":{}}})", kEach);
    QCOMPARE(caller.post("/compute/jobs", shJson(place, "echo one", array)).status, 200);
    QCOMPARE(
        caller
            .post("/compute/jobs", shJson(place, place.nap() + " 0.05", array + R"(,"resources":{"cores":0.001})"))
            .status,
        200);
    const auto count = [&](const char* state) {
        const auto answer = caller.get("/compute/session").json();
        return answer.at("counts").at(state).as_int64();
    };
    QVERIFY2(eventually([&] { return count("completed") == 2 * kEach; }, 120'000), engine.errors().c_str());
    QCOMPARE(count("failed"), std::int64_t{0});
    const auto tried = caller.get("/compute/jobs?q=tries%3E1&limit=1").json();
    QVERIFY2(tried.at("jobs").as_array().empty(), boost::json::serialize(tried).c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::fewDescriptorsAreEnoughForManyClients() {
    constexpr int kLimit = 128; // it serves with no fewer
    Place place;
    Yardmaster::Options options;
    options.wrapper = withDescriptors(kLimit);
    Yardmaster engine(place, options);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    std::vector<std::unique_ptr<http::RawClient>> idle;
    for (int i = 0; i < kLimit; ++i) idle.push_back(std::make_unique<http::RawClient>(engine.port()));
    Caller caller = engine.caller();
    for (int i = 0; i < 5; ++i) {
        const Answer answer = caller.post("/compute/jobs?wait=30", shJson(place, "echo fine"));
        QVERIFY2(answer.status == 200 && answer.text("state") == "completed",
                 (answer.shown() + engine.errors()).c_str());
    }
    QCOMPARE(engine.stop(), 0);
}

void TestBadStarts::tenThousandQueuedAreThereAtARestart() {
    constexpr int kQueued = 10'000;
    Place place;
    std::int64_t first = 0;
    {
        Yardmaster engine(place);
        QVERIFY(engine.isServing());
        Caller caller = engine.caller();
        QCOMPARE(caller.post("/compute/queues/0/hold").status, 200);
        std::string list = "[";
        for (int i = 0; i < kQueued / 2; ++i)
            list += (i ? "," : "") + shJson(place, "exit 0", fmt::format(R"(,"label":"l{}")", i));
        first = caller
                    .post("/compute/jobs",
                          shJson(place, "exit 0", fmt::format(R"(,"array":{{"from":1,"to":{}}})", kQueued / 2)))
                    .number("lsn");
        const Answer answer = caller.post("/compute/jobs", list + "]");
        QCOMPARE(answer.json().at("lsns").as_array().size(), std::size_t{kQueued / 2});
        engine.kill();
    }
    QVERIFY(eventually([&] { return processesOf(place).empty(); }));
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    QCOMPARE(caller.get("/compute/queues/0").number("pending"), kQueued);
    QCOMPARE(caller.get(fmt::format("/compute/jobs/{}", first)).status, 202);
    // A few run, the rest is cancelled; nobody is forgotten.
    QCOMPARE(caller.post("/compute/queues/0/release").status, 200);
    QCOMPARE(caller.result(first).text("state"), std::string("completed"));
    QCOMPARE(caller.post("/compute/queues/0/hold").status, 200);
    // What a slot was given ahead may still begin, so what runs is counted as well.
    const Answer view = caller.get("/compute/queues/0");
    QCOMPARE(view.number("pending") + view.number("running") + view.number("completed"), kQueued);
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestBadStarts)
#include "tst_bad_starts.moc"
