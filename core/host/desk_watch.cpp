#include "core/host/desk_watch.h"

#include "core/base/clock.h"
#include "core/base/thread_name.h"
#include "core/base/unique_fd.h"
#include "core/host/desk_bus.h"
#include "core/host/desk_files.h"
#include "core/host/screen_idle.h"
#include "core/host/wayland_idle.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::host {

namespace {

using namespace std::chrono_literals;

/// Input is noticed within 300 ms.
constexpr Duration kScreenPeriod = 200ms;
constexpr Duration kFilesPeriod = 2s;
constexpr Duration kBusPeriod = 30s;
/// A bus or a server that was lost, or was never there.
constexpr Duration kAgainAfter = 10s;
/// Input this long ago comes now.
constexpr Duration kInputNow = 1s;
constexpr std::chrono::seconds kPatience{2};

double tenths(double value) {
    return std::round(value * 10) / 10;
}

/// The same but for what the clock alone makes of the time since the last input.
bool saysTheSame(const courtesy::DeskReadings& a, MonoTime seenA, const courtesy::DeskReadings& b, MonoTime seenB) {
    if (a.all != b.all || a.busyCores != b.busyCores || a.input.has_value() != b.input.has_value()) return false;
    if (!a.input) return true;
    if (a.input->comesNow != b.input->comesNow || a.input->source != b.input->source) return false;
    if (a.input->comesNow) return true;
    const Duration moved = (seenA - a.input->idle) - (seenB - b.input->idle);
    return moved > -kInputNow && moved < kInputNow;
}

} // namespace

struct DeskWatch::State {
    std::mutex mutex; ///< of all but `wake`
    std::condition_variable ended;
    courtesy::DeskSink sink; ///< empty: nobody is there any more
    bool stops = false;
    bool hasEnded = false;
    bool watches = false;
    std::string awakeFor;
    bool isKeptAwake = false;
    std::string delayFor;
    bool isReady = false; ///< for the sleep that comes
    bool isDelayed = false;
    UniqueFd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

    void poke() const {
        const std::uint64_t one = 1;
        (void)!::write(wake.get(), &one, sizeof one);
    }
};

/// What the thread has. Owner: that thread.
class DeskWatch::Looker {
public:
    Looker(std::shared_ptr<State> state, DeskPlaces places)
        : state_(std::move(state))
        , places_(std::move(places)) {}

    void run() {
        for (;;) {
            Wishes wishes;
            {
                const std::lock_guard lock(state_->mutex);
                if (state_->stops) return;
                wishes = {.watches = state_->watches, .awakeFor = state_->awakeFor, .delayFor = state_->delayFor};
            }
            const MonoTime now = MonoClock::now();
            openBus(wishes.watches || wishes.holdsSleep(), now);
            keepAwake(wishes.awakeFor);
            if (wishes.watches)
                look(now);
            else
                rest();
            delaySleep(wishes.delayFor, now); // behind the look, which finds out whether sleep comes
            waitForMore(wishes);
        }
    }

private:
    struct Wishes {
        bool watches = false;
        std::string awakeFor;
        std::string delayFor;
        bool holdsSleep() const { return !awakeFor.empty() || !delayFor.empty(); }
    };

    void openBus(bool wanted, MonoTime now) {
        if (bus_ && (bus_->isLost() || !wanted)) {
            bus_.reset();
            inhibitor_.reset();
            awakeFor_.clear();
            delay_.reset();
            delayedFor_.clear();
            sleepSince_.reset();
            fromBus_ = {};
            busAgain_ = now + kAgainAfter;
        }
        if (bus_ || !wanted || now < busAgain_) return;
        bus_ = DeskBus::open();
        busDue_ = now;
        busAgain_ = now + kAgainAfter;
    }

    void keepAwake(const std::string& why) {
        if (why != awakeFor_) {
            // The new one first: no gap in which the machine may fall asleep.
            UniqueFd next = why.empty() || !bus_ ? UniqueFd() : bus_->inhibitSleep(DeskBus::Inhibit::Block, why);
            inhibitor_ = std::move(next);
            if (bus_ || why.empty()) awakeFor_ = why;
        }
        const std::lock_guard lock(state_->mutex);
        state_->isKeptAwake = static_cast<bool>(inhibitor_);
    }

    /// One descriptor for each sleep: it is closed when everybody is ready, or has taken too long, and had again once the
    /// machine is awake.
    void delaySleep(const std::string& why, MonoTime now) {
        const bool comes = bus_ && bus_->isSleepComing();
        if (!comes) sleepSince_.reset();
        if (comes && !sleepSince_) sleepSince_ = now;
        const bool isReady = takeReady(comes);
        if (comes && (isReady || now - *sleepSince_ >= courtesy::kSleepWaits)) {
            delay_.reset();
            delayedFor_.clear();
        } else if (why != delayedFor_ && (why.empty() || !comes)) {
            delay_ = why.empty() || !bus_ ? UniqueFd() : bus_->inhibitSleep(DeskBus::Inhibit::Delay, why);
            if (bus_ || why.empty()) delayedFor_ = why;
        }
        const std::lock_guard lock(state_->mutex); // not over the bus: the owner would wait for its answer
        state_->isDelayed = static_cast<bool>(delay_);
    }

    /// Somebody is ready for the sleep that comes; what is said of none counts for none.
    bool takeReady(bool comes) {
        const std::lock_guard lock(state_->mutex);
        state_->isReady = state_->isReady && comes;
        return state_->isReady;
    }

    void rest() {
        leaveScreen();
        wayland_.reset();
        processors_.reset();
        pressureWatch_.reset();
        isTold_ = false;
    }

    void leaveScreen() {
        screen_.reset();
        inputAt_.reset();
        isFullScreen_.reset();
    }

    void look(MonoTime now) {
        courtesy::DeskReadings all;
        if (bus_ && (bus_->process() || now >= busDue_)) {
            fromBus_ = {};
            bus_->read(fromBus_);
            // Signals that came during its calls are taken from the bus already: no poll wakes for them.
            readsAgain_ = bus_->process();
            busDue_ = readsAgain_ ? now : now + kBusPeriod;
        }
        if (bus_ && !bus_->isLost()) all = fromBus_;
        if (auto input = lookAtScreen(now))
            all.input = std::move(input);
        else if (auto seat = lookAtWayland(now))
            all.input = std::move(seat);
        if (now >= filesDue_) lookAtFiles(now);
        all.all.insert(all.all.end(), fromFiles_.begin(), fromFiles_.end());
        if (isFullScreen_)
            all.all.push_back({.kind = courtesy::ConditionKind::FullScreen,
                               .value = *isFullScreen_ ? 1.0 : 0.0,
                               .source = "x11"});
        all.busyCores = busyCores_;
        if (isTold_ && saysTheSame(all, now, told_, toldAt_)) return;
        told_ = all;
        toldAt_ = now;
        isTold_ = true;
        const std::lock_guard lock(state_->mutex);
        if (state_->sink) state_->sink(std::move(all));
    }

    std::optional<courtesy::InputReading> lookAtScreen(MonoTime now) {
        if (screen_ && screen_->isLost()) leaveScreen();
        if (!screen_ && now >= screenAgain_) {
            screenAgain_ = now + kAgainAfter;
            screen_ = ScreenIdle::open();
        }
        if (!screen_) return std::nullopt;
        // A server that is slow to answer has not forgotten the person: what it said last goes on.
        if (const auto idle = screen_->look()) inputAt_ = now - *idle;
        if (now >= fullScreenDue_) {
            fullScreenDue_ = now + kFilesPeriod;
            isFullScreen_ = screen_->isFullScreen();
        }
        if (!inputAt_) return std::nullopt;
        const Duration idle = now - *inputAt_;
        return courtesy::InputReading{.comesNow = idle < kInputNow, .idle = idle, .source = "x11"};
    }

    std::optional<courtesy::InputReading> lookAtWayland(MonoTime now) {
        if (wayland_) wayland_->process(now);
        if (wayland_ && wayland_->isLost()) wayland_.reset();
        if (!wayland_ && now >= waylandAgain_) {
            waylandAgain_ = now + kAgainAfter;
            wayland_ = WaylandIdle::open();
        }
        return wayland_ ? wayland_->reading(now) : std::nullopt;
    }

    void lookAtFiles(MonoTime now) {
        using enum courtesy::ConditionKind;
        filesDue_ = now + kFilesPeriod;
        fromFiles_.clear();
        const std::string memory = places_.pressure + "/memory";
        const std::string processors = places_.pressure + "/cpu";
        if (!pressureWatch_) pressureWatch_ = watchPressure(memory);
        if (const auto some = readPressure(memory))
            fromFiles_.push_back({.kind = MemoryPressure, .value = tenths(*some), .source = memory});
        if (const auto some = readPressure(processors))
            fromFiles_.push_back({.kind = ProcessorPressure, .value = tenths(*some), .source = processors});
        lookAtProcessors();
        const auto heat = readHeat(places_.thermal);
        if (!heat) return;
        fromFiles_.push_back({.kind = Heat, .value = std::round(heat->hottest), .source = places_.thermal});
        if (heat->left)
            fromFiles_.push_back({.kind = HeatLeft, .value = std::round(*heat->left), .source = places_.thermal});
    }

    /// To half a core: each other value is told.
    void lookAtProcessors() {
        const auto times = readProcessors(places_.processors);
        const auto busy = times && processors_ ? busyCores(*processors_, *times) : std::nullopt;
        processors_ = times;
        busyCores_ = busy ? std::optional(std::round(*busy * 2) / 2) : std::nullopt;
    }

    Duration periodOf(const Wishes& wishes) const {
        const Duration period = !wishes.watches ? (wishes.holdsSleep() ? kAgainAfter : Duration(-1'000))
                                : screen_       ? kScreenPeriod
                                                : kFilesPeriod;
        if (!delay_ || !sleepSince_) return period;
        const Duration left = *sleepSince_ + courtesy::kSleepWaits - MonoClock::now();
        return std::clamp(left, Duration(1'000), std::max(period, Duration(1'000)));
    }

    void waitForMore(const Wishes& wishes) {
        const bool watches = wishes.watches;
        std::array<pollfd, 4> all{pollfd{.fd = state_->wake.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = bus_ ? bus_->fd() : -1, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = pressureWatch_.get(), .events = POLLPRI, .revents = 0},
                                  pollfd{.fd = wayland_ ? wayland_->fd() : -1, .events = POLLIN, .revents = 0}};
        const bool waits = !(watches && std::exchange(readsAgain_, false));
        const auto ms =
            waits
                ? static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(periodOf(wishes)).count())
                : 0;
        (void)::poll(all.data(), all.size(), ms);
        if (all[0].revents != 0) {
            std::uint64_t count = 0;
            (void)!::read(state_->wake.get(), &count, sizeof count);
        }
        if (!watches && bus_) (void)bus_->process();
        // A window of pressure has passed: what it says now counts, at most every 2 s.
        if ((all[2].revents & POLLPRI) != 0) filesDue_ = MonoTime{};
        if ((all[2].revents & POLLERR) != 0) pressureWatch_.reset();
    }

    std::shared_ptr<State> state_;
    DeskPlaces places_;
    std::unique_ptr<DeskBus> bus_;
    std::unique_ptr<ScreenIdle> screen_;
    std::optional<MonoTime> inputAt_; ///< as screen_ said last
    std::optional<bool> isFullScreen_;
    std::unique_ptr<WaylandIdle> wayland_;
    std::optional<ProcessorTimes> processors_; ///< as they were at the look before
    std::optional<double> busyCores_;
    UniqueFd pressureWatch_;
    UniqueFd inhibitor_;
    std::string awakeFor_; ///< what inhibitor_ was taken for, or was refused for
    UniqueFd delay_;
    std::string delayedFor_;             ///< as awakeFor_
    std::optional<MonoTime> sleepSince_; ///< sleep comes, or the machine sleeps
    courtesy::DeskReadings fromBus_;
    std::vector<courtesy::Reading> fromFiles_;
    courtesy::DeskReadings told_;
    MonoTime toldAt_{};
    bool isTold_ = false;
    bool readsAgain_ = false; ///< the bus, at once
    MonoTime busDue_{};
    MonoTime busAgain_{};
    MonoTime screenAgain_{};
    MonoTime fullScreenDue_{};
    MonoTime waylandAgain_{};
    MonoTime filesDue_{};
};

DeskWatch::DeskWatch(courtesy::DeskSink sink, DeskPlaces places)
    : state_(std::make_shared<State>()) {
    state_->sink = std::move(sink);
    std::thread([state = state_, places = std::move(places)] {
        nameThisThread("desk");
        Looker(state, places).run();
        const std::lock_guard lock(state->mutex);
        state->hasEnded = true;
        state->ended.notify_all();
    }).detach();
}

DeskWatch::~DeskWatch() {
    std::unique_lock lock(state_->mutex);
    state_->sink = {};
    state_->stops = true;
    state_->poke();
    (void)state_->ended.wait_for(lock, kPatience, [this] { return state_->hasEnded; });
}

void DeskWatch::setWatching(bool on) {
    const std::lock_guard lock(state_->mutex);
    if (state_->watches == on) return;
    state_->watches = on;
    state_->poke();
}

void DeskWatch::keepAwake(const std::string& why) {
    const std::lock_guard lock(state_->mutex);
    if (state_->awakeFor == why) return;
    state_->awakeFor = why;
    state_->poke();
}

bool DeskWatch::isKeptAwake() const {
    const std::lock_guard lock(state_->mutex);
    return state_->isKeptAwake;
}

void DeskWatch::delaySleep(const std::string& why) {
    const std::lock_guard lock(state_->mutex);
    if (state_->delayFor == why) return;
    state_->delayFor = why;
    state_->poke();
}

void DeskWatch::readyToSleep() {
    const std::lock_guard lock(state_->mutex);
    state_->isReady = true;
    state_->poke();
}

bool DeskWatch::isSleepDelayed() const {
    const std::lock_guard lock(state_->mutex);
    return state_->isDelayed;
}

} // namespace yard::host
