// An engine's schedules with a journal, a session and a clock that a test moves.
#pragma once

#include "core/engine/schedules/schedules.h"
#include "tests/coro/coro_test.h"
#include "tests/engine/kept_documents.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine::test {

inline constexpr WallMicros kHour = 3'600'000'000;
inline constexpr WallMicros kBegin = 490'000 * kHour;
inline constexpr WallMicros kDay = 24 * kHour;

/// An hourly schedule with these members besides.
inline std::string hourly(const std::string& more = {}, const std::string& name = "tick") {
    return fmt::format(R"({{"name":"{}","every_s":3600,"action":{{"worker":"exec","argv":["true"]}}{}{}}})", name,
                       more.empty() ? "" : ",", more);
}

/// The journal, the session and the clock of a schedule's engine. What is submitted lives until a test says otherwise.
class ScheduleBench : public KeptDocuments {
public:
    coro::test::Rig rig;
    Settings settings;
    int missed = 0; ///< runs that were told as missed
    WallMicros wall = kBegin;
    decltype(journal) journalBefore;                             ///< as the last submission came
    std::map<std::string, std::vector<SubmitAnswer::Item>> keys; ///< what was answered to each
    std::vector<Submission> submitted;
    std::set<std::int64_t> live;
    std::string cancelled;
    std::optional<Error> refusal; ///< of submissions
    bool takesWork = true;
    WallMicros perSubmission = 0; ///< how long each takes; others run meanwhile
    std::optional<WallMicros> armed;
    int wakes = 0;
    std::int64_t lastLsn = 0;
    coro::Event bell;
    std::optional<Schedules> schedules;
    std::optional<coro::ThreadRef> runner;

    ScheduleBench() { open(); }
    ~ScheduleBench() { rig.loop.shutdown(); } // before what its threads use goes

    /// Another engine, with what the journal has.
    void open() {
        if (runner) (*runner)->interrupt();
        rig.settle();
        runner.reset();
        schedules.emplace(
            Schedules::Parts{.settings = settings,
                             .commit = [this](store::Action action) { return commit(std::move(action)); },
                             .submit = [this](Submission submission) { return submit(std::move(submission)); },
                             .cancel = [this](Lsn lsn) { return cancel(lsn); },
                             .liveBetween = [this](Lsn first, Lsn end) { return liveBetween(first, end); },
                             .takesWork = [this] { return takesWork; },
                             .arm = [this](std::optional<WallMicros> at) { arm(at); },
                             .rung = [this] { return rung(); },
                             .now = [this] { return wall; },
                             .missed = [this](const std::string&, const ScheduleRun&) { ++missed; }});
        schedules->restore(documents());
    }
    void run() {
        runner = rig.spawn("schedules", schedules->run());
        rig.settle();
    }
    /// The clock moves, and the alarm rings if it is time.
    void pass(WallMicros time) {
        wall += time;
        arm(armed);
        rig.settle();
    }
    /// Somebody sets the clock, which rings as well.
    void setClock(WallMicros to) {
        wall = to;
        bell.set();
        rig.settle();
    }
    Result<ScheduleView> create(const std::string& json) { return rig.ask(schedules->create(json)); }
    std::string refused(const std::string& json) {
        const auto made = create(json);
        return made ? "made" : fmt::format("{} {}", errorName(made.error().kind), made.error().field);
    }
    /// "+1h submitted 1; +2h overlap", the oldest first.
    std::string runs(const std::string& name = "tick") {
        const auto view = schedules->get(name);
        if (!view) return view.error().message;
        constexpr std::array<std::string_view, 4> kWords = {"submitted", "missed", "overlap", "refused"};
        std::string text;
        for (auto run = view->runs.rbegin(); run != view->runs.rend(); ++run) {
            if (!text.empty()) text += "; ";
            text += run->due == 0 ? "by hand" : fmt::format("+{}h", (run->due - kBegin) / kHour);
            if (run->isLate) text += " late";
            text += fmt::format(" {}", kWords[std::to_underlying(run->outcome)]);
            for (const ScheduleRun::Item& item : run->items) text += fmt::format(" {}", item.first.value);
            if (run->skipped > 0) text += fmt::format(" for {} more", run->skipped);
        }
        return text;
    }

private:
    void arm(std::optional<WallMicros> at) {
        armed = at;
        bell.clear();
        if (armed && *armed <= wall) bell.set();
    }
    coro::Task<void> rung() {
        co_await bell.wait();
        bell.clear();
        ++wakes;
    }
    coro::Task<Result<SubmitAnswer>> submit(Submission submission) {
        journalBefore = journal;
        wall += perSubmission;
        if (perSubmission > 0) co_await coro::yieldNow();
        if (refusal) co_return std::unexpected(*refusal);
        SubmitAnswer answer;
        if (const auto known = keys.find(submission.idempotencyKey);
            known != keys.end() && !submission.idempotencyKey.empty()) {
            answer.items = known->second;
            co_return answer;
        }
        for (std::size_t i = 0; i < submission.actions.size(); ++i) {
            answer.items.push_back({.first = Lsn(++lastLsn), .count = 1});
            live.insert(lastLsn);
        }
        keys[submission.idempotencyKey] = answer.items;
        submitted.push_back(std::move(submission));
        co_return answer;
    }
    coro::Task<Result<void>> cancel(Lsn lsn) {
        cancelled += fmt::format("{}{}", cancelled.empty() ? "" : " ", lsn.value);
        live.erase(lsn.value);
        co_return Result<void>();
    }
    std::optional<Lsn> liveBetween(Lsn first, Lsn end) const {
        const auto at = live.lower_bound(first.value);
        if (at == live.end() || *at >= end.value) return std::nullopt;
        return Lsn(*at);
    }
};

} // namespace yard::engine::test
