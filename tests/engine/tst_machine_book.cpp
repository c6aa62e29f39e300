// What the journal has of machines and of what they were given: what was written is read back, what says nothing is left out.
#include "core/engine/machines/machine_book.h"

#include <QTest>

#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

store::DocumentRow rowOf(const store::DocumentChange& change) {
    return {.kind = change.kind, .name = change.name, .body = change.body.value_or("")};
}

KeptMachine machine() {
    return {.key = "token\ndesk",
            .name = "desk",
            .platform = "linux-x86_64",
            .version = "0.1.0",
            .runId = "run",
            .milliCores = 2'500,
            .memoryMb = 512,
            .tags = {"render", "g\"pu"},
            .wish = fleet::Gate::Draining,
            .mostMilliCores = 1'500,
            .mostMemoryMb = 400,
            .hours = "mon-fri 19:00-07:00",
            .utcOffset = -210,
            .takesWorkers = true,
            .isRemoved = true};
}

KeptLease lease(std::uint32_t attempt = 3) {
    return {.attempt = attempt,
            .runId = "a run",
            .lease = std::chrono::seconds(20),
            .holder = documentOf(machine().key)};
}

} // namespace

class TestMachineBook : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWasKeptIsReadBack();
    void onlyTheNextAttemptIsOut();
    void leasesOfMachinesThatAreNotThereSayNothing();
    void leasesOfAMachineThatCannotBeReadAreOutStill();
    void whatCannotBeReadIsLeftOut_data();
    void whatCannotBeReadIsLeftOut();
    void whatIsForgottenHasNoBody();
    void aMachineHasASlotForEachCoreAndAsManyOthers();
};

void TestMachineBook::whatWasKeptIsReadBack() {
    const MachineBook book =
        MachineBook::from(std::vector{rowOf(keep(machine())), rowOf(keep(Lsn(7), lease())),
                                      store::DocumentRow{.kind = "schedule", .name = "7", .body = "{}"}});
    QCOMPARE(book.machines.size(), std::size_t{1});
    QVERIFY(book.machines.at(documentOf(machine().key)) == machine());
    QCOMPARE(book.leases.size(), std::size_t{1});
    QVERIFY(book.leases.at(Lsn(7)) == lease());
}

void TestMachineBook::onlyTheNextAttemptIsOut() {
    const MachineBook book = MachineBook::from(std::vector{rowOf(keep(machine())), rowOf(keep(Lsn(7), lease(3)))});
    QVERIFY(book.find(Lsn(7), 2));
    QVERIFY(!book.find(Lsn(7), 3)); // its end is in the journal
    QVERIFY(!book.find(Lsn(7), 1));
    QVERIFY(!book.find(Lsn(8), 2));
}

void TestMachineBook::leasesOfMachinesThatAreNotThereSayNothing() {
    const MachineBook book = MachineBook::from(
        std::vector{rowOf(keep(Lsn(7), lease())), store::DocumentRow{.kind = "lease", .name = "8", .body = "1 x"},
                    store::DocumentRow{.kind = "lease", .name = "09", .body = "1 x"}});
    QVERIFY(book.leases.empty());
    QCOMPARE(book.orphans.size(), std::size_t{2}); // "09" is the name of none
    QVERIFY(book.orphans[0] == Lsn(8) && book.orphans[1] == Lsn(7));
}

void TestMachineBook::leasesOfAMachineThatCannotBeReadAreOutStill() {
    store::DocumentRow damaged = rowOf(keep(machine()));
    damaged.body = "{";
    const MachineBook book = MachineBook::from(std::vector{damaged, rowOf(keep(Lsn(7), lease()))});
    QVERIFY(book.orphans.empty());
    QVERIFY(book.find(Lsn(7), 2));
    QCOMPARE(book.machines.size(), std::size_t{1});
    const KeptMachine& unread = book.machines.at(damaged.name);
    QVERIFY(unread.isUnread && unread.isRemoved);
    QVERIFY(unread.name.starts_with("unread-"));
}

void TestMachineBook::whatCannotBeReadIsLeftOut_data() {
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("body");
    const QByteArray document = QByteArray::fromStdString(documentOf(machine().key));
    QTest::newRow("no JSON") << QByteArray("machine") << document << QByteArray("{");
    QTest::newRow("no object") << QByteArray("machine") << document << QByteArray("[]");
    QTest::newRow("no cores") << QByteArray("machine") << document
                              << QByteArray(R"({"key":"token\ndesk","name":"desk"})");
    QTest::newRow("another name") << QByteArray("machine") << QByteArray("x")
                                  << QByteArray::fromStdString(*keep(machine()).body);
    QTest::newRow("no LSN") << QByteArray("lease") << QByteArray("seven") << QByteArray("1 1000 x run");
    QTest::newRow("no attempt") << QByteArray("lease") << QByteArray("7") << QByteArray("0 1000 x run");
    QTest::newRow("no length") << QByteArray("lease") << QByteArray("7") << QByteArray("1 x");
    QTest::newRow("no machine") << QByteArray("lease") << QByteArray("7") << QByteArray("1 1000");
    QTest::newRow("empty") << QByteArray("lease") << QByteArray("7") << QByteArray("");
}

void TestMachineBook::whatCannotBeReadIsLeftOut() {
    QFETCH(const QByteArray, kind);
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, body);
    const MachineBook book = MachineBook::from(std::vector{
        store::DocumentRow{.kind = kind.toStdString(), .name = name.toStdString(), .body = body.toStdString()}});
    QVERIFY(book.machines.empty());
    QVERIFY(book.leases.empty());
}

void TestMachineBook::whatIsForgottenHasNoBody() {
    QCOMPARE(forgetMachine(documentOf(machine().key)).name, keep(machine()).name);
    QVERIFY(!forgetMachine(documentOf(machine().key)).body);
    QCOMPARE(forgetLease(Lsn(7)).name, keep(Lsn(7), lease()).name);
    QVERIFY(!forgetLease(Lsn(7)).body);
}

void TestMachineBook::aMachineHasASlotForEachCoreAndAsManyOthers() {
    const fleet::Machine place = placeOf(machine());
    QCOMPARE(place.name, "desk");
    QCOMPARE(place.slots, 2u);
    QCOMPARE(place.otherSlots, 2u);
    QCOMPARE(place.total.milliCores, std::int64_t{1'500}); // not more than it is to get
    QCOMPARE(place.total.memoryMb, std::int64_t{400});
    KeptMachine small = machine();
    small.mostMilliCores = small.mostMemoryMb = 0;
    QCOMPARE(placeOf(small).total.milliCores, std::int64_t{2'500});
    small.milliCores = 500;
    small.memoryMb = -1;
    QCOMPARE(placeOf(small).slots, 1u);
    QCOMPARE(placeOf(small).total.memoryMb, std::int64_t{0});
}

QTEST_APPLESS_MAIN(TestMachineBook)
#include "tst_machine_book.moc"
