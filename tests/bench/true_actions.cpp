#include "tests/bench/true_actions.h"

#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/results.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/views.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

namespace yard::bench {

namespace {

constexpr long kBatch = 500;
constexpr long kInFlight = 32; ///< more than the slots and what waits in them

[[noreturn]] void die(const std::string& why) {
    flushLog();
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
}

std::vector<ParsedAction> trueActions(const std::string& members, long count) {
    std::string text = "[";
    for (long i = 0; i < count; ++i)
        text += fmt::format(R"({}{{"worker":"exec","argv":["/bin/true"],{}}})", i == 0 ? "" : ",", members);
    auto parsed = parseActions(text + "]");
    if (!parsed) die(parsed.error().message);
    return std::move(parsed->actions);
}

} // namespace

coro::Task<void> runTrueActions(engine::Engine& engine, std::string members, long count, long completed) {
    Lsn last;
    for (long done = 0; done < count; done += kBatch) {
        engine::Submission submission;
        submission.actions = trueActions(members, std::min(kBatch, count - done));
        const auto answer = co_await engine.ask(&engine::Intake::submit, std::move(submission), Duration::zero());
        if (!answer) die(answer.error().message);
        last = answer->items.back().first;
    }
    // They start in order, so those that end last are among the last.
    for (Lsn lsn = last; lsn.value > last.value - std::min(kInFlight, count); --lsn.value) {
        const auto end = co_await engine.ask(&engine::Results::waitFor, lsn, std::chrono::seconds(600));
        if (!end || end->state != ActionState::Completed) die("an action did not complete");
    }
    // Where the machine is busy with something else one may have stood still while the last ones ran.
    for (int looks = 0;; ++looks) {
        const engine::SessionView view = co_await engine.ask(&engine::Overview::session);
        if (view.counts[static_cast<std::size_t>(ActionState::Completed)] >= completed) co_return;
        if (looks == 10'000) die("some are missing");
        co_await coro::sleepFor(std::chrono::milliseconds(1));
    }
}

} // namespace yard::bench
