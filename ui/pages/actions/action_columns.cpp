// What stands in which column, and how.
#include "ui/pages/actions/action_columns.h"

#include "core/base/clock.h"
#include "ui/pages/actions/actions_model.h"
#include "ui/state/engine_words.h"
#include "ui/style/measure_texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <map>

namespace yard::ui {

namespace {

/// "cpu" and "peak" below.
constexpr std::size_t kPlacedMeasures = 2;

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

/// Shown only when chosen: when it began and ended, and how.
std::vector<Column> endColumns() {
    using enum CellKind;
    return {
        {.id = "started",
         .title = ActionColumns::tr("Started"),
         .tip = ActionColumns::tr("When its process began"),
         .kind = Number,
         .width = 84,
         .falls = 4,
         .hidden = true,
         .sort = "started"},
        {.id = "finished",
         .title = ActionColumns::tr("Finished"),
         .tip = ActionColumns::tr("When it ended for good"),
         .kind = Number,
         .width = 84,
         .falls = 4,
         .hidden = true,
         .sort = "finished"},
        {.id = "priority",
         .title = ActionColumns::tr("Priority"),
         .tip = ActionColumns::tr("-100 to 100, higher first"),
         .kind = Number,
         .width = 62,
         .falls = 4,
         .hidden = true,
         .sort = "priority"},
        {.id = "place",
         .title = ActionColumns::tr("Place"),
         .tip = ActionColumns::tr("Number in the order of its queue, while it waits"),
         .kind = Number,
         .width = 60,
         .falls = 4,
         .hidden = true,
         .sort = "place"},
        {.id = "exit",
         .title = ActionColumns::tr("Exit"),
         .tip = ActionColumns::tr("Exit code"),
         .kind = Number,
         .width = 48,
         .falls = 4,
         .hidden = true,
         .sort = "exit_code"},
        {.id = "reason",
         .title = ActionColumns::tr("Reason"),
         .tip = ActionColumns::tr("Why it ended as it did"),
         .kind = Text,
         .width = 110,
         .falls = 4,
         .hidden = true,
         .sort = "reason"},
    };
}

/// Of what was measured, beside those that have a place of their own.
void addMeasureColumns(std::vector<Column>& all) {
    for (std::size_t i = kPlacedMeasures; i < kMeasures; ++i) {
        const MeasureInfo& info = kMeasureTable[i];
        all.push_back({.id = QLatin1String(info.filter.data(), static_cast<qsizetype>(info.filter.size())),
                       .title = measureText(info.heading),
                       .tip = measureText(info.help),
                       .kind = CellKind::Number,
                       .width = 84,
                       .falls = 4,
                       .hidden = true,
                       .sort = QLatin1String(info.name.data(), static_cast<qsizetype>(info.name.size()))});
    }
}

/// All that are shown only when chosen.
std::vector<Column> hiddenColumns() {
    using enum CellKind;
    std::vector<Column> all = {
        {.id = "function",
         .title = ActionColumns::tr("Function"),
         .tip = ActionColumns::tr("The worker's function"),
         .kind = Text,
         .width = 100,
         .falls = 4,
         .hidden = true,
         .sort = "function"},
        {.id = "tries",
         .title = ActionColumns::tr("Tries"),
         .tip = ActionColumns::tr("Attempts so far"),
         .kind = Number,
         .width = 54,
         .falls = 4,
         .hidden = true,
         .sort = "retry_count"},
        {.id = "cpu",
         .title = ActionColumns::tr("Processor"),
         .tip = ActionColumns::tr("Processor time used"),
         .kind = Number,
         .width = 84,
         .falls = 4,
         .hidden = true,
         .sort = "cpu_seconds"},
        {.id = "waited",
         .title = ActionColumns::tr("Waited"),
         .tip = ActionColumns::tr("From submission to its last start"),
         .kind = Number,
         .width = 84,
         .falls = 4,
         .hidden = true},
        {.id = "prepared",
         .title = ActionColumns::tr("Prepared"),
         .tip = ActionColumns::tr("From its start to its process"),
         .kind = Number,
         .width = 84,
         .falls = 4,
         .hidden = true},
        {.id = "given",
         .title = ActionColumns::tr("Given"),
         .tip = ActionColumns::tr("Which ports, GPUs and the like it has, or had"),
         .kind = Text,
         .width = 120,
         .falls = 4,
         .hidden = true},
        {.id = "machine",
         .title = ActionColumns::tr("Machine"),
         .tip = ActionColumns::tr("The other machine that it runs on, or ran on last"),
         .kind = Text,
         .width = 96,
         .falls = 4,
         .hidden = true},
    };
    std::ranges::move(endColumns(), std::back_inserter(all));
    addMeasureColumns(all);
    return all;
}

} // namespace

std::vector<Column> actionColumns() {
    using enum CellKind;
    std::vector<Column> all = {
        {.id = "state",
         .title = ActionColumns::tr("State"),
         .tip = ActionColumns::tr("Where it stands"),
         .kind = State,
         .width = 126,
         .sort = "state"},
        {.id = "lsn",
         .title = ActionColumns::tr("Action"),
         .tip = ActionColumns::tr("Its number (LSN), never used twice"),
         .kind = Number,
         .width = 88,
         .sort = "lsn"},
        {.id = "what",
         .title = ActionColumns::tr("What"),
         .tip = ActionColumns::tr("Its label, else its command or function"),
         .kind = Name,
         .width = 200,
         .sort = "label"},
        {.id = "worker",
         .title = ActionColumns::tr("Worker"),
         .tip = ActionColumns::tr("The program that carries it out"),
         .kind = Text,
         .width = 110,
         .falls = 3,
         .sort = "worker_name"},
        {.id = "queue",
         .title = ActionColumns::tr("Queue"),
         .tip = ActionColumns::tr("The queue it came in"),
         .kind = Text,
         .width = 130,
         .falls = 2,
         .sort = "queue_id"},
        {.id = "ran",
         .title = ActionColumns::tr("Ran"),
         .tip = ActionColumns::tr("Time from its process's start to its end, of the last try"),
         .kind = Number,
         .width = 88,
         .sort = "runtime"},
        {.id = "peak",
         .title = ActionColumns::tr("Peak mem."),
         .tip = ActionColumns::tr("Most memory of its process tree"),
         .kind = Number,
         .width = 80,
         .falls = 1,
         .sort = "max_rss_bytes"},
        {.id = "note",
         .title = ActionColumns::tr("Note"),
         .tip = ActionColumns::tr("The next thing one would ask: first error, reason to wait, or progress"),
         .kind = Text,
         .width = 220,
         .stretches = true},
    };
    std::ranges::move(hiddenColumns(), std::back_inserter(all));
    return all;
}

FilterValues ActionsModel::valuesSeen() const {
    std::map<QString, std::map<QString, qint64>> seen;
    view_.kept().forEach([&seen](const ActionRow& row) {
        for (const auto& [key, value] : {std::pair{"worker", &row.worker}, std::pair{"function", &row.function},
                                         std::pair{"label", &row.label}})
            if (!value->isEmpty()) ++seen[key][*value];
    });
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

QString runningNote(const ActionRow& row, qint64 now, const Format& format) {
    constexpr qint64 kWorthSaying = 1'000'000;
    if (row.gap == "overdue" && !row.note.startsWith(u"usually takes")) {
        const QString late = ActionsModel::tr("longer than usual");
        return row.note.isEmpty() ? late : late + ", " + row.note;
    }
    const qint64 left = row.expected - now;
    if (row.expected == 0 || left < kWorthSaying || row.note.endsWith(u" left")) return row.note;
    const QString words =
        ActionsModel::tr("about %1 left").arg(format.duration(Duration(std::chrono::seconds(left / 1'000'000))));
    return row.note.isEmpty() ? words : words + ", " + row.note;
}

namespace {

Cell measureCell(const ActionRow& row, Measure measure, const Format& format) {
    const auto& value = row.measures[measure];
    return {value ? measured(format, measureInfo(measure), *value) : Format::unknown()};
}

Cell cpuCell(const ActionRow& row, const Format& format) {
    const auto& cpu = row.measures[Measure::CpuTime];
    if (!cpu) return {Format::unknown()};
    Cell cell{format.duration(Duration(*cpu))};
    if (row.cpuPercent)
        cell.tip = ActionColumns::tr("%1 so far; %2 in use at the last look")
                       .arg(cell.text, format.cores(*row.cpuPercent / 100));
    return cell;
}

} // namespace

Mark ActionsModel::markAt(int at) const {
    const ActionRow* row = action(idAt(at));
    return row == nullptr ? Mark::None : row->mark;
}

Cell ActionsModel::cell(int at, int column) const {
    const ActionRow* row = action(idAt(at));
    if (row == nullptr) return {};
    const Format& format = format_;
    const qint64 now = wallNow();
    using enum Cell::Tone;
    const auto dim = [](const QString& text) { return Cell{text, {}, {}, {}, Dim}; };
    switch (column) {
    case kState: return {row->stateWord(), row->face};
    case kLsn: return {format.number(row->lsn)};
    case kWhat: return {row->what()};
    case kWorker: return dim(row->worker);
    case kQueue: return dim(state_.queueName(row->queue));
    case kRan: return {format.duration(row->ran(now))};
    case kPeak: return measureCell(*row, Measure::PeakMemory, format);
    case kNote: {
        const QString note = noteWords(*row);
        Cell cell{note, {}, {}, {}, Dim};
        cell.mono = row->face == DisplayState::Failed && row->reason == "exit_code";
        if (cell.mono) cell.tone = Normal;
        if (row->face == DisplayState::Running) cell.text = runningNote(*row, now, format);
        if (row->note.isEmpty() && row->isFinal() && row->face != DisplayState::Completed)
            cell.text = wordOfReason(row->reason, row->exitCode);
        if (row->replacedBy != 0)
            cell.text = tr("replaced by %1").arg(format.number(row->replacedBy)) +
                        (cell.text.isEmpty() ? QString() : "; " + cell.text);
        const qint64 holder = row->isFinal() ? 0 : holderIn(row->note);
        if (const QString plain = QString::number(holder); holder != 0 && note.endsWith(plain)) {
            cell.target = holder;
            cell.link = format.number(holder);
            cell.text = note.chopped(plain.size()) + cell.link;
        }
        return cell;
    }
    case kFunction: return dim(row->function);
    case kTries: return {format.number(row->tries)};
    case kCpu: return cpuCell(*row, format);
    case kWaited: return {format.duration(row->waited(now))};
    case kPrepared: return {format.duration(row->prepared(now))};
    case kGiven: return dim(row->given);
    case kMachine: return dim(row->machine);
    case kStarted: return {timeText(format, row->started)};
    case kFinished: return {timeText(format, row->finished)};
    case kPriority: return {format.number(row->priority)};
    case kPlace: return {row->place > 0 ? format.number(row->place) : Format::unknown()};
    case kExit: return {row->exitCode ? format.number(*row->exitCode) : Format::unknown()};
    case kReason: return dim(row->reason.isEmpty() ? QString() : wordOfReason(row->reason, row->exitCode));
    default: break;
    }
    // What is measured and has no place of its own: behind the others.
    const auto measure = static_cast<std::size_t>(column) - kFirstMeasure + kPlacedMeasures;
    return measure < kMeasures ? measureCell(*row, static_cast<Measure>(measure), format) : Cell{};
}

} // namespace yard::ui
