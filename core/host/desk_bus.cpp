#include "core/host/desk_bus.h"

#include "core/host/loading.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <utility>

namespace yard::host {

namespace {

constexpr std::uint64_t kAnswerWithinMicros = 500'000;
/// Messages taken at once.
constexpr int kMostMessages = 1'000;

constexpr const char* kLogin = "org.freedesktop.login1";
constexpr const char* kLoginManager = "org.freedesktop.login1.Manager";
constexpr const char* kLoginPath = "/org/freedesktop/login1";
constexpr const char* kUPower = "org.freedesktop.UPower";
constexpr const char* kUPowerPath = "/org/freedesktop/UPower";
constexpr const char* kDisplayDevice = "/org/freedesktop/UPower/devices/DisplayDevice";
constexpr const char* kDevice = "org.freedesktop.UPower.Device";
constexpr const char* kProfiles = "net.hadess.PowerProfiles";

constexpr const char* kSleepRule =
    "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForSleep'";
constexpr std::array kChangeRules{
    "type='signal',interface='org.freedesktop.DBus.Properties',path_namespace='/org/freedesktop/login1'",
    "type='signal',interface='org.freedesktop.DBus.Properties',path_namespace='/org/freedesktop/UPower'",
    "type='signal',interface='org.freedesktop.DBus.Properties',path_namespace='/net/hadess/PowerProfiles'",
    "type='signal',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0namespace='org.freedesktop'",
};

using SdHandler = int (*)(void* message, void* userdata, void* error);

courtesy::Reading switchReading(courtesy::ConditionKind kind, bool isOn, const char* source) {
    return {.kind = kind, .value = isOn ? 1.0 : 0.0, .source = source};
}

} // namespace

// From sd-bus.h of systemd 252, the functions that are needed. They are its ABI.
struct DeskBus::Library : LoadedLibrary {
    Library() = default;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() {
        if (bus != nullptr) closeBus(bus);
    }
    bool load() {
        return open("libsystemd.so.0") && find(openSystem, "sd_bus_open_system") &&
               find(closeBus, "sd_bus_close_unref") && find(setTimeout, "sd_bus_set_method_call_timeout") &&
               find(process, "sd_bus_process") && find(getFd, "sd_bus_get_fd") &&
               find(addMatch, "sd_bus_add_match") && find(getTrivial, "sd_bus_get_property_trivial") &&
               find(getString, "sd_bus_get_property_string") && find(callMethod, "sd_bus_call_method") &&
               find(readMessage, "sd_bus_message_read") && find(unrefMessage, "sd_bus_message_unref");
    }

    void* bus = nullptr;
    int (*openSystem)(void**) = nullptr;
    void* (*closeBus)(void*) = nullptr;
    int (*setTimeout)(void*, std::uint64_t) = nullptr;
    int (*process)(void*, void**) = nullptr;
    int (*getFd)(void*) = nullptr;
    int (*addMatch)(void*, void**, const char*, SdHandler, void*) = nullptr;
    int (*getTrivial)(void*, const char*, const char*, const char*, const char*, void*, char, void*) = nullptr;
    int (*getString)(void*, const char*, const char*, const char*, const char*, void*, char**) = nullptr;
    int (*callMethod)(void*, const char*, const char*, const char*, const char*, void*, void**, const char*,
                      ...) = nullptr;
    int (*readMessage)(void*, const char*, ...) = nullptr;
    void* (*unrefMessage)(void*) = nullptr;
};

struct DeskBus::Property {
    const char* service;
    const char* path;
    const char* interface;
    const char* name;
    char type; ///< 'b', 'd', 't'
};

DeskBus::DeskBus(std::unique_ptr<Library> library)
    : library_(std::move(library)) {}
DeskBus::~DeskBus() = default;

std::unique_ptr<DeskBus> DeskBus::open() {
    auto library = std::make_unique<Library>();
    if (!library->load() || library->openSystem(&library->bus) < 0) return nullptr;
    library->setTimeout(library->bus, kAnswerWithinMicros);
    std::unique_ptr<DeskBus> bus(new DeskBus(std::move(library)));
    const Library& of = *bus->library_;
    // The slots live as long as the bus.
    const SdHandler onSleep = [](void* message, void* self, void*) {
        int begins = 0;
        auto* to = static_cast<DeskBus*>(self);
        if (to->library_->readMessage(message, "b", &begins) > 0) to->sleeping_ = begins != 0;
        to->changed_ = true;
        return 0;
    };
    const SdHandler onChange = [](void*, void* self, void*) {
        static_cast<DeskBus*>(self)->changed_ = true;
        return 0;
    };
    if (of.addMatch(of.bus, nullptr, kSleepRule, onSleep, bus.get()) < 0) return nullptr;
    for (const char* rule : kChangeRules)
        if (of.addMatch(of.bus, nullptr, rule, onChange, bus.get()) < 0) return nullptr;
    return bus;
}

int DeskBus::fd() const {
    return library_->getFd(library_->bus);
}

bool DeskBus::process() {
    int taken = 1;
    for (int i = 0; i < kMostMessages && taken > 0; ++i) taken = library_->process(library_->bus, nullptr);
    if (taken < 0) lose();
    return std::exchange(changed_, false);
}

bool DeskBus::isLost() const {
    return lost_;
}

bool DeskBus::isAnswered(int got) {
    if (got == -ETIMEDOUT || got == -ENOTCONN || got == -ECONNRESET) lose();
    return got >= 0;
}

bool DeskBus::get(const Property& p, void* value) {
    if (lost_) return false;
    return isAnswered(
        library_->getTrivial(library_->bus, p.service, p.path, p.interface, p.name, nullptr, p.type, value));
}

bool DeskBus::flag(const Property& property, bool& value) {
    int got = 0;
    if (!get(property, &got)) return false;
    value = got != 0;
    return true;
}

void DeskBus::read(courtesy::DeskReadings& into) {
    readInput(into);
    readPower(into);
    readProfile(into);
}

void DeskBus::readInput(courtesy::DeskReadings& into) {
    using enum courtesy::ConditionKind;
    bool idle = false;
    if (!flag({kLogin, kLoginPath, kLoginManager, "IdleHint", 'b'}, idle)) return;
    courtesy::InputReading input{.comesNow = !idle, .idle = Duration::zero(), .source = "logind"};
    std::uint64_t since = 0;
    if (idle && get({kLogin, kLoginPath, kLoginManager, "IdleSinceHintMonotonic", 't'}, &since)) {
        const auto now = MonoClock::now().time_since_epoch();
        const auto at = static_cast<std::int64_t>(std::min<std::uint64_t>(since, INT64_MAX));
        input.idle = std::max(now - Duration(at), Duration::zero());
    }
    into.input = input;
    bool locked = false;
    if (flag({kLogin, "/org/freedesktop/login1/session/auto", "org.freedesktop.login1.Session", "LockedHint", 'b'},
             locked))
        into.all.push_back(switchReading(Locked, locked, "logind"));
    // The signal alone would be missed while the bus was not there.
    flag({kLogin, kLoginPath, kLoginManager, "PreparingForSleep", 'b'}, sleeping_);
    into.all.push_back(switchReading(Sleeping, sleeping_, "logind"));
}

void DeskBus::readPower(courtesy::DeskReadings& into) {
    using enum courtesy::ConditionKind;
    bool onBattery = false;
    if (!flag({kUPower, kUPowerPath, kUPower, "OnBattery", 'b'}, onBattery)) return;
    into.all.push_back(switchReading(OnBattery, onBattery, "upower"));
    bool isThere = false;
    double percent = 0;
    if (flag({kUPower, kDisplayDevice, kDevice, "IsPresent", 'b'}, isThere) && isThere &&
        get({kUPower, kDisplayDevice, kDevice, "Percentage", 'd'}, &percent) && percent >= 0 && percent <= 100)
        into.all.push_back({.kind = Battery, .value = percent, .source = "upower"});
    bool hasLid = false;
    bool closed = false;
    if (flag({kUPower, kUPowerPath, kUPower, "LidIsPresent", 'b'}, hasLid) && hasLid &&
        flag({kUPower, kUPowerPath, kUPower, "LidIsClosed", 'b'}, closed))
        into.all.push_back(switchReading(LidClosed, closed, "upower"));
}

void DeskBus::readProfile(courtesy::DeskReadings& into) {
    if (lost_) return;
    char* profile = nullptr;
    const int got = library_->getString(library_->bus, kProfiles, "/net/hadess/PowerProfiles", kProfiles,
                                        "ActiveProfile", nullptr, &profile);
    if (!isAnswered(got) || profile == nullptr) return;
    const bool saves = std::strcmp(profile, "power-saver") == 0;
    std::free(profile);
    into.all.push_back(switchReading(courtesy::ConditionKind::PowerSaver, saves, "power-profiles-daemon"));
}

UniqueFd DeskBus::inhibitSleep(Inhibit how, const std::string& why) {
    if (lost_) return {};
    void* reply = nullptr;
    const int got = library_->callMethod(library_->bus, kLogin, kLoginPath, kLoginManager, "Inhibit", nullptr,
                                         &reply, "ssss", how == Inhibit::Block ? "idle:sleep" : "sleep",
                                         "Yardmaster", why.c_str(), how == Inhibit::Block ? "block" : "delay");
    if (!isAnswered(got) || reply == nullptr) return {};
    int lent = -1;
    UniqueFd fd;
    // The message owns the descriptor and closes it with itself.
    if (library_->readMessage(reply, "h", &lent) > 0) fd.reset(::fcntl(lent, F_DUPFD_CLOEXEC, 3));
    library_->unrefMessage(reply);
    return fd;
}

} // namespace yard::host
