#include "core/engine/machines/remote_progress.h"

namespace yard::engine {

void RemoteProgress::came(runners::AttemptId id, const link::Update& update) {
    if (all_.size() >= kMost && !all_.contains(id)) return;
    ReportedProgress& said = all_[id];
    if (update.number <= link::kWholeProgress)
        said.fraction = static_cast<double>(update.number) / static_cast<double>(link::kWholeProgress);
    // As of an action here: one line, no longer than a row shows.
    if (!update.text.empty()) said.message = lastLine(update.text);
}

const ReportedProgress* RemoteProgress::of(runners::AttemptId id) const {
    const auto at = all_.find(id);
    return at == all_.end() ? nullptr : &at->second;
}

void RemoteProgress::sweep(const std::function<bool(runners::AttemptId)>& isThere) {
    std::erase_if(all_, [&](const auto& entry) { return !isThere(entry.first); });
}

} // namespace yard::engine
