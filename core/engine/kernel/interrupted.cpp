#include "core/engine/kernel/interrupted.h"

#include "core/base/log.h"
#include "core/lease/left_stream.h"
#include "core/lease/recovery.h"
#include "core/runners/runner_source.h"
#include "core/store/data_directory.h"

namespace yard::engine {

void InterruptedAttempts::add(std::span<const runners::SlotEntry> entries, bool warm) {
    for (const runners::SlotEntry& entry : entries) {
        if (Attempt& known = newest_[entry.id.lsn]; entry.id.attempt >= known.number)
            known = {.number = entry.id.attempt, .started = entry.started, .warm = warm};
        if (warm) continue;
        for (const runners::Stream stream : {runners::Stream::Out, runners::Stream::Err})
            streams_.push_back(runners::streamName(entry.id, stream));
    }
}

const InterruptedAttempts::Attempt* InterruptedAttempts::find(Lsn lsn, std::uint32_t attempts) const {
    const auto at = newest_.find(lsn);
    return at != newest_.end() && at->second.number == attempts + 1 ? &at->second : nullptr;
}

namespace {

/// What warm processes had been sent: the processes themselves are in `slots`. Returns how many entries are damaged.
unsigned readWarmEntries(const std::string& dataDir, std::vector<runners::SlotEntry>& into) {
    const auto file = runners::SlotsFile::open(dataDir + "/slots.warm");
    if (!file) {
        if (file.error().kind != ErrorKind::NotFound)
            logWarning("engine", "what warm workers had been sent cannot be read: {}", file.error().message);
        return 0;
    }
    into = file->entries();
    return file->damaged();
}

} // namespace

Result<InterruptedAttempts> endInterrupted(const store::DataDirectory& directory,
                                           std::span<const std::shared_ptr<runners::RunnerSource>> others) {
    auto recovered = runners::recoverSlots(directory.slots(), directory.engineId());
    if (!recovered) return std::unexpected(recovered.error());
    if (recovered->killed > 0) logWarning("engine", "ended {} processes of an earlier engine", recovered->killed);
    InterruptedAttempts interrupted;
    interrupted.add(recovered->interrupted, false);
    for (const auto& source : others) {
        auto told = source->recover();
        if (!told) return std::unexpected(told.error());
        interrupted.add(*told, false);
    }
    std::vector<runners::SlotEntry> warm;
    if (const unsigned damaged = recovered->damaged + readWarmEntries(directory.path(), warm); damaged > 0)
        logWarning(
            "engine",
            "{} damaged entries of \"slots\" were passed over: an action that only they name counts as never "
            "started, and starts again without an interruption",
            damaged);
    interrupted.add(warm, true);
    return interrupted;
}

} // namespace yard::engine
