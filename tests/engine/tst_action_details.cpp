// What one action has beside its row, by itself: no launcher, the journal is in memory, the clock is moved by hand.
#include "core/engine/reading/action_details.h"

#include "tests/engine/reading_bench.h"

#include <QTest>

#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class Bench : public engine::test::ReadingBench {
public:
    coro::ConditionVariable progress;
    bool follows = true; ///< the attempt's output can be followed
    ActionDetails details{{.session = machine.session,
                           .dictionary = dictionary,
                           .rows = rows,
                           .journal = journal,
                           .attempt = [this](Lsn lsn) { return attempt(lsn); },
                           .follow = [this](Lsn, std::uint32_t, unsigned) { return follows ? streams : nullptr; },
                           .progress = [this]() -> coro::ConditionVariable& { return progress; },
                           .now = [this] { return rig.loop.now(); }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    /// Its first attempt writes so far into this file.
    Lsn writing(const std::string& path, std::uint64_t size) {
        const Lsn lsn = keep(run());
        attempts[lsn].id = {lsn, 1};
        streams->streams[0] = {.watched = true, .path = path, .size = size, .limit = 1'000};
        return lsn;
    }
    /// One that ended after so many attempts, each of which printed its number of bytes.
    Lsn ended(int count) {
        const Lsn lsn(++machine.lsn);
        ActionResult row;
        row.lsn = lsn;
        row.state = ActionState::Completed;
        for (int n = 1; n <= count; ++n) {
            AttemptRecord& attempt = row.attempts.emplace_back();
            attempt.n = static_cast<std::uint32_t>(n);
            attempt.outcome.out = ChunkRef{Hash256::ofNothing(), static_cast<std::uint64_t>(n)};
            attempt.outcome.samples.resize(static_cast<std::size_t>(n));
        }
        journal.add(std::move(row));
        return lsn;
    }
    auto open(Lsn lsn, std::uint32_t attempt = 0, bool follow = false) {
        return details.openStream(lsn, Stream::Out, attempt, follow);
    }
};

} // namespace

class TestActionDetails : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- output

    void theOutputOfWhatRunsIsItsFile() {
        Bench b;
        const Lsn lsn = b.writing("/out", 7);
        const auto source = b.rig.ask(b.open(lsn));
        QCOMPARE(source->livePath, "/out");
        QCOMPARE(source->attempt, std::uint32_t{1});
        QCOMPARE(source->limit, std::uint64_t{1'000});
        QVERIFY(!source->chunk);
    }

    void whatHasPrintedNothingYetIsWaitedForAWhile() {
        Bench b;
        const Lsn lsn = b.writing("", 0);
        const auto nothing = b.rig.begin(b.open(lsn));
        QVERIFY(!nothing->has_value());
        b.rig.advance(kSecond);
        QVERIFY(nothing->has_value() && (*nothing)->value().livePath.empty());
        const auto something = b.rig.begin(b.open(lsn));
        b.streams->streams[0].path = "/out";
        b.streams->changed.notifyAll();
        b.rig.settle();
        QVERIFY(something->has_value());
        QCOMPARE((*something)->value().livePath, "/out");
    }

    void theOutputOfWhatEndedIsInTheContentStore() {
        Bench b;
        const Lsn lsn = b.ended(3);
        const auto size = [&](std::uint32_t attempt) { return b.rig.ask(b.open(lsn, attempt))->chunk->size; };
        QCOMPARE(size(0), std::uint64_t{3});
        QCOMPARE(size(1), std::uint64_t{1});
        QVERIFY(!b.rig.ask(b.open(lsn, 3))->willRetry);
        QVERIFY(b.rig.ask(b.open(lsn, 1))->willRetry);
        QCOMPARE(b.rig.ask(b.open(lsn, 4)).error().message,
                 "Action 1 has no attempt 4: GET jobs/1 lists those there are.");
    }

    void whatDidNotRunHasNoOutput() {
        Bench b;
        const Lsn lsn = b.keep(b.submit(true));
        QCOMPARE(b.rig.ask(b.open(lsn)).error().kind, ErrorKind::NotFound);
        QCOMPARE(b.rig.ask(b.open(Lsn(99))).error().kind, ErrorKind::NotFound);
    }

    void whoFollowsWaitsForTheStart() {
        Bench b;
        const Lsn lsn = b.keep(b.submit());
        const auto source = b.rig.begin(b.open(lsn, 0, true));
        QVERIFY(!source->has_value());
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.begin(lsn).id = {lsn, 1};
        b.streams->streams[0].path = "/out";
        b.progress.notifyAll();
        b.rig.settle();
        QVERIFY(source->has_value());
        QCOMPARE((*source)->value().livePath, "/out");
    }

    void whoWaitsForBytesIsToldWhenThereAreMoreOrTheAttemptEnds() {
        Bench b;
        const Lsn lsn = b.writing("/out", 7);
        const auto wait = [&](std::uint64_t known) {
            return b.rig.begin(b.details.awaitStream(lsn, Stream::Out, 1, known));
        };
        QCOMPARE((*wait(3))->value().size, std::uint64_t{7});
        const auto more = wait(7);
        QVERIFY(!more->has_value());
        b.streams->streams[0].size = 9;
        b.streams->changed.notifyAll();
        b.rig.settle();
        QCOMPARE((*more)->value().size, std::uint64_t{9});
        QVERIFY(!(*more)->value().ended);
        b.streams->ended = true;
        QVERIFY((*wait(9))->value().ended);
        b.follows = false;
        QVERIFY((*wait(9))->value().ended);
    }

    // --- spec and samples

    void theSpecIsAsItWasPostedWhileItIsKept() {
        Bench b;
        b.journal.specs[Lsn(1)] = {R"({"worker":"exec","argv":["true"]})", {}};
        QCOMPARE(b.rig.ask(b.details.spec(Lsn(1), false)).value(), R"({"worker":"exec","argv":["true"]})");
        QCOMPARE(b.rig.ask(b.details.spec(Lsn(2), false)).error().kind, ErrorKind::NotFound);
    }

    void samplesAreThoseOfTheLastAttempt() {
        Bench b;
        QCOMPARE(b.rig.ask(b.details.samples(b.ended(3)))->size(), std::size_t{3});
        const Lsn lsn = b.keep(b.run());
        b.attempts[lsn].record.outcome.samples.resize(2);
        QCOMPARE(b.rig.ask(b.details.samples(lsn))->size(), std::size_t{2});
        QVERIFY(b.rig.ask(b.details.samples(b.keep(b.submit())))->empty());
    }

    // --- terminals

    void whoHasNoTerminalSaysWhy() {
        Bench b;
        const auto message = [&](Lsn lsn) { return b.rig.ask(b.details.typeInto(lsn, "x")).error().message; };
        QCOMPARE(message(b.ended(1)), "Action 1 has ended: nobody is at its terminal.");
        const Lsn waits = b.keep(b.submit(true));
        b.journal.specs[waits] = {R"({"worker":"exec","argv":["true"]})", {}};
        QVERIFY2(message(waits).contains("has no terminal"), message(waits).c_str());
        b.journal.specs[waits] = {R"({"worker":"exec","argv":["sh"],"tty":{"rows":24,"cols":80}})", {}};
        QVERIFY2(message(waits).contains("does not run"), message(waits).c_str());
        QCOMPARE(b.rig.ask(b.details.resizeTerminal(Lsn(99), {})).error().kind, ErrorKind::NotFound);
    }

    void thoseThatLiveAndTakeATerminalAreCounted() {
        Bench b;
        ClassKey key;
        key.workerId = "exec";
        key.resources.named.emplace_back(kTerminals, 1'000);
        const std::uint32_t cls = b.dictionary.internClass(key).id;
        b.machine.session.defineClass(session::ClassId(cls), {});
        const Lsn with = b.machine.submit(1, 0, cls);
        const Lsn without = b.submit();
        QCOMPARE(b.rig.ask(b.details.withTerminal({with, without, Lsn(99)})), std::int64_t{1});
    }
};

QTEST_GUILESS_MAIN(TestActionDetails)
#include "tst_action_details.moc"
