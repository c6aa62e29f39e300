// Parts of the list of actions: its pages one after another, and what events tell of its rows.
#include "tests/ui/played_page.h"
#include "ui/pages/actions/action_events.h"
#include "ui/pages/actions/action_pages.h"

#include <QSignalSpy>
#include <QTest>

using namespace yard;
using namespace yard::ui;
using namespace yard::test;

namespace {

QJsonObject rowOf(qint64 lsn) {
    return {{"lsn", lsn}, {"state", "completed"}, {"timestamps", QJsonObject{{"new", 1}}}};
}
QJsonArray rowsOf(const std::vector<qint64>& lsns) {
    QJsonArray rows;
    for (const qint64 lsn : lsns) rows.append(rowOf(lsn));
    return rows;
}
QJsonObject pageOf(const std::vector<qint64>& lsns, const QString& cursor = {}) {
    QJsonObject page{{"jobs", rowsOf(lsns)}};
    if (!cursor.isEmpty()) page.insert("cursor", cursor);
    return page;
}
QJsonArray numbers(const std::vector<qint64>& lsns) {
    QJsonArray all;
    for (const qint64 lsn : lsns) all.append(lsn);
    return all;
}

/// Pages, and what came of them: "+9,8" is a first page, "9,8" another one, "!why" a refusal.
struct Pages {
    Pages() {
        QObject::connect(&pages, &ActionPages::came, [this](const std::vector<ActionRow>& rows, bool begins) {
            QStringList lsns;
            for (const ActionRow& row : rows) lsns << QString::number(row.lsn);
            heard << (begins ? "+" : "") + lsns.join(',');
        });
        QObject::connect(&pages, &ActionPages::failed, [this](const QString& why) { heard << '!' + why; });
    }
    QString query() const { return std::get<0>(link.asked.back()).query.toString(QUrl::FullyDecoded); }

    WaitingLink link;
    ActionPages pages{link};
    QStringList heard;
};

/// What events tell of the rows 9, 7 and 4.
struct Events {
    Events() {
        order.set({9, 7, 4});
        events.setActive(true);
    }
    void tell(const QJsonArray& changed) { emit state.actionsChanged(changed, false); }
    void tellGone(const std::vector<qint64>& lsns) { emit state.actionsGone(numbers(lsns)); }

    WaitingLink link;
    EngineState state{link};
    KnownOrder order;
    ActionsInView view{state, order};
    ActionEvents events{state, order, view};
    QSignalSpy rows{&events, &ActionEvents::rowChanged};
    QSignalSpy actions{&events, &ActionEvents::actionChanged};
    QSignalSpy coming{&events, &ActionEvents::coming};
};

} // namespace

class TestActionParts : public QObject {
    Q_OBJECT
private slots:
    // --- pages

    void theFirstPageIsAskedWithFilterAndSortTheNextOneWithItsPlace() {
        Pages list;
        list.pages.askFirst(" failed ", "-priority");
        QVERIFY(list.pages.isAsking());
        QCOMPARE(list.query(), QString("q=failed&sort=-priority&limit=200"));
        QVERIFY(list.link.answer("jobs", pageOf({9, 8}, "here")));
        QVERIFY(!list.pages.isAsking());
        QVERIFY(!list.pages.isAtEnd());
        list.pages.askNext();
        QCOMPARE(list.query(), QString("q=failed&sort=-priority&limit=200&cursor=here"));
        QVERIFY(list.link.answer("jobs", pageOf({7})));
        QVERIFY(list.pages.isAtEnd());
        QCOMPARE(list.heard, (QStringList{"+9,8", "7"}));
    }
    void onePageIsAskedForAtATime() {
        Pages list;
        list.pages.askFirst({}, {});
        list.pages.askNext();
        QCOMPARE(list.link.waiting("jobs"), std::size_t{1});
        QCOMPARE(list.query(), QString("limit=200"));
    }
    void whatWasAskedBeforeTheListBeganAgainIsNotTaken() {
        Pages list;
        list.pages.askFirst("failed", {});
        list.pages.askFirst("held", {});
        QVERIFY(list.link.answer("jobs", pageOf({9}, "old")));
        QVERIFY(list.heard.isEmpty());
        QVERIFY(list.pages.isAsking());
        QVERIFY(list.link.answer("jobs", pageOf({5})));
        QCOMPARE(list.heard, QStringList{"+5"});
    }
    void nothingComesOfWhatWasDropped() {
        Pages list;
        list.pages.askFirst({}, {});
        list.pages.drop();
        QVERIFY(!list.pages.isAsking());
        QVERIFY(list.link.answer("jobs", pageOf({9})));
        QVERIFY(list.heard.isEmpty());
    }
    void aRefusalIsToldAndThePageMayBeAskedForAgain() {
        Pages list;
        list.pages.askFirst({}, {});
        QVERIFY(list.link.answer("jobs", Answer{422, {}, {}, "filter", "No such field."}));
        QCOMPARE(list.heard, QStringList{"!No such field."});
        list.pages.askNext();
        QVERIFY(list.pages.isAsking());
    }

    // --- events

    void aRowThatIsHereIsKeptInPlace() {
        Events told;
        told.tell(rowsOf({7}));
        QCOMPARE(told.rows.size(), 1);
        QCOMPARE(told.rows.front().front().toInt(), 1);
        QCOMPARE(told.actions.size(), 1);
        QVERIFY(told.view.kept().find(7));
        QCOMPARE(told.coming.size(), 0);
    }
    void aNewerOneIsToComeAndAnOlderOneIsNone() {
        Events told;
        told.tell(rowsOf({11, 8}));
        QCOMPARE(told.rows.size(), 0);
        QCOMPARE(told.order.freshCount(), 1);
        QCOMPARE(told.actions.size(), 1);
        QCOMPARE(told.coming.size(), 1);
        QVERIFY(!told.view.kept().find(8));
    }
    void inAnotherOrderNothingComesByItself() {
        Events told;
        told.view.setList({}, false);
        told.tell(rowsOf({11, 7}));
        QCOMPARE(told.order.freshCount(), 0);
        QCOMPARE(told.rows.size(), 1);
    }
    void anEndThatIsToldForNoticesIsNoRow() {
        Events told;
        told.tell({QJsonObject{{"lsn", 11}, {"state", "failed"}}});
        QCOMPARE(told.actions.size(), 0);
    }
    void whatIsGoneIsToGoAndMayComeBack() {
        Events told;
        told.tellGone({7});
        QVERIFY(told.order.isGone(7));
        QCOMPARE(told.coming.size(), 1);
        told.tell(rowsOf({7}));
        QVERIFY(!told.order.isGone(7));
    }
    void whatIsGoneAndNotHereChangesNothing() {
        Events told;
        told.tellGone({5});
        QVERIFY(!told.order.hasGone());
        QCOMPARE(told.coming.size(), 0);
    }
    void nothingIsTakenWhileNobodyLooks() {
        Events told;
        told.events.setActive(false);
        told.tell(rowsOf({11, 7}));
        told.tellGone({4});
        QCOMPARE(told.actions.size(), 0);
        QVERIFY(!told.order.hasFresh() && !told.order.hasGone());
    }
};

QTEST_MAIN(TestActionParts)
#include "tst_action_parts.moc"
