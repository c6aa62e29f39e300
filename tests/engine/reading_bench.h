// Rows and what is asked of them without launcher and journal: what is kept and what runs is what a test says, the
// clock as well.
#pragma once

#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/notes.h"
#include "core/engine/reading/waiting_counts.h"

#include "core/session/live_views.h"
#include "tests/engine/forecast_bench.h"
#include "tests/engine/memory_journal.h"

#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace yard::engine::test {

class ReadingBench : public ForecastBench {
public:
    WaitingCounts counts{
        {.session = machine.session, .reasons = reasons, .scale = scale, .now = [this] { return machine.now; }}};

    std::shared_ptr<LiveStreams> streams = std::make_shared<LiveStreams>(); ///< of all that runs
    std::vector<Lsn> changed;
    Notes notes{{.reasons = reasons,
                 .helpers = helpers,
                 .scale = scale,
                 .attempt = [this](Lsn lsn) { return attempt(lsn); },
                 .follow = [this](Lsn) { return streams; },
                 .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                 .rowChanged = [this](Lsn lsn) { changed.push_back(lsn); },
                 .now = [this] { return rig.loop.now(); }}};

    MemoryJournal journal;
    Settings settings;
    Annotations annotations;
    ActionRows rows{{.session = machine.session,
                     .places = machine.session.places(),
                     .dictionary = dictionary,
                     .journal = journal,
                     .reasons = reasons,
                     .estimates = estimates,
                     .notes = notes,
                     .annotations = annotations,
                     .settings = settings,
                     .scale = scale,
                     .machineName = "here",
                     .platformOf = [](const std::string&) { return std::string(); },
                     .attempt = [this](Lsn lsn) { return attempt(lsn); },
                     .now = [this] { return rig.loop.now(); }}};

    explicit ReadingBench(int cores = 1)
        : ForecastBench(cores) {}
    ~ReadingBench() { rig.loop.shutdown(); } // before what its threads use goes
    /// "3 held by hand [state:held]; …; 2 others".
    std::string waiting() {
        const WaitingView view = rig.ask(counts.view());
        std::string text;
        for (const WaitingRow& row : view.rows)
            text += fmt::format("{}{} {}{}", text.empty() ? "" : "; ", row.count, row.wait.message,
                                row.filter.empty() ? "" : " [" + row.filter + "]");
        if (view.others > 0) text += fmt::format("; {} others", view.others);
        return text;
    }
    /// The journal has it as pending.
    Lsn keep(Lsn lsn) {
        const auto live = machine.session.views().live(lsn);
        const ClassKey& key = dictionary.classKey(live->cls.value);
        ActionResult row;
        row.lsn = lsn;
        row.queue = live->queue;
        row.classNumber = live->cls.value + 1;
        row.workerId = key.workerId;
        row.workerName = key.workerName;
        row.function = key.function;
        row.label = dictionary.label(live->label.value);
        row.state = ActionState::Pending;
        row.times[ActionState::New] = row.times[ActionState::Pending] = live->submitTime;
        journal.add(std::move(row));
        return lsn;
    }
    Result<ActionResult> read(Lsn lsn) { return rig.ask(rows.row(lsn)); }
    /// The note of one that runs since then.
    std::string note(Lsn lsn, MonoTime since) {
        std::vector<ActionResult> one(1);
        one.front().lsn = lsn;
        one.front().state = ActionState::Running;
        one.front().times[ActionState::Running] = scale.at(since);
        rig.ask(noted(one));
        return one.front().note;
    }

private:
    coro::Task<bool> noted(std::span<ActionResult> some) {
        co_await notes.addTo(some);
        co_return true;
    }
};

} // namespace yard::engine::test
