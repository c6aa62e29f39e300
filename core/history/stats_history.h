// How the machine and the engine did, over a week: what GET stats shows. A value: no clock, no files of its own.
//
// Four levels, each a ring of steps of one width; a sample goes into all of them, so that what is old is there in
// coarser steps:
//
//     1 s    for 20 min      1,200 steps
//     10 s   for 4 h         1,440
//     1 min  for 36 h        2,160
//     10 min for 8 days      1,152
//
// 5,952 steps of 48 bytes: 286 KB in memory, and the same in the file (`stats` in the data directory), which is an
// image of the rings: a header, then the steps of each level. A step says which one it is, so a part that was not
// written, or is torn, is a step that is not there. A file of the first layout, without GPUs, is taken over.
//
// Owner: engine thread. Of processor time a step has the mean, of counts how many came within it, of what is a
// level (memory, pending, running) the last one seen. A step without a sample is unknown, never zero.
#pragma once

#include "core/base/clock.h"
#include "core/base/memory_ledger.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::history {

/// What is seen at the end of a span of time, and of what came within it.
struct StatsSample {
    double cpuActions = 0; ///< cores in use, mean
    double cpuOthers = 0;  ///< by everything else on this machine, the engine too
    std::int64_t memoryBytes = 0;
    std::int64_t pending = 0;
    std::int64_t running = 0;
    std::int64_t completed = 0;            ///< within
    std::int64_t failed = 0;               ///< within
    std::optional<double> gpuPercent = {}; ///< of all GPUs, mean: 100 is one that is busy; absent: not known
    std::optional<std::int64_t> gpuMemoryBytes = {};
};

struct StatsQuery {
    std::optional<WallMicros> from;     ///< absent: 15 min before `to`
    std::optional<WallMicros> to;       ///< absent: now
    std::optional<Duration> resolution; ///< absent: such that there are at most 600 steps
};

struct StatsView {
    Duration resolution{}; ///< of a level, or a multiple of it: at least what was asked for
    struct Row {
        WallMicros t = 0; ///< the beginning of the step
        std::optional<StatsSample> sample;
    };
    std::vector<Row> rows; ///< every step from `from` to `to`, at most kMostRows
};

class StatsHistory {
public:
    static constexpr std::size_t kMostRows = 10'000;

    StatsHistory();

    /// `from` < `to`; what overlaps an hour or more is cut to the last hour.
    void add(WallMicros from, WallMicros to, const StatsSample& sample);
    /// Steps after `now` are not there. More than kMostRows asked for: the resolution gets coarser.
    StatsView query(const StatsQuery& query, WallMicros now) const;

    /// A span cut where finer steps begin to be kept, the oldest part first: each has the finest that is kept of all of it,
    /// also a few seconds later.
    struct Part {
        WallMicros from = 0;
        WallMicros to = 0;
        Duration width{};
    };
    static std::vector<Part> partsOf(WallMicros from, WallMicros to, WallMicros now);

    /// A part of the file.
    struct Piece {
        std::size_t at = 0;
        std::string bytes;
    };
    static constexpr std::size_t fileSize() { return kHeaderBytes + kSteps * kStepBytes; }
    /// What changed since the last call, in few pieces.
    std::vector<Piece> takeChanged();
    /// From a whole file. False, and nothing is taken, when it is none of this program's.
    bool restore(std::string_view file);

private:
    static constexpr float kNoGpus = -1; ///< not known
    struct Step {
        std::int64_t number = 0; ///< its time over the width of its level; 0: never used
        float cpuActions = 0;
        float cpuOthers = 0;
        std::uint32_t memoryPages = 0; ///< of 4 KiB
        std::uint32_t pending = 0;
        std::uint32_t running = 0;
        std::uint32_t completed = 0;
        std::uint32_t failed = 0;
        std::uint32_t coveredMillis = 0; ///< how much of it was seen
        float gpuPercent = kNoGpus;
        float gpuMemoryMib = kNoGpus;
    };
    static_assert(sizeof(Step) == 48);
    struct Level {
        std::int64_t width; ///< microseconds
        std::size_t first;  ///< of steps_
        std::size_t count;
    };
    static constexpr std::int64_t kSecond = 1'000'000;
    static constexpr std::array<Level, 4> kLevels{{
        {kSecond, 0, 1'200},
        {10 * kSecond, 1'200, 1'440},
        {60 * kSecond, 2'640, 2'160},
        {600 * kSecond, 4'800, 1'152},
    }};
    static constexpr std::size_t kSteps = 5'952;
    static constexpr std::size_t kStepBytes = sizeof(Step);
    static constexpr std::size_t kHeaderBytes = 64;

    void addTo(const Level& level, WallMicros from, WallMicros to, const StatsSample& sample);
    const Step* find(const Level& level, std::int64_t number) const;
    std::optional<StatsSample> merged(const Level& level, std::int64_t number, std::int64_t count) const;
    static std::string header();
    void takeSteps(std::string_view file, std::size_t bytesEach);

    std::vector<Step, TaggedAllocator<Step, MemoryOwner::History>> steps_;
    std::vector<bool> changed_; ///< by step
    bool headerWritten_ = false;
};

} // namespace yard::history
