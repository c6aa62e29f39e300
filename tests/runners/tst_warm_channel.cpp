// The socket of a warm process by itself; the test has the process's end.
#include "core/runners/warm_channel.h"

#include <QTest>

#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::runners;

namespace {

warm::Request request(std::uint64_t id, std::string_view args = {}) {
    return {.id = id, .lsn = Lsn(3), .function = "f", .args = args, .inputs = {}, .outputs = {}};
}

struct Both {
    Both() {
        auto made = channel.open();
        if (!made) qFatal("%s", made.error().message.c_str());
        theirs = std::move(*made);
        channel.watch(epoll.get(), 7);
    }
    /// Frames until no more should be put.
    void fill() {
        const std::string args = '"' + std::string(50'000, 'x') + '"';
        for (std::uint64_t id = 1; !channel.isFull(); ++id) {
            if (!channel.put(request(id, args))) qFatal("too long");
            if (channel.write() == WarmChannel::Write::HungUp) qFatal("nobody is there");
        }
    }
    /// What the epoll tells of the channel.
    std::uint32_t events() const {
        epoll_event event{};
        return ::epoll_wait(epoll.get(), &event, 1, 0) == 1 && event.data.u64 == 7 ? event.events : 0;
    }
    std::size_t read(std::size_t most) const {
        std::string got(most, ' ');
        const ssize_t n = ::recv(theirs.get(), got.data(), got.size(), MSG_DONTWAIT);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }

    UniqueFd epoll{::epoll_create1(EPOLL_CLOEXEC)};
    WarmChannel channel;
    UniqueFd theirs;
};

} // namespace

class TestWarmChannel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsPutIsReadAtTheOtherEnd();
    void whatIsNotReadWaitsUntilThereIsRoom();
    void whatIsTooLongIsNotTaken();
    void whatWaitsAtTheirEndWasNotRead();
    void thatNobodyIsAtTheOtherEndIsSeen();
    void aClosedOneDropsWhatWasNotWritten();
};

void TestWarmChannel::whatIsPutIsReadAtTheOtherEnd() {
    Both both;
    QVERIFY(both.channel.put(request(5)));
    QVERIFY(both.channel.write() == WarmChannel::Write::Done);
    QVERIFY(!both.channel.waitsToWrite());
    warm::FrameBuffer got;
    QVERIFY(got.receive(both.theirs.get()) != warm::FrameBuffer::Fill::Closed);
    const auto frame = got.next();
    QVERIFY(frame);
    QCOMPARE(frame->id, std::uint64_t{5});
    struct stat socket{};
    QCOMPARE(::fstat(both.theirs.get(), &socket), 0);
    QCOMPARE(both.channel.theirInode(), static_cast<std::uint64_t>(socket.st_ino));
}

void TestWarmChannel::whatIsNotReadWaitsUntilThereIsRoom() {
    Both both;
    both.fill();
    QVERIFY(both.channel.waitsToWrite());
    QVERIFY(!(both.events() & EPOLLOUT));
    std::uint64_t read = 0;
    auto write = WarmChannel::Write::Done;
    while (write == WarmChannel::Write::Done) {
        const std::size_t n = both.read(1u << 20);
        QVERIFY(n > 0);
        read += n;
        write = both.channel.write();
    }
    QVERIFY(write == WarmChannel::Write::HasRoom);
    QVERIFY(!both.channel.waitsToWrite());
    QVERIFY(!both.channel.isFull());
    while (const std::size_t n = both.read(1u << 20)) read += n;
    QCOMPARE(read, both.channel.bytesPut());
    QCOMPARE(both.channel.bytesRead(), both.channel.bytesPut());
}

void TestWarmChannel::whatIsTooLongIsNotTaken() {
    Both both;
    const std::string args = '"' + std::string(warm::kMaxFrame, 'x') + '"';
    QVERIFY(!both.channel.put(request(5, args)));
    QCOMPARE(both.channel.bytesPut(), std::uint64_t{0});
    QVERIFY(both.channel.write() == WarmChannel::Write::Done);
    QCOMPARE(both.read(1), std::size_t{0});
}

void TestWarmChannel::whatWaitsAtTheirEndWasNotRead() {
    Both both;
    QVERIFY(both.channel.put(request(5)));
    QVERIFY(both.channel.write() == WarmChannel::Write::Done);
    QCOMPARE(both.channel.bytesRead(), std::uint64_t{0});
    QCOMPARE(both.read(4), std::size_t{4});
    QCOMPARE(both.channel.bytesRead(), std::uint64_t{4});
    both.theirs.reset(); // it is dead: what it did not read is not lost with it
    QCOMPARE(both.channel.bytesRead(), std::uint64_t{4});
    both.channel.close();
    QCOMPARE(both.channel.bytesRead(), std::uint64_t{4});
}

void TestWarmChannel::thatNobodyIsAtTheOtherEndIsSeen() {
    Both both;
    ::shutdown(both.theirs.get(), SHUT_RDWR);
    QVERIFY(both.channel.put(request(5)));
    QVERIFY(both.channel.write() == WarmChannel::Write::HungUp);
    QVERIFY(both.channel.receive() == warm::FrameBuffer::Fill::Closed);
}

void TestWarmChannel::aClosedOneDropsWhatWasNotWritten() {
    Both both;
    QVERIFY(both.channel.put(request(5)));
    both.channel.close();
    QVERIFY(!both.channel.isOpen());
    QVERIFY(both.channel.write() == WarmChannel::Write::Done);
    QCOMPARE(both.read(1), std::size_t{0});
    QCOMPARE(both.events(), 0u);
}

QTEST_APPLESS_MAIN(TestWarmChannel)
#include "tst_warm_channel.moc"
