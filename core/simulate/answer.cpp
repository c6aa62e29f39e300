#include "core/simulate/answer.h"

#include "core/json/json_writer.h"

#include <cmath>

namespace yard::simulate {

namespace {

constexpr double kTimeUnit = 1e6;
constexpr double kShareUnit = 1e4;

/// What is shown is no finer than what is counted.
double rounded(double value, double unit) {
    return std::round(value * unit) / unit;
}

void write(JsonWriter& writer, const Answer& answer) {
    writer.openObject();
    writer.member("makespan_s", rounded(answer.makespan, kTimeUnit));
    writer.member("bound_s", rounded(answer.bound, kTimeUnit));
    writer.key("utilisation");
    writer.openArray();
    for (const auto& [time, share] : answer.utilisation) {
        writer.openArray();
        writer.number(rounded(time, kTimeUnit));
        writer.number(rounded(share, kShareUnit));
        writer.closeArray();
    }
    writer.closeArray();
    writer.key("wait_s");
    writer.openObject();
    for (const KindWait& wait : answer.waits) {
        writer.key(wait.kind);
        writer.openObject();
        writer.member("p50", rounded(wait.p50, kTimeUnit));
        writer.member("p95", rounded(wait.p95, kTimeUnit));
        writer.closeObject();
    }
    writer.closeObject();
    writer.member("decisions_per_s", std::round(answer.decisionsPerSecond));
    writer.member("peak_memory_bytes", static_cast<std::int64_t>(answer.peakMemoryBytes));
    writer.closeObject();
}

} // namespace

std::string toJson(const Answer& answer) {
    std::string out;
    JsonWriter writer(out);
    write(writer, answer);
    return out;
}

std::string toJson(const Answer& a, const Answer& b) {
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    writer.key("a");
    write(writer, a);
    writer.key("b");
    write(writer, b);
    writer.closeObject();
    return out;
}

} // namespace yard::simulate
