#include "core/session/timers.h"

#include "core/session/heap.h"

#include <cassert>

namespace yard::session {

namespace {

constexpr auto kSooner = [](const auto& a, const auto& b) { return a.at < b.at; };

} // namespace

void Timers::set(std::uint32_t record, MonoTime at, bool backoff) {
    YARD_ASSERT_OWNER(owner_);
    Record& r = records_[record];
    assert(r.timer == kNone && !r.has(Record::kOut | Record::kParked));
    if (backoff) r.set(Record::kBackoff);
    backingOff_ += backoff ? 1 : 0;
    heapPush(timers_, Timer{at, record}, kSooner, moved());
}

void Timers::clear(std::uint32_t record) {
    Record& r = records_[record];
    if (r.has(Record::kOut | Record::kParked) || r.timer == kNone) return;
    heapRemove(timers_, r.timer, kSooner, moved());
    r.timer = kNone;
    backingOff_ -= r.has(Record::kBackoff) ? 1 : 0;
    r.unset(Record::kBackoff);
}

std::optional<MonoTime> Timers::earliest() const {
    return timers_.empty() ? std::nullopt : std::optional(timers_.front().at);
}

std::uint32_t Timers::takeDue(MonoTime now) {
    if (timers_.empty() || timers_.front().at > now) return kNone;
    const std::uint32_t record = timers_.front().record;
    clear(record);
    return record;
}

} // namespace yard::session
