// The part of Machines that the journal has: those that were here, and what each was given.
#include "core/base/boot_clock.h"
#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/engine/machines/machine.h"
#include "core/link/boot_time.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using runners::AttemptId;

namespace {

using Committed = std::unique_ptr<coro::OneShot<store::AckDetail>>;

coro::Task<void> answerOnce(Committed committed, runners::LinkHost::Answer<Result<void>> answer) {
    store::AckDetail detail = co_await committed->get();
    answer(detail.error ? Result<void>(std::unexpected(std::move(*detail.error))) : Result<void>{});
}

/// The first that is not taken ends it.
coro::Task<Result<void>> putInTurn(Committer& committer, std::vector<store::DocumentChange> changes) {
    for (std::size_t at = 0; at < changes.size(); at += store::kMostDocumentChanges) {
        store::PutDocuments put;
        const std::size_t end = std::min(changes.size(), at + store::kMostDocumentChanges);
        for (std::size_t next = at; next < end; ++next) put.changes.push_back(std::move(changes[next]));
        store::AckDetail detail = co_await committer.commit(std::move(put));
        if (detail.error) co_return std::unexpected(std::move(*detail.error));
    }
    co_return Result<void>{};
}

} // namespace

/// With a runner, and without a place so far.
Result<std::shared_ptr<Machines::Machine>> Machines::build(const KeptMachine& kept, std::string document) {
    auto machine = std::make_shared<Machine>();
    machine->key = kept.key;
    machine->document = std::move(document);
    machine->isRemoved = kept.isRemoved;
    machine->isUnread = kept.isUnread;
    machine->name = kept.name;
    machine->wish = kept.wish;
    machine->mostMilliCores = kept.mostMilliCores;
    machine->mostMemoryMb = kept.mostMemoryMb;
    machine->dial = kept.dial;
    machine->setHours(kept.hours);
    machine->hello.utcOffset = kept.utcOffset;
    machine->followHours(wallNow());
    machine->hello.runId = kept.runId;
    machine->hello.name = kept.name;
    machine->hello.platform = kept.platform;
    machine->hello.version = kept.version;
    machine->hello.capacity.milliCores = kept.milliCores;
    machine->hello.capacity.memoryMb = kept.memoryMb;
    machine->hello.tags = kept.tags;
    machine->hello.takesWorkers = kept.takesWorkers;
    const fleet::Machine place = placeOf(kept);
    machine->slots = place.slots;
    machine->host = std::make_unique<MachineHost>(MachineHost::Parts{
        .attempts = parts_.attempts,
        .dictionary = parts_.dictionary,
        .workers = parts_.workers,
        .chunks = parts_.chunks,
        .helpers = parts_.helpers,
        .spawn = parts_.spawn,
        .yardName = parts_.yardName,
        .yardRunId = parts_.yardRunId,
        .writeDown =
            [this, one = machine.get()](const runners::LinkIntent& intent,
                                        runners::LinkHost::Answer<Result<void>> answer) {
                writeDown(*one, intent, std::move(answer));
            },
        .told = [this](const link::Update& update) { told(update); },
        .printed = [this](AttemptId id, runners::Stream stream) { return streams_.has(id, stream); },
        .stored = [this] { stored_.notifyAll(); },
        .notTaken = [this, one = machine.get()](std::string_view sentence) { notTaken(*one, sentence); }});
    machine->unplaced = std::make_unique<runners::LinkRunner>(
        *machine->host,
        runners::LinkRunnerOptions{
            .name = machine->name, .slots = place.slots + place.otherSlots, .lease = parts_.lease},
        parts_.places.sink());
    if (auto opened = machine->unplaced->open(); !opened) return std::unexpected(opened.error());
    machine->runner = machine->unplaced.get();
    return machine;
}

KeptMachine Machines::keptOf(std::string key, std::string name, const link::Hello& hello) {
    return {.key = std::move(key),
            .name = std::move(name),
            .platform = hello.platform,
            .version = hello.version,
            .runId = hello.runId,
            .milliCores = hello.capacity.milliCores,
            .memoryMb = hello.capacity.memoryMb,
            .tags = hello.tags,
            .utcOffset = hello.utcOffset,
            .takesWorkers = hello.takesWorkers};
}

KeptMachine Machines::keptOf(const Machine& machine) {
    KeptMachine kept = keptOf(machine.key, machine.name, machine.hello);
    kept.wish = machine.wish;
    kept.mostMilliCores = machine.mostMilliCores;
    kept.mostMemoryMb = machine.mostMemoryMb;
    kept.hours = machine.hoursText;
    kept.dial = machine.dial;
    kept.isRemoved = machine.isRemoved;
    return kept;
}

// --- a start

coro::Task<Result<void>> Machines::restore(MachineBook book) {
    YARD_ASSERT_OWNER(owner_);
    const auto byDocument = rejoin(book);
    if (!byDocument) co_return std::unexpected(byDocument.error());
    std::vector<Execution::Expected> expected;
    std::map<std::string, std::vector<AttemptId>> has;
    std::map<std::string, Duration> leases;
    std::vector<store::DocumentChange> longer; // what the machine is told when it comes back counts from then on
    for (auto& [lsn, lease] : book.leases) {
        written_[lsn] = lease.attempt;
        const auto live = parts_.session.views().live(lsn);
        const Machine& holder = *byDocument->at(lease.holder);
        if (!live && (holder.isUnread || lease.runId == holder.hello.runId))
            mayRun_[lsn] = {.machine = holder.name,
                            .until = bootNow() + std::max(lease.lease, parts_.lease) + link::kYardWaitsLonger};
        if (!live || !live->leased || live->attempt != lease.attempt) continue;
        const AttemptId id{.lsn = lsn, .attempt = lease.attempt};
        expected.push_back({.id = id, .machine = holder.id});
        has[lease.holder].push_back(id);
        if (lease.lease < parts_.lease) {
            lease.lease = parts_.lease;
            longer.push_back(keep(lsn, lease));
        }
        leases[lease.holder] = std::max(leases[lease.holder], lease.lease);
    }
    for (const Lsn lsn : book.orphans) written_.emplace(lsn, 0);
    if (auto came = co_await parts_.execution.expect(std::move(expected), parts_.scale()); !came) co_return came;
    if (auto put = co_await putInTurn(parts_.committer, std::move(longer)); !put) co_return put;
    for (const auto& [document, ids] : has) takeOver(*byDocument->at(document), ids, leases.at(document));
    co_return Result<void>{};
}

/// All of the book, by document.
Result<std::map<std::string, std::shared_ptr<Machines::Machine>>> Machines::rejoin(const MachineBook& book) {
    std::map<std::string, std::shared_ptr<Machine>> joined;
    for (const auto& [document, kept] : book.machines) {
        auto machine = build(kept, document);
        if (!machine) return std::unexpected(machine.error());
        (*machine)->kept = (*machine)->version;
        const fleet::Machine place = placeOf(kept);
        (*machine)->id = parts_.places.rejoin(std::move((*machine)->unplaced), place.slots, place.otherSlots);
        machines_.emplace((*machine)->id.value, *machine);
        follow(**machine);
        joined.emplace(document, std::move(*machine));
    }
    return joined;
}

/// The id of its worker; empty: it is a command.
std::string Machines::workerOf(const Attempt& attempt) const {
    const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
    return key.isExec() ? std::string() : key.workerId;
}

void Machines::takeOver(Machine& machine, const std::vector<AttemptId>& ids, Duration lease) {
    std::vector<runners::LinkRunner::Restored> restored;
    for (const AttemptId id : ids) {
        const Attempt& attempt = parts_.execution.takeOver(id);
        const auto live = parts_.session.views().live(id.lsn);
        restored.push_back({.id = id,
                            .slot = parts_.places.ownNumber(machine.id, attempt.slot),
                            .inputs = attempt.spec ? attempt.spec->inputChunks() : std::vector<Hash256>(),
                            .grace = attempt.grace,
                            .given = MonoTime(Duration(live->submitTime - attempt.scale.offset)),
                            .worker = workerOf(attempt)});
    }
    machine.runner->restore(machine.hello.runId, restored, lease);
    if (machine.isRemoved && !machine.isUnread) machine.runner->shutDown(Duration::zero());
    follow(machine);
    logWarning("engine", "machine {} may run {} actions still: they wait until it comes back", machine.name,
               ids.size());
}

// --- while it works

/// Not waited for: what it is given takes it along until the journal has it.
void Machines::keepMachine(const std::shared_ptr<Machine>& machine) {
    if (!machine->isChanged()) return;
    parts_.spawn("keep machine", answerOnce(parts_.committer.begin(store::PutDocuments{{keep(keptOf(*machine))}}),
                                            [machine, version = machine->version](const Result<void>& kept) {
                                                if (kept) {
                                                    machine->kept = std::max(machine->kept, version);
                                                    return;
                                                }
                                                logWarning("engine", "machine {} is not kept: {}", machine->name,
                                                           kept.error().message);
                                            }));
}

coro::Task<Result<void>> Machines::keepNow(std::shared_ptr<Machine> machine) {
    const std::uint64_t version = machine->version;
    const store::AckDetail detail = co_await parts_.committer.commit(store::PutDocuments{{keep(keptOf(*machine))}});
    if (detail.error) co_return std::unexpected(*detail.error);
    machine->kept = std::max(machine->kept, version);
    co_return Result<void>{};
}

void Machines::writeDown(Machine& machine, const runners::LinkIntent& intent,
                         runners::LinkHost::Answer<Result<void>> answer) {
    store::PutDocuments put;
    if (machine.isChanged()) put.changes.push_back(keep(keptOf(machine)));
    const std::string& holder = machine.document;
    for (const AttemptId id : intent.ids) {
        put.changes.push_back(
            keep(id.lsn, {.attempt = id.attempt, .runId = intent.runId, .lease = intent.lease, .holder = holder}));
        written_[id.lsn] = id.attempt;
    }
    parts_.spawn("leases", answerOnce(parts_.committer.begin(std::move(put)),
                                      [one = machine.shared_from_this(), version = machine.version,
                                       answer = std::move(answer)](Result<void> kept) mutable {
                                          if (kept) one->kept = std::max(one->kept, version);
                                          answer(std::move(kept));
                                      }));
}

/// Whatever the machine says meanwhile: with its next Hello it is told to end it, within that time.
std::string Machines::mayRun(Lsn lsn) const {
    const auto at = mayRun_.find(lsn);
    if (at == mayRun_.end()) return {};
    const auto left = std::chrono::ceil<std::chrono::seconds>(at->second.until - bootNow()).count();
    return left > 0 ? fmt::format("{} for {} s", at->second.machine, left) : std::string();
}

/// Nothing of it is in flight.
void Machines::forget(const Machine& machine) {
    // The one that could not be read may be here again, under a document that can.
    const auto isItsOwn = [&](const auto& entry) { return entry.second->document == machine.document; };
    if (machine.isUnread && std::ranges::any_of(machines_, isItsOwn)) return;
    parts_.spawn("forget machine",
                 answerOnce(parts_.committer.begin(store::PutDocuments{{forgetMachine(machine.document)}}),
                            [name = machine.name](const Result<void>& gone) {
                                if (!gone)
                                    logWarning("engine", "machine {} comes back at the next start: {}", name,
                                               gone.error().message);
                            }));
}

/// Of those whose end the journal has, or that came back. One that stays says nothing wrong (machine_book.h), and is tried
/// again.
void Machines::forgetLeases() {
    store::PutDocuments put;
    std::map<Lsn, std::uint32_t> forgotten;
    for (auto at = written_.begin(); at != written_.end() && put.changes.size() < store::kMostDocumentChanges;) {
        if (parts_.attempts.get({.lsn = at->first, .attempt = at->second}) || !mayRun(at->first).empty()) {
            ++at;
            continue;
        }
        mayRun_.erase(at->first);
        put.changes.push_back(forgetLease(at->first));
        forgotten.insert(*at);
        at = written_.erase(at);
    }
    if (!put.changes.empty())
        parts_.spawn("forget leases",
                     answerOnce(parts_.committer.begin(std::move(put)),
                                [this, forgotten = std::move(forgotten)](const Result<void>& gone) {
                                    if (!gone)
                                        written_.insert(forgotten.begin(), forgotten.end()); // not over later ones
                                }));
}

} // namespace yard::engine
