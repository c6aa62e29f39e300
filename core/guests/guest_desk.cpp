#include "core/guests/guest_desk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::guests {

using link::Kind;

namespace {

bool canBeTold(const std::string& body) {
    link::Finished read;
    return body.size() <= link::bodyLimit(static_cast<std::uint8_t>(Kind::Finished)) && get(body, read);
}

std::uint64_t microsFrom(link::BootTime from, link::BootTime to) {
    return static_cast<std::uint64_t>(std::max(to - from, Duration::zero()).count());
}

} // namespace

link::Finished unrun(link::GuestEnd cause, std::string_view why) {
    link::Finished end;
    end.cause = cause;
    end.message = why;
    return end;
}

// --- what is held

void GuestDesk::take(GuestAttempt attempt, std::size_t size, link::BootTime now) {
    Guest& guest = guests_.add(std::move(attempt), size, now);
    if (guest.attempt.inputs.empty())
        guests_.becomeReady(guest);
    else
        lookUp(guest);
}

void GuestDesk::lookUp(Guest& guest) {
    guest.stage = GuestStage::LookingUp;
    const GuestAttempt& attempt = guest.attempt;
    DeskOut::Lookup lookup{.id = attempt.id, .hashes = attempt.inputs};
    if (attempt.worker)
        lookup.worker = WorkerTerms{
            .id = *attempt.worker, .spec = attempt.spec, .needs = attempt.needs, .limits = budget_.limits()};
    out.lookups.push_back(std::move(lookup));
}

/// What was missing has come. Which files a worker has is known only now.
void GuestDesk::inputsAreHere(Guest& guest) {
    if (guest.attempt.worker && !guest.knowsWorker)
        lookUp(guest);
    else
        guests_.becomeReady(guest);
}

void GuestDesk::forget(link::AttemptRef id) {
    Guest* guest = guests_.find(id);
    if (!guest) return;
    if (guest->stage == GuestStage::LookingUp && !guest->attempt.inputs.empty()) lateLookups_.expect(id);
    if (guest->stage == GuestStage::Preparing) latePreparations_.expect(id);
    guests_.giveBudget(*guest);
    guests_.letGo(*guest);
    updates_.drop(id);
    results_.remove(guest->results);
    guests_.erase(id);
    out.dropped.push_back(id);
}

void GuestDesk::finish(link::AttemptRef id, Guest& guest, link::Finished end) {
    end.id = id;
    end.waitedUs = microsFrom(guest.came, guest.begun);
    end.message = plainLine(end.message, link::kMaxTextBytes);
    guest.finished = put(end);
    if (!canBeTold(guest.finished)) {
        // The yard would take it for a lie.
        const std::string why = fmt::format(
            "it ran, but what it left cannot be told: {} outputs, or the name of one", end.outputs.size());
        end = unrun(link::GuestEnd::SpawnError, why);
        end.id = id;
        guest.finished = put(end);
    }
    guest.results = hashesOf(end);
    results_.add(guest.results);
    guests_.giveBudget(guest);
    guests_.letGo(guest);
    guest.attempt.spec.reset();
    updates_.drop(id);
    guests_.holds(guest, guest.finished.size());
    guest.stage = GuestStage::Done;
    link::GuestOut what;
    leases_.ended(id, what);
    carry(std::move(what)); // the guest may be gone now
}

/// What follows from the leases.
void GuestDesk::carry(link::GuestOut what) {
    for (const link::GuestOut::End& end : what.ends) {
        if (Guest* guest = guests_.find(end.id)) {
            std::optional<link::GuestEnd>& asked = guest->asked;
            if (end.leaseEnded)
                asked = link::GuestEnd::LeaseEnded;
            else if (!asked)
                asked = link::GuestEnd::Cancelled;
        }
        out.ends.push_back(end);
    }
    for (const link::AttemptRef id : what.dropped) forget(id);
    for (std::size_t from = 0; from < what.handedBack.size(); from += link::kMaxRefs) {
        const std::size_t count = std::min(link::kMaxRefs, what.handedBack.size() - from);
        const auto begin = what.handedBack.begin() + static_cast<std::ptrdiff_t>(from);
        out.send(Kind::HandedBack, 0, put(link::AttemptRefs(begin, begin + static_cast<std::ptrdiff_t>(count))));
    }
    toTell_.add(what.finished);
    if (!what.closeLink) return;
    out.closeLink = true;
    linkGone();
}

void GuestDesk::catchUp(link::BootTime now) {
    link::GuestOut late;
    leases_.tick(now, late);
    carry(std::move(late));
}

// --- inputs

void GuestDesk::lookedUp(link::AttemptRef id, LookedUp answer, link::BootTime now) {
    catchUp(now);
    Guest* guest = lateLookups_.take(id) ? nullptr : guests_.at(id, GuestStage::LookingUp);
    if (!guest) return settle(now);
    guest->stage = GuestStage::Fetching;
    if (!answer.unfit.empty()) {
        finish(id, *guest, unrun(link::GuestEnd::Refused, answer.unfit));
        return settle(now);
    }
    if (answer.files && !guest->knowsWorker) {
        if (guests_.bytes() + HeldGuests::sizeOf(*answer.files) > kHeldBytes) {
            handBack(id);
            return settle(now);
        }
        guests_.needsToo(*guest, *answer.files);
        guest->knowsWorker = true;
    }
    fetch(*guest, answer.missing);
    settle(now);
}

void GuestDesk::fetch(Guest& guest, const std::vector<Hash256>& missing) {
    std::vector<Hash256> wanted;
    for (const Hash256& hash : missing) {
        if (!std::ranges::binary_search(guest.attempt.inputs, hash) || !guest.missing.insert(hash).second) continue;
        if (inputs_.lack(hash, guest.attempt.id)) wanted.push_back(hash);
    }
    if (leases_.isUp()) inputs_.ask(wanted, out); // else with the next Welcome
    if (guest.missing.empty()) inputsAreHere(guest);
}

/// More than is held for one yard.
void GuestDesk::handBack(link::AttemptRef id) {
    link::GuestOut what;
    leases_.cancel({.id = id, .onlyIfWaiting = true, .graceMs = 0}, what);
    carry(std::move(what));
}

void GuestDesk::stored(const Hash256& hash, link::BootTime now) {
    catchUp(now);
    for (const link::AttemptRef id : inputs_.stored(hash)) {
        Guest* guest = guests_.at(id, GuestStage::Fetching);
        if (!guest) continue;
        guest->missing.erase(hash);
        if (guest->missing.empty()) inputsAreHere(*guest);
    }
    settle(now);
}

void GuestDesk::notStored(const Hash256& hash, std::string_view why, link::BootTime now) {
    catchUp(now);
    failAll(inputs_.notStored(hash), fmt::format("its inputs cannot be kept here: {}", why));
    settle(now);
}

void GuestDesk::failAll(const link::AttemptRefs& ids, std::string_view why) {
    for (const link::AttemptRef id : ids)
        if (Guest* guest = guests_.at(id, GuestStage::Fetching))
            finish(id, *guest, unrun(link::GuestEnd::Refused, why));
}

// --- the runner

void GuestDesk::prepared(link::AttemptRef id, link::BootTime now) {
    catchUp(now);
    if (Guest* guest = latePreparations_.take(id) ? nullptr : guests_.at(id, GuestStage::Preparing)) {
        guest->stage = GuestStage::Prepared;
        prepared_.push_back(id);
    }
    settle(now);
}

void GuestDesk::notPrepared(link::AttemptRef id, std::string_view why, link::BootTime now) {
    catchUp(now);
    if (Guest* guest = latePreparations_.take(id) ? nullptr : guests_.at(id, GuestStage::Preparing)) {
        guest->begun = now;
        // Nothing of it has begun, and another machine may have what lacks here.
        finish(id, *guest, unrun(link::GuestEnd::Refused, why));
    }
    settle(now);
}

void GuestDesk::update(link::Update update, link::BootTime now) {
    const Guest* guest = guests_.at(update.id, GuestStage::Running);
    if (!guest) return;
    if (update.kind == link::UpdateKind::Output && !guest->outFrom) return;
    if (update.kind == link::UpdateKind::ErrorOutput && !guest->errFrom) return;
    if (update.kind == link::UpdateKind::Progress) update.text = plainLine(update.text, link::kMaxTextBytes);
    updates_.note(std::move(update));
    settle(now);
}

void GuestDesk::ended(link::Finished end, link::AttemptRef id, link::BootTime now) {
    catchUp(now);
    if (Guest* guest = guests_.at(id, GuestStage::Running)) {
        if (end.cause == link::GuestEnd::Cancelled && guest->asked) end.cause = *guest->asked;
        finish(id, *guest, std::move(end));
    }
    settle(now);
}

void GuestDesk::returned(link::AttemptRef id, link::BootTime now) {
    catchUp(now);
    if (Guest* guest = guests_.at(id, GuestStage::Running))
        finish(id, *guest, unrun(guest->asked.value_or(link::GuestEnd::LostRunner), "nothing of it has run"));
    settle(now);
}

// --- time

void GuestDesk::tick(link::BootTime now) {
    catchUp(now);
    if (leases_.isUp() && now >= renewAt_) {
        if (const auto id = leases_.renew(now)) out.send(Kind::Renew, *id, {});
        renewAt_ = now + link::kRenewEvery;
    }
    settle(now);
}

void GuestDesk::leave(link::LeavingCause cause, Duration in, std::string_view sentence, link::BootTime now) {
    catchUp(now);
    isLeaving_ = true;
    if (leases_.isUp()) {
        const auto milliseconds = static_cast<std::uint64_t>(std::max(in, Duration::zero()).count() / 1'000);
        out.send(Kind::Leaving, 0,
                 put(link::Leaving{
                     .cause = cause, .inMs = milliseconds, .sentence = plainLine(sentence, link::kMaxTextBytes)}));
    }
    link::GuestOut what;
    leases_.handBackWaiting(what);
    carry(std::move(what));
    settle(now);
}

/// What can go on goes on.
void GuestDesk::settle(link::BootTime now) {
    beginReady(now);
    if (leases_.isUp()) {
        const auto bodyOf = [this](link::AttemptRef id) {
            const Guest* guest = guests_.at(id, GuestStage::Done);
            return guest ? &guest->finished : nullptr;
        };
        toTell_.tell(now, bodyOf, out);
        for (const link::Updates& batch : updates_.take(now)) out.send(Kind::Updates, 0, put(batch));
    }
    if (leases_.until() == runUntil_) return;
    runUntil_ = leases_.until();
    out.runUntil = runUntil_;
}

void GuestDesk::beginReady(link::BootTime now) {
    for (const link::AttemptRef id : std::exchange(prepared_, {})) {
        Guest* guest = guests_.at(id, GuestStage::Prepared);
        if (!guest) continue;
        if (!leases_.begin(id, now)) {
            prepared_.push_back(id); // something of an earlier attempt may live
            continue;
        }
        guest->stage = GuestStage::Running;
        guest->begun = now;
        out.starts.push_back(id);
        guests_.tellFollowed(*guest, out);
        updates_.note({.id = id, .kind = link::UpdateKind::Submitting});
    }
    while (Guest* guest = guests_.firstReady()) {
        if (!budget_.everFits(guest->attempt.needs)) {
            const link::AttemptRef id = guest->attempt.id; // the guest may be gone before that is told
            finish(id, *guest, unrun(link::GuestEnd::Refused, "this machine gives guests less by now"));
            continue;
        }
        // The first waits for room, and all others behind it: a large one has its turn, too.
        if (!budget_.take(guest->attempt.needs)) return;
        guest->hasBudget = true;
        guest->stage = GuestStage::Preparing;
        out.prepares.push_back(guest->attempt);
        guests_.takeTurn(*guest);
    }
}

} // namespace yard::guests
