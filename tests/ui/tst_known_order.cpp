// The order of the rows of the Actions table: where one is, what is joined to it, what came and went.
#include "ui/pages/actions/known_order.h"

#include <QTest>

using namespace yard::ui;

class TestKnownOrder : public QObject {
    Q_OBJECT

    using Lsns = std::vector<qint64>;

    static KnownOrder of(Lsns lsns) {
        KnownOrder order;
        order.set(std::move(lsns));
        return order;
    }

private slots:
    void aRowIsFoundInBothKindsOfOrder() {
        const KnownOrder newest = of({9, 7, 4});
        QCOMPARE(newest.rowOf(7, true, 0, 40), 1);
        QCOMPARE(newest.rowOf(8, true, 0, 40), -1);
        QCOMPARE(newest.rowOf(0, true, 0, 40), -1);
        const KnownOrder other = of({4, 9, 7});
        QCOMPARE(other.rowOf(4, false, 0, 0), 0);   // in view
        QCOMPARE(other.rowOf(7, false, 0, 0), 2);   // elsewhere
        QCOMPARE(other.rowOf(4, false, 90, 99), 0); // the view is behind the end
        QCOMPARE(other.rowOf(5, false, 0, 40), -1);
        QCOMPARE(KnownOrder().rowOf(4, true, 0, 40), -1);
        QCOMPARE(other.at(1), qint64{9});
        QCOMPARE(other.at(3), qint64{0});
        QCOMPARE(other.at(-1), qint64{0});
    }

    void rowsOfSomeComeByRow() {
        const KnownOrder order = of({4, 9, 7, 1});
        QCOMPARE(order.rowsOf({7, 4, 5}), (std::vector<int>{0, 2}));
        QVERIFY(order.rowsOf({}).empty());
    }

    void aLongerListMayBeginWithTheRows() {
        const KnownOrder order = of({9, 7});
        QVERIFY(order.isBeginningOf({9, 7, 4}));
        QVERIFY(order.isBeginningOf({9, 7}));
        QVERIFY(!order.isBeginningOf({9}));
        QVERIFY(!order.isBeginningOf({9, 8, 7}));
    }

    void aPageGoesBehindTheRows() {
        const KnownOrder order = of({9, 7});
        QCOMPARE(order.withPage({7, 4}, false), (Lsns{9, 7, 7, 4}));
        QCOMPARE(order.withPage({7, 4}, true), (Lsns{9, 7, 4}));
        QCOMPARE(KnownOrder().withPage({7, 4}, true), (Lsns{7, 4}));
    }

    void listsAreJoinedWhereTheRowsEnd() {
        const KnownOrder order = of({9, 7, 4});
        QCOMPARE(order.joinedAbove({12, 11, 9, 7}), (Lsns{12, 11, 9, 7, 4}));
        QCOMPARE(order.joinedAbove({}), (Lsns{9, 7, 4}));
        QCOMPARE(order.joinedBelow({9, 8, 4, 3, 1}), (Lsns{9, 7, 4, 3, 1}));
        QCOMPARE(order.joinedBelow({}), (Lsns{9, 7, 4}));
        QCOMPARE(KnownOrder().joinedAbove({3, 1}), (Lsns{3, 1}));
        QCOMPARE(KnownOrder().joinedBelow({3, 1}), (Lsns{3, 1}));
    }

    void whatCameAndWentIsNotShownUntilItIsTaken() {
        KnownOrder order = of({9, 7, 4});
        QVERIFY(order.come(11));
        QVERIFY(order.come(12));
        QVERIFY(order.come(12)); // told twice
        QVERIFY(!order.come(8)); // between the rows: it is of no use
        order.go(7, true);
        order.go(5, false); // not among the rows
        QCOMPARE(order.lsns(), (Lsns{9, 7, 4}));
        QCOMPARE(order.freshCount(), 2);
        QCOMPARE(order.changes(), 3);
        QVERIFY(order.isGone(7) && !order.isGone(5));
        QCOMPARE(order.withChanges(), (Lsns{12, 11, 9, 4}));
        order.forgetChanges();
        QCOMPARE(order.changes(), 0);
    }

    void whatWentBeforeItWasShownNeverWasThere() {
        KnownOrder order = of({9});
        order.come(10);
        order.go(10, false);
        QVERIFY(!order.hasFresh() && !order.hasGone());
        order.go(9, true);
        order.comeBack(9);
        QVERIFY(!order.hasGone());
    }

    void whatTheRowsHaveByNowIsFreshNoMore() {
        KnownOrder order = of({9});
        for (const qint64 lsn : {10, 11, 12, 13}) order.come(lsn);
        order.dropFreshUpTo(12);
        QCOMPARE(order.withChanges(), (Lsns{13, 9}));
    }

    void ofMoreThanAreKeptTheNewestStay() {
        KnownOrder order = of({1});
        const auto most = static_cast<qint64>(KnownOrder::kMostFresh);
        for (qint64 lsn = 2; lsn <= most; ++lsn) order.come(lsn);
        QVERIFY(!order.isOverfull());
        for (qint64 lsn = most + 1; lsn <= most + 5; ++lsn) order.come(lsn);
        QVERIFY(order.isOverfull());
        QCOMPARE(order.freshCount(), static_cast<int>(most));
        QCOMPARE(order.withChanges().front(), most + 5);
    }

    void placesAreCountedWithWhatCameAndWithoutWhatWent() {
        KnownOrder order = of({9, 7, 4});
        order.come(10);
        order.come(11);
        QCOMPARE(order.aboveOf(4, 2), qint64{4});
        order.go(9, true);
        QCOMPARE(order.aboveOf(4, 2), qint64{3});
        QCOMPARE(order.aboveOf(9, 0), qint64{2}); // it is not above itself
    }
};

QTEST_GUILESS_MAIN(TestKnownOrder)
#include "tst_known_order.moc"
