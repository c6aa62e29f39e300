// The page Machines over a link that is played: what its rows say, what its commands ask for, how a machine is added.
#include "tests/ui/played_page.h"
#include "ui/pages/machines/add_machine.h"
#include "ui/pages/machines/allocator_form.h"
#include "ui/pages/machines/allocator_strip.h"
#include "ui/pages/machines/machine_address.h"
#include "ui/pages/machines/machine_dialogs.h"
#include "ui/pages/machines/machine_panel.h"
#include "ui/pages/machines/machines_page.h"
#include "ui/style/format.h"
#include "ui/style/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGuiApplication>
#include <QJsonObject>
#include <QLineEdit>
#include <QLocale>
#include <QMimeData>
#include <QPointer>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTest>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr qint64 kSecond = 1'000'000;
constexpr qint64 kMinute = 60 * kSecond;

QJsonObject machine(qint64 id, const QString& name, const QString& state, QJsonObject more = {}) {
    QJsonObject json{{"id", id},       {"name", name}, {"kind", id == 0 ? "local" : "joined"},
                     {"state", state}, {"slots", 8},   {"running", 0},
                     {"waiting", 0},   {"cores", 8},   {"memory_bytes", qint64{16'000'000'000}}};
    for (auto it = more.begin(); it != more.end(); ++it) json.insert(it.key(), it.value());
    return json;
}

QJsonObject fleet() {
    const qint64 now = wallNow();
    return {{"machines",
             QJsonArray{machine(0, "forge", "ready", {{"running", 2}}),
                        machine(1, "anvil", "busy",
                                {{"running", 3}, {"waiting", 1}, {"address", "10.0.0.7:4100"}, {"version", "0.9"}}),
                        machine(2, "press", "silent",
                                {{"running", 3}, {"since", now - 200 * kMinute}, {"lost_at", now + 345 * kMinute}}),
                        machine(3, "kiln", "draining", {{"running", 9}}),
                        machine(4, "loom", "refused", {{"reason", "another protocol"}}),
                        machine(5, "mill", "paused")}}};
}

class Played {
public:
    Played() {
        page.resize(1'200, 700);
        page.show();
        page.setActive(true);
    }
    bool tell(const QJsonObject& json) { return played.link.answer("machines", json); }
    QString cell(qint64 machine, int column) {
        const TableModel* rows = page.table()->rows();
        return rows->cell(rows->rowOf(machine + 1), column).text;
    }
    QAction* command(const char* id) {
        for (QAction* each : page.commands())
            if (each->objectName() == QLatin1String(id)) return each;
        return nullptr;
    }
    /// The newest question, as "METHOD path body".
    QString last() {
        const auto& [request, context, done] = played.link.asked.back();
        return QString::fromLatin1(request.method + ' ' + request.path.toLatin1() + ' ' + request.body).trimmed();
    }
    AddMachine* adding() {
        command("add")->trigger();
        return page.adding();
    }

    test::PlayedContext played;
    MachinesPage page{played.context()};
};

} // namespace

class TestMachinesPage : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName("yardmaster-test-machines-page");
        QSettings().clear();
        theme_ = std::make_unique<Theme>(nullptr);
    }

    void aRowSaysItsStateAndTheNextThingOneWouldAsk() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QCOMPARE(on.cell(0, 1), QString("Ready"));
        QCOMPARE(on.cell(1, 1), QString("Busy"));
        QCOMPARE(on.cell(1, 10), QString("full"));
        QVERIFY2(on.cell(2, 1).startsWith("Silent 3 h"), qPrintable(on.cell(2, 1)));
        QVERIFY2(on.cell(2, 10).startsWith("counts as lost in 5 h"), qPrintable(on.cell(2, 10)));
        QVERIFY2(on.cell(2, 10).contains("its 3 "), qPrintable(on.cell(2, 10)));
        QVERIFY2(on.cell(3, 10).contains('9'), qPrintable(on.cell(3, 10)));
        QCOMPARE(on.cell(4, 10), QString("another protocol"));
        QCOMPARE(on.cell(5, 10), QString("has nothing, gets nothing new"));
        QVERIFY2(on.page.note().startsWith("6, "), qPrintable(on.page.note()));
    }

    void figuresOfOthersAreKnownOrAbsent() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QCOMPARE(on.cell(1, 3), QString("8"));
        QCOMPARE(on.cell(1, 4), Format::unknown() + " of 8.00");
        QCOMPARE(on.cell(1, 5), Format::unknown() + " of " + Format().size(16'000'000'000));
        QCOMPARE(on.cell(1, 7), QString("3"));
        QCOMPARE(on.cell(1, 8), QString("1"));
        QCOMPARE(on.cell(1, 9), QString("0.9"));
        QCOMPARE(on.cell(2, 9), Format::unknown());
        QCOMPARE(on.cell(0, 2), Format::unknown());
    }

    void allocatorsSayWhatTheyDecidedAndArePausedAndResumed() {
        Played on;
        const AllocatorStrip* strip = on.page.allocators();
        QVERIFY(!strip->isVisible());
        const auto tell = [&](const char* state) {
            const QJsonObject night{{"name", "night"}, {"state", state}, {"decision", "2 machines wanted"}};
            const QJsonObject cloud{{"name", "cloud"}, {"state", "active"}, {"decision", "nothing waits"}};
            return on.played.link.answer("allocators", QJsonObject{{"allocators", QJsonArray{night, cloud}}});
        };
        QVERIFY(tell("active"));
        QVERIFY(strip->isVisible());
        QCOMPARE(strip->count(), 2);
        QCOMPARE(strip->sentence(0), QString("2 machines wanted"));
        QCOMPARE(strip->sentence(1), QString("nothing waits"));
        strip->steers(0)->click();
        QCOMPARE(on.last(), QString("POST allocators/night/pause"));
        QVERIFY(on.played.link.answer("allocators/night/pause", QJsonObject{}));
        QVERIFY(tell("paused"));
        QCOMPARE(strip->steers(0)->text(), QString("Resume"));
        QCOMPARE(strip->steers(1)->text(), QString("Pause"));
        strip->steers(0)->click();
        QCOMPARE(on.last(), QString("POST allocators/night/resume"));
        QVERIFY(on.played.link.answer("allocators/night/resume", QJsonObject{}));
        QVERIFY(on.played.link.answer("allocators", QJsonObject{{"allocators", QJsonArray{}}}));
        QCOMPARE(strip->count(), 0);
        QVERIFY(!strip->isVisible());
    }

    void anAllocatorIsAddedByItsForm() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QVERIFY(on.played.link.answer("allocators", QJsonObject{{"allocators", QJsonArray{}}}));
        on.adding()->choose(AddMachine::Way::Allocator);
        QTRY_VERIFY(on.page.adding() == nullptr);
        auto* dialog = on.page.findChild<AllocatorDialog*>();
        QVERIFY(dialog != nullptr);
        AllocatorForm* form = dialog->form();
        QVERIFY(!form->save()->isEnabled()); // it has no name
        form->findChild<QLineEdit*>("allocator-name")->setText("night");
        QVERIFY(form->save()->isEnabled());
        QVERIFY(!form->findChild<QLineEdit*>("allocator-start")->isVisible());
        form->findChild<QLineEdit*>("allocator-partition")->setText("long");
        form->save()->click();
        QCOMPARE(on.last(),
                 QString(R"(POST allocators {"cores":1,"idle_s":300,"keep":false,"kind":"slurm","max":1,)"
                         R"("memory_mb":0,"min":0,"name":"night","partition":"long","program":"yardmaster",)"
                         R"("walltime_s":3600})"));
        QVERIFY(on.played.link.answer("allocators", Answer{422, {}, {}, "invalid", "No such partition."}));
        QCOMPARE(form->note(), QString("No such partition."));
        auto* kind = form->findChild<QComboBox*>("allocator-kind");
        kind->setCurrentIndex(kind->findData("command"));
        QVERIFY(!form->save()->isEnabled()); // it wants its three commands
        for (const char* field : {"allocator-start", "allocator-list", "allocator-stop"})
            form->findChild<QLineEdit*>(field)->setText("true");
        form->save()->click();
        QVERIFY2(on.last().contains(R"("start":"true","stop":"true")"), qPrintable(on.last()));
        const QPointer<AllocatorDialog> open(dialog);
        QVERIFY(on.played.link.answer("allocators", QJsonObject{{"name", "night"}}));
        QTRY_VERIFY(open.isNull());
    }

    void anAllocatorIsChangedByWhatDiffersAndRemoved() {
        Played on;
        const QJsonObject night{{"name", "night"},     {"kind", "slurm"}, {"state", "active"}, {"decision", "x"},
                                {"walltime_s", 3'690}, {"cores", 0.5},    {"max", 4},          {"idle_s", 300}};
        QVERIFY(on.played.link.answer("allocators", QJsonObject{{"allocators", QJsonArray{night}}}));
        const AllocatorStrip* strip = on.page.allocators();
        strip->changes(0)->click();
        AllocatorForm* form = on.page.findChild<AllocatorDialog*>()->form();
        QVERIFY(!form->findChild<QLineEdit*>("allocator-name")->isEnabled());
        form->findChild<QSpinBox*>("allocator-max")->setValue(6);
        form->save()->click();
        QCOMPARE(on.last(), QString(R"(PATCH allocators/night {"max":6})"));
        const QPointer<AllocatorForm> open(form);
        QVERIFY(on.played.link.answer("allocators/night", QJsonObject{{"name", "night"}}));
        QTRY_VERIFY(open.isNull());
        strip->removes(0)->click();
        QCOMPARE(on.last(), QString("DELETE allocators/night"));
    }

    void hoursAreSetAndWhatIsWrongWithThemIsSaid() {
        Played on;
        QVERIFY(on.tell({{"machines", QJsonArray{machine(0, "forge", "ready"),
                                                 machine(1, "anvil", "ready", {{"hours", "sat 00:00-24:00"}})}}}));
        on.page.setFilter("anvil");
        on.command("hours")->trigger();
        auto* dialog = on.page.findChild<MachineHours*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->rules()->text(), QString("sat 00:00-24:00"));
        dialog->rules()->setText("some day");
        dialog->save()->click();
        QCOMPARE(on.last(), QString(R"(PATCH machines/1 {"hours":"some day"})"));
        QVERIFY(on.played.link.answer("machines/1", Answer{422, {}, {}, "invalid", "No such day."}));
        QCOMPARE(dialog->problem(), QString("No such day."));
        dialog->rules()->setText("");
        QVERIFY(dialog->problem().isEmpty());
        dialog->save()->click();
        QCOMPARE(on.last(), QString(R"(PATCH machines/1 {"hours":""})"));
        const QPointer<MachineHours> open(dialog);
        QVERIFY(on.played.link.answer("machines/1", machine(1, "anvil", "ready")));
        QTRY_VERIFY(open.isNull());
    }

    void aMachineThatWasAskedForSaysByWhom() {
        const auto machines = readMachines(
            {{"machines",
              QJsonArray{machine(1, "night-ab12", "ready", {{"kind", "allocated"}, {"allocator", "night"}})}}});
        QCOMPARE(machineKindWords(machines.at(0)), QString("asked for by night"));
    }

    void ofThisMachineTheSessionSaysWhatIsTaken() {
        const TakenHere taken =
            takenHere({{"machine", QJsonObject{{"taken", QJsonObject{{"cores", 3.5}, {"memory_mb", 1'024}}}}}});
        const auto machines = readMachines(fleet());
        const Row row = machineRow(machines[0], taken, wallNow());
        QCOMPARE(row.cells[4].text, QString("3.50 of 8.00"));
        QCOMPARE(row.cells[4].share.value_or(-1), 3.5 / 8);
        QVERIFY(row.cells[5].share.value_or(0) > 0.06);
        QVERIFY(!takenHere({}).cores);
        QVERIFY(!takenHere({}).gpus);
        QCOMPARE(row.cells[6].text, Format::unknown());
    }

    void itsGpusAreThoseGivenOfAllAndThoseLost() {
        const QJsonArray list{QJsonObject{{"index", "0"}, {"lost", "it has fallen off the bus"}},
                              QJsonObject{{"index", "1"}}};
        const TakenHere taken =
            takenHere({{"machine", QJsonObject{{"taken", QJsonObject{{"gpus", 0.5}}}, {"gpus_list", list}}}});
        const auto machines =
            readMachines({{"machines", QJsonArray{machine(0, "forge", "ready", {{"gpus", 2}, {"gpus_free", 0.5}}),
                                                  machine(1, "anvil", "ready")}}});
        const Row row = machineRow(machines[0], taken, wallNow());
        QCOMPARE(row.cells[6].text, QString("0.50 of 2.00"));
        QCOMPARE(row.cells[6].tip, QString("GPU 0 is lost: it has fallen off the bus"));
        const Row other = machineRow(machines[1], taken, wallNow());
        QCOMPARE(other.cells[6].text, Format::unknown());
        QVERIFY(other.cells[6].tip.isEmpty());
        QCOMPARE(machineColumns()[6].id, QString("gpus"));
        QCOMPARE(machineColumns().size(), row.cells.size());
        MachinePanel panel;
        const auto texts = [&panel] {
            QStringList all;
            for (const auto* facts : panel.findChildren<Facts*>())
                for (const Fact& fact : facts->facts()) all << fact.name << fact.value;
            return all.join('|');
        };
        panel.show(machines[0], taken, wallNow());
        QVERIFY(texts().contains("GPU 0 is lost"));
        panel.show(machines[1], taken, wallNow());
        QVERIFY(!texts().contains("GPU"));
    }

    void machinesAreNamedForFilters() {
        Played on;
        QVERIFY(on.played.state.machineNames().isEmpty());
        QVERIFY(on.tell(fleet()));
        QCOMPARE(on.played.state.machineNames(), QStringList({"forge", "anvil", "press", "kiln", "loom", "mill"}));
    }

    void machinesThatAnswerAreCounted() {
        Played on;
        QVERIFY(on.tell(fleet()));
        const auto count = on.played.state.machines();
        QVERIFY(count);
        QCOMPARE(count->here, 4);
        QCOMPARE(count->all, 6);
        on.page.takeUpdates();
        QVERIFY(on.tell({{"machines", QJsonArray{machine(0, "forge", "ready")}}}));
        QVERIFY(!on.played.state.machines());
    }

    void thisMachineAloneSaysHowToAddOne() {
        Played on;
        QVERIFY(on.tell({{"machines", QJsonArray{machine(0, "forge", "ready")}}}));
        QVERIFY(on.page.isAlone());
        on.page.takeUpdates();
        QVERIFY(on.tell(fleet()));
        QVERIFY(!on.page.isAlone());
    }

    void commandsSayWhyTheyCannotBeGiven() {
        Played on;
        QVERIFY(on.tell(fleet()));
        for (const char* id : {"drain", "resume", "pause", "remove", "show-actions"})
            QVERIFY2(!on.command(id)->isEnabled(), id);
        on.page.open(0);
        QVERIFY(blockedWhy(on.command("drain")).contains("own machine"));
        QVERIFY(on.command("show-actions")->isEnabled());
        on.page.open(1);
        QVERIFY(on.command("drain")->isEnabled());
        QVERIFY(on.command("pause")->isEnabled());
        QVERIFY(!on.command("resume")->isEnabled());
        on.page.open(3);
        QVERIFY(!on.command("drain")->isEnabled());
        QVERIFY(on.command("resume")->isEnabled());
        on.page.open(4);
        QVERIFY2(on.command("resume")->isEnabled(), "one that was refused may come again");
        on.page.open(5);
        QVERIFY(!on.command("pause")->isEnabled());
        QVERIFY(!on.command("copy-address")->isEnabled());
    }

    void commandsAskForWhatTheySay() {
        Played on;
        QVERIFY(on.tell(fleet()));
        on.page.open(1);
        on.command("drain")->trigger();
        QCOMPARE(on.last(), QString("POST machines/1/drain"));
        QCOMPARE(on.page.yardctlOf(on.command("drain")), QString("yardctl machines drain 1"));
        on.command("pause")->trigger();
        QCOMPARE(on.last(), QString(R"(PATCH machines/1 {"paused":true})"));
        on.page.open(5);
        on.command("resume")->trigger();
        QCOMPARE(on.last(), QString("POST machines/5/resume"));
        on.command("remove")->trigger();
        QCOMPARE(on.last(), QString("DELETE machines/5"));
        on.page.open(1);
        on.command("remove")->trigger();
        QCOMPARE(on.last(), QString(R"(DELETE machines/1 {"force":true})"));
        QCOMPARE(on.page.yardctlOf(on.command("remove")), QString("yardctl machines remove 1 --force"));
        on.command("copy-address")->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("10.0.0.7:4100"));
    }

    void whatThePageShowsHasALine() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl machines"));
        on.page.open(2);
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl machines show 2"));
        QVERIFY(on.page.panel()->isVisible());
        QVERIFY(on.page.closeInnermost());
        QVERIFY(!on.page.panel()->isVisible());
        QVERIFY(!on.page.closeInnermost());
    }

    void aMenuDoesNotHoldTheRows() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QWidget* viewport = on.page.table()->viewport();
        const QPoint below(20, viewport->height() - 5);
        const TableModel* rows = on.page.table()->rows();
        QTest::mousePress(viewport, Qt::RightButton, {}, below);
        QVERIFY(!rows->isFrozen());
        QTest::mouseRelease(viewport, Qt::RightButton, {}, below);
        QTest::mousePress(viewport, Qt::LeftButton, {}, below);
        QVERIFY(rows->isFrozen());
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, below);
        QVERIFY(!rows->isFrozen());
    }

    void aNameThatComesBeforeTheMachinesIsSelectedThen() {
        Played on;
        on.page.setFilter("kiln");
        QVERIFY(on.tell(fleet()));
        QCOMPARE(on.page.asOperation().yardctl, QString("yardctl machines show 3"));
    }

    void whatAMachineCallsItselfCannotTurnTheText() {
        Played on;
        const QString turning = QString("a") + QChar(0x202e) + "b";
        QVERIFY(on.tell({{"machines", QJsonArray{machine(0, "forge", "ready"), machine(1, turning, turning)}}}));
        QVERIFY(!on.cell(1, 0).contains(QChar(0x202e)));
        QVERIFY(!on.cell(1, 1).contains(QChar(0x202e)));
    }

    void anEngineThatCannotTellSaysWhy() {
        Played on;
        QVERIFY(on.played.link.answer("machines", Answer{500, {}, {}, "internal", "It broke."}));
        QCOMPARE(on.page.table()->rows()->rowCount(), 0);
        QVERIFY(!on.page.isAlone());
    }

    // --- adding one

    void aTokenBecomesTheCommandForTheOtherMachine() {
        Played on;
        AddMachine* form = on.adding();
        QVERIFY(form != nullptr);
        QCOMPARE(on.adding(), form);
        form->makeToken()->click();
        QCOMPARE(on.last(), QString(R"(POST machines/tokens {"expires_s":3600,"uses":1})"));
        QVERIFY(on.played.link.answer("machines/tokens", QJsonObject{{"id", 1},
                                                                     {"token", "abc.def"},
                                                                     {"url", "https://forge:8640"},
                                                                     {"expires", wallNow() + 3'600 * kSecond}}));
        QCOMPARE(form->command(),
                 QString("YARD_JOIN_TOKEN=abc.def yardmaster --headless --join https://forge:8640"));
        QVERIFY(form->note().contains("once"));
        QVERIFY(!form->note().contains("--listen"));
        form->copy()->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), form->command());
        for (const auto& record : on.played.commands.records())
            QVERIFY2(!record.result.contains("abc.def"), "a token is kept");
    }

    void anEngineOnLoopbackSaysThatOthersCannotReachIt() {
        Played on;
        AddMachine* form = on.adding();
        form->makeToken()->click();
        QVERIFY(on.played.link.answer("machines/tokens",
                                      QJsonObject{{"token", "abc"}, {"url", "http://127.0.0.1:8640"}}));
        QVERIFY(form->note().contains("--listen"));
    }

    void anEngineWithoutJoinTokensSaysHowElse() {
        for (const int status : {404, 405}) {
            Played on;
            AddMachine* form = on.adding();
            form->makeToken()->click();
            QVERIFY(on.played.link.answer("machines/tokens", Answer{status, {}, {}, "not_found", "No."}));
            QVERIFY(form->note().contains("makes no join tokens"));
            QVERIFY(form->note().contains("--right admin"));
            QVERIFY2(form->command().endsWith("--join http://played"), qPrintable(form->command()));
        }
    }

    void whatTheEngineRefusesIsSaid() {
        Played on;
        AddMachine* form = on.adding();
        form->makeToken()->click();
        QVERIFY(on.played.link.answer("machines/tokens", Answer{403, {}, {}, "forbidden", "Only the owner may."}));
        QCOMPARE(form->note(), QString("Only the owner may."));
        QVERIFY(form->command().isEmpty());
    }

    void aMachineIsAddedOnceItsKeyIsConfirmed() {
        Played on;
        QVERIFY(on.tell(fleet()));
        AddMachine* form = on.adding();
        form->choose(AddMachine::Way::Address);
        QVERIFY(!form->makeToken()->isVisible() && form->address()->add()->isVisible());
        QVERIFY(!form->address()->add()->isEnabled());
        form->address()->findChild<QLineEdit*>("address")->setText("https://attic:8640");
        QVERIFY(!form->address()->add()->isEnabled()); // its engine wants a token
        form->address()->findChild<QLineEdit*>("token")->setText("secret");
        form->address()->add()->click();
        QCOMPARE(on.last(), QString("POST machines {\"address\":\"https://attic:8640\",\"token\":\"secret\"}"));
        const QString shown(64, 'a');
        QVERIFY(on.played.link.answer(
            "machines",
            Answer{409, {}, QJsonObject{{"error", "fingerprint"}, {"fingerprint", shown}}, "fingerprint", "x"}));
        QVERIFY2(form->address()->note().contains(shown), qPrintable(form->address()->note()));
        form->address()->add()->click();
        QCOMPARE(
            on.last(),
            QString(
                "POST machines {\"address\":\"https://attic:8640\",\"fingerprint\":\"%1\",\"token\":\"secret\"}")
                .arg(shown));
        QVERIFY(on.played.link.answer("machines", Answer{422, {}, {}, "invalid", "No."}));
        QCOMPARE(form->address()->note(), QString("No."));
        // What is typed now is another machine's, whose key nobody has confirmed.
        form->address()->findChild<QLineEdit*>("address")->setText("https://cellar:8640");
        form->address()->add()->click();
        QCOMPARE(on.last(), QString("POST machines {\"address\":\"https://cellar:8640\",\"token\":\"secret\"}"));
        const QPointer<AddMachine> open(form);
        QVERIFY(on.played.link.answer("machines", machine(6, "cellar", "ready")));
        QTRY_VERIFY(open.isNull());
        for (const auto& record : on.played.commands.records())
            QVERIFY2(!record.result.contains("secret"), "a token is kept");
    }

    void aMachineBySshTakesNoToken() {
        Played on;
        QVERIFY(on.tell(fleet()));
        QMimeData dropped;
        dropped.setText("ssh://me@attic\n");
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&on.page, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({10, 10}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&on.page, &drop);
        AddMachine* form = on.page.adding();
        QVERIFY(form != nullptr);
        QVERIFY(!form->address()->findChild<QLineEdit*>("token")->isVisible());
        form->address()->findChild<QCheckBox*>("install")->setChecked(true);
        form->address()->findChild<QLineEdit*>("name")->setText("loft");
        form->address()->add()->click();
        QCOMPARE(on.last(),
                 QString("POST machines {\"address\":\"ssh://me@attic\",\"install\":true,\"name\":\"loft\"}"));
        QVERIFY(!form->address()->add()->isEnabled());
        QVERIFY(on.played.link.answer("machines", Answer{422, {}, {}, "invalid", "The disk on attic is full."}));
        QCOMPARE(form->address()->note(), QString("The disk on attic is full."));
        QVERIFY(form->address()->add()->isEnabled());
    }

    void coresThatTheEngineWouldRefuseAreNotAskedFor() {
        Played on;
        AddMachine* form = on.adding();
        const std::size_t before = on.played.link.asked.size();
        auto* cores = form->findChild<QLineEdit*>("cores");
        for (const char* wrong : {"many", "0", "-1", "1.5", "4097"}) {
            cores->setText(wrong);
            form->makeToken()->click();
            QCOMPARE(on.played.link.asked.size(), before);
        }
        cores->setText("4");
        form->makeToken()->click();
        QCOMPARE(on.last(), QString(R"(POST machines/tokens {"expires_s":3600,"max_cores":4,"uses":1})"));
    }
};

QTEST_MAIN(TestMachinesPage)
#include "tst_machines_page.moc"
