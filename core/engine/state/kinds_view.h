// What is shown of kinds of work. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/kinds/kind.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

enum class KindOrder : unsigned char { Last, Runs, Failed, Duration, Memory, Name };
inline constexpr std::array<std::string_view, 6> kKindOrders = {"last",     "runs",         "failed",
                                                                "duration", "memory_bytes", "kind"};
inline constexpr int kMostKindsShown = 1'000;
inline constexpr std::size_t kMostRegressionsShown = 1'000;

struct KindQuery {
    WallMicros since = 0; ///< kinds that ran since then, with the figures of the days since then; 0: all
    KindOrder order = KindOrder::Last;
    bool descending = true;
    std::size_t from = 0; ///< place in the order
    std::size_t limit = 100;
};

struct KindFigures {
    struct Quantiles {
        double p50 = 0;
        double p90 = 0;
        double p95 = 0;
        double p99 = 0;
    };
    std::uint64_t runs = 0;
    std::uint64_t failed = 0;
    std::array<std::uint32_t, kReasons> reasons{};
    std::array<std::optional<Quantiles>, kinds::kQuantities> quantiles{}; ///< absent: not known
};

struct KindRow {
    std::string kind;
    KindFigures figures;
    WallMicros last = 0;
    std::vector<std::string> versions;
    std::optional<kinds::Flakiness> flaky; ///< absent: no inputs both worked and failed
    std::size_t mixed = 0;                 ///< inputs that did
    std::optional<kinds::Change> regression;
    std::optional<kinds::Estimate> estimate; ///< of the duration
    std::optional<double> learnedMemory;     ///< bytes
    std::optional<double> askedMemory{};     ///< bytes; only where that is suggested
};
struct KindList {
    std::vector<KindRow> kinds;
    std::size_t next = 0; ///< place of the next one; 0: there is none
    std::uint64_t dropped = 0;
    std::string lastDropped;
};
struct KindDetail {
    struct Part {
        std::string name;     ///< of a version or machine
        WallMicros start = 0; ///< of a day or week
        KindFigures figures;
    };
    KindRow row;
    std::vector<Part> versions;
    std::vector<Part> machines;
    std::vector<Part> days;
    std::vector<Part> weeks;
};
struct KindFlakiness {
    std::vector<kinds::Work> inputs; ///< those that both worked and failed, the most failures first
    std::vector<kinds::FailureLine> lines;
};
struct KindRegression {
    std::string kind;
    kinds::Change change;
};
using RegressionList = std::vector<KindRegression>;

} // namespace yard::engine
