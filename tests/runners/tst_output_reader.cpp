// Output of a spawner's child: read here while it is short, handed to the pump when it is long or watched.
#include "core/launcher/output_reader.h"
#include "tests/runners/launcher_parts.h"
#include "tests/support/waiting.h"

#include <QTest>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

using namespace yard;
using namespace yard::runners;
using namespace yard::test;

class TestOutputReader : public QObject {
    Q_OBJECT

    std::unique_ptr<LauncherParts> parts_;
    std::optional<OutputReader> reader_;
    std::optional<SlotChild> child_;
    UniqueFd out_; ///< where the child would write
    std::mutex mutex_;
    std::condition_variable came_;
    std::optional<OutputReader::StreamDone> done_; ///< mutex_

    void write(const std::string& bytes) {
        QCOMPARE(::write(out_.get(), bytes.data(), bytes.size()), std::ssize(bytes));
    }
    /// Events for the output, without waiting.
    std::size_t events() {
        std::size_t ours = 0;
        for (const epoll_event& event : parts_->epoll.wait(MonoTime{}))
            if (ChildEvent(event.data.u64).kind == EventKind::Out) ++ours;
        return ours;
    }
    OutputReader::StreamDone waitForPump() {
        std::unique_lock lock(mutex_);
        if (!came_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [this] { return done_.has_value(); }))
            qFatal("no answer");
        return *done_;
    }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<LauncherParts>();
        done_.reset();
        reader_.emplace(parts_->epoll, parts_->pump, [this](OutputReader::StreamDone done) {
            const std::lock_guard lock(mutex_);
            done_ = std::move(done);
            came_.notify_all();
        });
        child_.emplace();
        child_->lease.id = {Lsn(7), 1};
        child_->phase = SlotChild::Phase::Running;
        child_->err.stream = Stream::Err;
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        child_->out.pipe.reset(ends[0]);
        child_->out.where = OutputFlow::Where::Here;
        out_.reset(ends[1]);
    }
    void cleanup() {
        parts_.reset(); // the pump ends first: it may answer
        reader_.reset();
        child_.reset();
    }
    void shortOutputIsReadAtTheEndWithItsHash() {
        write("hello");
        reader_->finish(*child_);
        QVERIFY(OutputReader::isComplete(*child_));
        QCOMPARE(child_->out.result.bytes, "hello");
        QCOMPARE(child_->out.result.size, 5u);
        QVERIFY(child_->out.result.hash == Sha256::of("hello"));
        QVERIFY(child_->err.result.bytes.empty());
    }
    void whoHoldsTheOtherEndDoesNotKeepItOpen() {
        write("hello");
        reader_->finish(*child_); // out_ is still open
        QVERIFY(OutputReader::isComplete(*child_));
    }
    void thereAreEventsOnlyOnceItIsWatchedFor() {
        write("hello");
        QCOMPARE(events(), 0u);
        reader_->watchPipes(*child_);
        QCOMPARE(events(), 1u);
        reader_->read(*child_, child_->out);
        QCOMPARE(child_->out.kept, "hello");
        QCOMPARE(events(), 0u);
    }
    void aPipeThatItsWritersClosedIsNotReportedForever() {
        reader_->watchPipes(*child_);
        out_.reset();
        QCOMPARE(events(), 1u);
        reader_->read(*child_, child_->out);
        QCOMPARE(events(), 0u);
        QVERIFY(child_->out.where == OutputFlow::Where::Here); // closed at the end of the tree
    }
    void longOutputGoesToThePumpWhole() {
        const std::string some(kInlineStreamBytes, 'a');
        write(some);
        reader_->watchPipes(*child_);
        reader_->read(*child_, child_->out);
        QVERIFY(child_->out.where == OutputFlow::Where::Here);
        write("b");
        reader_->read(*child_, child_->out);
        QVERIFY(child_->out.where == OutputFlow::Where::Pumped);
        QCOMPARE(events(), 0u);
        write("c");
        reader_->finish(*child_);
        QVERIFY(!OutputReader::isComplete(*child_));
        const OutputReader::StreamDone done = waitForPump();
        QVERIFY(done.id == child_->lease.id && done.stream == Stream::Out);
        QCOMPARE(done.result.size, some.size() + 2);
        QVERIFY(done.result.hash == Sha256::of(some + "bc"));
        OutputReader::take(child_->out, done.result);
        QVERIFY(OutputReader::isComplete(*child_));
    }
    void whatIsWatchedGoesToThePumpWithWhatWasRead() {
        write("hello");
        reader_->watchPipes(*child_);
        reader_->read(*child_, child_->out);
        reader_->watch(*child_, child_->out, true);
        QVERIFY(child_->out.where == OutputFlow::Where::Pumped);
        reader_->watch(*child_, child_->out, false); // it stays there
        reader_->finish(*child_);
        QVERIFY(waitForPump().result.hash == Sha256::of("hello"));
    }
    void notToBeWatchedLeavesItHere() {
        reader_->watch(*child_, child_->out, false);
        QVERIFY(child_->out.where == OutputFlow::Where::Here);
    }
    void theNextAttemptBeginsWithNothing() {
        write("hello");
        reader_->finish(*child_);
        OutputReader::reset(*child_);
        QVERIFY(child_->out.kept.empty() && child_->out.result.bytes.empty() && child_->out.result.size == 0);
    }
    void whatWasOpenedForAStartThatFailedIsClosed() {
        OutputReader::drop(*child_);
        QVERIFY(OutputReader::isComplete(*child_));
        QVERIFY(!child_->out.pipe);
    }
};

QTEST_GUILESS_MAIN(TestOutputReader)
#include "tst_output_reader.moc"
