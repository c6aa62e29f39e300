#include "core/runners/warm_requests.h"

#include "core/runners/warm_process.h"

#include <algorithm>
#include <utility>

namespace yard::runners {

Result<void> RequestTable::open(const std::string& path) {
    auto entries = SlotsFile::create(path, kEntrySlots);
    if (!entries) return std::unexpected(entries.error());
    entries_ = std::move(*entries);
    return {};
}

std::uint32_t RequestTable::add(Lease lease) {
    YARD_ASSERT_OWNER(owner_);
    if (free_.empty()) {
        requests_.emplace_back();
        free_.push_back(static_cast<std::uint32_t>(requests_.size() - 1));
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    WarmRequest& request = requests_[place];
    const std::uint32_t use = request.use + 1;
    request = {};
    request.use = use;
    request.wire = std::uint64_t{use} << 32 | place;
    request.id = lease.id;
    request.call = std::move(*lease.warm);
    request.deadline = lease.deadline;
    request.grace = lease.grace;
    if (const auto suspect = suspects_.find(lease.id.lsn); suspect != suspects_.end())
        request.sharedCrashes = suspect->second;
    byAttempt_.emplace(lease.id, place);
    return place;
}

std::optional<std::uint32_t> RequestTable::find(AttemptId id) const {
    const auto at = byAttempt_.find(id);
    return at == byAttempt_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<AttemptId> RequestTable::all() const {
    std::vector<AttemptId> all;
    for (const auto& [id, place] : byAttempt_) all.push_back(id);
    return all;
}

void RequestTable::show(const std::vector<std::uint32_t>& lanes, WarmProcessView& view) const {
    for (const std::uint32_t place : lanes) {
        const WarmRequest& request = requests_[place];
        if (!isLook(request.id)) view.current.push_back(request.id.lsn);
        view.currentSince = view.currentSince ? std::min(*view.currentSince, request.laneAt) : request.laneAt;
    }
}

bool RequestTable::isWith(const WarmProcess& process, std::uint64_t wire) const {
    const std::uint32_t place = placeOf(wire);
    if (place >= requests_.size()) return false;
    const WarmRequest& request = requests_[place];
    return request.wire == wire && request.process == &process && request.state >= WarmRequest::State::Ahead;
}

// --- entries

bool RequestTable::takeEntry(std::uint32_t place, int pid) {
    YARD_ASSERT_OWNER(owner_);
    WarmRequest& request = requests_[place];
    // A ring is full while the journal does not keep up: another has room, or it waits for an acknowledgement.
    for (unsigned tried = 0; tried < kEntrySlots && !request.hasEntry; ++tried) {
        request.entrySlot = SlotId(nextEntrySlot_++ % kEntrySlots);
        const auto index = entries_.take(request.entrySlot, request.id);
        if (index) entries_.setCloned(request.entrySlot, *index, pid);
        request.hasEntry = index.has_value();
        if (index && request.call.once && shared_.config.durable) request.mark = ++marked_;
    }
    starved_ = starved_ || !request.hasEntry;
    return request.hasEntry;
}

bool RequestTable::isMarked(std::uint32_t place) {
    if (requests_[place].mark <= synced_) return true;
    if (syncing_ == 0) {
        syncing_ = marked_;
        shared_.host.syncEntries();
    }
    return false;
}

std::uint64_t RequestTable::noteSynced(bool isSynced) {
    const std::uint64_t upTo = std::exchange(syncing_, 0);
    if (isSynced) synced_ = std::max(synced_, upTo);
    return upTo;
}

bool RequestTable::freeEntry(SlotId slot, AttemptId id) {
    if (slot.value >= kEntrySlots) return false;
    entries_.freeEntry(slot, id);
    return std::exchange(starved_, false);
}

// --- time

void RequestTable::run(std::uint32_t place, std::uint32_t lane, MonoTime now) {
    WarmRequest& request = requests_[place];
    request.state = WarmRequest::State::Running;
    request.laneAt = now;
    request.lane = lane;
    untold_.push_back(request.wire);
    shared_.timer.armAt(now + kTellStarted);
    if (request.deadline > Duration::zero()) {
        noteDeadline(request);
        armDeadline();
    }
}

void RequestTable::tellStarted(MonoTime now) {
    std::erase_if(untold_, [&](std::uint64_t wire) {
        WarmRequest& request = requests_[placeOf(wire)];
        if (request.wire != wire || request.state != WarmRequest::State::Running || request.told) return true;
        if (now - request.laneAt < kTellStarted) return false;
        request.told = true;
        updates_.push_back(Update{request.id, Started{request.entrySlot,
                                                      request.process->pid,
                                                      {request.sentAt, request.laneAt, MonoTime{}, MonoTime{}},
                                                      *request.process->firstLane + request.lane,
                                                      request.given}});
        return true;
    });
    if (!untold_.empty()) shared_.timer.armAt(now + kTellStarted);
}

bool RequestTable::areDeadlinesDue(MonoTime now) {
    const bool areDue = now >= nextDeadline_;
    if (areDue) nextDeadline_ = MonoTime::max();
    return areDue;
}

void RequestTable::noteDeadline(const WarmRequest& request) {
    if (request.deadline > Duration::zero())
        nextDeadline_ = std::min(nextDeadline_, request.laneAt + request.deadline);
}

// --- ends

void RequestTable::finish(std::uint32_t place, Ended ended) {
    YARD_ASSERT_OWNER(owner_);
    WarmRequest& request = requests_[place];
    ended.slot = request.entrySlot;
    if (ended.cause != EndCause::LostRunner) suspects_.erase(request.id.lsn);
    if (request.process && request.process->firstLane) ended.lane = *request.process->firstLane + request.lane;
    ended.given = std::move(request.given);
    updates_.push_back(Update{request.id, std::move(ended)});
    forget(place);
}

void RequestTable::fail(std::uint32_t place, EndCause cause, std::string message, bool overMemory) {
    Ended ended;
    ended.cause = cause;
    ended.overMemory = overMemory;
    (cause == EndCause::SpawnError ? ended.spawn.message : ended.message) = std::move(message);
    endNow(place, std::move(ended));
}

void RequestTable::failStart(std::uint32_t place, SpawnFailure failure) {
    Ended ended;
    ended.cause = EndCause::SpawnError;
    ended.spawn = std::move(failure);
    endNow(place, std::move(ended));
}

void RequestTable::endNow(std::uint32_t place, Ended ended) {
    const WarmRequest& request = requests_[place];
    const MonoTime now = MonoClock::now();
    ended.times.submitting = request.sentAt == MonoTime{} ? now : request.sentAt;
    if (request.laneAt != MonoTime{}) ended.times.running = request.laneAt;
    ended.times.exited = ended.times.ended = now;
    finish(place, std::move(ended));
}

void RequestTable::interrupt(std::uint32_t place, std::string message) {
    const WarmRequest& request = requests_[place];
    if (!request.process->endedForOne) {
        if (suspects_.size() >= kMostSuspects) suspects_.clear();
        suspects_[request.id.lsn] = request.sharedCrashes + 1;
    }
    fail(place, EndCause::LostRunner, std::move(message));
}

void RequestTable::giveBack(std::uint32_t place) {
    WarmRequest& request = requests_[place];
    if (request.told && request.stop) {
        // It was told to run: that is no longer to be taken back, so it ends as it was told to.
        return fail(place, endOf(*request.stop), {});
    }
    if (request.told) return fail(place, EndCause::EngineStopped, {});
    if (request.hasEntry) entries_.freeEntry(request.entrySlot, request.id);
    updates_.push_back(Update{request.id, Returned{}});
    forget(place);
}

void RequestTable::forget(std::uint32_t place) {
    WarmRequest& request = requests_[place];
    byAttempt_.erase(request.id);
    request.state = WarmRequest::State::None;
    request.wire = 0;
    request.process = nullptr;
    request.call = {};
    free_.push_back(place);
}

std::vector<Update> RequestTable::takeUpdates() {
    YARD_ASSERT_OWNER(owner_);
    return std::exchange(updates_, {});
}

} // namespace yard::runners
