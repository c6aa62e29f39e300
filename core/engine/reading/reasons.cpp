#include "core/engine/reading/reasons.h"

#include "core/base/duration_text.h"
#include "core/model/action_name.h"
#include "core/session/dependencies.h"
#include "core/session/live_views.h"
#include "core/session/resource_holds.h"
#include "core/session/wait_reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <tuple>

namespace yard::engine {

namespace {

constexpr Duration kWorthSaying{2'000'000};

Wait limitOf(std::string_view name, const session::Waiting::Limit& limit, std::string label) {
    Wait wait;
    wait.kind = WaitKind::Limit;
    wait.name = name;
    wait.most = limit.most;
    wait.running = limit.running;
    wait.message = label.empty() ? fmt::format("its queue runs {} of at most {}", limit.running, limit.most)
                                 : fmt::format("its queue runs {} of at most {} labelled \"{}\"", limit.running,
                                               limit.most, label);
    wait.label = std::move(label);
    return wait;
}

std::string_view wordsOf(DependencyOn on) {
    return on == DependencyOn::Completed ? "be completed" : on == DependencyOn::Any ? "end" : "fail";
}

std::string arrayWords(const Wait& wait) {
    return fmt::format("{} of array {} to {}, of which {} {} not ended",
                       wait.on == DependencyOn::Failed ? "one" : "all", wait.array.value, wordsOf(wait.on),
                       wait.unfinished.value_or(0), wait.unfinished == 1 ? "has" : "have");
}

std::string placeWords(const std::optional<session::Waiting::Position>& position) {
    if (!position) return {};
    if (position->isExact && position->before == 0) return ", first of its queue";
    return fmt::format(", {}{} of its queue before it", position->isExact ? "" : "about ", position->before);
}

std::string keptWords(Lsn keptFor) {
    return keptFor.value > 0 ? fmt::format(", kept for action {}", keptFor.value) : ", kept for something larger";
}

Wait capacityOf(const session::ResourceNeed& need, const session::Waiting& waiting) {
    Wait wait;
    wait.kind = WaitKind::Capacity;
    wait.resource = need.resource;
    wait.need = need.need;
    const bool lacksPieces = need.isApart && need.isLacking();
    // Of pieces what it could have: parts of several make no whole one.
    wait.free = std::max(lacksPieces ? std::min(need.free, static_cast<double>(need.fitting)) : need.free, 0.0);
    if (waiting.position) {
        wait.position = waiting.position->before;
        wait.positionIsExact = waiting.position->isExact;
    }
    std::string because;
    std::string place = placeWords(waiting.position);
    if (waiting.starting && (!waiting.position || waiting.position->before == 0)) {
        because = ", it is next";
        place.clear();
    } else if (waiting.reservedForLarger) {
        wait.keptFor = waiting.keptFor;
        because = keptWords(waiting.keptFor);
    }
    const std::string memory = need.memory > 0 ? fmt::format(" with {} MiB of memory", need.memory) : std::string();
    if (need.lacksMemory) because = ", where others asked for the memory" + because;
    if (lacksPieces && need.need < 1)
        wait.message = fmt::format("{} of {} {} have {}{} free{}{}", need.fitting, need.pieces, need.resource,
                                   need.need, memory, because, place);
    else if (lacksPieces)
        wait.message = fmt::format("{} of {} {} fit, it needs {}{}{}{}", need.fitting, need.pieces, need.resource,
                                   need.need, memory, because, place);
    else
        wait.message = fmt::format("{} of {} {} free{}{}", *wait.free, need.total,
                                   need.resource == "memory_mb" ? "MiB of memory" : need.resource, because, place);
    return wait;
}

bool lacksCores(const session::Waiting& waiting) {
    return std::ranges::any_of(waiting.needs, [](const session::ResourceNeed& need) {
        return need.resource == "cores" && need.free < need.need;
    });
}

/// Every resource of which there is not enough, else the first one: it waits for its turn.
void addCapacity(const session::Waiting& waiting, std::vector<Wait>& waits) {
    for (const session::ResourceNeed& need : waiting.needs)
        if (need.isLacking()) waits.push_back(capacityOf(need, waiting));
    if (!waits.empty()) return;
    session::ResourceNeed turn = waiting.needs.empty() ? session::ResourceNeed{} : waiting.needs.front();
    if (waiting.noSlot) turn = {.resource = "slots", .need = 1, .total = 0, .free = 0};
    waits.push_back(capacityOf(turn, waiting));
    if (waiting.noSlot)
        waits.back().message =
            "every slot for actions that do not take exactly one core is in use" + placeWords(waiting.position);
}

/// What an action of a warm worker asks for itself, and lacks: beside a place with its processes, which comes first.
std::vector<Wait> beside(const session::Waiting& waiting) {
    std::vector<Wait> waits;
    if (waiting.starting || waiting.needs.empty() || waiting.needs.front().resource != "warm") return waits;
    for (const session::ResourceNeed& need : std::span(waiting.needs).subspan(1))
        if (need.isLacking()) waits.push_back(capacityOf(need, waiting));
    return waits;
}

} // namespace

namespace {

std::string_view wordsOf(fleet::Unfit why) {
    switch (why) {
    case fleet::Unfit::Unknown: return "is not known";
    case fleet::Unfit::NotNamed: return "is not one that it asks for";
    case fleet::Unfit::Platform: return "has another platform";
    case fleet::Unfit::Unsandboxed: return "runs nothing of others without a sandbox";
    case fleet::Unfit::Workers: return "runs commands for others, no workers";
    case fleet::Unfit::TooSmall: return "is too small";
    case fleet::Unfit::Lifetime: return "ends before it would";
    case fleet::Unfit::KeptFrom: return "gets nothing of its kind for now";
    case fleet::Unfit::Refused: return "was refused";
    case fleet::Unfit::Silent: return "is not there";
    case fleet::Unfit::Paused: return "is paused";
    case fleet::Unfit::Draining: return "takes nothing new";
    case fleet::Unfit::None:
    case fleet::Unfit::Full: break;
    }
    return "is busy";
}

} // namespace

/// Of several machines none takes it, and none would if all that runs there ended.
std::optional<Wait> Reasons::machineWait(const session::Waiting& waiting) const {
    const auto takes = [](const fleet::WhyNot& machine) {
        return machine.unfit == fleet::Unfit::None || machine.unfit == fleet::Unfit::Full;
    };
    if (waiting.machines.empty() || std::ranges::any_of(waiting.machines, takes)) return {};
    Wait wait = plainWait(WaitKind::NoRunner, "no machine takes it");
    const auto isAsked = [](const fleet::WhyNot& machine) { return machine.unfit != fleet::Unfit::NotNamed; };
    for (const fleet::WhyNot& machine : waiting.machines) {
        if (!isAsked(machine)) continue; // of a fleet those that it does not ask for say nothing
        if (wait.machines.size() == kMostMachineWaits) break;
        wait.message +=
            fmt::format("{}{} {}", wait.machines.empty() ? ": " : ", ", machine.name, wordsOf(machine.unfit));
        const bool hasSaid = machine.unfit == fleet::Unfit::Draining && parts_.machineWords;
        if (const std::string said = hasSaid ? parts_.machineWords(machine.id) : std::string(); !said.empty())
            wait.message += fmt::format(" ({})", said);
        wait.machines.push_back({.name = machine.name, .reason = std::string(fleet::name(machine.unfit))});
    }
    const auto asked = static_cast<std::size_t>(std::ranges::count_if(waiting.machines, isAsked));
    if (const std::size_t more = asked - wait.machines.size(); more > 0)
        wait.message += fmt::format(" and {} more", more);
    const std::string foreign = parts_.foreignWords
                                    ? parts_.foreignWords(parts_.dictionary.classKey(waiting.cls.value).workerId)
                                    : std::string();
    if (!foreign.empty()) wait.message += ". " + foreign;
    return wait;
}

/// Fewer slots than cores: they are what it lacks, however many cores are free.
std::optional<Wait> Reasons::slotWait(const session::Waiting& waiting) const {
    if (!waiting.isOneCore) return {};
    const CoreSlots slots = parts_.slots();
    if (slots.all >= slots.cores || slots.busy < slots.all) return {};
    Wait wait =
        capacityOf({.resource = "slots", .need = 1, .total = static_cast<double>(slots.all), .free = 0}, waiting);
    wait.message += fmt::format(" ({})", slots.limit);
    return wait;
}

/// Where nothing else has its slot, it waits for its own start.
std::optional<Wait> Reasons::startWait(Lsn lsn) const {
    const Attempt* attempt = parts_.attempt(lsn);
    if (!attempt || !parts_.isStarting(*attempt)) return {};
    Wait wait;
    wait.kind = WaitKind::Start;
    wait.since = attempt->scale.at(attempt->launched);
    if (attempt->spec && attempt->spec->cwd) wait.path = *attempt->spec->cwd;
    wait.message = wait.path.empty() ? "it is being started"
                                     : fmt::format("it is being started in the directory '{}'", wait.path);
    return wait;
}

/// Its program has ended, and it has not.
std::optional<Wait> Reasons::collectingWait(Lsn lsn) const {
    const Attempt* attempt = parts_.attempt(lsn);
    if (!attempt || attempt->phase != Attempt::Phase::Collecting) return {};
    Wait wait;
    wait.kind = WaitKind::Collecting;
    wait.since = attempt->record.times.exited;
    wait.message = kCollectingWords;
    return wait;
}

std::optional<Wait> Reasons::journalWait(const Attempt& attempt) const {
    if (attempt.phase != Attempt::Phase::Ended || attempt.stored || parts_.writesJournal()) return {};
    Wait wait =
        plainWait(WaitKind::Journal,
                  "its program has ended, and the journal cannot be written to keep that: is the disk full?");
    wait.since = attempt.record.times.exited;
    return wait;
}

/// What was told to end, and has not.
std::optional<Wait> Reasons::endingWait(Lsn lsn) const {
    const Attempt* attempt = parts_.attempt(lsn);
    if (!attempt || attempt->phase != Attempt::Phase::Launched || !attempt->endAsked) return {};
    Wait wait;
    wait.kind = WaitKind::Ending;
    wait.since = attempt->scale.at(*attempt->endAsked);
    wait.message = "told to end";
    if (attempt->warm) return wait; // its process may have others to work on
    const MonoTime kill = *attempt->endAsked + attempt->grace;
    wait.until = attempt->scale.at(kill);
    wait.message += kill > parts_.now() ? ", SIGKILL follows" : ", SIGKILL was sent";
    return wait;
}

/// It runs, and stands still.
std::optional<Wait> Reasons::frozenWait(Lsn lsn) const {
    const Attempt* attempt = parts_.attempt(lsn);
    if (!attempt || !attempt->frozenAt) return {};
    std::optional<Wait> wait = parts_.courtesyFreeze ? parts_.courtesyFreeze() : std::nullopt;
    if (!wait) wait = plainWait(WaitKind::Courtesy, std::string(kFrozenWords)); // about to go on
    wait->measure = "freeze";
    wait->since = attempt->scale.at(*attempt->frozenAt);
    return wait;
}

/// What it has to wait for before cores or a process matter.
std::vector<Wait> Reasons::beforeCapacity(const session::Waiting& waiting, bool namesParents) const {
    std::vector<Wait> waits;
    if (parts_.session.state() == SessionState::Created)
        waits.push_back(plainWait(WaitKind::NoRunner, "the engine is starting"));
    else if (waiting.sessionHolds)
        waits.push_back(
            holdOf("session", fmt::format("the session is {}: nothing starts", name(parts_.session.state()))));
    else if (auto nothing = parts_.nothingStarts())
        waits.push_back(std::move(*nothing));
    if (waiting.held) waits.push_back(holdOf("action", "it is held"));
    if (waiting.queueHeld)
        waits.push_back(holdOf("queue", waiting.failures > 0
                                            ? fmt::format("its queue is held after {} failure{}", waiting.failures,
                                                          waiting.failures == 1 ? "" : "s")
                                            : "its queue is held"));
    if (waiting.queueYields && parts_.courtesyHold)
        if (auto courtesy = parts_.courtesyHold()) waits.push_back(std::move(*courtesy));
    if (waiting.unmet > 0 && namesParents) waits.push_back(plainWait(WaitKind::Dependency, "other actions to end"));
    if (waiting.wakesAt != MonoTime{}) {
        Wait& wait = waits.emplace_back();
        wait.kind = waiting.backoff ? WaitKind::Backoff : WaitKind::NotBefore;
        wait.until = parts_.scale.at(waiting.wakesAt);
        const auto left = std::chrono::duration<double>(waiting.wakesAt - parts_.now()).count();
        wait.message = fmt::format("{} for {} more", waiting.backoff ? "backs off" : "is not to start",
                                   durationText(std::max(left, 0.0)));
    }
    if (waiting.queueLimit) waits.push_back(limitOf("max_running", *waiting.queueLimit, {}));
    if (waiting.labelLimit)
        waits.push_back(limitOf("label_limits", *waiting.labelLimit, parts_.dictionary.label(waiting.label.value)));
    for (const session::Waiting::Lock& lock : waiting.locks) waits.push_back(parts_.locks.waitFor(lock));
    return waits;
}

std::vector<Wait> Reasons::waitsOf(Lsn lsn, const session::Waiting& waiting, bool shortly) const {
    std::vector<Wait> waits = beforeCapacity(waiting, shortly);
    if (waits.empty() && (waiting.unmet == 0 || waiting.starting)) {
        if (auto start = waiting.starting ? startWait(lsn) : std::nullopt)
            waits.push_back(std::move(*start));
        else if (auto lacking = beside(waiting); !lacking.empty())
            waits = std::move(lacking);
        else if (auto process = processWait(waiting))
            waits.push_back(std::move(*process));
        else if (auto nowhere = waiting.starting ? std::nullopt : machineWait(waiting))
            waits.push_back(std::move(*nowhere));
        else if (auto slot = slotWait(waiting))
            waits.push_back(std::move(*slot));
        else
            addCapacity(waiting, waits);
        if (waits.back().kind == WaitKind::Capacity && parts_.courtesyCores && lacksCores(waiting))
            if (auto courtesy = parts_.courtesyCores()) waits.push_back(std::move(*courtesy));
    }
    if (shortly && waits.size() > 1) waits.resize(1);
    return waits;
}

namespace {

std::string processWords(unsigned count) {
    return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

/// "its worker's 2 processes are busy", or that there is none.
std::string busyWords(const runners::WarmWait& wait) {
    if (wait.serving == 0) return "its worker has no process";
    return fmt::format("its worker's {} {} busy", processWords(wait.serving), wait.serving == 1 ? "is" : "are");
}

std::string_view limitName(const runners::WarmWait& wait) {
    if (wait.what == runners::WarmWait::For::Place) return "pool_max";
    if (wait.what != runners::WarmWait::For::Group) return {};
    return wait.isOwnLimit ? "max_processes" : "pool_max_per_group";
}

std::string wordsOf(const runners::WarmWait& wait) {
    using For = runners::WarmWait::For;
    const std::string has = "its worker has " + processWords(wait.serving);
    switch (wait.what) {
    case For::Start:
        if (wait.serving == 0) return fmt::format("the first warm process of its worker {}", wait.step);
        return fmt::format("{}, another one {}", busyWords(wait), wait.step);
    case For::Cores: return has + ", and waits for cores";
    case For::Turn: return has + ", and gives its cores to other work";
    case For::Place:
        return fmt::format("{}; the pool is full: {} of {}", busyWords(wait), wait.alive, processWords(wait.most));
    case For::Group:
        return fmt::format("{}; it may have {} at most{}{}", busyWords(wait), wait.most,
                           wait.isOwnLimit ? "" : ", as every worker that does not say itself",
                           wait.alive > wait.serving ? ", and others of its group have not ended yet" : "");
    case For::Pause: return busyWords(wait) + "; another one did not come up, and is tried again in a moment";
    case For::Process: break;
    }
    if (wait.idle > 0) return fmt::format("{} of {} of its worker idle", wait.idle, processWords(wait.serving));
    return wait.serving == 0 ? "its worker's first process is started next" : busyWords(wait);
}

/// What there is enough of, and is not to be had all the same.
std::string keptWords(const session::HoldWait& held, const std::string& first) {
    if (!first.empty()) return fmt::format(", kept for {}, which asked first", first);
    return held.isKept ? keptWords(held.keptFor) : std::string();
}

} // namespace

/// Of an action of a warm worker: processes, and what keeps it from having another one.
std::optional<Wait> Reasons::processWait(const session::Waiting& waiting) const {
    const ClassKey& key = parts_.dictionary.classKey(waiting.cls.value);
    const auto of = key.workerId.empty() ? std::nullopt : parts_.poolWait(key.workerId);
    if (!of) return std::nullopt;
    session::ResourceNeed lacking{
        .resource = "processes", .need = 1, .total = 0, .free = static_cast<double>(of->idle)};
    std::string text = wordsOf(*of);
    const auto held = of->hold ? parts_.session.holds().waitOf(*of->hold) : std::nullopt;
    if (held && !held->needs.empty()) {
        const auto at = std::ranges::find_if(held->needs, [](const auto& need) { return need.isLacking(); });
        lacking = at == held->needs.end() ? held->needs.front() : *at;
        text += fmt::format(", {} of {} {} free", std::max(lacking.free, 0.0), lacking.total,
                            lacking.resource == "memory_mb" ? "MiB" : lacking.resource);
        text += keptWords(*held, held->behind ? parts_.holderName(*held->behind) : std::string());
    }
    Wait wait = capacityOf(lacking, waiting);
    if (held) wait.keptFor = held->keptFor;
    if (const std::string_view limit = limitName(*of); !limit.empty()) {
        wait.name = limit;
        wait.most = of->most;
        wait.running = of->alive;
    }
    wait.message = text + placeWords(waiting.position);
    return wait;
}

std::string Reasons::unmetWords(Lsn lsn) const {
    const session::Unmet unmet = parts_.session.dependencies().unmetOf(lsn);
    return fmt::format("{}{} action{} to end", unmet.count, unmet.isExact ? "" : " or more",
                       unmet.count == 1 && unmet.isExact ? "" : "s");
}

std::optional<Wait> Reasons::first(Lsn lsn, const session::Waiting& waiting) const {
    std::vector<Wait> waits = waitsOf(lsn, waiting, true);
    return waits.empty() ? std::nullopt : std::optional(std::move(waits.front()));
}

std::string Reasons::firstWords(Lsn lsn, const session::Waiting& waiting) const {
    std::optional<Wait> wait = first(lsn, waiting);
    if (!wait) return {};
    return wait->kind == WaitKind::Dependency ? unmetWords(lsn) : std::move(wait->message);
}

void Reasons::describe(ActionResult& result) const {
    YARD_ASSERT_OWNER(owner_);
    if (result.state != ActionState::Pending) return;
    const auto live = parts_.session.views().live(result.lsn);
    const auto waiting = live ? parts_.session.reasons().of(result.lsn, true) : std::nullopt;
    if (!waiting) return;
    parts_.estimates.ofPending(result, *live, *waiting);
    std::vector<Wait> waits = waitsOf(result.lsn, *waiting, false);
    if (waits.empty() || waits.front().kind != WaitKind::Capacity) return;
    result.note = std::move(waits.front().message);
    const Duration left(result.estimatedStart - parts_.scale.at(parts_.now()));
    if (result.estimatedStart != 0 && left >= kWorthSaying)
        result.note += fmt::format(", starts in about {}", roughly(left));
}

void Reasons::describe(std::span<ActionResult> page, Duration atMost) const {
    const MonoTime until = MonoClock::now() + atMost;
    for (ActionResult& result : page) {
        if (MonoClock::now() >= until) return;
        describe(result);
    }
}

Result<std::vector<Wait>> waitsOfParents(store::Reader& reader, Lsn lsn) {
    std::vector<Wait> waits;
    const auto text = reader.specText(lsn);
    if (!text) return std::unexpected(text.error());
    if (!*text) return waits; // it ended meanwhile
    const auto parsed = parseAction((*text)->text);
    if (!parsed) return std::unexpected(parsed.error());
    std::vector<Lsn> lsns;
    for (const Dependency& dependency : parsed->spec->after)
        if (!dependency.isArray) lsns.push_back(dependency.lsn);
    const auto states = reader.states(lsns);
    if (!states) return std::unexpected(states.error());
    auto state = states->begin();
    for (const Dependency& dependency : parsed->spec->after) {
        if (!dependency.isArray && *state++ != ActionState::Pending) continue;
        Wait& wait = waits.emplace_back();
        wait.kind = WaitKind::Dependency;
        (dependency.isArray ? wait.array : wait.lsn) = dependency.lsn;
        wait.on = dependency.on;
        wait.message = fmt::format("action {} to {}", wait.lsn.value, wordsOf(wait.on));
    }
    return waits;
}

/// Of one that has begun: it is ending, or what it left and its end are being kept.
std::optional<Wait> Reasons::leavingWait(const session::LiveView& live) const {
    if (isEnded(live.state)) return {};
    if (auto ending = endingWait(live.lsn)) return ending;
    if (auto frozen = frozenWait(live.lsn)) return frozen;
    if (auto collecting = collectingWait(live.lsn)) return collecting;
    if (const Attempt* attempt = parts_.attempt(live.lsn))
        if (auto journal = journalWait(*attempt)) return journal;
    if (!live.cancelRequested) return {};
    if (!parts_.writesJournal())
        return plainWait(WaitKind::Journal,
                         "it is cancelled, and the journal cannot be written to keep that: is the disk full?");
    return plainWait(WaitKind::Ending, "a cancel is under way"); // taken, and not carried out yet
}

/// What of its parents has not ended, arrays with how many elements.
coro::Task<Result<std::vector<Wait>>> Reasons::parentsOf(Lsn lsn) {
    auto waits = co_await parts_.parents(lsn);
    if (!waits) co_return waits;
    std::erase_if(*waits, [this](Wait& wait) {
        if (wait.array.value == 0) return false;
        wait.unfinished = parts_.session.dependencies().unfinishedOf(wait.array);
        if (wait.unfinished) wait.message = arrayWords(wait);
        return !wait.unfinished; // it has ended
    });
    co_return waits;
}

namespace {

/// What is no action counts together by its name.
void addHold(std::vector<CapacityHolder>& holders, std::string name, double amount) {
    if (name.empty()) return;
    const auto same = [&name](const CapacityHolder& other) { return other.lsn.value == 0 && other.name == name; };
    if (const auto at = std::ranges::find_if(holders, same); at != holders.end())
        at->amount += amount;
    else
        holders.push_back({.lsn = {}, .name = std::move(name), .amount = amount});
}

} // namespace

/// Its label, else its command in short.
std::string Reasons::nameOfHolder(Lsn lsn) const {
    std::string name;
    if (const auto live = parts_.session.views().live(lsn)) name = parts_.dictionary.label(live->label.value);
    const Attempt* attempt = name.empty() ? parts_.attempt(lsn) : nullptr;
    return attempt && attempt->spec ? commandName(attempt->spec->argv) : name;
}

/// Who has most of what it lacks.
void Reasons::nameHolders(Wait& wait) const {
    if (wait.kind != WaitKind::Capacity || wait.free.value_or(0) >= wait.need.value_or(0)) return;
    std::size_t actions = 0;
    for (const session::ResourceHolder& holder :
         parts_.session.reasons().holders(wait.resource, std::numeric_limits<std::size_t>::max())) {
        if (holder.hold)
            addHold(wait.holders, parts_.holderName(*holder.hold), holder.amount);
        else if (++actions <= kMostCapacityHolders)
            wait.holders.push_back({.lsn = holder.lsn, .name = nameOfHolder(holder.lsn), .amount = holder.amount});
    }
    std::ranges::sort(wait.holders, [](const CapacityHolder& a, const CapacityHolder& b) {
        return std::tie(b.amount, a.lsn, a.name) < std::tie(a.amount, b.lsn, b.name);
    });
    if (wait.holders.size() > kMostCapacityHolders) wait.holders.resize(kMostCapacityHolders);
}

/// The piece that is free first, as far as that is known.
void Reasons::sayWhenFree(Wait& wait) const {
    WallMicros first = 0;
    std::string words;
    for (const CapacityHolder& holder : wait.holders) {
        const Attempt* attempt = holder.lsn.value > 0 ? parts_.attempt(holder.lsn) : nullptr;
        const auto live = attempt ? parts_.session.views().live(holder.lsn) : std::nullopt;
        if (!live) continue;
        const auto has = std::ranges::find(attempt->given, wait.resource, &GivenResource::resource);
        if (has == attempt->given.end()) continue;
        ActionResult known;
        known.times[ActionState::Submitting] = attempt->record.times[ActionState::Submitting];
        parts_.estimates.ofRunning(known, *live);
        if (known.estimatedFinish == 0 || (first != 0 && known.estimatedFinish >= first)) continue;
        first = known.estimatedFinish;
        const double left = static_cast<double>(first - parts_.scale.at(parts_.now())) / 1e6;
        words = fmt::format("; {} {} free in about {} ({})", wait.resource, listed(*has),
                            durationText(std::max(left, 0.0)), holder.lsn.value);
    }
    wait.message += words;
}

coro::Task<Result<Why>> Reasons::why(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    Why why{.lsn = lsn, .state = ActionState::New, .waits = {}};
    std::vector<Wait> parents;
    if (const auto live = parts_.session.views().live(lsn); live && live->unmet > 0) {
        auto found = co_await parentsOf(lsn);
        if (!found) co_return std::unexpected(found.error());
        parents = std::move(*found);
    }
    const auto live = parts_.session.views().live(lsn);
    if (!live) {
        const Result<ActionState> known = co_await parts_.stateOf(lsn);
        if (!known) co_return std::unexpected(known.error());
        why.state = *known;
        co_return why;
    }
    why.state = live->state;
    if (auto leaving = leavingWait(*live)) {
        why.waits.push_back(std::move(*leaving));
    } else if (const auto waiting = parts_.session.reasons().of(lsn, true)) {
        why.waits = waitsOf(lsn, *waiting, false);
        for (Wait& wait : why.waits) {
            nameHolders(wait);
            sayWhenFree(wait);
        }
        for (Wait& wait : parents) {
            const auto other = parts_.session.views().live(wait.lsn);
            if (other) wait.state = other->state;
            if (waiting->unmet > 0) why.waits.push_back(std::move(wait));
        }
    }
    co_return why;
}

} // namespace yard::engine
