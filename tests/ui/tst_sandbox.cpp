// The Sandbox tab: limits in force, what was denied, what may be allowed and that it is; and locks beside it.
#include "tests/ui/warm_worker.h"
#include "tests/ui/window_test.h"
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/sandbox_tab.h"
#include "ui/widgets/filter_popup.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/table.h"

#include <algorithm>

using namespace yard;
using namespace yard::ui;

namespace {

QString valueOf(const std::vector<Fact>& facts, const QString& name) {
    const auto found = std::ranges::find(facts, name, &Fact::name);
    return found == facts.end() ? QString() : found->value;
}

QJsonObject denial(const QString& what, const QString& path = {}) {
    return {{"t", 5'000'000}, {"what", what}, {"path", path}, {"errno", 1}, {"pid", 3}};
}

SandboxInput workerInput(const QJsonArray& denied, const QString& reason = "exit_code") {
    return {.action = {{"lsn", 7}, {"worker", "abc"}, {"state", "failed"}, {"reason", reason}, {"denied", denied}},
            .spec = {{"worker", "thumb"}, {"function", "f"}},
            .descriptor = {{"id", "abc"}, {"name", "thumb"}, {"memory_mb", 100}},
            .session = {{"sandbox", QJsonObject{{"workers", true}}}},
            .settings = {{"sandbox_network", "off"}, {"sandbox_tmp_mb", 64}, {"default_memory_mb", 0}}};
}

} // namespace

class TestSandbox : public test::WindowTest {
    Q_OBJECT

    DetailPanel* detail() { return qobject_cast<ActionsPage*>(window_->navigation().page())->detail(); }
    SandboxTab* tab() { return detail()->sandbox(); }
    bool hasSandbox() { return ask("GET", "session").json["sandbox"].toObject().value("holds").toBool(); }
    /// A program that wants what no sandbox allows.
    qint64 submitDenied() { return submit("denied", "unshare -U true; exit 3", {{"sandbox", true}}); }

private slots:
    void initTestCase() { QVERIFY(start("sandbox", {"--capacity", "4"})); }
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.reset(); }

    void limitsAreThoseOfTheDescriptorAndTheSettings() {
        SandboxInput in = workerInput({});
        in.descriptor.insert("limits", QJsonObject{{"processes", 8}, {"output_bytes", 1'000'000}});
        const auto facts = limitsInForce(in);
        QCOMPARE(valueOf(facts, "processes"), QString("8"));
        QCOMPARE(valueOf(facts, "open files"), QString("1,024"));
        QCOMPARE(valueOf(facts, "outputs"), Format().size(1'000'000));
        QCOMPARE(valueOf(facts, "largest file"), QString("no limit"));
        QCOMPARE(valueOf(facts, "memory"), Format().size(100 << 20));
        QCOMPARE(valueOf(facts, "/tmp"), Format().size(64 << 20));
        QCOMPARE(valueOf(facts, "network"), QString("none"));
        in.descriptor.insert("network", true);
        QCOMPARE(valueOf(limitsInForce(in), "network"), QString("asked for, not granted"));
        in.settings.insert("sandbox_network", "asked");
        QCOMPARE(valueOf(limitsInForce(in), "network"), QString("the machine's"));
        in.descriptor.insert("memory_mb", 0);
        in.settings.insert("default_memory_mb", 32);
        QCOMPARE(valueOf(limitsInForce(in), "memory"), Format().size(32 << 20));
        QCOMPARE(valueOf(limitsInForce(in), "/tmp"), Format().size(32 << 20)); // never more than its memory
    }

    void withoutASandboxItSaysSo() {
        SandboxInput in = workerInput({denial("connect")});
        in.session = {{"sandbox", QJsonObject{{"workers", false}}}};
        QCOMPARE(limitsInForce(in).size(), std::size_t{1});
        QVERIFY(valueOf(limitsInForce(in), "sandbox").contains("started without"));
        QVERIFY(grantsFor(in).empty());
        in = {.action = {{"worker", "exec"}}, .spec = {{"worker", "exec"}}, .session = in.session};
        QVERIFY(valueOf(limitsInForce(in), "sandbox").contains("exec"));
        in.spec = {};
        QVERIFY(limitsInForce(in).empty()); // nobody knows any more
    }

    void ofWhatWasDeniedTheNetworkCanBeAllowed() {
        SandboxInput in = workerInput({denial("mount", "/x"), denial("connect", "192.0.2.1:9")});
        QCOMPARE(remedyFor(denial("mount"), in), QString("no worker is allowed this"));
        QCOMPARE(remedyFor(denial("connect"), in), QString("the network can be allowed"));
        QVERIFY(remedyFor(denial("link"), in).contains("links"));
        auto grants = grantsFor(in);
        QCOMPARE(grants.size(), std::size_t{1});
        QCOMPARE(grants[0].kind, Grant::Kind::Network);
        QCOMPARE(grants[0].settings, (QJsonObject{{"sandbox_network", "asked"}}));
        QCOMPARE(grants[0].descriptor.value("network").toBool(), true);
        QVERIFY(!grants[0].descriptor.contains("id")); // it is hashed as it is posted
        in.descriptor.insert("network", true);
        grants = grantsFor(in);
        QVERIFY(grants[0].descriptor.isEmpty() && !grants[0].settings.isEmpty());
        in.settings.insert("sandbox_network", "asked");
        grants = grantsFor(in);
        QVERIFY(grants[0].descriptor.isEmpty() && grants[0].settings.isEmpty() && !grants[0].effect.isEmpty());
        in.descriptor = {}; // removed since
        QVERIFY(grantsFor(in).empty());
        QVERIFY(grantsFor(workerInput({denial("mount")})).empty());
    }

    void limitsThatWereTooSmallCanBeDoubled() {
        auto grants = grantsFor(workerInput({}, "memory"));
        QCOMPARE(grants.size(), std::size_t{1});
        QCOMPARE(grants[0].descriptor.value("memory_mb").toInteger(), qint64{200});
        grants = grantsFor(workerInput({}, "result_too_large"));
        QCOMPARE(grants.size(), std::size_t{1});
        const QJsonObject limits = grants[0].descriptor.value("limits").toObject();
        QCOMPARE(limits, (QJsonObject{{"output_files", 20'000}}));
        SandboxInput in = workerInput({}, "memory");
        in.descriptor.remove("memory_mb"); // nothing of ours limits it
        QVERIFY(grantsFor(in).empty());
    }

    void errorsHaveTheirNames() {
        QCOMPARE(nameOfError(1), QString("EPERM"));
        QCOMPARE(nameOfError(101), QString("ENETUNREACH"));
        QCOMPARE(nameOfError(0), QString("0"));
        QCOMPARE(nameOfError(9'999), QString("9,999"));
    }

    void anExecThatWasDeniedSomethingRunsAgainWithoutItsSandbox() {
        if (!hasSandbox()) QSKIP("no sandbox on this machine");
        const qint64 lsn = submitDenied();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lsn), QString("failed"), kSoon); // pending between its retries
        QTRY_VERIFY_WITH_TIMEOUT(
            !ask("GET", QStringLiteral("jobs/%1").arg(lsn)).json.value("denied").toArray().isEmpty(), kSoon);
        window_->navigation().showAction(lsn, "sandbox");
        QTRY_VERIFY_WITH_TIMEOUT(tab()->isVisible() && tab()->denied()->rows()->rowCount() > 0, kSoon);
        QCOMPARE(tab()->denied()->rows()->cell(0, 1).text, QString("unshare"));
        QCOMPARE(tab()->denied()->rows()->cell(0, 3).text, QString("EPERM"));
        QTRY_VERIFY_WITH_TIMEOUT(valueOf(tab()->limits()->facts(), "processes") == "256", kSoon);
        QCOMPARE(tab()->grantButtons().size(), std::size_t{1});
        answerNext("keep");
        QTest::mouseClick(tab()->grantButtons()[0], Qt::LeftButton);
        QCOMPARE(detail()->lsn(), lsn);
        // By the row's own button.
        const Table* table = tab()->denied();
        const QRect cell = table->visualRect(table->rows()->index(0, table->rows()->columnCount() - 1));
        answerNext("verb");
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QTRY_VERIFY_WITH_TIMEOUT(detail()->lsn() > lsn, kSoon);
        const QJsonObject spec = ask("GET", QStringLiteral("jobs/%1/spec").arg(detail()->lsn())).json;
        QCOMPARE(spec.value("sandbox"), QJsonValue(false));
        QTRY_VERIFY_WITH_TIMEOUT(valueOf(tab()->limits()->facts(), "sandbox").startsWith("none"), kSoon);
    }

    void allowingTheNetworkChangesTheSettingRegistersTheWorkerAnewAndRunsItAgain() {
        if (!hasSandbox()) QSKIP("no sandbox on this machine");
        const QString worker = test::registerWarmWorker(window_->engine().state()->link(), "reach", "1.0", {});
        QVERIFY(!worker.isEmpty());
        window_->navigation().show("actions");
        SandboxInput in = workerInput({denial("connect", "192.0.2.1:9")});
        in.action.insert("worker", worker);
        in.spec = {{"worker", "reach"}, {"function", "add"}, {"args", QJsonObject{{"a", 1}, {"b", 2}}}};
        in.descriptor = ask("GET", "workers/" + worker).json;
        tab()->show(in.action, in.spec);
        const auto grants = grantsFor(in);
        QCOMPARE(grants.size(), std::size_t{1});
        answerNext("verb");
        tab()->allow(grants[0]);
        QTRY_VERIFY_WITH_TIMEOUT(detail()->lsn() != 0, kSoon);
        QCOMPARE(ask("GET", "settings").json.value("sandbox_network").toString(), QString("asked"));
        const QJsonObject action = ask("GET", QStringLiteral("jobs/%1").arg(detail()->lsn())).json;
        QVERIFY(action.value("worker").toString() != worker);
        const QJsonObject again = ask("GET", "workers/" + action.value("worker").toString()).json;
        QVERIFY(again.value("network").toBool());
        QCOMPARE(again.value("files"), in.descriptor.value("files"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(detail()->lsn()), QString("completed"), kSoon);
    }

    void whatCannotBeRegisteredIsSaidAndNothingRuns() {
        window_->navigation().show("actions");
        const SandboxInput in = workerInput({denial("connect")}); // a descriptor that lacks nearly everything
        tab()->show(in.action, in.spec);
        const auto newest = [this] {
            const QJsonArray found = jobs({}, 1);
            return found.isEmpty() ? qint64{0} : found[0]["lsn"].toInteger();
        };
        const qint64 before = newest();
        answerNext("verb");
        Grant grant = grantsFor(in)[0];
        grant.settings = {};
        tab()->allow(grant);
        QCOMPARE(newest(), before);
        QCOMPARE(detail()->lsn(), qint64{0});
    }

    void whoHoldsAndWhoWaitsForALockStandsBesideTheAction() {
        const qint64 holder = submit("holds", "sleep 600", {{"locks", QJsonArray{"app:kiln"}}});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(holder), QString("running"), kSoon);
        const qint64 waiter = submit("waits", "true", {{"locks", QJsonArray{"app:kiln"}}});
        window_->navigation().showAction(holder, "output");
        const auto fact = [this](const QString& name) { return valueOf(detail()->locks()->facts(), name); };
        QTRY_COMPARE_WITH_TIMEOUT(fact("app:kiln"), QString("held by this one"), kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(fact("waiting for it"), QString("1"), kSoon);
        QVERIFY(detail()->locks()->isVisible());
        window_->navigation().showAction(waiter, "output");
        QTRY_COMPARE_WITH_TIMEOUT(fact("app:kiln"), QStringLiteral("held by %1").arg(QLocale().toString(holder)),
                                  kSoon);
        QCOMPARE(detail()->locks()->facts()[0].target, QString::number(holder));
        // Names of locks are offered in the filter, with how many ask for them.
        auto* field = window_->navigation().page()->findChild<FilterField*>();
        field->setFocus();
        QTest::keyClicks(field, "lock:ki");
        const auto offered = [field] {
            const auto* popup = field->popup();
            return popup != nullptr && popup->hasChoices() && popup->choices()[0].text == "app:kiln" &&
                   popup->choices()[0].count == 2;
        };
        QTRY_VERIFY_WITH_TIMEOUT(offered(), kSoon);
        field->clear();
        QTest::keyClicks(field, "machine:");
        QTRY_VERIFY_WITH_TIMEOUT(field->popup()->hasChoices() &&
                                     field->popup()->choices()[0].text ==
                                         window_->engine().state()->machineName() &&
                                     field->popup()->choices()[0].count > 0,
                                 kSoon);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!field->popup()->hasChoices());
        ask("POST", "jobs/cancel", QJsonObject{{"lsns", QJsonArray{holder, waiter}}});
        window_->navigation().showAction(holder, "output");
        QTRY_VERIFY_WITH_TIMEOUT(detail()->locks()->facts().empty(), kSoon); // it has ended
    }
};

QTEST_MAIN(TestSandbox)
#include "tst_sandbox.moc"
