// Why an action has not started: what the session knows, and the predecessors from the journal.
#include "core/engine/engine_core.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr Duration kWorthSaying{2'000'000};

Wait holdOf(std::string_view of, std::string message) {
    Wait wait;
    wait.kind = WaitKind::Hold;
    wait.of = of;
    wait.message = std::move(message);
    return wait;
}

Wait noRunner(std::string message) {
    Wait wait;
    wait.kind = WaitKind::NoRunner;
    wait.message = std::move(message);
    return wait;
}

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
    wait.free = std::max(need.free, 0.0);
    if (waiting.position) {
        wait.position = waiting.position->before;
        wait.positionIsExact = waiting.position->isExact;
    }
    std::string because;
    if (waiting.starting) {
        because = ", it is next";
    } else if (waiting.reservedForLarger) {
        wait.keptFor = waiting.keptFor;
        because = keptWords(waiting.keptFor);
    }
    wait.message = fmt::format("{} of {} {} free{}{}", *wait.free, need.total, need.resource, because,
                               placeWords(waiting.position));
    return wait;
}

/// Every resource of which there is not enough, else the first one: it waits for its turn.
void addCapacity(const session::Waiting& waiting, std::vector<Wait>& waits) {
    for (const session::ResourceNeed& need : waiting.needs)
        if (need.free < need.need) waits.push_back(capacityOf(need, waiting));
    if (!waits.empty()) return;
    session::ResourceNeed turn = waiting.needs.empty() ? session::ResourceNeed{} : waiting.needs.front();
    if (waiting.noSlot) turn = {.resource = "slots", .need = 1, .total = 0, .free = 0};
    waits.push_back(capacityOf(turn, waiting));
    if (waiting.noSlot)
        waits.back().message =
            "every slot for actions that do not take exactly one core is in use" + placeWords(waiting.position);
}

} // namespace

/// Fewer slots than cores: they are what it lacks, however many cores are free.
std::optional<Wait> EngineCore::slotWait(const session::Waiting& waiting) const {
    if (!waiting.isOneCore || coreSlots_ >= capacity_ || dispatcher_->busyCoreSlots() < coreSlots_) return {};
    Wait wait =
        capacityOf({.resource = "slots", .need = 1, .total = static_cast<double>(coreSlots_), .free = 0}, waiting);
    wait.message += fmt::format(" ({})", slotLimit_);
    return wait;
}

/// Where nothing else has its slot, it waits for its own start.
std::optional<Wait> EngineCore::startWait(Lsn lsn) const {
    const Attempt* attempt = dispatcher_->find(lsn);
    if (!attempt || !dispatcher_->isStarting(*attempt)) return {};
    Wait wait;
    wait.kind = WaitKind::Start;
    wait.since = attempt->scale.at(attempt->launched);
    if (attempt->spec && attempt->spec->cwd) wait.path = *attempt->spec->cwd;
    wait.message = wait.path.empty() ? "it is being started"
                                     : fmt::format("it is being started in the directory '{}'", wait.path);
    return wait;
}

/// What was told to end, and has not.
std::optional<Wait> EngineCore::endingWait(Lsn lsn) const {
    const Attempt* attempt = dispatcher_->find(lsn);
    if (!attempt || attempt->phase != Attempt::Phase::Launched || !attempt->endAsked) return {};
    Wait wait;
    wait.kind = WaitKind::Ending;
    wait.since = attempt->scale.at(*attempt->endAsked);
    wait.message = "told to end";
    if (attempt->warm) return wait; // its process may have others to work on
    const MonoTime kill = *attempt->endAsked + attempt->grace;
    wait.until = attempt->scale.at(kill);
    wait.message += kill > MonoClock::now() ? ", SIGKILL follows" : ", SIGKILL was sent";
    return wait;
}

std::vector<Wait> EngineCore::waitsOf(Lsn lsn, const session::Waiting& waiting, bool shortly) const {
    std::vector<Wait> waits;
    if (session_->state() == SessionState::Created)
        waits.push_back(noRunner("the engine is starting"));
    else if (waiting.sessionHolds)
        waits.push_back(
            holdOf("session", fmt::format("the session is {}: nothing starts", name(session_->state()))));
    else if (!runner_ || !runner_->isAccepting())
        waits.push_back(noRunner("the launcher is being replaced"));
    else if (!committer_.writable())
        waits.push_back(noRunner("the journal cannot be written: is the disk full?"));
    else if (guards_->isHolding())
        waits.push_back(holdOf("memory", guards_->reason()));
    if (waiting.held) waits.push_back(holdOf("action", "it is held"));
    if (waiting.queueHeld)
        waits.push_back(holdOf("queue", waiting.failures > 0
                                            ? fmt::format("its queue is held after {} failures", waiting.failures)
                                            : "its queue is held"));
    if (waiting.unmet > 0 && shortly) {
        Wait& wait = waits.emplace_back();
        wait.kind = WaitKind::Dependency;
        wait.message = fmt::format("{} action{} to end", waiting.unmet, waiting.unmet == 1 ? "" : "s");
    }
    if (waiting.wakesAt != MonoTime{}) {
        Wait& wait = waits.emplace_back();
        wait.kind = waiting.backoff ? WaitKind::Backoff : WaitKind::NotBefore;
        wait.until = scale_.at(waiting.wakesAt);
        const auto left = std::chrono::duration<double>(waiting.wakesAt - MonoClock::now()).count();
        wait.message = fmt::format("{} for {:.1f} s more", waiting.backoff ? "backs off" : "is not to start",
                                   std::max(left, 0.0));
    }
    if (waiting.queueLimit) waits.push_back(limitOf("max_running", *waiting.queueLimit, {}));
    if (waiting.labelLimit)
        waits.push_back(limitOf("label_limits", *waiting.labelLimit, dictionary_.label(waiting.label.value)));
    if (waiting.lock) waits.push_back(locks_->waitFor(*waiting.lock));
    if (waits.empty() && (waiting.unmet == 0 || waiting.starting)) {
        if (auto start = waiting.starting ? startWait(lsn) : std::nullopt)
            waits.push_back(std::move(*start));
        else if (auto process = processWait(waiting))
            waits.push_back(std::move(*process));
        else if (auto slot = slotWait(waiting))
            waits.push_back(std::move(*slot));
        else
            addCapacity(waiting, waits);
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
        return fmt::format("{}; {} is {}{}", busyWords(wait), limitName(wait), wait.most,
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
std::optional<Wait> EngineCore::processWait(const session::Waiting& waiting) const {
    const ClassKey& key = dictionary_.classKey(waiting.cls.value);
    const auto of = warm_ && !key.workerId.empty() ? warm_->waitOf(key.workerId) : std::nullopt;
    if (!of) return std::nullopt;
    session::ResourceNeed lacking{
        .resource = "processes", .need = 1, .total = 0, .free = static_cast<double>(of->idle)};
    std::string text = wordsOf(*of);
    const auto held = of->hold ? session_->holdWait(*of->hold) : std::nullopt;
    if (held && !held->needs.empty()) {
        const auto at = std::ranges::find_if(held->needs, [](const auto& need) { return need.free < need.need; });
        lacking = at == held->needs.end() ? held->needs.front() : *at;
        text += fmt::format(", {} of {} {} free", std::max(lacking.free, 0.0), lacking.total,
                            lacking.resource == "memory_mb" ? "MB" : lacking.resource);
        text += keptWords(*held, held->behind ? warm_->holderName(*held->behind) : std::string());
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

void EngineCore::describePending(ActionResult& result) const {
    if (result.state != ActionState::Pending) return;
    const auto live = session_->live(result.lsn);
    const auto waiting = live ? session_->waiting(result.lsn, true) : std::nullopt;
    if (!waiting) return;
    estimatePending(result, *live, *waiting);
    std::vector<Wait> waits = waitsOf(result.lsn, *waiting, false);
    if (waits.empty() || waits.front().kind != WaitKind::Capacity) return;
    result.note = std::move(waits.front().message);
    const Duration left(result.estimatedStart - scale_.at(MonoClock::now()));
    if (result.estimatedStart != 0 && left >= kWorthSaying)
        result.note += fmt::format(", starts in about {}", roughly(left));
}

void EngineCore::describePending(std::span<ActionResult> page, Duration atMost) const {
    const MonoTime until = MonoClock::now() + atMost;
    for (ActionResult& result : page) {
        if (MonoClock::now() >= until) return;
        describePending(result);
    }
}

/// Those of its predecessors that have not ended; of arrays all.
coro::Task<Result<std::vector<Wait>>> EngineCore::dependenciesOf(Lsn lsn) {
    co_return co_await read([lsn](store::Reader& reader) -> Result<std::vector<Wait>> {
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
    });
}

coro::Task<Result<Why>> EngineCore::why(Lsn lsn) {
    Why why{.lsn = lsn, .state = ActionState::New, .waits = {}};
    std::vector<Wait> dependencies;
    if (const auto live = session_->live(lsn); live && live->unmet > 0) {
        auto found = co_await dependenciesOf(lsn);
        if (!found) co_return std::unexpected(found.error());
        dependencies = std::move(*found);
        std::erase_if(dependencies, [this](Wait& wait) {
            if (wait.array.value == 0) return false;
            wait.unfinished = session_->unfinishedOf(wait.array);
            if (wait.unfinished) wait.message = arrayWords(wait);
            return !wait.unfinished; // it has ended
        });
    }
    const auto live = session_->live(lsn);
    if (!live) {
        const Result<ActionResult> known = co_await action(lsn);
        if (!known) co_return std::unexpected(known.error());
        why.state = known->state;
        co_return why;
    }
    why.state = live->state;
    if (auto ending = isEnded(live->state) ? std::nullopt : endingWait(lsn)) {
        why.waits.push_back(std::move(*ending));
    } else if (const auto waiting = session_->waiting(lsn, true)) {
        why.waits = waitsOf(lsn, *waiting, false);
        for (Wait& wait : dependencies) {
            const auto other = session_->live(wait.lsn);
            if (other) wait.state = other->state;
            if (waiting->unmet > 0) why.waits.push_back(std::move(wait));
        }
    }
    co_return why;
}

} // namespace yard::engine
