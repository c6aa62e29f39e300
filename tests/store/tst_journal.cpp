// The journal: what each operation does to the rows, and that a start finds what was acknowledged.
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QTest>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestJournal : public QObject {
    Q_OBJECT

    Directories directories_;
    std::string fresh(const char* name) { return directories_.fresh(name); }
    /// The end of an action whose result has something in each of its members.
    static Finish withEverything(std::int64_t lsn) {
        Finish end = finish(lsn, ActionState::Failed, Reason::Signal);
        AttemptOutcome& outcome = end.attempt->outcome;
        outcome.exitCode.reset();
        outcome.signal = 11;
        outcome.measures[Measure::CpuTime] = 1'250'000;
        outcome.measures[Measure::PeakMemory] = 123456789;
        outcome.measures[Measure::DiskBytes] = 987654321;
        outcome.out = ChunkRef{Sha256::of("hello"), 5};
        outcome.err = ChunkRef{Hash256::ofNothing(), 0};
        outcome.outTruncated = true;
        outcome.outputs = {{"a/b.txt", {Sha256::of("x"), 1}}, {"c", {Hash256::ofNothing(), 0}}};
        outcome.result = R"({"n":1})";
        outcome.denied = {{kThen, "link", "/etc/passwd", 13, 42}};
        outcome.note = "it broke";
        end.attempt->times.frozen = 77;
        end.chunks = {chunk("hello")};
        return end;
    }

private Q_SLOTS:
    void acceptedActionsAreFoundByTheNextStartInOrder() {
        const auto path = fresh("accepted");
        {
            Journal journal(path);
            auto rows = accept({3, 1, 2});
            rows.items[0].row.held = true;
            rows.items[0].row.priority = -7;
            rows.items[0].row.notBefore = kThen + 999;
            rows.labels = {{4, "nightly"}};
            rows.items[1].row.label = 4;
            rows.classes = {{1, R"({"worker":"exec"})", "exec", "exec", ""}};
            QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
        }
        Journal again(path);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(again.pending[2].held && !again.pending[1].held);
        QCOMPARE(again.pending[2].priority, std::int16_t(-7));
        QCOMPARE(again.pending[2].notBefore, kThen + 999);
        QCOMPARE(again.pending[0].tNew, kThen + 1);
        QCOMPARE(again.pending[0].tPending, kThen + 6);
        QCOMPARE(again.restored.labels.size(), 1u);
        QCOMPARE(again.restored.labels[0].text, "nightly");
        QCOMPARE(again.restored.classes[0].workerName, "exec");
    }

    void aFinishedActionKeepsEverythingItsResultShows() {
        Journal journal(fresh("finished"));
        auto rows = accept({7}, 0);
        rows.classes = {{1, "{}", std::string(64, 'a'), "thumbnailer", "thumb"}};
        rows.labels = {{9, "l\xc3\xa4"}};
        rows.items[0].row.label = 9;
        rows.items[0].row.priority = 12;
        QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
        const Finish end = withEverything(7);
        const AttemptOutcome& outcome = end.attempt->outcome;
        QCOMPARE(word(journal.carryOut(end)), "ok");

        const auto result = get(journal, 7);
        QVERIFY(result.has_value());
        QCOMPARE(result->workerId, std::string(64, 'a'));
        QCOMPARE(result->workerName, "thumbnailer");
        QCOMPARE(result->function, "thumb");
        QCOMPARE(result->label, "l\xc3\xa4");
        QCOMPARE(result->priority, 12);
        QCOMPARE(result->state, ActionState::Failed);
        QCOMPARE(result->note, "it broke");
        QCOMPARE(result->times[ActionState::New], kThen + 7);
        QCOMPARE(result->times[ActionState::Pending], kThen + 12);
        QCOMPARE(result->times[ActionState::Submitting], kThen + 100);
        QCOMPARE(result->times[ActionState::Running], kThen + 110);
        QCOMPARE(result->times.exited, kThen + 120);
        QCOMPARE(result->times.frozen, 77);
        QCOMPARE(result->times[ActionState::Failed], kThen + 130);
        const AttemptOutcome& kept = *result->outcome;
        QCOMPARE(kept.reason, Reason::Signal);
        QVERIFY(!kept.exitCode);
        QCOMPARE(kept.signal, std::optional<int>(11));
        QVERIFY(kept.measures == outcome.measures);
        QVERIFY(kept.out == outcome.out);
        QVERIFY(kept.err == outcome.err);
        QVERIFY(kept.outTruncated && !kept.errTruncated);
        QCOMPARE(kept.outputs.size(), 2u);
        QCOMPARE(kept.outputs[0].name, "a/b.txt");
        QVERIFY(kept.outputs[1].chunk == outcome.outputs[1].chunk);
        QCOMPARE(kept.result, R"({"n":1})");
        QCOMPARE(kept.denied.size(), 1u);
        QCOMPARE(kept.denied[0].path, "/etc/passwd");
        QCOMPARE(kept.denied[0].err, 13);
        QCOMPARE(result->attempts.size(), 1u);
        QCOMPARE(result->attempts[0].outcome.note, "it broke");
        QCOMPARE(**openReader(journal)->blob(Sha256::of("hello")), "hello");
    }

    void anAttemptWithNothingToSayIsShownWithoutARowOfItsOwn() {
        Journal journal(fresh("plain"));
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        Finish end = finish(1);
        end.attempt->outcome.out = ChunkRef{Hash256::ofNothing(), 0};
        QCOMPARE(word(journal.carryOut(end)), "ok");
        const auto result = get(journal, 1);
        QCOMPARE(result->attempts.size(), 1u);
        QCOMPARE(result->attempts[0].n, 1u);
        QCOMPARE(result->attempts[0].times[ActionState::Running], kThen + 110);
        QCOMPARE(result->attempts[0].times[ActionState::New], 0);
        QVERIFY(result->outcome->out && result->outcome->out->size == 0);
        QVERIFY(!result->outcome->err);
        auto database = Database::openForReading(journal.store().path(), {});
        QCOMPARE(*database->number("SELECT count(*) FROM attempt"), 0);
    }

    void aRetryKeepsTheAttemptAndTheActionPending() {
        const auto path = fresh("retry");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
            Retry retry{.lsn = Lsn(1),
                        .attempt = attempt(1, ActionState::Failed, Reason::ExitCode),
                        .retryCount = 1,
                        .ownFailures = 1,
                        .interruptions = 0,
                        .tPending = kThen + 500,
                        .notBefore = kThen + 900,
                        .chunks = {chunk("first try")}};
            retry.attempt.outcome.exitCode = 3;
            retry.attempt.outcome.out = ChunkRef{Sha256::of("first try"), 9};
            QCOMPARE(word(journal.carryOut(retry)), "ok");
            const auto result = get(journal, 1);
            QCOMPARE(result->state, ActionState::Pending);
            QCOMPARE(result->retryAt, kThen + 900);
            QCOMPARE(result->retryCount, 1);
            QCOMPARE(result->attempts.size(), 1u);
            QCOMPARE(*result->attempts[0].outcome.exitCode, 3);
            QCOMPARE(**openReader(journal)->blob(Sha256::of("first try")), "first try");
        }
        Journal again(path);
        QCOMPARE(again.pending.size(), 1u);
        QVERIFY(again.pending[0].backoff);
        QCOMPARE(again.pending[0].attempts, 1u);
        QCOMPARE(again.pending[0].ownFailures, 1u);
        QCOMPARE(again.pending[0].tPending, kThen + 500);
        Finish end = finish(1);
        end.attempt->n = 2;
        QCOMPARE(word(again.carryOut(end)), "ok");
        const auto result = get(again, 1);
        QCOMPARE(result->attempts.size(), 2u);
        QCOMPARE(result->attempts[1].n, 2u);
        QCOMPARE(result->retryCount, 1);
    }

    void anActionCancelledWhilePendingEndsWithoutAnAttempt() {
        Journal journal(fresh("cancelled"));
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        Finish end{.lsn = Lsn(1),
                   .state = ActionState::Cancelled,
                   .reason = Reason::Cancelled,
                   .tEnd = kThen + 50,
                   .attempt = {},
                   .note = "by hand",
                   .keepSpec = true,
                   .chunks = {},
                   .ownFailures = {},
                   .interruptions = {}};
        QCOMPARE(word(journal.carryOut(end)), "ok");
        const auto result = get(journal, 1);
        QCOMPARE(result->attempts.size(), 0u);
        QCOMPARE(result->note, "by hand");
        QCOMPARE(result->times[ActionState::Cancelled], kThen + 50);
        QCOMPARE(result->outcome->reason, Reason::Cancelled);
    }

    void finishingWhatIsNotPendingIsNotFound() {
        Journal journal(fresh("twice"));
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        QCOMPARE(word(journal.carryOut(finish(1))), "ok");
        QCOMPARE(word(journal.carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "not_found");
        QCOMPARE(word(journal.carryOut(finish(2))), "not_found");
        QCOMPARE(
            word(journal.carryOut(Retry{.lsn = Lsn(1), .attempt = attempt(2, ActionState::Failed), .chunks = {}})),
            "not_found");
        QCOMPARE(word(journal.carryOut(Update{.lsn = Lsn(1), .held = true})), "not_found");
        QCOMPARE(get(journal, 1)->state, ActionState::Completed);
    }

    void updatesOfAPendingRowSurviveTheNextStart() {
        const auto path = fresh("update");
        {
            Journal journal(path);
            auto rows = accept({1, 2});
            rows.items[1].row.held = true;
            QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
            QCOMPARE(word(journal.carryOut(Update{.lsn = Lsn(1),
                                                  .held = true,
                                                  .cancelRequested = true,
                                                  .priority = 5,
                                                  .queue = QueueId(3),
                                                  .notBefore = kThen + 1})),
                     "ok");
            QCOMPARE(word(journal.carryOut(Update{.lsn = Lsn(2), .held = false})), "ok");
        }
        Journal again(path);
        QVERIFY(again.pending[0].held && again.pending[0].cancelRequested);
        QCOMPARE(again.pending[0].priority, std::int16_t(5));
        QCOMPARE(again.pending[0].queue, QueueId(3));
        QCOMPARE(again.pending[0].notBefore, kThen + 1);
        QVERIFY(!again.pending[1].held && !again.pending[1].cancelRequested);
    }

    void retiringForgetsAFinishedActionAndRefusesAnActiveOne() {
        Journal journal(fresh("retire"));
        QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
        QCOMPARE(word(journal.carryOut(Retire{Lsn(1)})), "wrong_state");
        Finish end = finish(1, ActionState::Failed, Reason::ExitCode);
        end.attempt->outcome.note = "so there is a row of the attempt";
        QCOMPARE(word(journal.carryOut(end)), "ok");
        QCOMPARE(word(journal.carryOut(Retire{Lsn(1)})), "ok");
        QCOMPARE(word(journal.carryOut(Retire{Lsn(1)})), "not_found");
        QVERIFY(!get(journal, 1));
        auto database = Database::openForReading(journal.store().path(), {});
        QCOMPARE(*database->number("SELECT count(*) FROM attempt"), 0);
        QCOMPARE(*database->number("SELECT count(*) FROM spec"), 1);
    }

    void reschedulingPutsAFinishedActionBackAndLowersTheCounter() {
        const auto path = fresh("reopen");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
            QCOMPARE(word(journal.carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "ok");
            QCOMPARE(word(journal.carryOut(finish(2))), "ok");
            QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(2), .tPending = kThen + 700})), "wrong_state");
            QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(3), .tPending = kThen + 700})), "not_found");
            QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen + 700, .expectRetryCount = 5})),
                     "wrong_state");
            const auto detail = journal.carryOut(
                Reopen{.lsn = Lsn(1), .tPending = kThen + 700, .expectRetryCount = 0, .ownFailures = 2});
            QCOMPARE(word(detail), "ok");
            QCOMPARE(detail.row->retryCount, 1u);
            QCOMPARE(detail.row->attempts, 1u);
            QCOMPARE(detail.row->ownFailures, 2u);
            QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen + 800})), "not_found");
        }
        Journal again(path);
        QCOMPARE(lsnsOf(again.pending), "1");
        QCOMPARE(again.pending[0].retryCount, 1u);
        QCOMPARE(again.pending[0].tPending, kThen + 700);
        QCOMPARE(again.pending[0].tNew, kThen + 1);
        QCOMPARE(again.restored.queues[0].counters.failed, 0);
        QCOMPARE(again.restored.queues[0].counters.completed, 1);
        QCOMPARE(get(again, 1)->attempts.size(), 1u); // told by the row that `done` was
        QCOMPARE(get(again, 1)->attempts[0].outcome.reason, Reason::ExitCode);
    }

    void whatEndedWhileItWasHeldIsHeldAgainAndHasTheTimeThatIsGiven() {
        const auto path = fresh("reopenheld");
        {
            Journal journal(path);
            auto rows = accept({1, 2, 3});
            for (auto& item : rows.items) item.row.held = item.row.lsn != Lsn(3);
            QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
            Finish end{.lsn = Lsn(1), .state = ActionState::Abandoned, .reason = Reason::Abandoned, .tEnd = kThen};
            QCOMPARE(word(journal.carryOut(end)), "ok");
            QCOMPARE(word(journal.carryOut(FinishMany{
                         .runs = {{Lsn(2), 2}}, .state = ActionState::Abandoned, .reason = Reason::Abandoned})),
                     "ok");
            for (const std::int64_t lsn : {1, 2, 3}) {
                const auto detail =
                    journal.carryOut(Reopen{.lsn = Lsn(lsn), .tPending = kThen, .notBefore = kThen + lsn});
                QCOMPARE(word(detail), "ok");
                QCOMPARE(detail.row->held, lsn != 3);
                QCOMPARE(detail.row->notBefore, kThen + lsn);
            }
        }
        Journal again(path);
        for (const PendingRow& row : again.pending) {
            QCOMPARE(row.held, row.lsn != Lsn(3));
            QCOMPARE(row.notBefore, kThen + row.lsn.value);
            QVERIFY(!row.backoff);
        }
    }

    void whatIsReplacedSaysByWhatForAsLongAsItIsKnown() {
        const auto path = fresh("replaced");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
            QCOMPARE(word(journal.carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "ok");
            auto copies = accept({3});
            copies.replaced = {{Lsn(1), Lsn(3)}, {Lsn(2), Lsn(3)}};
            QCOMPARE(word(journal.carryOut(std::move(copies))), "ok");
            auto vain = accept({4});
            vain.replaced = {{Lsn(99), Lsn(4)}};
            QCOMPARE(word(journal.carryOut(std::move(vain))), "invalid");
            auto late = accept({4});
            late.replaced = {{Lsn(1), Lsn(4)}};
            QCOMPARE(word(journal.carryOut(std::move(late))), "wrong_state");
            QCOMPARE(word(journal.carryOut(finish(2, ActionState::Failed, Reason::ExitCode))), "ok");
        }
        Journal journal(path);
        for (const std::int64_t lsn : {1, 2}) QCOMPARE(get(journal, lsn)->replacedBy, Lsn(3));
        QCOMPARE(get(journal, 3)->replacedBy, Lsn());
        QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen})), "ok");
        QCOMPARE(get(journal, 1)->replacedBy, Lsn(3));
        QCOMPARE(word(journal.carryOut(Retire{Lsn(2)})), "ok");
        auto database = Database::openForReading(journal.store().path(), {});
        QCOMPARE(*database->number("SELECT count(*) FROM replaced"), 1);
    }

    void reschedulingNeedsTheSpec() {
        Journal journal(fresh("nospec"));
        QCOMPARE(word(journal.carryOut(accept({1, 2}))), "ok");
        Finish failed = finish(1, ActionState::Failed, Reason::ExitCode);
        failed.keepSpec = false; // kept all the same: rescheduling needs it
        QCOMPARE(word(journal.carryOut(failed)), "ok");
        Finish completed = finish(2);
        completed.keepSpec = false;
        QCOMPARE(word(journal.carryOut(completed)), "ok");
        auto reader = openReader(journal);
        QVERIFY((*reader->specText(Lsn(1))).has_value());
        QVERIFY(!(*reader->specText(Lsn(2))).has_value());
        QCOMPARE(word(journal.carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen + 700})), "ok");
    }

    void anArrayIsOneSubmissionThatSharesItsSpecUntilTheLastElementIsRetired() {
        const auto path = fresh("array");
        {
            Journal journal(path);
            auto rows = accept({10});
            rows.items[0].isArray = true;
            rows.items[0].count = 3;
            rows.items[0].row.arrayIndex = 5;
            QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
            for (const std::int64_t lsn : {10, 11, 12}) QCOMPARE(word(journal.carryOut(finish(lsn))), "ok");
            QCOMPARE(word(journal.carryOut(Retire{Lsn(10)})), "ok");
            auto reader = openReader(journal);
            QVERIFY(!(*reader->specText(Lsn(10))).has_value());
            const auto text = *reader->specText(Lsn(12));
            QCOMPARE(text->text, specText("10"));
            QCOMPARE(*text->arrayIndex, 7);
            QCOMPARE(word(journal.carryOut(Retire{Lsn(11)})), "ok");
            QCOMPARE(word(journal.carryOut(Retire{Lsn(12)})), "ok");
            auto database = Database::openForReading(journal.store().path(), {});
            QCOMPARE(*database->number("SELECT (SELECT count(*) FROM spec)+(SELECT count(*) FROM array)"), 0);
        }
    }

    void specsAreFetchedParsedWithThoseThatFollow() {
        Journal journal(fresh("specs"));
        auto rows = accept({1, 2, 3});
        AcceptItem array = item(4);
        array.isArray = true;
        array.count = 2;
        array.row.arrayIndex = 8;
        array.spec = R"({"worker":"exec","argv":["/bin/echo","{index}"],"array":{"from":8,"to":9}})";
        rows.items.push_back(array);
        rows.items.push_back(item(6));
        rows.items.back().spec = "not JSON";
        QCOMPARE(word(journal.carryOut(std::move(rows))), "ok");
        QVERIFY(journal.store().fetchSpecs({Lsn(2), Lsn(1), Lsn(99)}, 0));
        auto asked = journal.answers.specs(3);
        QCOMPARE(asked[0].lsn, Lsn(1));
        QCOMPARE(asked[0].spec->argv.at(1), "1");
        QCOMPARE(asked[1].text, specText("2"));
        QVERIFY(!asked[2].spec && !asked[2].error.empty());
        QVERIFY(journal.store().fetchSpecs({Lsn(2)}, 10));
        auto ahead = journal.answers.specs(5);
        QCOMPARE(ahead.size(), 5u);
        QCOMPARE(ahead[2].spec->argv.at(1), "8");
        QCOMPARE(ahead[3].lsn, Lsn(5));
        QCOMPARE(ahead[3].spec->argv.at(1), "9");
        QVERIFY(!ahead[4].spec && !ahead[4].error.empty());
    }

    void aSubmissionNamesTheChunksItLacks() {
        Journal journal(fresh("chunks"));
        const SmallChunk there = chunk("there");
        const SmallChunk missing = chunk("missing");
        QVERIFY(journal.store().carryOutAndWait(PutChunk{there}));
        auto rows = accept({1, 2});
        rows.items[0].chunks = {there.hash, Hash256::ofNothing()};
        rows.items[1].chunks = {missing.hash, missing.hash};
        const auto detail = journal.carryOut(rows);
        QCOMPARE(word(detail), "need");
        QCOMPARE(detail.error->need, std::vector<std::string>{missing.hash.hex()});
        QVERIFY(!get(journal, 1));
        QVERIFY(journal.files().isRecent(there.hash));
        QVERIFY(journal.store().carryOutAndWait(PutChunk{missing}));
        QCOMPARE(word(journal.carryOut(rows)), "ok");
    }

    void dependenciesAreCheckedAndToldAgainAtTheNextStart() {
        const auto path = fresh("edges");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(accept({1, 2, 3}))), "ok");
            QCOMPARE(word(journal.carryOut(finish(1))), "ok");
            auto unknown = accept({4, 5});
            unknown.items[1].row.after = {{Lsn(77)}};
            const auto refused = journal.carryOut(unknown);
            QCOMPARE(word(refused), "invalid");
            QCOMPARE(refused.error->field, "after");
            QCOMPARE(refused.error->index, 1);
            auto known = accept({4, 5});
            known.items[1].row.after = {
                {Lsn(1)}, {Lsn(2), DependencyOn::Any}, {Lsn(4)}, {Lsn(3), DependencyOn::Failed}};
            const auto detail = journal.carryOut(known);
            QCOMPARE(word(detail), "ok");
            QCOMPARE(detail.finished.size(), 1u);
            QCOMPARE(detail.finished[0].lsn, Lsn(1));
            QCOMPARE(word(journal.carryOut(finish(3, ActionState::Failed, Reason::ExitCode))), "ok");
            QCOMPARE(word(journal.carryOut(Retire{Lsn(1)})), "ok");
        }
        Journal again(path);
        const auto& edges = again.pending.back().after;
        QCOMPARE(edges.size(), 4u);
        QCOMPARE(edges[0].state, ActionState::New);
        QCOMPARE(edges[1].state, ActionState::Pending);
        QCOMPARE(edges[1].on, DependencyOn::Any);
        QCOMPARE(edges[3].state, ActionState::Failed);
        QCOMPARE(edges[3].on, DependencyOn::Failed);
    }

    void anIdempotencyKeyRepeatsItsAnswerForADay() {
        Journal journal(fresh("idem"));
        auto rows = accept({1});
        rows.idempotency = Idempotency{"key", Sha256::of("body"), R"({"lsn":1})"};
        QCOMPARE(word(journal.carryOut(rows)), "ok");
        auto repeat = accept({2});
        repeat.idempotency = Idempotency{"key", Sha256::of("body"), R"({"lsn":2})"};
        repeat.now = kThen + 23LL * 3600 * 1'000'000;
        const auto detail = journal.carryOut(repeat);
        QCOMPARE(word(detail), "ok");
        QVERIFY(detail.repeated);
        QCOMPARE(detail.answer, R"({"lsn":1})");
        QVERIFY(!get(journal, 2));
        auto other = repeat;
        other.idempotency->body = Sha256::of("another");
        const auto refused = journal.carryOut(other);
        QCOMPARE(word(refused), "invalid");
        QCOMPARE(refused.error->field, "Idempotency-Key");
        other.now = kThen + 25LL * 3600 * 1'000'000;
        const auto later = journal.carryOut(other);
        QCOMPARE(word(later), "ok");
        QVERIFY(!later.repeated && get(journal, 2));
    }

    void aSubmissionThatWasRefusedLeavesItsIdempotencyKeyFree() {
        Journal journal(fresh("idemfree"));
        auto rows = accept({1});
        rows.idempotency = Idempotency{"key", Sha256::of("body"), "{}"};
        rows.items[0].chunks = {Sha256::of("not there")};
        QCOMPARE(word(journal.carryOut(rows)), "need");
        rows.items[0].chunks.clear();
        const auto detail = journal.carryOut(rows);
        QVERIFY(word(detail) == "ok" && !detail.repeated);
    }

    void queuesAndTheirCountersAreFoundAgain() {
        const auto path = fresh("queues");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(PutQueue{{.id = QueueId(4),
                                                     .token = "t4",
                                                     .tag = "nightly",
                                                     .held = true,
                                                     .config = R"({"weight":2})",
                                                     .created = kThen,
                                                     .counters = {}}})),
                     "ok");
            QCOMPARE(word(journal.carryOut(
                         PutQueue{{.id = QueueId(9), .token = "t9", .tag = {}, .config = "{}", .counters = {}}})),
                     "ok");
            QCOMPARE(word(journal.carryOut(accept({1, 2, 3, 4}, 4))), "ok");
            QCOMPARE(word(journal.carryOut(finish(1))), "ok");
            QCOMPARE(word(journal.carryOut(finish(2, ActionState::Abandoned, Reason::Abandoned))), "ok");
            QCOMPARE(word(journal.carryOut(finish(3, ActionState::Cancelled, Reason::Cancelled))), "ok");
            // writing the queue again leaves its counters alone
            QCOMPARE(word(journal.carryOut(PutQueue{{.id = QueueId(4),
                                                     .token = "t4",
                                                     .tag = "nightly",
                                                     .state = QueueState::Draining,
                                                     .config = "{}",
                                                     .counters = {}}})),
                     "ok");
            QCOMPARE(word(journal.carryOut(accept({5, 6}, 9))), "ok");
            QCOMPARE(word(journal.carryOut(finish(5))), "ok");
            QCOMPARE(word(journal.carryOut(DropQueue{QueueId(9)})), "ok");
            QCOMPARE(word(journal.carryOut(finish(6, ActionState::Failed, Reason::ExitCode))), "ok");
            QCOMPARE(word(journal.carryOut(DropQueue{QueueId(9)})), "not_found");
        }
        Journal again(path);
        QCOMPARE(again.restored.queues.size(), 2u);
        const QueueRow& queue = again.restored.queues[1];
        QCOMPARE(queue.tag, "nightly");
        QCOMPARE(queue.state, QueueState::Draining);
        QVERIFY(!queue.held);
        QCOMPARE(queue.counters.completed, 1);
        QCOMPARE(queue.counters.abandoned, 1);
        QCOMPARE(queue.counters.cancelled, 1);
        QCOMPARE(queue.counters.failed, 0);
        QCOMPARE(again.restored.lastQueue, 9);
        QCOMPARE(again.restored.past.completed, 1);
        QCOMPARE(again.restored.past.failed, 1);
        QCOMPARE(again.restored.past.cancelled, 0);
    }

    void workersAndValuesAreFoundAgain() {
        const auto path = fresh("workers");
        const SmallChunk file = chunk("#!/bin/sh");
        const Hash256 worker = Sha256::of("worker");
        {
            Journal journal(path);
            WorkerRow row{worker, R"({"name":"w"})", kThen, {file.hash}};
            QCOMPARE(word(journal.carryOut(PutWorker{row})), "need");
            QVERIFY(journal.store().carryOutAndWait(PutChunk{file}));
            QCOMPARE(word(journal.carryOut(PutWorker{row})), "ok");
            row.id = Sha256::of("other");
            QCOMPARE(word(journal.carryOut(PutWorker{row})), "ok");
            QCOMPARE(word(journal.carryOut(DropWorker{row.id})), "ok");
            QCOMPARE(word(journal.carryOut(DropWorker{row.id})), "not_found");
            QCOMPARE(word(journal.carryOut(note("window", "wide"))), "ok");
        }
        Journal again(path);
        QCOMPARE(again.restored.workers.size(), 1u);
        QVERIFY(again.restored.workers[0].id == worker);
        QVERIFY(again.restored.workers[0].chunks == std::vector{file.hash});
        QCOMPARE(again.restored.documents.size(), 1u);
        QCOMPARE(again.restored.documents[0].body, "wide");
    }

    void aQueueThatIsBeingDeletedIsFoundAgainAsThat() {
        const auto path = fresh("deleting");
        {
            Journal journal(path);
            QueueRow row{
                .id = QueueId(4), .token = "t4", .tag = {}, .config = "{}", .deleting = true, .counters = {}};
            QCOMPARE(word(journal.carryOut(PutQueue{row})), "ok");
        }
        Journal again(path);
        QVERIFY(!again.restored.queues[0].deleting);
        QVERIFY(again.restored.queues[1].deleting);
    }

    void noQueueOfAnEarlierVersionIsBeingDeleted() {
        const auto path = fresh("before");
        {
            Journal journal(path);
            QCOMPARE(word(journal.carryOut(
                         PutQueue{{.id = QueueId(4), .token = "t4", .tag = {}, .config = "{}", .counters = {}}})),
                     "ok");
        }
        {
            auto database = Database::openForWriting(path + "/journal.sqlite", {});
            QVERIFY(database->execute(undoneTo(12)).has_value());
        }
        Journal again(path);
        QCOMPARE(again.restored.queues.size(), 2u);
        QVERIFY(!again.restored.queues[1].deleting);
    }

    void everyStartBeginsANewBlockOfLsns() {
        const auto path = fresh("lsns");
        LsnBlock first;
        LsnBlock large;
        {
            Journal journal(path);
            first = journal.restored.lsns;
            QCOMPARE(first.first, Lsn(1));
            QCOMPARE(first.end, Lsn(100'001));
            QCOMPARE(journal.carryOut(ReserveLsns{5}).lsns.end, Lsn(200'001));
            large = journal.carryOut(ReserveLsns{250'000}).lsns;
            QCOMPARE(large.first, Lsn(200'001));
            QCOMPARE(large.end, Lsn(450'001));
            QCOMPARE(word(journal.carryOut(ReserveLsns{0})), "invalid");
        }
        QCOMPARE(Journal(path).restored.lsns.first, large.end);
    }
};

QTEST_GUILESS_MAIN(TestJournal)
#include "tst_journal.moc"
