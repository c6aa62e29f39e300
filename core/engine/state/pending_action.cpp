#include "core/engine/state/pending_action.h"

#include <algorithm>

namespace yard::engine {

session::NewAction sessionAction(const store::PendingRow& row, const WallScale& scale) {
    session::NewAction action;
    action.lsn = row.lsn;
    action.queue = row.queue;
    action.cls = session::ClassId{row.classNumber - 1};
    action.label = session::LabelId{row.label};
    action.priority = row.priority;
    action.held = row.held;
    action.cancelRequested = row.cancelRequested;
    if (row.notBefore)
        action.notBefore = MonoTime(Duration(std::max<std::int64_t>(row.notBefore - scale.offset, 1)));
    action.submitTime = row.tNew;
    action.attempts = row.attempts;
    action.retries = {static_cast<int>(row.retryCount), static_cast<int>(row.ownFailures),
                      static_cast<int>(row.interruptions)};
    action.place = row.place;
    return action;
}

} // namespace yard::engine
