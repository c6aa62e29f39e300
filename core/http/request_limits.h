// Bounds of parameters and of bodies that routes read themselves: told by /openapi.json. Constants; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace yard::http {

/// Longest `wait` of a request.
inline constexpr int kMaxWaitSeconds = 300;
/// Rows of a page, and actions that `lsn` of a list names.
inline constexpr int kMaxPage = 1'000;
/// Cooperative threads of a page.
inline constexpr int kUsualThreads = 100;
inline constexpr int kMostThreads = 1'000;
/// Actions that one change names.
inline constexpr std::size_t kMaxBulk = 1'000;
inline constexpr std::int64_t kMaxAttempt = 1'000'000;
/// Of `last`, and of the setting stream_bytes.
inline constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
inline constexpr std::size_t kMaxSeat = 64;
inline constexpr std::int64_t kMostLsn = 9'007'199'254'740'991;  ///< every client has it exactly
inline constexpr std::int64_t kLatest = 253'402'300'799'000'000; ///< microseconds: the end of the year 9999
inline constexpr int kLongestStep = 366 * 24 * 3'600;            ///< seconds
/// Of an Idempotency-Key, in bytes.
inline constexpr std::size_t kMaxKey = 255;

} // namespace yard::http
