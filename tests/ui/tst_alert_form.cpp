// The form of alerts over a link that is played: the rules there are, what is written, what it would have said last week,
// and what is sent.
#include "core/alerts/rule.h"
#include "tests/ui/played_page.h"
#include "ui/forms/alert_form.h"
#include "ui/style/theme.h"
#include "ui/widgets/facts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QLocale>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

QJsonObject nightRule(QJsonObject more = {}) {
    const QJsonArray then{QJsonObject{{"desktop", true}},
                          QJsonObject{{"command", QJsonArray{"notify-me", "it is late"}}},
                          QJsonObject{{"webhook", "https://a.org/x"}, {"template", "slack"}}};
    QJsonObject json{
        {"name", "night"},
        {"on", QJsonObject{{"kind", "failures"}, {"filter", "queue:nightly"}, {"over", 5}, {"for_s", 0}}},
        {"then", then},
        {"quiet_s", 600},
        {"hours", "08:00-20:00"},
        {"severity", "critical"},
        {"state", "firing"}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

class Played {
public:
    Played() { form.show(); }
    ~Played() { form.setAttribute(Qt::WA_DeleteOnClose, false); }
    Played(const Played&) = delete;
    Played& operator=(const Played&) = delete;
    bool tell(const QJsonArray& rules) { return played.link.answer("alerts", QJsonObject{{"alerts", rules}}); }
    QLineEdit* line(const char* member) { return form.findChild<QLineEdit*>(QLatin1String(member)); }
    void write(const char* member, const QString& text) {
        line(member)->selectAll();
        QTest::keyClicks(line(member), text);
    }
    void choose(const char* kind) {
        auto* box = qobject_cast<QComboBox*>(form.row("kind")->control());
        box->setCurrentIndex(box->findData(QLatin1String(kind)));
        emit box->activated(box->currentIndex());
    }
    /// The newest question, as "METHOD path".
    QString last() {
        const Request& request = std::get<0>(played.link.asked.back());
        return QString::fromLatin1(request.method) + ' ' + request.path;
    }
    QJsonObject body() { return QJsonDocument::fromJson(std::get<0>(played.link.asked.back()).body).object(); }
    bool isTried() { return played.link.waiting("alerts/test") > 0; }

    test::PlayedContext played;
    AlertForm form{played.context(), nullptr};
};

} // namespace

class TestAlertForm : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-alert-form");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void rulesStandWithTheirState() {
        Played on;
        QVERIFY(on.tell({nightRule(), nightRule({{"name", "day"}, {"state", "silenced"}})}));
        const TableModel* rows = on.form.table()->rows();
        QCOMPARE(rows->rowCount(), 2);
        QCOMPARE(rows->cell(0, 0).text, QString("day"));
        QCOMPARE(rows->cell(0, 1).face, std::optional(DisplayState::Held));
        QCOMPARE(rows->cell(1, 1).text, QString("Firing"));
        QCOMPARE(rows->cell(1, 2).text, QString("Actions of a queue failed in a row"));
    }

    void whatIsWrittenIsTriedOnLastWeekBeforeItIsSaved() {
        Played on;
        QVERIFY(on.tell({}));
        QTRY_VERIFY(on.isTried());
        QVERIFY(on.played.link.answer("alerts/test", QJsonObject{{"fired", QJsonArray()}, {"count", 0}}));
        QVERIFY(on.form.tried().contains("nothing"));
        on.choose("failures");
        on.write("over", "2");
        on.write("filter", "queue:nightly");
        QTRY_VERIFY(on.isTried());
        const QJsonObject rule = on.body().value("rule").toObject();
        QCOMPARE(rule.value("on").toObject(),
                 (QJsonObject{{"kind", "failures"}, {"over", 2}, {"filter", "queue:nightly"}}));
        const QJsonArray fired{QJsonObject{{"t", 1'000'000}, {"text", "first"}},
                               QJsonObject{{"t", 2'000'000}, {"text", "second"}}};
        QVERIFY(on.played.link.answer("alerts/test",
                                      QJsonObject{{"fired", fired}, {"count", 2}, {"note", "Not all is kept."}}));
        QVERIFY2(on.form.tried().contains('2') && on.form.tried().contains("Not all is kept."),
                 qPrintable(on.form.tried()));
        QCOMPARE(on.form.wouldHaveSaid()->facts().front().value, QString("second"));
        for (const auto& [request, context, done] : on.played.link.asked)
            QVERIFY(request.path == "alerts/test" || request.method == "GET");
    }

    void anAnswerToWhatWasWrittenBeforeIsNotShown() {
        Played on;
        QTRY_VERIFY(on.isTried());
        on.write("over", "7");
        QTRY_COMPARE(on.played.link.waiting("alerts/test"), std::size_t{2});
        QVERIFY(on.played.link.answer("alerts/test", QJsonObject{{"fired", QJsonArray()}, {"count", 9}}));
        QVERIFY(on.form.tried().isEmpty());
    }

    void aNewRuleIsAddedAsItIsWritten() {
        Played on;
        on.form.save()->click();
        QVERIFY(!on.form.row("name")->problem().isEmpty());
        on.write("name", "mine");
        on.choose("disk");
        on.write("over", "80");
        on.write("command", "notify-me \"it is late\"");
        on.form.save()->click();
        QCOMPARE(on.last(), QString("POST alerts"));
        QCOMPARE(on.body().value("name").toString(), QString("mine"));
        QCOMPARE(on.body().value("on").toObject(), (QJsonObject{{"kind", "disk"}, {"over", 80}}));
        QCOMPARE(on.body().value("then").toArray(),
                 (QJsonArray{QJsonObject{{"desktop", true}},
                             QJsonObject{{"command", QJsonArray{"notify-me", "it is late"}}}}));
        QVERIFY(!on.form.row("filter")->isVisible());
    }

    void whatIsWrittenWhileItIsSavedStays() {
        Played on;
        QVERIFY(on.tell({}));
        on.write("name", "night");
        on.form.save()->click();
        QCOMPARE(on.last(), QString("POST alerts"));
        on.write("quiet_s", "60");
        QVERIFY(on.played.link.answer("alerts", nightRule()));
        QCOMPARE(on.line("quiet_s")->text(), QString("60"));
        QCOMPARE(on.form.name(), QString("night"));
        on.form.save()->click();
        QCOMPARE(on.last(), QString("PATCH alerts/night"));
        QCOMPARE(on.body().value("quiet_s").toInt(), 60);
    }

    void theAnswerToOneRuleIsNotShownInAnother() {
        Played on;
        QVERIFY(on.tell({nightRule(), nightRule({{"name", "day"}})}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        on.form.save()->click();
        QCOMPARE(on.last(), QString("PATCH alerts/day"));
        on.form.remove()->click();
        on.form.table()->selectId(on.form.table()->rows()->idAt(1));
        const QJsonObject hours{{"field", "hours"}};
        QVERIFY(on.played.link.answer("alerts/day", Answer{422, {}, hours, "invalid", "Give hours."}));
        QVERIFY(on.form.row("hours")->problem().isEmpty());
        QVERIFY(on.played.link.answer("alerts/day", QJsonObject{{"name", "day"}})); // it is removed
        QCOMPARE(on.form.name(), QString("night"));
    }

    void aRuleThatIsChangedKeepsWhatTheFormDoesNotShow() {
        Played on;
        QVERIFY(on.tell({nightRule()}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        QCOMPARE(on.form.name(), QString("night"));
        QCOMPARE(on.line("command")->text(), QString("notify-me \"it is late\""));
        QVERIFY(on.line("name")->isReadOnly());
        on.line("hours")->selectAll();
        QTest::keyClick(on.line("hours"), Qt::Key_Delete);
        on.form.save()->click();
        QCOMPARE(on.last(), QString("PATCH alerts/night"));
        QVERIFY(!on.body().contains("name"));
        QCOMPARE(on.body().value("hours"), QJsonValue(""));
        QCOMPARE(on.body().value("then").toArray(), nightRule().value("then").toArray());
        QCOMPARE(on.body().value("on")["over"].toInt(), 5);
        QCOMPARE(on.body().value("severity").toString(), QString("critical"));
    }

    void aRuleOfAKindThatOnlyTheEngineKnowsStaysWhatItIs() {
        Played on;
        QVERIFY(on.tell({nightRule({{"on", QJsonObject{{"kind", "of_a_later_engine"}, {"over", 5}}}})}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        on.form.save()->click();
        QCOMPARE(on.last(), QString("PATCH alerts/night"));
        QCOMPARE(on.body().value("on").toObject(), (QJsonObject{{"kind", "of_a_later_engine"}, {"over", 5}}));
    }

    void aCommandThatIsNoLineStaysAsItIs_data() {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<bool>("isLine");
        QTest::newRow("words") << QStringList{"a", "b c", "d\"e\""} << true;
        QTest::newRow("an empty word") << QStringList{"a", "", "b"} << false;
        QTest::newRow("a tab") << QStringList{"a", "b\tc"} << false;
        QTest::newRow("a new line") << QStringList{"a", "b\nc"} << false;
        QTest::newRow("as long as a line") << QStringList{"a", QString(kMostAlertLine - 2, 'x')} << true;
        QTest::newRow("longer than a line") << QStringList{"a", QString(kMostAlertLine - 1, 'x')} << false;
    }

    void aCommandThatIsNoLineStaysAsItIs() {
        QFETCH(QStringList, words);
        QFETCH(bool, isLine);
        const QJsonArray then{QJsonObject{{"command", QJsonArray::fromStringList(words)}}};
        const AlertDraft draft = AlertDraft::of(nightRule({{"then", then}}));
        QCOMPARE(!draft.command.isEmpty(), isLine);
        QCOMPARE(draft.rule().value("then").toArray(), then);
    }

    void aTimeOfQuietThatIsTakenAwayIsTheUsualOne() {
        Played on;
        QVERIFY(on.tell({nightRule({{"quiet_s", 60}})}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        on.line("quiet_s")->selectAll();
        QTest::keyClick(on.line("quiet_s"), Qt::Key_Delete);
        on.form.save()->click();
        QCOMPARE(on.last(), QString("PATCH alerts/night"));
        QCOMPARE(on.body().value("quiet_s").toInt(), 600);
    }

    void whatAKindDoesNotHaveIsNotAskedForAndNotSent() {
        Played on;
        on.choose("failure_rate");
        on.write("for_s", "60");
        QVERIFY(on.form.row("for_s")->isVisible());
        on.choose("action_finished");
        QVERIFY(!on.form.row("for_s")->isVisible());
        QVERIFY(!on.form.row("over")->isVisible());
        on.write("name", "mine");
        on.form.save()->click();
        QCOMPARE(on.body().value("on").toObject(), (QJsonObject{{"kind", "action_finished"}}));
    }

    void aRefusalGoesToTheFieldThatItNames() {
        Played on;
        on.write("name", "mine");
        on.write("hours", "late");
        on.form.save()->click();
        const QJsonObject json{{"field", "hours"}};
        QVERIFY(
            on.played.link.answer("alerts", Answer{200, {}, {}, {}, {}})); // the list, which was asked for first
        QVERIFY(on.played.link.answer("alerts",
                                      Answer{422, {}, json, "invalid", "Give \"hours\" as \"08:00-20:00\"."}));
        QVERIFY(on.form.row("hours")->problem().contains("08:00"));
        on.form.save()->click();
        QVERIFY(
            on.played.link.answer("alerts", Answer{409, {}, {}, "conflict", "There is an alert of that name."}));
        QCOMPARE(on.form.problem(), QString("There is an alert of that name."));
    }

    void aRuleIsSilencedAndTheSilenceEnded() {
        Played on;
        QVERIFY(on.tell({nightRule()}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        on.form.silence()->click();
        QCOMPARE(on.last(), QString("POST alerts/night/silence"));
        QCOMPARE(on.body().value("s").toInt(), 3'600);
        QVERIFY(on.played.link.answer("alerts/night/silence", nightRule({{"state", "silenced"}})));
        QVERIFY(on.tell({nightRule({{"state", "silenced"}})}));
        on.form.silence()->click();
        QCOMPARE(on.body().value("s").toInt(-1), 0);
    }

    void aRuleIsRemovedAfterAQuestion() {
        Played on;
        QVERIFY(on.tell({nightRule()}));
        on.form.table()->selectId(on.form.table()->rows()->idAt(0));
        on.form.remove()->click();
        QCOMPARE(on.last(), QString("DELETE alerts/night"));
        QVERIFY(on.played.link.answer("alerts/night", QJsonObject{{"name", "night"}}));
        QVERIFY(on.form.name().isEmpty());
    }

    void everyKindHasAName() {
        QCOMPARE(alertKinds().size(), alerts::kKinds);
        for (std::size_t i = 0; i < alerts::kKinds; ++i) {
            const std::string_view kind = alerts::kindWord(static_cast<alerts::Kind>(i));
            const QString word = QString::fromLatin1(kind.data(), static_cast<qsizetype>(kind.size()));
            QVERIFY2(alertKindTitle(word) != word, qPrintable(word));
        }
        QCOMPARE(alertKindTitle("of_a_later_engine"), QString("of_a_later_engine"));
    }
};

QTEST_MAIN(TestAlertForm)
#include "tst_alert_form.moc"
