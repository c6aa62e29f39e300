// What the engine is told, in batches: what waits and for how long, what takes all along, and what happens when nobody
// reads.
#include "core/base/unique_fd.h"
#include "core/launcher/update_sender.h"

#include <QTest>

#include <algorithm>
#include <iterator>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <vector>

using namespace yard;
using namespace yard::runners;

namespace {

constexpr Duration kQuiet{2'000};
constexpr MonoTime kNow{Duration{1'000'000}};

AttemptId attempt(std::int64_t lsn) {
    return {Lsn(lsn), 1};
}
Started startedAt(MonoTime when) {
    Started started;
    started.times.running = when;
    return started;
}

} // namespace

class TestUpdateSender : public QObject {
    Q_OBJECT

    UniqueFd engine_;
    UniqueFd launcher_;
    UniqueFd wake_;
    wire::FrameBuffer frames_;
    std::unique_ptr<UpdateSender> updates_;

    /// Types of the frames that came so far and were not read before.
    std::vector<wire::FrameType> read() {
        while (frames_.receive(engine_.get()) == wire::FrameBuffer::Fill::Data) {
        }
        std::vector<wire::FrameType> types;
        while (const auto frame = frames_.next()) types.push_back(frame->type);
        return types;
    }
    bool isWoken() {
        pollfd poll{.fd = wake_.get(), .events = POLLIN, .revents = 0};
        return ::poll(&poll, 1, 0) == 1;
    }
    /// Urgent updates of half a MiB, until a send would block.
    int fill() {
        const auto half = std::string(256 << 10, 'x');
        int count = 0;
        for (; !updates_->isBlocked() && count < 100; ++count) {
            updates_->put(attempt(count + 1), OutputEnds{{half.size(), half}, {half.size(), half}});
            updates_->flush();
        }
        return count;
    }

private Q_SLOTS:
    void init() {
        int ends[2];
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        engine_.reset(ends[0]);
        launcher_.reset(ends[1]);
        wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        frames_ = {};
        updates_ = std::make_unique<UpdateSender>(launcher_.get(), wake_.get(), kQuiet);
    }

    void nothingIsDueWhileNothingWaits() {
        QVERIFY(updates_->flushAt() == MonoTime::max());
        updates_->flushIfDue(kNow);
        QVERIFY(read().empty());
    }
    void theOldestWaitsForAsLongAsItMay() {
        updates_->put(attempt(1), startedAt(kNow), false);
        updates_->put(attempt(2), startedAt(kNow + kQuiet / 2), false);
        QVERIFY(updates_->flushAt() == kNow + kQuiet);
        updates_->flushIfDue(kNow + kQuiet - Duration{1});
        QVERIFY(read().empty());
        updates_->flushIfDue(kNow + kQuiet);
        QCOMPARE(read().size(), std::size_t{2});
        QVERIFY(updates_->flushAt() == MonoTime::max());
    }
    void whatIsUrgentTakesAllBeforeItAlongInTheirOrder() {
        updates_->put(attempt(1), startedAt(kNow), false);
        updates_->putReturned(attempt(2));
        wire::EndedFrame ended{attempt(1), {}, {}};
        ended.ended.times.ended = kNow;
        updates_->put(ended, false);
        QVERIFY(updates_->flushAt() == MonoTime{});
        updates_->flushIfDue(kNow);
        QVERIFY(
            (read() == std::vector{wire::FrameType::Started, wire::FrameType::Returned, wire::FrameType::Ended}));
    }
    void whatSomebodyWaitsForIsUrgent() {
        updates_->put(attempt(1), LockBusy{});
        QVERIFY(updates_->flushAt() == MonoTime{});
        updates_->flush();
        updates_->put(attempt(1), StreamAt{});
        QVERIFY(updates_->flushAt() == MonoTime{});
        updates_->flush();
        updates_->put(attempt(1), OutputEnds{});
        QVERIFY(updates_->flushAt() == MonoTime{});
        updates_->flush();
        QCOMPARE(read().size(), std::size_t{3});
    }
    void theFirstWordGoesAtOnce() {
        updates_->sayHello(7);
        QVERIFY(read() == std::vector{wire::FrameType::Hello});
        QVERIFY(updates_->flushAt() == MonoTime::max());
    }
    void whileNobodyReadsTheMainThreadIsWokenOnceAndNothingIsLost() {
        const int count = fill();
        QVERIFY(updates_->isBlocked());
        QVERIFY(isWoken());
        eventfd_t woken = 0;
        QCOMPARE(::eventfd_read(wake_.get(), &woken), 0);
        updates_->putReturned(attempt(1'000));
        updates_->flush();
        QVERIFY(updates_->isBlocked());
        QVERIFY(!isWoken()); // it knows
        std::vector<wire::FrameType> all;
        for (int i = 0; i < 10'000 && (updates_->isBlocked() || i == 0); ++i) {
            std::ranges::copy(read(), std::back_inserter(all));
            updates_->flush();
        }
        QVERIFY(!updates_->isBlocked());
        std::ranges::copy(read(), std::back_inserter(all));
        QCOMPARE(std::ssize(all), count + 1);
        QVERIFY(all.back() == wire::FrameType::Returned);
    }
    void whatIsPutForAnEngineThatIsGoneIsDropped() {
        engine_.reset();
        updates_->putReturned(attempt(1));
        updates_->flush();
        QVERIFY(!updates_->isBlocked());
        QVERIFY(updates_->flushAt() == MonoTime::max());
    }
};

QTEST_APPLESS_MAIN(TestUpdateSender)
#include "tst_update_sender.moc"
