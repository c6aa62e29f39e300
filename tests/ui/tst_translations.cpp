// The languages of the window: what comes with it, what can be added, plurals, and that German fits.
#include "core/model/settings.h"
#include "tests/support/waiting.h"
#include "tests/ui/demo_load.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/played_page.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/bridge/operation.h"
#include "ui/pages/pool/pool_view.h"
#include "ui/pages/settings/setting_texts.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/engine_commands.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/action_row.h"
#include "ui/state/engine_words.h"
#include "ui/state/languages.h"
#include "ui/state/wait_reasons.h"
#include "ui/style/app_style.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/button.h"

#include <QComboBox>
#include <QDir>
#include <QKeySequence>
#include <QSettings>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr int kSoon = kWaitMs;

QStringList codes() {
    QStringList all;
    for (const Languages::Language& each : Languages::available()) all << each.code;
    return all;
}

} // namespace

class TestTranslations : public QObject {
    Q_OBJECT

    QString own_; ///< the user's directory for languages

private slots:
    void initTestCase() {
        test::useOwnSettings("translations");
        own_ = Languages::directories().constFirst();
        QDir(own_).removeRecursively();
    }
    void init() { QSettings().clear(); }
    void cleanup() {
        QDir(own_).removeRecursively();
        QLocale::setDefault(QLocale::system());
    }

    void englishAndGermanComeWithIt() {
        QVERIFY(codes().contains("en"));
        QVERIFY(codes().contains("de"));
        for (const Languages::Language& each : Languages::available())
            if (each.code == "de") QCOMPARE(each.name, QString("Deutsch"));
    }

    void theChosenOneIsShown() {
        QCOMPARE(EngineCommands::tr("Newest failure"), QString("Newest failure"));
        Languages::choose("de");
        Languages languages;
        languages.install();
        QCOMPARE(languages.current().left(2), QString("de"));
        QCOMPARE(EngineCommands::tr("Newest failure"), QString("Neuester Fehlschlag"));
        QCOMPARE(wordOf(DisplayState::Failed), QString("Gescheitert"));
        QCOMPARE(QLocale().language(), QLocale::German);
        QCOMPARE(Format().number(1'283'902), QString("1.283.902"));
        // Contexts of classes without an object of their own, of functions, of what is only marked.
        QCOMPARE(allPages().front().title, QString::fromUtf8("Übersicht"));
        QCOMPARE(Format(QLocale("de")).duration(Duration(std::chrono::minutes(61))), QString("1 h 1 min"));
    }

    void pluralsFollowTheLanguage_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("many");
        QTest::addColumn<QString>("oneWaits");
        QTest::addColumn<QString>("manyWait");
        QTest::newRow("en") << "en" << "Cancel 1 action" << "Cancel 2 actions" << "1 waits" << "1,200 wait";
        QTest::newRow("de") << "de" << "1 Aktion abbrechen" << "2 Aktionen abbrechen" << "1 wartet"
                            << "1.200 warten";
    }
    void pluralsFollowTheLanguage() {
        QFETCH(QString, language);
        Languages::choose(language);
        Languages languages;
        languages.install();
        QTEST(operations::cancel(Target::of({7})).title, "one");
        QTEST(operations::cancel(Target::of({7, 8})).title, "many");
        const auto waits = [](qint64 waiting) {
            PoolGroup group;
            group.waiting = waiting;
            return stateOf(group).section(", ", -1);
        };
        QTEST(waits(1), "oneWaits");
        QTEST(waits(1'200), "manyWait");
    }

    /// The engine speaks English; what it says of its settings is known to the files of translations.
    void everySettingOfTheEngineIsTranslated() {
        Languages::choose("de");
        Languages languages;
        languages.install();
        for (const SettingInfo& info : settingsTable()) {
            const QString help = QString::fromUtf8(info.help.data(), static_cast<qsizetype>(info.help.size()));
            QVERIFY2(settingText(help) != help, qPrintable("ui/pages/settings/setting_texts.h lacks: " + help));
        }
        QCOMPARE(settingText("of a newer engine"), QString("of a newer engine"));
    }

    void whyAnActionWaitsIsSaidInTheLanguage_data() {
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<QString>("german");
        const auto row = [](const char* sentence, const QString& german) {
            QTest::newRow(sentence) << QString::fromLatin1(sentence) << german;
        };
        row("its queue is held", "ihre Warteschlange ist angehalten");
        row("its queue is held after 1 failure", "ihre Warteschlange ist nach 1 Fehler angehalten");
        row("its queue is held after 3 failures", "ihre Warteschlange ist nach 3 Fehlern angehalten");
        row("lock app:atlas is held by action 12", "Sperre app:atlas hat Aktion 12"); // its number stays a link
        row("1 action to end", "auf das Ende einer Aktion");
        row("5 or more actions to end", "auf das Ende von 5 oder mehr Aktionen");
        row("0 of 2 cores free, it is next", "0 von 2 Kernen frei, sie ist die nächste");
        row("0 of 2 cores free, kept for action 7, about 12 of its queue before it",
            "0 von 2 Kernen frei, reserviert für Aktion 7, etwa 12 ihrer Warteschlange vor ihr");
        row("1 of 4 licence.maya free, first of its queue", "1 von 4 licence.maya frei, erste ihrer Warteschlange");
        row("its queue runs 2 of at most 2 labelled \"a, b\"",
            "in ihrer Warteschlange laufen 2 von höchstens 2 namens „a, b“");
        // Of many at once, on the dashboard.
        row("not before a time of their own", "nicht vor einer eigenen Zeit");
        row("the pool is full", "der Pool ist voll");
        row("its worker's 2 processes are busy; it may have 2 at most",
            "die 2 Prozesse ihres Workers sind beschäftigt; er darf höchstens 2 haben");
        row("its worker's 1 process is busy; the pool is full: 12 of 12 processes",
            "der Prozess ihres Workers ist beschäftigt; der Pool ist voll: 12 von 12 Prozessen");
        row("its worker has 2 processes, and waits for cores", "ihr Worker hat 2 Prozesse, er wartet auf Kerne");
        row("told to end, SIGKILL follows", "soll enden, SIGKILL folgt");
        // How something ended that did not say why itself.
        row("killed by SIGSEGV; it printed nothing", "von SIGSEGV beendet; es hat nichts ausgegeben");
        row("killed by SIGABRT; its last line: a, b; c", "von SIGABRT beendet; die letzte Zeile: a, b; c");
        row("it was ended by signal 9; it printed nothing", "von Signal 9 beendet; er hat nichts ausgegeben");
        row("its warm process died: it ended with exit code 3; its last output: no, never",
            "ihr warmer Prozess starb: er endete mit Exit-Code 3; seine letzte Ausgabe: no, never");
        // Not known, in whole or in a part: as it is.
        row("0 of 2 cores free, as the moon is full", "0 of 2 cores free, as the moon is full");
    }
    void whyAnActionWaitsIsSaidInTheLanguage() {
        QFETCH(QString, sentence);
        QFETCH(QString, german);
        QCOMPARE(engineWords(sentence), sentence);
        Languages::choose("de");
        Languages languages;
        languages.install();
        QCOMPARE(engineWords(sentence), german);
    }

    void whatAProgramPrintedIsNotTranslated() {
        Languages::choose("de");
        Languages languages;
        languages.install();
        ActionRow row;
        row.note = "it is held";
        row.face = DisplayState::Failed;
        row.reason = "exit_code";
        QCOMPARE(noteWords(row), row.note);
        row.face = DisplayState::Running;
        row.reason.clear();
        QCOMPARE(noteWords(row), row.note);
        row.face = DisplayState::Pending;
        QCOMPARE(noteWords(row), QString("sie ist angehalten"));
    }

    void whatAQueueIsLimitedToIsSaidInTheLanguage() {
        Languages::choose("de");
        Languages languages;
        languages.install();
        test::PlayedContext played;
        const auto textOf = [&](const QString& note) {
            const QJsonArray jobs{QJsonObject{{"lsn", 1}, {"queue_id", 0}, {"state", "pending"}, {"note", note}}};
            return waitReasonsOf(jobs, played.state, 0).front().text;
        };
        QCOMPARE(textOf("its queue runs 2 of at most 2"),
                 QString("die Standard-Warteschlange: 2 von höchstens 2 laufen"));
        QCOMPARE(textOf("its queue runs 1 of at most 1 labelled \"a, b\""),
                 QString("die Standard-Warteschlange: 1 von höchstens 1 namens „a, b“ laufen"));
    }

    void keysAreNamedInTheLanguage() {
        Languages::choose("de");
        Languages languages;
        languages.install();
        QCOMPARE(QKeySequence("Ctrl+Del").toString(QKeySequence::NativeText), QString("Strg+Entf"));
        QCOMPARE(QKeySequence("Ctrl+Del").toString(), QString("Ctrl+Del"));
    }

    void aFileInTheUsersDirectoryAddsALanguageOrGoesBeforeOurs() {
        QVERIFY(QDir().mkpath(own_));
        QVERIFY(QFile::copy(":/translations/yardmaster_de.qm", own_ + "/yardmaster_nl.qm"));
        QVERIFY(QFile::copy(":/translations/yardmaster_de.qm", own_ + "/yardmaster_en.qm"));
        QVERIFY(codes().contains("nl"));
        QCOMPARE(codes().count("en"), 1);
        Languages::choose("en");
        Languages languages;
        languages.install();
        QCOMPARE(EngineCommands::tr("Newest failure"), QString("Neuester Fehlschlag"));
    }

    void whatIsNoLanguageIsNotOfferedAndABrokenFileIsEnglish() {
        QVERIFY(QDir().mkpath(own_));
        for (const char* name : {"/yardmaster_sv.qm", "/yardmaster_.qm", "/yardmaster_zzzz.qm"}) {
            QFile file(own_ + name);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("this is no file of translations");
        }
        QVERIFY(!codes().contains(""));
        QVERIFY(!codes().contains("zzzz"));
        Languages::choose("sv");
        Languages languages;
        languages.install();
        QCOMPARE(EngineCommands::tr("Newest failure"), QString("Newest failure"));
        QCOMPARE(languages.current().left(2), QString("en"));
    }

    /// Every button is as wide as what stands on it, on every page, at the least size that is common.
    void germanFitsAt1280() {
        Languages::choose("de");
        Languages languages;
        languages.install();
        test::RealEngine engine;
        QVERIFY(engine.start());
        Theme theme(nullptr);
        dressApplication();
        MainWindow window;
        window.engine().set(std::make_unique<AttachedLink>(engine.address(), engine.token()), "embedded");
        window.resize(1280, 720);
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive() && !window.engine().state()->queues().empty(),
                                 kSoon);
        test::submitDemo(window.engine().state()->link());
        for (const PageSpec& spec : window.navigation().pages()) {
            window.navigation().show(spec.id);
            QCoreApplication::processEvents();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest); // of what came just now
            QCOMPARE(window.width(), 1280);                                     // nothing pushes it wider
            for (const Button* button : window.findChildren<Button*>()) {
                if (!button->isVisible()) continue;
                QVERIFY2(button->width() >= button->sizeHint().width(),
                         qPrintable(spec.id + ": " + button->text() + ": " + QString::number(button->width())));
                const QRect place(button->mapTo(&window, QPoint()), button->size());
                QVERIFY2(window.rect().contains(place) || button->window() != &window ||
                             spec.id == "settings", // scrolls
                         qPrintable(spec.id + ": " + button->text()));
            }
        }
    }

    void theLanguageIsChosenInTheSettings() {
        test::RealEngine engine;
        QVERIFY(engine.start());
        Theme theme(nullptr);
        MainWindow window;
        window.engine().set(std::make_unique<AttachedLink>(engine.address(), engine.token()), "embedded");
        window.show();
        window.navigation().show("settings", "general");
        auto* language = window.navigation().page()->findChild<QComboBox*>("language");
        QVERIFY(language != nullptr);
        QCOMPARE(language->currentData().toString(), QString());
        const int german = language->findData("de");
        QVERIFY(german > 0);
        language->setCurrentIndex(german);
        emit language->activated(german);
        QCOMPARE(Languages::chosen(), QString("de"));
        QVERIFY(window.navigation().page()->undo());
        QCOMPARE(Languages::chosen(), QString());
        QCOMPARE(language->currentIndex(), 0);
    }
};

QTEST_MAIN(TestTranslations)
#include "tst_translations.moc"
