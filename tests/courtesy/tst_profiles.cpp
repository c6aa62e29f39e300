// Profiles of courtesy: what they ask for under which conditions, and what of people's own is refused.
#include "core/courtesy/profile.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <fmt/format.h>
#include <initializer_list>
#include <utility>

using namespace yard;
using namespace yard::courtesy;

namespace {

Conditions given(std::initializer_list<std::pair<ConditionKind, double>> values) {
    Conditions all;
    for (const auto& [kind, value] : values) all.set({.kind = kind, .value = value, .source = "test"}, 1);
    return all;
}

AskedMeasures atFirst(const Profile& profile, const Conditions& now, int cores) {
    HeldTerms none;
    return decide(profile, now, cores, none);
}

/// "idle_priority fewer_cores:1 hold", with the condition to blame behind each.
std::string asked(std::string_view profile, const Conditions& now, int cores = 8) {
    std::string text;
    const AskedMeasures all = atFirst(*builtInProfile(profile), now, cores);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i]) continue;
        if (!text.empty()) text += ' ';
        text += name(static_cast<MeasureKind>(i));
        if (all[i]->cores > 0) text += fmt::format(":{}", all[i]->cores);
        text += fmt::format("({})", infoOf(all[i]->because).name);
    }
    return text;
}

} // namespace

class TestProfiles : public QObject {
    Q_OBJECT
    using enum ConditionKind;
private Q_SLOTS:
    void eachConditionHasANameOfItsOwn() {
        for (std::size_t i = 0; i < kConditionKinds; ++i) {
            const auto kind = static_cast<ConditionKind>(i);
            QCOMPARE(conditionFrom(infoOf(kind).name), std::optional(kind));
        }
        QVERIFY(!conditionFrom("mood"));
    }

    void offAsksForNothing() {
        QVERIFY(builtInProfile("off")->isOff());
        QCOMPARE(asked("off", given({{Active, 1}, {MemoryPressure, 99}, {Sleeping, 1}})), "");
    }

    void gentleLeavesACoreWhileAPersonIsActive() {
        QCOMPARE(asked("gentle", given({})), "");
        QCOMPARE(asked("gentle", given({{Active, 0}})), "");
        QCOMPARE(asked("gentle", given({{Active, 1}})), "idle_priority(active) fewer_cores:1(active)");
        // One core is always left for work.
        QCOMPARE(asked("gentle", given({{Active, 1}}), 1), "idle_priority(active)");
    }

    void gentleHoldsUnderMemoryPressureAndOnALowBattery() {
        QCOMPARE(asked("gentle", given({{MemoryPressure, 20}})), "");
        QCOMPARE(asked("gentle", given({{MemoryPressure, 20.5}})), "hold(memory_pressure)");
        QCOMPARE(asked("gentle", given({{OnBattery, 1}, {Battery, 29}})), "hold(on_battery)");
        QCOMPARE(asked("gentle", given({{OnBattery, 1}, {Battery, 30}})), "");
        QCOMPARE(asked("gentle", given({{OnBattery, 0}, {Battery, 5}})), "");
        QCOMPARE(asked("gentle", given({{OnBattery, 1}})), ""); // its charge is not known
    }

    void politeUsesHalfTheCoresAndStopsOnBatteryAndInHeat() {
        QCOMPARE(asked("polite", given({{Active, 1}})), "idle_priority(active) fewer_cores:4(active)");
        QCOMPARE(asked("polite", given({{Active, 1}}), 3), "idle_priority(active) fewer_cores:2(active)");
        QCOMPARE(asked("polite", given({{Active, 1}}), 1), "idle_priority(active)");
        QCOMPARE(asked("polite", given({{OnBattery, 1}})), "hold(on_battery) freeze(on_battery)");
        QCOMPARE(asked("polite", given({{Heat, 90}})), "");
        QCOMPARE(asked("polite", given({{Heat, 91}})), "hold(heat) freeze(heat)");
    }

    void heatCountsUntilTheMachineHasCooledDown() {
        const auto own = parseProfile("x", "heat > 80 -> hold; heat_left <= 10 & on_battery -> freeze");
        QVERIFY(own.has_value());
        HeldTerms held;
        const auto isAsked = [&](MeasureKind kind, const Conditions& now) {
            return decide(*own, now, 4, held)[static_cast<std::size_t>(kind)].has_value();
        };
        QVERIFY(!isAsked(MeasureKind::Hold, given({{Heat, 80}})));
        QVERIFY(isAsked(MeasureKind::Hold, given({{Heat, 81}})));
        QVERIFY(isAsked(MeasureKind::Hold, given({{Heat, 76}})));
        QVERIFY(!isAsked(MeasureKind::Hold, given({{Heat, 75}})));
        QVERIFY(!isAsked(MeasureKind::Hold, given({{Heat, 80}})));
        // The same from below; a switch in the same rule ends at once, and the comparison goes on meanwhile.
        QVERIFY(isAsked(MeasureKind::Freeze, given({{HeatLeft, 10}, {OnBattery, 1}})));
        QVERIFY(!isAsked(MeasureKind::Freeze, given({{HeatLeft, 15}, {OnBattery, 0}})));
        QVERIFY(isAsked(MeasureKind::Freeze, given({{HeatLeft, 15}, {OnBattery, 1}})));
        QVERIFY(!isAsked(MeasureKind::Freeze, given({{HeatLeft, 16}, {OnBattery, 1}})));
        // What is not known any more is forgotten.
        QVERIFY(isAsked(MeasureKind::Hold, given({{Heat, 81}})));
        QVERIFY(!isAsked(MeasureKind::Hold, given({})));
        QVERIFY(!isAsked(MeasureKind::Hold, given({{Heat, 79}})));
    }

    void notOfHeatWaitsForTheSame() {
        const auto own = parseProfile("x", "not heat >= 70 -> leave 1");
        QVERIFY(own.has_value());
        HeldTerms held;
        const auto leaves = [&](double heat) {
            return decide(*own, given({{Heat, heat}}), 4, held)[1].has_value();
        };
        QVERIFY(leaves(69));
        QVERIFY(!leaves(70));
        QVERIFY(!leaves(65));
        QVERIFY(leaves(64));
    }

    void otherNumbersEndWhereTheyBegan() {
        const auto own = parseProfile("x", "memory_pressure > 20 -> hold");
        QVERIFY(own.has_value());
        HeldTerms held;
        QVERIFY(decide(*own, given({{MemoryPressure, 21}}), 4, held)[2].has_value());
        QVERIFY(!decide(*own, given({{MemoryPressure, 20}}), 4, held)[2].has_value());
    }

    void nightWorksAtNightAndWhenNobodyIsThere() {
        QCOMPARE(asked("night", given({{Hour, 6.9}})), "");
        QCOMPARE(asked("night", given({{Hour, 22}})), "");
        QCOMPARE(asked("night", given({{Hour, 7}})), "hold(idle)"); // whether somebody is there is not known
        QCOMPARE(asked("night", given({{Hour, 21.9}, {IdleS, 599}})), "hold(idle)");
        QCOMPARE(asked("night", given({{Hour, 12}, {IdleS, 600}})), "");
        QCOMPARE(asked("night", given({{Hour, 23}, {Active, 1}, {IdleS, 0}})), "idle_priority(active)");
    }

    void everyProfileButOffFreezesBeforeTheMachineSleeps() {
        for (const std::string_view name : kProfileNames)
            if (name != "off")
                QCOMPARE(asked(name, given({{Sleeping, 1}, {Hour, 1}})), "hold(sleeping) freeze(sleeping)");
    }

    void whatStandsStillIsNotJoinedByWhatStarts() {
        const auto own = parseProfile("x", "locked -> hold; heat > 50 -> freeze");
        QVERIFY(own.has_value());
        const AskedMeasures both = atFirst(*own, given({{Locked, 1}, {Heat, 60}}), 4);
        QCOMPARE(both[2]->because, Locked); // its own reason stays
        QCOMPARE(both[3]->because, Heat);
        QCOMPARE(atFirst(*own, given({{Heat, 60}}), 4)[2]->because, Heat);
        QVERIFY(!atFirst(*own, given({{Locked, 1}}), 4)[3]);
    }

    void ownProfilesAreRead() {
        const auto all = parseProfiles("study: active -> leave 2; cpu_pressure >= 40 & lid_closed -> hold , "
                                       "idle_priority | calm:not hour<=6.5->share 25");
        QVERIFY(all.has_value());
        QCOMPARE(all->size(), 2u);
        QCOMPARE((*all)[0].name, "study");
        QCOMPARE((*all)[0].rules.size(), 2u);
        QCOMPARE((*all)[0].rules[1].terms.size(), 2u);
        QCOMPARE((*all)[0].rules[1].measures.size(), 2u);
        const AskedMeasures few = atFirst((*all)[1], given({{Hour, 12}}), 8);
        QCOMPARE(few[1]->cores, 6);
        QVERIFY(!atFirst((*all)[1], given({{Hour, 6}}), 8)[1]);
        QVERIFY(parseProfiles("")->empty());
    }

    void theLargerOfTwoMeasuresCounts() {
        const Profile profile = *parseProfile("x", "active -> leave 1; on_battery -> leave 3; locked -> leave 2");
        const AskedMeasures asked = atFirst(profile, given({{Active, 1}, {OnBattery, 1}, {Locked, 1}}), 8);
        QCOMPARE(asked[1]->cores, 3);
        QCOMPARE(asked[1]->because, OnBattery);
    }

    void whatCannotBeReadIsRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no name") << "active -> hold" << "give each profile as NAME: RULES";
        QTest::newRow("a name that is taken") << "gentle: active -> hold" << "with a name of its own";
        QTest::newRow("auto") << "auto: active -> hold" << "with a name of its own";
        QTest::newRow("capital letters") << "Mine: active -> hold" << "lower case letters";
        QTest::newRow("twice") << "a: active -> hold | a: active -> hold" << "two of that name";
        QTest::newRow("no arrow") << "a: active" << "'active' has no '->'";
        QTest::newRow("no condition") << "a: -> hold" << "'' is no condition";
        QTest::newRow("unknown condition") << "a: mood < 3 -> hold" << "'mood' is no condition";
        QTest::newRow("no number") << "a: heat > hot -> hold" << "'heat > hot' needs a number";
        QTest::newRow("infinite") << "a: heat > inf -> hold" << "needs a number";
        QTest::newRow("no measure") << "a: heat > 3 ->" << "'' is no measure";
        QTest::newRow("unknown measure") << "a: active -> kill" << "'kill' is no measure";
        QTest::newRow("leave nothing") << "a: active -> leave 0" << "'leave 0' is no measure";
        QTest::newRow("a share of all") << "a: active -> share 100" << "'share 100' is no measure";
    }
    void whatCannotBeReadIsRefused() {
        QFETCH(const QString, text);
        QFETCH(const QString, says);
        const auto read = parseProfiles(text.toStdString());
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().kind, ErrorKind::Invalid);
        QVERIFY2(QString::fromStdString(read.error().message).contains(says), read.error().message.c_str());
    }

    void profilesAreBounded() {
        std::string rules = "active -> hold";
        for (std::size_t i = 1; i < kMaxRules; ++i) rules += "; active -> hold";
        QVERIFY(parseProfile("a", rules).has_value());
        QVERIFY(!parseProfile("a", rules + "; active -> hold").has_value());
        QVERIFY(!parseProfile("a", std::string(kMaxProfileText + 1, ' ')).has_value());
        std::string many;
        for (int i = 0; i < 21; ++i) many += fmt::format("p{}: active -> hold|", i);
        QVERIFY(!parseProfiles(many).has_value());
    }
};

QTEST_APPLESS_MAIN(TestProfiles)
#include "tst_profiles.moc"
