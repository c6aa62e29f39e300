// Operations on many rows at once, and what a start does with one that was cut off.
#include "tests/store/journal_fixture.h"

#include <QObject>

#include <fmt/format.h>
#include <sqlite3.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

std::string fresh(const QTemporaryDir& dir, const char* name) {
    const std::string path = dir.path().toStdString() + "/" + name;
    QDir().mkpath(QString::fromStdString(path));
    return path;
}

/// An array of `count` from `first` on.
Accept manyFrom(std::int64_t first, std::int64_t count, std::int64_t queue = 0) {
    Accept accept;
    accept.items.push_back(item(first, queue));
    accept.items.back().isArray = true;
    accept.items.back().count = count;
    accept.now = kThen;
    return accept;
}

/// What is pending: "1 3h 4c p5 q7", by LSN.
std::string pendingRows(const std::vector<PendingRow>& rows) {
    std::string text;
    for (const PendingRow& row : rows) {
        text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", row.lsn.value, row.held ? "h" : "",
                            row.cancelRequested ? "c" : "");
        if (row.priority) text += fmt::format("p{}", row.priority);
        if (row.queue.value) text += fmt::format("q{}", row.queue.value);
    }
    return text;
}

BulkOp op(BulkChange change, std::initializer_list<std::pair<std::int64_t, std::int64_t>> runs) {
    BulkOp op{.change = change, .runs = {}};
    for (const auto& [first, count] : runs) op.runs.push_back({Lsn{first}, count});
    return op;
}

BulkChange heldChange(bool held) {
    BulkChange change;
    change.held = held;
    return change;
}

} // namespace

class ManyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOperationIsReadBackAsItWasWritten() {
        BulkChange all;
        all.held = false;
        all.cancelRequested = true;
        all.priority = -100;
        all.queue = QueueId{12};
        for (const BulkOp& given : {op(all, {{5, 3}, {10, 1}, {100, 1'000'000}}), op(heldChange(true), {{1, 1}}),
                                    op({}, {{7, 2}}), op(all, {})}) {
            const auto read = parseBulkOp(toText(given));
            QVERIFY2(read, toText(given).c_str());
            QVERIFY(read->change == given.change);
            QVERIFY(read->runs == given.runs);
        }
    }

    void aSetJoinsWhatFollowsOnEachOther() {
        LsnSet set;
        for (const std::int64_t lsn : {3, 4, 5, 9, 11, 12}) set.add(Lsn{lsn});
        QCOMPARE(set.size(), 6);
        QVERIFY((set.runs() == std::vector<LsnRun>{{Lsn{3}, 3}, {Lsn{9}, 1}, {Lsn{11}, 2}}));
        QCOMPARE(set.last(), Lsn{12});
    }

    void rowsThatAreFarApartCostMore() {
        QCOMPARE(costOf({}), 0);
        QCOMPARE(costOf({{Lsn{1}, 100}}), 100);
        QCOMPARE(costOf({{Lsn{1}, 1}, {Lsn{3}, 1}, {Lsn{60}, 2}}), 4);
        QCOMPARE(costOf({{Lsn{1}, 1}, {Lsn{1'001}, 1}, {Lsn{2'001}, 1}}), 3 + 2 * kPageCost);
        QCOMPARE(costOf({{Lsn{2'001}, 1}, {Lsn{1}, 1}}), 2 + kPageCost);
    }

    void damagedOperationsAreRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"", "h2;1", "h1", "h1 x;1", "p101;1", "q-1;1", "h1;0", "h1;1+1", "h1;1+x", "h1;1,", "h1;1 2", "h1;-5",
              "h1;9223372036854775807+9", "h1;99999999999999999999", "{\"cancel\":4}"})
            QTest::newRow(text) << text;
    }
    void damagedOperationsAreRefused() {
        QFETCH(QString, text);
        const auto read = parseBulkOp(text.toStdString());
        QVERIFY(!read);
        QCOMPARE(read.error().kind, ErrorKind::Journal);
    }

    void manyRowsChangeAtOnceAndOthersStay() {
        const std::string path = fresh(dir_, "change");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(manyFrom(1, 6))), "ok");
            QCOMPARE(word(journal.carryOut(finish(3))), "ok");
            UpdateMany update{.runs = {{Lsn{2}, 2}, {Lsn{5}, 1}, {Lsn{90}, 5}}, .change = heldChange(true)};
            QCOMPARE(word(journal.carryOut(update)), "ok");
            update.change = {};
            update.change.priority = 5;
            update.change.queue = QueueId{7};
            update.runs = {{Lsn{5}, 2}};
            QCOMPARE(word(journal.carryOut(update)), "ok");
            update.change = heldChange(false);
            update.runs = {{Lsn{2}, 1}};
            QCOMPARE(word(journal.carryOut(update)), "ok");
        }
        QCOMPARE(pendingRows(Journal(path).pending), "1 2 4 5hp5q7 6p5q7");
    }

    void manyEndAtOnceAndAreCounted() {
        const std::string path = fresh(dir_, "end");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(PutQueue{{.id = QueueId(4), .token = "t4", .tag = {}, .config = "{}"}})),
                     "ok");
            QCOMPARE(word(journal.carryOut(manyFrom(1, 3))), "ok");
            QCOMPARE(word(journal.carryOut(manyFrom(4, 3, 4))), "ok");
            QCOMPARE(word(journal.carryOut(finish(2))), "ok");
            QCOMPARE(word(journal.carryOut(FinishMany{.runs = {{Lsn{1}, 5}},
                                                      .state = ActionState::Cancelled,
                                                      .reason = Reason::Cancelled,
                                                      .tEnd = kThen + 500})),
                     "ok");
            auto reader = Reader::open(journal.store());
            QVERIFY(reader);
            for (const std::int64_t lsn : {1, 3, 4, 5}) {
                const auto row = (*reader)->get(Lsn{lsn});
                QVERIFY(row && *row);
                QCOMPARE((*row)->state, ActionState::Cancelled);
                QCOMPARE((*row)->outcome->reason, Reason::Cancelled);
                QCOMPARE((*row)->times[ActionState::Cancelled], kThen + 500);
                QVERIFY((*row)->attempts.empty());
            }
            QCOMPARE((*(*reader)->get(Lsn{2}))->state, ActionState::Completed);
            const auto history = (*reader)->history(10);
            QVERIFY(history);
            QCOMPARE(history->size(), 5u);
        }
        Journal again(path);
        QCOMPARE(pendingRows(again.pending), "6q4");
        QCOMPARE(again.restored.queues[0].counters.cancelled, 2);
        QCOMPARE(again.restored.queues[0].counters.completed, 1);
        QCOMPARE(again.restored.queues[1].counters.cancelled, 2);
    }

    void whatNamesTooManyOrNothingIsRefused() {
        Journal journal(fresh(dir_, "refused"));
        QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {{Lsn{1}, kMostAtOnce + 1}}})), "invalid");
        QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {{Lsn{1}, kMostAtOnce}, {Lsn{9'000}, 1}}})), "invalid");
        QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {{Lsn{0}, 1}}})), "invalid");
        QCOMPARE(word(journal.carryOut(FinishMany{.runs = {{Lsn{1}, 1}}, .state = ActionState::Completed})),
                 "invalid");
        QCOMPARE(word(journal.carryOut(FinishMany{.runs = {{Lsn{1}, -1}}})), "invalid");
    }

    void aStartCarriesOutWhatIsLeftOfAnOperation() {
        const std::string path = fresh(dir_, "left");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(manyFrom(1, 8))), "ok");
            QCOMPARE(word(journal.carryOut(PutOp{{1, toText(op(heldChange(true), {{1, 3}, {5, 4}})), Lsn{8}, {}}})),
                     "ok");
            // Two parts of three were done, and somebody released one of the first since.
            QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {{Lsn{1}, 3}}, .change = heldChange(true), .op = 1})),
                     "ok");
            QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {{Lsn{5}, 1}}, .change = heldChange(true), .op = 1})),
                     "ok");
            QCOMPARE(word(journal.carryOut(Update{.lsn = Lsn{2}, .held = false})), "ok");
            BulkChange cancel;
            cancel.cancelRequested = true;
            QCOMPARE(word(journal.carryOut(PutOp{{2, toText(op(cancel, {{8, 1}})), Lsn{8}, {}}})), "ok");
            // One that came to its end leaves nothing to do.
            QCOMPARE(word(journal.carryOut(PutOp{{3, toText(op(cancel, {{1, 8}})), Lsn{8}, {}}})), "ok");
            QCOMPARE(word(journal.carryOut(UpdateMany{.runs = {}, .change = cancel, .op = 3, .endsTheOp = true})),
                     "ok");
            QCOMPARE(word(journal.carryOut(PutOp{{4, toText(op(cancel, {{1, 8}})), Lsn{8}, {}}})), "ok");
            QCOMPARE(word(journal.carryOut(DropOp{4})), "ok");
        }
        const std::string after = "1h 2 3h 4 5h 6h 7h 8hc";
        {
            Journal again(path);
            QCOMPARE(again.restored.ops.size(), 2u);
            QCOMPARE(pendingRows(again.pending), after);
        }
        Journal third(path);
        QCOMPARE(third.restored.ops.size(), 0u);
        QCOMPARE(pendingRows(third.pending), after);
    }

    void aStartDropsADamagedOperation() {
        const std::string path = fresh(dir_, "damaged");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(manyFrom(1, 2))), "ok");
            QCOMPARE(word(journal.carryOut(PutOp{{1, "h1;1+2,garbage", Lsn{2}, {}}})), "ok");
            QCOMPARE(word(journal.carryOut(PutOp{{2, toText(op(heldChange(true), {{2, 1}})), Lsn{2}, {}}})), "ok");
        }
        {
            Journal again(path);
            QCOMPARE(pendingRows(again.pending), "1 2h");
        }
        QCOMPARE(Journal(path).restored.ops.size(), 0u);
    }

private:
    QTemporaryDir dir_;
};

QTEST_GUILESS_MAIN(ManyTest)
#include "tst_many.moc"
