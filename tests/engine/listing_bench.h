// Lists without launcher and journal: rows are what a test says, the clock as well.
#pragma once

#include "core/engine/reading/facets.h"
#include "core/engine/reading/listing.h"

#include "tests/engine/reading_bench.h"

#include <string>
#include <utility>

namespace yard::engine::test {

/// Queue 2 is "tests".
class ListingBench : public ReadingBench {
public:
    WorkerRegistry registry;
    Queues queues{{.session = machine.session,
                   .outbox = machine.out,
                   .dictionary = dictionary,
                   .annotations = annotations,
                   .commit = [](store::Action) { return kept(); },
                   .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                   .estimate = [](QueueView&, const session::QueueStatus&) {},
                   .changed = [this](QueueId id) { changes.note(ChangeEntry::Kind::Queue, id); },
                   .now = [this] { return rig.loop.now(); },
                   .wake = [] {}}};
    ChangeLog changes{
        {.session = machine.session,
         .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
         .now = [this] { return rig.loop.now(); }}};
    Selection selection{{.session = machine.session,
                         .dictionary = dictionary,
                         .registry = registry,
                         .queues = queues,
                         .rows = rows,
                         .annotations = annotations,
                         .journal = journal,
                         .scale = scale,
                         .now = [this] { return rig.loop.now(); }}};
    Orders orders{{.session = machine.session,
                   .places = machine.session.places(),
                   .dictionary = dictionary,
                   .selection = selection,
                   .rows = rows,
                   .journal = journal,
                   .changes = changes,
                   .helpers = helpers,
                   .scale = scale,
                   .run = "0123456789",
                   .attempt = [this](Lsn lsn) { return attempt(lsn); },
                   .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                   .now = [this] { return rig.loop.now(); }}};
    MatchWalk matches{{.session = machine.session, .selection = selection, .journal = journal, .now = [this] {
                           return rig.loop.now();
                       }}};
    Listing listing{{.session = machine.session,
                     .queues = queues,
                     .selection = selection,
                     .rows = rows,
                     .orders = orders,
                     .matches = matches,
                     .journal = journal,
                     .now = [this] { return rig.loop.now(); }}};
    Facets facets{{.session = machine.session,
                   .dictionary = dictionary,
                   .queues = queues,
                   .selection = selection,
                   .matches = matches,
                   .machineName = "here",
                   .attempt = [this](Lsn lsn) { return attempt(lsn); }}};

    ListingBench() {
        store::QueueRow queue;
        queue.id = QueueId(2);
        queue.token = queue.tag = "tests";
        queues.restore({queue}, 2);
        journal.labelNumber = [this](std::string_view label) { return dictionary.labelNumber(label); };
    }
    ~ListingBench() { rig.loop.shutdown(); } // before what its threads use goes

    /// One that waits, and is in the journal.
    Lsn pending(std::int64_t queue = 1, int priority = 0) { return keep(machine.submit(queue, priority, cls.id)); }
    /// One that ended, after it ran for so long.
    Lsn ended(ActionState state = ActionState::Completed, Duration ran = kSecond) {
        const Lsn lsn(++machine.lsn);
        ActionResult row;
        row.lsn = lsn;
        row.queue = QueueId(1);
        row.classNumber = cls.id + 1;
        row.workerId = "w";
        row.workerName = "sort";
        row.function = "f";
        row.state = state;
        row.times[ActionState::New] = row.times[ActionState::Submitting] = row.times[ActionState::Running] =
            scale.at(machine.now);
        row.times[state] = scale.at(machine.now + ran);
        journal.add(std::move(row));
        return lsn;
    }
    static ListQuery query(const std::string& filter = {}) {
        ListQuery query;
        query.filter = parseFilter(filter, 0).value();
        return query;
    }
    Result<ListPage> list(ListQuery query) { return rig.ask(listing.list(std::move(query))); }

private:
    static coro::Task<store::AckDetail> kept() { co_return store::AckDetail{}; }
};

} // namespace yard::engine::test
