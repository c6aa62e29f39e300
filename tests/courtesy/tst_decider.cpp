// The pace of courtesy, by a clock that is moved by hand: back at once, forth a minute after the last input.
#include "core/courtesy/decider.h"
#include "core/courtesy/freezer.h"
#include "core/courtesy/person.h"
#include "tests/support/show_strings.h"

#include <QtTest>

using namespace yard;
using namespace yard::courtesy;
using namespace std::chrono_literals;

class TestDecider : public QObject {
    Q_OBJECT
    using enum ConditionKind;

    MonoTime now_{};
    Person person_;
    Conditions conditions_;
    Decider decider_;

    void say(ConditionKind kind, double value) {
        conditions_.set({.kind = kind, .value = value, .source = "test"}, wall());
    }
    WallMicros wall() const { return now_.time_since_epoch().count(); }
    void input(bool comes, Duration idle = {}) {
        person_.note(InputReading{.comesNow = comes, .idle = idle, .source = "test"}, now_);
    }
    bool look() {
        if (const auto active = person_.isActive(now_)) say(Active, *active ? 1 : 0);
        return decider_.look(conditions_, 8, now_, wall());
    }
    bool lookAfter(Duration time) {
        now_ += time;
        return look();
    }

private Q_SLOTS:
    void init() {
        now_ = MonoTime(1'000'000s);
        person_ = {};
        conditions_ = {};
        decider_ = {};
        decider_.setProfile(*builtInProfile("gentle"));
        (void)look();
    }

    void theFirstStepBackIsAtOnce() {
        input(true);
        QVERIFY(look());
        QVERIFY(decider_.is(MeasureKind::IdlePriority));
        QCOMPARE(decider_.inForce()[1]->cores, 1);
        QCOMPARE(decider_.inForce()[1]->since, wall());
        QVERIFY(!decider_.is(MeasureKind::Hold));
        QVERIFY(!look());
    }

    void workReturnsAMinuteAfterTheLastInput() {
        input(true);
        QVERIFY(look());
        now_ += 10s;
        input(false, 2s);
        QCOMPARE(person_.leavesAt(), std::optional(now_ + 58s));
        QVERIFY(!lookAfter(57s));
        QVERIFY(lookAfter(1s));
        QVERIFY(!decider_.is(MeasureKind::IdlePriority));
        QVERIFY(!decider_.is(MeasureKind::FewerCores));
    }

    void whoFlipsEachSecondIsNotFollowed() {
        input(true);
        QVERIFY(look());
        for (int i = 0; i < 100; ++i) {
            now_ += 1s;
            input(i % 2 == 1, 1s);
            QVERIFY(!look());
        }
        QCOMPARE(decider_.changes().size(), 2u); // priority and cores, once
    }

    void sleepAndWakingWaitForNothing() {
        input(true);
        QVERIFY(look());
        say(Sleeping, 1);
        QVERIFY(lookAfter(1s));
        QVERIFY(decider_.is(MeasureKind::Freeze));
        say(Sleeping, 0);
        QVERIFY(lookAfter(1s));
        QVERIFY(!decider_.is(MeasureKind::Freeze));
        QVERIFY(decider_.is(MeasureKind::IdlePriority));
    }

    void aMachineThatCoolsAndHeatsIsNotFollowed() {
        decider_.setProfile(*builtInProfile("polite"));
        say(Heat, 91);
        QVERIFY(look());
        QVERIFY(decider_.is(MeasureKind::Freeze));
        for (const double heat : {89.0, 91.0, 86.0, 90.0}) {
            say(Heat, heat);
            QVERIFY(!lookAfter(10s));
        }
        say(Heat, 85);
        QVERIFY(lookAfter(10s));
        QVERIFY(!decider_.is(MeasureKind::Freeze));
        // Another profile begins without what held under the one before.
        say(Heat, 91);
        QVERIFY(lookAfter(10s));
        say(Heat, 88);
        decider_.setProfile(*builtInProfile("polite"));
        QVERIFY(look());
        QVERIFY(!decider_.is(MeasureKind::Freeze));
    }

    void theNewestStandStillFirstAndHalfOfThemAtATime() {
        using Extent = Freezer::Extent;
        const std::vector<Freezable> all{{1, 1}, {2, 1}, {3, 2}, {4, 1}, {5, 1}};
        Freezer freezer;
        QVERIFY(freezer.look(Extent::Nothing, all, now_).isEmpty());
        QVERIFY(!freezer.due());
        const std::vector<Freezable> first{{5, 1}, {4, 1}, {3, 2}};
        QCOMPARE(freezer.look(Extent::Newest, all, now_).stop, first);
        QCOMPARE(freezer.due(), std::optional(now_ + 5s));
        QVERIFY(freezer.look(Extent::Newest, all, now_ + 4s).isEmpty());
        QCOMPARE(freezer.look(Extent::Newest, all, now_ + 5s).stop, (std::vector<Freezable>{{2, 1}}));
        QCOMPARE(freezer.look(Extent::Newest, all, now_ + 10s).stop, (std::vector<Freezable>{{1, 1}}));
        QVERIFY(!freezer.due());
        const auto over = freezer.look(Extent::Nothing, {}, now_ + 11s);
        QVERIFY(over.stop.empty());
        QCOMPARE(over.goOn, all);
        // The next time begins with a step at once.
        QCOMPARE(freezer.look(Extent::Newest, all, now_ + 12s).stop, first);
    }

    void beforeSleepAllStandStillAtOnce() {
        using Extent = Freezer::Extent;
        const std::vector<Freezable> all{{1, 1}, {2, 1}, {3, 1}, {4, 1}};
        Freezer freezer;
        QCOMPARE(freezer.look(Extent::Newest, all, now_).stop, (std::vector<Freezable>{{4, 1}, {3, 1}}));
        QCOMPARE(freezer.look(Extent::All, all, now_ + 1s).stop, (std::vector<Freezable>{{2, 1}, {1, 1}}));
        // One has ended, one may not stand still any more, one began late.
        const std::vector<Freezable> later{{1, 1}, {2, 1}, {7, 1}};
        const auto steps = freezer.look(Extent::All, later, now_ + 2s);
        QCOMPARE(steps.stop, (std::vector<Freezable>{{7, 1}}));
        QCOMPARE(steps.goOn, (std::vector<Freezable>{{3, 1}, {4, 1}}));
    }

    void aStepBackIsAtOnceAgainAfterWorkReturned() {
        input(true);
        QVERIFY(look());
        input(false);
        QVERIFY(lookAfter(60s));
        now_ += 1s;
        input(true);
        QVERIFY(look());
    }

    void furtherChangesComeEveryFiveSeconds() {
        input(true);
        QVERIFY(look());
        say(MemoryPressure, 50);
        QVERIFY(!lookAfter(1s));
        QCOMPARE(decider_.due(), std::optional(now_ + 4s));
        QVERIFY(!lookAfter(3'900ms));
        QVERIFY(lookAfter(100ms));
        QVERIFY(decider_.is(MeasureKind::Hold));
        QVERIFY(!decider_.due());
        say(MemoryPressure, 0);
        QVERIFY(!lookAfter(1s));
        say(MemoryPressure, 50);
        QVERIFY(!lookAfter(1s)); // nothing is left to change
        QVERIFY(!decider_.due());
    }

    void anotherProfileCountsAtOnce() {
        input(true);
        QVERIFY(look());
        decider_.setProfile(*builtInProfile("off"));
        QVERIFY(look());
        QVERIFY(!decider_.is(MeasureKind::IdlePriority));
        decider_.setProfile(*builtInProfile("polite"));
        QVERIFY(look());
        QCOMPARE(decider_.inForce()[1]->cores, 4);
    }

    void changesSayWhatAndWhy() {
        say(MemoryPressure, 50);
        QVERIFY(look());
        say(MemoryPressure, 0);
        QVERIFY(lookAfter(5s));
        QCOMPARE(decider_.changes().size(), 2u);
        QCOMPARE(decider_.changes()[0].measure, MeasureKind::Hold);
        QVERIFY(decider_.changes()[0].isInForce);
        QCOMPARE(decider_.changes()[0].because, MemoryPressure);
        QCOMPARE(decider_.changes()[0].profile, "gentle");
        QVERIFY(!decider_.changes()[1].isInForce);
        QCOMPARE(decider_.changes()[1].because, MemoryPressure);
        QCOMPARE(decider_.changes()[1].t, wall());
    }

    void theLastHundredChangesAreKept() {
        for (int i = 0; i < 120; ++i) {
            say(MemoryPressure, i % 2 == 0 ? 50 : 0);
            QVERIFY(lookAfter(5s));
        }
        QCOMPARE(decider_.changes().size(), kMaxChanges);
        QCOMPARE(decider_.changes().back().t, wall());
    }

    void whatIsUnknownIsNotActive() {
        QVERIFY(!person_.isActive(now_));
        input(true);
        QCOMPARE(person_.isActive(now_), std::optional(true));
        person_.note({}, now_); // the bus is gone
        QVERIFY(!person_.isActive(now_));
        QVERIFY(!person_.idle(now_));
    }

    void inputIsRememberedWhateverASourceSaysLater() {
        input(false, 5s);
        now_ += 1s;
        input(false, 3'000s); // another source knows of less
        QCOMPARE(person_.idle(now_), std::optional(Duration(6s)));
        input(false, -5s);
        QCOMPARE(person_.idle(now_), std::optional(Duration(0s)));
    }

    void aSwitchIsSinceItsLastChangeAndANumberSinceItIsKnown() {
        say(OnBattery, 0);
        say(Heat, 40);
        now_ += 1s;
        say(OnBattery, 0);
        say(Heat, 50);
        QCOMPARE(conditions_.find(OnBattery)->since, wall() - 1'000'000);
        QCOMPARE(conditions_.find(Heat)->since, wall() - 1'000'000);
        say(OnBattery, 1);
        QCOMPARE(conditions_.find(OnBattery)->since, wall());
        conditions_.forgetAllBut({Heat});
        QVERIFY(!conditions_.find(OnBattery));
        QCOMPARE(conditions_.find(Heat)->value, 50.0);
    }
};

QTEST_APPLESS_MAIN(TestDecider)
#include "tst_decider.moc"
