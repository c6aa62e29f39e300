// Figures in the text format of Prometheus (version 0.0.4). Every name begins with yardmaster_ and ends with its
// unit; what only grows ends with _total. Values; any thread.
#pragma once

#include "core/engine/reading/inside.h"
#include "core/engine/state/metrics.h"
#include "core/history/histogram.h"
#include "core/http/event_hub.h"
#include "core/http/server.h"
#include "core/store/chunk_files.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

enum class MetricKind : unsigned char { Counter, Gauge, Histogram };

/// Appends families: family() begins one, sample() adds to it.
class MetricsWriter {
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    /// `name` without the prefix, as the samples have it.
    void family(std::string_view name, MetricKind kind, std::string_view help);
    void sample(double value, Labels labels = {});
    void sample(std::uint64_t value, Labels labels = {});
    /// One family with one sample.
    void counter(std::string_view name, std::string_view help, std::uint64_t value);
    void gauge(std::string_view name, std::string_view help, double value);
    /// Durations in seconds: `name` ends with _seconds.
    void histogram(std::string_view name, std::string_view help, const history::Histogram& histogram);
    std::string take() { return std::move(text_); }

private:
    void line(std::string_view suffix, Labels labels, std::string_view value);
    std::string text_;
    std::string name_;
};

/// What the system knows of this process and its disk; absent where it cannot be read.
struct ProcessFigures {
    double cpuSeconds = 0;
    std::optional<std::uint64_t> residentBytes;
    std::optional<std::uint64_t> openFiles;
    std::optional<std::uint64_t> journalBytes;
    std::optional<std::uint64_t> walBytes;
    std::optional<std::uint64_t> freeBytes; ///< of the file system of the data directory
};
/// Reads files: blocks.
ProcessFigures processFigures(const std::string& dataDir);

struct AllFigures {
    const engine::MetricsView& engine;
    const EventCounters& events;
    store::ChunkFiles::Stats chunks;
    ProcessFigures process;
    std::optional<ServerCounters> server;
    WallMicros started = 0;
    std::vector<engine::MemoryPart> memory{};
};
std::string metricsText(const AllFigures& figures);

} // namespace yard::http
