// What one attempt did in one slot: the bar of a timeline. A value, and its 48 bytes in a file.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/states.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::timeline {

/// Times are 0 where they are not known, or have not come.
struct Span {
    Lsn lsn;
    std::uint32_t attempt = 1;
    std::uint32_t worker = 0; ///< whoever keeps spans numbers workers; not in the file
    std::uint32_t cls = 0;    ///< of the action, a number of the journal's dictionary
    std::uint32_t label = 0;  ///< likewise
    std::uint32_t slot = 0;
    ActionState state = ActionState::Completed; ///< Submitting or Running: it goes on
    bool retried = false;                       ///< another attempt follows
    WallMicros begin = 0;                       ///< Submitting
    WallMicros running = 0;
    WallMicros exited = 0; ///< the first process; from then on it is collected
    WallMicros end = 0;

    bool isOpen() const { return end == 0; }
    std::int64_t length() const { return isOpen() ? 0 : end - begin; }
    friend bool operator==(const Span&, const Span&) = default;
};

/// What one sees of several that share a place: failed before abandoned, retried, cancelled, running, submitting,
/// completed.
int severity(ActionState state, bool retried);
inline int severity(const Span& span) {
    return severity(span.state, span.retried);
}

inline constexpr std::size_t kRecordBytes = 48;
/// An ended span that began. Longer phases than 24 days are cut to that; above 35 minutes they are in milliseconds.
std::string encode(const Span& span);
/// Nothing for bytes that are not what was written: torn, or never written.
std::optional<Span> decode(std::string_view record);

} // namespace yard::timeline
