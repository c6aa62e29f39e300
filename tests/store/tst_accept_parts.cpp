// A submission that comes in parts: nobody's until the last of them is there, gone after a start when it never
// came.
#include "tests/store/journal_fixture.h"

#include <QObject>

#include <fmt/format.h>
#include <sqlite3.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

/// Elements `before` to `before + count` of an array of `total` from LSN `first` on.
Accept part(std::int64_t first, std::int64_t total, std::int64_t before, std::int64_t count) {
    Accept accept;
    AcceptItem some = item(first);
    some.row.lsn.value += before;
    some.row.arrayIndex = 100 + before;
    some.isArray = true;
    some.before = before;
    some.count = count;
    some.total = total;
    if (before > 0) some.spec.clear();
    accept.items.push_back(std::move(some));
    accept.part = AcceptPart{.whole = {Lsn{first}, total}, .begins = before == 0, .ends = before + count == total};
    accept.now = kThen;
    return accept;
}

/// Rows of the tables that a submission writes to: "pending 3 spec 1 array 1 accepting 0 idem 0".
std::string tables(Journal& journal) {
    sqlite3* db = nullptr;
    const std::string path = journal.directory() + "/journal.sqlite";
    if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) qFatal("open");
    std::string text;
    for (const char* table : {"pending", "spec", "array", "accepting", "idem"}) {
        sqlite3_stmt* count = nullptr;
        const std::string sql = fmt::format("SELECT count(*) FROM {}", table);
        if (sqlite3_prepare_v2(db, sql.c_str(), -1, &count, nullptr) != SQLITE_OK ||
            sqlite3_step(count) != SQLITE_ROW)
            qFatal("%s", sqlite3_errmsg(db));
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", table, sqlite3_column_int64(count, 0));
        sqlite3_finalize(count);
    }
    sqlite3_close(db);
    return text;
}

constexpr const char* kNothing = "pending 0 spec 0 array 0 accepting 0 idem 0";

std::string lsnsOfPage(Journal& journal) {
    const auto page = openReader(journal)->pagePending({}, PageOrder::OldestFirst, 100, Lsn());
    if (!page) qFatal("%s", page.error().message.c_str());
    std::string text;
    for (const ActionResult& row : page->rows) text += fmt::format("{}{}", text.empty() ? "" : " ", row.lsn.value);
    return text;
}

} // namespace

class AcceptPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allPartsAreOneArray() {
        Journal journal(directories_.fresh("whole"));
        for (const std::int64_t before : {0, 3, 6})
            QCOMPARE(word(journal.carryOut(part(10, 8, before, std::min<std::int64_t>(3, 8 - before)))),
                     std::string("ok"));
        QCOMPARE(tables(journal), std::string("pending 8 spec 1 array 1 accepting 0 idem 0"));
        QCOMPARE(lsnsOfPage(journal), std::string("10 11 12 13 14 15 16 17"));
        const auto spec = *openReader(journal)->specText(Lsn{16});
        QVERIFY(spec && spec->text == specText("10") && spec->arrayIndex == 106);
        // Its spec goes with the last of all its elements.
        for (std::int64_t lsn = 10; lsn < 18; ++lsn) {
            QCOMPARE(word(journal.carryOut(finish(lsn))), std::string("ok"));
            QCOMPARE(word(journal.carryOut(Retire{Lsn{lsn}})), std::string("ok"));
            QCOMPARE(tables(journal), lsn == 17
                                          ? std::string(kNothing)
                                          : fmt::format("pending {} spec 1 array 1 accepting 0 idem 0", 17 - lsn));
        }
    }

    void beforeTheLastPartNobodySeesAnything() {
        Journal journal(directories_.fresh("hidden"));
        (void)journal.carryOut(accept({5}));
        QCOMPARE(word(journal.carryOut(part(10, 6, 0, 3))), std::string("ok"));
        (void)journal.carryOut(accept({20}));
        QVERIFY(!get(journal, 11));
        QCOMPARE(lsnsOfPage(journal), std::string("5 20"));
        const auto reader = openReader(journal);
        QVERIFY(!*reader->specText(Lsn{11}));
        QVERIFY((*reader->states({Lsn{5}, Lsn{11}}) == std::vector{ActionState::Pending, ActionState::New}));
        QCOMPARE(reader->rows(std::vector{Lsn{11}, Lsn{20}}, Duration(1'000'000))->rows.size(), std::size_t{1});
        // Nobody waits for it, or forgets it.
        Accept waiting = accept({21});
        waiting.items[0].row.after.push_back({.lsn = Lsn{11}});
        QCOMPARE(word(journal.carryOut(waiting)), std::string("invalid"));
        QCOMPARE(word(journal.carryOut(Retire{Lsn{11}})), std::string("not_found"));
        QCOMPARE(word(journal.carryOut(part(10, 6, 3, 3))), std::string("ok"));
        QVERIFY(get(journal, 11));
        QCOMPARE(lsnsOfPage(journal), std::string("5 10 11 12 13 14 15 20"));
        waiting.items[0].row.lsn = Lsn{22};
        QCOMPARE(word(journal.carryOut(waiting)), std::string("ok"));
    }

    void aStartRemovesWhatItsLastPartNeverCameOf() {
        const std::string directory = directories_.fresh("cut");
        {
            Journal journal(directory);
            (void)journal.carryOut(accept({5}));
            (void)journal.carryOut(part(10, 9, 0, 3));
            (void)journal.carryOut(part(10, 9, 3, 3));
            (void)journal.carryOut(part(30, 4, 0, 2));
            QCOMPARE(tables(journal), std::string("pending 9 spec 3 array 2 accepting 2 idem 0"));
        }
        Journal journal(directory);
        QCOMPARE(lsnsOf(journal.pending), std::string("5"));
        QCOMPARE(tables(journal), std::string("pending 1 spec 1 array 0 accepting 0 idem 0"));
        QVERIFY(journal.restored.lsns.first.value > 33); // its numbers are not given again
    }

    void whatIsUndoneLeavesNothing() {
        Journal journal(directories_.fresh("undone"));
        (void)journal.carryOut(part(10, 9, 0, 3));
        (void)journal.carryOut(part(10, 9, 3, 3));
        QCOMPARE(word(journal.carryOut(UndoAccept{.rows = {Lsn{10}, 4}, .whole = Lsn{10}, .ends = false})),
                 std::string("ok"));
        QVERIFY(!get(journal, 15)); // half undone, it is nobody's yet
        QCOMPARE(word(journal.carryOut(UndoAccept{.rows = {Lsn{14}, 2}, .whole = Lsn{10}, .ends = true})),
                 std::string("ok"));
        QCOMPARE(tables(journal), std::string(kNothing));
    }

    void elementsOfListsWaitForThoseOfPartsBefore() {
        Journal journal(directories_.fresh("list"));
        Accept first = accept({10, 11});
        first.part = AcceptPart{.whole = {Lsn{10}, 4}, .begins = true, .ends = false};
        Accept second = accept({12, 13});
        second.part = AcceptPart{.whole = {Lsn{10}, 4}, .begins = false, .ends = true};
        second.items[0].row.after.push_back({.lsn = Lsn{10}});
        second.items[1].row.after.push_back({.lsn = Lsn{12}});
        QCOMPARE(word(journal.carryOut(first)), std::string("ok"));
        QCOMPARE(word(journal.carryOut(second)), std::string("ok"));
        QCOMPARE(lsnsOfPage(journal), std::string("10 11 12 13"));
        // Of one that is to come, as of any that is not there, none.
        Accept wrong = accept({30});
        wrong.part = AcceptPart{.whole = {Lsn{30}, 2}, .begins = true, .ends = false};
        wrong.items[0].row.after.push_back({.lsn = Lsn{31}});
        const AckDetail refused = journal.carryOut(wrong);
        QCOMPARE(word(refused), std::string("invalid"));
        QCOMPARE(refused.error->index, 0);
        QCOMPARE(tables(journal), std::string("pending 4 spec 4 array 0 accepting 0 idem 0"));
    }

    void aKeyIsKeptWithTheLastPart() {
        Journal journal(directories_.fresh("key"));
        const Idempotency key{"k", Sha256::of("body"), "answer"};
        Accept first = part(10, 4, 0, 2);
        first.idempotency = key;
        (void)journal.carryOut(first);
        QVERIFY(!*openReader(journal)->keptAnswer("k"));
        Accept second = part(10, 4, 2, 2);
        second.idempotency = key;
        (void)journal.carryOut(second);
        QCOMPARE((*openReader(journal)->keptAnswer("k"))->answer, std::string("answer"));
        Accept again = part(20, 4, 0, 2);
        again.idempotency = key;
        const AckDetail repeated = journal.carryOut(again);
        QVERIFY(repeated.repeated && repeated.answer == "answer");
        QCOMPARE(tables(journal), std::string("pending 4 spec 1 array 1 accepting 0 idem 1"));
    }

    void whatCannotBeAPartIsRefused_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("a later part with a spec") << 0;
        QTest::newRow("the first part without one") << 1;
        QTest::newRow("a part of no array") << 2;
        QTest::newRow("more than there are") << 3;
        QTest::newRow("an undo of nothing") << 4;
        QTest::newRow("an undo of too many") << 5;
    }
    void whatCannotBeAPartIsRefused() {
        QFETCH(int, which);
        Accept wrong = which == 1 ? part(10, 6, 0, 3) : part(10, 6, 3, 3);
        if (which == 0) wrong.items[0].spec = "{}";
        if (which == 1) wrong.items[0].spec.clear();
        if (which == 2) {
            wrong.items[0].isArray = false;
            wrong.items[0].count = 1;
        }
        if (which == 3) wrong.items[0].count = 4;
        Action action = std::move(wrong);
        if (which == 4) action = UndoAccept{};
        if (which == 5) action = UndoAccept{.rows = {Lsn{10}, kMostAtOnce + 1}, .whole = Lsn{10}, .ends = true};
        if (which == 4) std::get<UndoAccept>(action).rows.count = 0;
        const auto valid = validate(action);
        QVERIFY(!valid && valid.error().kind == ErrorKind::Invalid);
    }

private:
    Directories directories_;
};

QTEST_GUILESS_MAIN(AcceptPartsTest)
#include "tst_accept_parts.moc"
