#include "core/engine/reading/notes.h"

#include "core/coro/timeout.h"
#include "core/model/result.h"

#include <algorithm>
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

void Notes::askForLines(std::span<ActionResult> rows, ToRead& read) {
    const MonoTime now = parts_.now();
    for (const ActionResult& row : rows) {
        const WallMicros began = row.times[ActionState::Running];
        if (row.state != ActionState::Running || began == 0) continue;
        if (const WallMicros ran = parts_.scale.at(now) - began; ran < kWorthALine) {
            lines_.askLater(row.lsn, now + Duration(kWorthALine - ran));
            continue;
        }
        const Attempt* attempt = parts_.attempt(row.lsn);
        if (!attempt || attempt->phase != Attempt::Phase::Launched) continue;
        const std::string statusFile = parts_.statusFile ? parts_.statusFile(*attempt) : std::string();
        lines_.ask(row.lsn, parts_.follow(row.lsn), now, read.lines);
        lines_.askStatus(row.lsn, statusFile, now, read.statuses);
        (void)hear(row.lsn, *attempt);
    }
}

/// True: its warm process says something else than before.
bool Notes::hear(Lsn lsn, const Attempt& attempt) {
    const ReportedProgress* said = parts_.said ? parts_.said(attempt) : nullptr;
    return said != nullptr && lines_.took(lsn, *said, parts_.now());
}

coro::Task<void> Notes::addTo(std::span<ActionResult> rows, Duration pendingFor) {
    YARD_ASSERT_OWNER(owner_);
    parts_.reasons.describe(rows, pendingFor);
    ToRead wanted;
    askForLines(rows, wanted);
    if (!lines_.empty() && !std::exchange(tells_, true)) parts_.spawn("last lines", tellLines());
    if (!wanted.lines.empty() || !wanted.statuses.empty()) {
        const bool progress = parts_.readsProgress && parts_.readsProgress();
        auto read =
            co_await coro::within(kReadFor, parts_.helpers.run([wanted = std::move(wanted), progress]() mutable {
                return ToRead{.lines = readLines(std::move(wanted.lines), progress),
                              .statuses = readStatuses(std::move(wanted.statuses))};
            }));
        // Else as they were known; the next who asks waits again.
        if (read) {
            lines_.took(read->lines, parts_.now());
            (void)lines_.took(read->statuses, parts_.now());
        }
    }
    for (ActionResult& row : rows) {
        const Attempt* attempt = row.state == ActionState::Running ? parts_.attempt(row.lsn) : nullptr;
        if (attempt == nullptr || attempt->hungSince != 0 || row.ending) continue;
        // Before how long it will take, which its estimate says as well.
        if (std::string line = lines_.line(row.lsn); !line.empty()) row.note = std::move(line);
        addProgress(row);
    }
}

/// What it says itself goes before what its likes took.
void Notes::addProgress(ActionResult& row) const {
    constexpr double kLeast = 0.01; // of less nothing follows
    const OutputTails::Progress* progress = lines_.progress(row.lsn);
    if (progress == nullptr) return;
    row.progress = progress->said;
    if (!row.progress.message.empty()) row.note = row.progress.message;
    const WallMicros began = row.times[ActionState::Running];
    if (!row.progress.fraction || *row.progress.fraction < kLeast || began == 0) return;
    const auto soFar = static_cast<double>(parts_.scale.at(progress->at) - began);
    row.estimatedStart = row.times[ActionState::Submitting];
    row.estimatedFinish =
        std::max(began + static_cast<WallMicros>(soFar / *row.progress.fraction), parts_.scale.at(parts_.now()));
    row.estimateGap = EstimateGap::None;
}

coro::Task<void> Notes::tellLines() {
    while (!lines_.empty()) {
        co_await coro::sleepFor(kLook);
        if (auto due = lines_.dueStatuses(parts_.now()); !due.empty()) {
            const auto read = co_await parts_.helpers.run(
                [due = std::move(due)]() mutable { return readStatuses(std::move(due)); });
            for (const Lsn lsn : lines_.took(read, parts_.now())) parts_.rowChanged(lsn);
        }
        for (const Lsn lsn : lines_.shown())
            if (const Attempt* attempt = parts_.attempt(lsn); attempt && hear(lsn, *attempt))
                parts_.rowChanged(lsn);
        for (const Lsn lsn : lines_.grown(parts_.now()))
            if (parts_.attempt(lsn)) parts_.rowChanged(lsn); // else it has ended, and its row was told then
    }
    tells_ = false;
}

} // namespace yard::engine
