// What actions have used, read from a journal: which attempts there are, and that each action is seen once.
#include "tests/store/journal_fixture.h"

#include <QTest>

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

constexpr WallMicros kEver = kThen * 2;

/// "1 waited 95: completed 110-120", "2 goes on: failed exit_code 110-120"
std::string printed(const ActionUse& use) {
    std::string text = fmt::format("{} ", use.lsn.value);
    text += use.ended != 0 ? fmt::format("waited {}:", use.waited) : "goes on:";
    for (const ActionUse::Attempt& attempt : use.attempts) {
        text += fmt::format(" {}", name(attempt.state));
        if (attempt.reason != Reason::None) text += fmt::format(" {}", name(attempt.reason));
        text += fmt::format(" {}-{}", attempt.from - kThen, attempt.until - kThen);
        if (attempt.peakBytes) text += fmt::format(" {} bytes", *attempt.peakBytes);
    }
    return text;
}

Retry retry(std::int64_t lsn, std::uint32_t n, Reason reason = Reason::ExitCode) {
    Retry retry;
    retry.lsn = Lsn(lsn);
    retry.attempt = attempt(n, ActionState::Failed, reason);
    retry.retryCount = n;
    retry.tPending = retry.attempt.times[ActionState::Failed];
    return retry;
}

Finish finishOf(std::int64_t lsn, std::uint32_t n, ActionState state = ActionState::Completed) {
    Finish row = finish(lsn, state, state == ActionState::Failed ? Reason::ExitCode : Reason::None);
    row.attempt = attempt(n, state, row.reason);
    row.tEnd = row.attempt->times[state];
    return row;
}

} // namespace

class TestUses : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::unique_ptr<Journal> journal_;
    std::unique_ptr<Reader> reader_;

    /// All lines, read in portions that end at once; `between` two of them.
    std::string all(UseQuestion question = {.from = 0, .to = kEver}, const std::function<void()>& between = {}) {
        question.lookFor = Duration::zero();
        std::string text;
        Lsn cursor;
        do {
            const auto next = reader_->uses(question, cursor, [&](const ActionUse& use) {
                text += (text.empty() ? "" : "\n") + printed(use);
                if (question.labels) text += fmt::format(" \"{}\"", use.label);
            });
            if (!next) return next.error().message;
            cursor = *next;
            if (between) between();
        } while (cursor.value > 0);
        return text;
    }
    void carryOut(Action action) { QCOMPARE(word(journal_->carryOut(std::move(action))), "ok"); }

private Q_SLOTS:
    void init() {
        const std::string path = directory_.filePath(QTest::currentTestFunction()).toStdString();
        QVERIFY(QDir().mkpath(QString::fromStdString(path)));
        journal_ = std::make_unique<Journal>(path);
        reader_ = openReader(*journal_);
    }
    void cleanup() {
        reader_.reset();
        journal_.reset();
    }

    void attemptsBeforeTheLastAreThereOnceEach() {
        carryOut(accept({1, 2}));
        carryOut(retry(1, 1));
        carryOut(retry(1, 2, Reason::Signal));
        carryOut(finishOf(1, 3));
        carryOut(finishOf(2, 1));
        QCOMPARE(all(), "1 waited 70: failed exit_code 110-120 failed signal 210-220 completed 310-320\n"
                        "2 waited 93: completed 110-120");
    }

    void aLastAttemptThatHasARowOfItsOwnCountsOnce() {
        carryOut(accept({1}));
        Finish row = finishOf(1, 1);
        row.attempt->outcome.result = "7";
        row.attempt->outcome.measures[Measure::PeakMemory] = 4096;
        carryOut(row);
        QCOMPARE(all(), "1 waited 94: completed 110-120 4096 bytes");
    }

    void whatWillRunAgainIsSeenWithWhatItUsed() {
        carryOut(accept({1, 2, 3}));
        carryOut(retry(2, 1));
        QCOMPARE(all(), "2 goes on: failed exit_code 110-120");
    }

    void whatWasCancelledBetweenTwoAttemptsKeepsThoseThatRan() {
        carryOut(accept({1, 2}));
        carryOut(retry(1, 1));
        for (const std::int64_t lsn : {1, 2}) {
            Finish row;
            row.lsn = Lsn(lsn);
            row.state = ActionState::Cancelled;
            row.reason = Reason::Cancelled;
            row.tEnd = kThen + 500;
            carryOut(row);
        }
        QCOMPARE(all(), "1 waited 370: failed exit_code 110-120\n2 waited 493:");
    }

    void whatNeverRanHasNoAttempt() {
        carryOut(accept({1}));
        Finish row = finishOf(1, 1, ActionState::Failed);
        row.attempt->times[ActionState::Running] = row.attempt->times.exited = 0;
        carryOut(row);
        QCOMPARE(all(), "1 waited 94:");
    }

    void whatEndedBeforeOrCameAfterIsPassedOver() {
        carryOut(accept({1, 2, 3}));
        carryOut(finishOf(1, 1)); // ends at 130
        carryOut(finishOf(2, 4)); // ends at 430
        carryOut(retry(3, 1));
        QCOMPARE(all({.from = kThen + 200, .to = kEver}),
                 "2 waited 393: completed 410-420\n3 goes on: failed exit_code 110-120");
        QCOMPARE(all({.from = 0, .to = kThen + 1}), "");
    }

    void labelsAreReadWhereTheyAreAskedFor() {
        Accept rows = accept({1, 2});
        rows.labels = {{7, "night/1"}};
        rows.items.front().row.label = 7;
        carryOut(rows);
        carryOut(finishOf(1, 1));
        carryOut(finishOf(2, 1));
        QCOMPARE(all({.from = 0, .to = kEver, .labels = true}),
                 "1 waited 94: completed 110-120 \"night/1\"\n2 waited 93: completed 110-120 \"\"");
    }

    void eachActionIsSeenOnceWhateverHappensBetweenTwoLooks() {
        constexpr std::int64_t kActions = 2'000;
        Accept rows;
        rows.now = kThen;
        for (std::int64_t lsn = 1; lsn <= kActions; ++lsn) rows.items.push_back(item(lsn));
        carryOut(rows);
        for (std::int64_t lsn = 1; lsn < kActions; ++lsn) journal_->post(retry(lsn, 1));
        carryOut(retry(kActions, 1));
        std::int64_t ends = 0; // from both sides of the look
        const std::string text = all({.from = 0, .to = kEver}, [&] {
            ends += 10;
            if (ends >= kActions / 2) return;
            carryOut(finishOf(ends, 2));
            carryOut(finishOf(kActions - ends, 2));
        });
        QVERIFY(ends > 10); // it took several looks
        QCOMPARE(QString::fromStdString(text).count('\n') + 1, kActions);
        for (std::int64_t lsn = 1; lsn <= kActions; ++lsn) {
            const std::string once = fmt::format("\n{} ", lsn);
            const std::size_t found = ("\n" + text).find(once);
            QVERIFY2(found != std::string::npos, once.c_str());
            QVERIFY2(("\n" + text).find(once, found + 1) == std::string::npos, once.c_str());
        }
    }

    void whatIsKeptIsCountedWithItsOldestEnd() {
        QCOMPARE(reader_->kept()->count, 0);
        QCOMPARE(reader_->kept()->oldest, 0);
        carryOut(accept({1, 2, 3}));
        carryOut(finishOf(1, 1));
        carryOut(finishOf(2, 2));
        QCOMPARE(reader_->kept()->count, 2);
        QCOMPARE(reader_->kept()->oldest, kThen + 130);
        carryOut(Retire{Lsn(1)});
        QCOMPARE(reader_->kept()->count, 1);
        QCOMPARE(reader_->kept()->oldest, kThen + 230);
    }
};

QTEST_GUILESS_MAIN(TestUses)
#include "tst_uses.moc"
