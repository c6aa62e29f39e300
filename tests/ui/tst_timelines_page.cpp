// The timelines page over a link that is played: what it does with answers that come late.
#include "tests/ui/played_page.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/style/theme.h"

#include <QJsonObject>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;
using namespace yard::ui::timeline;

class TestTimelinesPage : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    static constexpr WallMicros kNoon = 1'800'000'000'000'000;

    /// It ran ten seconds.
    static QJsonObject job(qint64 lsn, WallMicros at) {
        const QJsonObject times{{"new", qint64{at}},
                                {"submitting", qint64{at}},
                                {"running", qint64{at}},
                                {"exited", qint64{at + 10 * kSecond}},
                                {"completed", qint64{at + 10 * kSecond}}};
        return {{"lsn", lsn}, {"queue_id", 0}, {"state", "completed"}, {"timestamps", times}};
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-timelines-page");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void ofTwoThatAreOpenedTheSecondWins() {
        test::PlayedContext played;
        TimelinesPage page(played.context());
        page.open(1, {});
        page.open(2, {});
        QVERIFY(played.link.answer("jobs/2", job(2, kNoon)));
        QVERIFY(page.view()->range().contains(kNoon));
        QVERIFY(played.link.answer("jobs/1", job(1, kNoon - 5 * kHour)));
        QVERIFY(page.view()->range().contains(kNoon));
        QVERIFY(!page.view()->range().contains(kNoon - 5 * kHour));
    }

    void lettersTypedOverTheBarsGoOnInTheFilter() {
        test::PlayedContext played;
        TimelinesPage page(played.context());
        page.setFilter("ab");
        emit page.view()->typed("c");
        QCOMPARE(page.filter(), QString("abc"));
    }

    void aSpanOfThePastIsGoneTo() {
        test::PlayedContext played;
        TimelinesPage page(played.context());
        const WallMicros from = wallNow() - 50 * kHour;
        page.setFilter(QString("span:%1..%2 cook").arg(from).arg(from + 2 * kHour));
        QCOMPARE(page.filter(), QString("cook"));
        QVERIFY(page.view()->range().contains(from + kHour));
        QVERIFY(!page.view()->range().contains(from + 10 * kHour));
        QVERIFY(!page.view()->isFollowing());
        // One that ends before it begins is none.
        page.setFilter(QString("span:%1..%2").arg(from + 20 * kHour).arg(from + 10 * kHour));
        QVERIFY(page.view()->range().contains(from + kHour));
    }

    void whatBecameOfTheFirstIsNotSaid() {
        test::PlayedContext played;
        TimelinesPage page(played.context());
        page.open(1, {});
        page.open(2, {});
        QVERIFY(played.link.answer("jobs/1", Answer{404, {}, {}, "not_found", "There is no action 1."}));
        QVERIFY(!played.window.said.contains("There is no action 1."));
        QVERIFY(played.link.answer("jobs/2", Answer{404, {}, {}, "not_found", "There is no action 2."}));
        QVERIFY(played.window.said.contains("There is no action 2."));
    }
};

QTEST_MAIN(TestTimelinesPage)
#include "tst_timelines_page.moc"
