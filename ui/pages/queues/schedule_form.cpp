#include "ui/pages/queues/schedule_form.h"

#include "ui/bridge/schedule_operations.h"
#include "ui/style/format.h"

#include <QComboBox>
#include <QLineEdit>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kScheduleTryPauseMs = 300;
constexpr int kTimesShown = 10;
constexpr int kMostScheduleLine = 4'096;

struct OutcomeSign {
    QString word;
    DisplayState face;
};

OutcomeSign outcomeSign(const ScheduleRun& run) {
    if (run.outcome == "submitted")
        return {run.isLate ? ScheduleForm::tr("Started late") : ScheduleForm::tr("Started"),
                DisplayState::Completed};
    if (run.outcome == "missed") return {ScheduleForm::tr("Missed"), DisplayState::Abandoned};
    if (run.outcome == "overlap") return {ScheduleForm::tr("The one before ran"), DisplayState::Held};
    if (run.outcome == "refused") return {ScheduleForm::tr("Refused"), DisplayState::Failed};
    return {unturned(run.outcome), DisplayState::Pending};
}

std::vector<Column> runColumns() {
    return {{.id = "due",
             .title = ScheduleForm::tr("Due"),
             .tip = ScheduleForm::tr("When it was to start"),
             .kind = CellKind::Text,
             .width = 110},
            {.id = "outcome",
             .title = ScheduleForm::tr("Outcome"),
             .tip = ScheduleForm::tr("What became of it"),
             .kind = CellKind::State,
             .width = 130},
            {.id = "action",
             .title = ScheduleForm::tr("Action"),
             .tip = ScheduleForm::tr("The first of its actions"),
             .kind = CellKind::Link,
             .width = 90},
            {.id = "note",
             .title = ScheduleForm::tr("Note"),
             .tip = ScheduleForm::tr("Times that it stands for, or why it was refused"),
             .kind = CellKind::Text,
             .width = 80,
             .stretches = true}};
}

} // namespace

ScheduleForm::ScheduleForm(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , words_(new WrappedLabel({}, Type::Body, Token::Text2))
    , next_(new Facts)
    , runs_(new Table("schedule-runs"))
    , runRows_(new RowsModel(runColumns(), this))
    , problem_(new WrappedLabel({}, Type::Body, Token::Text1))
    , save_(new Button(Button::Kind::Primary, tr("Add"), "plus")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(scrolling(makeFields()), 3);
    column->addWidget(makeRuns(), 2);
    auto* foot = new QHBoxLayout;
    foot->addWidget(problem_, 1);
    foot->addWidget(save_);
    column->addLayout(foot);
    later_.setSingleShot(true);
    later_.setInterval(kScheduleTryPauseMs);
    connect(&later_, &QTimer::timeout, this, &ScheduleForm::tryIt);
    connect(save_, &QAbstractButton::clicked, this, &ScheduleForm::send);
    connect(runs_, &Table::linkClicked, this, [this](qint64 id, int) {
        const int at = runRows_->rowOf(id);
        const Row* row = at < 0 ? nullptr : runRows_->row(at);
        if (row != nullptr && row->cells[2].target != 0) context_.navigator.showAction(row->cells[2].target);
    });
    begin({});
}

QLineEdit* ScheduleForm::addLine(QVBoxLayout* column, const QString& member, const QString& title,
                                 const QString& help) {
    auto* line = new QLineEdit;
    line->setObjectName(member);
    line->setMaxLength(kMostScheduleLine);
    auto* row = new FormRow(title, line, help);
    row->setMayStack(true);
    byMember_[member] = row;
    lines_[member] = line;
    column->addWidget(row);
    connect(line, &QLineEdit::textEdited, this, &ScheduleForm::onEdited);
    return line;
}

QComboBox* ScheduleForm::addChoice(QVBoxLayout* column, const QString& member, const QString& title,
                                   const std::vector<std::pair<QString, QString>>& choices) {
    auto* box = new QComboBox;
    for (const auto& [words, value] : choices) box->addItem(words, value);
    auto* row = new FormRow(title, box, {});
    row->setMayStack(true);
    byMember_[member] = row;
    choices_[member] = box;
    column->addWidget(row);
    connect(box, &QComboBox::activated, this, [this] {
        onWhen();
        onEdited();
    });
    return box;
}

QWidget* ScheduleForm::makeFields() {
    auto* fields = new QWidget;
    auto* column = new QVBoxLayout(fields);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    addLine(column, "name", tr("Name"), {});
    addLine(column, "command", tr("Command"), tr("A line of /bin/sh."))->setFont(typeface(Type::Mono));
    addChoice(column, "when", tr("When"),
              {{tr("at times of the day"), "cron"}, {tr("again and again"), "every_s"}, {tr("once"), "at"}});
    addLine(column, "cron", tr("Times"), tr("Minute, hour, day, month, weekday: 0 3 * * 1-5; or @daily."))
        ->setFont(typeface(Type::Mono));
    addLine(column, "timezone", tr("Time zone"), tr("Europe/Berlin; empty: that of the engine"));
    addLine(column, "every_s", tr("Every"), {});
    byMember_["every_s"]->setNote(tr("s"));
    addLine(column, "at", tr("Moment"), tr("2026-12-24 18:00, by the clock of this machine"));
    addLine(column, "queue", tr("Queue"), tr("Its number; empty: queue 0"));
    addChoice(column, "missed", tr("What was missed"),
              {{tr("runs once"), "once"}, {tr("does not run"), "skip"}, {tr("runs each time"), "all"}});
    addChoice(column, "overlap", tr("If the one before runs"),
              {{tr("it does not start"), "skip"},
               {tr("it waits for its end"), "queue"},
               {tr("that is cancelled"), "cancel_previous"},
               {tr("both run"), "allow"}});
    addLine(column, "jitter_s", tr("Later by up to"), tr("Always by the same; empty: at once."));
    byMember_["jitter_s"]->setNote(tr("s"));
    column->addWidget(makeNext());
    column->addStretch(1);
    return fields;
}

QWidget* ScheduleForm::makeNext() {
    auto* panel = new Panel(tr("The next ten times"));
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(4);
    column->addWidget(words_);
    column->addWidget(next_);
    panel->setBody(body);
    next_->setAccessibleName(tr("The next ten times"));
    return panel;
}

QWidget* ScheduleForm::makeRuns() {
    runs_->setRows(runRows_);
    runs_->setAccessibleName(tr("The last hundred runs"));
    return runs_;
}

FormRow* ScheduleForm::row(const QString& member) const {
    const auto found = byMember_.find(member);
    return found == byMember_.end() ? nullptr : found->second;
}

void ScheduleForm::focusName() {
    lines_.at("name")->setFocus();
}

/// It is what the fields are compared with from here on; they stay as they are, but for the name.
void ScheduleForm::keepAs(const QJsonObject& schedule) {
    const ScheduleDraft draft = ScheduleDraft::of(schedule);
    name_ = draft.name;
    begun_ = draft;
    anchor_ = schedule.value("anchor").toInteger();
    hasOtherWork_ = !name_.isEmpty() && draft.hasOtherWork;
    lines_["name"]->setText(name_);
    lines_["name"]->setReadOnly(!name_.isEmpty());
    lines_["command"]->setPlaceholderText(hasOtherWork_ ? tr("stays as it is") : QString());
    save_->setText(name_.isEmpty() ? tr("Add") : tr("Change"));
    save_->setBlocked(context_.state.whyBlocked());
}

void ScheduleForm::begin(const QJsonObject& schedule) {
    filling_ = true;
    ++begunCount_;
    keepAs(schedule);
    const ScheduleDraft& draft = begun_;
    const std::pair<const char*, QString> texts[] = {
        {"name", draft.name}, {"command", draft.command}, {"cron", draft.cron},   {"timezone", draft.zone},
        {"at", draft.at},     {"every_s", draft.every},   {"queue", draft.queue}, {"jitter_s", draft.jitter}};
    for (const auto& [member, text] : texts) lines_[member]->setText(text);
    choices_["when"]->setCurrentIndex(static_cast<int>(draft.when));
    for (const auto& [member, value] : {std::pair("missed", draft.missed), std::pair("overlap", draft.overlap)})
        choices_[member]->setCurrentIndex(std::max(0, choices_[member]->findData(value)));
    filling_ = false;
    showRuns(schedule);
    onWhen();
    onEdited();
}

void ScheduleForm::showRuns(const QJsonObject& schedule) {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    for (const QJsonValue each : schedule.value("runs").toArray()) {
        const ScheduleRun run = readScheduleRun(each.toObject());
        const OutcomeSign sign = outcomeSign(run);
        QString note = unturned(run.error);
        if (note.isEmpty() && run.skipped > 0) note = tr("for %Ln more", nullptr, pluralCount(run.skipped));
        Cell action{.text = run.lsn == 0 ? QString() : format.number(run.lsn)};
        action.target = run.lsn;
        rows.push_back({.id = static_cast<qint64>(rows.size()) + 1,
                        .cells = {{run.due == 0 ? tr("by hand") : format.time(run.due, now)},
                                  {sign.word, sign.face},
                                  action,
                                  {note}}});
    }
    runs_->setMessage(!rows.empty()     ? QString()
                      : name_.isEmpty() ? tr("Its runs stand here")
                                        : tr("It has not run yet"));
    runRows_->setRows(std::move(rows));
    if (runRows_->waiting() > 0) runRows_->takeWaiting();
}

ScheduleDraft ScheduleForm::draft() const {
    const auto text = [this](const char* member) { return lines_.at(member)->text(); };
    return {.name = text("name").trimmed(),
            .when = static_cast<ScheduleDraft::When>(choices_.at("when")->currentIndex()),
            .cron = text("cron"),
            .zone = text("timezone"),
            .every = text("every_s"),
            .at = text("at"),
            .command = text("command"),
            .missed = choices_.at("missed")->currentData().toString(),
            .overlap = choices_.at("overlap")->currentData().toString(),
            .queue = text("queue"),
            .jitter = text("jitter_s"),
            .hasOtherWork = hasOtherWork_,
            .action = begun_.action};
}

/// What belongs to another kind of time is not asked for.
void ScheduleForm::onWhen() {
    const auto when = static_cast<ScheduleDraft::When>(choices_["when"]->currentIndex());
    for (const char* member : {"cron", "timezone"}) row(member)->setVisible(when == ScheduleDraft::When::Cron);
    row("every_s")->setVisible(when == ScheduleDraft::When::Every);
    row("at")->setVisible(when == ScheduleDraft::When::At);
}

void ScheduleForm::onEdited() {
    if (filling_) return;
    ++written_;
    ++trying_; // what is under way asks about what stands there no more
    for (const auto& [member, row] : byMember_) row->setProblem({});
    problem_->setText({});
    later_.start();
}

// --- what it would do

void ScheduleForm::tryIt() {
    const ScheduleDraft written = draft();
    const quint64 number = ++trying_;
    if (written.when != ScheduleDraft::When::Cron)
        return showTimes(written.timesWithoutEngine(wallNow(), anchor_, kTimesShown));
    if (written.cron.trimmed().isEmpty()) return showTimes({});
    if (const QString lost = context_.state.whyBlocked(); !lost.isEmpty()) {
        showTimes({});
        return words_->setText(lost);
    }
    const Request request = operations::tryCron(written.cron.trimmed(), written.zone.trimmed(), kTimesShown);
    context_.link.send(request, this, [this, number](const Answer& answer) {
        if (number != trying_) return;
        showTimes(readScheduleTimes(answer.json));
        if (!answer.ok()) complain(answer);
    });
}

void ScheduleForm::showTimes(const std::vector<qint64>& times) {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Fact> facts;
    for (const qint64 at : times)
        facts.push_back({format.coming(at, now), tr("in %1").arg(format.duration(Duration(at - now)))});
    words_->setText(times.empty() ? tr("It would never be due.") : QString());
    next_->set(std::move(facts));
}

/// To the field that it names, else at the foot.
void ScheduleForm::complain(const Answer& answer) {
    const QString field = answer.json.value("field").toString();
    FormRow* of = row(field == "action" || field == "argv" ? QStringLiteral("command") : field);
    if (of != nullptr && !of->isHidden()) return of->setProblem(answer.message);
    problem_->setText(answer.message);
}

void ScheduleForm::send() {
    const ScheduleDraft written = draft();
    if (written.name.isEmpty()) return row("name")->setProblem(tr("It needs a name"));
    if (written.command.trimmed().isEmpty() && !hasOtherWork_)
        return row("command")->setProblem(tr("Say what is to run"));
    const Operation operation = name_.isEmpty() ? operations::addSchedule(written.schedule())
                                                : operations::changeSchedule(name_, written.changesTo(begun_));
    const auto done = [this, name = written.name, of = begunCount_, at = written_](const Answer& answer) {
        if (of == begunCount_) { // else another one is shown by now
            if (!answer.ok()) return complain(answer);
            if (at == written_)
                begin(answer.json);
            else // somebody writes on: that stays, and is compared with what is kept now
                keepAs(answer.json);
        }
        if (answer.ok()) emit saved(name);
    };
    context_.commands.run(operation, this, done);
}

} // namespace yard::ui
