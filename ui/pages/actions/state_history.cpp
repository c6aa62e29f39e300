#include "ui/pages/actions/state_history.h"

#include "core/base/clock.h"
#include "ui/state/action_row.h"
#include "ui/style/format.h"
#include "ui/style/paint.h"
#include "ui/widgets/rows_model.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

namespace yard::ui {

namespace {

constexpr std::array kEnds{
    std::pair{DisplayState::Completed, "completed"}, std::pair{DisplayState::Failed, "failed"},
    std::pair{DisplayState::Abandoned, "abandoned"}, std::pair{DisplayState::Cancelled, "cancelled"}};

qint64 stampOf(const QJsonObject& json, const char* state) {
    return json.value("timestamps").toObject().value(QLatin1String(state)).toInteger();
}

/// In which order states follow each other that came in the same microsecond.
int stepOrder(const StateStep& step) {
    if (step.face == DisplayState::Submitting) return 1;
    if (step.face == DisplayState::Running) return step.isExited ? 3 : 2;
    return step.attempt == 0 && step.reason.isEmpty() && step.face == DisplayState::Pending ? 0 : 4;
}

/// The states of one attempt, from the attempt's JSON or from that of its action.
void addAttempt(std::vector<StateStep>& steps, const QJsonObject& json, int attempt) {
    StateStep step;
    step.attempt = attempt;
    const auto add = [&](DisplayState face, qint64 at) {
        if (at == 0) return;
        step.face = face;
        step.at = at;
        steps.push_back(step);
    };
    add(DisplayState::Submitting, stampOf(json, "submitting"));
    add(DisplayState::Running, stampOf(json, "running"));
    step.isExited = true;
    add(DisplayState::Running, stampOf(json, "exited"));
    step.isExited = false;
    step.reason = json.value("reason").toString();
    if (json.contains("exit_code")) step.exitCode = json.value("exit_code").toInt();
    step.signal = json.value("signal").toInt();
    for (const auto& [face, word] : kEnds) add(face, stampOf(json, word));
}

std::vector<Column> historyColumns() {
    using enum CellKind;
    return {
        {.id = "state",
         .title = StateHistory::tr("State"),
         .tip = StateHistory::tr("The states it was in, oldest first"),
         .kind = State,
         .width = 126},
        {.id = "at",
         .title = StateHistory::tr("At"),
         .tip = StateHistory::tr("When it came"),
         .kind = Number,
         .width = 96},
        {.id = "for",
         .title = StateHistory::tr("For"),
         .tip = StateHistory::tr("How long, until the next one came"),
         .kind = Number,
         .width = 92,
         .falls = 3},
        {.id = "try",
         .title = StateHistory::tr("Try"),
         .tip = StateHistory::tr("Of which attempt"),
         .kind = Number,
         .width = 44,
         .falls = 2},
        {.id = "slot",
         .title = StateHistory::tr("Slot"),
         .tip = StateHistory::tr("In which slot of its worker the attempt was, as far as the timelines know"),
         .kind = Number,
         .width = 48,
         .falls = 1},
        {.id = "exit",
         .title = StateHistory::tr("Exit"),
         .tip = StateHistory::tr("The exit code"),
         .kind = Number,
         .width = 48,
         .falls = 5},
        {.id = "reason",
         .title = StateHistory::tr("Reason"),
         .tip = StateHistory::tr("Why the attempt ended"),
         .kind = Text,
         .width = 120,
         .stretches = true,
         .falls = 4},
    };
}

/// What columns that fell away say of a row.
QString tipOf(const QString& state, const QString& lasted, const StateStep& step, std::optional<qint64> slot) {
    const Format format;
    QStringList parts{StateHistory::tr("%1 for %2").arg(state, lasted)};
    if (step.attempt != 0) parts << StateHistory::tr("attempt %1").arg(format.number(step.attempt));
    if (slot) parts << StateHistory::tr("slot %1").arg(format.number(*slot));
    if (step.exitCode) parts << StateHistory::tr("exit code %1").arg(format.number(*step.exitCode));
    return parts.join(QStringLiteral(", "));
}

} // namespace

std::vector<StateStep> stateStepsOf(const QJsonObject& action) {
    std::vector<StateStep> steps;
    const ActionRow row = actionRowOf(action);
    if (row.lsn == 0) return steps;
    const qint64 since = row.created != 0 ? row.created : row.pending;
    StateStep waits;
    waits.at = since;
    if (since != 0) steps.push_back(waits);
    std::set<int> told;
    for (const QJsonValue each : action.value("attempts").toArray()) {
        const int n = each.toObject().value("n").toInt();
        told.insert(n);
        addAttempt(steps, each.toObject(), n);
    }
    // What waits may have the times of the attempt before, which are told already.
    if (!told.contains(row.tries) && (row.tries > 0 || row.isFinal())) addAttempt(steps, action, row.tries);
    std::ranges::sort(steps, {},
                      [](const StateStep& step) { return std::tuple(step.at, stepOrder(step), step.attempt); });
    const auto again =
        std::ranges::unique(steps, {}, [](const StateStep& step) { return std::pair(step.at, stepOrder(step)); });
    steps.erase(again.begin(), again.end());
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) steps[i].until = steps[i + 1].at;
    if (steps.empty()) return steps;
    StateStep& last = steps.back();
    last.isFinal = row.isFinal();
    if (!row.isPending()) return steps;
    if (last.face == DisplayState::Pending) {
        last.face = row.face;
        return steps;
    }
    waits.face = row.face; // it waits again
    waits.at = last.until = std::max(row.pending, last.at);
    steps.push_back(waits);
    return steps;
}

StateHistory::StateHistory(Context context, QWidget* parent)
    : Table({}, parent)
    , context_(context)
    , rows_(new RowsModel(historyColumns(), this)) {
    setRows(rows_);
    setAccessibleName(tr("State history"));
    setSelectionMode(QAbstractItemView::SingleSelection);
}

void StateHistory::show(const QJsonObject& action) {
    const qint64 lsn = action.value("lsn").toInteger();
    if (lsn != std::exchange(lsn_, lsn)) {
        slots_.clear();
        clearSelection();
    }
    worker_ = action.value("worker").toString();
    steps_ = stateStepsOf(action);
    fill();
    if (isVisible()) askSlots();
}

std::optional<qint64> StateHistory::slotOf(int attempt) const {
    const auto found = slots_.find(attempt);
    return found == slots_.end() ? std::nullopt : found->second;
}

void StateHistory::showEvent(QShowEvent* event) {
    Table::showEvent(event);
    askSlots();
}

void StateHistory::fill() {
    const Format format;
    const qint64 now = wallNow();
    std::vector<Row> rows;
    for (const StateStep& step : steps_) {
        const qint64 until = step.until != 0 ? step.until : step.isFinal ? 0 : now;
        const auto slot = slotOf(step.attempt);
        Cell at{format.time(step.at, now)};
        at.tip = format.exactTime(step.at, now);
        Cell reason;
        if (!step.reason.isEmpty()) reason.text = wordOfReason(step.reason, step.exitCode, step.signal);
        const auto known = [](bool is, const QString& text) { return is ? text : Format::unknown(); };
        const QString lasted = known(until != 0, format.duration(Duration(std::max<qint64>(0, until - step.at))));
        Cell state{step.isExited ? tr("Collecting") : wordOf(step.face), step.face};
        state.tip = tipOf(state.text, lasted, step, slot);
        Row row;
        row.id = static_cast<qint64>(rows.size()) + 1;
        row.cells = {state,
                     at,
                     {lasted},
                     {known(step.attempt != 0, format.number(step.attempt))},
                     {known(slot.has_value(), format.number(slot.value_or(0)))},
                     {known(step.exitCode.has_value(), format.number(step.exitCode.value_or(0)))},
                     reason};
        rows.push_back(std::move(row));
    }
    rows_->setRows(std::move(rows));
}

void StateHistory::refreshTimes() {
    if (isVisible() && !steps_.empty() && !steps_.back().isFinal) fill();
}

void StateHistory::askSlots() {
    std::size_t asked = 0;
    for (auto step = steps_.rbegin(); step != steps_.rend() && asked < kMostAsked; ++step) {
        if (step->face != DisplayState::Submitting) continue;
        ++asked;
        if (!slots_.contains(step->attempt)) askSlot(*step);
    }
}

/// One moment of it: what is asked for is a bar a slot, however long it ran and whatever ran since.
void StateHistory::askSlot(const StateStep& begun) {
    slots_.emplace(begun.attempt, std::nullopt);
    Request request{"GET", "timelines", {}, {}, {}};
    request.query.addQueryItem("worker", worker_);
    request.query.addQueryItem("from", QString::number(begun.at));
    request.query.addQueryItem("to", QString::number(begun.at + 1));
    const int attempt = begun.attempt;
    context_.link.send(request, this, [this, lsn = lsn_, attempt](const Answer& answer) {
        if (lsn != lsn_) return;
        if (!answer.ok()) {
            slots_.erase(attempt); // asked for again when it is told or shown the next time
            return;
        }
        for (const QJsonValue worker : answer.json.value("workers").toArray())
            for (const QJsonValue lane : worker.toObject().value("lanes").toArray())
                for (const QJsonValue value : lane.toObject().value("bars").toArray()) {
                    const QJsonObject bar = value.toObject();
                    if (bar.value("lsn").toInteger() != lsn || bar.value("n").toInt() != attempt) continue;
                    slots_[attempt] = lane.toObject().value("slot").toInteger();
                    return fill();
                }
    });
}

} // namespace yard::ui
