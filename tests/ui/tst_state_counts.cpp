// How many actions are in each state under a filter, over a link that is played: what is asked, and what is shown
// meanwhile.
#include "tests/support/waiting.h"
#include "tests/ui/played_page.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/state/state_counts.h"
#include "ui/style/format.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace yard;
using namespace yard::ui;

class TestStateCounts : public QObject {
    Q_OBJECT

    /// What chips would say: "-" is not known, "+" a bound.
    static QString said(const StateCounts& counts, DisplayState face) {
        const auto count = counts.of(face);
        return count ? QString::number(count->count) + (count->isExact ? "" : "+") : QString("-");
    }
    static QJsonObject facets(const QJsonObject& states, bool isExact = true) {
        return {{"total", 0}, {"exact", isExact}, {"facets", QJsonObject{{"state", states}}}};
    }
    /// The oldest question to `path`, decoded; empty: there is none.
    static QString queryOf(const test::WaitingLink& link, const QString& path) {
        for (const auto& [request, context, done] : link.asked)
            if (request.path == path) return request.query.toString(QUrl::FullyDecoded);
        return {};
    }

private slots:
    void withoutAFilterTheCountersOfTheEngineTell() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        const QSignalSpy changed(&counts, &StateCounts::changed);
        emit played.link.batch(QJsonObject{{"counts", QJsonObject{{"completed", 7}}}});
        QCOMPARE(changed.size(), 1);
        QCOMPARE(said(counts, DisplayState::Completed), QString("7"));
        QCOMPARE(said(counts, DisplayState::Failed), QString("0"));
        QCOMPARE(played.link.waiting("jobs/facets"), std::size_t{0});
    }

    void whatIsHeldByItselfIsASegmentOfItsQueuesBar() {
        test::PlayedContext played;
        const QJsonObject queue{{"queue_id", 7}, {"state", "active"}, {"held", true},
                                {"active", 9},   {"pending", 9},      {"held_actions", 4}};
        emit played.link.batch(QJsonObject{{"queues", QJsonArray{queue}}});
        const QueueInfo* info = played.state.queue(7);
        QVERIFY(info != nullptr);
        QCOMPARE(info->of(DisplayState::Held), 4);
        QCOMPARE(info->of(DisplayState::Pending), 5);
        QCOMPARE(info->waiting(), 9);
        // In the counts of the session "held" is the number itself.
        emit played.link.batch(QJsonObject{{"counts", QJsonObject{{"pending", 9}, {"held", 4}}}});
        QCOMPARE(played.state.count(DisplayState::Held), 4);
        QCOMPARE(played.state.count(DisplayState::Pending), 5);
        const Row row = queueRow(Format(QLocale::c()), *info);
        const auto bar =
            std::ranges::find_if(row.cells, [](const Cell& cell) { return cell.tip.contains("waiting"); });
        QVERIFY(bar != row.cells.end());
        QVERIFY2(bar->tip.endsWith("9 waiting, 4 of them held by themselves"), qPrintable(bar->tip));
    }

    void underAFilterTheEngineIsAskedAndPendingIsWithoutHeldAndRetry() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("queue:7 -state:failed");
        QCOMPARE(said(counts, DisplayState::Completed), QString("-"));
        QCOMPARE(queryOf(played.link, "jobs/facets"), QString("by=state&own=1&q=queue:7 -state:failed"));
        QVERIFY(played.link.answer("jobs/facets", facets({{"pending", 12}, {"completed", 5}})));
        QCOMPARE(queryOf(played.link, "jobs"), QString("state=held&limit=1&count=1&q=queue:7 -state:failed"));
        QVERIFY(played.link.answer("jobs", QJsonObject{{"total", 3}}));
        QCOMPARE(queryOf(played.link, "jobs"), QString("state=retry&limit=1&count=1&q=queue:7 -state:failed"));
        QCOMPARE(said(counts, DisplayState::Completed), QString("-")); // all of them, or none
        QVERIFY(played.link.answer("jobs", QJsonObject{{"total", 2}}));
        QCOMPARE(said(counts, DisplayState::Pending), QString("7"));
        QCOMPARE(said(counts, DisplayState::Held), QString("3"));
        QCOMPARE(said(counts, DisplayState::Retry), QString("2"));
        QCOMPARE(said(counts, DisplayState::Completed), QString("5"));
        QCOMPARE(said(counts, DisplayState::Failed), QString("0"));
    }

    void whereNothingIsPendingOneQuestionIsEnough() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("queue:7");
        QVERIFY(played.link.answer("jobs/facets", facets({{"running", 2}})));
        QCOMPARE(played.link.waiting("jobs"), std::size_t{0});
        QCOMPARE(said(counts, DisplayState::Running), QString("2"));
        QCOMPARE(said(counts, DisplayState::Held), QString("0"));
    }

    void whatIsABoundSaysSo() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("night");
        QVERIFY(played.link.answer("jobs/facets", facets({{"completed", 900}}, false)));
        QVERIFY(played.link.answer("jobs", QJsonObject{{"total_at_least", 4}}));
        QVERIFY(played.link.answer("jobs", QJsonObject{{"total", 1}}));
        QCOMPARE(said(counts, DisplayState::Completed), QString("900+"));
        QCOMPARE(said(counts, DisplayState::Held), QString("4+"));
        QCOMPARE(said(counts, DisplayState::Retry), QString("1"));
        QCOMPARE(said(counts, DisplayState::Pending), QString("0+"));
    }

    void anAnswerForAnotherFilterIsDropped() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("queue:7");
        counts.setFilter("queue:8");
        QVERIFY(played.link.answer("jobs/facets", facets({{"failed", 7}})));
        QCOMPARE(said(counts, DisplayState::Failed), QString("-"));
        QVERIFY(played.link.answer("jobs/facets", facets({{"failed", 8}})));
        QCOMPARE(said(counts, DisplayState::Failed), QString("8"));
        counts.setFilter("");
        QCOMPARE(said(counts, DisplayState::Failed), QString("0"));
    }

    void nobodyLooksAndNothingIsAsked() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setFilter("queue:7");
        QCOMPARE(played.link.waiting("jobs/facets"), std::size_t{0});
        counts.setActive(true);
        QCOMPARE(played.link.waiting("jobs/facets"), std::size_t{1});
    }

    void whatChangedIsAskedForAgainAndShownMeanwhile() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("queue:7");
        QVERIFY(played.link.answer("jobs/facets", facets({{"failed", 7}})));
        emit played.link.batch(QJsonObject{{"counts", QJsonObject{{"failed", 9}}}});
        QTRY_COMPARE_WITH_TIMEOUT(played.link.waiting("jobs/facets"), std::size_t{1}, kWaitMs);
        QCOMPARE(said(counts, DisplayState::Failed), QString("7"));
        // The engine is away for a moment: once more, and what was known stays.
        QVERIFY(played.link.answer("jobs/facets", Answer{503, {}, {}, "busy", "It is busy."}));
        QTRY_COMPARE_WITH_TIMEOUT(played.link.waiting("jobs/facets"), std::size_t{1}, kWaitMs);
        QCOMPARE(said(counts, DisplayState::Failed), QString("7"));
    }

    void aFilterThatIsRefusedHasNoCounts() {
        test::PlayedContext played;
        StateCounts counts(played.state);
        counts.setActive(true);
        counts.setFilter("sate:failed");
        QVERIFY(played.link.answer("jobs/facets", Answer{400, {}, {}, "invalid", "No key sate."}));
        QCOMPARE(said(counts, DisplayState::Failed), QString("-"));
        QCOMPARE(played.link.waiting("jobs/facets"), std::size_t{0});
        counts.setFilter("state:failed");
        QCOMPARE(played.link.waiting("jobs/facets"), std::size_t{1});
    }
};

QTEST_MAIN(TestStateCounts)
#include "tst_state_counts.moc"
