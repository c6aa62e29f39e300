// The journal's groups: what is committed together, what waits, what a full mailbox does, what a stop leaves.
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QTest>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestJournalGroups : public QObject {
    Q_OBJECT

    Directories directories_;
    std::string fresh(const char* name) { return directories_.fresh(name); }

private Q_SLOTS:
    void aSubmissionIsTakenWholeOrNotAtAll() {
        const auto path = fresh("whole");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({5}))), "ok");
            auto twice = accept({6, 5}); // 5 is there: the database refuses the second row
            QCOMPARE(word(journal.carryOut(std::move(twice))), "internal");
        }
        QCOMPARE(lsnsOf(Journal(path).pending), "5");
    }

    void aRowThatCannotBeRightIsRefusedBeforeTheGroup() {
        Journal journal(fresh("refused"), {}, false);
        const auto bad = journal.post(accept({0}));
        const auto good = journal.post(accept({1}));
        auto empty = accept({2});
        empty.items[0].spec.clear();
        const auto noSpec = journal.post(std::move(empty));
        const auto running = journal.post(finish(1, ActionState::Running));
        const auto zero = journal.post(DropQueue{QueueId(0)});
        const auto large = journal.post(PutChunk{chunk(std::string(kSmallChunk + 1, 'x'))});
        journal.store().start();
        QCOMPARE(word(journal.answers.of(good)), "ok");
        for (const auto tag : {bad, noSpec, running, zero, large})
            QCOMPARE(word(journal.answers.of(tag)), "invalid");
        QCOMPARE(journal.store().stats().replays, 0u);
        QCOMPARE(journal.store().stats().groups, 1u);
    }

    void whenAGroupFailsOnOneOperationTheOthersAreCommitted() {
        Journal journal(fresh("replay"), {}, false);
        const auto first = journal.post(accept({1}));
        const auto duplicate = journal.post(accept({1}));
        const auto second = journal.post(accept({2}));
        const auto end = journal.post(finish(1));
        journal.store().start();
        QCOMPARE(word(journal.answers.of(end)), "ok");
        QCOMPARE(word(journal.answers.of(first)), "ok");
        QCOMPARE(word(journal.answers.of(duplicate)), "internal");
        QCOMPARE(word(journal.answers.of(second)), "ok");
        QCOMPARE(journal.store().stats().replays, 1u);
        QCOMPARE(journal.answers.order(), (std::vector<std::uint64_t>{first, duplicate, second, end}));
        QCOMPARE(get(journal, 1)->state, ActionState::Completed);
        QCOMPARE(openReader(journal)->history(10)->size(), 1u);
    }

    void oneGroupIsOneAcknowledgement() {
        Journal journal(fresh("one"), {}, false);
        std::vector<Operation> operations;
        for (std::uint64_t i = 1; i <= 500; ++i)
            operations.push_back({.tag = i, .unhurried = false, .action = accept({std::int64_t(i)})});
        QVERIFY(journal.store().post(std::move(operations)));
        journal.store().start();
        QCOMPARE(word(journal.answers.of(500)), "ok");
        QCOMPARE(journal.answers.deliveries(), 1);
        QCOMPARE(journal.store().stats().groups, 1u);
    }

    void unhurriedResultsWaitForCompanyAndAHurriedOneDoesNot() {
        StoreOptions options;
        options.linger = std::chrono::hours(1); // only a hurried operation ends it
        Journal journal(fresh("linger"), options);
        QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
        const auto lingering = journal.post(finish(1), true);
        QTest::qWait(30); // a shorter wait could pass by luck, never fail by it
        QVERIFY(!journal.answers.has(lingering));
        QCOMPARE(word(journal.carryOut(finish(2))), "ok");
        QCOMPARE(word(journal.answers.of(lingering)), "ok");
        QCOMPARE(journal.store().stats().groups, 2u);
    }

    void aLingeringResultIsWrittenWhenItsTimeIsUp() {
        Journal journal(fresh("lingered"));
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        QCOMPARE(word(journal.answers.of(journal.post(finish(1), true))), "ok");
    }

    void aFullMailboxTellsThePosterAndTakesResultsAllTheSame() {
        StoreOptions options;
        options.submissionRows = 3;
        options.operationBytes = 9'400;
        Journal journal(fresh("full"), options, false);
        journal.post(accept({1, 2, 3}));
        std::vector<Operation> more;
        more.push_back({.tag = 50, .unhurried = false, .action = accept({4})});
        const auto refused = journal.store().post(more);
        QVERIFY(!refused && refused.error().kind == ErrorKind::Busy);
        QCOMPARE(more.size(), 1u); // still the caller's
        journal.post(note("a", std::string(9'000, 'x')));
        const auto full = journal.store().post({.tag = 51, .unhurried = false, .action = note("b", "y")});
        QVERIFY(!full && full.error().kind == ErrorKind::Busy);
        const auto result = journal.post(finish(1));
        journal.store().start();
        QCOMPARE(word(journal.answers.of(result)), "ok");
        QVERIFY(journal.store().post(std::move(more)));
        QCOMPARE(word(journal.answers.of(50)), "ok");
    }

    void aSubmissionLargerThanTheMailboxPassesWhenItIsAlone() {
        StoreOptions options;
        options.submissionRows = 3;
        Journal journal(fresh("larger"), options);
        auto rows = accept({1});
        rows.items[0].isArray = true;
        rows.items[0].count = 10;
        QCOMPARE(word(journal.carryOut(rows)), "ok");
        QCOMPARE(word(journal.carryOut(accept({20}))), "ok");
    }

    void stoppingCommitsWhatWasPostedAndRefusesMore() {
        const auto path = fresh("stop");
        {
            Journal journal(path);
            std::uint64_t last = 0;
            for (std::int64_t lsn = 1; lsn <= 2'000; ++lsn) last = journal.post(accept({lsn}), true);
            journal.store().stop();
            QVERIFY(journal.answers.has(last));
            const auto late = journal.store().post({.tag = 1, .unhurried = false, .action = accept({9'999})});
            QVERIFY(!late && late.error().kind == ErrorKind::WrongState);
            QVERIFY(!journal.store().fetchSpecs({Lsn(1)}));
            QVERIFY(!journal.store().carryOutAndWait(note("a", "b")));
        }
        QCOMPARE(Journal(path).pending.size(), 2'000u);
    }

    void largeGroupsKeepTheirLargerChunksInOneFile() {
        const auto path = fresh("packs");
        StoreOptions options;
        options.largeGroup = 20'000;
        const SmallChunk small = chunk("small");
        std::vector<SmallChunk> large;
        for (const char c : {'a', 'b', 'c'}) large.push_back(chunk(std::string(8'000, c)));
        {
            Journal journal(path, options, false);
            journal.post(PutChunk{small});
            for (const auto& one : large) journal.post(PutChunk{one});
            journal.post(PutChunk{large[0]}); // the same again is no second copy
            journal.store().start();
            QVERIFY(journal.store().carryOutAndWait(note("a", "b")));
            auto database = Database::openForReading(journal.store().path(), {});
            QCOMPARE(*database->number("SELECT count(*) FROM pack"), 1);
            QCOMPARE(*database->number("SELECT count(*) FROM blob WHERE pack IS NOT NULL"), 3);
            auto reader = openReader(journal);
            for (const auto& one : large) QCOMPARE(**reader->blob(one.hash), one.bytes);
            QCOMPARE(**reader->blob(small.hash), "small");
        }
        // a file of a group that was never committed goes at the next start, the others stay
        QFile stray(QString::fromStdString(path + "/chunks/packs/77"));
        QVERIFY(stray.open(QIODevice::WriteOnly));
        stray.close();
        Journal again(path);
        QVERIFY(!stray.exists());
        QCOMPARE(**openReader(again)->blob(large[2].hash), large[2].bytes);
    }
};

QTEST_GUILESS_MAIN(TestJournalGroups)
#include "tst_journal_groups.moc"
