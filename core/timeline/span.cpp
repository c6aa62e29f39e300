#include "core/timeline/span.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace yard::timeline {

namespace {

struct Record {
    std::int64_t lsn = 0;
    std::int64_t begin = 0;
    std::uint32_t attempt = 0;
    std::uint32_t cls = 0;
    std::uint32_t label = 0;
    std::uint32_t running = 0; ///< packed differences to `begin`
    std::uint32_t exited = 0;
    std::uint32_t end = 0;
    std::uint16_t slot = 0;
    std::uint8_t state = 0;
    std::uint8_t flags = 0;
    std::uint32_t check = 0;
};
static_assert(sizeof(Record) == kRecordBytes);

constexpr std::uint8_t kRetried = 1;
constexpr std::uint32_t kInMillis = 1u << 31;
constexpr std::uint32_t kAbsent = 0xffffffffu;

/// FNV-1a of all but the check itself.
std::uint32_t checkOf(const Record& record) {
    char bytes[sizeof record];
    std::memcpy(bytes, &record, sizeof record);
    std::uint32_t hash = 2'166'136'261u;
    for (std::size_t i = 0; i + sizeof record.check < sizeof record; ++i)
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 16'777'619u;
    return hash;
}

std::uint32_t pack(WallMicros at, WallMicros begin) {
    if (at == 0) return kAbsent;
    const std::int64_t micros = std::max<std::int64_t>(at - begin, 0);
    if (micros < std::int64_t(kInMillis)) return static_cast<std::uint32_t>(micros);
    return kInMillis | static_cast<std::uint32_t>(std::min<std::int64_t>(micros / 1'000, kInMillis - 2));
}

WallMicros unpack(std::uint32_t packed, WallMicros begin) {
    if (packed == kAbsent) return 0;
    if (packed & kInMillis) return begin + std::int64_t(packed & ~kInMillis) * 1'000;
    return begin + packed;
}

} // namespace

int severity(ActionState state, bool retried) {
    switch (state) {
    case ActionState::Failed: return retried ? 5 : 7;
    case ActionState::Abandoned: return retried ? 5 : 6;
    case ActionState::Cancelled: return 4;
    case ActionState::Running: return 3;
    case ActionState::Submitting: return 2;
    case ActionState::Completed: return 1;
    default: return 0;
    }
}

std::string encode(const Span& span) {
    assert(span.begin != 0 && !span.isOpen());
    Record record{.lsn = span.lsn.value,
                  .begin = span.begin,
                  .attempt = span.attempt,
                  .cls = span.cls,
                  .label = span.label,
                  .running = pack(span.running, span.begin),
                  .exited = pack(span.exited, span.begin),
                  .end = pack(span.end, span.begin),
                  .slot = static_cast<std::uint16_t>(std::min(span.slot, 0xffffu)),
                  .state = static_cast<std::uint8_t>(span.state),
                  .flags = span.retried ? kRetried : std::uint8_t(0)};
    record.check = checkOf(record);
    std::string bytes(sizeof record, '\0');
    std::memcpy(bytes.data(), &record, sizeof record);
    return bytes;
}

std::optional<Span> decode(std::string_view bytes) {
    if (bytes.size() != sizeof(Record)) return std::nullopt;
    Record record;
    std::memcpy(&record, bytes.data(), sizeof record);
    const bool isReal = record.check == checkOf(record) && record.lsn > 0 && record.begin > 0 &&
                        record.end != kAbsent && record.state < kActionStates &&
                        isEnded(static_cast<ActionState>(record.state));
    if (!isReal) return std::nullopt;
    Span span;
    span.lsn = Lsn{record.lsn};
    span.attempt = record.attempt;
    span.cls = record.cls;
    span.label = record.label;
    span.slot = record.slot;
    span.state = static_cast<ActionState>(record.state);
    span.retried = (record.flags & kRetried) != 0;
    span.begin = record.begin;
    span.running = unpack(record.running, record.begin);
    span.exited = unpack(record.exited, record.begin);
    span.end = unpack(record.end, record.begin);
    return span;
}

} // namespace yard::timeline
