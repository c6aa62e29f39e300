// Taking work in, by itself: no launcher, a journal in memory that answers as the test says.
#include "core/engine/commands/intake.h"

#include "core/session/live_views.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <QTest>

#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

using namespace yard;
using namespace yard::engine;

namespace {

class Bench {
public:
    coro::test::Rig rig;
    session::test::Machine machine{2};
    InternTable dictionary;
    WorkerRegistry registry;
    coro::HelperPool helpers{1};
    Settings settings;
    EngineCounters counters;
    WallScale scale = WallScale::pinnedNow();
    SpecCache specs;
    UnkeptValues unkept;
    std::string journal; ///< what was written, in words
    std::optional<Error> refusal;
    std::function<void()> onAccept = [] {};
    std::vector<std::int64_t> arraySizes;
    std::optional<store::Reader::KeptAnswer> kept;
    std::uint64_t chunkSize = 1;
    int wakes = 0;
    WorkClasses classes{machine.session, dictionary, registry};
    Annotations annotations;
    Queues queues{{.session = machine.session,
                   .outbox = machine.out,
                   .dictionary = dictionary,
                   .annotations = annotations,
                   .commit = [this](store::Action action) { return commit(std::move(action)); },
                   .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                   .estimate = [](QueueView&, const session::QueueStatus&) {},
                   .changed = [](QueueId) {},
                   .now = [this] { return rig.loop.now(); },
                   .wake = [this] { ++wakes; }}};
    Workers workers{{.session = machine.session,
                     .dictionary = dictionary,
                     .registry = registry,
                     .helpers = helpers,
                     .settings = settings,
                     .commit = {},
                     .mayRun = {},
                     .checkFiles = {},
                     .cancelAll = {},
                     .waitFor = {},
                     .came = {},
                     .left = {},
                     .changed = {},
                     .now = [this] { return rig.loop.now(); }}};
    Predecessors predecessors{
        {.session = machine.session, .endedOtherwise = [this](Lsn, Lsn, Lsn) { return noneOtherwise(); }}};
    Intake intake{{.session = machine.session,
                   .outbox = machine.out,
                   .dictionary = dictionary,
                   .registry = registry,
                   .classes = classes,
                   .workers = workers,
                   .queues = queues,
                   .predecessors = predecessors,
                   .specs = specs,
                   .unkept = unkept,
                   .helpers = helpers,
                   .counters = counters,
                   .settings = settings,
                   .scale = scale,
                   .commit = [this](store::Action action) { return commit(std::move(action)); },
                   .mayRun = [this](const ActionSpec& spec) { return mayRun(spec); },
                   .chunkSize = [this](const Hash256&) { return chunkSize; },
                   .arraySizes = [this](std::vector<Lsn>) { return sizes(); },
                   .keptAnswer = [this](std::string) { return answerOfBefore(); },
                   .endOf = [this](Lsn lsn, Duration) { return endOf(lsn); },
                   .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                   .wake = [this] { ++wakes; },
                   .replaced = [this](Lsn lsn) { note(fmt::format("told {}", lsn.value)); },
                   .dependents = [this](Lsn lsn, int) { return dependentsOf(lsn); }}};

    Bench() {
        queues.restore({store::QueueRow{}}, 0);
        intake.restore({Lsn{10}, Lsn{12}}, 0);
    }
    ~Bench() {
        rig.loop.shutdown();
        helpers.stop();
    }

    coro::Task<store::AckDetail> commit(store::Action action) {
        store::AckDetail detail;
        if (const auto* reserve = std::get_if<store::ReserveLsns>(&action)) {
            note(fmt::format("reserve {}", reserve->count));
            detail.lsns = {Lsn{100}, Lsn{100 + std::max<std::int64_t>(reserve->count, 50)}};
        }
        if (const auto* undo = std::get_if<store::UndoAccept>(&action))
            note(fmt::format("undo {}", undo->rows.count));
        if (const auto* accept = std::get_if<store::Accept>(&action)) {
            for (const store::AcceptItem& item : accept->items) note(words(item));
            for (const store::Replacement& one : accept->replaced)
                note(fmt::format("{} for {}{}", one.successor.value, one.old.value,
                                 one.cancels ? " cancelled" : ""));
            onAccept();
            if (refusal) detail.error = refusal;
        }
        co_return detail;
    }
    coro::Task<Result<store::LsnSet>> dependentsOf(Lsn lsn) {
        store::LsnSet found;
        if (const auto at = children.find(lsn); at != children.end()) found.add({at->second, 1});
        co_return found;
    }
    std::map<Lsn, Lsn> children; ///< who waits for whom, by who is waited for
    static std::string words(const store::AcceptItem& item) {
        std::string text = std::to_string(item.row.lsn.value);
        if (item.count > 1) text += fmt::format("+{}", item.count);
        for (const store::Edge& edge : item.row.after)
            text +=
                fmt::format(" after {}{}", edge.lsn.value, edge.count > 0 ? fmt::format("+{}", edge.count) : "");
        return text;
    }
    Result<void> mayRun(const ActionSpec& spec) const {
        if (spec.sandbox && noSandbox) return fail(ErrorKind::WrongState, "no sandbox here");
        return {};
    }
    bool noSandbox = false;
    coro::Task<Result<std::vector<std::int64_t>>> sizes() { co_return arraySizes; }
    coro::Task<Result<std::optional<store::Reader::KeptAnswer>>> answerOfBefore() { co_return kept; }
    coro::Task<Result<store::Reader::Otherwise>> noneOtherwise() { co_return store::Reader::Otherwise{}; }
    coro::Task<std::optional<ActionResult>> endOf(Lsn lsn) {
        ActionResult result;
        result.lsn = lsn;
        co_return result;
    }
    void note(const std::string& word) { journal += (journal.empty() ? "" : ", ") + word; }
    std::string take() { return std::exchange(journal, {}); }

    Submission of(const std::string& json) {
        auto parsed = parseActions(json);
        if (!parsed) qFatal("%s", parsed.error().message.c_str());
        Submission submission;
        submission.actions = std::move(parsed->actions);
        return submission;
    }
    Result<SubmitAnswer> submit(Submission submission, Duration linger = {}) {
        return rig.ask(intake.submit(std::move(submission), linger));
    }
    Result<SubmitAnswer> submit(const std::string& json) { return submit(of(json)); }
    void addWorker(const std::string& name, WorkerMode mode, const std::string& platform) {
        WorkerDescriptor worker;
        worker.name = name;
        worker.mode = mode;
        worker.platform = platform;
        worker.functions.push_back({.name = "f", .version = {}});
        registry.add({.id = name,
                      .canonical = {},
                      .descriptor = std::make_shared<const WorkerDescriptor>(std::move(worker))});
    }
    /// Of each class: its machines, and its platform.
    std::string places() const {
        std::string all;
        for (std::uint32_t cls = 0; cls < dictionary.classCount(); ++cls) {
            const ClassKey& key = dictionary.classKey(cls);
            all += fmt::format("{}{}{}{}", cls > 0 ? " " : "", fmt::join(key.machines, ","),
                               key.platform.empty() ? "" : "/", key.platform);
        }
        return all;
    }
    bool isLive(std::int64_t lsn) const { return machine.session.views().live(Lsn{lsn}).has_value(); }
};

constexpr const char* kEcho = R"({"worker":"exec","argv":["/bin/echo","x"]})";

std::string echo(const std::string& members) {
    return R"({"worker":"exec","argv":["/bin/echo","x"],)" + members + "}";
}

} // namespace

class TestIntake : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anActionIsCommittedBeforeTheSessionKnowsIt() {
        Bench b;
        bool wasLive = true;
        b.onAccept = [&] { wasLive = b.isLive(10); };
        const auto answer = b.submit(kEcho);
        QVERIFY(answer);
        QCOMPARE(answer->items.front().first, Lsn{10});
        QCOMPARE(b.take(), "10");
        QVERIFY(!wasLive && b.isLive(10));
        QVERIFY(b.wakes > 0);
        QCOMPARE(b.counters.submitted, std::uint64_t{1});
    }

    void whatIsReplacedIsToldOnceTheJournalHasIt() {
        Bench b;
        QVERIFY(b.submit(echo(R"("replaces":5)")));
        QCOMPARE(b.take(), "10, 10 for 5, told 5");
        QVERIFY(
            b.submit(echo(R"("replaces":[5,6,7],"array":{"from":0,"to":1})"))); // one for one, as far as it goes
        QVERIFY(b.take().ends_with("+2, 100 for 5, 101 for 6, 101 for 7, told 5, told 6, told 7"));
        b.refusal = fail(ErrorKind::Invalid, "no").error();
        QVERIFY(!b.submit(echo(R"("replaces":5)")));
        QVERIFY(!b.take().contains("told"));
    }

    void whatIsReplacedBeforeItBeganIsCancelledWithThat() {
        Bench b;
        QVERIFY(b.submit(kEcho));
        QVERIFY(b.submit(kEcho));
        (void)b.take();
        bool wasHeld = false;
        b.onAccept = [&] { wasHeld = b.machine.session.views().live(Lsn{10})->held; };
        QVERIFY(b.submit(echo(R"("replaces":10)")));
        QCOMPARE(b.take(), "reserve 1, 100, 100 for 10 cancelled, told 10");
        QVERIFY(wasHeld); // it does not begin meanwhile
        QVERIFY(b.machine.session.views().live(Lsn{10})->ending == ActionState::Cancelled);
        // Not accepted: it is as it was.
        b.onAccept = [] {};
        b.refusal = fail(ErrorKind::NoSpace, "full").error();
        QVERIFY(!b.submit(echo(R"("replaces":11)")));
        QVERIFY(!b.machine.session.views().live(Lsn{11})->held && !b.machine.session.views().live(Lsn{11})->ending);
    }

    void whatWouldFailWithWhatIsReplacedIsNamed() {
        Bench b;
        QVERIFY(b.submit(kEcho));
        QVERIFY(b.submit(kEcho));
        b.children[Lsn{10}] = Lsn{11};
        (void)b.take();
        const auto refused = b.submit(echo(R"("replaces":10)"));
        QVERIFY(!refused && refused.error().kind == ErrorKind::WrongState);
        QVERIFY2(refused.error().message.contains("Action 11 waits for action 10"),
                 refused.error().message.c_str());
        QVERIFY(!b.machine.session.views().live(Lsn{10})->held);
        QVERIFY(b.submit(echo(R"("replaces":[10,11])")));
        QVERIFY(b.machine.session.views().live(Lsn{11})->ending == ActionState::Cancelled);
    }

    void numbersAreReservedBeforeTheyAreGiven() {
        Bench b;
        QVERIFY(b.submit(kEcho));
        const auto array = b.submit(echo(R"("array":{"from":0,"to":2})"));
        QVERIFY(array);
        QCOMPARE(b.take(), "10, reserve 3, 100+3");
        QVERIFY(b.isLive(100) && b.isLive(102) && !b.isLive(103));
        QCOMPARE(b.submit(kEcho)->items.front().first, Lsn{103});
    }

    void whatTheJournalRefusesIsNotInTheSession() {
        Bench b;
        b.refusal = fail(ErrorKind::NoSpace, "full").error();
        b.refusal->index = 0;
        const auto answer = b.submit(kEcho);
        QCOMPARE(answer.error().kind, ErrorKind::NoSpace);
        QCOMPARE(answer.error().index, -1); // it was one action, not a list
        QVERIFY(!b.isLive(10));
        QCOMPARE(b.counters.refusedSubmissions, std::uint64_t{1});
    }

    void actionsOfAListAreNumberedAfterThoseTheyWaitFor() {
        Bench b;
        const auto answer =
            b.submit("[" + echo(R"("id":"b","after":[{"id":"a"}])") + "," + echo(R"("id":"a")") + "]");
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        QCOMPARE(answer->items[0].first, Lsn{11}); // as posted
        QCOMPARE(answer->items[1].first, Lsn{10});
        QCOMPARE(b.take(), "10, 11 after 10");
        QCOMPARE(b.machine.schedule(), std::size_t{1});
    }

    void anArrayIsWaitedForAsAWholeWhereItIsKnown() {
        Bench b;
        b.arraySizes = {5};
        QVERIFY(b.submit(echo(R"("after":[{"array":7}])")));
        QCOMPARE(b.take(), "10 after 7+5");
        b.arraySizes = {0};
        const auto unknown = b.submit(echo(R"("after":[{"array":8}])"));
        QCOMPARE(unknown.error().field, "after");
        QVERIFY(unknown.error().message.contains("Action 8 is not the first of an array"));
        QCOMPARE(b.take(), "");
    }

    void aPredecessorThatEndsWhileTheJournalWritesIsNotWaitedForForEver() {
        Bench b;
        QVERIFY(b.submit(kEcho));
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.onAccept = [&] {
            b.predecessors.ended(Lsn{10}, ActionState::Completed);
            b.machine.complete();
        };
        QVERIFY(b.submit(echo(R"("after":[10])")));
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        QVERIFY(b.machine.hasStarted(Lsn{11}));
    }

    void whatNeverFitsIsRefusedWithWhereItStandsInTheList() {
        Bench b;
        const auto refused = b.submit(std::string("[") + kEcho + "," + echo(R"("resources":{"cores":3})") + "]");
        QCOMPARE(refused.error().field, "resources.cores");
        QCOMPARE(refused.error().index, 1);
        QVERIFY(refused.error().message.contains("--capacity"));
        QCOMPARE(b.take(), "");
    }

    void whereItMayRunIsPartOfItsClass() {
        Bench b;
        QVERIFY(b.submit(kEcho));
        QVERIFY(b.submit(echo(R"("machine":"local")"))); // as is usual
        QCOMPARE(b.places(), "");
        QVERIFY(b.submit(echo(R"("machine":["any","desk"])")));
        QVERIFY(b.submit(echo(R"("machine":["desk","local"],"platform":"plan9")")));
        QCOMPARE(b.places(), " any desk,local/plan9");
        const ClassKey key = b.dictionary.classKey(2);
        QVERIFY(ClassKey::parse(key.text()) == key); // a start reads it from the journal
    }

    void itsQueueSaysWhereWhatDoesNotSayItRuns() {
        Bench b;
        QueueConfig config;
        config.machines = {"desk"};
        QVERIFY(b.machine.session.queues().configure(QueueId(0), config));
        QVERIFY(b.submit(kEcho));
        QVERIFY(b.submit(echo(R"("machine":"local")")));
        QCOMPARE(b.places(), "desk ");
    }

    void aRegisteredWorkersActionsRunAnywhereOnItsPlatform() {
        Bench b;
        b.addWorker("sort", WorkerMode::Process, "plan9");
        b.addWorker("here", WorkerMode::Process, std::string(thisPlatform()));
        QVERIFY(b.submit(R"({"worker":"sort","function":"f"})"));
        QVERIFY(b.submit(R"({"worker":"here","function":"f","machine":"any"})"));
        QCOMPARE(b.places(), " ");
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        QVERIFY(b.machine.hasStarted(Lsn{11}));
    }

    void whatAWarmWorkerServesIsHere() {
        Bench b;
        b.addWorker("sort", WorkerMode::Warm, {});
        const auto refused = b.submit(R"({"worker":"sort","function":"f","machine":"desk"})");
        QCOMPARE(refused.error().field, "machine");
        QueueConfig config;
        config.machines = {"desk"};
        QVERIFY(b.machine.session.queues().configure(QueueId(0), config));
        QVERIFY(b.submit(R"({"worker":"sort","function":"f"})"));
        QVERIFY(b.submit(R"({"worker":"sort","function":"f","machine":["desk","local"]})"));
        QCOMPARE(b.places(), "");
    }

    void whatMayRunElsewhereHasNoTerminal() {
        Bench b;
        const auto on = [](const char* machine) {
            return fmt::format(R"({{"worker":"exec","argv":["true"],"tty":{{"rows":4,"cols":4}},"machine":"{}"}})",
                               machine);
        };
        QCOMPARE(b.submit(on("any")).error().field, "tty");
        QCOMPARE(b.submit(on("desk")).error().field, "tty");
    }

    void whatMayRunElsewhereNamesNoDirectory() {
        Bench b;
        const auto in = [](const char* machine) {
            return fmt::format(R"({{"worker":"exec","argv":["true"],"cwd":"/tmp","machine":"{}"}})", machine);
        };
        QCOMPARE(b.submit(in("any")).error().field, "cwd");
        QCOMPARE(b.submit(in("desk")).error().field, "cwd");
        QVERIFY(b.submit(in("local")));
    }

    void anUnknownMachineIsWaitedForWhateverItIsToHave() {
        Bench b;
        QVERIFY(b.submit(echo(R"("machine":"desk","resources":{"cores":500})")));
        QVERIFY(b.submit(echo(R"("machine":"any","platform":"plan9")")));
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        QCOMPARE(b.submit(echo(R"("machine":"any","resources":{"cores":500})")).error().field, "resources.cores");
    }

    void anotherPlatformOnThisMachineIsRefused() {
        Bench b;
        const auto refused = b.submit(echo(R"("platform":"plan9")"));
        QCOMPARE(refused.error().field, "platform");
        QVERIFY(refused.error().message.contains("plan9"));
    }

    void whatCannotBeKeptInItsSandboxIsRefused() {
        Bench b;
        b.noSandbox = true;
        QVERIFY(b.submit(echo(R"("sandbox":false)")));
        QCOMPARE(b.submit(echo(R"("sandbox":true)")).error().message, "no sandbox here");
    }

    void overTheLimitOfPendingActionsNothingIsTaken() {
        Bench b;
        b.settings.maxPending = 2;
        QVERIFY(b.submit(kEcho));
        QCOMPARE(b.submit(echo(R"("array":{"from":0,"to":1})")).error().kind, ErrorKind::TooManyPending);
        QVERIFY(b.submit(kEcho)); // what was refused does not count
    }

    void stdinOverItsLimitIsRefused() {
        Bench b;
        b.chunkSize = kMaxStdinBytes + 1;
        const std::string chunk = Sha256::of("input").hex();
        QCOMPARE(b.submit(echo(fmt::format(R"("stdin":{{"hash":"{}"}})", chunk))).error().field, "stdin");
        b.chunkSize = kMaxStdinBytes;
        QVERIFY(b.submit(echo(fmt::format(R"("stdin":{{"hash":"{}"}})", chunk))));
    }

    void aRepeatGetsItsFirstAnswerThoughItWouldBeRefusedByNow() {
        Bench b;
        Submission again = b.of(kEcho);
        again.idempotencyKey = "k";
        again.bodyHash = Sha256::of("body");
        b.refusal = fail(ErrorKind::NotAccepting, "draining").error();
        QCOMPARE(b.submit(again).error().kind, ErrorKind::NotAccepting); // there was no first one
        b.kept = store::Reader::KeptAnswer{Sha256::of("body"), "0;42+3", wallNow()};
        const auto answer = b.submit(again);
        QVERIFY(answer);
        QCOMPARE(answer->items.front().first, Lsn{42});
        QCOMPARE(answer->items.front().count, 3);
        b.kept->body = Sha256::of("another body");
        QCOMPARE(b.submit(again).error().field, "Idempotency-Key");
        b.kept->t -= store::kIdempotencyAge + 1;
        QCOMPARE(b.submit(again).error().kind, ErrorKind::NotAccepting);
    }

    void aLargeListThatIsRefusedHalfwayIsUndone() {
        Bench b;
        int parts = 0;
        b.onAccept = [&] {
            if (++parts == 2) b.refusal = fail(ErrorKind::NoSpace, "full").error();
        };
        const auto refused =
            b.submit(echo(fmt::format(R"("array":{{"from":0,"to":{}}})", store::kMostAtOnce + 10)));
        QCOMPARE(refused.error().kind, ErrorKind::NoSpace);
        b.rig.settle();
        QVERIFY2(b.journal.contains("undo"), b.journal.c_str());
        QCOMPARE(b.machine.session.views().counts().all.pending, std::int64_t{0});
    }

    void whoLingersGetsTheEndWithTheAnswer() {
        Bench b;
        const auto answer = b.submit(b.of(kEcho), Duration{1'000'000});
        QVERIFY(answer && answer->ended);
        QCOMPARE(answer->ended->lsn, Lsn{10});
        const auto two = b.submit(b.of(std::string("[") + kEcho + "," + kEcho + "]"), Duration{1'000'000});
        QVERIFY(two && !two->ended);
    }
};

QTEST_GUILESS_MAIN(TestIntake)
#include "tst_intake.moc"
