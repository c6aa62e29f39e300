// An engine's alerts with a journal, a clock and ways to deliver that a test moves.
#pragma once

#include "core/engine/alerts/alerts.h"
#include "tests/coro/coro_test.h"
#include "tests/engine/kept_documents.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine::test {

inline constexpr WallMicros kAlertsBegin = 1'764'000'000'000'000;

class AlertBench : public KeptDocuments {
public:
    coro::test::Rig rig;
    WallMicros wall = kAlertsBegin;
    std::vector<ActionResult> history; ///< what has ended, by LSN
    std::map<QueueId, std::int64_t> unfinished;
    std::vector<Rehearsal::Unended> unended;
    Alerts::Ages ages;
    Duration memoryApart = std::chrono::seconds(1);
    std::set<QueueId> gone; ///< queues that are deleted
    std::vector<Alerts::Parts::Command> commands;
    std::vector<std::string> forgotten;
    std::vector<std::string> hooks; ///< bodies that were sent
    std::optional<Error> hookRefusal;
    bool isHookSlow = false; ///< it answers when `hookGate` is set
    coro::Event hookGate;
    int looks = 0; ///< at ages
    int changes = 0;
    int machinesAsked = 0;
    std::optional<WallMicros> armed;
    std::int64_t lastLsn = 0;
    coro::Event bell;
    std::optional<Alerts> alerts;
    std::vector<coro::ThreadRef> threads;

    explicit AlertBench(bool withFirst = false) {
        if (!withFirst) journal[{"alert_made", "first"}] = "{}";
        open();
    }
    ~AlertBench() { rig.loop.shutdown(); }

    /// Another engine, with what the journal has.
    void open() {
        for (const coro::ThreadRef& thread : threads) thread->interrupt();
        rig.settle();
        threads.clear();
        alerts.emplace(parts());
        alerts->restore(documents());
        threads.push_back(rig.spawn("alerts", alerts->run()));
        threads.push_back(rig.spawn("alarm", alerts->watchAlarm()));
        rig.settle();
    }
    /// From one ring of the alarm to the next.
    void pass(WallMicros time) {
        const WallMicros end = wall + time;
        while (armed && *armed <= end) {
            wall = std::max(wall, *armed);
            armed.reset();
            bell.set();
            rig.settle();
        }
        wall = end;
    }
    Result<AlertView> create(const std::string& json) { return rig.ask(alerts->create(json)); }
    void end(std::int64_t queue, ActionState state, std::int64_t lsn = 0) {
        alerts->ended(Lsn(lsn > 0 ? lsn : ++lastLsn), {.queue = QueueId(queue), .state = state});
        rig.settle();
    }
    /// Texts of what was told, the oldest first.
    std::string told(const std::string& name) {
        const auto view = alerts->get(name);
        if (!view) return view.error().message;
        std::string text;
        for (auto message = view->messages.rbegin(); message != view->messages.rend(); ++message)
            text += (text.empty() ? "" : " | ") + message->text;
        return text;
    }
    std::size_t kept(const std::string& kind) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(journal, [&](const auto& each) { return each.first.first == kind; }));
    }

private:
    Alerts::Parts parts() {
        return {
            .commit = [this](store::Action action) { return commit(std::move(action)); },
            .rowOf =
                [](const yard::alerts::Shape& shape) {
                    ActionResult row;
                    row.queue = shape.queue;
                    row.state = shape.state;
                    row.label = "make";
                    return row;
                },
            .queueNames =
                [this](QueueId id) {
                    return gone.contains(id) ? std::vector<std::string>() : std::vector<std::string>{"tag"};
                },
            .rows = [this](std::vector<Lsn> lsns) { return rows(std::move(lsns)); },
            .unfinished = [this](QueueId id) { return unfinished[id]; },
            .ages = [this]() -> coro::Task<Alerts::Ages> {
                ++looks;
                co_return ages;
            },
            .runCommand = [this](Alerts::Parts::Command command) { return runCommand(std::move(command)); },
            .forgetCommand = [this](const std::string& id) { forgotten.push_back(id); },
            .sendHook = [this](const yard::alerts::Url&, std::string body) { return sendHook(std::move(body)); },
            .history = {.page = [this](Lsn cursor) { return page(cursor); },
                        .unended = [this](std::size_t) -> coro::Task<std::vector<Rehearsal::Unended>> {
                            co_return unended;
                        },
                        .memory = [this](WallMicros, WallMicros) { return memory(); },
                        .onHelper = [](std::function<void()> work) -> coro::Task<void> {
                            work();
                            co_return;
                        },
                        .queueNames = [](QueueId) { return std::vector<std::string>{"tag"}; },
                        .now = [this] { return wall; }},
            .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
            .changed = [this] { ++changes; },
            .tellOthers = [this] { ++machinesAsked; },
            .arm = [this](std::optional<WallMicros> at) { armed = at; },
            .rung = [this]() -> coro::Task<void> {
                co_await bell.wait();
                bell.clear();
            },
            .now = [this] { return wall; }};
    }
    coro::Task<Result<std::vector<ActionResult>>> rows(std::vector<Lsn> lsns) {
        std::vector<ActionResult> found;
        for (const ActionResult& row : history)
            if (std::ranges::find(lsns, row.lsn) != lsns.end()) found.push_back(row);
        co_return found;
    }
    coro::Task<Result<Alerts::Parts::Ran>> runCommand(Alerts::Parts::Command command) {
        commands.push_back(std::move(command));
        co_return Alerts::Parts::Ran{.lsn = Lsn(1'000 + static_cast<std::int64_t>(commands.size())),
                                     .queue = QueueId(9)};
    }
    coro::Task<Result<int>> sendHook(std::string body) {
        hooks.push_back(std::move(body));
        if (isHookSlow) co_await hookGate.wait();
        if (hookRefusal) co_return std::unexpected(*hookRefusal);
        co_return 200;
    }
    coro::Task<Result<Rehearsal::Page>> page(Lsn cursor) {
        constexpr std::size_t kPage = 2;
        Rehearsal::Page page;
        for (const ActionResult& row : history) {
            if (row.lsn <= cursor) continue;
            if (page.rows.size() == kPage) {
                page.cursor = page.rows.back().lsn;
                break;
            }
            page.rows.push_back(row);
        }
        co_return page;
    }
    coro::Task<Rehearsal::MemoryUse> memory() {
        Rehearsal::MemoryUse use{.percents = {}, .apart = memoryApart};
        for (int i = 0; i < 10; ++i)
            use.percents.emplace_back(wall - (20 - i) * 1'000'000, i >= 3 && i < 6 ? 95.0 : 40.0);
        co_return use;
    }
};

} // namespace yard::engine::test
