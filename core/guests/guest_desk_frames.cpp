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
                      .held = leases_.greet(now),
                      .utcOffset = self_.utcOffset ? self_.utcOffset() : 0,
                      .takesWorkers = self_.takesWorkers};
    isGreeting_ = true;
    out.send(Kind::Hello, 1, put(hello));
}

void GuestDesk::disconnected() {
    leases_.closed();
    linkGone();
}

/// What was on its way over it.
void GuestDesk::linkGone() {
    isGreeting_ = false;
    toTell_.linkGone();
    results_.linkGone();
    inputs_.linkGone(out);
    guests_.unfollowAll();
    updates_.dropOutput();
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
    out.send(Kind::Refused, 0, put(link::Refused{.cause = cause, .sentence = sentence}));
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
    yardName_ = plainLine(welcome.name, link::kMaxNameBytes);
    link::GuestOut what;
    leases_.welcomed(welcome, now, what);
    carry(std::move(what));
    if (!leases_.isUp()) return true; // it came too late
    renewAt_ = now + link::kRenewEvery;
    inputs_.askAgain(out); // what was on its way
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
    case Kind::Need: {
        link::Need need;
        if (!get(frame.body, need)) return false;
        results_.serve(need, frame.id, out);
        break;
    }
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
    case Kind::Follow: {
        link::Follow follow;
        if (!get(frame.body, follow)) return false;
        guests_.follow(follow, out);
        return true;
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
    const bool isTooMuch = isTaken && (isLeaving_ || guests_.bytes() + size > kHeldBytes);
    carry(std::move(what));
    if (isTooMuch) handBack(lease.id);
    if (!isTaken || isTooMuch) return true;
    auto attempt = vet(lease, budget_.limits());
    if (attempt) {
        take(std::move(*attempt), size, now);
        return true;
    }
    GuestAttempt none;
    none.id = lease.id;
    Guest& guest = guests_.add(std::move(none), 0, now);
    guest.begun = now;
    finish(lease.id, guest, unrun(link::GuestEnd::Refused, attempt.error()));
    return true;
}

bool GuestDesk::chunk(std::string_view body) {
    link::Chunk piece;
    if (!get(body, piece)) return false;
    link::AttemptRefs hasNoRoom;
    if (!inputs_.take(std::move(piece), hasNoRoom, out)) return false;
    failAll(hasNoRoom, fmt::format("its inputs take more than the {} MB that this machine keeps for guests "
                                   "(guest_store_mb)",
                                   budget_.limits().storeBytes >> 20));
    return true;
}

} // namespace yard::guests
