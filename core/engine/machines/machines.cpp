#include "core/engine/machines/machines.h"

#include "core/base/boot_clock.h"
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/engine/machines/machine.h"
#include "core/engine/machines/ssh_link.h"
#include "core/json/utf8.h"
#include "core/model/given_resources.h"
#include "core/model/json_fields.h"
#include "core/model/worker.h"
#include "core/session/machine_commands.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kFollowEvery = std::chrono::seconds(1);
constexpr Duration kTellLife = std::chrono::seconds(10);
/// A machine that did not take something gets nothing for so long: it would come back at once, over and over.
constexpr Duration kKeptAway = std::chrono::seconds(60);

std::unexpected<Error> isLocal() {
    return fail(ErrorKind::WrongState,
                "This is the engine's own machine: drain or pause the session instead (yardctl session).");
}

std::unexpected<Error> hasNoCores() {
    return fail(ErrorKind::Invalid, "The machine gives guests no cores (guest_cores).");
}

std::unexpected<Error> noMachine() {
    return fail(ErrorKind::NotFound, "There is no such machine; GET machines lists those there are.");
}

std::unexpected<Error> hasWork(const MachineView& view) {
    return fail(ErrorKind::WrongState,
                fmt::format("{} actions run on {}, and {} wait there: drain it first, or remove it with "
                            "\"force\", which ends them there.",
                            view.running, view.name, view.waiting));
}

/// One line that people can type.
bool isName(std::string_view name) {
    return !name.empty() && name.size() <= link::kMaxNameBytes && wellFormed(name) == name &&
           !hasControlCharacters(name) && name != "local" && name != "any" && !name.starts_with("tag:");
}

constexpr std::string_view kUnread =
    "What the journal has of this machine cannot be read: it goes by itself once what it had "
    "counts as lost.";

/// Who it is: a key is one machine's, whatever that calls itself. A token may be several machines'.
std::string keyOf(const MachineCaller& who, const link::Hello& hello) {
    return who.key.empty() ? fmt::format("{}\n{}", who.token, hello.name) : fmt::format("{}{}", kKeyed, who.key);
}

link::Refused refusedFor(const Error& error) {
    const bool isFull = error.kind == ErrorKind::AtLimit;
    return {.cause = isFull ? link::RefusalCause::Full : link::RefusalCause::Platform, .sentence = error.message};
}

} // namespace

Machines::Machines(Parts parts)
    : parts_(std::move(parts))
    , streams_({.directory = parts_.outputDir,
                .helpers = parts_.helpers,
                .spawn = parts_.spawn,
                .isThere = [this](runners::AttemptId id) { return parts_.attempts.get(id) != nullptr; },
                .grown =
                    [this](runners::AttemptId id, runners::StreamAt at) {
                        std::vector<runners::Update> batch;
                        batch.push_back({.id = id, .what = std::move(at)});
                        parts_.execution.updates(std::move(batch));
                    }}) {}
Machines::~Machines() = default;

coro::Task<void> Machines::run() {
    co_await streams_.clean();
    // Not before takeOver(): what one says of an attempt that is not taken over yet ends that there.
    for (const auto& [id, machine] : machines_) dialOn(machine);
    for (;;) {
        co_await coro::sleepFor(kFollowEvery);
        std::vector<std::shared_ptr<Machine>> all;
        for (const auto& [id, machine] : machines_) all.push_back(machine);
        for (const std::shared_ptr<Machine>& machine : all) {
            if (machine->keptAwayUntil && *machine->keptAwayUntil <= parts_.loop.now()) {
                machine->keptAwayUntil.reset();
                machine->notTaken.clear();
            }
            machine->followHours(wallNow());
            followLifetime(*machine);
            if (!machine->isRemoved || !letGo(machine))
                follow(*machine);
            else if (const std::string key = machine->ownKey(); parts_.pilots.removed && !key.empty())
                // An engine before this one may have ended between the two.
                parts_.spawn("pilot of a removed machine", parts_.pilots.removed(key));
        }
        forgetLeases();
        streams_.sweep();
        progress_.sweep([this](runners::AttemptId id) { return parts_.attempts.get(id) != nullptr; });
    }
}

void Machines::told(const link::Update& update) {
    const runners::AttemptId id = runners::idOf(update.id);
    switch (update.kind) {
    case link::UpdateKind::Output: return streams_.came(id, runners::Stream::Out, update.number, update.text);
    case link::UpdateKind::ErrorOutput: return streams_.came(id, runners::Stream::Err, update.number, update.text);
    case link::UpdateKind::Cpu:
        return parts_.monitor.noteElsewhere(id, update.number, std::nullopt, parts_.loop.now());
    case link::UpdateKind::Memory:
        return parts_.monitor.noteElsewhere(id, std::nullopt, update.number, parts_.loop.now());
    case link::UpdateKind::Progress: return progress_.came(id, update);
    case link::UpdateKind::Submitting:
    case link::UpdateKind::Running: return;
    }
}

// --- connections

coro::Task<Result<LineId>> Machines::opened(MachineCaller who, std::shared_ptr<LinkWire> wire) {
    YARD_ASSERT_OWNER(owner_);
    if (lines_.size() >= kMostMachines)
        co_return fail(ErrorKind::AtLimit, "As many machines are linked to this engine as may be; remove one.");
    lines_.emplace(++lastLine_, Line{.who = std::move(who), .wire = std::move(wire)});
    co_return lastLine_;
}

coro::Task<bool> Machines::frameCame(LineId id, LinkFrame frame) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = lines_.find(id);
    if (at == lines_.end()) co_return false;
    if (!at->second.machine && !greet(at->second, frame)) co_return false;
    const std::shared_ptr<Machine> machine = at->second.machine;
    if (!machine || !machine->runner) co_return true; // refused: it is being ended
    const bool good =
        machine->runner->frameCame(at->second.connection, {.id = frame.id, .kind = frame.kind, .body = frame.body});
    follow(*machine);
    while (machine->runner && machine->runner->isBehind()) co_await stored_.wait();
    co_return good;
}

coro::Task<bool> Machines::roomForBulk(LineId id) {
    const auto at = lines_.find(id);
    if (at == lines_.end()) co_return false;
    const Line& line = at->second;
    if (line.machine && line.machine->runner) line.machine->runner->roomForBulk(line.connection);
    co_return true;
}

coro::Task<bool> Machines::closed(LineId id) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = lines_.find(id);
    if (at == lines_.end()) co_return false;
    const Line line = std::move(at->second);
    lines_.erase(at);
    if (line.machine && line.machine->runner) {
        line.machine->runner->closed(line.connection);
        follow(*line.machine);
    }
    co_return true;
}

/// False: this is no Hello. A machine that is refused hears why.
bool Machines::greet(Line& line, const LinkFrame& frame) {
    link::Hello hello;
    if (frame.kind != static_cast<std::uint8_t>(link::Kind::Hello) || !link::get(frame.body, hello)) return false;
    auto machine = machineOf(line.who, hello);
    if (!machine) {
        logWarning("link", "a machine from {} is refused: {}", line.who.peer, machine.error().message);
        line.wire->send(link::Kind::Refused, frame.id, link::put(refusedFor(machine.error())));
        line.wire->finish();
        return true;
    }
    // Two that go by one name: the run of the one that answers must not count as over.
    if ((*machine)->answers() && (*machine)->hello.runId != hello.runId) {
        logWarning("link",
                   "machine {} comes from {} with another run while the one from {} still answers: give one "
                   "of them another name",
                   (*machine)->name, line.who.peer, (*machine)->peer);
        line.wire->end();
        return true;
    }
    line.machine = std::move(*machine);
    line.machine->peer = line.who.peer;
    if (line.who.dial && line.machine->dial != line.who.dial) {
        line.machine->dial = line.who.dial;
        ++line.machine->version;
    }
    if (hello.protocol == link::kProtocol) { // else its run says nothing, and it is refused
        if (line.machine->hello.runId != hello.runId) ++line.machine->version;
        if (line.machine->hello.utcOffset != hello.utcOffset) ++line.machine->version;
        if (line.machine->hello.takesWorkers != hello.takesWorkers) ++line.machine->version;
        line.machine->hello = std::move(hello);
        line.machine->followHours(wallNow());
        line.machine->endsAt = parts_.pilots.endOfOne(line.machine->ownKey());
        line.machine->lifeTold = parts_.loop.now();
        placeAgain(*line.machine); // it may give more or less than before
        keepMachine(line.machine);
    }
    line.connection = line.machine->runner->opened(*line.wire);
    return true;
}

Result<std::shared_ptr<Machines::Machine>> Machines::machineOf(const MachineCaller& who, const link::Hello& hello) {
    if (!isName(hello.name))
        return fail(ErrorKind::Invalid, "The machine's name is none that people can type; give it another one.");
    if (hello.runId == parts_.yardRunId)
        return fail(ErrorKind::Invalid, "The engine would be a machine of its own: give it the address of another "
                                        "engine.");
    std::string key = keyOf(who, hello);
    const auto known = std::ranges::find_if(machines_, [&](const auto& entry) { return entry.second->key == key; });
    if (known == machines_.end()) return make(std::move(key), who, hello);
    if (known->second->isRemoved)
        return fail(ErrorKind::Invalid, "Somebody is removing this machine from the engine; try again later.");
    // A start would not read a document that says so (machine_book.h), and would drop its leases.
    if (hello.protocol == link::kProtocol && hello.capacity.milliCores <= 0) return hasNoCores();
    return known->second;
}

std::string Machines::freeName(const std::string& wanted) const {
    const auto isTaken = [this](const std::string& name) {
        // A number alone is how another machine is named in commands.
        return name == parts_.yardName || isNumberAlone(name) ||
               std::ranges::any_of(machines_, [&](const auto& entry) { return entry.second->name == name; });
    };
    std::string name = wanted;
    for (int number = 2; isTaken(name); ++number) name = fmt::format("{}-{}", wanted, number);
    return name;
}

Result<std::shared_ptr<Machines::Machine>> Machines::make(std::string key, const MachineCaller& who,
                                                          const link::Hello& hello) {
    if (machines_.size() >= kMostMachines)
        return fail(ErrorKind::AtLimit, "As many machines are known to this engine as may be; remove one.");
    // One that speaks another protocol is nothing yet: what its Hello says means something else.
    if (hello.protocol != link::kProtocol)
        return fail(ErrorKind::Invalid, fmt::format("The machine speaks protocol {} of the link, this yard {}: use "
                                                    "the same version of Yardmaster on both.",
                                                    hello.protocol, link::kProtocol));
    if (hello.capacity.milliCores <= 0) return hasNoCores();
    KeptMachine kept = keptOf(std::move(key), freeName(hello.name), hello);
    kept.mostMilliCores = who.mostMilliCores;
    kept.dial = who.dial;
    auto machine = build(kept, documentOf(kept.key));
    if (!machine) return std::unexpected(machine.error());
    (*machine)->id = parts_.places.join(std::move((*machine)->unplaced), placeOf(kept));
    machines_.emplace((*machine)->id.value, *machine);
    logInfo("engine", "machine {} joined as number {}", (*machine)->name, (*machine)->id.value);
    return machine;
}

// --- what follows

void Machines::follow(Machine& machine) {
    if (!machine.runner) return;
    parts_.places.setWish(machine.id, machine.gate());
    const MachineState state = machine.state();
    if (std::exchange(machine.shown, state) == state) return;
    machine.since = wallNow();
    logInfo("engine", "machine {} is {}", machine.name, link::name(state));
    parts_.changed();
    followed_.notifyAll();
}

void Machines::notTaken(Machine& machine, std::string_view sentence) {
    machine.keptAwayUntil = parts_.loop.now() + kKeptAway;
    machine.notTaken = fmt::format("It did not take an action, and gets none for a minute: {}", sentence);
    follow(machine);
}

/// True: it is gone.
bool Machines::letGo(const std::shared_ptr<Machine>& machine) {
    if (!parts_.places.remove(machine->id)) return false;
    machine->runner = nullptr;
    for (auto& [id, line] : lines_) {
        if (line.machine != machine) continue;
        const link::Refused removed{.cause = link::RefusalCause::Removed,
                                    .sentence = "This machine was removed from the engine."};
        line.wire->send(link::Kind::Refused, 0, link::put(removed));
        line.wire->finish();
    }
    machines_.erase(machine->id.value);
    forget(*machine);
    logInfo("engine", "machine {} was removed", machine->name);
    parts_.changed();
    followed_.notifyAll();
    stored_.notifyAll();
    return true;
}

// --- people

Result<std::shared_ptr<Machines::Machine>> Machines::find(std::uint32_t id) const {
    if (id == fleet::kLocal.value) return isLocal();
    const auto at = machines_.find(id);
    if (at == machines_.end()) return noMachine();
    return at->second;
}

/// The same, of one that can be changed.
Result<std::shared_ptr<Machines::Machine>> Machines::findKnown(std::uint32_t id) const {
    auto found = find(id);
    if (found && (*found)->isUnread) return fail(ErrorKind::WrongState, std::string(kUnread));
    return found;
}

coro::Task<std::vector<MachineView>> Machines::list() {
    YARD_ASSERT_OWNER(owner_);
    std::vector<MachineView> views{local()};
    for (const auto& [id, machine] : machines_) views.push_back(viewOf(*machine));
    co_return views;
}

coro::Task<Result<MachineView>> Machines::get(std::uint32_t id) {
    YARD_ASSERT_OWNER(owner_);
    if (id == fleet::kLocal.value) co_return local();
    const auto machine = find(id);
    if (!machine) co_return std::unexpected(machine.error());
    co_return viewOf(**machine);
}

std::string Machines::nameOf(session::MachineId id) const {
    const auto found = machines_.find(id.value);
    return found == machines_.end() ? std::string() : found->second->name;
}

std::string Machines::notTakenBy(session::MachineId id) const {
    const auto found = machines_.find(id.value);
    return found == machines_.end() ? std::string() : found->second->notTaken;
}

std::string Machines::platformOf(const std::string& machine) const {
    const auto found =
        std::ranges::find_if(machines_, [&](const auto& entry) { return entry.second->name == machine; });
    return found == machines_.end() ? std::string() : found->second->hello.platform;
}

coro::Task<Result<MachineView>> Machines::wish(std::uint32_t id, fleet::Gate gate) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = findKnown(id);
    if (!found) co_return std::unexpected(found.error());
    const std::shared_ptr<Machine>& machine = *found;
    const fleet::Gate before = std::exchange(machine->wish, gate);
    if (before != gate) ++machine->version;
    if (gate == fleet::Gate::Open) {
        machine->keptAwayUntil.reset();
        machine->notTaken.clear();
        machine->runner->allowAgain();
    }
    follow(*machine);
    if (machine->isChanged()) {
        const auto kept = co_await keepNow(machine);
        if (!kept && machine->wish == gate) {
            machine->wish = before;
            ++machine->version;
            follow(*machine);
        }
        if (!kept) co_return std::unexpected(kept.error());
    }
    if (!machine->runner) co_return noMachine(); // removed meanwhile
    co_return viewOf(*machine);
}

coro::Task<Result<MachineView>> Machines::drain(std::uint32_t id) {
    return wish(id, fleet::Gate::Draining);
}

coro::Task<Result<MachineView>> Machines::pause(std::uint32_t id) {
    return wish(id, fleet::Gate::Paused);
}

coro::Task<Result<MachineView>> Machines::resume(std::uint32_t id) {
    return wish(id, fleet::Gate::Open);
}

/// `machine`: null for one that is to be added.
Result<void> Machines::checkName(const Machine* machine, const std::string& name) const {
    if (!isMachineName(name))
        return invalid("name",
                       "Give \"name\" as a letter or digit and up to 63 more, or \".\", \"_\" and \"-\"; not "
                       "\"local\" or \"any\", and not digits alone.");
    const auto isOther = [&](const auto& entry) {
        return entry.second.get() != machine && entry.second->name == name;
    };
    if (name == parts_.yardName || std::ranges::any_of(machines_, isOther))
        return fail(ErrorKind::WrongState, fmt::format("Another machine is called {}; choose another name.", name));
    return {};
}

coro::Task<Result<MachineView>> Machines::change(std::uint32_t id, MachineChange wanted) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = findKnown(id);
    if (!found) co_return std::unexpected(found.error());
    const std::shared_ptr<Machine>& machine = *found;
    if (wanted.name)
        if (auto fine = checkName(machine.get(), *wanted.name); !fine) co_return std::unexpected(fine.error());
    if (wanted.hours)
        if (const auto read = fleet::Hours::parse(*wanted.hours); !read) co_return std::unexpected(read.error());
    const KeptMachine before = keptOf(*machine);
    const auto set = [&](std::string name, std::int64_t cores, std::int64_t memory, const std::string& hours) {
        machine->setHours(hours);
        machine->followHours(wallNow());
        machine->name = std::move(name);
        machine->mostMilliCores = cores;
        machine->mostMemoryMb = memory;
        ++machine->version;
        placeAgain(*machine);
    };
    set(wanted.name.value_or(before.name), wanted.mostMilliCores.value_or(before.mostMilliCores),
        wanted.mostMemoryMb.value_or(before.mostMemoryMb), wanted.hours.value_or(before.hours));
    follow(*machine);
    if (auto kept = co_await keepNow(machine); !kept) {
        if (machine->runner) set(before.name, before.mostMilliCores, before.mostMemoryMb, before.hours);
        co_return std::unexpected(kept.error());
    }
    parts_.changed();
    if (wanted.paused) co_return co_await wish(id, *wanted.paused ? fleet::Gate::Paused : fleet::Gate::Open);
    if (!machine->runner) co_return noMachine(); // removed meanwhile
    co_return viewOf(*machine);
}

/// As much of it as it is to get, under the name that it has now.
void Machines::placeAgain(const Machine& machine) {
    fleet::Machine place = placeOf(keptOf(machine));
    // Less by as much as passes before it is told again.
    if (machine.endsAt > 0)
        place.lifetime = std::max(Duration(machine.endsAt - wallNow()) - kTellLife, Duration::zero());
    parts_.places.change(machine.id, std::move(place));
}

/// The session has no clock of its own: how long a machine will be there is told again and again.
void Machines::followLifetime(Machine& machine) {
    if (!machine.runner) return;
    const WallMicros ends = parts_.pilots.endOfOne(machine.ownKey());
    const bool isOld = ends > 0 && parts_.loop.now() - machine.lifeTold >= kTellLife;
    if (std::exchange(machine.endsAt, ends) == ends && !isOld) return;
    machine.lifeTold = parts_.loop.now();
    placeAgain(machine);
}

coro::Task<Result<void>> Machines::remove(std::uint32_t id, bool force) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = findKnown(id);
    if (!found) co_return std::unexpected(found.error());
    const std::shared_ptr<Machine>& machine = *found;
    if (const MachineView view = viewOf(*machine); !force && view.running + view.waiting > 0)
        co_return hasWork(view);
    if (machine->isRemoved) co_return Result<void>{};
    machine->isRemoved = true; // it gets nothing new meanwhile
    ++machine->version;
    follow(*machine);
    auto kept = co_await keepNow(machine);
    const bool isGone = kept && (!machine->runner || letGo(machine));
    if (kept && !isGone && force) machine->runner->shutDown(Duration::zero());
    if (kept && (isGone || force)) {
        if (const std::string key = machine->ownKey(); parts_.pilots.removed && !key.empty())
            co_await parts_.pilots.removed(key);
        co_return kept;
    }
    // Something came to it in the last moment, or the journal did not take it.
    machine->isRemoved = false;
    ++machine->version;
    dialOn(machine);
    keepMachine(machine);
    follow(*machine);
    if (kept) co_return hasWork(viewOf(*machine));
    co_return kept;
}

// --- views

void Machines::countAttempts(MachineView& view) const {
    for (const auto& [id, attempt] : std::as_const(parts_.attempts))
        if (attempt.machine == view.id && attempt.phase != Attempt::Phase::Ended)
            ++(attempt.runningSince != MonoTime{} ? view.running : view.waiting);
}

MachineView Machines::viewOf(const Machine& machine) const {
    MachineView view{.id = machine.id, .name = machine.name};
    view.state = machine.state();
    view.address = machine.dial ? machine.dial->url : machine.peer;
    if (machine.dial) view.kind = isSshUrl(machine.dial->url) ? "ssh" : "linked";
    view.reason = machine.runner->reason().empty() ? machine.notTaken : machine.runner->reason();
    if (view.reason.empty() && !machine.answers()) view.reason = machine.dialTrouble;
    if (view.reason.empty() && machine.isOutsideHours && view.state == MachineState::Draining)
        view.reason = fmt::format("It is outside its hours: {}.", machine.hoursText);
    view.hours = machine.hoursText;
    if (machine.isUnread) view.reason = kUnread;
    view.platform = machine.hello.platform;
    view.version = machine.hello.version;
    view.milliCores = machine.hello.capacity.milliCores;
    view.memoryMb = machine.hello.capacity.memoryMb;
    view.slots = machine.slots;
    view.tags = machine.hello.tags;
    view.mostMilliCores = machine.mostMilliCores;
    view.mostMemoryMb = machine.mostMemoryMb;
    view.key = machine.ownKey();
    if (!view.key.empty() && parts_.pilots.allocatorOf) view.allocator = parts_.pilots.allocatorOf(view.key);
    if (!view.allocator.empty()) view.kind = "allocated";
    view.lifetimeEnds = machine.endsAt;
    view.isUnread = machine.isUnread;
    view.since = machine.since;
    if (const auto lostAt = machine.runner->lostAt(); lostAt && view.state == MachineState::Silent)
        view.lostAt = wallNow() + (*lostAt - bootNow()).count();
    countAttempts(view);
    return view;
}

MachineView Machines::local() const {
    MachineView view{.id = fleet::kLocal, .name = parts_.yardName, .kind = "local"};
    view.platform = thisPlatform();
    view.version = YARD_VERSION;
    view.milliCores = parts_.own.milliCores;
    view.memoryMb = parts_.own.memoryMb;
    const auto amountOf = [](const Resources& of) {
        return static_cast<double>(fleet::amountOf(of, kGpus)) / 1'000;
    };
    view.gpus = amountOf(parts_.own);
    const auto free = parts_.session.machines().freePieces(kGpus);
    view.gpusFree =
        free ? static_cast<double>(*free) / 1'000 : std::max(0.0, view.gpus - amountOf(parts_.session.taken()));
    view.slots = parts_.ownSlots;
    const runners::Runner* runner = parts_.places.machine();
    view.state = runner && runner->isAccepting() ? MachineState::Ready : MachineState::Connecting;
    countAttempts(view);
    return view;
}

} // namespace yard::engine
