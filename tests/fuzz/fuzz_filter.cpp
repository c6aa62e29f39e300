// Filters as clients write them; a line each. What is read means the same when it is read again or beside another,
// a term that is negated matches what the plain one does not, and where a list looks at all leaves nothing out.
#include "core/engine/state/list_parts.h"
#include "core/http/list_filter.h"
#include "core/model/filter.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace yard;

namespace {

constexpr WallMicros kNow = 1'800'000'000'000'000;
/// What the plain way of matching is tried on: it takes time exponential in the stars.
constexpr std::size_t kMaxNaive = 12;

std::vector<ActionResult> examples() {
    ActionResult pending;
    pending.lsn = Lsn(7);
    pending.queue = QueueId(3);
    pending.workerId = pending.workerName = "exec";
    pending.label = "night job";
    pending.state = ActionState::Pending;
    pending.held = true;
    pending.times[ActionState::New] = kNow - 5'000'000;
    pending.locks = {"app:immich", "disk"};
    ActionResult running = pending;
    running.lsn = Lsn(8);
    running.held = false;
    running.state = ActionState::Running;
    running.times[ActionState::Submitting] = kNow - 4'500'000;
    running.times[ActionState::Running] = kNow - 4'000'000;
    running.silentSince = kNow - 3'000'000;
    running.machine = "desk";
    ActionResult failed = pending;
    failed.lsn = Lsn(123'456);
    failed.held = false;
    failed.workerName = "thumb@1";
    failed.function = "thumb";
    failed.label = "caf\xc3\xa9 \xff";
    failed.state = ActionState::Failed;
    failed.times[ActionState::Running] = kNow - 4'000'000;
    failed.times[ActionState::Failed] = kNow - 1'000'000;
    failed.times.exited = kNow - 2'000'000;
    failed.outcome.emplace();
    failed.outcome->reason = Reason::ExitCode;
    failed.outcome->exitCode = 3;
    failed.outcome->measures[Measure::CpuTime] = 500'000;
    failed.outcome->measures[Measure::PeakMemory] = 5'000'000'000;
    failed.outcome->denied.push_back({.t = kNow, .what = "openat", .path = "/etc/shadow", .err = 13, .pid = 9});
    failed.note = "error: no such file";
    failed.machine = "desk";
    return {ActionResult{}, pending, running, failed};
}

bool naiveMatch(std::string_view text, std::string_view pattern) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() == '*')
        return naiveMatch(text, pattern.substr(1)) || (!text.empty() && naiveMatch(text.substr(1), pattern));
    return !text.empty() && text.front() == pattern.front() && naiveMatch(text.substr(1), pattern.substr(1));
}

/// As the engine does: those that were to wait are looked up before anything is compared.
Filter lookedUp(Filter filter) {
    for (FilterTerm& term : filter.terms)
        if (term.key == FilterKey::After) term.found = {{1, 7}, {9, 200'000}};
    return filter;
}

void onExamples(const Filter& asked) {
    static const std::vector<ActionResult> actions = examples();
    static const std::vector<std::string> queueNames{"nightly"};
    const Filter filter = lookedUp(asked);
    const auto named = engine::lsnsNamedIn(filter);
    for (const ActionResult& action : actions) {
        bool all = true;
        for (const FilterTerm& term : filter.terms) {
            Filter plain{.terms = {term}};
            Filter opposite = plain;
            opposite.terms.front().negated = !term.negated;
            const bool matched = plain.matches(action, kNow, queueNames);
            all = all && matched;
            fuzz::promise(matched != opposite.matches(action, kNow, queueNames), "a term or its opposite matches");
        }
        fuzz::promise(filter.matches(action, kNow, queueNames) == all, "a space is and");
        if (!all) continue;
        fuzz::promise(!(isEnded(action.state) ? engine::excludesEnded(filter) : engine::excludesLive(filter)),
                      "what matches is looked for");
        fuzz::promise(!named || std::ranges::find(*named, action.lsn) != named->end(), "so is what is named");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::textOf(data, size);
    const std::size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    const std::string_view other = end == text.npos ? std::string_view{} : text.substr(end + 1);
    engine::ListQuery query;
    const bool taken = http::readFilter(one, "q", query).has_value();
    const auto first = parseFilter(one, kNow);
    fuzz::promise(taken == first.has_value(), "lists take what the language has");
    const auto second = parseFilter(other, kNow);
    if (one.size() <= kMaxNaive && other.size() <= kMaxNaive)
        fuzz::promise(matchesPattern(one, other) == naiveMatch(one, other), "patterns match as stars say");
    if (!first) return 0;
    onExamples(*first);
    const auto both = parseFilter(std::string(one) + " " + std::string(other), kNow);
    if (!second || one.size() + 1 + other.size() > kMaxFilterBytes) return 0;
    fuzz::promise(both && both->terms.size() == first->terms.size() + second->terms.size(),
                  "filters stand together");
    for (std::size_t i = 0; i < both->terms.size(); ++i) {
        const std::size_t begun = first->terms.size();
        fuzz::promise(both->terms[i] == (i < begun ? first->terms[i] : second->terms[i - begun]),
                      "filters mean together what each does");
    }
    return 0;
}
