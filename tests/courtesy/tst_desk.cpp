// What this machine says of input, battery, sleep, pressure and heat: a directory in place of /sys/class/thermal, mocks of
// logind and UPower on a bus of their own, an X server of its own. What the test machine lacks is skipped by name.
#include "core/host/desk_files.h"
#include "core/host/desk_watch.h"
#include "core/host/screen_idle.h"
#include "tests/support/mock_bus.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
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

    void inputAtTheScreenIsNoticed() {
        if (QStandardPaths::findExecutable("Xvfb").isEmpty() || QStandardPaths::findExecutable("xdotool").isEmpty())
            QSKIP("Xvfb or xdotool is not installed");
        Beside beside;
        QProcess& server = beside.start("Xvfb", {"-displayfd", "1", "-screen", "0", "64x64x8", "-nolisten", "tcp"});
        const QString number = Beside::firstLine(server);
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
        QVERIFY(screen && !screen->isFullScreen());
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
