#include "ui/pages/queues/queue_rows.h"

#include "core/base/clock.h"
#include "ui/state/estimate_words.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <iterator>

namespace yard::ui {

namespace {

struct QueueRows {
    Q_DECLARE_TR_FUNCTIONS(QueueRows)
};

QString wordOfState(const QueueInfo& queue) {
    if (queue.state == "draining") return QueueRows::tr("Draining");
    if (queue.state == "cancelled") return QueueRows::tr("Cancelled");
    return queue.held ? QueueRows::tr("Held") : QueueRows::tr("Active");
}

Cell nameCell(const QueueInfo& queue) {
    Cell cell{queue.name()};
    if (queue.state == "draining")
        cell.icon = "drain";
    else
        cell.face = faceOf(queue);
    return cell;
}

Cell number(const Format& format, qint64 value, bool bad = false) {
    Cell cell{format.number(value)};
    if (bad && value > 0) cell.tone = Cell::Tone::Alert;
    return cell;
}

Cell finishCell(const Format& format, const QueueInfo& queue) {
    if (queue.held && queue.active > 0) return {QueueRows::tr("on release"), {}, {}, {}, Cell::Tone::Dim};
    const auto left = timeLeft(queue, wallNow());
    if (left || queue.active == 0 || queue.gap.isEmpty()) return {format.duration(left)};
    Cell cell{shortWordOfGap(queue.gap), {}, {}, {}, Cell::Tone::Dim};
    cell.tip = QueueRows::tr("Not known: %1").arg(wordsOfQueueGap(queue.gap));
    return cell;
}

} // namespace

std::optional<Duration> timeLeft(const QueueInfo& queue, qint64 now) {
    if (queue.finish <= now || queue.active == 0) return std::nullopt;
    return Duration(std::chrono::microseconds(queue.finish - now));
}

DisplayState faceOf(const QueueInfo& queue) {
    if (queue.state == "cancelled") return DisplayState::Cancelled;
    if (queue.held) return DisplayState::Held;
    return queue.running() > 0 ? DisplayState::Running : DisplayState::Pending;
}

namespace {

std::vector<Column> countColumns(bool few) {
    return {
        {.id = "done",
         .title = QueueRows::tr("Done"),
         .tip = QueueRows::tr("Share of its actions that are in a final state"),
         .kind = CellKind::Number,
         .width = 66,
         .falls = kFallsLast + 3,
         .sort = "done"},
        {.id = "waiting",
         .title = QueueRows::tr("Waiting"),
         .tip = QueueRows::tr("Actions pending, held or waiting to be retried"),
         .kind = CellKind::Number,
         .width = 66,
         .falls = kFallsLast + 2,
         .sort = "waiting"},
        {.id = "running",
         .title = QueueRows::tr("Running"),
         .tip = QueueRows::tr("Actions running now"),
         .kind = CellKind::Number,
         .width = 64,
         .falls = kFallsLast + 1,
         .sort = "running"},
        {.id = "completed",
         .title = QueueRows::tr("Completed"),
         .tip = QueueRows::tr("Actions that succeeded"),
         .kind = CellKind::Number,
         .width = 84,
         .falls = 3,
         .hidden = few,
         .sort = "completed"},
        {.id = "failed",
         .title = QueueRows::tr("Failed"),
         .tip = QueueRows::tr("Actions that failed for good"),
         .kind = CellKind::Number,
         .width = 66,
         .sort = "failed"},
        {.id = "per-minute",
         .title = QueueRows::tr("Per min"),
         .tip = QueueRows::tr("Actions that completed within the last 60 s"),
         .kind = CellKind::Number,
         .width = 62,
         .falls = 1,
         .sort = "rate"},
        {.id = "finish",
         .title = QueueRows::tr("Finish in"),
         .tip = QueueRows::tr("When what waits and runs should be done"),
         .kind = CellKind::Number,
         .width = few ? 84 : 92,
         .sort = "finish"},
    };
}

} // namespace

std::vector<Column> queueColumns(bool few) {
    std::vector<Column> all = {
        {.id = "name",
         .title = QueueRows::tr("Queue"),
         .tip = QueueRows::tr("The queue's tag, or its number"),
         .kind = CellKind::Name,
         .width = 154,
         .sort = "name"},
        {.id = "state",
         .title = QueueRows::tr("State"),
         .tip = QueueRows::tr("Whether it starts actions"),
         .kind = CellKind::Text,
         .width = 80,
         .falls = few ? 2 : kFallsLast,
         .sort = "state"},
        {.id = "weight",
         .title = QueueRows::tr("Weight"),
         .tip = QueueRows::tr("Its share of the machine against other queues"),
         .kind = CellKind::Number,
         .width = 58,
         .falls = 2,
         .hidden = few,
         .sort = "weight"},
        {.id = "progress",
         .title = QueueRows::tr("Progress"),
         .tip = QueueRows::tr("Actions by state; the legend is below"),
         .kind = CellKind::Progress,
         .width = few ? 110 : 126,
         .stretches = true},
    };
    std::ranges::move(countColumns(few), std::back_inserter(all));
    return all;
}

Row queueRow(const Format& format, const QueueInfo& queue) {
    Row row;
    row.id = rowIdOf(queue.id);
    row.mark = queue.mark;
    const auto weight = static_cast<qint64>(queue.config.value("weight").toDouble(1));
    Cell progress;
    progress.shares = queue.shares;
    progress.text = format.percent(queue.done(), queue.total());
    progress.tip =
        QueueRows::tr("%1 completed, %2 failed, %3 abandoned, %4 cancelled, %5 running, %6 waiting")
            .arg(format.number(queue.of(DisplayState::Completed)), format.number(queue.of(DisplayState::Failed)),
                 format.number(queue.of(DisplayState::Abandoned)), format.number(queue.of(DisplayState::Cancelled)),
                 format.number(queue.running()), format.number(queue.waiting()));
    if (const qint64 held = queue.of(DisplayState::Held); held > 0)
        progress.tip += QueueRows::tr(", %1 of them held by themselves").arg(format.number(held));
    row.cells = {nameCell(queue),
                 {wordOfState(queue), {}, {}, {}, Cell::Tone::Dim},
                 number(format, weight),
                 progress,
                 {format.percent(queue.done(), queue.total())},
                 number(format, queue.waiting()),
                 number(format, queue.running()),
                 number(format, queue.of(DisplayState::Completed)),
                 number(format, queue.of(DisplayState::Failed), true),
                 queue.perMinute < 0 ? Cell{Format::unknown()} : number(format, queue.perMinute),
                 finishCell(format, queue)};
    const double done =
        queue.total() > 0 ? static_cast<double>(queue.done()) / static_cast<double>(queue.total()) : 0;
    row.keys = {QVariant(),
                QVariant(),
                weight,
                QVariant(),
                done,
                queue.waiting(),
                queue.running(),
                queue.of(DisplayState::Completed),
                queue.of(DisplayState::Failed),
                queue.perMinute,
                queue.finish};
    return row;
}

} // namespace yard::ui
