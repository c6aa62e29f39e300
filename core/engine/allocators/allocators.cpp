#include "core/engine/allocators/allocators.h"

#include "core/base/log.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

Allocators::Allocators(Parts parts)
    : parts_(std::move(parts)) {}
Allocators::~Allocators() = default;

// --- what is there

std::string Allocators::textOf(const AllocatorDefinition& definition) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeAllocator(writer, definition, true);
    writer.member("paused", definition.isPaused);
    writer.member("removed", definition.isRemoved);
    writer.closeObject();
    return text;
}

void Allocators::restore(std::span<const store::DocumentRow> documents) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::DocumentRow& row : documents) {
        if (row.kind != kKind) continue;
        auto definition = readAllocator(row.body, {}, AllocatorSource::Journal);
        if (!definition) {
            logWarning("engine", "the allocator {} of the journal cannot be read, and starts nothing: {}", row.name,
                       definition.error().message);
            continue;
        }
        auto entry = std::make_shared<Entry>(std::move(*definition));
        if (entry->definition.isPaused) entry->decisions.pause({});
        entries_.emplace(row.name, std::move(entry));
    }
    const MonoTime now = parts_.now();
    for (const store::DocumentRow& row : documents) {
        if (row.kind != kPilotKind) continue;
        auto pilot = readPilot(row);
        if (pilot && pilot->engineId != parts_.engineId) {
            logInfo("engine", "the pilot {} is of the engine whose backup this was, and stays its own", row.name);
            continue;
        }
        const auto at = pilot ? entries_.find(pilot->allocator) : entries_.end();
        if (at == entries_.end()) {
            logWarning("engine", "the pilot {} of the journal belongs to no allocator: end its job by hand",
                       row.name);
            continue;
        }
        Entry& entry = *at->second;
        if (!pilot->isUnwanted)
            parts_.tickets.restore(pilot->id, {.secret = pilot->secret, .key = pilot->key});
        else if (!pilot->job.empty())
            entry.unwanted.push_back(pilot->job);
        if (pilot->job.empty()) {
            entry.unclear.push_back(pilot->id);
            entry.unclearUntil = now + parts_.unclear;
            continue;
        }
        const std::size_t before = entry.decisions.pilots().size();
        entry.decisions.adopt(pilot->job, now);
        if (entry.decisions.pilots().size() == before) continue; // two documents of one job
        const allocators::Pilot& adopted = entry.decisions.pilots().back();
        entry.areJobsKnown = false;
        entry.pilots[adopted.number] = {.kept = std::move(*pilot), .shown = adopted.state, .since = wallNow()};
    }
}

void Allocators::run() {
    YARD_ASSERT_OWNER(owner_);
    isRunning_ = true;
    for (const auto& [name, entry] : entries_) begin(entry);
}

coro::Task<void> Allocators::stop() {
    YARD_ASSERT_OWNER(owner_);
    isStopping_ = true;
    for (const auto& [name, entry] : entries_) entry->woken.set();
    while (drivers_ > 0) co_await ended_.wait();
}

// --- people

Result<Allocators::EntryPtr> Allocators::find(const std::string& name) const {
    const auto at = entries_.find(name);
    if (at == entries_.end())
        return fail(
            ErrorKind::NotFound,
            fmt::format("There is no allocator \"{}\"; GET allocators lists those there are.", name.substr(0, 64)));
    return at->second;
}

coro::Task<Result<void>> Allocators::put(store::DocumentChange change) {
    store::PutDocuments put;
    put.changes.push_back(std::move(change));
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    co_return Result<void>{};
}

coro::Task<Result<void>> Allocators::keepDefinition(const AllocatorDefinition& definition) {
    return put({.kind = std::string(kKind), .name = definition.name, .body = textOf(definition)});
}

std::vector<AllocatorView> Allocators::list() const {
    YARD_ASSERT_OWNER(owner_);
    std::vector<AllocatorView> views;
    for (const auto& [name, entry] : entries_) views.push_back(viewOf(*entry));
    return views;
}

Result<AllocatorView> Allocators::get(std::string name) const {
    YARD_ASSERT_OWNER(owner_);
    const auto entry = find(name);
    if (!entry) return std::unexpected(entry.error());
    return viewOf(**entry);
}

coro::Task<Result<AllocatorView>> Allocators::create(std::string json) {
    YARD_ASSERT_OWNER(owner_);
    auto definition = readAllocator(json, {});
    if (!definition) co_return std::unexpected(definition.error());
    const auto guard = co_await changing_.lock();
    if (entries_.contains(definition->name))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("There is an allocator \"{}\" already; change or remove it.", definition->name));
    if (entries_.size() >= kMostAllocators)
        co_return fail(ErrorKind::AtLimit,
                       fmt::format("There are {} allocators, as many as may be.", kMostAllocators));
    if (auto kept = co_await keepDefinition(*definition); !kept) co_return std::unexpected(kept.error());
    auto entry = std::make_shared<Entry>(std::move(*definition));
    entries_.emplace(entry->definition.name, entry);
    if (isRunning_) begin(entry);
    parts_.changed();
    co_return viewOf(*entry);
}

coro::Task<Result<AllocatorView>> Allocators::change(std::string name, std::string json) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await changing_.lock();
    const auto entry = find(name);
    if (!entry) co_return std::unexpected(entry.error());
    auto definition = readAllocator(json, (*entry)->definition);
    if (!definition) co_return std::unexpected(definition.error());
    if (definition->name != name)
        co_return invalid("name", "An allocator keeps its name: its jobs are called by it. Make another one.");
    if (definition->kind != (*entry)->definition.kind)
        co_return invalid("kind", "An allocator keeps its kind. Make another one.");
    if (auto kept = co_await keepDefinition(*definition); !kept) co_return std::unexpected(kept.error());
    (*entry)->definition = std::move(*definition);
    (*entry)->decisions.change(settingsOf((*entry)->definition));
    (*entry)->nextLook = {};
    (*entry)->nextList = {}; // its command may have been corrected
    (*entry)->woken.set();
    parts_.changed();
    co_return viewOf(**entry);
}

coro::Task<Result<AllocatorView>> Allocators::setPaused(std::string name, bool paused) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await changing_.lock();
    const auto entry = find(name);
    if (!entry) co_return std::unexpected(entry.error());
    AllocatorDefinition definition = (*entry)->definition;
    definition.isPaused = paused;
    if (auto kept = co_await keepDefinition(definition); !kept) co_return std::unexpected(kept.error());
    (*entry)->definition.isPaused = paused;
    if (paused)
        (*entry)->decisions.pause({});
    else
        (*entry)->decisions.resume();
    (*entry)->nextLook = {};
    (*entry)->woken.set();
    parts_.changed();
    co_return viewOf(**entry);
}

coro::Task<Result<void>> Allocators::remove(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await changing_.lock();
    const auto entry = find(name);
    if (!entry) co_return std::unexpected(entry.error());
    AllocatorDefinition definition = (*entry)->definition;
    definition.isRemoved = true;
    if (auto kept = co_await keepDefinition(definition); !kept) co_return std::unexpected(kept.error());
    (*entry)->definition.isRemoved = true;
    (*entry)->woken.set();
    parts_.changed();
    co_return Result<void>{};
}

Allocators::Held* Allocators::heldWith(std::string_view key) const {
    const auto hash = Hash256::fromHex(key);
    if (!hash) return nullptr;
    for (const auto& [name, entry] : entries_)
        for (auto& [number, held] : entry->pilots) {
            if (held.kept.key == hash) return &held;
            // It came since the last look.
            if (held.kept.key) continue;
            if (const auto ticket = parts_.tickets.of(held.kept.id); ticket && ticket->key == hash) return &held;
        }
    return nullptr;
}

std::string Allocators::allocatorOf(std::string_view key) const {
    const Held* held = heldWith(key);
    return held ? held->kept.allocator : std::string();
}

/// One that has just come gets work at once: what is known of its end then has to count.
WallMicros Allocators::endOf(std::string_view key) {
    Held* const held = heldWith(key);
    if (!held) return 0;
    const auto entry = held->endsAt == 0 ? entries_.find(held->kept.allocator) : entries_.end();
    if (entry != entries_.end())
        held->endsAt = wallNow() + Duration(entry->second->decisions.settings().limits.lifetime).count();
    return held->endsAt;
}

coro::Task<void> Allocators::machineRemoved(std::string key) {
    YARD_ASSERT_OWNER(owner_);
    const auto hash = Hash256::fromHex(key);
    if (!hash) co_return;
    std::vector<KeptPilot> unwanted;
    for (const auto& [name, entry] : entries_)
        for (auto& [number, held] : entry->pilots) {
            const auto ticket = parts_.tickets.of(held.kept.id);
            if (held.kept.key != hash && !(ticket && ticket->key == hash)) continue;
            held.kept.key = hash;
            held.kept.isUnwanted = true;
            parts_.tickets.forget(held.kept.id);
            unwanted.push_back(held.kept);
            if (!held.kept.job.empty()) entry->unwanted.push_back(held.kept.job);
            entry->woken.set();
        }
    for (const KeptPilot& pilot : unwanted) (void)co_await put(keep(pilot));
}

// --- views

AllocatorView Allocators::viewOf(const Entry& entry) const {
    const MonoTime now = parts_.now();
    const allocators::FailurePause& failures = entry.decisions.failures();
    const allocators::AllocatorState state = failures.state(now);
    AllocatorView view;
    view.definition = entry.definition;
    view.state = allocators::name(state);
    if (state != allocators::AllocatorState::Active) view.reason = failures.reason();
    if (view.reason.empty()) view.reason = entry.trouble;
    if (const auto until = failures.until(now)) view.until = wallNow() + (*until - now).count();
    view.wanted = entry.decisions.demand().wanted;
    view.decision = entry.decisions.decision(now);
    if (entry.definition.isRemoved)
        view.decision =
            fmt::format("it is being removed: {} of its jobs are left", entry.decisions.pilots().size());
    else if (!entry.areJobsKnown)
        view.decision = "it asks first what became of its jobs, before it starts or ends any";
    else if (!parts_.tickets.place())
        view.decision = "it starts nothing before this engine serves others";
    for (const allocators::Pilot& pilot : entry.decisions.pilots()) {
        AllocatorView::Pilot& shown = view.pilots.emplace_back();
        shown.job = pilot.job;
        shown.state = allocators::name(pilot.state);
        if (const auto held = entry.pilots.find(pilot.number); held != entry.pilots.end()) {
            shown.machine = held->second.machine;
            shown.since = held->second.since;
        }
    }
    return view;
}

} // namespace yard::engine
