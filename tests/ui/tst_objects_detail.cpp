// One object in full on the page Objects, over a link that is played: what its panel says, and its fields.
#include "tests/ui/played_objects.h"
#include "ui/style/theme.h"

#include <QJsonObject>
#include <QLocale>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>

using namespace yard;
using namespace yard::ui;

namespace {

using Played = test::PlayedObjects;
using test::kSecond;
using test::object;
using test::rowsFrom;

QString factOf(const Facts* facts, const QString& name) {
    for (const Fact& fact : facts->facts())
        if (fact.name == name) return fact.value;
    return {};
}

} // namespace

class TestObjectsDetail : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-objects-detail");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void whoMovedItsNextLookIsToldWithWhatCameOfIt() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        const qint64 now = wallNow();
        const auto poke = [&](int ago, const char* why, const char* outcome, QJsonObject more) {
            QJsonObject json{{"t", now - ago * kSecond}, {"why", why}, {"outcome", outcome}};
            for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
            return json;
        };
        const QJsonArray pokes{poke(9, "child", "moved", {{"object", 12}, {"to", "sealed"}}),
                               poke(8, "action", "failed", {{"lsn", 812}}),
                               poke(7, "object", "ended", {{"object", 5}, {"to", "failed"}}),
                               poke(6, "person", "stayed", {}), poke(5, "later", "waits", {})};
        QVERIFY(on.tell("objects/2", object(2, "started", {{"pokes", pokes}})));
        Facts* shown = on.page.panel()->pokes();
        QStringList words, targets;
        for (const Fact& fact : shown->facts()) {
            words << fact.value;
            targets << fact.target;
        }
        QCOMPARE(words, QStringList({"later, not looked at yet", "Look now, stayed where it was",
                                     "woken by object 5, it ended before, as failed",
                                     "action 812 ended, the look failed", "child 12 ended, moved to sealed"}));
        QCOMPARE(targets, QStringList({"", "", "object:5", "action:812", "object:12"}));
        QVERIFY(shown->isVisible());
        emit shown->linkClicked("action:812");
        QCOMPARE(on.played.window.shown, std::vector<qint64>{812});
        on.page.takeUpdates();
        QVERIFY(on.tell("objects/2", object(2, "started")));
        QVERIFY(!shown->isVisible());
    }

    void theDetailHasHistoryChildrenAndTheWayToItsParent() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        const qint64 now = wallNow();
        const QJsonArray history{
            QJsonObject{{"t", now - 9 * kSecond}, {"from", ""}, {"to", "queued"}, {"tick_ms", 0}},
            QJsonObject{{"t", now}, {"from", "queued"}, {"to", "started"}, {"actor", "work"}, {"tick_ms", 1'200}}};
        QVERIFY(on.tell(
            "objects/2",
            object(2, "started",
                   {{"history", history}, {"parent", 77}, {"children", QJsonObject{{"queued", 3}, {"done", 9}}}})));
        const ObjectPanel* panel = on.page.panel();
        QVERIFY(panel->isVisible());
        QCOMPARE(factOf(panel->about(), "Status"), QString("started"));
        QCOMPARE(factOf(panel->about(), "Parent"), QString("77"));
        QCOMPARE(panel->history()->facts().front().value, QString::fromUtf8("queued → started, work in 1.2 s"));
        QCOMPARE(panel->history()->facts().back().value, QString("made, queued"));
        QCOMPARE(factOf(panel->children(), "queued"), QString("3"));
        emit panel->children()->linkClicked("children:2:queued");
        QCOMPARE(on.page.filter(), QString("parent:2 status:queued"));
        on.page.table()->clearSelection();
        on.page.open(77);
        QVERIFY(panel->isVisible());
        QVERIFY2(blockedWhy(on.command("move-to")).contains("not known"),
                 qPrintable(blockedWhy(on.command("move-to"))));
        QVERIFY(on.last().startsWith("GET objects/77"));
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl objects show 77"));
        QVERIFY(on.page.closeInnermost());
        QVERIFY(!panel->isVisible());
        QVERIFY(!on.page.closeInnermost());
    }

    void theDetailHasTheActionsOfAnObjectAndTheWayToThem() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "started")));
        const ObjectPanel* panel = on.page.panel();
        QVERIFY(!panel->actions()->isVisible());
        on.page.table()->selectId(3);
        const QJsonObject actions{
            {"pdf", QJsonObject{{"lsn", 812}, {"state", "completed"}, {"exit_code", 0}}},
            {"text", QJsonObject{{"lsn", 1'813}, {"state", "failed"}, {"reason", "exit_code"}, {"exit_code", 3}}},
            {"crash", QJsonObject{{"lsn", 700}, {"state", "failed"}, {"reason", "signal"}, {"signal", 11}}},
            {"wait", QJsonObject{{"lsn", 814}, {"state", "running"}, {"note", "page 2"}}}};
        QVERIFY(on.tell("objects/3", object(3, "started", {{"actions", actions}})));
        QVERIFY(panel->actions()->isVisible());
        QStringList shown;
        for (const Fact& fact : panel->actions()->facts()) shown << fact.name + ": " + fact.value;
        QCOMPARE(shown, QStringList({"text: 1813, Failed, exit code 3", "wait: 814, Running, page 2",
                                     "pdf: 812, Completed", "crash: 700, Failed, signal 11"}));
        emit panel->actions()->linkClicked(panel->actions()->facts().front().target);
        QCOMPARE(on.played.window.shown, std::vector<qint64>{1'813});
    }

    void anObjectThatHasGoneSaysSo() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.open(50);
        QVERIFY(on.played.link.answer("objects/50", Answer{404, {}, {}, "not_found", "There is no object 50."}));
        QVERIFY(on.page.panel()->isVisible());
        QVERIFY(on.page.panel()->about()->facts().empty());
        QVERIFY(!on.page.panel()->problem().isEmpty());
    }

    void theSameRefusalIsToldOfAnotherObjectToo() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        const Answer refusal{403, {}, {}, "forbidden", "That is not yours."};
        for (const qint64 id : {50, 51}) {
            on.page.open(id);
            QCOMPARE(on.page.panel()->problem(), QString());
            QVERIFY(on.played.link.answer(QString("objects/%1").arg(id), refusal));
            QCOMPARE(on.page.panel()->problem(), refusal.message);
        }
        for (const qint64 id : {2, 3}) {
            on.page.table()->selectId(id);
            QCOMPARE(on.page.panel()->problem(), QString());
            QVERIFY(on.played.link.answer(QString("objects/%1").arg(id), refusal));
            QCOMPARE(on.page.panel()->problem(), refusal.message);
        }
    }

    void aFieldIsSetInPlaceOfTheRevisionThatWasRead() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        ObjectFieldEdit* depth = on.page.panel()->fields()->edit("depth");
        QVERIFY(depth != nullptr);
        QCOMPARE(depth->edit()->text(), QString("2"));
        depth->edit()->selectAll();
        QTest::keyClicks(depth->edit(), "many");
        QTest::keyClick(depth->edit(), Qt::Key_Return);
        QVERIFY(depth->problem().contains("whole number"));
        depth->edit()->selectAll();
        QTest::keyClicks(depth->edit(), "7");
        // It changes while somebody writes: the revision that was read counts.
        on.page.takeUpdates();
        QVERIFY(on.tell("objects/2", object(2, "queued", {{"revision", 555}})));
        QCOMPARE(depth->edit()->text(), QString("7"));
        QTest::keyClick(depth->edit(), Qt::Key_Return);
        QCOMPARE(on.last(), QString(R"(PATCH objects/2 {"fields":{"depth":7}})"));
        QCOMPARE(on.newest().revision, 102);
        QVERIFY(on.played.link.curl(on.newest()).contains("-H 'If-Match: 102'"));
    }

    void whatWasChangedMeanwhileIsShownWithWhatWasWritten() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        ObjectFieldEdit* url = on.page.panel()->fields()->edit("url");
        url->edit()->selectAll();
        QTest::keyClicks(url->edit(), "https://mine");
        QTest::keyClick(url->edit(), Qt::Key_Return);
        QVERIFY(on.played.link.answer("objects/2", Answer{412, {}, {}, "wrong_state", "It was changed."}));
        QVERIFY(on.tell("objects/2", object(2, "queued", {{"fields", QJsonObject{{"url", "https://theirs"}}}})));
        QCOMPARE(url->edit()->text(), QString("https://theirs"));
        QVERIFY2(url->problem().contains("https://mine"), qPrintable(url->problem()));
    }

    void whatIsRefusedStaysWritten_data() {
        QTest::addColumn<int>("status");
        QTest::newRow("refused") << 422;
        QTest::newRow("no engine") << 0;
    }

    void whatIsRefusedStaysWritten() {
        QFETCH(int, status);
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        ObjectFieldEdit* url = on.page.panel()->fields()->edit("url");
        url->edit()->selectAll();
        QTest::keyClicks(url->edit(), "https://mine");
        QTest::keyClick(url->edit(), Qt::Key_Return);
        QVERIFY(on.played.link.answer("objects/2", Answer{status, {}, {}, "invalid", "It cannot be so."}));
        QVERIFY(on.tell("objects/2", object(2, "queued", {{"revision", 555}})));
        QCOMPARE(url->edit()->text(), QString("https://mine"));
        QCOMPARE(url->problem(), QString("It cannot be so."));
        // Written again it is of the revision that was read; taken back it is what the engine has.
        QTest::keyClick(url->edit(), Qt::Key_Return);
        QCOMPARE(on.newest().revision, 102);
        QVERIFY(on.played.link.answer("objects/2", Answer{status, {}, {}, "invalid", "It cannot be so."}));
        QTest::keyClick(url->edit(), Qt::Key_Escape);
        QCOMPARE(url->edit()->text(), QString("https://example.org"));
        QCOMPARE(url->problem(), QString());
    }

    void escapeTakesBackWhatIsWritten() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        ObjectFieldEdit* url = on.page.panel()->fields()->edit("url");
        const std::size_t before = on.played.link.asked.size();
        QTest::keyClicks(url->edit(), "xyz");
        QTest::keyClick(url->edit(), Qt::Key_Escape);
        QCOMPARE(url->edit()->text(), QString("https://example.org"));
        QTest::keyClick(url->edit(), Qt::Key_Return);
        QCOMPARE(on.played.link.asked.size(), before);
    }

    void whatIsWrittenIsAppliedOnceWhenThePanelIsClosed() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        ObjectFieldEdit* depth = on.page.panel()->fields()->edit("depth");
        depth->edit()->selectAll();
        QTest::keyClicks(depth->edit(), "7");
        QVERIFY(on.page.closeInnermost());
        QCOMPARE(on.last(), QString(R"(PATCH objects/2 {"fields":{"depth":7}})"));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const auto isChange = [](const auto& each) { return std::get<0>(each).method == "PATCH"; };
        QCOMPARE(std::ranges::count_if(on.played.link.asked, isChange), 1);
    }

    void fieldsThatGoApplyNothing() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "queued")));
        QLineEdit* depth = on.page.panel()->fields()->edit("depth")->edit();
        QTest::keyClicks(depth, "7");
        on.page.panel()->showNothing();
        emit depth->editingFinished();
        QCOMPARE(on.played.link.waiting("objects/0"), std::size_t{0});
    }

    void whatIsTooLongForALineIsNotChanged() {
        Played on;
        QVERIFY(on.begin(rowsFrom(3, 1, false)));
        on.page.table()->selectId(2);
        for (const auto& [length, isReadOnly] : {std::pair(64 * 1'024, false), std::pair(64 * 1'024 + 1, true)}) {
            on.page.takeUpdates();
            QVERIFY(on.tell("objects/2",
                            object(2, "queued", {{"fields", QJsonObject{{"url", QString(length, 'x')}}}})));
            const QLineEdit* url = on.page.panel()->fields()->edit("url")->edit();
            QCOMPARE(url->isReadOnly(), isReadOnly);
            QCOMPARE(!url->toolTip().isEmpty(), isReadOnly);
        }
    }

    void whatHasEndedKeepsItsFields() {
        Played on;
        QVERIFY(on.begin({{"objects", QJsonArray{object(2, "sealed")}}}));
        on.page.table()->selectId(2);
        QVERIFY(on.tell("objects/2", object(2, "sealed")));
        QVERIFY(on.page.panel()->fields()->edit("url")->edit()->isReadOnly());
    }
};

QTEST_MAIN(TestObjectsDetail)
#include "tst_objects_detail.moc"
