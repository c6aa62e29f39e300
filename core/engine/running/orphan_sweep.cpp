#include "core/engine/running/orphan_sweep.h"

#include "core/base/log.h"
#include "core/coro/events.h"

#include <memory>

namespace yard::engine {

namespace {

constexpr Duration kEvery{60'000'000};
/// A part of the work: deletions of ended attempts wait so long for it.
constexpr Duration kPart{50'000};
constexpr std::size_t kMostFindings = 20;

} // namespace

coro::Task<void> OrphanSweep::run() {
    YARD_ASSERT_OWNER(owner_);
    // Shared: a part may still be under way when the loop ends.
    const auto janitor = std::make_shared<locks::Janitor>(std::move(parts_.places), parts_.claims);
    for (;;) {
        bool more = true;
        while (more) more = co_await parts_.helpers.runInBackground([janitor] { return janitor->step(kPart); });
        take(janitor->takeReport());
        co_await coro::sleepFor(kEvery);
    }
}

void OrphanSweep::take(const locks::JanitorReport& report) {
    YARD_ASSERT_OWNER(owner_);
    parts_.counters.orphansReaped += static_cast<std::uint64_t>(report.reaped);
    parts_.counters.staleLocks += static_cast<std::uint64_t>(report.staleLocks);
    for (const locks::Finding& finding : report.findings) {
        logWarning("janitor", "{}", finding.message);
        findings_.push_back(finding.message);
    }
    if (findings_.size() > kMostFindings)
        findings_.erase(findings_.begin(), findings_.end() - static_cast<std::ptrdiff_t>(kMostFindings));
    if (report.reaped + report.staleLocks > 0)
        logInfo("janitor", "{} directories and {} locks that nobody owned are gone", report.reaped,
                report.staleLocks);
    if (report.reaped + report.staleLocks > 0 || !report.findings.empty()) parts_.changed();
}

} // namespace yard::engine
