// Both sides of the leases of one link, without a link: what follows from what.
#include "core/link/guest_leases.h"
#include "core/link/yard_leases.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <chrono>
#include <string>

using namespace yard;
using namespace yard::link;
using namespace std::chrono_literals;

namespace {

constexpr AttemptRef kOne{.lsn = 1, .attempt = 1};
constexpr AttemptRef kTwo{.lsn = 2, .attempt = 1};

BootTime at(Duration time) {
    return BootTime(time);
}

std::string text(const AttemptRefs& ids) {
    std::string all;
    for (const AttemptRef& id : ids) all += ' ' + std::to_string(id.lsn) + '.' + std::to_string(id.attempt);
    return all;
}

/// "returned 1.1 lost 2.1 close"; what was there is gone afterwards.
std::string told(YardOut& out) {
    std::string all;
    const auto add = [&all](std::string_view word, const AttemptRefs& ids) {
        if (!ids.empty()) all += (all.empty() ? "" : " ") + std::string(word) + text(ids);
    };
    add("returned", out.returned);
    add("lost", out.lost);
    add("settle", out.settle);
    AttemptRefs cancels;
    for (const Cancel& cancel : out.cancels) cancels.push_back(cancel.id);
    add("cancel", cancels);
    if (out.closeLink) all += all.empty() ? "close" : " close";
    out = {};
    return all;
}

std::string told(GuestOut& out) {
    std::string all;
    const auto add = [&all](std::string_view word, const AttemptRefs& ids) {
        if (!ids.empty()) all += (all.empty() ? "" : " ") + std::string(word) + text(ids);
    };
    add("finished", out.finished);
    add("back", out.handedBack);
    add("dropped", out.dropped);
    AttemptRefs ended;
    AttemptRefs leaseEnded;
    for (const GuestOut::End& end : out.ends) (end.leaseEnded ? leaseEnded : ended).push_back(end.id);
    add("end", ended);
    add("leaseEnd", leaseEnded);
    if (out.closeLink) all += all.empty() ? "close" : " close";
    out = {};
    return all;
}

Hello hello(std::string runId, std::vector<Held> held = {}) {
    return {.protocol = kProtocol,
            .runId = std::move(runId),
            .name = "m",
            .platform = "",
            .version = "",
            .capacity = {},
            .tags = {},
            .held = std::move(held)};
}

Welcome welcome(AttemptRefs held = {}, std::uint32_t seconds = 20) {
    return {.protocol = kProtocol, .runId = "y", .name = "y", .leaseSeconds = seconds, .held = std::move(held)};
}

struct Yard {
    YardLeases leases{20s};
    YardOut out;

    explicit Yard(Duration now = 0s) { leases.greeted(hello("r1"), at(now), out); }
    bool finished(AttemptRef id) {
        bool isNew = false;
        return leases.finished(id, isNew) && isNew;
    }
};

struct Guest {
    GuestLeases leases;
    GuestOut out;

    explicit Guest(Duration now = 1s) {
        leases.greet(at(now));
        leases.welcomed(welcome(), at(now), out);
    }
};

} // namespace

class TestLinkLeases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The yard.
    void nothingIsOfferedWithoutALink();
    void anAttemptThatEndedIsSettledOnceItIsCommitted();
    void aFrameOtherThanRenewDoesNotKeepLeases();
    void whatIsOutIsLostTenSecondsAfterTheLease();
    void whatIsFetchedIsNotLost();
    void whatAMachineOfTheSameRunDoesNotNameNeverBegan();
    void anotherRunEndsWhatWasOut();
    void whatTheYardDoesNotCountIsSettled();
    void aCancelIsAskedAgainAfterAReconnect();
    void anEndOfWhatWasNeverGivenIsALie();
    void anEndThatIsToldAgainAfterAReconnectIsNoLie();
    void handingBackWhatHasBegunIsALie();
    void aRestartedYardWaitsForTheLongerLeaseOfBefore();
    // The machine.
    void nothingBeginsAtTheEndOfTheLease();
    void theLeaseCountsFromWhenTheAnsweredFrameWasSent();
    void anUnknownAnswerRenewsNothing();
    void theEndOfTheLeaseEndsWhatHasBegunAndDropsTheRest();
    void theEndOfTheLeaseShortensAnEndWithALongGrace();
    void whatEndedWithoutALinkIsToldAfterTheWelcome();
    void whatTheYardCountsAndIsNotHereIsHandedBack();
    void aWelcomeThatComesTooLateClosesTheLink();
    void aShorterLeaseOfAWelcomeHoldsAtOnce();
    void cancellingWhatWaitsHandsItBack();
    void takingBackLeavesWhatHasBegun();
    void whatIsSettledWhileItLivesIsEndedAndForgotten();
    void aSecondAttemptWaitsForTheEndOfTheFirst();
    void whoLeavesHandsBackWhatWaits();
    void aLeaseWithoutALinkIsNotTaken();
};

void TestLinkLeases::nothingIsOfferedWithoutALink() {
    YardLeases leases(20s);
    QVERIFY(!leases.offer(kOne));
    YardOut out;
    QCOMPARE(text(leases.greeted(hello("r1"), at(0s), out)), std::string());
    QVERIFY(leases.offer(kOne));
    leases.closed();
    QVERIFY(!leases.offer(kTwo));
    QCOMPARE(leases.count(), std::size_t{1});
}

void TestLinkLeases::anAttemptThatEndedIsSettledOnceItIsCommitted() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    yard.leases.began(kOne);
    QVERIFY(yard.leases.stageOf(kOne) == YardStage::Begun);
    QVERIFY(yard.finished(kOne));
    QVERIFY(!yard.finished(kOne)); // known already
    yard.leases.fetched(kOne);
    QCOMPARE(told(yard.out), std::string());
    yard.leases.committed(kOne, yard.out);
    QCOMPARE(told(yard.out), std::string("settle 1.1"));
    QCOMPARE(yard.leases.count(), std::size_t{0});
}

void TestLinkLeases::aFrameOtherThanRenewDoesNotKeepLeases() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    yard.leases.began(kOne);
    QVERIFY(yard.leases.lostAt() == at(30s));
    yard.leases.renewed(at(5s));
    QVERIFY(yard.leases.lostAt() == at(35s));
    yard.leases.closed();
    yard.leases.renewed(at(9s)); // of a connection that is gone
    QVERIFY(yard.leases.lostAt() == at(35s));
}

void TestLinkLeases::whatIsOutIsLostTenSecondsAfterTheLease() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    yard.leases.tick(at(29'999ms), yard.out);
    QCOMPARE(told(yard.out), std::string());
    QVERIFY(!yard.leases.isPastLease());
    yard.leases.tick(at(30s), yard.out);
    QCOMPARE(told(yard.out), std::string("lost 1.1 close"));
    QVERIFY(yard.leases.isPastLease());
    QVERIFY(!yard.leases.offer(kTwo));
    yard.leases.tick(at(31s), yard.out);
    QCOMPARE(told(yard.out), std::string());
    yard.leases.greeted(hello("r1"), at(40s), yard.out);
    QVERIFY(!yard.leases.isPastLease());
    QVERIFY(yard.leases.offer(kTwo));
}

void TestLinkLeases::whatIsFetchedIsNotLost() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne) && yard.leases.offer(kTwo));
    QVERIFY(yard.finished(kOne) && yard.finished(kTwo));
    yard.leases.fetched(kOne);
    yard.leases.tick(at(30s), yard.out);
    QCOMPARE(told(yard.out), std::string("lost 2.1 close"));
    yard.leases.fetched(kTwo); // the last of its outputs came too late
    yard.leases.committed(kOne, yard.out);
    QCOMPARE(told(yard.out), std::string()); // there is no link
    yard.leases.greeted(hello("r1", {{.id = kOne, .stage = GuestStage::Ended}}), at(31s), yard.out);
    QCOMPARE(told(yard.out), std::string("settle 1.1"));
}

void TestLinkLeases::whatAMachineOfTheSameRunDoesNotNameNeverBegan() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne) && yard.leases.offer(kTwo));
    const AttemptRefs counted =
        yard.leases.greeted(hello("r1", {{.id = kTwo, .stage = GuestStage::Begun}}), at(3s), yard.out);
    QCOMPARE(told(yard.out), std::string("returned 1.1"));
    QCOMPARE(text(counted), std::string(" 2.1"));
    QVERIFY(yard.leases.stageOf(kTwo) == YardStage::Begun);
}

void TestLinkLeases::anotherRunEndsWhatWasOut() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    yard.leases.greeted(hello("r2"), at(3s), yard.out);
    QCOMPARE(told(yard.out), std::string("lost 1.1"));
    QCOMPARE(yard.leases.runId(), std::string("r2"));
}

void TestLinkLeases::whatTheYardDoesNotCountIsSettled() {
    Yard yard;
    yard.leases.greeted(hello("r1", {{.id = kOne, .stage = GuestStage::Begun}}), at(3s), yard.out);
    QCOMPARE(told(yard.out), std::string("settle 1.1"));
    bool isNew = true;
    QVERIFY(yard.leases.finished(kOne, isNew)); // it crossed the Settled
    QVERIFY(!isNew);
}

void TestLinkLeases::aCancelIsAskedAgainAfterAReconnect() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    yard.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 5}, yard.out);
    QCOMPARE(told(yard.out), std::string("cancel 1.1"));
    yard.leases.closed();
    yard.leases.cancel({.id = kOne, .onlyIfWaiting = true, .graceMs = 5}, yard.out);
    QCOMPARE(told(yard.out), std::string());
    yard.leases.greeted(hello("r1", {{.id = kOne, .stage = GuestStage::Begun}}), at(3s), yard.out);
    QCOMPARE(yard.out.cancels.size(), std::size_t{1});
    QVERIFY(!yard.out.cancels[0].onlyIfWaiting);
    yard.out = {};
    QVERIFY(yard.finished(kOne));
    yard.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 5}, yard.out);
    QCOMPARE(told(yard.out), std::string());
}

void TestLinkLeases::anEndOfWhatWasNeverGivenIsALie() {
    Yard yard;
    bool isNew = true;
    QVERIFY(!yard.leases.finished(kOne, isNew));
    QVERIFY(!isNew);
}

void TestLinkLeases::anEndThatIsToldAgainAfterAReconnectIsNoLie() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne));
    QVERIFY(yard.finished(kOne));
    yard.leases.fetched(kOne);
    yard.leases.greeted(hello("r1", {{.id = kOne, .stage = GuestStage::Ended}}), at(3s), yard.out);
    QCOMPARE(told(yard.out), std::string());
    yard.leases.committed(kOne, yard.out);
    QCOMPARE(told(yard.out), std::string("settle 1.1"));
    bool isNew = true;
    QVERIFY(yard.leases.finished(kOne, isNew));
    QVERIFY(!isNew);
}

void TestLinkLeases::handingBackWhatHasBegunIsALie() {
    Yard yard;
    QVERIFY(yard.leases.offer(kOne) && yard.leases.offer(kTwo));
    yard.leases.began(kTwo);
    QVERIFY(yard.leases.handedBack({kOne}, yard.out));
    QVERIFY(yard.leases.handedBack({kOne}, yard.out)); // once more: nobody counts it
    QCOMPARE(told(yard.out), std::string("returned 1.1"));
    QVERIFY(!yard.leases.handedBack({kTwo}, yard.out));
    QCOMPARE(yard.leases.count(), std::size_t{1});
}

void TestLinkLeases::aRestartedYardWaitsForTheLongerLeaseOfBefore() {
    YardLeases leases(5s);
    YardOut out;
    leases.restore("r1", {kOne, kTwo}, 60s, at(100s));
    QVERIFY(leases.lostAt() == at(170s));
    leases.greeted(hello("r1", {{.id = kOne, .stage = GuestStage::Begun}}), at(101s), out);
    QCOMPARE(told(out), std::string("returned 2.1"));
    QVERIFY(leases.lostAt() == at(170s));
    leases.renewed(at(160s));
    QVERIFY(leases.lostAt() == at(175s));
}

void TestLinkLeases::nothingBeginsAtTheEndOfTheLease() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.lease(kTwo, at(2s), guest.out));
    QVERIFY(guest.leases.until() == at(21s));
    QVERIFY(guest.leases.begin(kOne, at(20'999ms)));
    QVERIFY(!guest.leases.begin(kOne, at(20'999ms)));
    QVERIFY(!guest.leases.begin(kTwo, at(21s)));
}

void TestLinkLeases::theLeaseCountsFromWhenTheAnsweredFrameWasSent() {
    Guest guest;
    const auto first = guest.leases.renew(at(2s));
    const auto second = guest.leases.renew(at(3s));
    QVERIFY(first && second && *first != *second);
    guest.leases.renewed(*second);
    QVERIFY(guest.leases.until() == at(23s));
    guest.leases.renewed(*first); // older than what was answered
    QVERIFY(guest.leases.until() == at(23s));
}

void TestLinkLeases::anUnknownAnswerRenewsNothing() {
    Guest guest;
    guest.leases.renewed(77);
    QVERIFY(guest.leases.until() == at(21s));
    const auto renew = guest.leases.renew(at(10s));
    QVERIFY(renew.has_value());
    guest.leases.closed();
    guest.leases.renewed(*renew); // of a connection that is gone
    QVERIFY(guest.leases.until() == at(21s));
    QVERIFY(!guest.leases.renew(at(11s)));
}

void TestLinkLeases::theEndOfTheLeaseEndsWhatHasBegunAndDropsTheRest() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.lease(kTwo, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    guest.leases.tick(at(20'999ms), guest.out);
    QCOMPARE(told(guest.out), std::string());
    guest.leases.tick(at(21s), guest.out);
    QCOMPARE(told(guest.out), std::string("dropped 2.1 leaseEnd 1.1 close"));
    QVERIFY(!guest.leases.isUp());
    guest.leases.tick(at(22s), guest.out);
    QCOMPARE(told(guest.out), std::string());
    guest.leases.ended(kOne, guest.out);
    QCOMPARE(told(guest.out), std::string());
    const std::vector<Held> held = guest.leases.greet(at(30s));
    QVERIFY((held == std::vector<Held>{{.id = kOne, .stage = GuestStage::Ended}}));
}

void TestLinkLeases::theEndOfTheLeaseShortensAnEndWithALongGrace() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    guest.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 600'000}, guest.out);
    QCOMPARE(told(guest.out), std::string("end 1.1"));
    guest.leases.tick(at(21s), guest.out);
    QCOMPARE(guest.out.ends.size(), std::size_t{1});
    QVERIFY(guest.out.ends[0].graceMs < 8'000);
}

void TestLinkLeases::whatEndedWithoutALinkIsToldAfterTheWelcome() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    guest.leases.closed();
    guest.leases.ended(kOne, guest.out);
    QCOMPARE(told(guest.out), std::string());
    guest.leases.greet(at(5s));
    guest.leases.welcomed(welcome({kOne}), at(5s), guest.out);
    QCOMPARE(told(guest.out), std::string("finished 1.1"));
    guest.leases.settled({kOne}, guest.out);
    QCOMPARE(told(guest.out), std::string("dropped 1.1"));
    QCOMPARE(guest.leases.count(), std::size_t{0});
}

void TestLinkLeases::whatTheYardCountsAndIsNotHereIsHandedBack() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    guest.leases.greet(at(20s)); // names it
    guest.leases.tick(at(21s), guest.out);
    QCOMPARE(told(guest.out), std::string("dropped 1.1"));
    guest.leases.welcomed(welcome({kOne}), at(22s), guest.out);
    QCOMPARE(told(guest.out), std::string("back 1.1"));
    QVERIFY(guest.leases.until() == at(40s));
}

void TestLinkLeases::aWelcomeThatComesTooLateClosesTheLink() {
    Guest guest;
    guest.leases.closed();
    guest.leases.greet(at(30s));
    guest.leases.welcomed(welcome(), at(50s), guest.out);
    QVERIFY(guest.out.closeLink);
    QVERIFY(!guest.leases.isUp());
}

void TestLinkLeases::aShorterLeaseOfAWelcomeHoldsAtOnce() {
    GuestLeases leases;
    GuestOut out;
    leases.greet(at(1s));
    leases.welcomed(welcome({}, 600), at(1s), out);
    QVERIFY(leases.until() == at(601s));
    leases.greet(at(10s));
    leases.welcomed(welcome({}, 5), at(10s), out);
    QVERIFY(leases.until() == at(15s));
}

void TestLinkLeases::cancellingWhatWaitsHandsItBack() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    guest.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 0}, guest.out);
    QCOMPARE(told(guest.out), std::string("back 1.1 dropped 1.1"));
    QVERIFY(!guest.leases.begin(kOne, at(3s)));
    guest.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 0}, guest.out);
    QCOMPARE(told(guest.out), std::string());
}

void TestLinkLeases::takingBackLeavesWhatHasBegun() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    guest.leases.cancel({.id = kOne, .onlyIfWaiting = true, .graceMs = 0}, guest.out);
    QCOMPARE(told(guest.out), std::string());
    guest.leases.ended(kOne, guest.out);
    QCOMPARE(told(guest.out), std::string("finished 1.1"));
    guest.leases.cancel({.id = kOne, .onlyIfWaiting = false, .graceMs = 0}, guest.out);
    QCOMPARE(told(guest.out), std::string());
}

void TestLinkLeases::whatIsSettledWhileItLivesIsEndedAndForgotten() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    guest.leases.settled({kOne, kTwo}, guest.out);
    QCOMPARE(told(guest.out), std::string("end 1.1"));
    guest.leases.ended(kOne, guest.out);
    QCOMPARE(told(guest.out), std::string("dropped 1.1"));
    QCOMPARE(guest.leases.count(), std::size_t{0});
}

void TestLinkLeases::aSecondAttemptWaitsForTheEndOfTheFirst() {
    constexpr AttemptRef kAgain{.lsn = 1, .attempt = 2};
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kOne, at(2s)));
    QVERIFY(guest.leases.lease(kAgain, at(3s), guest.out));
    QVERIFY(!guest.leases.begin(kAgain, at(3s)));
    guest.leases.ended(kOne, guest.out);
    QVERIFY(guest.leases.begin(kAgain, at(4s)));
}

void TestLinkLeases::whoLeavesHandsBackWhatWaits() {
    Guest guest;
    QVERIFY(guest.leases.lease(kOne, at(2s), guest.out));
    QVERIFY(guest.leases.lease(kTwo, at(2s), guest.out));
    QVERIFY(guest.leases.begin(kTwo, at(2s)));
    guest.leases.handBackWaiting(guest.out);
    QCOMPARE(told(guest.out), std::string("back 1.1 dropped 1.1"));
    QCOMPARE(guest.leases.count(), std::size_t{1});
}

void TestLinkLeases::aLeaseWithoutALinkIsNotTaken() {
    GuestLeases leases;
    GuestOut out;
    QVERIFY(!leases.lease(kOne, at(1s), out));
    leases.greet(at(1s));
    QVERIFY(!leases.lease(kOne, at(1s), out));
    leases.welcomed(welcome(), at(1s), out);
    QVERIFY(leases.lease(kOne, at(1s), out));
    QVERIFY(!leases.lease(kOne, at(1s), out)); // twice the same
    QVERIFY(!leases.lease(kTwo, at(21s), out));
    QCOMPARE(told(out), std::string("dropped 1.1 close"));
}

QTEST_APPLESS_MAIN(TestLinkLeases)
#include "tst_leases.moc"
