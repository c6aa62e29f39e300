// Machines and leases over the starts of a real engine; the machines are wires that a test speaks over word by word.
#include "core/engine/machines/machines.h"
#include "core/engine/reading/overview.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QTest>

#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

using namespace yard;
using engine::LineId;
using engine::Machines;
using engine::MachineView;

namespace {

/// A connection that takes everything; called by the engine's thread.
class CountingWire final : public engine::LinkWire {
public:
    bool send(link::Kind kind, std::uint64_t, std::string_view) override {
        if (kind == link::Kind::Lease) ++leases;
        return true;
    }
    bool hasRoomForBulk() const override { return true; }
    void finish() override { isOver = true; }
    void end() override { isOver = true; }
    std::atomic<int> leases{0};
    std::atomic<bool> isOver{false};
};

struct Yard {
    /// Starts it again, with leases of so many seconds.
    void restart(int seconds) {
        engine.stop();
        lease = seconds;
        engine.start();
    }
    template<class Method, class... Args>
    auto ask(Method method, Args... args) {
        return engine.run(engine->ask(method, std::move(args)...));
    }
    LineId open(const std::shared_ptr<CountingWire>& wire) {
        return *ask(&Machines::opened, engine::MachineCaller{"", "10.0.0.2"}, wire);
    }
    LineId openWithKey(const std::shared_ptr<CountingWire>& wire, const std::string& key) {
        return *ask(&Machines::opened, engine::MachineCaller{.token = {}, .peer = "10.0.0.2", .key = key}, wire);
    }
    bool say(LineId line, link::Kind kind, const std::string& body = {}) {
        return ask(&Machines::frameCame, line,
                   engine::LinkFrame{.id = 1, .kind = static_cast<std::uint8_t>(kind), .body = body});
    }
    bool greet(LineId line, const std::string& runId = "run", std::int64_t milliCores = 1'000,
               const std::string& name = "desk") {
        link::Hello hello;
        hello.runId = runId;
        hello.name = name;
        hello.platform = "linux-x86_64";
        hello.version = "0.1.0";
        hello.capacity = {.milliCores = milliCores, .memoryMb = 64};
        return say(line, link::Kind::Hello, link::put(hello));
    }
    /// The machine that is there has an action, and the journal knows.
    Lsn give(LineId line, const CountingWire& wire) {
        const Lsn lsn = engine.submit(R"({"worker":"exec","argv":["true"],"machine":"desk"})");
        if (!test::EngineTest::eventually([&] { return say(line, link::Kind::Renew) && wire.leases == 1; }))
            qFatal("it gets nothing");
        return lsn;
    }
    /// What the journal has of them cannot be read any more; no engine runs.
    void damageMachines() {
        sqlite3* db = nullptr;
        if (sqlite3_open(engine.path("data/journal.sqlite").c_str(), &db) != SQLITE_OK ||
            sqlite3_exec(db, "UPDATE document SET body = '{' WHERE kind = 'machine'", nullptr, nullptr, nullptr) !=
                SQLITE_OK ||
            sqlite3_changes(db) != 1)
            qFatal("%s", sqlite3_errmsg(db));
        sqlite3_close(db);
    }
    std::vector<MachineView> machines() { return ask(&Machines::list); }
    /// Until what the silent machine has counts as lost.
    std::int64_t secondsLeft() { return (machines().at(1).lostAt - wallNow()) / 1'000'000; }

    int lease = 20;
    test::EngineTest engine{1,
                            [this](engine::Options& options) { options.set = {fmt::format("lease_s={}", lease)}; }};
};

} // namespace

class KeptMachinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLeaseThatIsTakenOverIsAsLongAsTheMachineMayBeTold();
    void whoGoesByTheNameOfOneThatAnswersIsSentAway();
    void oneThatComesBackWithoutCoresIsRefusedAndKept();
    void twoKeysAreTwoMachinesWhateverTheyCallThemselves();
    void noneIsCalledAsTheYardOrByANumber();
    void theEngineIsNoMachineOfItsOwn();
    void whatIsWantedOfOneIsSoAfterAStart();
    void oneThatIsRemovedByForceGoesThoughTheEngineWasStartedAgain();
    void whatAMachineHasThatCannotBeReadIsItsOwnUntilTheLeaseIsOver();
};

void KeptMachinesTest::aLeaseThatIsTakenOverIsAsLongAsTheMachineMayBeTold() {
    Yard yard;
    const auto wire = std::make_shared<CountingWire>();
    const LineId line = yard.open(wire);
    QVERIFY(yard.greet(line));
    yard.give(line, *wire);
    yard.ask(&Machines::closed, line);
    yard.restart(600); // a machine that came back now might run for that long
    QVERIFY(yard.secondsLeft() > 500);
    yard.restart(20);
    QVERIFY(yard.secondsLeft() > 500);
}

void KeptMachinesTest::whoGoesByTheNameOfOneThatAnswersIsSentAway() {
    Yard yard;
    int run = 0;
    auto wire = std::make_shared<CountingWire>();
    LineId line = yard.open(wire);
    QVERIFY(yard.greet(line, "run 0"));
    const auto isSentAway = [&] {
        (void)yard.say(line, link::Kind::Renew);
        const auto other = std::make_shared<CountingWire>();
        const LineId second = yard.open(other);
        (void)yard.greet(second, fmt::format("run {}", ++run));
        if (other->isOver) return true;
        yard.ask(&Machines::closed, line); // this thread was away so long that the first one was silent
        line = second;
        wire = other;
        return false;
    };
    QVERIFY(test::EngineTest::eventually(isSentAway));
    QVERIFY(!wire->isOver);
    QCOMPARE(yard.machines().size(), std::size_t{2});

    yard.ask(&Machines::closed, line);
    const auto next = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.open(next), "a later run"));
    QVERIFY(!next->isOver);
    QCOMPARE(yard.machines().size(), std::size_t{2});
}

void KeptMachinesTest::oneThatComesBackWithoutCoresIsRefusedAndKept() {
    Yard yard;
    const LineId line = yard.open(std::make_shared<CountingWire>());
    QVERIFY(yard.greet(line));
    yard.ask(&Machines::closed, line);
    const auto wire = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.open(wire), "another run", 0));
    QVERIFY(wire->isOver);
    QCOMPARE(yard.machines().at(1).milliCores, std::int64_t{1'000});
    yard.restart(20);
    QCOMPARE(yard.machines().size(), std::size_t{2});
}

void KeptMachinesTest::twoKeysAreTwoMachinesWhateverTheyCallThemselves() {
    Yard yard;
    const auto first = std::make_shared<CountingWire>();
    const auto second = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.openWithKey(first, "a"), "run a"));
    QVERIFY(yard.greet(yard.openWithKey(second, "b"), "run b"));
    QVERIFY(!first->isOver && !second->isOver);
    QCOMPARE(yard.machines().size(), std::size_t{3});
    QCOMPARE(yard.machines().at(1).name, "desk");
    QCOMPARE(yard.machines().at(2).name, "desk-2");
    yard.restart(20);
    QVERIFY(yard.greet(yard.openWithKey(first, "a"), "run c", 1'000, "other"));
    QCOMPARE(yard.machines().size(), std::size_t{3});
    QCOMPARE(yard.machines().at(1).key, "a");
    QCOMPARE(yard.machines().at(1).address, "10.0.0.2");
}

void KeptMachinesTest::noneIsCalledAsTheYardOrByANumber() {
    Yard yard;
    const auto first = std::make_shared<CountingWire>();
    const auto second = std::make_shared<CountingWire>();
    const std::string here = yard.machines().at(0).name;
    QVERIFY(yard.greet(yard.openWithKey(first, "a"), "run a", 1'000, here));
    QVERIFY(yard.greet(yard.openWithKey(second, "b"), "run b", 1'000, "1"));
    QCOMPARE(yard.machines().at(1).name, here + "-2");
    QCOMPARE(yard.machines().at(2).name, "1-2");
}

void KeptMachinesTest::theEngineIsNoMachineOfItsOwn() {
    Yard yard;
    const auto wire = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.openWithKey(wire, "a"), yard.ask(&engine::Overview::session).runId));
    QVERIFY(wire->isOver);
    QCOMPARE(yard.machines().size(), std::size_t{1});
}

void KeptMachinesTest::whatIsWantedOfOneIsSoAfterAStart() {
    Yard yard;
    QVERIFY(yard.greet(yard.open(std::make_shared<CountingWire>())));
    QVERIFY(yard.ask(&Machines::drain, 1u));
    yard.restart(20);
    QCOMPARE(yard.machines().size(), std::size_t{2});
    const auto wire = std::make_shared<CountingWire>();
    const LineId line = yard.open(wire);
    QVERIFY(yard.greet(line));
    QVERIFY(test::EngineTest::eventually([&] {
        return yard.say(line, link::Kind::Renew) && yard.machines().at(1).state == link::MachineState::Draining;
    }));
}

void KeptMachinesTest::oneThatIsRemovedByForceGoesThoughTheEngineWasStartedAgain() {
    Yard yard;
    const auto wire = std::make_shared<CountingWire>();
    const LineId line = yard.open(wire);
    QVERIFY(yard.greet(line));
    yard.give(line, *wire);
    QVERIFY(!yard.ask(&Machines::remove, 1u, false));
    QVERIFY(yard.ask(&Machines::remove, 1u, true));
    yard.ask(&Machines::closed, line);
    yard.restart(20);
    const auto again = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.open(again)));
    QVERIFY(again->isOver); // somebody is removing it
    QCOMPARE(yard.machines().size(), std::size_t{2});
    QVERIFY(yard.machines().at(1).lostAt > 0); // what it has is its own until then
    QCOMPARE(yard.machines().at(1).waiting, std::size_t{1});
}

void KeptMachinesTest::whatAMachineHasThatCannotBeReadIsItsOwnUntilTheLeaseIsOver() {
    Yard yard;
    const auto wire = std::make_shared<CountingWire>();
    const LineId line = yard.open(wire);
    QVERIFY(yard.greet(line));
    yard.give(line, *wire);
    yard.ask(&Machines::closed, line);
    yard.engine.stop();
    yard.damageMachines();
    yard.engine.start();
    const MachineView unread = yard.machines().at(1);
    QVERIFY2(unread.name.starts_with("unread-"), unread.name.c_str());
    QVERIFY(unread.reason.contains("cannot be read"));
    QCOMPARE(unread.waiting, std::size_t{1});
    QVERIFY(yard.secondsLeft() > 15);
    QVERIFY(!yard.ask(&Machines::remove, 1u, true));
    QVERIFY(!yard.ask(&Machines::resume, 1u));
    // The machine itself comes as a new one, and gets nothing of it.
    const auto next = std::make_shared<CountingWire>();
    QVERIFY(yard.greet(yard.open(next)));
    QCOMPARE(yard.machines().size(), std::size_t{3});
    QCOMPARE(next->leases.load(), 0);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    KeptMachinesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_kept_machines.moc"
