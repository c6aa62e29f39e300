#include "ui/pages/actions/folded_row.h"

#include "ui/pages/actions/action_columns.h"
#include "ui/pages/actions/actions_model.h"
#include "ui/state/engine_words.h"
#include "ui/style/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

namespace yard::ui {

namespace {

struct FoldedRows {
    Q_DECLARE_TR_FUNCTIONS(FoldedRows)
};

constexpr int kMemberIndent = 18;
/// The states of the rest in the order they are listed: those to look at come first.
constexpr std::array kToldFirst{DisplayState::Failed,     DisplayState::Abandoned, DisplayState::Running,
                                DisplayState::Submitting, DisplayState::Retry,     DisplayState::Held,
                                DisplayState::Pending,    DisplayState::Completed, DisplayState::Cancelled};

std::size_t faceAt(DisplayState face) {
    return static_cast<std::size_t>(face);
}

paint::Shares sharesIn(const QJsonObject& states) {
    const auto count = [&states](const char* word) { return states.value(QLatin1String(word)).toInteger(); };
    paint::Shares shares{};
    shares[faceAt(DisplayState::Held)] = count("held");
    shares[faceAt(DisplayState::Retry)] = count("retry");
    shares[faceAt(DisplayState::Pending)] = std::max<qint64>(0, count("pending") - count("held") - count("retry"));
    for (const auto& [face, word] :
         {std::pair{DisplayState::Submitting, "submitting"}, std::pair{DisplayState::Running, "running"},
          std::pair{DisplayState::Completed, "completed"}, std::pair{DisplayState::Failed, "failed"},
          std::pair{DisplayState::Abandoned, "abandoned"}, std::pair{DisplayState::Cancelled, "cancelled"}})
        shares[faceAt(face)] = count(word);
    return shares;
}

Cell dimFoldedCell(const QString& text) {
    return {text, {}, {}, {}, Cell::Tone::Dim};
}

Cell noteCellOf(const ActionRow& row, qint64 now, const Format& format) {
    Cell cell = dimFoldedCell(noteWords(row));
    cell.mono = row.face == DisplayState::Failed && row.reason == "exit_code";
    if (cell.mono) cell.tone = Cell::Tone::Normal;
    if (row.face == DisplayState::Running) cell.text = runningNote(row, now, format);
    if (row.note.isEmpty() && row.canGoAgain()) cell.text = wordOfReason(row.reason, row.exitCode);
    return cell;
}

Cell placeCellOf(qint64 place, const Format& format) {
    return {place > 0 ? format.number(place) : Format::unknown()};
}

QString foldedNameOf(const FoldedRow& row) {
    if (!row.isList) return row.name;
    return FoldedRows::tr("%1 and %Ln other(s)", nullptr, pluralCount(row.count - 1)).arg(row.name);
}

Row rowOfAction(const ActionRow& action, qint64 now) {
    const Format format;
    Row row;
    row.id = action.lsn;
    row.mark = action.mark;
    row.cells = {{action.stateWord(), action.face},
                 {format.number(action.lsn)},
                 {action.index ? format.number(*action.index) : Format::unknown()},
                 {action.what()},
                 placeCellOf(action.place, format),
                 {Format::unknown()},
                 {format.duration(action.ran(now))},
                 noteCellOf(action, now, format),
                 {}};
    return row;
}

} // namespace

qint64 FoldedRow::live() const {
    qint64 sum = 0;
    for (const DisplayState face : {DisplayState::Pending, DisplayState::Held, DisplayState::Retry,
                                    DisplayState::Submitting, DisplayState::Running})
        sum += of(face);
    return sum;
}

qint64 FoldedRow::id() const {
    return isFold() ? -2 * first : action.lsn;
}

QString FoldedRow::filter() const {
    return isFold() ? QStringLiteral("lsn:%1..%2").arg(first).arg(last())
                    : QStringLiteral("lsn:%1").arg(action.lsn);
}

qint64 restIdOf(qint64 first) {
    return -2 * first - 1;
}

qint64 foldOf(qint64 id) {
    return id < 0 ? -id / 2 : 0;
}

bool isRestId(qint64 id) {
    return id < 0 && id % 2 != 0;
}

FoldedRow foldedRowOf(const QJsonObject& json) {
    FoldedRow row;
    row.action = actionRowOf(json);
    const QJsonObject fold = json.value("fold").toObject();
    row.first = fold.value("first").toInteger();
    if (!row.isFold()) return row;
    row.count = std::max<qint64>(1, fold.value("count").toInteger());
    row.isList = fold.value("kind").toString() == "list";
    row.name = fold.value("name").toString();
    row.started = fold.value("started").toInteger();
    row.place = fold.value("place").toInteger();
    const QJsonObject failure = fold.value("failure").toObject();
    row.failure = failure.value("line").toString();
    row.failures = failure.value("count").toInteger();
    row.shares = sharesIn(json.value("states").toObject());
    return row;
}

std::vector<Column> foldedColumns() {
    using enum CellKind;
    return {
        {.id = "state",
         .title = FoldedRows::tr("State"),
         .tip = FoldedRows::tr("Where it stands, of an array or a list all of it"),
         .kind = State,
         .width = 141,
         .sort = "state"},
        {.id = "lsn",
         .title = FoldedRows::tr("Action"),
         .tip = FoldedRows::tr("Its number (LSN), of an array or a list the first"),
         .kind = Number,
         .width = 88,
         .sort = "lsn"},
        {.id = "index",
         .title = FoldedRows::tr("Index, done"),
         .tip = FoldedRows::tr("How many of all have ended; of one of an array its index"),
         .kind = Number,
         .width = 120,
         .falls = 1},
        {.id = "what",
         .title = FoldedRows::tr("What"),
         .tip = FoldedRows::tr("Its label, else its command or function"),
         .kind = Name,
         .width = 244,
         .sort = "label"},
        {.id = "place",
         .title = FoldedRows::tr("Place"),
         .tip =
             FoldedRows::tr("Its number in the order of its queue, of an array or a list that of its next action"),
         .kind = Number,
         .width = 60,
         .falls = 3},
        {.id = "failed",
         .title = FoldedRows::tr("Failed"),
         .tip = FoldedRows::tr("How many failed or were abandoned"),
         .kind = Number,
         .width = 56},
        {.id = "ran",
         .title = FoldedRows::tr("Ran"),
         .tip = FoldedRows::tr("Of an array or a list since its first start, while it goes on"),
         .kind = Number,
         .width = 92,
         .falls = 2,
         .sort = "runtime"},
        {.id = "note",
         .title = FoldedRows::tr("Note"),
         .tip = FoldedRows::tr("The commonest first error line, else the reason to wait, or progress"),
         .kind = Text,
         .width = 200,
         .stretches = true},
        {.id = "again",
         .title = {},
         .tip = FoldedRows::tr("Runs those that failed again"),
         .kind = Press,
         .width = 150},
    };
}

Row foldedTableRow(const FoldedRow& folded, bool isOpen, qint64 now) {
    if (!folded.isFold()) return rowOfAction(folded.action, now);
    const Format format;
    const qint64 done = folded.count - folded.live(); // what is forgotten had ended
    const QString ended = FoldedRows::tr("%1 of %2").arg(format.number(done), format.number(folded.count));
    Row row;
    row.id = folded.id();
    Cell state{ended};
    state.icon = isOpen ? "down" : "right";
    state.shares = folded.shares;
    state.tip = ended;
    Cell failed{format.number(folded.failed())};
    if (folded.failed() > 0) failed.tone = Cell::Tone::Alert;
    const bool goesOn = folded.live() > 0 && folded.started != 0;
    Cell note = noteCellOf(folded.action, now, format);
    if (!folded.failure.isEmpty()) {
        note = Cell{folded.failure};
        note.mono = true;
        if (folded.failures > 1)
            note.text = QStringLiteral("%1 × %2").arg(format.number(folded.failures), folded.failure);
    }
    Cell again;
    again.onHand = true;
    if (folded.failed() > 0)
        again.text = FoldedRows::tr("Reschedule the %Ln", nullptr, pluralCount(folded.failed()));
    row.cells = {
        state,
        {format.number(folded.first)},
        {ended},
        {foldedNameOf(folded)},
        placeCellOf(folded.place, format),
        failed,
        {goesOn ? format.duration(Duration(std::max<qint64>(0, now - folded.started))) : Format::unknown()},
        note,
        again};
    return row;
}

Row foldedMemberRow(const ActionRow& action, qint64 now) {
    Row row = rowOfAction(action, now);
    row.cells.front().indent = kMemberIndent;
    return row;
}

Row foldedRestRow(const FoldedRow& folded, const std::vector<ActionRow>& members) {
    const Format format;
    paint::Shares left = folded.shares;
    for (const ActionRow& member : members)
        if (auto& count = left[faceAt(member.face)]; count > 0) --count;
    QStringList words;
    qint64 more = 0;
    for (const DisplayState face : kToldFirst) {
        if (left[faceAt(face)] == 0) continue;
        more += left[faceAt(face)];
        words << QStringLiteral("%1 %2").arg(format.number(left[faceAt(face)]), wordWithin(face));
    }
    Row row;
    row.id = restIdOf(folded.first);
    row.cells.resize(foldedColumns().size());
    Cell& all = row.cells[static_cast<std::size_t>(FoldedColumn::What)];
    all.text = all.link = FoldedRows::tr("Show all %1").arg(format.number(folded.count));
    all.target = row.id;
    if (more > 0)
        row.cells[static_cast<std::size_t>(FoldedColumn::Note)] =
            dimFoldedCell(FoldedRows::tr("%1 more: %2").arg(format.number(more), words.join(", ")));
    return row;
}

} // namespace yard::ui
