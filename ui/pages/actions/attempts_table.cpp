#include "ui/pages/actions/attempts_table.h"

#include "core/base/clock.h"
#include "ui/state/engine_words.h"
#include "ui/style/format.h"

#include <QJsonArray>

#include <utility>

namespace yard::ui {

namespace {

std::vector<Column> attemptColumns() {
    using enum CellKind;
    return {
        {.id = "try",
         .title = AttemptsTable::tr("Try"),
         .tip = AttemptsTable::tr("Attempts, newest first"),
         .kind = State,
         .width = 60},
        {.id = "started",
         .title = AttemptsTable::tr("Started"),
         .tip = AttemptsTable::tr("When its process began"),
         .kind = Number,
         .width = 84},
        {.id = "ran",
         .title = AttemptsTable::tr("Ran"),
         .tip = AttemptsTable::tr("From its process's start to its end"),
         .kind = Number,
         .width = 72,
         .stretches = true},
    };
}

Row rowOf(const QJsonObject& json, int n, qint64 now) {
    const Format format;
    const ActionRow row = actionRowOf(json);
    Row made;
    made.id = n;
    Cell state{QString::number(n), row.face};
    state.tip = row.stateWord();
    if (!row.reason.isEmpty())
        state.tip += ", " + wordOfReason(row.reason, row.exitCode, json.value("signal").toInt());
    made.cells = {state,
                  {row.started == 0 ? Format::unknown() : format.time(row.started, now)},
                  {format.duration(row.ran(now))}};
    return made;
}

} // namespace

AttemptsTable::AttemptsTable(QWidget* parent)
    : Table({}, parent)
    , rows_(new RowsModel(attemptColumns(), this)) {
    setRows(rows_);
    setAccessibleName(tr("Tries"));
    setSelectionMode(QAbstractItemView::SingleSelection);
    setMinimumWidth(scaled(200));
}

int AttemptsTable::chosen() const {
    const auto ids = selectedIds();
    return ids.empty() ? 0 : static_cast<int>(ids.front());
}

void AttemptsTable::show(const ActionRow& row, const QJsonObject& action) {
    const qint64 now = wallNow();
    std::vector<Row> rows;
    const QJsonArray attempts = action.value("attempts").toArray();
    bool lastTold = false;
    for (const QJsonValue each : attempts) lastTold = lastTold || each.toObject().value("n").toInt() == row.tries;
    if (!lastTold && row.tries > 0) rows.push_back(rowOf(action, row.tries, now));
    for (qsizetype i = attempts.size(); i-- > 0;)
        rows.push_back(rowOf(attempts[i].toObject(), attempts[i].toObject().value("n").toInt(), now));
    setMessage(!rows.empty() || action.isEmpty() ? QString()
               : row.isFinal()                   ? tr("It was never tried")
                                                 : tr("Not tried yet"));
    rows_->setRows(std::move(rows));
}

} // namespace yard::ui
