// All kinds: how many there may be, which one goes, what is written and when.
#include "core/kinds/kind_table.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::kinds;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kStart = 1'700'000'000 * kSecond;

void run(KindTable& table, const std::string& kind, int times = 1, WallMicros end = kStart) {
    Run one{.kind = kind, .version = "1", .machine = "here", .end = end};
    one.duration = 1.0;
    for (int i = 0; i < times; ++i) table.add(one);
}

std::string names(const std::vector<KindDocument>& documents) {
    std::string all;
    for (const KindDocument& document : documents)
        all += (all.empty() ? "" : " ") + std::string(document.body.empty() ? "-" : "+") + document.name;
    return all;
}

} // namespace

class TestKindTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsAreCountedByKind() {
        KindTable table;
        run(table, "a", 3);
        run(table, "b");
        QCOMPARE(table.size(), std::size_t{2});
        QVERIFY(table.find("a") && table.find("a")->total().runs == 3);
        QVERIFY(!table.find("c"));
    }
    void aKindWhoseNameChangesWithEveryRunPushesOutOnlyItsLike() {
        KindTable table(100);
        for (int i = 0; i < 50; ++i) run(table, "steady " + std::to_string(i), 25);
        for (int i = 0; i < 10'000; ++i) run(table, "job " + std::to_string(i));
        QCOMPARE(table.size(), std::size_t{100});
        QCOMPARE(table.dropped(), std::uint64_t{9'950});
        QCOMPARE(table.lastDropped(), std::string("job 9949"));
        for (int i = 0; i < 50; ++i) QVERIFY(table.find("steady " + std::to_string(i)));
    }
    void amongThoseThatCameBackTheOneLongestUnseenGoes() {
        KindTable table(3);
        for (const char* name : {"a", "b", "c"}) run(table, name, 25);
        run(table, "a");
        run(table, "d");
        QVERIFY(table.find("a") && table.find("c") && table.find("d"));
        QVERIFY(!table.find("b"));
    }
    void memoryIsBoundedAsWell() {
        KindTable table(1'000, 200'000);
        for (int i = 0; i < 1'000; ++i) run(table, std::to_string(i));
        QVERIFY2(table.size() < 300, qPrintable(QString::number(table.size())));
        QVERIFY(table.dropped() > 700);
    }
    void aKindIsWrittenAMinuteAfterItChanged() {
        KindTable table;
        run(table, "a");
        run(table, "b", 1, kStart + 30 * kSecond);
        run(table, "a", 1, kStart + 50 * kSecond);
        QCOMPARE(names(table.takeChanged(kStart + 59 * kSecond, 10)), std::string());
        QCOMPARE(names(table.takeChanged(kStart + 60 * kSecond, 10)), std::string("+a"));
        QCOMPARE(names(table.takeChanged(kStart + 60 * kSecond, 10, true)), std::string("+b"));
        QCOMPARE(names(table.takeChanged(kStart + 600 * kSecond, 10, true)), std::string());
    }
    void noMoreAreWrittenAtOnceThanAreAskedFor() {
        KindTable table;
        for (const char* name : {"a", "b", "c"}) run(table, name);
        QCOMPARE(names(table.takeChanged(kStart, 2, true)), std::string("+a +b"));
        QCOMPARE(names(table.takeChanged(kStart, 2, true)), std::string("+c"));
    }
    void aKindThatWentIsRemovedWhereItWasKept() {
        KindTable table(2);
        run(table, "a");
        (void)table.takeChanged(kStart, 10, true);
        run(table, "b");
        run(table, "c");
        run(table, "d");
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("-a +c +d"));
    }
    void aKindThatWentAndCameBackIsKept() {
        KindTable table(1);
        run(table, "a");
        (void)table.takeChanged(kStart, 10, true);
        run(table, "b");
        run(table, "a");
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("-a +a"));
    }
    void whatWasWrittenIsLoadedAndCountedOn() {
        KindTable table, again;
        run(table, "a", 25);
        for (const KindDocument& document : table.takeChanged(kStart, 10, true))
            QVERIFY(again.load(document.name, document.body).value_or(false));
        QCOMPARE(names(again.takeChanged(kStart, 10, true)), std::string());
        run(again, "a");
        QCOMPARE(again.find("a")->total().runs, std::uint64_t{26});
        QCOMPARE(names(again.takeChanged(kStart, 10, true)), std::string("+a"));
    }
    void whatIsDamagedIsNotLoaded() {
        KindTable table;
        QVERIFY(!table.load("a", "garbage"));
        QVERIFY(!table.load(std::string(1'000, 'x'), {}));
        QCOMPARE(table.size(), std::size_t{0});
    }
    void whatHasNoRoomIsNotLoaded() {
        KindTable table, small(1);
        run(table, "a");
        run(small, "b");
        const auto documents = table.takeChanged(kStart, 1, true);
        QCOMPARE(small.load("a", documents.front().body).value_or(true), false);
        QCOMPARE(small.size(), std::size_t{1});
    }
    void whatWasLoadedGoesInTheOrderItWasSeen() {
        KindTable table, again(2);
        run(table, "old", 1, kStart);
        run(table, "new", 1, kStart + kSecond);
        auto documents = table.takeChanged(kStart, 10, true);
        QCOMPARE(names(documents), std::string("+old +new"));
        std::ranges::reverse(documents);
        for (const KindDocument& document : documents)
            QVERIFY(again.load(document.name, document.body).value_or(false));
        again.sortBySeen();
        run(again, "another");
        QVERIFY(again.find("new") && !again.find("old"));
    }
    void whatCouldNotBeWrittenIsTakenAgainAMinuteLater() {
        KindTable table;
        run(table, "a");
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("+a"));
        QVERIFY(table.isSettled());
        table.putBack({"a"}, kStart + 10 * kSecond);
        QVERIFY(!table.isSettled());
        QCOMPARE(names(table.takeChanged(kStart + 69 * kSecond, 10)), std::string());
        QCOMPARE(names(table.takeChanged(kStart + 70 * kSecond, 10)), std::string("+a"));
    }
    void whatCouldNotBeRemovedIsRemovedLater() {
        KindTable table(1);
        run(table, "a");
        (void)table.takeChanged(kStart, 10, true);
        run(table, "b");
        QCOMPARE(names(table.takeChanged(kStart, 1, true)), std::string("-a"));
        table.putBack({"a"}, kStart);
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("-a +b"));
    }
    void whatCouldNotBeRemovedAndCameBackIsKept() {
        KindTable table(1);
        run(table, "a");
        (void)table.takeChanged(kStart, 10, true);
        run(table, "b");
        QCOMPARE(names(table.takeChanged(kStart, 1, true)), std::string("-a"));
        run(table, "a");
        table.putBack({"a"}, kStart);
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("+a"));
        // What the journal has of it goes with it.
        run(table, "b");
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("-a +b"));
    }
    void changesAreLookedForInSlices() {
        KindTable table;
        for (int kind = 0; kind < 3; ++kind)
            for (int i = 0; i < 200; ++i) {
                const std::string name = std::to_string(kind);
                Run one{.kind = name, .end = kStart + i * kSecond};
                one.duration = (i < 100 ? 1.0 : 2.0) + (i % 7) / 1e3;
                table.add(one);
            }
        QVERIFY(table.look(2));
        QVERIFY(!table.look(2));
        int changed = 0;
        table.each([&](const Kind& kind) { changed += kind.regression() ? 1 : 0; });
        QCOMPARE(changed, 3);
    }
    void aChangeThatIsFoundIsWritten() {
        KindTable table;
        for (int i = 0; i < 200; ++i) run(table, "a", 1, kStart + i * kSecond);
        Run slow{.kind = "a", .end = kStart + 300 * kSecond};
        slow.duration = 2.0;
        for (int i = 0; i < 100; ++i) table.add(slow);
        (void)table.takeChanged(kStart, 10, true);
        QVERIFY(!table.look(1));
        QCOMPARE(names(table.takeChanged(kStart, 10, true)), std::string("+a"));
    }
};

QTEST_APPLESS_MAIN(TestKindTable)
#include "tst_kind_table.moc"
