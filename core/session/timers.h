// Timers of actions: a back-off before the next attempt, or a time before which one does not start. A heap by time;
// a record knows its place in it. Private to session; owner: engine thread. Lives as long as the session.
//
// Invariant: a record with a timer has its place in `timer`, and is neither handed out nor parked (record.h).
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/session/grow_array.h"
#include "core/session/record.h"

#include <cstdint>
#include <optional>

namespace yard::session {

class Timers {
public:
    explicit Timers(Records& records)
        : records_(records) {}

    /// The record has none. `backoff`: it failed and waits for its next attempt.
    void set(std::uint32_t record, MonoTime at, bool backoff);
    /// It has none any more, if it had one.
    void clear(std::uint32_t record);
    /// When it is over; nothing: the record has none.
    std::optional<MonoTime> of(const Record& r) const {
        if (r.has(Record::kOut | Record::kParked) || r.timer == kNone) return std::nullopt;
        return timers_[r.timer].at;
    }
    std::optional<MonoTime> earliest() const;
    /// Clears the earliest one if its time has come. kNone: none is due.
    std::uint32_t takeDue(MonoTime now);
    /// Records whose timer is a back-off.
    std::int64_t backingOff() const { return backingOff_; }

    std::size_t memoryBytes() const { return timers_.memoryBytes(); }
    void check() const; // check.cpp

private:
    struct Timer {
        MonoTime at;
        std::uint32_t record;
    };
    auto moved() {
        return [this](const Timer& t, std::uint32_t i) { records_[t.record].timer = i; };
    }

    Records& records_;
    GrowArray<Timer> timers_;
    std::int64_t backingOff_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::session
