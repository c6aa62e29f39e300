#include "app/yardctl/map/in_flight.h"

#include <algorithm>
#include <sys/eventfd.h>
#include <utility>

namespace yard::ctl {

namespace {

std::size_t footprintOf(const FlyingJob& job) {
    std::size_t bytes = job.command.size() + job.tag.size();
    for (const std::string& value : job.values) bytes += value.size();
    return bytes;
}

} // namespace

InFlight::InFlight(Limits limits)
    : stopped_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    , limits_(limits) {}

void InFlight::narrow(std::size_t jobs) {
    const ThreadLock lock(mutex_);
    limits_.jobs = std::min(limits_.jobs, jobs);
}

std::size_t InFlight::usedPlaces() const {
    return jobs_.size() + taken_ + kept_;
}

bool InFlight::hasRoom(std::size_t besides) const {
    return usedPlaces() + besides < limits_.jobs && bytes_ < limits_.bytes;
}

std::size_t InFlight::awaitRoom(std::size_t besides) {
    const ThreadLock lock(mutex_);
    // What is on its way itself has to be submitted before room can come of it.
    while (!isStopped_ && !hasRoom(besides)) {
        if (besides > 0) return 0;
        changed_.wait(mutex_);
    }
    return isStopped_ ? 0 : limits_.jobs - usedPlaces() - besides;
}

int InFlight::takeSlot() {
    const ThreadLock lock(mutex_);
    int slot = 1;
    while (slots_.contains(slot)) ++slot;
    slots_.insert(slot);
    return slot;
}

void InFlight::add(std::int64_t lsn, FlyingJob job) {
    const ThreadLock lock(mutex_);
    bytes_ += footprintOf(job);
    seqs_.insert(job.seq);
    jobs_.insert_or_assign(lsn, std::move(job));
    changed_.notifyAll();
}

void InFlight::finish(std::optional<Failure> failure) {
    const ThreadLock lock(mutex_);
    isFinished_ = true;
    if (failure) failure_ = std::move(failure);
    changed_.notifyAll();
}

void InFlight::setTotal(std::int64_t jobs) {
    const ThreadLock lock(mutex_);
    total_ = jobs;
}

std::vector<std::int64_t> InFlight::oldest(std::size_t count) const {
    const ThreadLock lock(mutex_);
    std::vector<std::int64_t> out;
    for (auto it = jobs_.begin(); it != jobs_.end() && out.size() < count; ++it) out.push_back(it->first);
    return out;
}

std::optional<FlyingJob> InFlight::take(std::int64_t lsn) {
    const ThreadLock lock(mutex_);
    const auto it = jobs_.find(lsn);
    if (it == jobs_.end()) return std::nullopt;
    FlyingJob job = std::move(it->second);
    jobs_.erase(it);
    bytes_ -= footprintOf(job);
    seqs_.erase(seqs_.find(job.seq));
    if (job.slot > 0) slots_.erase(job.slot);
    ++taken_;
    return job;
}

void InFlight::freeTaken() {
    const ThreadLock lock(mutex_);
    taken_ = 0;
    changed_.notifyAll();
}

std::optional<std::string> InFlight::tagOf(std::int64_t lsn) const {
    const ThreadLock lock(mutex_);
    const auto it = jobs_.find(lsn);
    return it == jobs_.end() ? std::nullopt : std::optional(it->second.tag);
}

void InFlight::awaitSome(std::chrono::milliseconds limit) const {
    const ThreadLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + limit;
    while (jobs_.empty() && !isFinished_)
        if (!changed_.waitUntil(mutex_, until)) return;
}

void InFlight::pause(std::chrono::milliseconds limit) const {
    const ThreadLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + limit;
    while (!isStopped_ && changed_.waitUntil(mutex_, until)) {
    }
}

void InFlight::keepBack(std::size_t jobs) {
    const ThreadLock lock(mutex_);
    kept_ = jobs;
    changed_.notifyAll();
}

bool InFlight::isFinished() const {
    const ThreadLock lock(mutex_);
    return isFinished_;
}

std::size_t InFlight::size() const {
    const ThreadLock lock(mutex_);
    return jobs_.size();
}

std::optional<std::int64_t> InFlight::total() const {
    const ThreadLock lock(mutex_);
    return total_;
}

std::optional<Failure> InFlight::failure() const {
    const ThreadLock lock(mutex_);
    return failure_;
}

std::optional<std::int64_t> InFlight::lowestSeq() const {
    const ThreadLock lock(mutex_);
    if (seqs_.empty()) return std::nullopt;
    return *seqs_.begin();
}

void InFlight::stop() {
    const ThreadLock lock(mutex_);
    isStopped_ = true;
    ::eventfd_write(stopped_.get(), 1);
    changed_.notifyAll();
}

bool InFlight::isStopped() const {
    const ThreadLock lock(mutex_);
    return isStopped_;
}

} // namespace yard::ctl
