// The keys of the window on a real engine: the overlay that shows them, panes, full screen, the way back through
// pages with their filters, the newest failure, keys of pages bound again.
#include "tests/ui/window_test.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/shell/key_overlay.h"

#include <QAction>
#include <QKeySequenceEdit>
#include <set>

using namespace yard;
using namespace yard::ui;

namespace {

KeyGroup group(const QString& title, int keys) {
    KeyGroup made{title, {}};
    for (int i = 0; i < keys; ++i) made.keys.emplace_back("K", "does");
    return made;
}

} // namespace

class TestKeys : public test::WindowTest {
    Q_OBJECT

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(window_.get(), key, modifiers);
    }
    const QAction* pageCommand(const QString& page, const QString& id) {
        window_->navigation().show(page);
        for (const QAction* action : window_->navigation().page()->commands())
            if (action->objectName() == id) return action;
        return nullptr;
    }
    /// In the settings: these keys for this command; what is wrong with them.
    QString bind(const QString& id, const QKeySequence& keys) {
        window_->navigation().show("settings", "keys");
        auto* page = qobject_cast<SettingsPage*>(window_->navigation().page());
        FormRow* row = page->section("keys")->row("key-" + id);
        if (row == nullptr) return "no such key";
        auto* edit = qobject_cast<QKeySequenceEdit*>(row->control());
        edit->setKeySequence(keys);
        emit edit->editingFinished();
        return row->problem();
    }

private slots:
    void initTestCase() { QVERIFY(start("keys")); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow({}));
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    // --- the overlay --------------------------------------------------------------------------------------------

    void groupsFillColumnsInTheirOrderAsLowAsTheyCan() {
        // Heights with title and space: 6, 6, 12.
        const std::vector<int> three = columnsOf({group("a", 4), group("b", 4), group("c", 10)}, 3);
        QCOMPARE(three, (std::vector<int>{0, 0, 1}));
        QCOMPARE(columnsOf({group("a", 4), group("b", 4)}, 1), (std::vector<int>{0, 0}));
        QVERIFY(columnsOf({}, 3).empty());
    }

    void f1ShowsTheKeysOfThisPageAndEscTakesThemAway() {
        window_->navigation().show("queues");
        press(Qt::Key_F1);
        const KeyOverlay* overlay = window_->findChild<KeyOverlay*>("keys-overlay");
        QVERIFY(overlay->isVisible());
        QCOMPARE(overlay->groups().front().title, QString("Queues"));
        const auto& keys = overlay->groups().front().keys;
        QVERIFY(std::ranges::find(keys, std::pair<QString, QString>("Ctrl+H", "Hold")) != keys.end());
        QVERIFY(overlay->accessibleDescription().contains("Hold: Ctrl+H"));
        QTest::keyClick(window_->findChild<KeyOverlay*>("keys-overlay"), Qt::Key_Escape);
        QVERIFY(!overlay->isVisible());
        press(Qt::Key_F1);
        QVERIFY(overlay->isVisible());
        QTest::keyClick(window_->findChild<KeyOverlay*>("keys-overlay"), Qt::Key_F1);
        QVERIFY(!overlay->isVisible());
    }

    void keysThatWereBoundAnewStandInTheOverlay() {
        QCOMPARE(bind("rail", QKeySequence("Ctrl+J")), QString());
        press(Qt::Key_F1);
        const auto& keys = window_->findChild<KeyOverlay*>("keys-overlay")->groups().back().keys;
        QVERIFY(std::ranges::any_of(keys, [](const auto& each) { return each.first == "Ctrl+J"; }));
    }

    // --- the window's keys --------------------------------------------------------------------------------------

    void f6GoesRoundThePanes() {
        window_->navigation().show("queues");
        std::vector<QWidget*> visited;
        for (int i = 0; i < 12; ++i) {
            press(Qt::Key_F6);
            QVERIFY(window_->focusWidget() != nullptr);
            if (!visited.empty() && window_->focusWidget() == visited.front()) break;
            visited.push_back(window_->focusWidget());
        }
        QVERIFY2(visited.size() >= 3 && visited.size() < 12, qPrintable(QString::number(visited.size())));
        const auto inside = [&](const QWidget* pane) {
            return std::ranges::any_of(visited,
                                       [&](QWidget* each) { return each == pane || pane->isAncestorOf(each); });
        };
        QVERIFY(inside(window_->findChild<TopBar*>("top-bar")));
        QVERIFY(inside(window_->navigation().page()));
    }

    void f11IsTheWholeScreenAndBack() {
        press(Qt::Key_F11);
        QVERIFY(window_->isFullScreen());
        press(Qt::Key_F11);
        QVERIFY(!window_->isFullScreen());
    }

    void backAndForwardHaveTheFilters() {
        window_->navigation().show("actions", "state:failed");
        window_->navigation().show("queues");
        window_->navigation().show("actions", "state:running");
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window_->navigation().pageId(), QString("queues"));
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        QCOMPARE(window_->navigation().page()->filter(), QString("state:failed"));
        press(Qt::Key_Right, Qt::AltModifier);
        press(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
        QCOMPARE(window_->navigation().page()->filter(), QString("state:running"));
        press(Qt::Key_Right, Qt::AltModifier); // the end
        QCOMPARE(window_->navigation().pageId(), QString("actions"));
    }

    void theNewestFailureIsOneChordAway() {
        press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<StatusBar*>("status-bar")->sentence(),
                                  QString("Nothing has failed."), kSoon);
        const auto send = [&](const QString& path, const QJsonObject& body) {
            QJsonObject json;
            bool done = false;
            window_->engine().state()->link().send({"POST", path, {}, QJsonDocument(body).toJson()}, this,
                                                   [&](const Answer& answer) {
                                                       json = answer.json;
                                                       done = true;
                                                   });
            [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
            return json;
        };
        const qint64 queue = send("queues", {{"tag", "once"}, {"config", QJsonObject{{"max_retries", 0}}}})
                                 .value("queue_id")
                                 .toInteger();
        send(QStringLiteral("queues/%1/jobs").arg(queue),
             {{"worker", "exec"}, {"argv", QJsonArray{"sh", "-c", "exit 9"}}, {"label", "broken"}});
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->count(DisplayState::Failed) > 0, kSoon);
        press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("actions"), kSoon);
    }

    // --- bound again ---------------------------------------------------------------------------------------------

    void aKeyOfAPageIsBoundAnewAndComesBackWithTheNextWindow() {
        QCOMPARE(bind("queues/hold", QKeySequence("Ctrl+G")), QString());
        QCOMPARE(pageCommand("queues", "hold")->shortcut(), QKeySequence("Ctrl+G"));
        window_.reset();
        QVERIFY(openWindow({}));
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        QCOMPARE(pageCommand("queues", "hold")->shortcut(), QKeySequence("Ctrl+G"));
        QCOMPARE(bind("queues/hold", QKeySequence("Ctrl+H")), QString());
        QVERIFY(!QSettings().contains("keys/queues/hold"));
    }

    void aKeyIsTakenOnlyWhereBothCanBeMeant() {
        // Of another page: never at once.
        QCOMPARE(bind("queues/drain", QKeySequence("Ctrl+E")), QString());
        // Of the same page, and of the window.
        QVERIFY(bind("queues/release", QKeySequence("Ctrl+H")).contains("Hold"));
        QVERIFY(bind("queues/release", QKeySequence("Ctrl+N")).contains("Submit"));
        QVERIFY(bind("rail", QKeySequence("Ctrl+H")).contains("Hold"));
    }

    void keysOfTheWindowAreListedByTheirTitles() {
        window_->navigation().show("settings", "keys");
        auto* page = qobject_cast<SettingsPage*>(window_->navigation().page());
        QStringList titles;
        for (const FormRow* row : page->section("keys")->rows())
            if (!row->control()->objectName().contains('/')) titles << row->title();
        titles.removeLast(); // the button that resets all
        QVERIFY(titles.size() > 10);
        QVERIFY2(
            std::ranges::is_sorted(
                titles, [](const QString& a, const QString& b) { return QString::localeAwareCompare(a, b) < 0; }),
            qPrintable(titles.join('\n')));
    }

    void everyCommandOfAPageCanBeBound() {
        const std::vector<Binding> all = window_->keyBindings().bindable();
        for (const PageSpec& spec : window_->navigation().pages()) {
            window_->navigation().show(spec.id);
            for (const QAction* action : window_->navigation().page()->commands())
                QVERIFY2(std::ranges::any_of(all,
                                             [&](const Binding& each) {
                                                 return each.id == spec.id + '/' + action->objectName() &&
                                                        each.title == action->text() &&
                                                        each.keys == action->shortcut();
                                             }),
                         qPrintable(spec.id + ": " + action->text()));
        }
        std::set<QString> ids;
        for (const Binding& each : all) QVERIFY2(ids.insert(each.id).second, qPrintable(each.id));
    }

    void keysOfPagesThatWereNeverShownAreListedAndBoundWithoutMakingThem() {
        window_.reset();
        QSettings().setValue("window/page", "settings");
        openWindow();
        QCOMPARE(window_->navigation().pageId(), QString("settings"));
        QCOMPARE(window_->findChildren<Page*>().size(), 1);
        const auto keysOf = [this](const QString& id) {
            const std::vector<Binding> all = window_->keyBindings().bindable();
            const auto found = std::ranges::find(all, id, &Binding::id);
            return found == all.end() ? QKeySequence("F35") : found->keys;
        };
        QCOMPARE(keysOf("workers/remove"), QKeySequence("Shift+Del"));
        QCOMPARE(bind("workers/remove", QKeySequence("Ctrl+G")), QString());
        QCOMPARE(window_->findChildren<Page*>().size(), 1);
        QCOMPARE(keysOf("workers/remove"), QKeySequence("Ctrl+G"));
        QVERIFY(bind("workers/copy-id", QKeySequence("Ctrl+G")).contains("Remove"));
        QCOMPARE(pageCommand("workers", "remove")->shortcut(), QKeySequence("Ctrl+G"));
        // Now it is there, and the list made before binds it all the same.
        QCOMPARE(bind("workers/remove", QKeySequence("Shift+Del")), QString());
        QCOMPARE(pageCommand("workers", "remove")->shortcut(), QKeySequence("Shift+Del"));
        QVERIFY(!QSettings().contains("keys/workers/remove"));
    }

    // --- the window itself --------------------------------------------------------------------------------------

    void theWindowOpensAsItWasLeft() {
        window_->resize(1300, 777);
        window_->navigation().show("timelines");
        window_->close();
        window_.reset();
        QVERIFY(openWindow({}));
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        QCOMPARE(window_->size(), QSize(1300, 777));
        QCOMPARE(window_->navigation().pageId(), QString("timelines"));
    }
};

QTEST_MAIN(TestKeys)
#include "tst_keys.moc"
