// Directories of attempts by themselves: no launcher, no session; what a program leaves there is what a test puts there.
#include "core/engine/running/outcome.h"
#include "core/engine/running/workspaces.h"

#include "tests/coro/coro_test.h"
#include "tests/store/journal_fixture.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <unistd.h>

using namespace yard;
using namespace yard::engine;

namespace {

class Bench {
public:
    QTemporaryDir directory;
    coro::test::Rig rig;
    test::Journal journal{path("")};
    std::unique_ptr<store::ChunkStore> chunks = *store::ChunkStore::open(journal.files(), journal.store());
    coro::HelperPool helpers{1};
    AttemptTable attempts;
    InternTable dictionary;
    WorkerRegistry workers;
    Settings settings;
    Sandboxing sandboxing{false};
    locks::Claims claims;
    Workspaces workspaces{{.attempts = attempts,
                           .dictionary = dictionary,
                           .workers = workers,
                           .helpers = helpers,
                           .dataDir = path(""),
                           .scratch = *runners::ScratchHome::open(path("")),
                           .settings = settings,
                           .sandboxing = sandboxing,
                           .claims = claims}};

    Bench() {
        workspaces.attach(*chunks);
        dictionary.internClass(ClassKey{});
    }
    ~Bench() {
        rig.loop.shutdown();
        helpers.stop();
    }
    std::string path(const std::string& name) const {
        return directory.path().toStdString() + (name.empty() ? "" : "/" + name);
    }
    /// An exec that has a directory of its own, or this one as its cwd.
    Attempt& add(std::int64_t lsn, const std::string& cwd = {}) {
        Attempt& attempt = attempts.add({Lsn(lsn), 1});
        ActionSpec spec;
        spec.worker = "exec";
        spec.argv = {"true"};
        if (!cwd.empty()) spec.cwd = cwd;
        attempt.spec = std::make_shared<const ActionSpec>(spec);
        return attempt;
    }
    /// Its directory, made; empty: it has none.
    std::string prepare(Attempt& attempt) {
        space = std::make_unique<Workspace>(rig.ask(workspaces.prepare(attempt.id)).value());
        attempt.scratch = space->scratch;
        return attempt.scratch ? attempt.scratch->root : std::string();
    }
    Collection collect(Attempt& attempt) {
        runners::Ended ended;
        ended.exitCode = 0;
        attempt.record.outcome = outcomeOf(ended);
        return rig.ask(workspaces.collect(attempt.id, std::move(ended), [] {}));
    }
    /// It is there no more, and nobody says that he has it.
    bool goes(const std::string& root) {
        return QTest::qWaitFor([&] { return !std::filesystem::exists(root) && !claims.contains(root); }, kWaitMs);
    }
    std::unique_ptr<Workspace> space;
};

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

} // namespace

class TestWorkspaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anActionGetsADirectoryOfItsOwn() {
        Bench b;
        Attempt& attempt = b.add(1);
        const std::string root = b.prepare(attempt);
        QVERIFY(std::filesystem::is_directory(root + "/outputs"));
        QVERIFY(b.claims.contains(root));
        QCOMPARE(b.space->lease->cwd, root);
        QCOMPARE(b.space->lease->argv, attempt.spec->argv);
        QVERIFY(b.prepare(b.add(2)) != root);
    }

    void whatItLeftIsKeptAndTheDirectoryGoes() {
        Bench b;
        Attempt& attempt = b.add(1);
        const std::string root = b.prepare(attempt);
        write(root + "/outputs/result", "42");
        const Collection made = b.collect(attempt);
        QCOMPARE(made.outcome.outputs.size(), std::size_t{1});
        QCOMPARE(made.outcome.outputs.front().name, "result");
        QVERIFY(!attempt.scratch);
        QVERIFY(!attempt.collector);
        QVERIFY(b.goes(root));
    }

    void whatIsMissingSaysSo() {
        Bench b;
        Attempt& attempt = b.add(1);
        ActionSpec spec = *attempt.spec;
        spec.expect = {"result"};
        attempt.spec = std::make_shared<const ActionSpec>(spec);
        b.prepare(attempt);
        const Collection made = b.collect(attempt);
        QCOMPARE(made.outcome.state, ActionState::Failed);
        QCOMPARE(made.outcome.reason, Reason::MissingOutput);
    }

    /// Taken back from a slot before it began, and begun again under the same number while the deletion waits.
    void whatIsGivenUpAndBeginsAgainKeepsItsNewDirectory() {
        Bench b;
        Attempt& attempt = b.add(1);
        const std::string root = b.prepare(attempt);
        // The only helper stands still until both wait: what is made goes before what is deleted.
        std::promise<void> go;
        QVERIFY(b.helpers.post([gone = go.get_future().share()] { gone.wait(); }));
        b.workspaces.discard(attempt);
        const auto again = b.rig.begin(b.workspaces.prepare(attempt.id));
        go.set_value();
        QVERIFY(QTest::qWaitFor(
            [&] {
                b.rig.settle();
                return again->has_value() && b.helpers.backlog() == 0;
            },
            kWaitMs));
        // Behind it: the deletion has had its turn.
        std::promise<void> done;
        QVERIFY(b.helpers.postDeletion([&done] { done.set_value(); }));
        done.get_future().wait();
        QCOMPARE((**again)->scratch->root, root);
        QVERIFY(std::filesystem::is_directory(root + "/outputs"));
        QVERIFY(b.claims.contains(root));
        attempt.scratch = (**again)->scratch;
        write(root + "/outputs/result", "42");
        QCOMPARE(b.collect(attempt).outcome.outputs.size(), std::size_t{1});
    }

    void whatIsGivenUpLeavesNothing() {
        Bench b;
        Attempt& attempt = b.add(1);
        const std::string root = b.prepare(attempt);
        write(root + "/outputs/result", "42");
        b.workspaces.discard(attempt);
        QVERIFY(!attempt.scratch);
        QVERIFY(b.goes(root));
    }

    void stdinNeedsNoDirectory() {
        Bench b;
        Attempt& attempt = b.add(1, "/");
        ActionSpec spec = *attempt.spec;
        spec.stdinSource.emplace();
        spec.stdinSource->text = "words";
        attempt.spec = std::make_shared<const ActionSpec>(spec);
        QCOMPARE(b.prepare(attempt), "");
        QVERIFY(!b.space->lease);
        char words[16] = {};
        QCOMPARE(::read(b.space->input->get(), words, sizeof words), ssize_t{5});
        QCOMPARE(std::string(words), "words");
    }

    void aWorkerThatIsNotThereHasNoFiles() {
        Bench b;
        const Result<std::string> files = b.rig.ask(b.workspaces.workerFiles("nobody"));
        QCOMPARE(files.error().kind, ErrorKind::NotFound);
        runners::ProcessOrder order;
        order.worker = "nobody";
        QCOMPARE(b.rig.ask(b.workspaces.makeProcess(order)).error().kind, ErrorKind::NotFound);
    }

    void whatIsOverNeedsNothing() {
        Bench b;
        QCOMPARE(b.rig.ask(b.workspaces.prepare({Lsn(7), 1})).error().kind, ErrorKind::NotFound);
        QCOMPARE(b.rig.ask(b.workspaces.remake({Lsn(7), 1})).error().kind, ErrorKind::NotFound);
    }
};

QTEST_GUILESS_MAIN(TestWorkspaces)
#include "tst_workspaces.moc"
