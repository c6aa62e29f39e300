// yardmaster as a service: what it tells the service manager that started it.
#include "tests/app/ctl_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <algorithm>
#include <future>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace yard;
using namespace yard::torture;

namespace {

/// The socket that a service manager listens on.
class Manager {
public:
    explicit Manager(const Place& place)
        : path_(place.path("notify"))
        , fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        std::ranges::copy(path_, std::begin(address_.sun_path));
        if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) != 0) qFatal("bind");
    }
    const std::string& path() const { return path_; }
    /// The next thing that is told; empty: nothing within the limit.
    std::string next(int limitMs = kWaitMs) const {
        pollfd readable{fd_.get(), POLLIN, 0};
        if (::poll(&readable, 1, limitMs) != 1) return {};
        std::array<char, 512> bytes{};
        const ssize_t size = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
        return size < 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
    }
    /// The next that is not a sign of life.
    std::string nextButLife() const {
        std::string told = next();
        while (told == "WATCHDOG=1") told = next();
        return told;
    }
    /// Until nobody can tell it anything more, as nothing is read.
    void fill() const {
        bool isFull = false;
        while (!isFull) {
            const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)); // each has its own limit, too
            isFull = ::sendto(fd.get(), "", 1, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address_),
                              sizeof address_) != 1;
        }
    }

private:
    std::string path_;
    UniqueFd fd_;
    sockaddr_un address_{.sun_family = AF_UNIX, .sun_path = {}};
};

Yardmaster::Options startedWith(std::vector<std::string> variables) {
    std::vector<std::string> wrapper{"/usr/bin/env"};
    wrapper.insert(wrapper.end(), variables.begin(), variables.end());
    return {.arguments = {}, .wrapper = std::move(wrapper), .dataDir = {}};
}

} // namespace

class TestService : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itTellsThatItServesAndThatItEnds() {
        const Place place;
        const Manager manager(place);
        Yardmaster engine(place, startedWith({"NOTIFY_SOCKET=" + manager.path()}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        const std::string ready = manager.next();
        QCOMPARE(ready, fmt::format("READY=1\nSTATUS=Serving at http://127.0.0.1:{}", engine.port()));
        QCOMPARE(engine.stop(), 0);
        QCOMPARE(manager.next(), "STOPPING=1\nSTATUS=Ending"); // and nobody asked for signs of life
    }

    void itTellsAgainAndAgainThatItLivesWhereThatIsAskedFor() {
        const Place place;
        const Manager manager(place);
        Yardmaster engine(place, startedWith({"NOTIFY_SOCKET=" + manager.path(), "WATCHDOG_USEC=60000"}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QVERIFY(manager.next().starts_with("READY=1"));
        for (int times = 0; times < 3; ++times) QCOMPARE(manager.next(), "WATCHDOG=1");
        // Read all the time: what does not fit is not told.
        auto told = std::async(std::launch::async, [&manager] { return manager.nextButLife(); });
        QCOMPARE(engine.stop(), 0);
        QCOMPARE(told.get(), "STOPPING=1\nSTATUS=Ending");
    }

    void aManagerThatReadsNothingIsNoReasonToStay() {
        const Place place;
        const Manager manager(place);
        Yardmaster engine(place, startedWith({"NOTIFY_SOCKET=" + manager.path(), "WATCHDOG_USEC=60000"}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QVERIFY(manager.next().starts_with("READY=1"));
        manager.fill();
        QCOMPARE(engine.stop(), 0);
    }

    void aWatchThatIsMeantForAnotherProcessIsLeftAlone() {
        const Place place;
        const Manager manager(place);
        Yardmaster engine(place,
                          startedWith({"NOTIFY_SOCKET=" + manager.path(), "WATCHDOG_USEC=1000", "WATCHDOG_PID=1"}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QVERIFY(manager.next().starts_with("READY=1"));
        QCOMPARE(engine.stop(), 0);
        QCOMPARE(manager.next(), "STOPPING=1\nSTATUS=Ending");
    }

    void actionsDoNotSeeTheServiceManager() {
        const Place place;
        const Manager manager(place);
        Yardmaster engine(place, startedWith({"NOTIFY_SOCKET=" + manager.path(), "WATCHDOG_USEC=30000000"}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        const test::Ended ran = test::CtlProcess({"--data-dir", QString::fromStdString(place.data()), "run", "-c",
                                                  "echo ${NOTIFY_SOCKET-none} ${WATCHDOG_USEC-none}"})
                                    .end();
        QCOMPARE(ran.out, std::string("none none\n"));
        QCOMPARE(engine.stop(), 0);
    }

    void aManagerThatIsGoneIsNoReasonToEnd() {
        const Place place;
        Yardmaster engine(place, startedWith({"NOTIFY_SOCKET=" + place.path("nobody")}));
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QCOMPARE(engine.stop(), 0);
        QVERIFY2(engine.errors().contains("is not told"), engine.errors().c_str());
    }
};

QTEST_GUILESS_MAIN(TestService)
#include "tst_service.moc"
