#include "app/yardctl/map/progress.h"

#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/own_terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

namespace {
constexpr std::size_t kBarColumns = 20;
constexpr std::size_t kLineColumns = 200; ///< where there is no terminal
} // namespace

std::string progressLine(const MapCounts& counts, double seconds, std::size_t columns) {
    std::string line;
    const double rate = seconds > 0 ? static_cast<double>(counts.ended) / seconds : 0;
    const double done = static_cast<double>(counts.ended) + counts.parts;
    if (counts.total && *counts.total > 0) {
        const double part = std::min(1.0, done / static_cast<double>(*counts.total));
        const auto full = static_cast<std::size_t>(part * static_cast<double>(kBarColumns));
        line = fmt::format("[{}{}] {:3.0f} %  {} of {}", std::string(full, '#'),
                           std::string(kBarColumns - full, ' '), part * 100, counts.ended, *counts.total);
    } else {
        line = fmt::format("{} done", counts.ended);
    }
    if (counts.failed > 0) line += fmt::format(", {} failed", counts.failed);
    if (rate > 0) line += fmt::format(", {:.{}f}/s", rate, rate < 10 ? 1 : 0);
    const bool isOver = !counts.total || counts.ended >= *counts.total;
    std::optional<double> left = counts.left;
    if (!left && !isOver && done > 0 && seconds > 0)
        left = std::max(0.0, static_cast<double>(*counts.total) - done) * seconds / done;
    if (left && !isOver) line += fmt::format(", {} left", durationWords(*left));
    return line.substr(0, columns);
}

MapProgress::MapProgress(bool isShown)
    : isShown_(isShown)
    , isTerminal_(::isatty(STDERR_FILENO) == 1) {}

void MapProgress::show(const MapCounts& counts, bool isLast) {
    const auto now = Clock::now();
    if (!isShown_ || (now < next_ && !isLast)) return;
    constexpr std::chrono::milliseconds kStep{200};
    constexpr std::chrono::seconds kLineStep{10};
    const bool isFirst = next_ == begin_;
    next_ = now + (isTerminal_ ? std::chrono::milliseconds(kStep) : std::chrono::milliseconds(kLineStep));
    if (!isTerminal_ && isFirst && !isLast) return; // nothing to tell yet
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const std::size_t columns =
        isTerminal_ ? std::max<std::size_t>(static_cast<std::size_t>(OwnTerminal::size().cols), 2) - 1
                    : kLineColumns;
    const std::string line = progressLine(counts, seconds, columns);
    (void)writeOutput(STDERR_FILENO, isTerminal_ ? "\r" + line + "\x1b[K" + (isLast ? "\n" : "") : line + "\n");
    isDrawn_ = isTerminal_ && !isLast;
}

void MapProgress::clear() {
    if (!isDrawn_) return;
    isDrawn_ = false;
    next_ = begin_;
    (void)writeOutput(STDERR_FILENO, "\r\x1b[K");
}

} // namespace yard::ctl
