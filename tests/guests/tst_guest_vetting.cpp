// What a yard sends is held against what this machine gives: what is taken, and the sentence of what is not.
#include "core/guests/guest_budget.h"
#include "core/guests/guest_vetting.h"
#include "core/guests/guest_worker.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <chrono>
#include <limits>
#include <string>

using namespace yard;
using namespace yard::guests;
using namespace std::chrono_literals;

namespace {

constexpr GuestLimits kLimits{.milliCores = 4'000, .memoryMb = 8'000, .storeBytes = 1u << 20, .unsandboxed = false};

link::Lease lease(const std::string& spec) {
    link::Lease made;
    made.id = {.lsn = 1, .attempt = 2};
    made.spec = spec;
    return made;
}

std::string command(const std::string& members = {}) {
    return R"({"worker":"exec","argv":["true"],"sandbox":true)" + (members.empty() ? "" : "," + members) + "}";
}

std::string descriptor(const std::string& platform, const std::string& mode = "process",
                       const std::string& path = "run", const std::string& function = "f",
                       const std::string& members = {}, std::uint64_t size = 3) {
    return R"({"name":"cook","version":"1","platform":")" + platform + R"(","mode":")" + mode +
           R"(","executable":"run","files":[{"path":")" + path + R"(","hash":")" + Sha256::of("run").hex() +
           R"(","size":)" + std::to_string(size) + R"(,"mode":"0755"}],"functions":[{"name":")" + function +
           R"(","version":"1"}])" + members + "}";
}

std::string canonical(const std::string& text) {
    const auto parsed = parseWorker(text);
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    return parsed->canonical;
}

/// Of an action that says nothing of what it needs, for which the yard said a core and 100 MB.
WorkerTerms termsOf(const std::string& text) {
    return {.id = Sha256::of(text),
            .spec = parseAction(R"({"worker":"w","function":"f"})")->spec,
            .needs = {.milliCores = 1'000, .memoryMb = 100, .named = {}},
            .limits = kLimits};
}

} // namespace

class TestGuestVetting : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatDoesNotFitIsRefusedWithItsReason_data();
    void whatDoesNotFitIsRefusedWithItsReason();
    void aCommandInASandboxIsTaken();
    void oneWithoutIsTakenWhereThatIsAllowed();
    void theLargerOfWhatYardAndActionSayIsNeeded();
    void whatTheYardSaysItNeedsIsHeldAgainstTheLimitsToo();
    void aWorkerIsSaidByItsIdInBothPlaces();
    void aDescriptorIsHeldAgainstWhatWasSaidOfIt_data();
    void aDescriptorIsHeldAgainstWhatWasSaidOfIt();
    void anHonestDescriptorIsTaken();
    void allChunksAreNamedOnce();
    void timesAreBounded();
    void aPlainLineCanCrossTheLink_data();
    void aPlainLineCanCrossTheLink();
    void theBudgetIsGivenOutOnce();
};

void TestGuestVetting::whatDoesNotFitIsRefusedWithItsReason_data() {
    QTest::addColumn<QByteArray>("spec");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const std::string& spec, const char* reason) {
        QTest::newRow(name) << QByteArray::fromStdString(spec) << QString(reason);
    };
    row("no JSON", "{", "its action is not one that this machine reads");
    row("nothing", "", "its action is not one that this machine reads");
    row("a list", "[" + command() + "]", "its action is not one that this machine reads");
    row("an unknown member", command(R"("colour":1)"), "its action is not one that this machine reads");
    row("no program", R"({"worker":"exec","sandbox":true})", "its action is not one that this machine reads");
    row("an input that climbs", command(R"("inputs":{"../x":")" + std::string(64, 'a') + R"("})"),
        "its action is not one that this machine reads");
    row("a worker that its lease does not say", R"({"worker":"tex","function":"f"})", "another worker");
    row("without a sandbox", R"({"worker":"exec","argv":["true"]})", "guest_unsandboxed");
    row("an array", command(R"("array":{"from":1,"to":2})"), "an array is no attempt");
    row("a terminal", command(R"("tty":{"cols":80,"rows":24})"), "no terminal");
    row("a directory of its own", command(R"("cwd":"/tmp")"), "\"cwd\"");
    row("a value that is not kept", command(R"("env":{"KEY":null})"), "its variable KEY");
    row("too many cores", command(R"("resources":{"cores":4.5})"),
        "it needs 4.5 cores, and this machine gives guests 4");
    row("too much memory", command(R"("resources":{"memory_mb":8001})"), "it needs 8001 MB of memory");
    row("another resource", command(R"("resources":{"gpus":1})"), "gives guests no gpus");
}

void TestGuestVetting::whatDoesNotFitIsRefusedWithItsReason() {
    QFETCH(QByteArray, spec);
    QFETCH(QString, reason);
    const auto vetted = vet(lease(spec.toStdString()), kLimits);
    QVERIFY(!vetted);
    QVERIFY2(QString::fromStdString(vetted.error()).contains(reason), vetted.error().c_str());
}

void TestGuestVetting::aCommandInASandboxIsTaken() {
    const auto vetted = vet(lease(command(R"("resources":{"cores":2})")), kLimits);
    QVERIFY2(vetted, vetted ? "" : vetted.error().c_str());
    QCOMPARE(vetted->id.lsn, std::int64_t{1});
    QCOMPARE(vetted->id.attempt, 2u);
    QCOMPARE(vetted->spec->argv.front(), std::string("true"));
    QCOMPARE(vetted->needs.milliCores, std::int64_t{2'000});
    QVERIFY(vetted->inputs.empty() && !vetted->once);
}

void TestGuestVetting::oneWithoutIsTakenWhereThatIsAllowed() {
    GuestLimits limits = kLimits;
    limits.unsandboxed = true;
    QVERIFY(vet(lease(R"({"worker":"exec","argv":["true"]})"), limits));
}

void TestGuestVetting::theLargerOfWhatYardAndActionSayIsNeeded() {
    link::Lease said = lease(command(R"("resources":{"cores":2,"memory_mb":10})"));
    said.needs = {.milliCores = 1'000, .memoryMb = 20};
    const auto vetted = vet(said, kLimits);
    QVERIFY(vetted);
    QCOMPARE(vetted->needs.milliCores, std::int64_t{2'000});
    QCOMPARE(vetted->needs.memoryMb, std::int64_t{20});
}

void TestGuestVetting::whatTheYardSaysItNeedsIsHeldAgainstTheLimitsToo() {
    link::Lease said = lease(command());
    said.needs.milliCores = 5'000;
    QVERIFY(!vet(said, kLimits));
    said.needs = {};
    said.needs.named = {{"licence.x", 1'000}};
    QVERIFY(!vet(said, kLimits));
    said.needs.named = {{"licence.x", 0}};
    QVERIFY(vet(said, kLimits));
    QVERIFY(!vet(lease(command()), GuestLimits{})); // which gives nothing
}

void TestGuestVetting::aWorkerIsSaidByItsIdInBothPlaces() {
    const std::string id(64, 'a');
    const auto refusal = [](const std::string& spec, const std::string& worker) {
        link::Lease said = lease(spec);
        said.worker = worker;
        const auto vetted = vet(said, kLimits);
        return vetted ? std::string() : vetted.error();
    };
    const auto action = [](const std::string& worker) { return R"({"function":"f","worker":")" + worker + "\"}"; };
    QVERIFY(refusal(command(), id).contains("another worker"));
    QVERIFY(refusal(action(std::string(64, 'b')), id).contains("another worker"));
    QVERIFY(refusal(action("tex"), "tex").contains("not said by its id"));
    QVERIFY(refusal(action(id), id).empty());
    link::Lease said = lease(action(id));
    said.worker = id;
    const auto vetted = vet(said, kLimits);
    QVERIFY(vetted);
    QVERIFY(vetted->worker == Hash256::fromHex(id));
    QVERIFY(vetted->inputs == std::vector{*Hash256::fromHex(id)}); // its descriptor is a chunk
}

void TestGuestVetting::aDescriptorIsHeldAgainstWhatWasSaidOfIt_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const std::string& text, const char* reason) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << QString(reason);
    };
    const std::string here(thisPlatform());
    row("nothing", "", "not one that this machine reads");
    row("no descriptor", "\xff\xfe{", "not one that this machine reads");
    row("a file that climbs", descriptor(here, "process", "../run"), "not one that this machine reads");
    row("with white space", " " + canonical(descriptor(here)), "canonical form");
    row("a warm one", canonical(descriptor(here, "warm")), "no warm processes");
    row("of another platform", canonical(descriptor("plan9-mips")), "was built for plan9-mips");
    row("without the function", canonical(descriptor(here, "process", "run", "g")), "no such function");
    row("more cores than was said", canonical(descriptor(here, "process", "run", "f", R"(,"cores":3)")),
        "needs more than the yard says");
    row("more memory than was said", canonical(descriptor(here, "process", "run", "f", R"(,"memory_mb":900)")),
        "needs more than the yard says");
    row("a resource", canonical(descriptor(here, "process", "run", "f", R"(,"resources":{"gpus":1})")),
        "gives guests no gpus");
    row("more than is kept", canonical(descriptor(here, "process", "run", "f", {}, 2u << 20)), "guest_store_mb");
}

void TestGuestVetting::aDescriptorIsHeldAgainstWhatWasSaidOfIt() {
    QFETCH(QByteArray, text);
    QFETCH(QString, reason);
    const auto worker = vetWorker(text.toStdString(), termsOf(text.toStdString()));
    QVERIFY(!worker);
    QVERIFY2(QString::fromStdString(worker.error()).contains(reason), worker.error().c_str());
}

void TestGuestVetting::anHonestDescriptorIsTaken() {
    const std::string text = canonical(descriptor(std::string(thisPlatform())));
    const auto worker = vetWorker(text, termsOf(text));
    QVERIFY2(worker, worker ? "" : worker.error().c_str());
    QVERIFY(filesOf(**worker) == std::vector{Sha256::of("run")});
    WorkerTerms other = termsOf(text);
    other.id = Sha256::of("another");
    QVERIFY(!vetWorker(text, other));
    // Where the action asks for little itself, the limit of the sandbox is still the worker's.
    const std::string hungry =
        canonical(descriptor(std::string(thisPlatform()), "process", "run", "f", R"(,"memory_mb":9000)"));
    WorkerTerms modest = termsOf(hungry);
    modest.spec = parseAction(R"({"worker":"w","function":"f","resources":{"cores":1,"memory_mb":1}})")->spec;
    const auto refused = vetWorker(hungry, modest);
    QVERIFY(!refused);
    QVERIFY2(refused.error().contains("guest_memory_mb"), refused.error().c_str());
}

void TestGuestVetting::allChunksAreNamedOnce() {
    const Hash256 a = Sha256::of("a");
    const Hash256 b = Sha256::of("b");
    const Hash256 c = Sha256::of("c");
    link::Lease said = lease(command(R"("inputs":{"x":")" + a.hex() + R"(","y":")" + a.hex() +
                                     R"("},"stdin":{"hash":")" + b.hex() + R"("})"));
    said.inputs = {c, b};
    said.once = true;
    const auto vetted = vet(said, kLimits);
    QVERIFY2(vetted, vetted ? "" : vetted.error().c_str());
    std::vector<Hash256> all{a, b, c};
    std::ranges::sort(all);
    QVERIFY(vetted->inputs == all);
    QVERIFY(vetted->once);
}

void TestGuestVetting::timesAreBounded() {
    link::Lease said = lease(command());
    said.deadlineMs = 1'500;
    said.graceMs = std::numeric_limits<std::uint64_t>::max();
    const auto vetted = vet(said, kLimits);
    QVERIFY(vetted);
    QVERIFY(vetted->deadline == 1'500ms);
    QVERIFY(vetted->grace > Duration::zero() && vetted->grace <= 315'360'000s);
}

void TestGuestVetting::aPlainLineCanCrossTheLink_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("plain") << QByteArray("abc") << QByteArray("abc");
    QTest::newRow("lines") << QByteArray("a\nb\tc") << QByteArray("a b c");
    QTest::newRow("no UTF-8") << QByteArray("a\xff") << QByteArray("a\xef\xbf\xbd");
    QTest::newRow("long") << QByteArray(20, 'x') << QByteArray(10, 'x');
    QTest::newRow("cut within a character") << QByteArray("123456789\xc3\xa9") << QByteArray("123456789");
}

void TestGuestVetting::aPlainLineCanCrossTheLink() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, line);
    QCOMPARE(plainLine(text.toStdString(), 10), line.toStdString());
}

void TestGuestVetting::theBudgetIsGivenOutOnce() {
    GuestBudget budget(kLimits);
    const Resources most{.milliCores = 3'000, .memoryMb = 8'000, .named = {}};
    QVERIFY(budget.take(most));
    QVERIFY(!budget.take({.milliCores = 2'000, .memoryMb = 0, .named = {}}));
    QVERIFY(!budget.take({.milliCores = 0, .memoryMb = 1, .named = {}}));
    QVERIFY(budget.take({.milliCores = 1'000, .memoryMb = 0, .named = {}}));
    budget.give(most);
    QCOMPARE(budget.milliCores(), std::int64_t{1'000});
    QCOMPARE(budget.memoryMb(), std::int64_t{0});
}

QTEST_GUILESS_MAIN(TestGuestVetting)
#include "tst_guest_vetting.moc"
