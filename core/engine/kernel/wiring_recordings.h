// Makes the services of recordings and replays.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the services lead here.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <vector>

namespace yard::engine {

class RecordingWiring {
public:
    RecordingWiring(Ground& ground, Services& services)
        : ground_(ground)
        , services_(services) {}
    RecordingWiring(const RecordingWiring&) = delete;
    RecordingWiring& operator=(const RecordingWiring&) = delete;

    /// Once the content store works.
    void open();

private:
    void openRecordings();
    void openReplays();
    coro::Task<void> cancelQueue(QueueId queue);
    coro::Task<Result<std::vector<ActionResult>>> rowsToRecord(std::vector<Lsn> lsns);

    Ground& ground_;
    Services& services_;
};

} // namespace yard::engine
