// What stands in which column, and how.
#include "ui/pages/actions/action_columns.h"

#include "core/base/clock.h"
#include "ui/pages/actions/actions_model.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace yard::ui {

namespace {

struct ActionColumns {
    Q_DECLARE_TR_FUNCTIONS(ActionColumns)
};

QString timeText(const Format& format, qint64 at) {
    return at == 0 ? Format::unknown() : format.time(at, wallNow());
}

/// Of "lock app:atlas is held by action 12" the 12; else 0.
qint64 holderIn(const QString& note) {
    static const QString kHeldBy = QStringLiteral(" is held by action ");
    const auto at = note.startsWith(u"lock ") ? note.lastIndexOf(kHeldBy) : -1;
    if (at < 0) return 0;
    const QString number = note.mid(at + kHeldBy.size());
    const qint64 lsn = number.toLongLong();
    return QString::number(lsn) == number && lsn > 0 ? lsn : 0;
}

} // namespace

std::vector<Column> actionColumns() {
    using enum CellKind;
    return {
        {"state", ActionColumns::tr("State"), ActionColumns::tr("Where it stands"), State, 126, false, 0, false,
         "state"},
        {"lsn", ActionColumns::tr("Action"), ActionColumns::tr("Its number (LSN), never used twice"), Number, 88,
         false, 0, false, "lsn"},
        {"what", ActionColumns::tr("What"), ActionColumns::tr("Its label, else its function"), Name, 200, false, 0,
         false, "label"},
        {"worker", ActionColumns::tr("Worker"), ActionColumns::tr("The program that carries it out"), Text, 110,
         false, 3, false, "worker_name"},
        {"queue", ActionColumns::tr("Queue"), ActionColumns::tr("The queue it came in"), Text, 130, false, 2, false,
         "queue_id"},
        {"ran", ActionColumns::tr("Ran"),
         ActionColumns::tr("Time from its process's start to its end, of the last try"), Number, 88, false, 0,
         false, "runtime"},
        {"peak", ActionColumns::tr("Peak mem."), ActionColumns::tr("Most memory of its process tree"), Number, 80,
         false, 1, false, "max_rss_bytes"},
        {"note",
         ActionColumns::tr("Note: first error, reason to wait, or progress"),
         ActionColumns::tr("The next thing one would ask"),
         Text,
         220,
         true,
         0,
         false,
         {}},
        {"function", ActionColumns::tr("Function"), ActionColumns::tr("The worker's function"), Text, 100, false, 4,
         true, "function"},
        {"tries", ActionColumns::tr("Tries"), ActionColumns::tr("Attempts so far"), Number, 54, false, 4, true,
         "retry_count"},
        {"cpu", ActionColumns::tr("Processor"), ActionColumns::tr("Processor time used"), Number, 84, false, 4,
         true, "cpu_seconds"},
        {"waited",
         ActionColumns::tr("Waited"),
         ActionColumns::tr("From submission to its last start"),
         Number,
         84,
         false,
         4,
         true,
         {}},
        {"prepared",
         ActionColumns::tr("Prepared"),
         ActionColumns::tr("From its start to its process"),
         Number,
         84,
         false,
         4,
         true,
         {}},
        {"started", ActionColumns::tr("Started"), ActionColumns::tr("When its process began"), Number, 84, false, 4,
         true, "started"},
        {"finished", ActionColumns::tr("Finished"), ActionColumns::tr("When it ended for good"), Number, 84, false,
         4, true, "finished"},
        {"priority", ActionColumns::tr("Priority"), ActionColumns::tr("-100 to 100, higher first"), Number, 62,
         false, 4, true, "priority"},
        {"exit", ActionColumns::tr("Exit"), ActionColumns::tr("Exit code"), Number, 48, false, 4, true,
         "exit_code"},
        {"reason", ActionColumns::tr("Reason"), ActionColumns::tr("Why it ended as it did"), Text, 110, false, 4,
         true, "reason"},
    };
}

FilterValues ActionsModel::valuesSeen() const {
    std::map<QString, std::map<QString, qint64>> seen;
    for (const auto& [lsn, kept] : rows_)
        for (const auto& [key, value] :
             {std::pair{"worker", &kept.row.worker}, std::pair{"function", &kept.row.function},
              std::pair{"label", &kept.row.label}})
            if (!value->isEmpty()) ++seen[key][*value];
    FilterValues values;
    for (const auto& [key, counts] : seen) {
        auto& list = values[key];
        // Of what is here only: no count of all there are.
        std::vector<std::pair<qint64, QString>> ordered;
        for (const auto& [value, count] : counts) ordered.emplace_back(-count, value);
        std::ranges::sort(ordered);
        for (const auto& [count, value] : ordered) list.push_back({value, -1});
    }
    return values;
}

Cell ActionsModel::cell(int at, int column) const {
    const ActionRow* row = action(idAt(at));
    if (row == nullptr) return {};
    const Format& format = format_;
    const qint64 now = wallNow();
    using enum Cell::Tone;
    const auto dim = [](const QString& text) { return Cell{text, {}, {}, {}, Dim}; };
    switch (column) {
    case kState: return {wordOf(row->face), row->face};
    case kLsn: return {format.number(row->lsn)};
    case kWhat: return {row->what()};
    case kWorker: return dim(row->worker);
    case kQueue: return dim(state_.queueName(row->queue));
    case kRan: return {format.duration(row->ran(now))};
    case kPeak: return {row->peakBytes ? format.size(*row->peakBytes) : Format::unknown()};
    case kNote: {
        Cell cell{row->note, {}, {}, {}, Dim};
        cell.mono = row->face == Face::Failed && row->reason == "exit_code";
        if (cell.mono) cell.tone = Normal;
        if (row->note.isEmpty() && row->isFinal() && row->face != Face::Completed)
            cell.text = wordOfReason(row->reason, row->exitCode);
        if (const qint64 holder = row->isFinal() ? 0 : holderIn(row->note); holder != 0) {
            cell.target = holder;
            cell.link = format.number(holder);
            cell.text = row->note.chopped(QString::number(holder).size()) + cell.link;
        }
        return cell;
    }
    case kFunction: return dim(row->function);
    case kTries: return {format.number(row->tries)};
    case kCpu:
        return {row->cpuSeconds ? format.duration(Duration(
                                      std::chrono::microseconds(static_cast<std::int64_t>(*row->cpuSeconds * 1e6))))
                                : Format::unknown()};
    case kWaited: return {format.duration(row->waited(now))};
    case kPrepared: return {format.duration(row->prepared(now))};
    case kStarted: return {timeText(format, row->started)};
    case kFinished: return {timeText(format, row->finished)};
    case kPriority: return {format.number(row->priority)};
    case kExit: return {row->exitCode ? format.number(*row->exitCode) : Format::unknown()};
    case kReason: return dim(row->reason.isEmpty() ? QString() : wordOfReason(row->reason, row->exitCode));
    default: return {};
    }
}

} // namespace yard::ui
