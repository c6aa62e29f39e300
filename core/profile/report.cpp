#include "core/profile/report.h"

#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::profile {

namespace {

std::string placeOf(const Function& function) {
    if (function.file.empty() || function.line == 0) return function.file; // perf tells no lines
    return fmt::format("{}:{}", function.file, function.line);
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void writeFrames(JsonWriter& writer, const Profile& profile) {
    writer.key("shared");
    writer.openObject();
    writer.key("frames");
    writer.openArray();
    for (const Function& function : profile.functions) {
        writer.openObject();
        writer.member("name", std::string_view(function.name));
        if (!function.file.empty()) {
            writer.member("file", std::string_view(function.file));
            writer.member("line", function.line);
        }
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
}

/// Each path with its own time, as samples.
void writeSampled(JsonWriter& writer, const Profile& profile) {
    writer.openObject();
    writer.member("type", "sampled");
    writer.member("name", std::string_view(profile.loop));
    writer.member("unit", "nanoseconds");
    writer.member("startValue", 0);
    writer.member("endValue", ranNanos(profile));
    writer.key("samples");
    writer.openArray();
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        if (profile.nodes[node].self.wallNanos == 0) continue;
        writer.openArray();
        for (const std::uint32_t step : pathOf(profile, node)) writer.integer(profile.nodes[step].function);
        writer.closeArray();
    }
    writer.closeArray();
    writer.key("weights");
    writer.openArray();
    for (const Node& node : profile.nodes)
        if (node.self.wallNanos != 0) writer.integer(static_cast<std::int64_t>(node.self.wallNanos));
    writer.closeArray();
    writer.closeObject();
}

/// When which thread had its turn.
void writeTurns(JsonWriter& writer, const Profile& profile) {
    writer.openObject();
    writer.member("type", "evented");
    writer.member("name", "turns");
    writer.member("unit", "microseconds");
    writer.member("startValue", 0);
    writer.member("endValue", profile.lastedMicros);
    writer.key("events");
    writer.openArray();
    const auto event = [&](const char* type, const Slice& slice, std::uint64_t at) {
        writer.openObject();
        writer.member("type", type);
        writer.member("frame", profile.nodes[slice.node].function);
        writer.member("at", at);
        writer.closeObject();
    };
    for (const Slice& slice : profile.slices) {
        event("O", slice, slice.startMicros);
        event("C", slice, slice.startMicros + slice.ranMicros);
    }
    writer.closeArray();
    writer.closeObject();
}

} // namespace

std::uint64_t ranNanos(const Profile& profile) {
    std::uint64_t sum = 0;
    for (const Node& node : profile.nodes) sum += node.self.wallNanos;
    return sum;
}

std::string_view rootWord(const Profile& profile) {
    return profile.counted == Counted::Samples ? "program" : "thread";
}

std::vector<Row> rowsOf(const Profile& profile) {
    std::vector<Row> rows(profile.functions.size());
    for (std::size_t n = 0; n < rows.size(); ++n) {
        rows[n].name = profile.functions[n].name;
        rows[n].place = placeOf(profile.functions[n]);
    }
    const std::vector<Cost> costs = totals(profile);
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const std::uint32_t function = profile.nodes[node].function;
        rows[function].self += profile.nodes[node].self;
        bool isWithinItself = false;
        for (std::uint32_t up = profile.nodes[node].parent; up != kNoParent; up = profile.nodes[up].parent)
            isWithinItself = isWithinItself || profile.nodes[up].function == function;
        if (!isWithinItself) rows[function].totalNanos += costs[node].wallNanos;
    }
    std::erase_if(rows, [](const Row& row) { return row.self.calls == 0 && row.totalNanos == 0; });
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
        return a.self.wallNanos != b.self.wallNanos ? a.self.wallNanos > b.self.wallNanos : a.name < b.name;
    });
    return rows;
}

std::string textTable(const Profile& profile, std::size_t most) {
    const std::uint64_t whole = ranNanos(profile);
    const bool isSampled = profile.counted == Counted::Samples;
    std::string text =
        fmt::format("{}{}, {:.3f} s, of them {:.3f} s on the processor ({:.1f} %)\n", isSampled ? "" : "loop ",
                    profile.loop, static_cast<double>(profile.lastedMicros) / 1e6, static_cast<double>(whole) / 1e9,
                    share(whole / 1000, profile.lastedMicros));
    text += fmt::format("{:>6} {:>10} {:>10} {:>10} {:>8} {:>8}  {}\n", "SELF %", "SELF ms", "TOTAL ms",
                        isSampled ? "SAMPLES" : "CALLS", "USER ms", "SYS ms", "FUNCTION");
    const std::vector<Row> rows = rowsOf(profile);
    for (std::size_t n = 0; n < rows.size() && n < most; ++n) {
        const Row& row = rows[n];
        const std::string name = row.place.empty() ? fmt::format("{} {}", rootWord(profile), row.name) : row.name;
        text += fmt::format(
            "{:6.1f} {:10.3f} {:10.3f} {:10} {:8.1f} {:8.1f}  {}{}{}\n", share(row.self.wallNanos, whole),
            static_cast<double>(row.self.wallNanos) / 1e6, static_cast<double>(row.totalNanos) / 1e6,
            row.self.calls, static_cast<double>(row.self.userMicros) / 1e3,
            static_cast<double>(row.self.systemMicros) / 1e3, name, row.place.empty() ? "" : "  ", row.place);
    }
    if (rows.size() > most) text += fmt::format("and {} more\n", rows.size() - most);
    return text;
}

std::string collapsedStacks(const Profile& profile) {
    std::string text;
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const std::uint64_t micros = profile.nodes[node].self.wallNanos / 1000;
        if (micros == 0) continue;
        std::string line;
        for (const std::uint32_t step : pathOf(profile, node)) {
            if (!line.empty()) line += ';';
            std::string name = profile.functions[profile.nodes[step].function].name;
            std::ranges::replace(name, ';', ':');
            std::ranges::replace(name, '\n', ' ');
            line += name;
        }
        text += fmt::format("{} {}\n", line, micros);
    }
    return text;
}

std::string speedscope(const Profile& profile) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("$schema", "https://www.speedscope.app/file-format-schema.json");
    writer.member("exporter", "yardctl");
    writer.member("name", std::string_view(profile.loop));
    writeFrames(writer, profile);
    writer.key("profiles");
    writer.openArray();
    writeSampled(writer, profile);
    writeTurns(writer, profile);
    writer.closeArray();
    writer.closeObject();
    return text;
}

} // namespace yard::profile
