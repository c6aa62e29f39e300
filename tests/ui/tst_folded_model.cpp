// The rows of folded Actions over a link that is played: what is asked for again while actions change.
#include "tests/support/waiting.h"
#include "tests/ui/played_page.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/style/theme.h"

#include <QJsonArray>
#include <QTest>

#include <algorithm>

using namespace yard;
using namespace yard::ui;

class TestFoldedModel : public QObject {
    Q_OBJECT

    static constexpr int kSoon = kWaitMs;

    std::unique_ptr<Theme> theme_;

    /// Actions from `newest` down, posted alone. `cursor`: there are more.
    static QJsonObject page(qint64 newest, int count, bool more, qint64 total) {
        QJsonArray jobs;
        for (qint64 lsn = newest; lsn > newest - count; --lsn)
            jobs.append(QJsonObject{
                {"lsn", lsn}, {"queue_id", 0}, {"state", "running"}, {"timestamps", QJsonObject{{"new", 1}}}});
        QJsonObject json{{"jobs", jobs}, {"total", total}};
        if (more) json["cursor"] = QString::number(newest - count + 1);
        return json;
    }
    static void change(test::WaitingLink& link) {
        emit link.batch(QJsonObject{{"counts", QJsonObject{{"running", 1}}}});
    }

    /// A model with the rows 1000 down to 601, the first forty of which are in view.
    struct Scrolled {
        test::WaitingLink link;
        EngineState state{link};
        FoldedModel model{state};
        bool begin() {
            model.setActive(true);
            if (!link.answer("jobs", page(1'000, 200, true, 1'000))) return false;
            model.setVisible(160, 199);
            if (!link.answer("jobs", page(1'000, 200, true, 1'000))) return false;
            if (!link.answer("jobs", page(800, 200, true, 1'000))) return false;
            model.setVisible(0, 39);
            return model.rowCount() == 400 && link.waiting("jobs") == 0;
        }
    };

private slots:
    void initTestCase() { theme_ = std::make_unique<Theme>(nullptr); }

    void newestFirstNoMoreIsAskedForAgainThanIsInView() {
        Scrolled shown;
        QVERIFY(shown.begin());
        change(shown.link);
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(1'001, 200, true, 1'001)));
        QCOMPARE(shown.link.waiting("jobs"), std::size_t{0});
        QCOMPARE(shown.model.rowCount(), 401);
        QCOMPARE(shown.model.idAt(0), qint64{1'001});
        QCOMPARE(shown.model.idAt(200), qint64{801}); // pushed out of the first page
        QCOMPARE(shown.model.idAt(400), qint64{601});
        QCOMPARE(shown.model.total(), std::optional<qint64>(1'001));
        QVERIFY(!shown.model.rows().has_value());
    }

    void rowsOfBeforeAreAskedForWhenTheyComeIntoView() {
        Scrolled shown;
        QVERIFY(shown.begin());
        change(shown.link);
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(1'000, 200, true, 1'000)));
        shown.model.setVisible(200, 239); // nothing changes any more
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(1'000, 200, true, 1'000)));
        QVERIFY(shown.link.answer("jobs", page(800, 199, true, 999))); // one is no more
        QCOMPARE(shown.link.waiting("jobs"), std::size_t{0});
        QCOMPARE(shown.model.rowCount(), 400); // the last one is still that of before
        QCOMPARE(shown.model.idAt(399), qint64{601});
    }

    void whereMoreCameThanFitsInAPageNoneIsLeftOut() {
        Scrolled shown;
        QVERIFY(shown.begin());
        change(shown.link);
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(1'300, 200, true, 1'300)));
        QVERIFY(shown.link.answer("jobs", page(1'100, 200, true, 1'300)));
        QCOMPARE(shown.link.waiting("jobs"), std::size_t{0});
        QCOMPARE(shown.model.rowCount(), 700);
        for (int row = 0; row < 700; ++row) QCOMPARE(shown.model.idAt(row), qint64{1'300 - row});
    }

    void byAnotherFieldAllAreAskedForAgain() {
        Scrolled shown;
        QVERIFY(shown.begin());
        const auto& columns = shown.model.columns();
        const auto sorted = std::ranges::find_if(
            columns, [](const Column& column) { return !column.sort.isEmpty() && column.sort != "lsn"; });
        QVERIFY(sorted != columns.end());
        shown.model.sortBy(static_cast<int>(sorted - columns.begin()), Qt::AscendingOrder);
        for (int again = 0; again < 2; ++again) {
            QVERIFY(shown.link.answer("jobs", page(1'000, 200, true, 1'000)));
            QVERIFY(shown.link.answer("jobs", page(800, 200, true, 1'000)));
            QCOMPARE(shown.link.waiting("jobs"), std::size_t{0});
            QCOMPARE(shown.model.rowCount(), 400);
            if (again == 1) break;
            change(shown.link);
            QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        }
    }

    void anotherFilterIsSwappedInAtOnceAlthoughTheTableIsFrozen() {
        Scrolled shown;
        QVERIFY(shown.begin());
        QVERIFY(shown.model.isCurrent());
        shown.model.setFrozen(true);
        shown.model.setFilter("state:failed");
        QVERIFY(!shown.model.isCurrent());
        QCOMPARE(shown.model.rowCount(), 400); // until the others come
        QVERIFY(shown.link.answer("jobs", page(50, 3, false, 3)));
        QVERIFY(shown.model.isCurrent());
        QCOMPARE(shown.model.rowCount(), 3);
        QCOMPARE(shown.model.idAt(0), qint64{50});
        QCOMPARE(shown.model.waiting(), 0);
        QCOMPARE(shown.model.total(), std::optional<qint64>(3));
        // The same list again waits as before.
        shown.model.reload();
        QVERIFY(shown.link.answer("jobs", page(52, 5, false, 5)));
        QCOMPARE(shown.model.rowCount(), 3);
        QVERIFY(shown.model.waiting() > 0);
    }

    void anotherSortIsSwappedInAtOnceAlthoughTheTableIsFrozen() {
        Scrolled shown;
        QVERIFY(shown.begin());
        const auto& columns = shown.model.columns();
        const auto sorted = std::ranges::find(columns, QString("label"), &Column::sort);
        QVERIFY(sorted != columns.end());
        shown.model.setFrozen(true);
        shown.model.sortBy(static_cast<int>(sorted - columns.begin()), Qt::AscendingOrder);
        QVERIFY(!shown.model.isCurrent());
        QVERIFY(shown.link.answer("jobs", page(2'000, 200, true, 1'000)));
        QVERIFY(shown.link.answer("jobs", page(1'800, 200, true, 1'000)));
        QVERIFY(shown.model.isCurrent());
        QCOMPARE(shown.model.idAt(0), qint64{2'000});
        QCOMPARE(shown.model.waiting(), 0);
    }

    void rowsOfTheFilterBeforeAreNotJoinedToThoseOfTheNext() {
        Scrolled shown;
        QVERIFY(shown.begin());
        shown.model.setFilter("sate:failed");
        QVERIFY(shown.link.answer("jobs", Answer{400, {}, {}, "There is no field sate.", {}}));
        QVERIFY(!shown.model.isCurrent());
        QCOMPARE(shown.model.rowCount(), 400);
        change(shown.link);
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(900, 200, true, 1'000)));
        QCOMPARE(shown.model.rowCount(), 200);
    }

    void allOfAnotherFilterAreMeantOnceTheyAreShown() {
        test::PlayedContext played;
        FoldedList list(played.context());
        list.folded()->setActive(true);
        QVERIFY(played.link.answer("jobs", page(1'000, 10, false, 10)));
        QTest::keyClick(&list, Qt::Key_A, Qt::ControlModifier);
        QVERIFY(list.allSelected());
        QCOMPARE(list.target().count, std::optional<qint64>(10));
        list.folded()->setFilter("label:other");
        QVERIFY(list.target().isEmpty());
        QVERIFY(played.link.answer("jobs", page(50, 3, false, 3)));
        QCOMPARE(list.folded()->rowCount(), 3);
        QVERIFY(!list.allSelected());
        QVERIFY(list.selectedIds().empty());
        QTest::keyClick(&list, Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(list.target().filter, QString("label:other"));
        QCOMPARE(list.target().count, std::optional<qint64>(3));
    }

    void aListThatEndsIsWhole() {
        Scrolled shown;
        QVERIFY(shown.begin());
        change(shown.link);
        QTRY_COMPARE_WITH_TIMEOUT(shown.link.waiting("jobs"), std::size_t{1}, kSoon);
        QVERIFY(shown.link.answer("jobs", page(1'000, 30, false, 30)));
        QCOMPARE(shown.model.rowCount(), 30);
        QCOMPARE(shown.model.rows(), std::optional<qint64>(30));
    }

    void ofUnfoldedOnesThoseInViewAreAskedForAgain() {
        test::WaitingLink link;
        EngineState state(link);
        FoldedModel model(state);
        const auto withArrays = [] {
            QJsonObject json = page(1'000, 100, false, 1'100);
            QJsonArray jobs = json.value("jobs").toArray();
            for (const int at : {0, 99}) {
                QJsonObject job = jobs[at].toObject();
                job["fold"] = QJsonObject{{"first", at == 0 ? 991 : 1}, {"count", 10}, {"kind", "array"}};
                job["states"] = QJsonObject{{"completed", 10}};
                jobs[at] = job;
            }
            json["jobs"] = jobs;
            return json;
        };
        const QJsonObject none{{"jobs", QJsonArray()}};
        model.setActive(true);
        QVERIFY(link.answer("jobs", withArrays()));
        for (const qint64 first : {991, 1}) {
            model.unfold(first);
            QVERIFY(link.answer("jobs", none));
        }
        model.setVisible(0, 20);
        change(link);
        // The list, and what is below the first.
        QTRY_COMPARE_WITH_TIMEOUT(link.waiting("jobs"), std::size_t{2}, kSoon);
        QVERIFY(link.answer("jobs", withArrays()));
        QVERIFY(link.answer("jobs", none));
        model.setVisible(80, 101);
        QTRY_COMPARE_WITH_TIMEOUT(link.waiting("jobs"), std::size_t{2}, kSoon); // the other, now
    }
};

QTEST_MAIN(TestFoldedModel)
#include "tst_folded_model.moc"
