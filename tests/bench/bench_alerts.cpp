// What alerts cost where actions end: 1,000 rules, 10,000 ends a second. Target: under 2 % of a core.
#include "core/alerts/book.h"

#include <chrono>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::alerts;

namespace {

constexpr int kRules = 1'000;
constexpr int kEndsPerSecond = 10'000;
constexpr int kSeconds = 20;
constexpr int kQueues = 50;
constexpr int kLabels = 20;

/// Of queues and labels, so that some care for each end; one in a hundred for all.
std::string ruleJson(int i) {
    const char* const kind = i % 3 == 0 ? "failures" : i % 3 == 1 ? "action_finished" : "failure_rate";
    const std::string filter =
        i % 100 == 0 ? "state:failed" : fmt::format("queue:{} label:l{}", i % kQueues, i % kLabels);
    return fmt::format(R"({{"name":"r{}","on":{{"kind":"{}","filter":"{}"}}}})", i, kind, filter);
}

} // namespace

int main() {
    Book book({.rowOf =
                   [](const Shape& shape) {
                       ActionResult row;
                       row.queue = shape.queue;
                       row.state = shape.state;
                       row.label = fmt::format("l{}", shape.label);
                       row.workerId = row.workerName = "exec";
                       return row;
                   },
               .queueNames = [](QueueId) { return std::vector<std::string>(); }});
    for (int i = 0; i < kRules; ++i) {
        auto rule = readRule(ruleJson(i), {});
        if (!rule || !book.put(*std::move(rule), 0)) return 1;
    }
    WallMicros now = 1'764'000'000'000'000;
    std::size_t told = 0;
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < kSeconds * kEndsPerSecond; ++i) {
        const Shape shape{.queue = QueueId(i % kQueues),
                          .cls = 1,
                          .label = static_cast<std::uint32_t>(i / 7 % kLabels),
                          .state = i % 10 == 0 ? ActionState::Failed : ActionState::Completed,
                          .reason = i % 10 == 0 ? Reason::ExitCode : Reason::None};
        now += 1'000'000 / kEndsPerSecond;
        if (book.wants(shape) != Book::Wants::Nothing) book.ended(Lsn(i + 1), shape, nullptr, now);
        if (const auto due = book.wakeAt(); due && *due <= now) told += book.advance(now).size();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    fmt::print("{} rules, {} ends a second: {:.2f} % of a core (target: under 2 %), {} messages\n", kRules,
               kEndsPerSecond, 100 * took.count() / kSeconds, told);
}
