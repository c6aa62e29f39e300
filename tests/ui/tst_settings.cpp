// The settings, offscreen, on the real program: what applies, what is refused and says why, what is taken back.
#include "tests/ui/window_test.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/state/languages.h"
#include "ui/state/preferences.h"
#include "ui/state/tonight.h"
#include "ui/style/appearance.h"
#include "ui/style/type.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QKeySequenceEdit>
#include <QLineEdit>

#include <algorithm>

using namespace yard;
using namespace yard::ui;

class TestSettings : public test::WindowTest {
    Q_OBJECT

    SettingsPage* page() {
        window_->navigation().show("settings");
        return qobject_cast<SettingsPage*>(window_->navigation().page());
    }
    FormRow* row(const QString& section, const QString& control) {
        page()->setFilter(section);
        return page()->section(section)->row(control);
    }
    QLineEdit* field(const QString& name) {
        FormRow* found = row("engine", name);
        return found == nullptr ? nullptr : qobject_cast<QLineEdit*>(found->control());
    }
    void type(QLineEdit* edit, const QString& text) {
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }

private slots:
    void initTestCase() { QVERIFY(start("settings")); }
    void init() {
        QSettings().clear();
        QVERIFY(openWindow());
    }
    void cleanup() {
        window_.reset();
        QSettings().clear();
        Appearance{}.apply();
    }

    void everySettingOfTheEngineIsThereWithItsHelp() {
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        const QJsonObject json = ask("GET", "settings").json;
        for (const QString& name : json.keys()) {
            if (name == "about" || name == "restart_needed") continue;
            FormRow* found = row("engine", name);
            QVERIFY2(found != nullptr, qPrintable(name));
            QVERIFY2(!found->control()->accessibleDescription().isEmpty(), qPrintable(name));
        }
        QCOMPARE(row("engine", "grace_s")->note(), QString("s"));
    }

    void noFieldIsSqueezedInTheLeastWindow() {
        window_->resize(1'100, 700);
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        const auto isHigh = [this] {
            return std::ranges::all_of(page()->section("engine")->rows(), [](const FormRow* row) {
                const bool isField = qobject_cast<QLineEdit*>(row->control()) != nullptr;
                return !isField || !row->isVisible() || row->control()->height() >= 28;
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(isHigh(), kSoon);
    }

    void aHelpOfSeveralLinesHasRoomForThem() {
        FormRow formRow("Capacity", new QLineEdit, QString("Words of a help that is long. ").repeated(12));
        const auto texts = formRow.findChildren<WrappedLabel*>();
        const auto help =
            std::ranges::find_if(texts, [](const WrappedLabel* text) { return !text->text().isEmpty(); });
        QVERIFY(help != texts.end());
        const int wide = (*help)->maximumWidth() + 600; // more than the text ever takes
        QCOMPARE((*help)->heightForWidth(wide), (*help)->heightForWidth((*help)->maximumWidth()));
        formRow.resize(wide, formRow.heightForWidth(wide));
        formRow.show();
        QTRY_VERIFY_WITH_TIMEOUT(
            (*help)->width() > 0 && (*help)->height() >= (*help)->heightForWidth((*help)->width()), kSoon);
    }

    void aValueThatIsTypedIsSentAndCanBeTakenBack() {
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        type(field("grace_s"), "5");
        QTRY_COMPARE_WITH_TIMEOUT(ask("GET", "settings").json.value("grace_s").toDouble(), 5.0, kSoon);
        QVERIFY(QTest::qWaitFor([&] { return page()->undo(); }, kSoon));
        QTRY_COMPARE_WITH_TIMEOUT(ask("GET", "settings").json.value("grace_s").toDouble(), 2.0, kSoon);
    }

    void aProfileOfCourtesyIsChosenAndTakenBack() {
        page()->setFilter("courtesy");
        auto* profiles = qobject_cast<QComboBox*>(row("courtesy", "courtesy-profile")->control());
        QTRY_VERIFY_WITH_TIMEOUT(profiles->count() >= 5, kSoon);
        QCOMPARE(profiles->currentText(), QString("auto"));
        auto* now = page()->section("courtesy")->findChild<WrappedLabel*>("courtesy-now");
        QTRY_COMPARE_WITH_TIMEOUT(now->text(), QString("Nothing: work runs as it likes."), kSoon);
        auto* conditions = page()->section("courtesy")->findChild<WrappedLabel*>("courtesy-conditions");
        QTRY_VERIFY_WITH_TIMEOUT(conditions->text().contains("hour: "),
                                 kSoon); // looked at, though nothing needs it
        profiles->setCurrentText("night");
        emit profiles->activated(profiles->currentIndex());
        QTRY_COMPARE_WITH_TIMEOUT(ask("GET", "settings").json.value("courtesy").toString(), QString("night"),
                                  kSoon);
        QVERIFY(QTest::qWaitFor([&] { return page()->undo(); }, kSoon));
        QTRY_COMPARE_WITH_TIMEOUT(ask("GET", "settings").json.value("courtesy").toString(), QString("auto"), kSoon);
    }

    void aValueOutOfRangeSaysWhatItMayBeAndIsNotSent() {
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        type(field("grace_s"), "500");
        QCOMPARE(row("engine", "grace_s")->problem(), QString("This wants 0 to 60."));
        type(field("grace_s"), "soon");
        QVERIFY(row("engine", "grace_s")->problem().contains("number"));
        QCOMPARE(ask("GET", "settings").json.value("grace_s").toDouble(), 2.0);
        type(field("grace_s"), "2");
        QCOMPARE(row("engine", "grace_s")->problem(), QString());
    }

    void whatWaitsForARestartSaysSo() {
        QTRY_VERIFY_WITH_TIMEOUT(field("capacity") != nullptr, kSoon);
        type(field("capacity"), "3");
        QTRY_VERIFY_WITH_TIMEOUT(row("engine", "capacity")->note().contains("restart"), kSoon);
        QVERIFY(QTest::qWaitFor([&] { return page()->undo(); }, kSoon));
        QTRY_VERIFY_WITH_TIMEOUT(!row("engine", "capacity")->note().contains("restart"), kSoon);
    }

    void aResourceOfOnesOwnIsAdded() {
        QTRY_VERIFY_WITH_TIMEOUT(field("new-resource") != nullptr, kSoon);
        type(field("new-resource"), "licence.maya");
        QVERIFY(row("engine", "new-resource")->problem().contains("licence.maya = 4"));
        type(field("new-resource"), "licence.maya = 4");
        QTRY_VERIFY_WITH_TIMEOUT(field("resources.licence.maya") != nullptr, kSoon);
        QCOMPARE(ask("GET", "settings").json.value("resources.licence.maya").toDouble(), 4.0);
    }

    void whatIsToldApartIsGivenByItsNames() {
        QTRY_VERIFY_WITH_TIMEOUT(field("new-resource") != nullptr, kSoon);
        type(field("new-resource"), "port = 5000-5003,6000");
        QTRY_VERIFY_WITH_TIMEOUT(field("resources.port") != nullptr, kSoon);
        QCOMPARE(field("resources.port")->text(), QString("5000-5003,6000"));
        const QJsonArray words = ask("GET", "settings").json.value("resources.port").toArray();
        QCOMPARE(words, (QJsonArray{"5000-5003", "6000"}));
        type(field("resources.port"), "a,a");
        QTRY_VERIFY_WITH_TIMEOUT(row("engine", "resources.port")->problem().contains("different"), kSoon);
        type(field("resources.port"), "a,b");
        QTRY_COMPARE_WITH_TIMEOUT(ask("GET", "settings").json.value("resources.port").toArray().size(), 2, kSoon);
    }

    void retentionTellsWhatIsUsed() {
        QTRY_VERIFY_WITH_TIMEOUT(field("keep_disk_percent") != nullptr, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(row("engine", "keep_disk_percent")->note().contains("used"), kSoon);
        QVERIFY(row("engine", "keep_actions")->note().contains("kept"));
    }

    void whileTheEngineIsGoneItsSettingsAreBlockedWithTheReason() {
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        engine_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(!field("grace_s")->isEnabled(), kSoon);
        QVERIFY(!field("grace_s")->toolTip().isEmpty());
        QVERIFY(engine_.start());
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s")->isEnabled(), kSoon);
    }

    void searchFindsSettingsOfEverySection() {
        QTRY_VERIFY_WITH_TIMEOUT(field("grace_s") != nullptr, kSoon);
        page()->setFilter("text size");
        QVERIFY(page()->section("appearance")->row("text-size")->isVisible());
        QVERIFY(!page()->section("appearance")->row("theme")->isVisible());
        QVERIFY(!page()->section("engine")->isVisible());
        page()->setFilter("SIGTERM");
        QVERIFY(page()->section("engine")->row("grace_s")->isVisible());
        QVERIFY(page()->closeInnermost());
        page()->setFilter("keys");
        QVERIFY(page()->section("keys")->isVisible());
    }

    void largerTextMakesTheWindowAnewAndIsTakenBack() {
        auto* size = qobject_cast<QComboBox*>(row("appearance", "text-size")->control());
        const int before = window_->findChild<TopBar*>("top-bar")->height();
        size->setCurrentIndex(size->findData(150));
        emit size->activated(size->currentIndex());
        QTRY_VERIFY_WITH_TIMEOUT(window_->findChild<TopBar*>("top-bar")->height() > before, kSoon);
        QCOMPARE(page()->current(), QString("appearance"));
        QCOMPARE(Appearance::stored().textPercent, 150);
        QVERIFY(page()->undo());
        QTRY_COMPARE_WITH_TIMEOUT(window_->findChild<TopBar*>("top-bar")->height(), before, kSoon);
        QCOMPARE(Appearance::stored().textPercent, 100);
    }

    void themeAndFontApplyAtOnce() {
        auto* theme = qobject_cast<QComboBox*>(row("appearance", "theme")->control());
        emit theme->activated(2);
        QCOMPARE(Theme::current().scheme(), Scheme::Light);
        emit theme->activated(1);
        QCOMPARE(Theme::current().scheme(), Scheme::Dark);
        QTest::mouseClick(row("appearance", "system-font")->control(), Qt::LeftButton, {}, QPoint(8, 8));
        QVERIFY(usesSystemFont());
    }

    void whatIsChosenInGeneralIsThereAfterTheNextStart() {
        const auto choose = [this](const QString& name, const QString& value) {
            auto* box = qobject_cast<QComboBox*>(row("general", name)->control());
            box->setCurrentIndex(box->findData(value));
            emit box->activated(box->currentIndex());
        };
        choose("start-page", "queues");
        choose("language", "de");
        setTonightSince("20:15");
        setPreference("keep-awake", false);
        window_.reset();
        // A file of another size is read again, as a program that starts reads it.
        QSettings().sync();
        QFile file(QSettings().fileName());
        QVERIFY(file.open(QIODevice::Append));
        QVERIFY(file.write("\n") == 1);
        file.close();
        QCOMPARE(Languages::chosen(), QString("de"));
        QCOMPARE(tonightSince(), QString("20:15"));
        QVERIFY(openWindow());
        QTRY_COMPARE_WITH_TIMEOUT(window_->navigation().pageId(), QString("queues"), kSoon);
        const auto chosen = [this](const QString& name) {
            return qobject_cast<QComboBox*>(row("general", name)->control())->currentData().toString();
        };
        QCOMPARE(chosen("start-page"), QString("queues"));
        QCOMPARE(chosen("language"), QString("de"));
        QVERIFY(!qobject_cast<QCheckBox*>(row("general", "keep-awake")->control())->isChecked());
    }

    void whatWasKeptWhereItWasNotFoundIsTakenOver() {
        QSettings().setValue("General/start-page", "workers");
        QSettings().setValue("General/language", "de");
        QCOMPARE(preference("start-page").toString(), QString("workers"));
        QVERIFY(!QSettings().contains("General/start-page"));
        QCOMPARE(preference("start-page").toString(), QString("workers"));
        Languages::choose({}); // later than what is found there
        QVERIFY(Languages::chosen().isEmpty());
        QCOMPARE(preference("nothing", 7).toInt(), 7);
    }

    void tonightWantsATime() {
        auto* edit = qobject_cast<QLineEdit*>(row("general", "tonight")->control());
        type(edit, "late");
        QVERIFY(!row("general", "tonight")->problem().isEmpty());
        type(edit, "9:30");
        QCOMPARE(tonightSince(), QString("09:30"));
        QVERIFY(page()->undo());
        QCOMPARE(edit->text(), QString("18:00"));
    }

    void aKeyIsBoundAnewAndWorksAtOnce() {
        QAction* action = window_->findChild<QAction*>("rail");
        auto* edit = qobject_cast<QKeySequenceEdit*>(row("keys", "key-rail")->control());
        edit->setKeySequence(QKeySequence("Ctrl+J"));
        emit edit->editingFinished();
        QCOMPARE(action->shortcut(), QKeySequence("Ctrl+J"));
        QCOMPARE(QSettings().value("keys/rail").toString(), QString("Ctrl+J"));
        QVERIFY(row("keys", "key-rail")->note().contains("Ctrl+B"));
        QVERIFY(page()->undo());
        QCOMPARE(action->shortcut(), QKeySequence("Ctrl+B"));
        QVERIFY(!QSettings().contains("keys/rail"));
    }

    void aKeyThatIsTakenOrNeededForTypingIsRefusedWithTheReason() {
        QAction* action = window_->findChild<QAction*>("rail");
        auto* edit = qobject_cast<QKeySequenceEdit*>(row("keys", "key-rail")->control());
        edit->setKeySequence(QKeySequence("Ctrl+N"));
        emit edit->editingFinished();
        QVERIFY(row("keys", "key-rail")->problem().contains("Submit"));
        edit->setKeySequence(QKeySequence("X"));
        emit edit->editingFinished();
        QVERIFY(row("keys", "key-rail")->problem().contains("typing"));
        QCOMPARE(action->shortcut(), QKeySequence("Ctrl+B"));
    }
};

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
