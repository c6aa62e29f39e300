// The order of what waits in a queue, changed in the window: by keys, by the menu and by a drag; the column Place.
#include "tests/ui/operator_test.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/actions/actions_model.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/place_drop.h"
#include "ui/state/action_file.h"
#include "ui/widgets/button.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>

using namespace yard;
using namespace yard::test;
using namespace yard::ui;

class TestPlaces : public OperatorTest {
    Q_OBJECT

    ActionsPage* page() {
        if (window_->navigation().pageId() != "actions") window_->navigation().show("actions");
        return qobject_cast<ActionsPage*>(window_->navigation().page());
    }
    ActionsModel* model() { return page()->model(); }
    /// A held queue with four that wait, shown by their places; their numbers, the first to start first.
    std::vector<qint64> makeFour(const QString& tag) {
        const qint64 queue = makeQueue(tag, {});
        ask("POST", QStringLiteral("queues/%1/hold").arg(queue));
        submit(tag, "exit 0", {{"array", QJsonObject{{"from", 0}, {"to", 3}}}}, queue);
        page()->setFilter("queue:" + tag);
        model()->sortBy(ActionsModel::kPlace, Qt::AscendingOrder);
        std::vector<qint64> lsns;
        [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return order().size() == 4; }, kSoon);
        for (const qint64 lsn : order()) lsns.push_back(lsn);
        return lsns;
    }
    /// As shown, once each row is here.
    std::vector<qint64> order() {
        std::vector<qint64> lsns;
        for (int row = 0; row < model()->rowCount(); ++row)
            if (model()->isCurrent() && model()->isHere(row)) lsns.push_back(model()->idAt(row));
        return lsns;
    }
    QString placeOf(qint64 lsn) { return model()->cell(model()->rowOf(lsn), ActionsModel::kPlace).text; }
    void focusList() {
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        page()->table()->setFocus();
    }
    /// What is dragged is let go over this row: at its top, or at its bottom.
    void dropOn(const std::vector<qint64>& lsns, int row, bool low) {
        const std::unique_ptr<QMimeData> data(dragOf(lsns, window_->engine().state()->link().address().toString()));
        QWidget* rows = page()->table()->viewport();
        const QRect area = page()->table()->visualRect(model()->index(row, 0));
        const QPoint at(area.center().x(), low ? area.bottom() - 1 : area.top() + 1);
        QDragEnterEvent enter(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
        QCoreApplication::sendEvent(rows, &enter);
        isLineShown_ = rows->findChild<QWidget*>("place-line")->isVisible();
        QDropEvent drop(at, Qt::CopyAction, data.get(), Qt::LeftButton, {});
        QCoreApplication::sendEvent(rows, &drop);
    }

    bool isLineShown_ = false;

private slots:
    void initTestCase() { QVERIFY(start("places", {"--capacity", "2"})); }
    void init() {
        QSettings().clear();
        window_ = std::make_unique<MainWindow>();
        window_->engine().set(std::make_unique<AttachedLink>(engine_.address(), engine_.token()), "embedded");
        window_->resize(1'440, 900);
        window_->show();
        window_->activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(
            window_->engine().state()->isLive() && !window_->engine().state()->queues().empty(), kSoon);
        page();
    }
    void cleanup() { window_.reset(); }

    void keysMoveWhatIsSelected_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("row");
        QTest::addColumn<QString>("after"); // rows of before
        QTest::newRow("top") << int(Qt::Key_Home) << 2 << "2013";
        QTest::newRow("up") << int(Qt::Key_Up) << 2 << "0213";
        QTest::newRow("down") << int(Qt::Key_Down) << 1 << "0213";
        QTest::newRow("bottom") << int(Qt::Key_End) << 1 << "0231";
    }
    void keysMoveWhatIsSelected() {
        QFETCH(int, key);
        QFETCH(int, row);
        QFETCH(QString, after);
        const std::vector<qint64> before = makeFour(QStringLiteral("keys-%1").arg(QTest::currentDataTag()));
        QCOMPARE(before.size(), std::size_t{4});
        QCOMPARE(placeOf(before[3]), QString("4"));
        clickRow(page()->table(), before[static_cast<std::size_t>(row)]);
        focusList();
        press(Qt::Key(key), Qt::AltModifier);
        std::vector<qint64> wanted;
        for (const QChar c : after) wanted.push_back(before[static_cast<std::size_t>(c.digitValue())]);
        QTRY_COMPARE_WITH_TIMEOUT(order(), wanted, kSoon);
        // Also of those that moved along, which nobody tells.
        for (std::size_t i = 0; i < wanted.size(); ++i)
            QTRY_COMPARE_WITH_TIMEOUT(placeOf(wanted[i]), QString::number(i + 1), kSoon);
    }

    void theHeadHasTheSameMoves() {
        const std::vector<qint64> before = makeFour("head");
        QCOMPARE(before.size(), std::size_t{4});
        clickRow(page()->table(), before[2]);
        const QList<Button*> buttons = page()->findChildren<Button*>();
        const auto move = std::ranges::find(buttons, QString("Move"), &Button::text);
        QVERIFY(move != buttons.end());
        QTRY_VERIFY_WITH_TIMEOUT((*move)->isEnabled(), kSoon);
        QStringList entries;
        for (const QAction* entry : (*move)->menu()->actions()) entries << entry->text();
        QCOMPARE(entries, (QStringList{"Move to the top", "Move up", "Move down", "Move to the bottom"}));
        (*move)->menu()->actions().front()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(order(), (std::vector{before[2], before[0], before[1], before[3]}), kSoon);
    }

    void aDragPutsActionsBetweenRows() {
        const std::vector<qint64> all = makeFour("drag");
        QCOMPARE(all.size(), std::size_t{4});
        dropOn({all[3]}, 1, false);
        QVERIFY(isLineShown_);
        QTRY_COMPARE_WITH_TIMEOUT(order(), (std::vector{all[0], all[3], all[1], all[2]}), kSoon);
        dropOn({all[0]}, 3, true); // below the last
        QVERIFY(isLineShown_);
        QTRY_COMPARE_WITH_TIMEOUT(order(), (std::vector{all[3], all[1], all[2], all[0]}), kSoon);
    }

    void aDragToTheEndOfAPriorityGoesToItsBottom() {
        const std::vector<qint64> all = makeFour("bands");
        QCOMPARE(all.size(), std::size_t{4});
        const qint64 queue = model()->action(all[0])->queue;
        const qint64 low = submit("bands", "exit 0", {{"priority", -5}}, queue);
        model()->sortBy(ActionsModel::kLsn, Qt::AscendingOrder); // the list begins again
        model()->sortBy(ActionsModel::kPlace, Qt::AscendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(order(), (std::vector{all[0], all[1], all[2], all[3], low}), kSoon);
        dropOn({all[0]}, 4, false); // between the last of its own and the first of the next
        QVERIFY(isLineShown_);
        QTRY_COMPARE_WITH_TIMEOUT(order(), (std::vector{all[1], all[2], all[3], all[0], low}), kSoon);
        const std::size_t sent = window_->engine().commands()->records().size();
        dropOn({all[1]}, 4, true); // among those of the other
        QVERIFY(!isLineShown_);
        QCOMPARE(window_->engine().commands()->records().size(), sent);
    }

    void aDragInAnotherOrderSaysWhyNothingMoves() {
        const std::vector<qint64> all = makeFour("otherwise");
        model()->sortBy(ActionsModel::kLsn, Qt::AscendingOrder);
        QTRY_VERIFY_WITH_TIMEOUT(order().size() == 4, kSoon);
        const std::size_t sent = window_->engine().commands()->records().size();
        dropOn({all[3]}, 0, false);
        QVERIFY(!isLineShown_);
        QCOMPARE(window_->engine().commands()->records().size(), sent);
    }

    void whatDoesNotWaitHasNoPlaceAndCannotBeMoved() {
        const qint64 lsn = submit("done", "exit 0", {}, 0);
        page()->setFilter("label:done state:completed");
        QTRY_COMPARE_WITH_TIMEOUT(order(), std::vector{lsn}, kSoon); // known before its row is there
        QTRY_VERIFY_WITH_TIMEOUT(model()->action(lsn) != nullptr, kSoon);
        QCOMPARE(placeOf(lsn), Format::unknown());
        clickRow(page()->table(), lsn);
        for (QAction* command : page()->commands())
            if (command->objectName() == "place-top") QVERIFY(!command->isEnabled());
    }
};

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
