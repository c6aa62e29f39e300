// What this machine says of input, battery, sleep, pressure and heat: a directory in place of /sys/class/thermal, mocks of
// logind and UPower on a bus of their own, an X server of its own. What the test machine lacks is skipped by name.
#include "core/host/desk_files.h"
#include "core/host/desk_watch.h"
#include "core/host/screen_idle.h"
#include "core/host/wayland_idle.h"
#include "tests/support/mock_bus.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

using namespace yard;
using namespace yard::courtesy;
using namespace yard::test;

namespace {

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

/// The last that a desk told.
class Told {
public:
    DeskSink sink() {
        return [this](DeskReadings readings) {
            const std::lock_guard lock(mutex_);
            last_ = std::move(readings);
            inputCame_ = inputCame_ || (last_.input && last_.input->comesNow);
            ++count_;
        };
    }
    std::optional<double> value(ConditionKind kind) const {
        const std::lock_guard lock(mutex_);
        const auto at = std::ranges::find(last_.all, kind, &Reading::kind);
        return at == last_.all.end() ? std::nullopt : std::optional(at->value);
    }
    std::optional<InputReading> input() const {
        const std::lock_guard lock(mutex_);
        return last_.input;
    }
    /// At any time: it may be over again by now.
    bool inputCame() const {
        const std::lock_guard lock(mutex_);
        return inputCame_;
    }
    int count() const {
        const std::lock_guard lock(mutex_);
        return count_;
    }

private:
    mutable std::mutex mutex_;
    DeskReadings last_;
    bool inputCame_ = false;
    int count_ = 0;
};

/// Says of the screen's root window what a window manager says of the one that is worked with.
class PlayedWindowManager {
public:
    PlayedWindowManager() {
        library_ = ::dlopen("libxcb.so.1", RTLD_NOW);
        const auto connect = as<void* (*)(const char*, int*)>("xcb_connect");
        connection_ = connect(nullptr, nullptr);
        struct Screens {
            const std::uint32_t* screen;
            int left;
            int index;
        };
        const auto setup = as<const void* (*)(void*)>("xcb_get_setup");
        root_ = *as<Screens (*)(const void*)>("xcb_setup_roots_iterator")(setup(connection_)).screen;
    }
    ~PlayedWindowManager() {
        as<void (*)(void*)>("xcb_disconnect")(connection_);
        ::dlclose(library_);
    }
    void works(bool withAWindow) {
        constexpr std::uint32_t kWindow = 33;
        put("_NET_ACTIVE_WINDOW", kWindow, withAWindow ? root_ : 0);
    }
    void fills(bool screen) {
        constexpr std::uint32_t kAtom = 4;
        put("_NET_WM_STATE", kAtom, atom(screen ? "_NET_WM_STATE_FULLSCREEN" : "_NET_WM_STATE_ABOVE"));
    }

private:
    struct Cookie {
        unsigned sequence;
    };
    template<class Function>
    Function as(const char* name) {
        return reinterpret_cast<Function>(::dlsym(library_, name));
    }
    std::uint32_t atom(const char* name) {
        const auto ask = as<Cookie (*)(void*, std::uint8_t, std::uint16_t, const char*)>("xcb_intern_atom");
        const auto hear = as<std::uint32_t* (*)(void*, Cookie, void**)>("xcb_intern_atom_reply");
        std::uint32_t* reply =
            hear(connection_, ask(connection_, 0, static_cast<std::uint16_t>(std::strlen(name)), name), nullptr);
        const std::uint32_t number = reply[2];
        std::free(reply);
        return number;
    }
    void put(const char* name, std::uint32_t type, std::uint32_t value) {
        const auto change = as<Cookie (*)(void*, std::uint8_t, std::uint32_t, std::uint32_t, std::uint32_t,
                                          std::uint8_t, std::uint32_t, const void*)>("xcb_change_property");
        (void)change(connection_, 0, root_, atom(name), type, 32, 1, &value);
        (void)atom(name); // its answer comes behind the change
    }

    void* library_ = nullptr;
    void* connection_ = nullptr;
    std::uint32_t root_ = 0;
};

/// The other end of a Wayland socket: what is asked comes as bytes, what it says are words of 32 bits.
class PlayedCompositor {
public:
    explicit PlayedCompositor(const std::string& path)
        : listens_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.data(), path.size());
        QVERIFY(::bind(listens_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        QVERIFY(::listen(listens_.get(), 4) == 0);
    }
    bool meet() {
        pollfd waits{.fd = listens_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&waits, 1, kWaitMs) != 1) return false;
        client_.reset(::accept(listens_.get(), nullptr, nullptr));
        return static_cast<bool>(client_);
    }
    /// The next request: object, opcode, body.
    std::vector<std::uint32_t> hear() {
        std::array<std::uint32_t, 2> head{};
        if (!read(head.data(), sizeof head)) return {};
        std::vector<std::uint32_t> request{head[0], head[1] & 0xffff};
        const std::size_t words = (head[1] >> 16) / 4 - 2;
        request.resize(2 + words);
        return read(request.data() + 2, words * 4) ? request : std::vector<std::uint32_t>();
    }
    void say(std::uint32_t object, std::uint32_t opcode, const std::string& body = {}) {
        std::array<std::uint32_t, 2> head{object, static_cast<std::uint32_t>(body.size() + 8) << 16 | opcode};
        std::string message(reinterpret_cast<const char*>(head.data()), sizeof head);
        message += body;
        send(message);
    }
    /// Byte by byte: nobody may rely on whole messages.
    void send(const std::string& message) {
        for (const char c : message) (void)::send(client_.get(), &c, 1, MSG_NOSIGNAL);
    }
    void global(std::uint32_t name, const std::string& interface) {
        constexpr std::uint32_t kVersion = 9;
        std::string body = word(name) + word(static_cast<std::uint32_t>(interface.size() + 1)) + interface;
        body.append(4 - interface.size() % 4, '\0');
        say(2, 0, body + word(kVersion));
    }
    static std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

private:
    bool read(void* into, std::size_t size) {
        for (std::size_t at = 0; at < size;) {
            pollfd waits{.fd = client_.get(), .events = POLLIN, .revents = 0};
            if (::poll(&waits, 1, kWaitMs) != 1) return false;
            const ssize_t got = ::recv(client_.get(), static_cast<char*>(into) + at, size - at, 0);
            if (got <= 0) return false;
            at += static_cast<std::size_t>(got);
        }
        return true;
    }
    UniqueFd listens_;
    UniqueFd client_;
};

host::DeskPlaces nowhere() {
    return {.thermal = "/nowhere", .pressure = "/nowhere", .processors = "/nowhere"};
}

} // namespace

class TestDesk : public QObject {
    Q_OBJECT
    using enum ConditionKind;

private Q_SLOTS:
    void init() {
        qunsetenv("DISPLAY");
        qunsetenv("WAYLAND_DISPLAY");
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus");
    }

    void pressureIsTheMeanOfSome() {
        const QTemporaryDir dir;
        const std::string path = dir.path().toStdString() + "/memory";
        write(path, "some avg10=12.34 avg60=1.00 avg300=0.00 total=9\nfull avg10=5.00 avg60=0 avg300=0 total=1\n");
        QCOMPARE(host::readPressure(path), std::optional(12.34));
        write(path, "full avg10=5.00\n");
        QVERIFY(!host::readPressure(path));
        write(path, "some avg10=nan\n");
        QVERIFY(!host::readPressure(path));
        write(path, "some avg10=101\n");
        QVERIFY(!host::readPressure(path));
        QVERIFY(!host::readPressure("/nowhere/memory"));
        QVERIFY(!host::watchPressure("/nowhere/memory"));
    }

    void heatIsThatOfTheHottestZone() {
        const QTemporaryDir dir;
        const std::string root = dir.path().toStdString();
        QVERIFY(!host::readHeat(root));
        write(root + "/thermal_zone0/temp", "45500\n");
        QCOMPARE(host::readHeat(root)->hottest, 45.5);
        QVERIFY(!host::readHeat(root)->left);
        write(root + "/thermal_zone1/temp", "60000\n");
        write(root + "/thermal_zone1/trip_point_0_type", "active\n");
        write(root + "/thermal_zone1/trip_point_0_temp", "50000\n"); // a fan
        write(root + "/thermal_zone1/trip_point_1_type", "passive\n");
        write(root + "/thermal_zone1/trip_point_1_temp", "95000\n");
        write(root + "/thermal_zone1/trip_point_2_type", "critical\n");
        write(root + "/thermal_zone1/trip_point_2_temp", "105000\n");
        write(root + "/thermal_zone2/temp", "-273000\n"); // a sensor that does not work
        write(root + "/thermal_zone3/temp", "hot\n");
        write(root + "/cooling_device0/temp", "99000\n");
        QCOMPARE(host::readHeat(root)->hottest, 60.0);
        QCOMPARE(host::readHeat(root)->left, std::optional(35.0));
        QVERIFY(!host::readHeat("/nowhere"));
    }

    void busyCoresAreThoseOfTheTimeBetweenTwoLooks() {
        const QTemporaryDir dir;
        const std::string path = dir.path().toStdString() + "/stat";
        write(path,
              "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 50 0 25 400 25 0 0 0 0 0\ncpu1 50 0 25 400 25 0 0 0 0 0\n");
        const auto before = host::readProcessors(path);
        QVERIFY(before.has_value());
        QCOMPARE(before->cores, 2);
        QCOMPARE(before->busy, 150);
        write(path, "cpu  200 0 50 850 100 0 0 0 0 0\ncpu0 1\ncpu1 1\n");
        const auto after = host::readProcessors(path);
        QCOMPARE(host::busyCores(*before, *after), std::optional(1.0)); // half of the time of both
        QVERIFY(!host::busyCores(*after, *after));
        QVERIFY(!host::busyCores(*after, *before));
        write(path, "cpu  100 0 x\ncpu0 1\n");
        QVERIFY(!host::readProcessors(path));
        write(path, "intr 1 2 3\n");
        QVERIFY(!host::readProcessors(path));
        QVERIFY(!host::readProcessors("/nowhere/stat"));
    }

    void aMachineThatSaysNothingIsNoError() {
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        desk.keepAwake("work runs");
        QTRY_VERIFY_WITH_TIMEOUT(told.count() > 0, kWaitMs);
        QVERIFY(!told.input());
        QVERIFY(!told.value(MemoryPressure));
        QVERIFY(!told.value(Heat));
        QVERIFY(!told.value(OnBattery));
        QVERIFY(!desk.isKeptAwake());
    }

    void filesAreLookedAtWhileSomebodyWatches() {
        const QTemporaryDir dir;
        const std::string root = dir.path().toStdString();
        write(root + "/thermal/thermal_zone0/temp", "91000\n");
        write(root + "/pressure/memory", "some avg10=33.00 avg60=1.00 avg300=0.00 total=9\n");
        Told told;
        host::DeskWatch desk(
            told.sink(), {.thermal = root + "/thermal", .pressure = root + "/pressure", .processors = "/nowhere"});
        desk.setWatching(true);
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Heat), std::optional(91.0), kWaitMs);
        QCOMPARE(told.value(MemoryPressure), std::optional(33.0));
        QVERIFY(!told.value(ProcessorPressure));
        write(root + "/thermal/thermal_zone0/temp", "41000\n");
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Heat), std::optional(41.0), kWaitMs);
    }

    void realPressureIsRead() {
        if (!host::readPressure("/proc/pressure/memory")) QSKIP("this kernel has no pressure stall information");
        Told told;
        host::DeskWatch desk(told.sink(),
                             {.thermal = "/nowhere", .pressure = "/proc/pressure", .processors = "/nowhere"});
        desk.setWatching(true);
        QTRY_VERIFY_WITH_TIMEOUT(told.value(MemoryPressure).has_value(), kWaitMs);
        QVERIFY(told.value(ProcessorPressure).has_value());
    }

    void logindAndUPowerAreHeard() {
        if (!MockBus::isPossible()) QSKIP("python3-dbusmock, dbus-daemon or gdbus is not installed");
        MockBus bus;
        QVERIFY(bus.start());
        const QString login = "org.freedesktop.login1";
        const QString loginPath = "/org/freedesktop/login1";
        const QString manager = "org.freedesktop.login1.Manager";
        const QString upower = "org.freedesktop.UPower";
        const QString upowerPath = "/org/freedesktop/UPower";
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && told.value(OnBattery), kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Sleeping), std::optional(0.0), kWaitMs);

        QVERIFY(MockBus::set(login, loginPath, manager, "{'IdleHint': <false>}"));
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && told.input()->comesNow, kWaitMs);
        QCOMPARE(told.input()->source, "logind");
        QVERIFY(MockBus::set(login, loginPath, manager, "{'IdleHint': <true>}"));
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && !told.input()->comesNow, kWaitMs);

        QVERIFY(MockBus::set(upower, upowerPath, upower,
                             "{'OnBattery': <true>, 'LidIsPresent': <true>, 'LidIsClosed': <true>}"));
        QTRY_COMPARE_WITH_TIMEOUT(told.value(OnBattery), std::optional(1.0), kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(told.value(LidClosed), std::optional(1.0), kWaitMs);
        QVERIFY(MockBus::set(upower, upowerPath + "/devices/DisplayDevice", "org.freedesktop.UPower.Device",
                             "{'IsPresent': <true>, 'Percentage': <21.0>}"));
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Battery), std::optional(21.0), kWaitMs);

        QVERIFY(MockBus::sleeps(true));
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Sleeping), std::optional(1.0), kWaitMs);
        QVERIFY(MockBus::sleeps(false));
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Sleeping), std::optional(0.0), kWaitMs);

        desk.keepAwake("work runs");
        QTRY_VERIFY_WITH_TIMEOUT(desk.isKeptAwake(), kWaitMs);
        desk.keepAwake({});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.isKeptAwake(), kWaitMs);
    }

    void sleepWaitsUntilSomebodyIsReady() {
        if (!MockBus::isPossible()) QSKIP("python3-dbusmock, dbus-daemon or gdbus is not installed");
        MockBus bus;
        QVERIFY(bus.start());
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        desk.delaySleep("work runs");
        QTRY_VERIFY_WITH_TIMEOUT(desk.isSleepDelayed(), kWaitMs);
        QVERIFY(MockBus::inhibitors().contains("('sleep', 'Yardmaster', 'work runs', 'delay',"));
        desk.readyToSleep(); // of no sleep: that says nothing of the next one

        QVERIFY(MockBus::sleeps(true));
        QTRY_COMPARE_WITH_TIMEOUT(told.value(Sleeping), std::optional(1.0), kWaitMs);
        desk.readyToSleep();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.isSleepDelayed(), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(!MockBus::inhibitors().contains("delay"), kWaitMs);
        QVERIFY(MockBus::sleeps(false));
        QTRY_VERIFY_WITH_TIMEOUT(desk.isSleepDelayed(), kWaitMs); // of the next one

        QVERIFY(MockBus::sleeps(true));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.isSleepDelayed(), kWaitMs); // nobody is ready: 5 s and no more
        QVERIFY(MockBus::sleeps(false));
        QTRY_VERIFY_WITH_TIMEOUT(desk.isSleepDelayed(), kWaitMs);
        desk.delaySleep({});
        QTRY_VERIFY_WITH_TIMEOUT(!desk.isSleepDelayed(), kWaitMs);
    }

    void aBusThatComesBackIsHeardAgain() {
        if (!MockBus::isPossible()) QSKIP("python3-dbusmock, dbus-daemon or gdbus is not installed");
        const QTemporaryDir dir;
        const QString address = "unix:path=" + dir.path() + "/bus";
        auto bus = std::make_unique<MockBus>();
        QVERIFY(bus->start(address));
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        desk.keepAwake("work runs");
        desk.delaySleep("work runs");
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && desk.isKeptAwake() && desk.isSleepDelayed(), kWaitMs);
        bus.reset();
        QTRY_VERIFY_WITH_TIMEOUT(!told.input() && !desk.isKeptAwake() && !desk.isSleepDelayed(), kWaitMs);
        MockBus again;
        QVERIFY(again.start(address));
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && desk.isKeptAwake() && desk.isSleepDelayed(), kWaitMs);
    }

    void aBusThatGoesTakesWhatItSaidAlong() {
        if (!MockBus::isPossible()) QSKIP("python3-dbusmock, dbus-daemon or gdbus is not installed");
        auto bus = std::make_unique<MockBus>();
        QVERIFY(bus->start());
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        desk.keepAwake("work runs");
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && desk.isKeptAwake(), kWaitMs);
        bus.reset();
        QTRY_VERIFY_WITH_TIMEOUT(!told.input() && !told.value(OnBattery) && !desk.isKeptAwake(), kWaitMs);
    }

    void inputAtAWaylandSeatIsNoticed() {
        const QTemporaryDir dir;
        PlayedCompositor compositor((dir.path() + "/wayland-7").toStdString());
        qputenv("XDG_RUNTIME_DIR", dir.path().toUtf8());
        qputenv("WAYLAND_DISPLAY", "wayland-7");
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        QVERIFY(compositor.meet());
        QCOMPARE(compositor.hear(), (std::vector<std::uint32_t>{1, 1, 2})); // the registry
        compositor.global(4, "wl_compositor");
        compositor.global(9, "ext_idle_notifier_v1");
        compositor.global(5, "wl_seat");
        compositor.global(6, "wl_seat"); // somebody else's
        const auto notifier = compositor.hear();
        QVERIFY(notifier.size() > 4 && notifier[0] == 2 && notifier[1] == 0 && notifier[2] == 9 &&
                notifier.back() == 4);
        const auto seat = compositor.hear();
        QVERIFY(seat.size() > 4 && seat[0] == 2 && seat[2] == 5 && seat.back() == 3);
        QCOMPARE(compositor.hear(), (std::vector<std::uint32_t>{4, 1, 5, 1'000, 3}));
        compositor.say(3, 0, PlayedCompositor::word(7)); // what the seat can do
        compositor.say(5, 0);
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && !told.input()->comesNow, kWaitMs);
        QCOMPARE(told.input()->source, "wayland");
        QVERIFY(told.input()->idle >= host::WaylandIdle::kIdleAfter);
        compositor.say(5, 1);
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && told.input()->comesNow, kWaitMs);
        compositor.say(2, 1, PlayedCompositor::word(5)); // the seat goes
        QTRY_VERIFY_WITH_TIMEOUT(!told.input(), kWaitMs);
        qunsetenv("WAYLAND_DISPLAY");
    }

    void aCompositorThatSaysWhatCannotBeIsLeft_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto words = [](std::initializer_list<std::uint32_t> all) {
            return QByteArray(reinterpret_cast<const char*>(std::data(all)),
                              static_cast<qsizetype>(all.size() * 4));
        };
        QTest::newRow("no size") << words({2, 0});
        QTest::newRow("half a word") << words({2, 9u << 16});
        QTest::newRow("an error") << words({1, 8u << 16});
        QTest::newRow("no name") << words({2, 8u << 16});
        QTest::newRow("a text of nothing") << words({2, 16u << 16, 5, 0});
        QTest::newRow("a text that goes on") << words({2, 20u << 16, 5, 0xffffffff, 0});
        QTest::newRow("a text without an end") << words({2, 20u << 16, 5, 4, 0x41414141});
        QTest::newRow("nothing goes") << words({2, (8u << 16) | 1});
    }
    void aCompositorThatSaysWhatCannotBeIsLeft() {
        QFETCH(QByteArray, bytes);
        const QTemporaryDir dir;
        PlayedCompositor compositor((dir.path() + "/w").toStdString());
        qputenv("WAYLAND_DISPLAY", (dir.path() + "/w").toUtf8());
        const auto idle = host::WaylandIdle::open();
        QVERIFY(idle && compositor.meet());
        QVERIFY(!idle->isLost());
        compositor.send(bytes.toStdString());
        QVERIFY(eventually([&] {
            idle->process(MonoClock::now());
            return idle->isLost();
        }));
        QVERIFY(!idle->reading(MonoClock::now()));
        qputenv("WAYLAND_DISPLAY", (dir.path() + "/nobody").toUtf8());
        QVERIFY(!host::WaylandIdle::open());
        qunsetenv("WAYLAND_DISPLAY");
    }

    void inputAtTheScreenIsNoticed() {
        if (QStandardPaths::findExecutable("Xvfb").isEmpty() || QStandardPaths::findExecutable("xdotool").isEmpty())
            QSKIP("Xvfb or xdotool is not installed");
        Beside beside;
        const QString number =
            beside
                .start("Xvfb", {"-displayfd", "1", "-screen", "0", "64x64x8", "-noreset", "-nolisten", "tcp"},
                       Program::Said::Read)
                .reads(true);
        QVERIFY(!number.isEmpty());
        qputenv("DISPLAY", (":" + number).toUtf8());
        qputenv("WAYLAND_DISPLAY", "wayland-0");
        QVERIFY(!host::ScreenIdle::open()); // it would be XWayland, which sees input of X programs alone
        qunsetenv("WAYLAND_DISPLAY");
        Told told;
        host::DeskWatch desk(told.sink(), nowhere());
        desk.setWatching(true);
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && !told.input()->comesNow, kWaitMs);
        QCOMPARE(told.input()->source, "x11");
        QVERIFY(!told.value(FullScreen)); // no window manager says anything of it
        QVERIFY(runs("xdotool", {"mousemove", "10", "10"}));
        QTRY_VERIFY_WITH_TIMEOUT(told.inputCame(), kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(told.input() && !told.input()->comesNow, kWaitMs);
        desk.setWatching(false); // it lets go of the server

        const auto screen = host::ScreenIdle::open();
        QVERIFY(screen);
        QVERIFY(!screen->isFullScreen());
        PlayedWindowManager manager;
        manager.works(false);
        QCOMPARE(screen->isFullScreen(), std::optional(false));
        manager.works(true);
        QCOMPARE(screen->isFullScreen(), std::optional(false));
        manager.fills(true);
        QCOMPARE(screen->isFullScreen(), std::optional(true));
        manager.fills(false);
        QCOMPARE(screen->isFullScreen(), std::optional(false));
    }
};

QTEST_GUILESS_MAIN(TestDesk)
#include "tst_desk.moc"
