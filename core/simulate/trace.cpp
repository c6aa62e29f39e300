#include "core/simulate/trace.h"

#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace yard::simulate {

void Trace::add(const Span& span) {
    if (spans_.size() == kMostSpans) {
        ++omitted_;
        return;
    }
    std::vector<Duration>& lanes = lanes_[span.machine];
    const auto free = std::ranges::find_if(lanes, [&](Duration until) { return until <= span.start; });
    const auto lane = static_cast<std::uint32_t>(free - lanes.begin());
    if (free == lanes.end())
        lanes.push_back(span.end);
    else
        *free = span.end;
    spans_.push_back({.span = span, .lane = lane});
}

std::string Trace::json() const {
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    writer.key("traceEvents");
    writer.openArray();
    std::set<std::uint32_t> machines;
    for (const Kept& kept : spans_) machines.insert(kept.span.machine);
    for (const std::uint32_t machine : machines) {
        writer.openObject();
        writer.member("name", "process_name");
        writer.member("ph", "M");
        writer.member("pid", static_cast<std::int64_t>(machine) + 1);
        writer.key("args");
        writer.openObject();
        writer.member("name", fmt::format("machine {}", machine + 1));
        writer.closeObject();
        writer.closeObject();
    }
    for (const auto& [span, lane] : spans_) {
        writer.openObject();
        writer.member("name", work_.kinds[span.kind].name);
        writer.member("ph", "X");
        writer.member("ts", static_cast<std::int64_t>(span.start.count()));
        writer.member("dur", static_cast<std::int64_t>((span.end - span.start).count()));
        writer.member("pid", static_cast<std::int64_t>(span.machine) + 1);
        writer.member("tid", static_cast<std::int64_t>(lane) + 1);
        writer.key("args");
        writer.openObject();
        writer.member("action", span.number);
        writer.member("waited_s", inSeconds(span.start - span.arrival));
        writer.closeObject();
        writer.closeObject();
    }
    writer.closeArray();
    writer.member("displayTimeUnit", "ms");
    writer.key("otherData");
    writer.openObject();
    writer.member("omitted", omitted_);
    writer.closeObject();
    writer.closeObject();
    return out;
}

} // namespace yard::simulate
