#include "core/engine/guests/guests.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/coro/timeout.h"
#include "core/engine/guests/known_yards.h"
#include "core/linkio/streams.h"
#include "core/model/worker.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

/// Minutes by which this machine's clock on the wall is ahead of UTC.
static std::int32_t utcOffsetNow() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    if (!::localtime_r(&now, &local)) return 0;
    return static_cast<std::int32_t>(local.tm_gmtoff / 60);
}

Guests::Guests(Parts parts)
    : parts_(std::move(parts))
    , budget_(limitsOf(parts_.settings, parts_.total)) {}

guests::GuestLimits Guests::limitsOf(const Settings& settings, const Resources& total) {
    const auto most = [](std::int64_t wanted, std::int64_t there) {
        return wanted == 0 ? there : std::min(wanted, there);
    };
    return {.milliCores = most(settings.guestCores * 1000, total.milliCores),
            .memoryMb = most(settings.guestMemoryMb, total.memoryMb),
            .storeBytes = static_cast<std::uint64_t>(settings.guestStoreMb) << 20,
            .unsandboxed = settings.guestUnsandboxed == "on"};
}

Result<JoinPlan> Guests::plan(const std::string& dataDir, const JoinOptions& options) {
    auto yard = parseYardAddress(options.url, options.insecure);
    if (!yard) return std::unexpected(yard.error());
    JoinPlan plan{.url = yard->url() + yard->prefix, .yard = std::move(*yard), .token = {}, .key = {}};
    if (!options.token.empty()) {
        auto token = parseJoinToken(options.token);
        if (!token) return std::unexpected(token.error());
        plan.token = std::move(token->secret);
        plan.yard.fingerprint = std::move(token->fingerprint);
    }
    const std::string path = dataDir + "/" + std::string(KnownYards::kFile);
    auto known = KnownYards::read(path);
    if (!known) return std::unexpected(known.error());
    plan.isKnown = known->find(plan.url) != nullptr;
    if (!plan.isKnown && plan.token.empty())
        return invalid("join", fmt::format("This machine has not joined {} yet: give --join-token, as 'yardctl "
                                           "machines token' on the yard prints it.",
                                           plan.url));
    const KnownYard& one = known->add(plan.url, plan.yard.fingerprint);
    plan.key = one.key;
    plan.yard.fingerprint = one.fingerprint;
    if (auto written = known->write(path); !written) return std::unexpected(written.error());
    return plan;
}

// --- links

Guests::Place& Guests::add(JoinPlan plan) {
    auto place = std::make_unique<Place>();
    place->plan = std::move(plan);
    place->since = MonoClock::now();
    place->yard = std::make_unique<GuestYard>(
        GuestYard::Parts{.jobs = parts_.jobs,
                         .chunks = parts_.chunks(),
                         .helpers = parts_.helpers,
                         .settings = parts_.settings,
                         .group = static_cast<std::uint32_t>(all_.size()) + 1},
        guests::GuestDesk::Self{.runId = parts_.runId,
                                .name = parts_.name,
                                .platform = std::string(thisPlatform()),
                                .version = YARD_VERSION,
                                .slots = parts_.slots,
                                .tags = {},
                                .utcOffset = &utcOffsetNow,
                                .takesWorkers = parts_.takesWorkers && parts_.takesWorkers()},
        budget_);
    Place& one = *place;
    all_.push_back(std::move(place));
    if (all_.size() == 1) parts_.loop.spawn("guests", tick());
    parts_.loop.spawn("guest store", one.yard->run());
    parts_.loop.spawn("guest results", one.yard->keepResults());
    return one;
}

void Guests::join(JoinPlan plan) {
    YARD_ASSERT_OWNER(owner_);
    Place& one = add(std::move(plan));
    parts_.loop.spawn("link to a yard", keepLinked(one));
}

// --- links that yards open

Guests::Place* Guests::taken(const std::string& key) const {
    const auto at =
        std::ranges::find_if(all_, [&](const auto& one) { return one->isTaken && one->plan.key == key; });
    return at == all_.end() ? nullptr : at->get();
}

Result<void> Guests::mayCome(const std::string& key) const {
    YARD_ASSERT_OWNER(owner_);
    if (!parts_.takesYards)
        return fail(ErrorKind::WrongState, "This engine works for no other that comes: start it with --serve on.");
    if (const Place* place = taken(key)) {
        if (place->leaves.isSet())
            return fail(ErrorKind::WrongState,
                        "This machine leaves that engine, or was told to until it starts again.");
        if (place->state == State::Linked)
            return fail(ErrorKind::Busy, "That engine has a link to this machine already.");
        return {};
    }
    const auto count = std::ranges::count_if(all_, [](const auto& one) { return one->isTaken; });
    if (std::cmp_greater_equal(count, kMostYards))
        return fail(ErrorKind::AtLimit,
                    "This machine worked for as many engines as may be; start its engine again.");
    return {};
}

bool Guests::came(std::string key, std::string peer, std::shared_ptr<UniqueFd> socket) {
    if (!mayCome(key)) return false;
    Place* place = taken(key);
    if (!place) {
        place = &add({.url = std::move(peer), .yard = {}, .token = {}, .key = std::move(key), .isKnown = true});
        place->isTaken = true;
    }
    move(*place, State::Linked);
    parts_.loop.spawn("link of a yard", serveTaken(*place, std::move(socket)));
    return true;
}

coro::Task<void> Guests::serveTaken(Place& place, std::shared_ptr<UniqueFd> socket) {
    auto stream = linkio::socketStream(parts_.loop, std::move(*socket));
    unsigned failures = 0;
    JoinFailure failure{.isFinal = false, .sentence = {}};
    if (stream)
        failure = co_await serve(place, **stream, failures);
    else
        failure.sentence = stream.error().message;
    move(place, place.leaves.isSet() ? State::Gone : State::Waiting, std::move(failure.sentence));
}

coro::Task<void> Guests::tick() {
    for (;;) {
        co_await coro::sleepFor(guests::GuestDesk::kPause);
        parts_.jobs.tick();
        for (const auto& one : all_) one->yard->tick();
    }
}

void Guests::move(Place& place, State to, std::string reason) {
    place.state = to;
    place.reason = std::move(reason);
    place.since = MonoClock::now();
}

coro::Task<void> Guests::keepLinked(Place& place) {
    unsigned failures = 0;
    bool withKey = place.plan.isKnown || place.plan.token.empty();
    while (!place.leaves.isSet()) {
        const bool goesOn = co_await linkOnce(place, withKey, failures);
        if (!goesOn || place.leaves.isSet()) break;
        co_await coro::comesWithin(waitBeforeNext(failures, parts_.reconnectUnit), place.leaves);
    }
    if (place.state != State::Refused) move(place, State::Gone);
}

coro::Task<engine::Joined> Guests::open(const JoinPlan& plan, bool withKey) {
    return engine::join(parts_.loop, parts_.helpers,
                        {.yard = plan.yard,
                         .bearer = withKey ? plan.key : plan.token,
                         .ownKey = withKey ? std::string() : plan.key});
}

/// False: that was the last time.
coro::Task<bool> Guests::linkOnce(Place& place, bool& withKey, unsigned& failures) {
    move(place, State::Connecting, place.reason);
    const JoinPlan& plan = place.plan;
    auto stream = co_await open(plan, withKey);
    // It may have forgotten this machine, and given it a new token.
    if (!stream && stream.error().isFinal && withKey && !plan.token.empty()) {
        withKey = false;
        stream = co_await open(plan, withKey);
    }
    JoinFailure failure;
    if (stream) {
        withKey = true; // from now on the yard knows it
        failure = co_await serve(place, **stream, failures);
    } else {
        failure = std::move(stream.error());
    }
    ++failures;
    if (failure.isFinal && !place.yard->isLeaving()) {
        logError("guests", "{} does not want this machine: {}", plan.url, failure.sentence);
        move(place, State::Refused, failure.sentence);
        place.yard->leave(link::LeavingCause::Sent, "the yard refused this machine");
        if (parts_.refused) parts_.refused(failure.sentence);
        co_return false;
    }
    if (failures == 1)
        logWarning("guests", "the link to {} is not there: {} It is tried again.", plan.url, failure.sentence);
    move(place, State::Waiting, std::move(failure.sentence));
    co_return true;
}

coro::Task<JoinFailure> Guests::serve(Place& place, linkio::ByteStream& stream, unsigned& failures) {
    move(place, State::Linked);
    logInfo("guests", "linked to {}", place.plan.url);
    GuestYard::Served served = co_await place.yard->serve(stream);
    if (served.wasUp) failures = 0;
    co_return JoinFailure{.isFinal = served.isRefused, .sentence = std::move(served.why)};
}

// --- leaving

void Guests::leave(link::LeavingCause cause, const std::string& sentence) {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& one : all_) {
        one->leaves.set();
        one->yard->leave(cause, sentence);
    }
}

Result<void> Guests::sendAway(std::int64_t id) {
    YARD_ASSERT_OWNER(owner_);
    if (id < 1 || static_cast<std::size_t>(id) > all_.size())
        return fail(ErrorKind::NotFound, fmt::format("This machine works for no yard with the number {}.", id));
    Place& place = *all_[static_cast<std::size_t>(id) - 1];
    if (place.state == State::Gone || place.yard->isLeaving())
        return fail(ErrorKind::WrongState, "This machine has left that yard, or is about to.");
    place.leaves.set();
    place.yard->leave(link::LeavingCause::Sent, "somebody there sent this yard away");
    if (place.isTaken && place.state != State::Linked) move(place, State::Gone); // nobody keeps its link here
    return {};
}

// --- what is shown

std::string_view Guests::name(State state) {
    switch (state) {
    case State::Connecting: return "connecting";
    case State::Linked: return "linked";
    case State::Waiting: return "waiting";
    case State::Refused: return "refused";
    case State::Leaving: return "leaving";
    case State::Gone: break;
    }
    return "gone";
}

GuestsView Guests::list() const {
    GuestsView view{.serves = parts_.serves, .gives = budget_.limits(), .yards = {}};
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Place& place = *all_[i];
        const bool isLeaving =
            place.yard->isLeaving() && place.state != State::Gone && place.state != State::Refused;
        GuestsView::Yard yard{.id = static_cast<std::int64_t>(i) + 1,
                              .name = place.yard->name(),
                              .url = place.plan.url,
                              .state = name(isLeaving ? State::Leaving : place.state),
                              .reason = place.reason,
                              .since = parts_.wallOf(place.since),
                              .held = place.yard->held(),
                              .runs = {}};
        for (GuestJobs::View& run : place.yard->views())
            yard.runs.push_back({.lsn = run.id.lsn,
                                 .attempt = run.id.attempt,
                                 .name = std::move(run.name),
                                 .isRunning = run.isRunning,
                                 .since = parts_.wallOf(run.since)});
        view.yards.push_back(std::move(yard));
    }
    return view;
}

} // namespace yard::engine
