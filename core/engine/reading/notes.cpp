#include "core/engine/reading/notes.h"

#include "core/coro/timeout.h"
#include "core/model/result.h"

#include <utility>

namespace yard::engine {

namespace {

/// What runs for less gets no line.
constexpr WallMicros kWorthALine = 1'000'000;
/// Watchers hear of new lines as often.
constexpr Duration kLook{1'000'000};
/// Longest that an answer waits for lines.
constexpr Duration kReadFor{20'000};

} // namespace

void Notes::askForLines(std::span<ActionResult> rows, std::vector<LineToRead>& grown) {
    const MonoTime now = parts_.now();
    for (const ActionResult& row : rows) {
        const WallMicros began = row.times[ActionState::Running];
        if (row.state != ActionState::Running || began == 0) continue;
        if (const WallMicros ran = parts_.scale.at(now) - began; ran < kWorthALine) {
            lines_.askLater(row.lsn, now + Duration(kWorthALine - ran));
            continue;
        }
        if (const Attempt* attempt = parts_.attempt(row.lsn);
            !attempt || attempt->phase != Attempt::Phase::Launched)
            continue;
        lines_.ask(row.lsn, parts_.follow(row.lsn), now, grown);
    }
}

coro::Task<void> Notes::addTo(std::span<ActionResult> rows, Duration pendingFor) {
    YARD_ASSERT_OWNER(owner_);
    parts_.reasons.describe(rows, pendingFor);
    std::vector<LineToRead> grown;
    askForLines(rows, grown);
    if (!lines_.empty() && !std::exchange(tells_, true)) parts_.spawn("last lines", tellLines());
    if (!grown.empty()) {
        auto read = co_await coro::within(kReadFor, parts_.helpers.run([lines = std::move(grown)]() mutable {
            return readLines(std::move(lines));
        }));
        // Else as they were known; the next who asks waits again.
        if (read) lines_.took(*read);
    }
    for (ActionResult& row : rows) {
        const Attempt* attempt = row.state == ActionState::Running ? parts_.attempt(row.lsn) : nullptr;
        if (attempt == nullptr || attempt->hungSince != 0 || row.ending) continue;
        // Before how long it will take, which its estimate says as well.
        if (std::string line = lines_.line(row.lsn); !line.empty()) row.note = std::move(line);
    }
}

coro::Task<void> Notes::tellLines() {
    while (!lines_.empty()) {
        co_await coro::sleepFor(kLook);
        for (const Lsn lsn : lines_.grown(parts_.now()))
            if (parts_.attempt(lsn)) parts_.rowChanged(lsn); // else it has ended, and its row was told then
    }
    tells_ = false;
}

} // namespace yard::engine
