// The states of a link and of a machine, and which follows from what is known.
#include "core/link/states.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <chrono>
#include <string>

using namespace yard;
using namespace yard::link;
using namespace std::chrono_literals;

namespace {

constexpr MachineFacts kUp{.link = LinkState::Up,
                           .hasLeases = false,
                           .sinceFrame = Duration(0),
                           .isPastLease = false,
                           .isLeaving = false,
                           .isPaused = false,
                           .isDraining = false,
                           .isFull = false};

std::string stateName(const MachineFacts& facts) {
    return std::string(name(stateOf(facts)));
}

/// All facts there can be, with a time without frames of 0 s, 3 s or none.
template<class Use>
void forAllFacts(const Use& use) {
    for (unsigned bits = 0; bits < 64; ++bits)
        for (unsigned link = 0; link < kLinkStates; ++link)
            for (const std::optional<Duration> since :
                 {std::optional<Duration>(0s), std::optional<Duration>(3s), std::optional<Duration>()})
                use(MachineFacts{.link = static_cast<LinkState>(link),
                                 .hasLeases = (bits & 1) != 0,
                                 .sinceFrame = since,
                                 .isPastLease = (bits & 2) != 0,
                                 .isLeaving = (bits & 4) != 0,
                                 .isPaused = (bits & 8) != 0,
                                 .isDraining = (bits & 16) != 0,
                                 .isFull = (bits & 32) != 0});
}

} // namespace

class TestLinkStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLinkMovesAsItsTableSays();
    void aMachineWithoutAFrameForThreeSecondsIsSilent();
    void aClosedLinkIsSilentWhileSomethingIsOut();
    void whatWeighsMoreIsTold();
    void eachStateIsReachedFromEachOtherByMovesOfTheTable();
    void theTimeOfAStateIsThatOfItsMove();
    void onlyAReadyMachineTakesWork();
    void triesAreDelayedFromASecondToAMinute();
};

void TestLinkStates::aLinkMovesAsItsTableSays() {
    LinkState state = LinkState::Closed;
    QVERIFY(!move(state, LinkState::Up));
    QVERIFY(state == LinkState::Closed);
    for (const LinkState to :
         {LinkState::Opening, LinkState::Greeting, LinkState::Up, LinkState::Refused, LinkState::Closed}) {
        QVERIFY(move(state, to));
        QVERIFY(state == to);
    }
    QVERIFY(!move(state, LinkState::Refused));
    QCOMPARE(std::string(name(state)), std::string("closed"));
}

void TestLinkStates::aMachineWithoutAFrameForThreeSecondsIsSilent() {
    MachineFacts facts = kUp;
    facts.sinceFrame = 2'999ms;
    QCOMPARE(stateName(facts), std::string("ready"));
    facts.sinceFrame = 3s;
    QCOMPARE(stateName(facts), std::string("silent"));
}

void TestLinkStates::aClosedLinkIsSilentWhileSomethingIsOut() {
    MachineFacts facts = kUp;
    facts.link = LinkState::Opening;
    QCOMPARE(stateName(facts), std::string("connecting"));
    facts.hasLeases = true;
    QCOMPARE(stateName(facts), std::string("silent"));
    facts.isPastLease = true;
    QCOMPARE(stateName(facts), std::string("lost"));
}

void TestLinkStates::whatWeighsMoreIsTold() {
    MachineFacts facts = kUp;
    facts.isFull = true;
    QCOMPARE(stateName(facts), std::string("busy"));
    facts.isDraining = true;
    QCOMPARE(stateName(facts), std::string("draining"));
    facts.isPaused = true;
    QCOMPARE(stateName(facts), std::string("paused"));
    facts.sinceFrame = 5s;
    QCOMPARE(stateName(facts), std::string("silent"));
    facts.isLeaving = true;
    QCOMPARE(stateName(facts), std::string("leaving"));
    facts.isPastLease = true;
    QCOMPARE(stateName(facts), std::string("lost"));
    facts.link = LinkState::Refused;
    QCOMPARE(stateName(facts), std::string("refused"));
}

void TestLinkStates::eachStateIsReachedFromEachOtherByMovesOfTheTable() {
    // A move that the table lacks is an assert of follow().
    forAllFacts([](const MachineFacts& before) {
        MachineLife life;
        life.follow(before, BootTime(1s));
        forAllFacts([&](const MachineFacts& after) {
            MachineLife next = life;
            const bool isOther = stateOf(after) != stateOf(before);
            if (next.follow(after, BootTime(2s)) != isOther || next.state() != stateOf(after))
                QFAIL(qPrintable(QString::fromStdString(stateName(before) + " to " + stateName(after))));
        });
    });
}

void TestLinkStates::theTimeOfAStateIsThatOfItsMove() {
    MachineLife life;
    QVERIFY(life.follow(kUp, BootTime(5s)));
    QVERIFY(!life.follow(kUp, BootTime(6s)));
    QVERIFY(life.since() == BootTime(5s));
}

void TestLinkStates::onlyAReadyMachineTakesWork() {
    MachineLife life;
    QVERIFY(!life.takesWork());
    life.follow(kUp, BootTime(1s));
    QVERIFY(life.takesWork());
    MachineFacts facts = kUp;
    facts.isDraining = true;
    life.follow(facts, BootTime(2s));
    QVERIFY(!life.takesWork());
}

void TestLinkStates::triesAreDelayedFromASecondToAMinute() {
    QVERIFY(reconnectDelay(1, 0) == 500ms);
    QVERIFY(reconnectDelay(1, 1) == 1s);
    QVERIFY(reconnectDelay(3, 1) == 4s);
    QVERIFY(reconnectDelay(7, 1) == 60s);
    QVERIFY(reconnectDelay(4'000'000'000u, 1) == 60s);
    QVERIFY(reconnectDelay(0, 0.5) == 750ms);
}

QTEST_APPLESS_MAIN(TestLinkStates)
#include "tst_states.moc"
