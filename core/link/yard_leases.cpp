#include "core/link/yard_leases.h"

#include <cassert>
#include <utility>

namespace yard::link {

void YardLeases::restore(std::string runId, const AttemptRefs& ids, Duration leaseThen, BootTime now) {
    assert(leases_.empty() && !isUp_);
    runId_ = std::move(runId);
    for (const AttemptRef& id : ids) leases_.emplace(id, Given{});
    if (!ids.empty()) keepUntil(now + leaseThen + kYardWaitsLonger);
}

/// Never sooner than before: a machine may still go by a longer lease that it was told earlier.
void YardLeases::keepUntil(BootTime time) {
    if (!lostAt_ || *lostAt_ < time) lostAt_ = time;
}

AttemptRefs YardLeases::greeted(const Hello& hello, BootTime now, YardOut& out) {
    tick(now, out);
    out.closeLink = false; // that was the connection before
    // Another run has ended whatever ran in the one before, before it says Hello.
    if (hello.runId != runId_) loseAll(out);
    runId_ = hello.runId;
    isUp_ = true;
    isPastLease_ = false;
    keepUntil(now + lease_ + kYardWaitsLonger);

    std::map<AttemptRef, GuestStage> held;
    for (const Held& one : hello.held) held.emplace(one.id, one.stage);
    named_.clear();
    for (const auto& [id, stage] : held) {
        named_.insert(id);
        if (!leases_.contains(id)) out.settle.push_back(id);
    }
    compare(held, out);
    AttemptRefs counted;
    for (const auto& [id, given] : leases_)
        if (given.stage != YardStage::Fetched) counted.push_back(id);
    return counted;
}

void YardLeases::compare(const std::map<AttemptRef, GuestStage>& held, YardOut& out) {
    for (auto at = leases_.begin(); at != leases_.end();) {
        auto& [id, given] = *at;
        if (given.stage == YardStage::Fetched) {
            ++at;
            continue;
        }
        const auto there = held.find(id);
        if (there == held.end()) {
            // A machine forgets what has begun only when it is told to, so what it does not name never began.
            (given.stage == YardStage::Given ? out.returned : out.lost).push_back(id);
            at = leases_.erase(at);
            continue;
        }
        if (there->second != GuestStage::Waiting && given.stage == YardStage::Given) given.stage = YardStage::Begun;
        if (given.cancel && given.stage != YardStage::Ended) out.cancels.push_back(*given.cancel);
        ++at;
    }
}

bool YardLeases::offer(AttemptRef id) {
    if (!isUp_ || leases_.size() >= kMaxLeases) return false;
    [[maybe_unused]] const bool isNew = leases_.emplace(id, Given{}).second;
    assert(isNew);
    return true;
}

void YardLeases::cancel(const Cancel& cancel, YardOut& out) {
    const auto at = leases_.find(cancel.id);
    if (at == leases_.end() || at->second.stage == YardStage::Ended || at->second.stage == YardStage::Fetched)
        return;
    std::optional<Cancel>& kept = at->second.cancel;
    // Taking back does not undo that it is to end.
    if (!kept || kept->onlyIfWaiting || !cancel.onlyIfWaiting) kept = cancel;
    if (isUp_) out.cancels.push_back(cancel);
}

void YardLeases::fetched(AttemptRef id) {
    const auto at = leases_.find(id);
    if (at == leases_.end()) return; // lost while its outputs were on their way
    assert(at->second.stage == YardStage::Ended);
    at->second.stage = YardStage::Fetched;
}

void YardLeases::committed(AttemptRef id, YardOut& out) {
    const auto at = leases_.find(id);
    assert(at != leases_.end() && at->second.stage == YardStage::Fetched);
    if (at == leases_.end()) return;
    leases_.erase(at);
    // Without a link the next Hello names it, and the answer to that settles it.
    if (isUp_) out.settle.push_back(id);
}

void YardLeases::renewed(BootTime now) {
    if (isUp_) keepUntil(now + lease_ + kYardWaitsLonger);
}

void YardLeases::began(AttemptRef id) {
    const auto at = leases_.find(id);
    // One that is being settled may have had news on their way.
    if (at != leases_.end() && at->second.stage == YardStage::Given) at->second.stage = YardStage::Begun;
}

bool YardLeases::finished(AttemptRef id, bool& isNew) {
    isNew = false;
    const auto at = leases_.find(id);
    if (at == leases_.end()) return named_.contains(id);
    if (at->second.stage == YardStage::Fetched || at->second.stage == YardStage::Ended) return true;
    at->second.stage = YardStage::Ended;
    isNew = true;
    return true;
}

bool YardLeases::handedBack(const AttemptRefs& ids, YardOut& out) {
    for (const AttemptRef& id : ids) {
        const auto at = leases_.find(id);
        if (at == leases_.end()) continue; // it crossed a Hello or a Settled
        if (at->second.stage != YardStage::Given) return false;
        leases_.erase(at);
        out.returned.push_back(id);
    }
    return true;
}

void YardLeases::loseAll(YardOut& out) {
    for (auto at = leases_.begin(); at != leases_.end();) {
        if (at->second.stage == YardStage::Fetched) {
            ++at;
            continue;
        }
        out.lost.push_back(at->first);
        at = leases_.erase(at);
    }
}

void YardLeases::tick(BootTime now, YardOut& out) {
    if (!lostAt_ || now < *lostAt_) return;
    loseAll(out);
    lostAt_.reset();
    isUp_ = false;
    isPastLease_ = true;
    out.closeLink = true;
}

std::optional<YardStage> YardLeases::stageOf(AttemptRef id) const {
    const auto at = leases_.find(id);
    return at == leases_.end() ? std::nullopt : std::optional(at->second.stage);
}

} // namespace yard::link
