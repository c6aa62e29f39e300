// Whether a person uses the machine: input counts for a minute after it came, so somebody who pauses does not make work
// come and go. A value; the owner of the decisions has it.
#pragma once

#include "core/base/clock.h"

#include <optional>
#include <string>

namespace yard::courtesy {

/// So long without input, and the person is away.
inline constexpr Duration kAwayAfter{60'000'000};

/// What a source says of input, when it says it.
struct InputReading {
    bool comesNow = false; ///< it comes now, until something else is said
    Duration idle{};       ///< since the last input, if it does not
    std::string source;
    friend bool operator==(const InputReading&, const InputReading&) = default;
};

class Person {
public:
    /// Nothing: no source knows of input any more.
    void note(const std::optional<InputReading>& reading, MonoTime now);
    /// Absent: not known.
    std::optional<bool> isActive(MonoTime now) const;
    std::optional<Duration> idle(MonoTime now) const;
    /// When isActive() ends by itself. Nothing: it does not.
    std::optional<MonoTime> leavesAt() const;
    const std::string& source() const { return source_; }

private:
    std::optional<MonoTime> last_; ///< input; nothing: not known
    bool comesNow_ = false;
    std::string source_;
};

} // namespace yard::courtesy
