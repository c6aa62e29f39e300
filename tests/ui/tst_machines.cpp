// The page Machines on real programs: a second engine joins the first one over loopback, is seen, steered and removed,
// by keys and by mouse.
#include "tests/ui/numbers_test.h"
#include "ui/pages/machines/machine_panel.h"
#include "ui/pages/machines/machines_page.h"
#include "ui/style/format.h"

using namespace yard;
using namespace yard::ui;

class TestMachines : public test::NumbersTest {
    Q_OBJECT

    test::RealEngine guest_;

    MachinesPage* page() { return at<MachinesPage>("machines"); }
    Table* table() { return page()->table(); }
    /// What the engine says of the one that joined; empty: there is none.
    QJsonObject joined() { return ask("GET", "machines").json.value("machines").toArray().at(1).toObject(); }
    qint64 row() { return joined().value("id").toInteger(-2) + 1; }
    QString stateShown() { return paintedRow(table(), row(), "state"); }
    QAbstractButton* button(const QString& text) {
        for (auto* each : page()->findChildren<QAbstractButton*>())
            if (each->text() == text && each->isVisible()) return each;
        return nullptr;
    }

private slots:
    void initTestCase() {
        QVERIFY(start("machines", {"--capacity", "2"}));
        QVERIFY(openWindow());
        const QString yard = QStringLiteral("http://127.0.0.1:%1").arg(engine_.port());
        const QJsonObject desk{{"name", "desk"}, {"rights", "admin"}};
        guest_.setArguments({"--capacity", "2", "--set", "guest_unsandboxed=on", "--join", yard, "--join-token",
                             ask("POST", "tokens", desk).json.value("token").toString()});
    }
    void cleanupTestCase() {
        window_.reset();
        guest_.kill();
        engine_.kill();
    }

    void thisMachineAloneOffersToAddOne() {
        press(Qt::Key_8, Qt::ControlModifier);
        QCOMPARE(window_->navigation().pageId(), QString("machines"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isAlone(), kSoon);
        QCOMPARE(table()->rows()->rowCount(), 1);
    }

    void oneThatJoinsStandsBelowThisOne() {
        QVERIFY(guest_.start());
        QTRY_VERIFY_WITH_TIMEOUT(stateShown() == "Ready", kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(!page()->isAlone(), kSoon);
        QCOMPARE(table()->rows()->rowCount(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(window_->engine().state()->machines().has_value(), kSoon);
    }

    void itsNumbersAreTheEngines() {
        agree(6, [this]() -> test::Numbers {
            const Format format;
            const QJsonObject told = joined();
            const auto of = [&](const char* member) { return told.value(QLatin1String(member)).toInteger(); };
            test::Numbers all;
            addCell(all, table(), row(), "slots", grouped(of("slots")));
            addCell(all, table(), row(), "cores",
                    Format::unknown() + " of " + format.cores(told.value("cores").toDouble()));
            addCell(all, table(), row(), "memory", Format::unknown() + " of " + format.size(of("memory_bytes")));
            addCell(all, table(), row(), "running", grouped(of("running")));
            addCell(all, table(), row(), "waiting", grouped(of("waiting")));
            for (auto* item : window_->findChildren<RailItem*>())
                if (item->text() == "Machines") all.push_back({"rail", shown(item), "Machines 2 / 2"});
            return all;
        });
    }

    void itIsPausedByMouseAndResumedFromTheMenu() {
        QTRY_VERIFY_WITH_TIMEOUT(stateShown() == "Ready", kSoon);
        clickRow(table(), row());
        QTRY_VERIFY_WITH_TIMEOUT(page()->panel()->isVisible(), kSoon);
        QAbstractButton* pause = button("Pause");
        QVERIFY(pause != nullptr);
        click(pause, pause->rect().center());
        QTRY_VERIFY_WITH_TIMEOUT(stateShown() == "Paused", kSoon);
        clickInMenu("Resume");
        rightClickRow(table(), row());
        QTRY_VERIFY_WITH_TIMEOUT(stateShown() == "Ready", kSoon);
    }

    void oneThatIsGoneIsRemovedByKeysAfterAQuestion() {
        guest_.kill();
        QTRY_VERIFY_WITH_TIMEOUT(joined().value("state").toString() == "connecting", kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(stateShown() == "Connecting", kSoon);
        table()->setFocus();
        table()->selectId(row());
        QTRY_VERIFY_WITH_TIMEOUT(page()->panel()->isVisible(), kSoon);
        answerNext("verb");
        press(Qt::Key_Delete, Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(joined().isEmpty(), kSoon);
        // The menu took the release of its click, so rows come when they are asked for.
        const auto isAlone = [this] {
            page()->takeUpdates();
            return table()->rows()->rowCount() == 1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isAlone(), kSoon);
    }
};

QTEST_MAIN(TestMachines)
#include "tst_machines.moc"
