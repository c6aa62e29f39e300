#include "core/link/guest_leases.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace yard::link {

namespace {
/// Half of what a teardown may take: the rest is for the kernel and for whoever is late.
constexpr std::uint64_t kLastGraceMs = std::chrono::duration_cast<std::chrono::milliseconds>(kTeardown).count() / 2;
} // namespace

std::vector<Held> GuestLeases::greet(BootTime now) {
    closed();
    talk_ = Talk::HelloSent;
    greeted_ = now;
    std::vector<Held> held;
    held.reserve(leases_.size());
    for (const auto& [id, guest] : leases_) {
        switch (guest.stage) {
        case Stage::Waiting: held.push_back({.id = id, .stage = GuestStage::Waiting}); break;
        case Stage::Begun:
        case Stage::Ending: held.push_back({.id = id, .stage = GuestStage::Begun}); break;
        case Stage::Ended: held.push_back({.id = id, .stage = GuestStage::Ended}); break;
        }
    }
    return held;
}

void GuestLeases::welcomed(const Welcome& welcome, BootTime now, GuestOut& out) {
    if (talk_ != Talk::HelloSent) return;
    // What ran out while there was no link is ended before a new time counts.
    tick(now, out);
    talk_ = Talk::Up;
    lease_ = std::chrono::seconds(welcome.leaseSeconds);
    // Also where that is sooner than before: a yard that was started again with a shorter lease counts by that.
    until_ = greeted_ + lease_;
    for (const AttemptRef& id : welcome.held)
        if (!leases_.contains(id)) out.handedBack.push_back(id);
    for (const auto& [id, guest] : leases_)
        if (guest.stage == Stage::Ended) out.finished.push_back(id);
    tick(now, out); // the Welcome may be that late
}

void GuestLeases::closed() {
    talk_ = Talk::Closed;
    renews_.clear();
}

bool GuestLeases::lease(AttemptRef id, BootTime now, GuestOut& out) {
    tick(now, out);
    if (talk_ != Talk::Up || leases_.contains(id)) return false;
    if (leases_.size() >= kMaxLeases) {
        out.handedBack.push_back(id);
        return false;
    }
    leases_.emplace(id, Guest{});
    return true;
}

/// Another attempt of the same action, some of which may live.
bool GuestLeases::livesAsAnother(AttemptRef id) const {
    for (auto at = leases_.lower_bound({.lsn = id.lsn, .attempt = 0});
         at != leases_.end() && at->first.lsn == id.lsn; ++at)
        if (at->first != id && (at->second.stage == Stage::Begun || at->second.stage == Stage::Ending)) return true;
    return false;
}

bool GuestLeases::begin(AttemptRef id, BootTime now) {
    const auto at = leases_.find(id);
    if (at == leases_.end() || at->second.stage != Stage::Waiting || now >= until_ || livesAsAnother(id))
        return false;
    at->second.stage = Stage::Begun;
    return true;
}

void GuestLeases::ended(AttemptRef id, GuestOut& out) {
    const auto at = leases_.find(id);
    if (at == leases_.end() || at->second.stage == Stage::Ended) return;
    if (at->second.isForgotten) {
        leases_.erase(at);
        out.dropped.push_back(id);
        return;
    }
    at->second.stage = Stage::Ended;
    if (talk_ == Talk::Up) out.finished.push_back(id);
}

void GuestLeases::handBackWaiting(GuestOut& out) {
    for (auto at = leases_.begin(); at != leases_.end();) {
        if (at->second.stage != Stage::Waiting) {
            ++at;
            continue;
        }
        // Without a link the next Hello does not name it, which says the same.
        if (talk_ == Talk::Up) out.handedBack.push_back(at->first);
        out.dropped.push_back(at->first);
        at = leases_.erase(at);
    }
}

void GuestLeases::end(AttemptRef id, Guest& guest, std::uint64_t graceMs, bool leaseEnded, GuestOut& out) {
    assert(guest.stage == Stage::Begun || guest.stage == Stage::Ending);
    guest.stage = Stage::Ending;
    out.ends.push_back({.id = id, .graceMs = graceMs, .leaseEnded = leaseEnded});
}

void GuestLeases::cancel(const Cancel& cancel, GuestOut& out) {
    const auto at = leases_.find(cancel.id);
    if (at == leases_.end()) return; // it crossed what the machine said of it
    switch (at->second.stage) {
    case Stage::Waiting:
        leases_.erase(at);
        out.dropped.push_back(cancel.id);
        out.handedBack.push_back(cancel.id);
        break;
    case Stage::Begun:
    case Stage::Ending:
        if (!cancel.onlyIfWaiting) end(cancel.id, at->second, cancel.graceMs, false, out);
        break;
    case Stage::Ended: break;
    }
}

void GuestLeases::settled(const AttemptRefs& ids, GuestOut& out) {
    for (const AttemptRef& id : ids) {
        const auto at = leases_.find(id);
        if (at == leases_.end()) continue;
        const bool mayLive = at->second.stage == Stage::Begun || at->second.stage == Stage::Ending;
        if (mayLive) {
            at->second.isForgotten = true;
            end(id, at->second, 0, false, out);
            continue;
        }
        leases_.erase(at);
        out.dropped.push_back(id);
    }
}

std::optional<std::uint64_t> GuestLeases::renew(BootTime now) {
    if (talk_ != Talk::Up) return std::nullopt;
    if (renews_.size() >= kMaxRenews) renews_.pop_front();
    renews_.push_back({.id = ++lastRenew_, .at = now});
    return lastRenew_;
}

void GuestLeases::renewed(std::uint64_t id) {
    if (talk_ != Talk::Up) return;
    const auto at = std::ranges::find(renews_, id, &SentRenew::id);
    if (at == renews_.end()) return;
    until_ = std::max(until_, at->at + lease_);
    renews_.erase(renews_.begin(), at + 1);
}

void GuestLeases::tick(BootTime now, GuestOut& out) {
    if (now < until_ || until_ == BootTime{}) return;
    until_ = {};
    if (talk_ == Talk::Up) {
        closed();
        out.closeLink = true;
    }
    for (auto at = leases_.begin(); at != leases_.end();) {
        auto& [id, guest] = *at;
        if (guest.stage == Stage::Waiting) {
            out.dropped.push_back(id);
            at = leases_.erase(at);
            continue;
        }
        // Also what is being ended with a longer grace.
        if (guest.stage == Stage::Begun || guest.stage == Stage::Ending) end(id, guest, kLastGraceMs, true, out);
        ++at;
    }
}

} // namespace yard::link
