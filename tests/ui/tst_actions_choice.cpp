// What the commands of the page Actions act on, why they cannot be given, how its head names that, and what its detail
// says in facts, over a link that is played.
#include "tests/ui/own_settings.h"
#include "tests/ui/played_page.h"
#include "ui/pages/actions/actions_choice.h"
#include "ui/pages/actions/actions_commands.h"
#include "ui/pages/actions/actions_head.h"
#include "ui/pages/actions/actions_lists.h"
#include "ui/pages/actions/detail_facts.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/table.h"

#include <QAction>
#include <QTest>

#include <algorithm>
#include <optional>

using namespace yard;
using namespace yard::ui;

namespace {

/// The parts of the page that a choice stands on.
struct Parts {
    test::PlayedContext played;
    QWidget page;
    ActionsLists lists{played.context(), &page};
    DetailPanel panel{played.context(), &page};
    ActionsChoice choice{page, lists, panel};

    Parts() { page.show(); }

    /// Rows 3, 2 and 1, of which the first is held.
    void haveRows() {
        lists.setActive(true);
        lists.setFilter("queue:7");
        QJsonArray rows;
        for (qint64 lsn = 3; lsn > 0; --lsn)
            rows.append(QJsonObject{{"lsn", lsn}, {"state", "pending"}, {"queue_id", 7}, {"held", lsn == 3}});
        int answers = 0;
        while (played.link.answer("jobs", QJsonObject{{"jobs", rows}}))
            if (++answers > 20) qFatal("the list asks without an end");
    }
};

std::optional<Fact> factOf(const std::vector<Fact>& facts, const QString& name) {
    const auto found = std::ranges::find(facts, name, &Fact::name);
    return found == facts.end() ? std::nullopt : std::optional(*found);
}

} // namespace

class TestActionsChoice : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        test::useOwnSettings("actions-choice");
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void whereNothingIsSelectedNothingIsChosen() {
        Parts parts;
        QVERIFY(parts.choice.target().isEmpty());
        QCOMPARE(parts.choice.single(), 0);
        QVERIFY(!parts.choice.isMany());
        QVERIFY(!parts.choice.isHeld());
        QVERIFY(parts.choice.standing().empty());
        QVERIFY(parts.choice.row(1) == nullptr);
    }

    void whatIsSelectedIsChosen() {
        Parts parts;
        parts.haveRows();
        QCOMPARE(parts.lists.model()->rowCount(), 3);
        parts.lists.table()->selectId(3);
        QCOMPARE(parts.choice.target().lsns, std::vector<qint64>{3});
        QCOMPARE(parts.choice.single(), 3);
        QVERIFY(parts.choice.isHeld());
        QVERIFY(parts.choice.row(3) != nullptr && parts.choice.row(3)->held);
        parts.lists.table()->selectId(2);
        QVERIFY(!parts.choice.isHeld());
    }

    void thePanelIsMeantOnlyWhereTheHandIsInItAndNothingIsSelected() {
        Parts parts;
        parts.haveRows();
        parts.panel.showAction(9);
        QVERIFY(!parts.choice.isPanelMeant());
        QVERIFY(parts.choice.setInPanel(true));
        QVERIFY(!parts.choice.setInPanel(true)); // nothing new
        QVERIFY(parts.choice.isPanelMeant());
        QCOMPARE(parts.choice.target().lsns, std::vector<qint64>{9});
        parts.lists.table()->selectId(2);
        QVERIFY(!parts.choice.isPanelMeant());
        QCOMPARE(parts.choice.single(), 2);
    }

    void whatALinkOpenedBesideTheListIsMeantUntilItIsClosed() {
        Parts parts;
        parts.panel.showAction(9);
        parts.choice.setWanted(9);
        QCOMPARE(parts.choice.single(), 9);
        const ManyChange asked = parts.choice.asSeen(cancellingOf(parts.choice.target()));
        QVERIFY2(asked.lost.contains("9 is not selected in the list"), qPrintable(asked.lost));
        parts.panel.hide();
        QVERIFY(!parts.choice.isPanelMeant());
        QVERIFY(parts.choice.target().isEmpty());
    }

    void whatCannotBeDoneToWhatIsChosenSaysWhy() {
        Parts parts;
        parts.haveRows();
        auto* commands =
            new ActionsCommands(parts.played.context(), parts.page, parts.choice, parts.lists, parts.panel);
        const auto why = [&](const char* id) {
            commands->review();
            return blockedWhy(commands->action(id));
        };
        QCOMPARE(why("cancel"), QString("Select an action first"));
        QCOMPARE(why("log"), QString("Select one action"));
        QCOMPARE(commands->whyNothing(), QString("Select an action first"));
        QCOMPARE(commands->yardctlOf(commands->action("cancel")), QString());
        parts.lists.table()->selectId(2);
        QCOMPARE(why("cancel"), QString());
        QCOMPARE(why("log"), QString());
        QCOMPARE(why("retire"), QString("Only what has ended can be retired"));
        QVERIFY(why("reschedule").startsWith("Only what failed or was abandoned runs again"));
        QCOMPARE(why("again-failed"), QString("Fold arrays first"));
        QCOMPARE(commands->whyNothing(), QString());
        QVERIFY(commands->yardctlOf(commands->action("cancel")).contains("2"));
        QCOMPARE(commands->yardctlOf(commands->action("log")), QString("yardctl logs 2"));
        QCOMPARE(static_cast<std::size_t>(commands->all().size()), ActionsCommands::declared().size());
    }

    void whatIsOpenedIsForThePage() {
        Parts parts;
        parts.haveRows();
        auto* commands =
            new ActionsCommands(parts.played.context(), parts.page, parts.choice, parts.lists, parts.panel);
        QStringList wanted;
        connect(commands, &ActionsCommands::openWanted, this, [&](qint64 lsn, const QString& tab, bool enters) {
            wanted << QString::number(lsn) + ' ' + tab + (enters ? " enters" : "");
        });
        commands->action("log")->trigger(); // nothing is chosen
        parts.lists.table()->selectId(2);
        commands->review();
        commands->action("log")->trigger();
        commands->action("compare")->trigger();
        QCOMPARE(wanted, QStringList({"2 output enters", "2 history"}));
    }

    void theButtonsOfTheHeadNameWhatTheyActOn_data() {
        QTest::addColumn<int>("lsns");
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("button");
        QTest::newRow("nothing") << 0 << "" << "Cancel";
        QTest::newRow("one") << 1 << "" << "Cancel 1";
        QTest::newRow("several") << 3 << "" << "Cancel 3 action(s)";
        QTest::newRow("all, not counted") << 0 << "state:failed" << "Cancel all that match";
    }
    void theButtonsOfTheHeadNameWhatTheyActOn() {
        QFETCH(int, lsns);
        QFETCH(QString, filter);
        QFETCH(QString, button);
        ActionsHead head(new FilterField({}, true));
        std::vector<qint64> all(static_cast<std::size_t>(lsns));
        std::ranges::generate(all, [lsn = 0]() mutable { return ++lsn; });
        const Target target = filter.isEmpty() ? Target::of(all) : Target::matching(filter);
        head.showTarget(target, target);
        const auto buttons = head.findChildren<QAbstractButton*>();
        QVERIFY(std::ranges::any_of(buttons, [&](const QAbstractButton* each) { return each->text() == button; }));
        QCOMPARE(head.targetText().isEmpty(), target.isEmpty());
    }

    void whyNamesHowItEnded_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("title");
        QTest::newRow("pending") << "pending" << "Why it waits";
        QTest::newRow("running") << "running" << "While it runs";
        QTest::newRow("completed") << "completed" << "How it ended";
        QTest::newRow("failed") << "failed" << "Why it stopped";
    }
    void whyNamesHowItEnded() {
        QFETCH(QString, state);
        QTEST(whyTitle(actionRowOf({{"lsn", 1}, {"state", state}})), "title");
    }

    void aLockSaysWhoHasIt() {
        const QJsonObject spec{{"locks", QJsonArray{"a", "b", "c"}}};
        const auto lock = [](const QString& name, qint64 by, const QString& engine) {
            return QJsonObject{{"name", name},
                               {"holder", QJsonObject{{"lsn", by}, {"engine", engine}, {"pid", 5}}}};
        };
        const auto facts = lockFacts(7, spec, {lock("a", 7, "here"), lock("b", 8, "here")}, "here");
        QCOMPARE(factOf(facts, "a")->value, QString("held by this one"));
        QCOMPARE(factOf(facts, "b")->target, QString("8"));
        QCOMPARE(factOf(facts, "c")->value, QString("free"));
        const auto other = lockFacts(7, spec, {lock("a", 7, "there")}, "here");
        QCOMPARE(factOf(other, "a")->value, QString("held by another engine, pid 5"));
        QCOMPARE(factOf(lockFacts(7, spec, {lock("a", 0, "here")}, "here"), "a")->value,
                 QString("held by a warm process"));
        QVERIFY(lockFacts(7, {}, {}, "here").empty());
    }

    void howFarItSaysThatItIsHasAMeter() {
        ActionRow row;
        row.face = DisplayState::Running;
        const auto facts = [&](const QJsonObject& progress) { return whyFacts(row, {{"progress", progress}}, {}); };
        const auto both = factOf(facts({{"fraction", 0.459}, {"message", "linking"}}), "progress");
        QVERIFY(both);
        QCOMPARE(both->value, QString("45 %, linking"));
        QCOMPARE(both->share, std::optional(0.459));
        QCOMPARE(factOf(facts({{"fraction", 1}}), "progress")->value, QString("100 %"));
        const auto words = factOf(facts({{"message", "linking"}}), "progress");
        QCOMPARE(words->value, QString("linking"));
        QVERIFY(!words->share);
        QVERIFY(!factOf(facts({}), "progress"));
    }

    void tokensOfAJobserverAreCounted() {
        QVERIFY(factOf(limitFacts({}, {{"tokens", 2}}, {}, 0), "jobserver")->value.startsWith("2 token"));
        QVERIFY(factOf(limitFacts({}, {{"tokens", 0}}, {}, 0), "jobserver")->value.startsWith("0 token"));
    }

    void outputIsThatOfBothStreams() {
        const QJsonObject action{{"stdout", QJsonObject{{"size", 5}}}, {"stderr", QJsonObject{{"size", 2}}}};
        QCOMPARE(writtenBytes(action), 7);
        QCOMPARE(writtenBytes({}), 0);
        QVERIFY(factOf(limitFacts({}, action, {}, 0), "output").has_value());
        QVERIFY(limitFacts({}, {}, {}, 0).empty());
    }

    void chartsOfGpusAreThereWhereSamplesHaveThem() {
        test::PlayedContext played;
        SamplesView view(played.context());
        view.resize(600, 600);
        view.show();
        const auto tell = [&](qint64 lsn, const QJsonObject& more) {
            view.show(lsn, true, true);
            QJsonArray samples;
            for (const int t : {5, 10}) {
                QJsonObject sample{{"t", t * 1'000'000}, {"cpu_percent", 50.0}, {"rss_bytes", 7}};
                for (auto at = more.begin(); at != more.end(); ++at) sample.insert(at.key(), at.value());
                samples.append(sample);
            }
            return played.link.answer(QStringLiteral("jobs/%1/samples").arg(lsn),
                                      QJsonObject{{"samples", samples}});
        };
        QVERIFY(tell(1, {}));
        QVERIFY(!view.gpus()->isVisible() && !view.gpuMemory()->isVisible());
        QVERIFY(tell(2, {{"gpu_percent", 37.0}, {"gpu_memory_bytes", 1'000}}));
        QVERIFY(view.gpus()->isVisible() && view.gpuMemory()->isVisible());
        for (const Chart* chart :
             {view.gpus(), view.gpuMemory(), view.cores()}) // charts change a few times a second
            QTRY_VERIFY(!chart->data().values.empty());
        QCOMPARE(view.gpus()->data().values.front(), (std::vector<double>{37, 37}));
        QCOMPARE(view.gpuMemory()->data().values.front(), (std::vector<double>{1'000, 1'000}));
        QCOMPARE(view.cores()->data().values.front(), (std::vector<double>{0.5, 0.5}));
        QVERIFY(tell(4, {{"gpu_percent", 180.4}}));
        QTRY_VERIFY2(view.gpus()->spokenValue().contains("180 %"), qPrintable(view.gpus()->spokenValue()));
        view.show(3, true, true);
        QVERIFY(!view.gpus()->isVisible());
    }
};

QTEST_MAIN(TestActionsChoice)
#include "tst_actions_choice.moc"
