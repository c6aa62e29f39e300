// What pending actions wait for, counted: by the engine, or from the notes of those that it lists. Values; ui
// thread.
#pragma once

#include "ui/state/engine_state.h"

#include <QJsonArray>
#include <QString>
#include <optional>
#include <vector>

namespace yard::ui {

/// One kind of waiting.
struct WaitReason {
    DisplayState face = DisplayState::Pending;
    QString text;   ///< "cores: 0 of 64 free"
    QString more;   ///< "next in 6 s"; may be empty
    QString filter; ///< finds such actions, and others of their state
    qint64 count = 0;
    /// The same for the same reason, as rows want it; never 0.
    qint64 id() const;
};

/// Most rows that are looked at.
inline constexpr int kMostWaiting = 1'000;

/// Asks for those that wait, the next to start first; of one queue when there is one.
Request waitingRequest(std::optional<qint64> queue);
/// The engine's own count over all that wait; one without it answers 404.
inline Request waitingCountRequest() {
    return {"GET", "session/waiting", {}, {}};
}
/// Of its answer.
std::vector<WaitReason> waitReasonsOf(const QJsonObject& counted, const EngineState& state, qint64 now);

/// Who has some of what an action lacks.
struct WaitHolder {
    qint64 lsn = 0; ///< 0: no action
    QString text;   ///< "12 render: 4"
};
/// Of one of the `waits` of GET jobs/{lsn}/why; as they come, the largest first.
std::vector<WaitHolder> waitHoldersOf(const QJsonObject& wait);

/// The commonest first. `jobs` as GET jobs lists them; `now` in microseconds since the epoch.
std::vector<WaitReason> waitReasonsOf(const QJsonArray& jobs, const EngineState& state, qint64 now);

} // namespace yard::ui
