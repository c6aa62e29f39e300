// Recordings, given what they need of the others.
#include "core/engine/kernel/wiring_recordings.h"

#include "core/engine/kernel/wires.h"

#include <utility>

namespace yard::engine {

coro::Task<Result<std::vector<ActionResult>>> RecordingWiring::rowsToRecord(std::vector<Lsn> lsns) {
    auto rows = co_await ground_.journal.getAll(std::move(lsns));
    if (rows)
        for (ActionResult& row : *rows) row = services_.rows->withNames(std::move(row));
    co_return rows;
}

void RecordingWiring::open() {
    openRecordings();
    openReplays();
}

void RecordingWiring::openRecordings() {
    services_.recordings.emplace(Recordings::Parts{
        .directory = ground_.directory->path() + "/recordings",
        .engineId = ground_.directory->engineId(),
        .read = [this](std::vector<Lsn> lsns) { return rowsToRecord(std::move(lsns)); },
        .action = [this](Lsn lsn) { return services_.details->spec(lsn, true); },
        .worker =
            [this](const std::string& id) {
                const RegisteredWorker* worker = services_.registry.find(id);
                return worker ? worker->canonical : std::string();
            },
        .means = [this](const ListQuery& query,
                        const ActionResult& row) { return services_.selection->matches(query, row); },
        .list = [this](ListQuery query) { return services_.listing->list(std::move(query)); },
        .chunks = [this]() -> store::ChunkStore& { return *ground_.chunks; },
        .spawn = spawningOn(ground_.loop),
        .now = [this] { return ground_.scale.at(MonoClock::now()); }});
}

coro::Task<void> RecordingWiring::cancelQueue(QueueId queue) {
    (void)co_await services_.queues->cancel({.number = queue, .token = {}});
}

void RecordingWiring::openReplays() {
    services_.replays.emplace(Replays::Parts{
        .file = [this](std::string name) { return services_.recordings->file(std::move(name)); },
        .isRegistered =
            [this](const std::string& worker) {
                return services_.registry.find(worker) != nullptr && services_.workers->takesActions(worker);
            },
        .addWorker = [this](ParsedWorker worker) { return services_.workers->add(std::move(worker)); },
        .addQueue = [this](std::string tag) { return services_.queues->create(std::move(tag), {}); },
        .submit =
            [this](Submission submission) {
                return services_.intake->submit(std::move(submission), Duration::zero());
            },
        .waitFor = [this](Lsn lsn, Duration wait) { return services_.results->waitFor(lsn, wait); },
        .cancel = [this](QueueId queue) { return cancelQueue(queue); },
        .chunks = [this]() -> store::ChunkStore& { return *ground_.chunks; },
        .spawn = spawningOn(ground_.loop),
        .now = [this] { return ground_.scale.at(MonoClock::now()); }});
}

} // namespace yard::engine
