// Sums, paths and parts of a profile.
#include "tests/profile/sample.h"

#include "tests/support/show_strings.h"

#include <QTest>

using namespace yard;
using namespace yard::profile;

class TestProfile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasCalledCountsForItsCaller();
    void aPathLeadsFromTheThread();
    void aPartHasAFunctionAndTheWayToIt();
    void aPartOfNothingIsEmpty();
};

void TestProfile::whatWasCalledCountsForItsCaller() {
    const std::vector<Cost> costs = totals(test::sampleProfile());
    QCOMPARE(costs[0].wallNanos, std::uint64_t(15'000'000));
    QCOMPARE(costs[1].wallNanos, std::uint64_t(14'000'000));
    QCOMPARE(costs[2].wallNanos, std::uint64_t(12'000'000));
    QCOMPARE(costs[2].userMicros, std::uint64_t(6'000));
    QCOMPARE(costs[2].calls, std::uint64_t(5)); // its own
    QCOMPARE(costs[4].wallNanos, std::uint64_t(16'000'000));
}

void TestProfile::aPathLeadsFromTheThread() {
    QVERIFY(pathOf(test::sampleProfile(), 3) == (std::vector<std::uint32_t>{0, 1, 2, 3}));
    QVERIFY(pathOf(test::sampleProfile(), 4) == (std::vector<std::uint32_t>{4}));
}

void TestProfile::aPartHasAFunctionAndTheWayToIt() {
    const Profile part = within(test::sampleProfile(), "read");
    QCOMPARE(part.nodes.size(), std::size_t(4));
    QVERIFY(part.nodes[1].self == Cost{}); // serve is only the way
    QCOMPARE(part.nodes[2].self.wallNanos, std::uint64_t(4'000'000));
    QCOMPARE(part.nodes[3].self.wallNanos, std::uint64_t(8'000'000));
    QCOMPARE(part.slices.size(), std::size_t(1));
    QVERIFY(within(test::sampleProfile(), "") == test::sampleProfile());
    QCOMPARE(within(test::sampleProfile(), "janitor").nodes.size(), std::size_t(1));
}

void TestProfile::aPartOfNothingIsEmpty() {
    const Profile part = within(test::sampleProfile(), "nothing of this name");
    QVERIFY(part.nodes.empty() && part.slices.empty());
}

QTEST_GUILESS_MAIN(TestProfile)
#include "tst_profile.moc"
