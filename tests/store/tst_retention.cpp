// Clearing up: which finished actions go, which chunks go after them, and what stays although somebody looks as if
// it could go.
#include "core/store/database.h"
#include "core/store/survey.h"
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

constexpr WallMicros kFarFuture = kThen * 2;

Finish finishSaying(std::int64_t lsn, const std::string& output) {
    Finish end = finish(lsn);
    end.attempt->outcome.out = ChunkRef{Sha256::of(output), output.size()};
    end.chunks = {chunk(output)};
    return end;
}

/// All below this LSN, however young.
ExpiredRows below(std::int64_t lsn) {
    return {.endedBefore = 0, .below = Lsn(lsn), .keptSince = kFarFuture, .last = Lsn(1'000'000'000)};
}

} // namespace

class TestRetention : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::unique_ptr<Journal> journal_;
    std::unique_ptr<Survey> survey_;
    std::unique_ptr<ChunkStore> chunks_;
    int serial_ = 0;

    void open(StoreOptions options = {}) {
        close();
        journal_ =
            std::make_unique<Journal>(directory_.filePath(QString::number(++serial_)).toStdString(), options);
        survey_ = *Survey::open(journal_->store());
        chunks_ = *ChunkStore::open(journal_->files(), journal_->store());
        journal_->files().setGrace(Duration::zero());
    }
    void close() {
        chunks_.reset();
        survey_.reset();
        journal_.reset();
    }
    void acceptAndFinish(std::int64_t first, std::int64_t last) {
        for (std::int64_t lsn = first; lsn <= last; ++lsn) {
            journal_->post(accept({lsn}));
            journal_->post(finishSaying(lsn, "output of " + std::to_string(lsn)));
        }
        journal_->carryOut(note("all", "written"));
    }
    /// Retires in steps of `most`; how many went.
    std::int64_t retire(const ExpiredRows& what, int most = 1'000) {
        std::int64_t gone = 0;
        for (Lsn from{1};;) {
            const AckDetail done = journal_->carryOut(RetireOutdated{what, from, most});
            if (!done.swept) return -1;
            gone += done.swept->gone;
            if (!done.swept->more) return gone;
            from = done.swept->next;
        }
    }
    std::vector<Hash256> unused(const ExpiredRows& except = {}) {
        ChunkFilter filter(*survey_->smallChunks(), 1);
        Survey::MarkCursor cursor;
        while (*survey_->markStep(except, filter, cursor)) {
        }
        std::vector<UnusedChunk> found;
        std::int64_t after = 0;
        while (*survey_->unusedSmall(filter, after, found)) {
        }
        for (unsigned folder = 0; folder < Survey::kFolders; ++folder)
            if (!survey_->unusedFiles(filter, folder, found)) return {};
        std::vector<Hash256> hashes;
        for (const UnusedChunk& chunk : found) hashes.push_back(chunk.hash);
        return hashes;
    }
    AckDetail drop(std::vector<Hash256> hashes, Duration within = std::chrono::hours(1)) {
        return journal_->carryOut(DropUnused{std::move(hashes), MonoClock::now() + within});
    }
    /// A whole pass: "2 gone, 1 kept".
    std::string sweep() {
        journal_->carryOut(ChunkMark{true});
        const AckDetail dropped = drop(unused());
        journal_->carryOut(ChunkMark{false});
        if (!dropped.swept) return word(dropped);
        return fmt::format("{} gone, {} kept", dropped.swept->gone, dropped.swept->kept);
    }
    std::string textOf(const std::string& bytes) {
        auto read = chunks_->read(Sha256::of(bytes), 1u << 20);
        return read ? *read : std::string(errorName(read.error().kind));
    }
    std::int64_t count(const std::string& table) {
        auto database = Database::openForReading(journal_->store().path(), {});
        return *database->number("SELECT count(*) FROM " + table);
    }
    RetirePlan plan(const RetireLimits& limits, WallMicros endedBefore = 0, WallMicros keptSince = kFarFuture) {
        RetirePlan plan;
        plan.what = {.endedBefore = endedBefore, .below = {}, .keptSince = keptSince, .last = {}};
        while (*survey_->planStep(limits, plan)) {
        }
        return plan;
    }

private Q_SLOTS:
    void cleanup() { close(); }

    void outdatedActionsGoWithAllThatBelongsToThemInStepsOfAnyLength() {
        for (const int most : {1, 3, 1'000}) {
            open();
            acceptAndFinish(1, 10);
            journal_->carryOut(accept({11}));
            QCOMPARE(retire(below(8), most), 7);
            QCOMPARE(count("done"), 3);
            QCOMPARE(count("attempt"), 3);
            QCOMPARE(count("spec"), 4);
            QCOMPARE(survey_->diskUse()->actions, 3);
            auto database = Database::openForReading(journal_->store().path(), {});
            QCOMPARE(*database->number("SELECT completed FROM queue WHERE id=0"), 10);
            QCOMPARE(retire(below(8), most), 0);
        }
    }

    void thoseThatEndedTogetherAreCountedToo() {
        open();
        journal_->carryOut(accept({1, 2, 3}));
        FinishMany many;
        many.runs = {{Lsn(1), 3}};
        many.state = ActionState::Cancelled;
        many.reason = Reason::Cancelled;
        many.tEnd = kThen + 10;
        QCOMPARE(word(journal_->carryOut(std::move(many))), "ok");
        QCOMPARE(survey_->diskUse()->actions, 3);
        QCOMPARE(word(journal_->carryOut(Retire{Lsn(2)})), "ok");
        QCOMPARE(survey_->diskUse()->actions, 2);
    }

    void whatIsPendingOrEndedJustNowStays() {
        open();
        acceptAndFinish(1, 3);
        journal_->carryOut(accept({4}));
        ExpiredRows what = below(100);
        what.keptSince = kThen; // they ended later
        QCOMPARE(retire(what), 0);
        QCOMPARE(retire(below(100)), 3);
        QCOMPARE(count("pending"), 1);
        QCOMPARE(count("spec"), 1);
    }

    void theInputsOfAnArrayGoWithItsLastElement() {
        open();
        Accept array = accept({1});
        array.items[0].isArray = true;
        array.items[0].count = 4;
        journal_->carryOut(std::move(array));
        for (const std::int64_t lsn : {1, 2, 3}) journal_->carryOut(finish(lsn));
        QCOMPARE(retire(below(100)), 3);
        QCOMPARE(count("spec"), 1);
        QCOMPARE(count("array"), 1);
        journal_->carryOut(finish(4));
        QCOMPARE(retire(below(100)), 1);
        QCOMPARE(count("spec"), 0);
        QCOMPARE(count("array"), 0);
    }

    void aPlanCountsEachActionForTheFirstReasonThatAppliesToIt() {
        open();
        acceptAndFinish(1, 20);
        const WallMicros end = finish(1).tEnd; // of all of them
        RetirePlan none = plan({}, end);
        QCOMPARE(none.total(), 0);
        RetirePlan aged = plan({}, end + 1);
        QCOMPARE(aged.byAge, 20);
        QCOMPARE(aged.what.last, Lsn(20));
        RetirePlan counted = plan({.actionsToGo = 5, .bytesToFree = 0});
        QCOMPARE(counted.byCount, 5);
        QCOMPARE(counted.what.below, Lsn(6));
        RetirePlan sized = plan({.actionsToGo = 2, .bytesToFree = 5'000});
        QCOMPARE(sized.byCount, 2);
        QVERIFY(sized.bySize > 0 && sized.bySize < 18);
        QVERIFY(sized.bytes >= 5'000);
        QCOMPARE(retire(sized.what), sized.total());
        QCOMPARE(plan({.actionsToGo = 5, .bytesToFree = 0}, end + 1, end).total(), 0); // all too young to go
    }

    void whatNothingRefersToGoes() {
        open();
        acceptAndFinish(1, 4);
        const std::string large(100'000, 'x');
        auto writer = chunks_->writer();
        QVERIFY(writer->write(large).has_value());
        QVERIFY(writer->finish().has_value());
        QVERIFY(chunks_->putSmall("nobody's").has_value());
        QCOMPARE(sweep(), "2 gone, 0 kept");
        QCOMPARE(textOf(large), "not_found");
        QCOMPARE(textOf("nobody's"), "not_found");
        QCOMPARE(textOf("output of 1"), "output of 1");
        QCOMPARE(retire(below(3)), 2);
        QCOMPARE(sweep(), "2 gone, 0 kept");
        QCOMPARE(textOf("output of 2"), "not_found");
        QCOMPARE(textOf("output of 3"), "output of 3");
        journal_->files().removeSetAside();
        QVERIFY(std::filesystem::is_empty(journal_->files().directory() + "/tmp"));
    }

    void whatSomebodyStillRefersToStays() {
        open();
        for (const char* bytes : {"input", "worker's", "shared", "kept output", "first attempt's"})
            QVERIFY(chunks_->putSmall(bytes).has_value());
        Accept pending = accept({1});
        pending.items[0].chunks = {Sha256::of("input"), Sha256::of("first attempt's")};
        journal_->carryOut(std::move(pending));
        PutWorker worker;
        worker.row = {Sha256::of("a worker"), "{}", 1, {Sha256::of("worker's")}};
        QCOMPARE(word(journal_->carryOut(std::move(worker))), "ok");
        journal_->carryOut(accept({2, 3}));
        journal_->carryOut(finishSaying(2, "shared"));
        Finish end = finishSaying(3, "shared");
        end.attempt->outcome.outputs = {{"a", {Sha256::of("kept output"), 11}}};
        journal_->carryOut(std::move(end));
        retire(below(3));
        QCOMPARE(sweep(), "0 gone, 0 kept");
        for (const char* bytes : {"input", "worker's", "shared", "kept output"}) QCOMPARE(textOf(bytes), bytes);
        retire(below(4));
        QCOMPARE(sweep(), "2 gone, 0 kept");
        QCOMPARE(textOf("shared"), "not_found");
        QCOMPARE(textOf("input"), "input");
    }

    void whatIsRecentStays() {
        open();
        QVERIFY(chunks_->putSmall("just put").has_value());
        journal_->files().setGrace(std::chrono::hours(1));
        QCOMPARE(sweep(), "0 gone, 1 kept");
        QCOMPARE(textOf("just put"), "just put");
    }

    void whatIsReferredToWhileSomebodyLooksStays() {
        open();
        for (const char* bytes : {"input", "worker's", "nobody's"}) QVERIFY(chunks_->putSmall(bytes).has_value());
        journal_->carryOut(accept({1, 2}));
        QVERIFY(chunks_->putSmall("output").has_value());
        QVERIFY(chunks_->putSmall("attempt's").has_value());
        journal_->carryOut(ChunkMark{true});
        const auto found = unused();
        QCOMPARE(found.size(), 5u);
        Accept late = accept({3});
        late.items[0].chunks = {Sha256::of("input")};
        journal_->carryOut(std::move(late));
        journal_->carryOut(finishSaying(1, "output"));
        Retry again{.lsn = Lsn(2), .attempt = attempt(1, ActionState::Failed, Reason::ExitCode)};
        again.attempt.outcome.err = ChunkRef{Sha256::of("attempt's"), 9};
        journal_->carryOut(std::move(again));
        PutWorker worker;
        worker.row = {Sha256::of("a worker"), "{}", 1, {Sha256::of("worker's")}};
        journal_->carryOut(std::move(worker));
        const AckDetail dropped = drop(found);
        QCOMPARE(dropped.swept->gone, 1);
        QCOMPARE(dropped.swept->kept, 4);
        for (const char* bytes : {"input", "worker's", "output", "attempt's"}) QCOMPARE(textOf(bytes), bytes);
    }

    void nothingGoesUnlessReferencesAreNoted() {
        open();
        QVERIFY(chunks_->putSmall("nobody's").has_value());
        QCOMPARE(word(drop({Sha256::of("nobody's")})), "wrong_state");
        journal_->carryOut(ChunkMark{true});
        QCOMPARE(word(drop({Sha256::of("nobody's")}, Duration(-1))), "wrong_state");
        journal_->carryOut(ChunkMark{false});
        QCOMPARE(word(drop({Sha256::of("nobody's")})), "wrong_state");
        QCOMPARE(textOf("nobody's"), "nobody's");
        QCOMPARE(word(journal_->carryOut(RetireOutdated{below(1), Lsn(1), 0})), "invalid");
        QCOMPARE(word(journal_->carryOut(ShrinkJournal{0})), "invalid");
        QCOMPARE(word(drop(std::vector<Hash256>(1'001))), "invalid");
    }

    void moreReferencesThanCanBeNotedEndThePass() {
        open();
        QVERIFY(chunks_->putSmall("nobody's").has_value());
        journal_->carryOut(ChunkMark{true});
        Accept many = accept({1});
        many.items[0].chunks.assign(1'000'001, Hash256::ofNothing());
        QCOMPARE(word(journal_->carryOut(std::move(many))), "ok");
        QCOMPARE(word(drop({Sha256::of("nobody's")})), "wrong_state");
        QCOMPARE(textOf("nobody's"), "nobody's");
    }

    void packsAreEmptiedIntoOthersAndGo() {
        StoreOptions options;
        options.largeGroup = 1;
        open(options);
        const auto text = [](std::int64_t lsn) { return std::string(6'000, static_cast<char>('a' + lsn % 20)); };
        std::vector<Operation> operations;
        for (std::int64_t lsn = 1; lsn <= 10; ++lsn) {
            operations.push_back({.tag = 0, .unhurried = false, .action = accept({lsn})});
            operations.push_back({.tag = 0, .unhurried = false, .action = finishSaying(lsn, text(lsn))});
        }
        QVERIFY(journal_->store().post(std::move(operations)).has_value());
        journal_->carryOut(note("all", "written"));
        QCOMPARE(count("pack"), 1);
        const std::string first = journal_->files().packPath(1);
        QVERIFY(survey_->sparsePacks()->empty());
        retire(below(8));
        QCOMPARE(sweep(), "7 gone, 0 kept");
        const auto sparse = *survey_->sparsePacks();
        QCOMPARE(sparse.size(), 1u);
        QCOMPARE(sparse[0].size, 60'000);
        QCOMPARE(sparse[0].used, 18'000);
        AckDetail step = journal_->carryOut(CompactPack{sparse[0].id});
        QVERIFY(step.swept->more);
        for (std::int64_t lsn = 8; lsn <= 10; ++lsn) QCOMPARE(textOf(text(lsn)), text(lsn));
        step = journal_->carryOut(CompactPack{sparse[0].id});
        QVERIFY(!step.swept->more);
        QCOMPARE(step.swept->bytes, 60'000);
        QVERIFY(!std::filesystem::exists(first));
        QVERIFY(std::filesystem::exists(journal_->files().packPath(2)));
        for (std::int64_t lsn = 8; lsn <= 10; ++lsn) QCOMPARE(textOf(text(lsn)), text(lsn));
        QCOMPARE(word(journal_->carryOut(CompactPack{sparse[0].id})), "not_found");
        QVERIFY(std::filesystem::remove(journal_->files().packPath(2)));
        QCOMPARE(word(journal_->carryOut(CompactPack{2})), "io");
        QCOMPARE(survey_->diskUse()->packs, 18'000);
    }

    void theJournalShrinksWhenAGoodPartOfItIsFree() {
        open();
        journal_->carryOut(ShrinkJournal{100});
        std::vector<Operation> operations;
        for (std::int64_t lsn = 1; lsn <= 4'000; ++lsn) {
            operations.push_back({.tag = 0, .unhurried = false, .action = accept({lsn})});
            const std::string output = std::to_string(lsn) + std::string(4'000, 'x');
            operations.push_back({.tag = 0, .unhurried = false, .action = finishSaying(lsn, output)});
        }
        constexpr std::uint64_t kLast = 1'000'000;
        operations.back().tag = kLast;
        for (Operation& operation : operations) QVERIFY(journal_->store().post(std::move(operation)).has_value());
        QCOMPARE(word(journal_->answers.of(kLast)),
                 "ok"); // nothing else is taken before a slow disk has written them
        const std::int64_t full = survey_->diskUse()->journal;
        retire(below(4'001));
        journal_->carryOut(ChunkMark{true});
        auto found = unused();
        while (!found.empty()) {
            const auto some = std::min<std::size_t>(found.size(), 1'000);
            drop({found.end() - static_cast<std::ptrdiff_t>(some), found.end()});
            found.resize(found.size() - some);
        }
        QVERIFY(survey_->diskUse()->journalFree > full / 2);
        int steps = 0;
        while (journal_->carryOut(ShrinkJournal{100}).swept->more) ++steps;
        QVERIFY(steps > 3);
        const DiskUse after = *survey_->diskUse();
        QVERIFY2(after.journal + after.journalFree < full / 2, qPrintable(QString::number(after.journalFree)));
    }

    void aDryRunLeavesOutWhatOutdatedActionsReferTo() {
        open();
        acceptAndFinish(1, 4);
        QCOMPARE(unused().size(), 0u);
        QCOMPARE(unused(below(3)).size(), 2u);
    }

    void aDryRunLeavesOutTheInputsOfArraysThatGoWhole() {
        open();
        journal_->carryOut(PutChunk{chunk("input")});
        Accept array = accept({10});
        array.items[0].isArray = true;
        array.items[0].count = 3;
        array.items[0].chunks = {Sha256::of("input")};
        QCOMPARE(word(journal_->carryOut(std::move(array))), std::string("ok"));
        journal_->carryOut(finish(10));
        journal_->carryOut(finish(11));
        QCOMPARE(unused(below(100)).size(), 0u); // one is pending
        journal_->carryOut(finish(12));
        QCOMPARE(unused(below(100)).size(), 1u);
        QCOMPARE(unused(below(12)).size(), 0u); // one stays
        QCOMPARE(unused().size(), 0u);
        // The first one, whose number the inputs have, may be gone before.
        journal_->carryOut(Retire{Lsn{10}});
        QCOMPARE(unused(below(100)).size(), 1u);
        QCOMPARE(unused(below(12)).size(), 0u);
    }

    void theFilterNeverDeniesWhatIsInIt() {
        ChunkFilter filter(10'000, 7);
        for (int i = 0; i < 10'000; ++i) filter.add(Sha256::of(std::to_string(i)));
        for (int i = 0; i < 10'000; ++i) QVERIFY(filter.mayContain(Sha256::of(std::to_string(i))));
        int wrong = 0;
        for (int i = 10'000; i < 20'000; ++i) wrong += filter.mayContain(Sha256::of(std::to_string(i))) ? 1 : 0;
        QVERIFY2(wrong < 200, qPrintable(QString::number(wrong)));
        QVERIFY(ChunkFilter(~0ull >> 8, 1).memoryBytes() <= 32u << 20);
    }

    void aJournalOfAnEarlierVersionLearnsHowManyActionsItHas() {
        open();
        acceptAndFinish(1, 5);
        const std::string directory = journal_->directory();
        close();
        {
            auto database = Database::openForWriting(directory + "/journal.sqlite", {});
            QVERIFY(database->execute(undoneTo(5)).has_value());
            QVERIFY(database
                        ->execute("DELETE FROM meta WHERE key='finished'; DROP INDEX blob_pack; "
                                  "DROP INDEX spec_chunks; DROP TABLE accepting; "
                                  "ALTER TABLE attempt DROP COLUMN samples; PRAGMA user_version=2")
                        .has_value());
        }
        journal_ = std::make_unique<Journal>(directory);
        survey_ = *Survey::open(journal_->store());
        QCOMPARE(survey_->diskUse()->actions, 5);
    }
};

QTEST_GUILESS_MAIN(TestRetention)
#include "tst_retention.moc"
