// The other half of the desk: what comes over the link.
#include "core/guests/guest_desk.h"

#include <fmt/format.h>
#include <utility>

namespace yard::guests {

using link::Kind;

void GuestDesk::connected(link::BootTime now) {
    linkGone();
    link::Hello hello{.protocol = link::kProtocol,
                      .runId = self_.runId,
                      .name = self_.name,
                      .platform = self_.platform,
                      .version = self_.version,
                      .capacity = {.milliCores = budget_.limits().milliCores,
                                   .memoryMb = budget_.limits().memoryMb,
                                   .slots = self_.slots},
                      .tags = self_.tags,
                      .held = leases_.greet(now)};
    isGreeting_ = true;
    send(Kind::Hello, 1, put(hello));
}

void GuestDesk::disconnected() {
    leases_.closed();
    linkGone();
}

/// What was on its way over it.
void GuestDesk::linkGone() {
    isGreeting_ = false;
    toTell_.clear();
    serving_.clear();
    passedOver_.clear();
    for (const Hash256& hash : arrivals_.clear()) abandon(hash);
}

void GuestDesk::frame(const link::Frame& frame, link::BootTime now) {
    // First: what ran out while nobody looked is ended before a new time counts.
    catchUp(now);
    if (isGreeting_ || leases_.isUp()) {
        const bool good = isGreeting_ ? takeWhileGreeting(frame, now) : takeFrame(frame, now);
        if (!good) refuse(link::RefusalCause::Lied, "the yard sent what no yard sends at this point");
    }
    settle(now);
}

void GuestDesk::refuse(link::RefusalCause cause, std::string sentence) {
    send(Kind::Refused, 0, put(link::Refused{.cause = cause, .sentence = sentence}));
    out.closeLink = true;
    out.reason = std::move(sentence);
    disconnected();
}

bool GuestDesk::takeWhileGreeting(const link::Frame& frame, link::BootTime now) {
    switch (static_cast<Kind>(frame.kind)) {
    case Kind::Welcome: return welcomed(frame.body, now);
    case Kind::Refused: return refused(frame.body);
    default: return frame.kind > link::kLastKind; // a later version may know more
    }
}

bool GuestDesk::welcomed(std::string_view body, link::BootTime now) {
    link::Welcome welcome;
    if (!get(body, welcome)) return false;
    if (welcome.protocol != link::kProtocol) {
        refuse(link::RefusalCause::Protocol, fmt::format("this machine speaks version {} of the link, the yard {}",
                                                         link::kProtocol, welcome.protocol));
        return true;
    }
    isGreeting_ = false;
    link::GuestOut what;
    leases_.welcomed(welcome, now, what);
    carry(std::move(what));
    if (!leases_.isUp()) return true; // it came too late
    renewAt_ = now + link::kRenewEvery;
    // What was on its way is asked for again.
    std::vector<Hash256> missing;
    for (const auto& [hash, ids] : lackedBy_)
        if (!storing_.contains(hash)) missing.push_back(hash);
    askFor(missing);
    return true;
}

bool GuestDesk::refused(std::string_view body) {
    link::Refused refused;
    if (!get(body, refused)) return false;
    out.closeLink = true;
    out.reason = refused.sentence;
    disconnected();
    return true;
}

bool GuestDesk::takeFrame(const link::Frame& frame, link::BootTime now) {
    link::GuestOut what;
    switch (static_cast<Kind>(frame.kind)) {
    case Kind::Refused: return refused(frame.body);
    case Kind::Lease: return leased(frame.body, now);
    case Kind::Need: return asked(frame);
    case Kind::Chunk: return chunk(frame.body);
    case Kind::Settled: {
        link::AttemptRefs ids;
        if (!get(frame.body, ids)) return false;
        leases_.settled(ids, what);
        break;
    }
    case Kind::Cancel: {
        link::Cancel cancel;
        if (!get(frame.body, cancel)) return false;
        leases_.cancel(cancel, what);
        break;
    }
    case Kind::Renewed: leases_.renewed(frame.id); break;
    case Kind::Hello:
    case Kind::Welcome:
    case Kind::Updates:
    case Kind::Finished:
    case Kind::Renew:
    case Kind::HandedBack:
    case Kind::Leaving: return false;
    default: return frame.kind > link::kLastKind;
    }
    carry(std::move(what));
    return true;
}

bool GuestDesk::leased(std::string_view body, link::BootTime now) {
    link::Lease lease;
    if (!get(body, lease)) return false;
    link::GuestOut what;
    const bool isTaken = leases_.lease(lease.id, now, what);
    const std::size_t size = body.size() + 2 * sizeof(Hash256) * lease.inputs.size();
    const bool isTooMuch = isTaken && (isLeaving_ || held_ + size > kHeldBytes);
    if (isTooMuch) leases_.cancel({.id = lease.id, .onlyIfWaiting = true, .graceMs = 0}, what);
    carry(std::move(what));
    if (!isTaken || isTooMuch) return true;
    auto attempt = vet(lease, budget_.limits());
    if (attempt) {
        take(std::move(*attempt), size, now);
        return true;
    }
    Guest& guest = guests_[lease.id];
    guest.attempt.id = lease.id;
    guest.came = guest.begun = now;
    finishUnrun(lease.id, guest, link::GuestEnd::Refused, attempt.error());
    return true;
}

/// What is not of a result of this yard's is passed over: it may have settled it meanwhile, or look for what others
/// keep here.
bool GuestDesk::asked(const link::Frame& frame) {
    link::Need need;
    if (!get(frame.body, need)) return false;
    for (const Hash256& hash : need.hashes)
        if (results_.contains(hash) && serving_.try_emplace(hash, lastServe_ + 1).second)
            out.serves.push_back({.id = frame.id, .hash = hash, .number = ++lastServe_});
    return true;
}

void GuestDesk::served(const DeskOut::Serve& serve) {
    const auto found = serving_.find(serve.hash);
    if (found != serving_.end() && found->second == serve.number) serving_.erase(found);
}

bool GuestDesk::chunk(std::string_view body) {
    link::Chunk piece;
    if (!get(body, piece)) return false;
    const Hash256 hash = piece.hash;
    const bool wasAsked = arrivals_.isAsked(hash);
    const ChunkArrivals::Taken taken = arrivals_.take(piece);
    if (taken == ChunkArrivals::Taken::Lie) {
        // It is no longer among those that linkGone() takes back.
        if (wasAsked) abandon(hash);
        return false;
    }
    if (piece.offset == 0) makeRoom(hash, piece.size);
    const bool isLast = taken == ChunkArrivals::Taken::Whole;
    if (!passedOver_.contains(hash)) {
        // Put out before its last piece is stored it would stay in the store, and count nowhere.
        if (isLast && storing_.insert(hash).second) shelf_.use(hash);
        out.pieces.push_back({.chunk = std::move(piece), .isLast = isLast});
    } else if (isLast) {
        passedOver_.erase(hash);
        if (lackedBy_.contains(hash)) askFor({hash}); // somebody has come to need it meanwhile
    }
    return true;
}

void GuestDesk::makeRoom(const Hash256& hash, std::uint64_t size) {
    std::vector<Hash256> evicted;
    if (!shelf_.admit(hash, size, evicted)) {
        passedOver_.insert(hash);
        failAllThatLack(hash, fmt::format("its inputs take more than the {} MB that this machine keeps for guests "
                                          "(guest_store_mb)",
                                          budget_.limits().storeBytes >> 20));
    }
    for (const Hash256& other : evicted) {
        // Nobody waits any more for one that is still coming.
        if (arrivals_.isAsked(other)) passedOver_.insert(other);
        (arrivals_.isAsked(other) ? out.abandoned : out.evicted).push_back(other);
    }
}

void GuestDesk::abandon(const Hash256& hash) {
    shelf_.remove(hash);
    out.abandoned.push_back(hash);
}

} // namespace yard::guests
