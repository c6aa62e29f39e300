// The other half of Allocators: what one allocator does, step by step.
#include "core/engine/allocators/allocators.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kLookAgain = std::chrono::seconds(2);
constexpr Duration kListSlurmEvery = std::chrono::seconds(5);
/// Commands may ask somebody who counts questions.
constexpr Duration kListCommandEvery = std::chrono::seconds(15);
constexpr Duration kEndAgain = std::chrono::seconds(30);
constexpr std::size_t kPilotNameBytes = 4;

const MachineView* withKey(const std::vector<MachineView>& machines, const std::optional<Hash256>& key) {
    if (!key) return nullptr;
    const auto at = std::ranges::find(machines, key->hex(), &MachineView::key);
    return at == machines.end() ? nullptr : &*at;
}

/// The link is up, or was a moment ago.
bool isThere(link::MachineState state) {
    using enum link::MachineState;
    return state == Ready || state == Busy || state == Paused || state == Draining || state == Silent;
}

} // namespace

void Allocators::begin(const EntryPtr& entry) {
    ++drivers_;
    parts_.spawn("allocator", drive(entry));
}

OtherSystem Allocators::systemOf(const Entry& entry) const {
    return {entry.definition, parts_.engineId, parts_.yardName};
}

coro::Task<Result<host::CommandEnd>> Allocators::runOne(host::CommandOrder order) {
    if (!helpers_) helpers_ = std::make_unique<coro::HelperPool>(2);
    try {
        co_return co_await helpers_->run(
            [order = std::move(order), stop = helpers_->stopping()] { return host::runCommand(order, stop); });
    } catch (const coro::LostError&) {
        co_return fail(ErrorKind::NotAccepting, "The engine ends.");
    }
}

coro::Task<void> Allocators::drive(EntryPtr entry) {
    while (!isStopping_) {
        entry->woken.clear(); // before it looks: what is told meanwhile is not slept over
        co_await takeStep(*entry);
        if (entry->definition.isRemoved && entry->pilots.empty() && entry->unclear.empty() &&
            entry->leftKeys.empty()) {
            const std::string name = entry->definition.name;
            if (co_await put({.kind = std::string(kKind), .name = name, .body = std::nullopt})) {
                entries_.erase(name);
                parts_.changed();
                break;
            }
        }
        (void)co_await coro::comesWithin(parts_.step, entry->woken);
    }
    if (isStopping_ && !entry->definition.keeps) co_await endJobs(*entry, entry->decisions.endAll(parts_.now()));
    --drivers_;
    ended_.notifyAll();
}

coro::Task<void> Allocators::takeStep(Entry& entry) {
    co_await follow(entry);
    const MonoTime now = parts_.now();
    allocators::Plan plan;
    if (entry.definition.isRemoved) {
        plan.end = entry.decisions.endAll(now);
    } else if (now >= entry.nextLook && entry.areJobsKnown && parts_.tickets.place()) {
        entry.nextLook = now + kLookAgain;
        plan = entry.decisions.look(parts_.waiting(now), now);
    }
    for (const std::string& job : std::exchange(entry.unwanted, {}))
        if (entry.decisions.endJob(job, now)) plan.end.push_back(job);
    for (const allocators::PilotNumber number : plan.start) co_await startOne(entry, number);
    co_await endJobs(entry, std::move(plan.end));
    if (!entry.unclear.empty() && parts_.now() >= entry.unclearUntil) {
        for (const std::string& pilot : std::exchange(entry.unclear, {})) {
            const auto ticket = parts_.tickets.of(pilot);
            if (ticket && ticket->key) entry.leftKeys.push_back(ticket->key->hex()); // it had come all the same
            parts_.tickets.forget(pilot);
            (void)co_await put(forgetPilot(pilot));
        }
    }
    const bool asks = !entry.pilots.empty() || parts_.now() < entry.unclearUntil;
    if (asks && parts_.now() >= entry.nextList && !isStopping_) co_await lookAtJobs(entry);
    co_await forgetGone(entry);
    tell(entry);
}

/// The journal first: what the other system hears of is known after a kill.
coro::Task<void> Allocators::startOne(Entry& entry, allocators::PilotNumber number) {
    const auto place = parts_.tickets.place();
    if (isStopping_ || !place) co_return entry.decisions.notStarted(number, "The engine ends.", parts_.now());
    KeptPilot kept;
    kept.id = fmt::format("{}-{}", entry.definition.name, randomHex(kPilotNameBytes));
    kept.allocator = entry.definition.name;
    kept.engineId = parts_.engineId;
    kept.asked = wallNow();
    const std::string secret = parts_.tickets.make(kept.id);
    kept.secret = Sha256::of(secret);
    entry.pilots[number] = {.kept = kept, .shown = allocators::PilotState::Asked, .since = wallNow()};
    tell(entry);
    if (auto written = co_await put(keep(kept)); !written) {
        entry.decisions.notStarted(number, written.error().message, parts_.now());
        co_return;
    }
    const OtherSystem system = systemOf(entry);
    const auto end = co_await runOne(system.start(kept.id, secret, *place));
    const auto job = system.started(end);
    const MonoTime now = parts_.now();
    if (!job) {
        // It may have begun something all the same: cut off, or with an answer that says nothing.
        if (!end || end->exitCode == 0) entry.unclearUntil = now + parts_.unclear;
        logWarning("engine", "allocator {} could not start a machine: {}", entry.definition.name,
                   job.error().message);
        entry.decisions.notStarted(number, job.error().message, now);
        co_return;
    }
    logInfo("engine", "allocator {} asked for job {}", entry.definition.name, *job);
    Held& held = entry.pilots[number];
    held.kept.job = *job;
    if (held.kept.isUnwanted) entry.unwanted.push_back(*job); // it came before its answer, and was removed already
    (void)co_await put(keep(held.kept)); // without it the job is one that nobody knows, and is ended
    entry.nextList = parts_.now() + kLookAgain;
    if (entry.decisions.started(number, *job, now)) co_await endJobs(entry, {*job});
}

coro::Task<void> Allocators::lookAtJobs(Entry& entry) {
    const OtherSystem system = systemOf(entry);
    const auto jobs = system.listed(co_await runOne(system.list()));
    const MonoTime now = parts_.now();
    entry.nextList = now + (entry.definition.kind == AllocatorKind::Slurm ? kListSlurmEvery : kListCommandEvery);
    if (!jobs) {
        if (entry.trouble != jobs.error().message)
            logWarning("engine", "allocator {} cannot list its jobs: {}", entry.definition.name,
                       jobs.error().message);
        entry.trouble = jobs.error().message;
        if (entry.definition.isRemoved) co_await endJobs(entry, endUnlisted(entry));
        co_return;
    }
    entry.trouble.clear();
    entry.unlisted.reset();
    entry.areJobsKnown = true;
    std::vector<std::string> end = entry.decisions.listed(*jobs, now);
    endAgain(entry, *jobs, end);
    noteEnds(entry, *jobs);
    co_await endJobs(entry, std::move(end));
}

/// What was to end and has not, and what nobody here knows.
void Allocators::endAgain(Entry& entry, std::span<const allocators::Listed> jobs,
                          std::vector<std::string>& end) const {
    const MonoTime now = parts_.now();
    const bool endsUnknown = systemOf(entry).namesOwnJobsOnly() || now < entry.unclearUntil;
    for (const allocators::Listed& one : jobs) {
        const auto known =
            std::ranges::find_if(entry.pilots, [&](const auto& pilot) { return pilot.second.kept.job == one.job; });
        if (known == entry.pilots.end()) {
            if (!endsUnknown) continue;
            logWarning("engine", "allocator {} ends job {}: the answer of its start was lost",
                       entry.definition.name, one.job);
            end.push_back(one.job);
            continue;
        }
        const Held& held = known->second;
        if (held.endAsked && now - *held.endAsked >= kEndAgain) end.push_back(one.job);
    }
}

/// When pilots leave: by the other system's word, else by what was asked of it.
void Allocators::noteEnds(Entry& entry, std::span<const allocators::Listed> jobs) const {
    const MonoTime now = parts_.now();
    for (auto& [number, held] : entry.pilots) {
        const auto pilot = std::ranges::find(entry.decisions.pilots(), number, &allocators::Pilot::number);
        const auto job = std::ranges::find(jobs, held.kept.job, &allocators::Listed::job);
        if (pilot == entry.decisions.pilots().end() || !pilot->began) {
            held.endsAt = 0;
        } else if (job != jobs.end() && job->endsAt > 0) {
            held.endsAt =
                std::chrono::microseconds(std::chrono::seconds(job->endsAt) - allocators::kSlurmReserve).count();
        } else if (held.endsAt == 0) {
            held.endsAt = wallNow() + (entry.decisions.settings().limits.lifetime - (now - *pilot->began)).count();
        }
    }
}

/// A removed one goes though its list fails: with the jobs whose end was taken at once, with the others after a while. Those
/// to ask again.
std::vector<std::string> Allocators::endUnlisted(Entry& entry) {
    const MonoTime now = parts_.now();
    if (!entry.unlisted) entry.unlisted = now;
    const bool givesUp = now - *entry.unlisted >= parts_.unclear;
    std::vector<std::string> again;
    for (const auto& [number, held] : entry.pilots) {
        if (!held.endAsked) continue;
        if (held.isEndTaken || givesUp) {
            if (!held.isEndTaken)
                logWarning("engine", "allocator {} goes, and nobody says whether its job {} has ended: {}",
                           entry.definition.name, held.kept.job, entry.trouble);
            entry.decisions.giveUp(number, now);
        } else if (now - *held.endAsked >= kEndAgain) {
            again.push_back(held.kept.job);
        }
    }
    return again;
}

coro::Task<void> Allocators::endJobs(Entry& entry, std::vector<std::string> jobs) {
    if (jobs.empty()) co_return;
    const MonoTime now = parts_.now();
    for (auto& [number, held] : entry.pilots)
        if (std::ranges::find(jobs, held.kept.job) != jobs.end()) held.endAsked = now;
    entry.nextList = std::min(entry.nextList, now + kLookAgain);
    // One command ends all of them, or each has its own.
    std::vector<host::CommandOrder> orders = systemOf(entry).end(jobs);
    for (std::size_t at = 0; at < orders.size(); ++at) {
        const auto ended = co_await runOne(std::move(orders[at]));
        const bool isTaken = ended && ended->exitCode == 0;
        for (auto& [number, held] : entry.pilots)
            if (isTaken && (orders.size() == 1 ? std::ranges::find(jobs, held.kept.job) != jobs.end()
                                               : held.kept.job == jobs[at]))
                held.isEndTaken = true;
        // It is asked for again while a list names the job.
        if (!isTaken)
            logWarning("engine", "allocator {} could not end {}: {}", entry.definition.name, fmt::join(jobs, " "),
                       ended ? ended->err.substr(0, 200) : ended.error().message);
    }
}

// --- what became of them

coro::Task<void> Allocators::follow(Entry& entry) {
    if (entry.pilots.empty() && entry.leftKeys.empty()) co_return;
    const std::vector<MachineView> machines = co_await parts_.machines();
    std::vector<KeptPilot> keyed;
    for (auto& [number, held] : entry.pilots) {
        const auto ticket = parts_.tickets.of(held.kept.id);
        if (ticket && ticket->key != held.kept.key) {
            held.kept.key = ticket->key;
            keyed.push_back(held.kept);
        }
        const MachineView* view = withKey(machines, held.kept.key);
        if (view) held.machine = view->name;
        followOne(entry, held, view);
    }
    for (const KeptPilot& kept : keyed) (void)co_await put(keep(kept));
    for (const std::string& key : std::exchange(entry.leftKeys, {})) {
        const MachineView* view = withKey(machines, Hash256::fromHex(key));
        if (!view) continue;
        // What it had counts as lost first, and goes elsewhere.
        const bool isEmpty = view->running + view->waiting == 0;
        if (!isEmpty || !co_await parts_.removeMachine(view->id.value)) entry.leftKeys.push_back(key);
    }
}

void Allocators::followOne(Entry& entry, const Held& held, const MachineView* view) const {
    const MonoTime now = parts_.now();
    const std::string& job = held.kept.job;
    if (!view || !isThere(view->state)) return entry.decisions.left(job, now);
    entry.decisions.joined(job, now);
    const bool isIdle = view->running + view->waiting == 0;
    const auto pilot = std::ranges::find(entry.decisions.pilots(), job, &allocators::Pilot::job);
    if (!isIdle || (pilot != entry.decisions.pilots().end() && pilot->hasRun))
        entry.decisions.worked(job, isIdle, now);
}

coro::Task<void> Allocators::forgetGone(Entry& entry) {
    std::set<allocators::PilotNumber> there;
    for (const allocators::Pilot& pilot : entry.decisions.pilots()) there.insert(pilot.number);
    std::vector<KeptPilot> gone;
    for (const auto& [number, held] : entry.pilots)
        if (!there.contains(number)) gone.push_back(held.kept);
    std::erase_if(entry.pilots, [&](const auto& pilot) { return !there.contains(pilot.first); });
    for (const KeptPilot& kept : gone) {
        const auto ticket = parts_.tickets.of(kept.id); // its key may be newer than what follow() saw
        const std::optional<Hash256> key = ticket && ticket->key ? ticket->key : kept.key;
        if (key) entry.leftKeys.push_back(key->hex());
        // A start whose answer was lost may have begun a machine: until that is found it may not come in.
        parts_.tickets.forget(kept.id);
        (void)co_await put(forgetPilot(kept.id));
    }
}

void Allocators::tell(Entry& entry) {
    std::string now = fmt::format("{} {} {}", allocators::name(entry.decisions.failures().state(parts_.now())),
                                  entry.decisions.demand().wanted, entry.trouble);
    for (const allocators::Pilot& pilot : entry.decisions.pilots()) {
        if (const auto held = entry.pilots.find(pilot.number); held != entry.pilots.end()) {
            if (std::exchange(held->second.shown, pilot.state) != pilot.state) held->second.since = wallNow();
            now += fmt::format(" {} {} {}", pilot.job, allocators::name(pilot.state), held->second.machine);
        }
    }
    if (std::exchange(entry.told, now) != now) parts_.changed();
}

} // namespace yard::engine
