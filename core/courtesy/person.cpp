#include "core/courtesy/person.h"

#include <algorithm>

namespace yard::courtesy {

void Person::note(const std::optional<InputReading>& reading, MonoTime now) {
    if (!reading) {
        *this = {};
        return;
    }
    const MonoTime told = reading->comesNow ? now : now - std::max(reading->idle, Duration::zero());
    last_ = std::max(last_.value_or(told), told);
    comesNow_ = reading->comesNow;
    source_ = reading->source;
}

std::optional<Duration> Person::idle(MonoTime now) const {
    if (!last_) return std::nullopt;
    return comesNow_ ? Duration::zero() : std::max(now - *last_, Duration::zero());
}

std::optional<bool> Person::isActive(MonoTime now) const {
    const auto since = idle(now);
    if (!since) return std::nullopt;
    return *since < kAwayAfter;
}

std::optional<MonoTime> Person::leavesAt() const {
    if (!last_ || comesNow_) return std::nullopt;
    return *last_ + kAwayAfter;
}

} // namespace yard::courtesy
