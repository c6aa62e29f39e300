// The filter as it is typed: what may come next, what was asked for before, which term is wrong.
#include "core/base/clock.h"
#include "core/model/filter.h"
#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/played_page.h"
#include "ui/state/filter_words.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/filter_popup.h"
#include "ui/widgets/page_head.h"

#include <QSettings>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

FilterValues known() {
    FilterValues values;
    values["state"] = {{"pending", 120}, {"failed", 7}, {"completed", 1'284'031}, {"submitting", 0}};
    values["label"] = {{"foliage wind"}, {"brick, worn"}, {"wind"}, {"50 \"inches\""}};
    for (int i = 0; i < 30; ++i) values["queue"].push_back({QStringLiteral("queue-%1").arg(i), i});
    return values;
}

/// A `|` stands for the cursor.
std::vector<FilterChoice> choicesAt(QString text) {
    const auto cursor = text.indexOf('|');
    text.remove('|');
    return choicesFor(text, static_cast<int>(cursor), known());
}

QString listed(const std::vector<FilterChoice>& choices) {
    QStringList all;
    for (const FilterChoice& choice : choices) all << choice.text;
    return all.join(' ');
}

QString withCursor(const FilterChoice& choice) {
    QString text = choice.filter;
    return text.insert(choice.cursor, '|');
}

} // namespace

class TestFilterWords : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;
    std::unique_ptr<QWidget> window_;
    FilterField* field_ = nullptr;

    /// What the list below the field shows.
    QString offered() const {
        const FilterPopup* popup = field_->popup();
        return popup == nullptr || !popup->hasChoices() ? QString() : listed(popup->choices());
    }

private slots:
    void initTestCase() {
        test::useOwnSettings("filter");
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }
    void init() {
        QSettings().clear();
        window_ = std::make_unique<QWidget>();
        window_->resize(900, 400);
        field_ = new FilterField("filter", true, window_.get());
        field_->setGeometry(20, 20, 500, 28);
        field_->setLanguage(known, "test");
        window_->show();
        window_->activateWindow();
        field_->setFocus();
        QTRY_VERIFY_WITH_TIMEOUT(field_->hasFocus(), kWaitMs);
    }
    void cleanup() { window_.reset(); }

    void everyKeyThatIsOfferedIsOneOfTheLanguage() {
        for (const auto& [key, note] : filterKeyNotes()) {
            const auto parsed = parseFilter(key.toStdString() + ":x", wallNow());
            const bool isKey = parsed || QString::fromStdString(parsed.error().message).contains("no key") == false;
            QVERIFY2(isKey && !note.isEmpty(), qPrintable(key));
        }
        const auto wrong = parseFilter("sate:x", wallNow());
        QVERIFY(!wrong && QString::fromStdString(wrong.error().message).contains("state"));
    }

    void whatMayComeNext_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("offered");
        QTest::addColumn<QString>("taken"); // the first of them
        const auto row = [](const char* name, const char* typed, const char* offered, const char* taken) {
            QTest::newRow(name) << typed << offered << taken;
        };
        row("a key by its beginning", "sta|", "state: started:", "state:|");
        row("a key of numbers", "mem|", "mem>", "mem>|");
        row("a key by what is in it", "nishe|", "finished:", "finished:|");
        row("after a minus", "-lab|", "label:", "-label:|");
        row("in the second term", "wind lo|", "lock:", "wind lock:|");
        row("in the first term of two", "lo| wind", "lock:", "lock:| wind");
        row("nothing where nothing is written", "wind |", "", "");
        row("nothing behind a blank alone", "|", "", "");
        row("all values behind a colon", "state:|", "pending failed completed submitting", "state:pending|");
        row("values by their beginning, then by what is in them", "label:wi|", "wind foliage wind", "label:wind|");
        row("whatever their case", "state:FA|", "failed", "state:failed|");
        row("behind a comma", "state:failed,pe|", "pending", "state:failed,pending|");
        row("before a comma", "state:fai|,pending", "failed", "state:failed|,pending");
        row("in the middle of a word", "state:fa|xyz", "failed", "state:failed|");
        row("one that has to be quoted", "label:fol|", "foliage wind", "label:\"foliage wind\"|");
        row("within quotes", "label:\"foliage w|", "foliage wind", "label:\"foliage wind\"|");
        row("one with a comma", "label:bri|", "brick, worn", "label:\"brick, worn\"|");
        row("one that the language cannot say", "label:50|", "", "");
        row("one that is there already", "state:failed|", "", "");
        row("of a key that nothing is known of", "worker:a|", "", "");
        row("of a number", "cpu>5|", "", "");
        row("a word", "zzz|", "", "");
    }
    void whatMayComeNext() {
        QFETCH(QString, typed);
        QFETCH(QString, offered);
        QFETCH(QString, taken);
        const auto choices = choicesAt(typed);
        QCOMPARE(listed(choices), offered);
        if (!choices.empty()) QCOMPARE(withCursor(choices.front()), taken);
    }

    void atMostTwelveAreOffered() {
        QCOMPARE(choicesAt("queue:|").size(), kMostChoices);
        QCOMPARE(choicesAt("queue:2|").front().text, QString("queue-2"));
        QCOMPARE(choicesAt("queue:2|").front().count, 2);
    }

    void termsEndAtBlanksOutsideQuotes() {
        const auto terms = termsOf("  a:\"b c\"  -d ");
        QCOMPARE(terms.size(), std::size_t{2});
        QVERIFY((terms[0] == FilterSpan{2, 9}) && (terms[1] == FilterSpan{11, 13}));
        QVERIFY(termsOf("").empty());
        QCOMPARE(termsOf("a:\"b c").size(), std::size_t{1});
    }

    void theWrongTermIsFoundAmongOthers() {
        const auto wrong = wrongTerms("state:failed sate:x cpu>soon wind");
        QCOMPARE(wrong.size(), std::size_t{2});
        QVERIFY((wrong[0] == FilterSpan{13, 19}) && (wrong[1] == FilterSpan{20, 28}));
        QVERIFY(wrongTerms("state:failed wind").empty());
    }

    void numbersThatStandAloneAreThoseOfActions_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("meant");
        QTest::newRow("one") << "42" << "lsn:42";
        QTest::newRow("with blanks") << " 42 " << "lsn:42";
        QTest::newRow("a range") << "12..20" << "lsn:12..20";
        QTest::newRow("several at once") << "12,14" << "lsn:12,14";
        QTest::newRow("several") << "12 14 20..30" << "lsn:12,14,20..30";
        QTest::newRow("beside terms") << "42 state:failed" << "state:failed lsn:42";
        QTest::newRow("in quotes it is text") << "\"42\"" << "\"42\"";
        QTest::newRow("within a quote") << "\"frame 42\"" << "\"frame 42\"";
        QTest::newRow("of a key") << "label:42 tries>2" << "label:42 tries>2";
        QTest::newRow("with letters") << "42x v2" << "42x v2";
        QTest::newRow("negated it is text") << "-42" << "-42";
        QTest::newRow("words stay as they are") << " night  run " << " night  run ";
        QTest::newRow("nothing") << "" << "";
    }
    void numbersThatStandAloneAreThoseOfActions() {
        QFETCH(QString, written);
        QTEST(withLsns(written), "meant");
    }

    void keysLeadThroughTheList() {
        QTest::keyClicks(field_, "sta");
        QCOMPARE(offered(), QString("state: started:"));
        QTest::keyClick(field_, Qt::Key_Down);
        QTest::keyClick(field_, Qt::Key_Return);
        QCOMPARE(field_->text(), QString("state:"));
        QCOMPARE(offered(), QString("pending failed completed submitting"));
        QTest::keyClicks(field_, "f");
        QTest::keyClick(field_, Qt::Key_Tab);
        QCOMPARE(field_->text(), QString("state:failed"));
        QVERIFY(field_->hasFocus());
        QCOMPARE(offered(), QString());
        QTest::keyClicks(field_, " wa");
        QTest::keyClick(field_, Qt::Key_Escape);
        QCOMPARE(offered(), QString());
        QCOMPARE(field_->text(), QString("state:failed wa"));
        QTest::keyClick(field_, Qt::Key_Escape);
        QCOMPARE(field_->text(), QString());
    }

    void aClickTakesOne() {
        QTest::keyClicks(field_, "state:");
        auto* list = field_->popup()->findChild<QListWidget*>();
        QVERIFY(field_->popup()->geometry().top() >= field_->geometry().bottom());
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(1)).center());
        QCOMPARE(field_->text(), QString("state:failed"));
    }

    void downShowsWhatWasUsedBefore() {
        for (const char* used : {"state:failed", "label:wind", "state:failed"}) {
            field_->setText(used);
            QTest::keyClick(field_, Qt::Key_Return);
        }
        field_->setText("sate:x");
        field_->setProblem("no key `sate`; did you mean `state`?");
        QTest::keyClick(field_, Qt::Key_Return); // wrong: not kept
        field_->setProblem({});
        field_->clear();
        QTest::keyClick(field_, Qt::Key_Down);
        QCOMPARE(offered(), QString("state:failed label:wind"));
        QTest::keyClick(field_, Qt::Key_Down);
        QTest::keyClick(field_, Qt::Key_Return);
        QCOMPARE(field_->text(), QString("label:wind"));
    }

    void daysAndTimesOfDayAreThoseOfTheEngine_data() {
        QTest::addColumn<bool>("isLocal");
        const auto row = [](const char* filter, bool isLocal) { QTest::newRow(filter) << isLocal; };
        row("finished:today", true);
        row("state:failed started:yesterday..today", true);
        row("-new:2026-11-20", true);
        row("finished:since-22:00", true);
        row("started>09:45", true);
        row("finished:\"2026-11-24 18:19\"", true);
        row("finished:-2h..18:00", true);
        row("finished>-1h", false);
        row("finished:-2h..-1h", false);
        row("new:-1h..now", false);
        row("started>1795000000000000", false);
        row("label:today", false);
        row("today", false);
        row("finished:", false);
        row("", false);
    }
    void daysAndTimesOfDayAreThoseOfTheEngine() {
        QFETCH(bool, isLocal);
        QCOMPARE(meansLocalTime(QTest::currentDataTag()), isLocal);
    }

    void aFilterSaysWhichTimeItMeansWhereTheEngineHasAnother() {
        test::PlayedContext played;
        const auto tell = [&](int offset) {
            emit played.link.refreshed();
            QVERIFY(played.link.answer("session", QJsonObject{{"machine", QJsonObject{{"utc_offset_s", offset}}}}));
        };
        const int own = QDateTime::currentDateTime().offsetFromUtc();
        QCOMPARE(played.state.zoneNote("finished:today"), QString()); // not told yet
        tell(own);
        QCOMPARE(played.state.zoneNote("finished:today"), QString());
        tell(own == 9 * 3'600 ? 8 * 3'600 : 9 * 3'600);
        QVERIFY2(played.state.zoneNote("finished:today").startsWith("engine time, UTC+0"),
                 qPrintable(played.state.zoneNote("finished:today")));
        QCOMPARE(played.state.zoneNote("finished>-1h"), QString());
    }

    void whatIsWrongStandsBelowWhileTheFieldHasTheFocus() {
        QTest::keyClicks(field_, "sate:x");
        field_->setProblem("no key `sate`; did you mean `state`?");
        QVERIFY(field_->popup() != nullptr && field_->popup()->isVisible());
        QCOMPARE(field_->popup()->hint(), QString("no key `sate`; did you mean `state`?"));
        field_->setProblem({});
        QVERIFY(!field_->popup()->isVisible());
        field_->setProblem("again");
        field_->clearFocus();
        QVERIFY(!field_->popup()->isVisible());
    }
};

QTEST_MAIN(TestFilterWords)
#include "tst_filter_words.moc"
