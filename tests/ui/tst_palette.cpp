// The palette: what fits what is typed, by itself; and the palette of the real window on a real engine, by keys.
#include "tests/support/waiting.h"
#include "tests/ui/window_test.h"
#include "ui/pages/timelines/timelines_page.h"
#include "ui/shell/palette.h"

#include <QAbstractItemModelTester>
#include <QAction>

using namespace yard;
using namespace yard::ui;

namespace {

PaletteEntry entry(PaletteEntry::Kind kind, const QString& title, const QString& id = {}) {
    PaletteEntry made;
    made.kind = kind;
    made.title = title;
    made.id = id.isEmpty() ? title : id;
    return made;
}

QStringList titles(const std::vector<PaletteEntry>& entries) {
    QStringList all;
    for (const PaletteEntry& each : entries) all << each.title;
    return all;
}

} // namespace

class TestPalette : public test::WindowTest {
    Q_OBJECT

    qint64 queue_ = 0; ///< without retries

    Palette* palette() { return window_->findChild<Palette*>("palette"); }
    /// Ctrl+K and the text; the best row is chosen.
    void type(const QString& text) {
        QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(palette()->isVisible());
        QTest::keyClicks(palette()->field(), text);
    }
    void enter() { QTest::keyClick(palette()->field(), Qt::Key_Return); }
    const PaletteEntry* chosen() { return palette()->model()->entry(palette()->list()->currentIndex().row()); }

private slots:
    void initTestCase() { QVERIFY(start("palette")); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        if (queue_ != 0) return;
        const QJsonObject config{{"idle_expiry_s", 0}, {"max_retries", 0}};
        queue_ = makeQueue("once", config);
        QVERIFY(queue_ > 0);
    }
    void cleanup() { window_.reset(); }

    // --- what fits ----------------------------------------------------------------------------------------------

    void signsSayWhatIsMeant() {
        QCOMPARE(PaletteQuery::of(" > hold ").only, PaletteQuery::Only::Commands);
        QCOMPARE(PaletteQuery::of(" > hold ").text, QString("hold"));
        QCOMPARE(PaletteQuery::of("@cook").only, PaletteQuery::Only::Queues);
        QCOMPARE(PaletteQuery::of("#12").only, PaletteQuery::Only::Numbers);
        QCOMPARE(PaletteQuery::of("cook > 2").only, PaletteQuery::Only::Everything);
    }

    void wordsFitInAnyOrder_data() {
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("fit");
        QTest::newRow("the whole") << "Reset layout" << "reset layout" << 5;
        QTest::newRow("its beginning") << "Reset layout" << "reset l" << 4;
        QTest::newRow("whole words, not in their order") << "Rerun all failures of tonight" << "tonight rerun" << 3;
        QTest::newRow("words that begin so") << "Rerun all failures of tonight" << "ton fail" << 2;
        QTest::newRow("somewhere in it") << "nightly-cook" << "ook" << 1;
        QTest::newRow("one word is missing") << "Rerun all failures of tonight" << "rerun today" << 0;
        QTest::newRow("signs within a name") << "app:atlas" << "app:atlas" << 5;
        QTest::newRow("signs alone that are not there") << "app" << "::" << 0;
        QTest::newRow("nothing typed") << "anything" << "  " << 1;
        QTest::newRow("letters of other scripts") << "Füllstand prüfen" << "prüf" << 2;
    }
    void wordsFitInAnyOrder() {
        QFETCH(QString, title);
        QFETCH(QString, text);
        QTEST(paletteFit(entry(PaletteEntry::Kind::Command, title), text), "fit");
    }

    void anAliasFindsWhatIsNamedOtherwise() {
        PaletteEntry translated = entry(PaletteEntry::Kind::Command, "Alle Fehler von heute Nacht wiederholen");
        translated.alias = "rerun tonight";
        QCOMPARE(paletteFit(translated, "rerun tonight"), 3);
    }

    void theOneUsedLastIsFirstAmongThoseThatFitAsWell() {
        const std::vector<PaletteEntry> all{entry(PaletteEntry::Kind::Command, "Hold queue"),
                                            entry(PaletteEntry::Kind::Command, "Hold action"),
                                            entry(PaletteEntry::Kind::Queue, "holding-pen")};
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of("hold"), {}, 10)),
                 (QStringList{"Hold queue", "Hold action", "holding-pen"}));
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of("hold"), {"Hold action"}, 10)),
                 (QStringList{"Hold action", "Hold queue", "holding-pen"}));
        // Not before what fits better.
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of("holding-pen"), {"Hold action"}, 10)),
                 QStringList{"holding-pen"});
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of("@hold"), {}, 10)), QStringList{"holding-pen"});
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of(""), {"holding-pen"}, 2)),
                 (QStringList{"holding-pen", "Hold queue"}));
    }

    void whatCanBeDoneComesBeforeWhatCannot() {
        PaletteEntry blocked = entry(PaletteEntry::Kind::Command, "Release");
        blocked.blocked = "It is not held";
        const std::vector<PaletteEntry> all{blocked, entry(PaletteEntry::Kind::Command, "Release all")};
        QCOMPARE(titles(rankedForPalette(all, PaletteQuery::of("rel"), {}, 10)),
                 (QStringList{"Release all", "Release"}));
    }

    void numbersAreReadWithAndWithoutGroups_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("lsn"); // 0: none
        QTest::newRow("plain") << "1283902" << qint64{1'283'902};
        QTest::newRow("comma") << "1,283,902" << qint64{1'283'902};
        QTest::newRow("point") << "1.283.902" << qint64{1'283'902};
        QTest::newRow("narrow space") << QString::fromUtf8("1\u202f283\u202f902") << qint64{1'283'902};
        QTest::newRow("groups of two") << "12,83" << qint64{0};
        QTest::newRow("nothing") << "0" << qint64{0};
        QTest::newRow("a word") << "12a" << qint64{0};
        QTest::newRow("beyond every number") << "9999999999999999999" << qint64{0};
        QTest::newRow("empty") << "" << qint64{0};
    }
    void numbersAreReadWithAndWithoutGroups() {
        QFETCH(QString, text);
        QTEST(lsnIn(text).value_or(0), "lsn");
    }

    void lanesAndTimesAreRead() {
        QCOMPARE(lanePlaceIn("shaderc slot 3 03:00", "slot"), (LanePlace{"shaderc", 3U, QTime(3, 0)}));
        QCOMPARE(lanePlaceIn("Slot 12", "slot"), (LanePlace{"", 12U, std::nullopt}));
        QCOMPARE(lanePlaceIn("moss bake 9:05:30", "slot"), (LanePlace{"moss bake", std::nullopt, QTime(9, 5, 30)}));
        QCOMPARE(lanePlaceIn("shaderc Platz 3", "Platz"), (LanePlace{"shaderc", 3U, std::nullopt}));
        QVERIFY(!lanePlaceIn("shaderc slot x", "slot"));
        QVERIFY(!lanePlaceIn("shaderc 25:00", "slot"));
        QVERIFY(!lanePlaceIn("shaderc", "slot"));
    }

    void theModelKeepsTheRulesOfModels() {
        PaletteModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setEntries({entry(PaletteEntry::Kind::Command, "a"), entry(PaletteEntry::Kind::Queue, "b")});
        QCOMPARE(model.rowOf("b"), 1);
        QCOMPARE(model.rowOf("c"), -1);
        model.setEntries({});
        QVERIFY(model.entry(0) == nullptr);
    }

    void whatIsReadAloudHasTheReasonAndTheKey() {
        PaletteModel model;
        PaletteEntry drain = entry(PaletteEntry::Kind::Command, "Drain…");
        drain.note = "Queues";
        drain.keys = "Ctrl+D";
        drain.blocked = "Select a queue first";
        model.setEntries({drain});
        QCOMPARE(model.data(model.index(0, 0), Qt::AccessibleTextRole).toString(),
                 QString("Drain…, Queues: Select a queue first, Ctrl+D"));
    }

    // --- the window's -------------------------------------------------------------------------------------------

    void escClosesAndTheFocusGoesBack() {
        window_->navigation().show("queues");
        QWidget* before = window_->focusWidget();
        QVERIFY(before != nullptr);
        type("hold");
        QVERIFY(palette()->field()->hasFocus());
        QTest::keyClick(palette()->field(), Qt::Key_Escape);
        QVERIFY(!palette()->isVisible());
        QCOMPARE(window_->focusWidget(), before);
    }

    void theSearchFieldOfTheTopBarOpensIt() {
        auto* search = window_->findChild<SearchButton*>();
        QVERIFY(search != nullptr);
        QTest::mouseClick(search, Qt::LeftButton);
        QVERIFY(palette()->isVisible());
        // A click elsewhere ends it.
        window_->navigation().page()->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(!palette()->isVisible(), kWaitMs);
    }

    void everyCommandOfTheWindowAndOfThePageCanBeReached() {
        for (const PageSpec& spec : window_->navigation().pages()) {
            window_->navigation().show(spec.id);
            type(">");
            QStringList shown = titles([&] {
                std::vector<PaletteEntry> all;
                for (int row = 0; const PaletteEntry* each = palette()->model()->entry(row); ++row)
                    all.push_back(*each);
                return all;
            }());
            for (const QAction* action : window_->actions())
                QVERIFY2(action->objectName() == "palette" || shown.contains(action->text()),
                         qPrintable(action->objectName()));
            for (const QAction* action : window_->navigation().page()->commands())
                QVERIFY2(shown.contains(action->text()), qPrintable(action->text()));
            palette()->leave();
        }
    }

    void aCommandThatCannotBeDoneSaysWhyAndIsNotDone() {
        window_->navigation().show("queues");
        type(">copy token");
        QVERIFY(chosen() != nullptr);
        QCOMPARE(chosen()->title, QString("Copy token"));
        QCOMPARE(chosen()->blocked, QString("Select a queue first"));
        enter();
        QVERIFY(palette()->isVisible());
        palette()->leave();
    }

    void commandsOfOtherPagesAreFoundAndGivenThere() {
        window_->navigation().show("dashboard");
        type(">fit");
        QVERIFY(chosen() != nullptr);
        QCOMPARE(chosen()->note, QString("Timelines"));
        enter();
        QCOMPARE(window_->navigation().pageId(), QString("timelines"));
        type("cancel");
        QVERIFY(chosen() != nullptr);
        QVERIFY2(!chosen()->blocked.isEmpty(), "nothing is selected there");
        enter();
        QCOMPARE(window_->navigation().pageId(), QString("timelines"));
        palette()->leave();
    }

    void noCommandIsUnavailableWithoutAReason() {
        for (const PageSpec& spec : window_->navigation().pages()) {
            window_->navigation().show(spec.id);
            for (const QAction* action : window_->navigation().page()->commands())
                QVERIFY2(action->isEnabled() || !blockedWhy(action).isEmpty(),
                         qPrintable(spec.id + ": " + action->text()));
        }
    }

    void aQueueByItsNameAndWhatWasUsedComesFirstTheNextTime() {
        ask("POST", "queues", QJsonObject{{"tag", "palette-cook"}, {"config", QJsonObject{{"idle_expiry_s", 0}}}});
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::any_of(window_->engine().state()->queues(),
                                [](const auto& each) { return each.second.tag == "palette-cook"; }),
            kSoon);
        type("@palette-cook");
        QCOMPARE(chosen()->title, QString("palette-cook"));
        QVERIFY(chosen()->yardctl.startsWith("yardctl --data-dir ") && chosen()->yardctl.contains(" ls queue:"));
        enter();
        QVERIFY(!palette()->isVisible());
        QCOMPARE(window_->navigation().pageId(), QString("queues"));
        type("");
        QCOMPARE(chosen()->title, QString("palette-cook"));
        palette()->leave();
    }

    void whatIsTypedCanBeSearchedForAndNoRowIsEmpty() {
        palette()->open("no such thing anywhere");
        QCOMPARE(palette()->model()->rowCount(), 1);
        const PaletteEntry* entry = palette()->model()->entry(0);
        QCOMPARE(entry->title, QString("Search actions for no such thing anywhere"));
        QVERIFY2(entry->yardctl.contains("ls 'no such thing anywhere'"), qPrintable(entry->yardctl));
        const int low = palette()->height();
        palette()->field()->setText(">e"); // many commands, and nothing else
        QVERIFY(palette()->model()->rowCount() > 3);
        QVERIFY(palette()->height() > low);
        QVERIFY(palette()->model()->rowOf("search") < 0);
        palette()->field()->setText("zebra tests");
        enter();
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
        QCOMPARE(window_->navigation().page()->filter(), QString("zebra tests"));
    }

    void aNumberOpensItsAction() {
        const qint64 lsn = submit("find me", "echo hi", {}, queue_);
        type(QStringLiteral("#%1").arg(lsn));
        QTRY_VERIFY_WITH_TIMEOUT(chosen() != nullptr && chosen()->note == "find me", kSoon);
        enter();
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        type("#999999999");
        QTRY_VERIFY_WITH_TIMEOUT(chosen() != nullptr && !chosen()->blocked.isEmpty(), kSoon);
        palette()->leave();
    }

    void rerunTonightIsTwoGesturesAndCanBeTakenBack() {
        const qint64 lsn = submit("fails", "exit 3", {}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon);
        type("rerun tonight");
        QCOMPARE(chosen()->title, QString("Rerun all failures of tonight"));
        QVERIFY(chosen()->yardctl.contains(" retry --force "));
        enter();
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().commands()->waiting() != nullptr, kSoon);
        window_->engine().commands()->undo();
        QCOMPARE(stateOf(lsn), QString("failed"));
    }

    void aLockShowsItsHolderAndOpensItBeforeTheLine() {
        const qint64 holder = submit("holds", "sleep 60", {{"locks", QJsonArray{"app:atlas"}}}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(holder), QString("running"), kSoon);
        const qint64 next = submit("waits", "true", {{"locks", QJsonArray{"app:atlas"}}}, queue_);
        type("app:atlas");
        QTRY_VERIFY_WITH_TIMEOUT(chosen() != nullptr && chosen()->title == "app:atlas", kSoon);
        QVERIFY2(chosen()->note.contains(QLocale().toString(holder)), qPrintable(chosen()->note));
        enter();
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        QVERIFY(window_->navigation().page()->filter().contains("lock:\"app:atlas\""));
        for (const qint64 lsn : {holder, next}) ask("POST", QStringLiteral("jobs/%1/cancel").arg(lsn));
    }

    void aLaneAndATimeGoToTheTimelines() {
        const qint64 lsn = submit("short", "sleep 0.3", {}, queue_);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("completed"), kSoon);
        window_->navigation().show("timelines");
        auto* timelines = qobject_cast<TimelinesPage*>(window_->navigation().page());
        QVERIFY(timelines != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(timelines->view()->selectAction(lsn), kSoon);
        const auto bar = *timelines->view()->selected();
        timelines->view()->select(std::nullopt);
        const QTime at = QDateTime::fromMSecsSinceEpoch(bar.item.begin / 1'000).time();
        type(QStringLiteral("exec slot %1 %2").arg(bar.slot).arg(at.toString("HH:mm:ss")));
        QTRY_VERIFY_WITH_TIMEOUT(chosen() != nullptr && chosen()->kind == PaletteEntry::Kind::Slot, kSoon);
        enter();
        QTRY_VERIFY_WITH_TIMEOUT(timelines->view()->selected().has_value(), kSoon);
        QCOMPARE(timelines->view()->selected()->slot, bar.slot);
        const auto range = timelines->view()->range();
        QVERIFY(range.contains(bar.item.begin));
        type("exec slot 4096 " + at.toString("HH:mm"));
        enter();
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<StatusBar*>("status-bar")->sentence().contains("4096"), kSoon);
    }

    void anEngineThatIsAwayBlocksWhatNeedsIt() {
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(!window_->engine().state()->isLive(), kSoon);
        type(">pause: hold");
        QVERIFY(!chosen()->blocked.isEmpty());
        palette()->leave();
        QVERIFY(engine_.start());
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
