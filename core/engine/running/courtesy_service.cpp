#include "core/engine/running/courtesy_service.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/running/attempt.h"
#include "core/host/idle_priority.h"
#include "core/json/json_writer.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

using courtesy::ConditionKind;
using courtesy::MeasureKind;

/// Hours and idle times pass without anybody telling.
constexpr Duration kLookPeriod{5'000'000};
/// The machine may sleep again within a second of the last action.
constexpr Duration kWorkPeriod{500'000};
/// So long conditions are looked at for somebody who asked for them.
constexpr Duration kAskedFor{10'000'000};
constexpr Duration kNothingDue{std::chrono::hours(1)};

/// The profile of a name, or what is wrong with it. Not of `auto`.
Result<courtesy::Profile> profileOf(const std::string& name, const std::string& own) {
    if (auto known = courtesy::builtInProfile(name)) return std::move(*known);
    auto all = courtesy::parseProfiles(own);
    if (!all) return invalid("courtesy_profiles", all.error().message);
    const auto at = std::ranges::find(*all, name, &courtesy::Profile::name);
    if (at != all->end()) return std::move(*at);
    return invalid("courtesy",
                   fmt::format("There is no courtesy profile '{}': give auto, off, gentle, polite, night, or "
                               "one of courtesy_profiles.",
                               name));
}

std::string_view wordsFor(ConditionKind because) {
    switch (because) {
    case ConditionKind::Active: return "somebody uses this machine";
    case ConditionKind::MemoryPressure: return "memory is short";
    case ConditionKind::OnBattery:
    case ConditionKind::Battery: return "the machine runs on battery";
    case ConditionKind::Heat:
    case ConditionKind::HeatLeft: return "the machine is hot";
    case ConditionKind::Sleeping: return "the machine is about to sleep";
    case ConditionKind::FullScreen: return "a program has the whole screen";
    case ConditionKind::OthersLoad: return "others use the processors";
    case ConditionKind::IdleS: return "the machine was not idle for long enough";
    default: return courtesy::infoOf(because).name;
    }
}

} // namespace

CourtesyService::CourtesyService(Parts parts)
    : parts_(std::move(parts)) {
    followProfile();
}

Result<void> CourtesyService::check(const Settings& settings) {
    if (auto all = courtesy::parseProfiles(settings.courtesyProfiles); !all)
        return invalid("courtesy_profiles", all.error().message);
    if (settings.courtesy == "auto") return {};
    if (auto profile = profileOf(settings.courtesy, settings.courtesyProfiles); !profile)
        return std::unexpected(profile.error());
    return {};
}

void CourtesyService::restore(std::span<const store::DocumentRow> rows) {
    const auto row = std::ranges::find(rows, kKind, &store::DocumentRow::kind);
    if (row == rows.end()) return;
    WallMicros until = 0;
    const char* const end = row->body.data() + row->body.size();
    const auto read = std::from_chars(row->body.data(), end, until);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ' ') return;
    const MonoTime now = parts_.clock();
    // A clock that was wrong makes it no longer than it may be.
    const Duration left = std::min<Duration>(Duration(until - parts_.wallOf(now)), CourtesyChange::kLongest);
    std::string name(read.ptr + 1, end);
    if (left <= Duration::zero() || !profileOf(name, parts_.settings.courtesyProfiles)) return;
    chosen_ = std::move(name);
    chosenUntil_ = now + left;
    followProfile();
}

coro::Task<Result<void>> CourtesyService::keepChosen(std::optional<std::string> body) {
    store::PutDocuments put;
    put.changes.push_back({.kind = std::string(kKind), .name = std::string(kChosen), .body = std::move(body)});
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    co_return Result<void>();
}

std::string CourtesyService::nameInForce() const {
    if (!chosen_.empty()) return chosen_;
    if (parts_.settings.courtesy != "auto") return parts_.settings.courtesy;
    return parts_.hasWindow ? "gentle" : "off";
}

/// A file of settings that was written by hand may name anything: then there is no courtesy, and the log says why.
void CourtesyService::followProfile() {
    auto profile = profileOf(nameInForce(), parts_.settings.courtesyProfiles);
    if (!profile) {
        logWarning("courtesy", "it is off: {}", profile.error().message);
        profile = courtesy::Profile{.name = "off", .rules = {}};
    }
    decider_.setProfile(std::move(*profile));
    work_.set();
}

void CourtesyService::settingsChanged(const Settings& before) {
    if (before.courtesy == parts_.settings.courtesy && before.courtesyProfiles == parts_.settings.courtesyProfiles)
        return;
    followProfile();
    parts_.changed();
}

bool CourtesyService::isWatching() const {
    return !isOff() || parts_.clock() < askedUntil_;
}

coro::Task<void> CourtesyService::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        const bool watches = isWatching();
        if (watches && !desk_)
            desk_ = parts_.openDesk([this](courtesy::DeskReadings readings) {
                parts_.post([this, readings = std::move(readings)]() mutable { told(std::move(readings)); });
            });
        if (desk_) desk_->setWatching(watches);
        if (!watches) { // the desk tells all of it again
            person_ = {};
            conditions_ = {};
        }
        look();
        keepAwake();
        if (std::exchange(lowers_, false))
            co_await parts_.helpers.run([pids = parts_.lowered()] {
                for (const int pid : pids) host::lowerTree(pid);
            });
        (void)co_await coro::comesWithin(untilNextLook(), work_);
        work_.clear();
    }
}

Duration CourtesyService::untilNextLook() const {
    const MonoTime now = parts_.clock();
    MonoTime next = now + kNothingDue;
    if (!chosen_.empty()) next = std::min(next, chosenUntil_);
    if (isWatching()) next = std::min(next, now + kLookPeriod);
    if (const auto due = decider_.due()) next = std::min(next, *due);
    if (const auto due = freezer_.due()) next = std::min(next, *due);
    if (const auto leaves = person_.leavesAt(); leaves && *leaves > now) next = std::min(next, *leaves);
    if (!isOff() && parts_.works()) next = std::min(next, now + kWorkPeriod);
    return std::max(next - now, Duration(1'000));
}

void CourtesyService::told(courtesy::DeskReadings readings) {
    YARD_ASSERT_OWNER(owner_);
    if (!desk_) return;
    const MonoTime now = parts_.clock();
    person_.note(readings.input, now);
    std::vector<ConditionKind> kept{ConditionKind::Hour}; // the clock says it, and no desk
    for (courtesy::Reading& reading : readings.all) {
        kept.push_back(reading.kind);
        conditions_.set(std::move(reading), parts_.wallOf(now));
    }
    if (readings.busyCores) {
        kept.push_back(ConditionKind::OthersLoad);
        const double others = std::max(0.0, *readings.busyCores - parts_.coresOfActions());
        conditions_.set(
            {.kind = ConditionKind::OthersLoad, .value = std::round(others * 2) / 2, .source = "/proc/stat"},
            parts_.wallOf(now));
    }
    if (readings.input) kept.insert(kept.end(), {ConditionKind::Active, ConditionKind::IdleS});
    conditions_.forgetAllBut(kept);
    look(); // the step back is now
    work_.set();
}

void CourtesyService::look() {
    const MonoTime now = parts_.clock();
    const WallMicros wall = parts_.wallOf(now);
    if (!chosen_.empty() && now >= chosenUntil_) {
        chosen_.clear();
        followProfile();
        parts_.changed();
    }
    if (isWatching()) {
        if (const auto idle = person_.idle(now)) {
            const bool isActive = person_.isActive(now).value_or(false);
            conditions_.set(
                {.kind = ConditionKind::Active, .value = isActive ? 1.0 : 0.0, .source = person_.source()}, wall);
            conditions_.set({.kind = ConditionKind::IdleS, .value = inSeconds(*idle), .source = person_.source()},
                            wall);
        }
        conditions_.set({.kind = ConditionKind::Hour, .value = parts_.hour(), .source = "clock"}, wall);
    }
    const bool wasLow = decider_.is(MeasureKind::IdlePriority);
    if (decider_.look(conditions_, parts_.cores, now, wall)) {
        if (!wasLow && decider_.is(MeasureKind::IdlePriority)) lowers_ = true;
        carryOut();
    }
    freeze();
}

bool CourtesyService::isSleeping() const {
    const courtesy::Condition* sleeping = conditions_.find(ConditionKind::Sleeping);
    return sleeping && sleeping->value > 0;
}

/// Sleep that comes waits until all stands still, which is when the launcher says so.
void CourtesyService::freeze() {
    using Extent = courtesy::Freezer::Extent;
    const Extent extent = !decider_.is(MeasureKind::Freeze) ? Extent::Nothing
                          : isSleeping()                    ? Extent::All
                                                            : Extent::Newest;
    if (extent != Extent::Nothing || !freezer_.standing().empty()) {
        const auto running = extent == Extent::Nothing ? std::vector<courtesy::Freezable>() : parts_.freezable();
        const courtesy::Freezer::Steps steps = freezer_.look(extent, running, parts_.clock());
        for (const courtesy::Freezable one : steps.stop) parts_.setFrozen(one, true);
        for (const courtesy::Freezable one : steps.goOn) parts_.setFrozen(one, false);
        if (!steps.isEmpty())
            logInfo("courtesy", "{} actions are to stand still, {} to go on", steps.stop.size(), steps.goOn.size());
    }
    if (!isSleeping()) {
        isReady_ = false;
    } else if (desk_ && !isReady_ && !parts_.isFreezing()) {
        isReady_ = true;
        desk_->readyToSleep();
    }
}

void CourtesyService::carryOut() {
    for (std::size_t i = 0; i < courtesy::kMeasureKinds; ++i)
        if (const auto& measure = decider_.inForce()[i])
            logInfo("courtesy", "{}: {} because {}", decider_.profile().name,
                    courtesy::name(static_cast<MeasureKind>(i)), courtesy::infoOf(measure->because).name);
    parts_.session.queues().setYielding(isHolding(), parts_.outbox);
    const auto& fewer = decider_.inForce()[std::to_underlying(MeasureKind::FewerCores)];
    leaveFree(fewer ? fewer->cores : 0);
    parts_.wake();
    parts_.changed();
}

/// One hold for each core: each waits for the next one that becomes free, and nothing that runs ends for it.
void CourtesyService::leaveFree(int cores) {
    if (heldCores_ < cores)
        parts_.session.takeBackAhead(parts_.outbox); // what waits there would take the next core
    for (; heldCores_ < cores; ++heldCores_)
        (void)parts_.session.holds().take(kFirstKey + static_cast<session::HoldKey>(heldCores_),
                                          {.milliCores = 1'000, .memoryMb = 0, .named = {}});
    while (heldCores_ > cores) {
        --heldCores_;
        (void)parts_.session.holds().letGo(kFirstKey + static_cast<session::HoldKey>(heldCores_));
    }
}

void CourtesyService::keepAwake() {
    const courtesy::Condition* battery = conditions_.find(ConditionKind::OnBattery);
    const bool wanted = desk_ && !isOff() && parts_.works() && !(battery && battery->value > 0);
    if (std::exchange(wasAwake_, wanted) != wanted) desk_->keepAwake(wanted ? "Actions are running" : "");
    const bool delays = desk_ && !isOff() && parts_.works();
    if (std::exchange(wasDelayed_, delays) != delays)
        desk_->delaySleep(delays ? "Actions are to stand still first" : "");
}

// --- views and commands

CourtesyNow CourtesyService::now() const {
    CourtesyNow now{.profile = decider_.profile().name, .cores = parts_.cores, .measures = {}};
    for (std::size_t i = 0; i < courtesy::kMeasureKinds; ++i)
        if (const auto& measure = decider_.inForce()[i])
            now.measures.push_back({.name = courtesy::name(static_cast<MeasureKind>(i)),
                                    .cores = measure->cores,
                                    .since = measure->since,
                                    .because = courtesy::infoOf(measure->because).name});
    return now;
}

CourtesyView CourtesyService::view() {
    YARD_ASSERT_OWNER(owner_);
    askedUntil_ = parts_.clock() + kAskedFor;
    work_.set();
    CourtesyView view;
    view.setting = parts_.settings.courtesy;
    if (!chosen_.empty()) view.until = parts_.wallOf(chosenUntil_);
    view.now = now();
    view.keepsAwake = desk_ && desk_->isKeptAwake();
    for (const std::string_view name : courtesy::kProfileNames) view.profiles.emplace_back(name);
    if (const auto own = courtesy::parseProfiles(parts_.settings.courtesyProfiles))
        for (const courtesy::Profile& profile : *own) view.profiles.push_back(profile.name);
    for (std::size_t i = 0; i < courtesy::kConditionKinds; ++i) {
        const auto kind = static_cast<ConditionKind>(i);
        const courtesy::Condition* known = conditions_.find(kind);
        if (!known) continue;
        view.conditions.push_back({.name = courtesy::infoOf(kind).name,
                                   .value = known->value,
                                   .unit = courtesy::infoOf(kind).unit,
                                   .source = known->source,
                                   .since = known->since});
    }
    for (const courtesy::MeasureChange& change : decider_.changes())
        view.changes.push_back({.t = change.t,
                                .measure = courtesy::name(change.measure),
                                .isInForce = change.isInForce,
                                .cores = change.cores,
                                .because = courtesy::infoOf(change.because).name,
                                .profile = change.profile});
    return view;
}

coro::Task<Result<CourtesyView>> CourtesyService::change(CourtesyChange change) {
    YARD_ASSERT_OWNER(owner_);
    if (change.profile != "auto" || change.forTime) {
        auto known = profileOf(change.profile, parts_.settings.courtesyProfiles);
        if (!known) co_return invalid("profile", known.error().message);
    }
    if (change.forTime) {
        if (*change.forTime <= Duration::zero() || *change.forTime > CourtesyChange::kLongest)
            co_return invalid("for_s", "Give a time of at most a week.");
        const MonoTime until = parts_.clock() + *change.forTime;
        const auto kept = co_await keepChosen(fmt::format("{} {}", parts_.wallOf(until), change.profile));
        if (!kept) co_return std::unexpected(kept.error());
        chosen_ = std::move(change.profile);
        chosenUntil_ = until;
    } else {
        std::string json;
        JsonWriter writer(json);
        writer.openObject();
        writer.member("courtesy", change.profile);
        writer.closeObject();
        const auto changed = co_await parts_.changeSettings(std::move(json));
        if (!changed) co_return std::unexpected(changed.error());
        if (!chosen_.empty())
            if (const auto kept = co_await keepChosen(std::nullopt); !kept) co_return std::unexpected(kept.error());
        chosen_.clear();
    }
    followProfile();
    look();
    parts_.changed();
    co_return view();
}

std::optional<Wait> CourtesyService::waitFor(MeasureKind measure) const {
    const auto& inForce = decider_.inForce()[std::to_underlying(measure)];
    if (!inForce) return std::nullopt;
    Wait wait;
    wait.kind = WaitKind::Courtesy;
    wait.condition = courtesy::infoOf(inForce->because).name;
    wait.measure = courtesy::name(measure);
    if (const auto leaves = person_.leavesAt(); leaves && inForce->because == ConditionKind::Active)
        wait.until = parts_.wallOf(*leaves);
    const std::string what = measure == MeasureKind::Hold ? std::string("nothing starts")
                             : measure == MeasureKind::Freeze
                                 ? std::string(kFrozenWords)
                                 : fmt::format("{} of {} cores left free", inForce->cores, parts_.cores);
    wait.message = fmt::format("{}: {} (courtesy {})", what, wordsFor(inForce->because), decider_.profile().name);
    return wait;
}

std::optional<Wait> CourtesyService::holdWait() const {
    return waitFor(MeasureKind::Hold);
}
std::optional<Wait> CourtesyService::freezeWait() const {
    return waitFor(MeasureKind::Freeze);
}
std::optional<Wait> CourtesyService::coresWait() const {
    return waitFor(MeasureKind::FewerCores);
}

} // namespace yard::engine
