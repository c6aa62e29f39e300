// What is asked of the engine about what work has used, and what it answers (docs/figures.md). Values.
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

enum class AccountingBy : unsigned char { Queue, Worker, Label, Machine, Day, Hour, Waste };
/// In the order of AccountingBy.
inline constexpr std::array<std::string_view, 7> kAccountingWords{"queue", "worker", "label", "machine",
                                                                  "day",   "hour",   "waste"};
/// Rows of an answer: of more the largest, and the others as one with this key.
inline constexpr std::size_t kMostAccountingRows = 1'000;
inline constexpr std::string_view kOtherKey = "…other";

/// Reservation times time; of an attempt that did not complete also as `wasted`.
struct AccountingRow {
    std::string key{};
    std::int64_t actions = 0;
    double coreSeconds = 0;
    double wastedCoreSeconds = 0;
    double memoryGbHours = 0; ///< of 10^9 bytes
    double waitSeconds = 0;
};

struct AccountingQuery {
    AccountingBy by = AccountingBy::Queue;
    std::optional<WallMicros> from{}; ///< absent: a day before `to`
    std::optional<WallMicros> to{};   ///< absent, or later than that: now
};
struct AccountingView {
    WallMicros from = 0;
    WallMicros to = 0;
    std::int64_t retired = 0; ///< actions that ended and are not kept any more: what they used is in no row
    WallMicros oldest = 0;    ///< the end of the oldest one that is kept; 0: there is none
    std::vector<AccountingRow> rows;
};

} // namespace yard::engine
