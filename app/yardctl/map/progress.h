// How far a map is, on stderr: a bar that is drawn over at a terminal, else a line every ten seconds. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace yard::ctl {

struct MapCounts {
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    std::optional<std::int64_t> total{};
    double parts = 0; ///< of those that run, by what they say of themselves: 1.5 of three that are half done
    std::optional<double> left{}; ///< seconds, as the engine expects it
};
/// "[######    ]  45 %  450 of 1000, 3 failed, 120/s, 4.2 s left". `seconds` since it began; `columns` it has at most. What is
/// left follows from the rate where the engine does not say.
std::string progressLine(const MapCounts& counts, double seconds, std::size_t columns);

class MapProgress {
public:
    explicit MapProgress(bool isShown);
    /// Draws it, unless that was a moment ago. `isLast`: in any case.
    void show(const MapCounts& counts, bool isLast = false);
    bool isShown() const { return isShown_; }
    /// Takes the bar away before something else is written to the terminal.
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    const bool isShown_;
    const bool isTerminal_;
    const Clock::time_point begin_ = Clock::now();
    Clock::time_point next_ = begin_;
    bool isDrawn_ = false;
};

} // namespace yard::ctl
