#include "ui/pages/failures/failure_panel.h"

#include "ui/pages/failures/masked_line.h"
#include "ui/state/action_row.h"
#include "ui/state/failure_kinds.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QSplitter>

#include <algorithm>
#include <functional>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kAskMs = 150;
constexpr qsizetype kMostValuesShown = 10; ///< of each list; the others are one row

struct FailurePanelWords {
    Q_DECLARE_TR_FUNCTIONS(FailurePanel)
};

std::vector<Column> differsColumns() {
    return {
        {.id = "part",
         .title = FailurePanelWords::tr("What differs"),
         .tip = FailurePanelWords::tr("What is masked in the line, in its order; then where it failed"),
         .kind = CellKind::Text,
         .width = 104},
        {.id = "value",
         .title = FailurePanelWords::tr("Value"),
         .tip = FailurePanelWords::tr("What stood there"),
         .kind = CellKind::Name,
         .width = 120,
         .stretches = true},
        {.id = "count",
         .title = FailurePanelWords::tr("Count"),
         .tip = FailurePanelWords::tr("How many of the group have this value"),
         .kind = CellKind::Number,
         .width = 68},
    };
}

std::vector<Column> newestColumns() {
    return {
        {.id = "ended",
         .title = FailurePanelWords::tr("Ended"),
         .tip = FailurePanelWords::tr("When it failed"),
         .kind = CellKind::Text,
         .width = 100},
        {.id = "action",
         .title = FailurePanelWords::tr("Action"),
         .tip = FailurePanelWords::tr("Its number (LSN)"),
         .kind = CellKind::Link,
         .width = 88},
        {.id = "what",
         .title = FailurePanelWords::tr("What"),
         .tip = FailurePanelWords::tr("Its label, else its command or function"),
         .kind = CellKind::Name,
         .width = 120,
         .stretches = true},
        {.id = "queue",
         .title = FailurePanelWords::tr("Queue"),
         .tip = FailurePanelWords::tr("The queue it came in"),
         .kind = CellKind::Name,
         .width = 120,
         .falls = 2},
        {.id = "tries",
         .title = FailurePanelWords::tr("Tries"),
         .tip = FailurePanelWords::tr("How often it was tried"),
         .kind = CellKind::Number,
         .width = 60,
         .falls = 1},
    };
}

/// Rows of one list of counts; `part` stands before the first one.
class CountRows {
public:
    explicit CountRows(std::vector<Row>& rows)
        : rows_(rows) {}
    void add(Cell part, const QJsonObject& counts, bool mono, const std::function<QString(const QString&)>& words) {
        const QJsonArray values = counts.value("values").toArray();
        qint64 others = counts.value("others").toInteger();
        for (qsizetype i = 0; i < values.size(); ++i) {
            const QJsonObject value = values.at(i).toObject();
            const qint64 count = value.value("count").toInteger();
            if (i >= kMostValuesShown) {
                others += count;
                continue;
            }
            Cell cell{words(value.value("value").toString())};
            cell.mono = mono;
            push(std::exchange(part, {}), cell, count);
        }
        if (others > 0)
            push(std::exchange(part, {}), {FailurePanelWords::tr("others"), {}, {}, {}, Cell::Tone::Faint}, others);
    }

private:
    void push(const Cell& part, const Cell& value, qint64 count) {
        Row row;
        row.id = static_cast<qint64>(rows_.size()) + 1;
        row.cells = {part, value, {Format().number(count)}};
        rows_.push_back(std::move(row));
    }
    std::vector<Row>& rows_;
};

} // namespace

FailurePanel::FailurePanel(Context context, QWidget* parent)
    : Panel({}, false, parent)
    , context_(context)
    , reschedule_(new Button(Button::Kind::Small, {}, "again"))
    , mute_(new Button(Button::Kind::Small, tr("Mute"), "pause"))
    , copyAs_(new Button(Button::Kind::Small, tr("Copy as"), "copy"))
    , close_(new Button(Button::Kind::Small, {}, "close"))
    , line_(new MaskedLine)
    , differs_(new RowsModel(differsColumns(), this))
    , differsTable_(new Table({}))
    , newestPanel_(new Panel(tr("The newest"), false))
    , newest_(new RowsModel(newestColumns(), this))
    , newestTable_(new Table({}))
    , showAll_(new Button(Button::Kind::Link, {}, {})) {
    build();
    later_.setSingleShot(true);
    later_.setInterval(kAskMs);
    connect(&later_, &QTimer::timeout, this, &FailurePanel::ask);
    connect(close_, &QAbstractButton::clicked, this, &FailurePanel::closed);
    connect(showAll_, &QAbstractButton::clicked, this, &FailurePanel::actionsWanted);
    const auto open = [this](qint64 lsn) { context_.navigator.showAction(lsn, "output"); };
    connect(newestTable_, &Table::opened, this, open);
    connect(newestTable_, &Table::linkClicked, this, [open](qint64 lsn, int) { open(lsn); });
}

void FailurePanel::build() {
    setFace(DisplayState::Failed);
    setObjectName("pane");
    close_->setAccessibleName(tr("Close"));
    for (Button* button : {reschedule_, mute_, copyAs_, close_}) addToHead(button);
    differsTable_->setRows(differs_);
    differsTable_->setAccessibleName(tr("What differs, and where it failed"));
    newestTable_->setRows(newest_);
    newestTable_->setAccessibleName(tr("The newest actions that failed so"));
    newestPanel_->addToHead(showAll_);
    newestPanel_->setBody(newestTable_);
    auto* beside = new QSplitter(Qt::Horizontal);
    beside->setChildrenCollapsible(false);
    beside->addWidget(differsTable_);
    beside->addWidget(newestPanel_);
    beside->setStretchFactor(0, 2);
    beside->setStretchFactor(1, 3);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(line_);
    column->addWidget(new Separator(Qt::Horizontal));
    column->addWidget(beside, 1);
    setBody(body);
}

void FailurePanel::show(const FailureGroupInfo& group, const QString& filter, int hours) {
    const bool isOther = group.id != group_.id;
    const bool isStale = isOther || isBroken_ || group.count != group_.count || group.last != group_.last ||
                         filter != filter_ || hours != hours_;
    group_ = group;
    filter_ = filter;
    hours_ = hours;
    showHead();
    if (!isStale) return;
    if (isOther) {
        ++asked_;
        const QString waits = tr("asking…");
        differs_->setRows({});
        newest_->setRows({});
        differsTable_->setMessage(waits);
        newestTable_->setMessage(waits);
    }
    later_.start();
}

void FailurePanel::clear() {
    ++asked_;
    isBroken_ = false;
    group_ = {};
    later_.stop();
}

void FailurePanel::showHead() {
    const Format format;
    const WallMicros now = wallNow();
    const int count = pluralCount(group_.count);
    setTitle(tr("%Ln failure(s)", nullptr, count));
    QString note = tr("in %Ln queue(s), %1 to %2", nullptr, static_cast<int>(group_.queues.size()))
                       .arg(format.time(group_.first, now), format.time(group_.last, now));
    if (group_.muted) note += QStringLiteral(", ") + mutedWords(group_.mutedUntil, now);
    setNote(note);
    reschedule_->setText(tr("Reschedule %1").arg(format.number(group_.count)));
    showAll_->setText(tr("Show %1 in Actions").arg(format.number(group_.count)));
    line_->show(group_.line);
}

void FailurePanel::ask() {
    const QString id = group_.id;
    if (id.isEmpty()) return;
    isBroken_ = false;
    context_.link.send(operations::lookAtFailures(filter_, hours_, id).request, this,
                       [this, asked = ++asked_](const Answer& answer) {
                           if (asked != asked_) return;
                           isBroken_ = isBroken_ || !answer.ok();
                           differsTable_->setMessage(answer.ok() ? QString() : answer.message);
                           if (answer.ok()) fillDiffers(answer.json);
                       });
    QStringList lsns;
    for (const qint64 lsn : group_.lsns) lsns << QString::number(lsn);
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("lsn", lsns.join(','));
    context_.link.send(request, this, [this, asked = asked_](const Answer& answer) {
        if (asked != asked_) return;
        isBroken_ = isBroken_ || !answer.ok();
        newestTable_->setMessage(answer.ok() ? QString() : answer.message);
        if (answer.ok()) fillNewest(answer.json.value("jobs").toArray());
    });
}

void FailurePanel::fillDiffers(const QJsonObject& detail) {
    std::vector<Row> rows;
    CountRows counts(rows);
    const auto same = [](const QString& value) { return value; };
    for (const QJsonValue value : detail.value("parts").toArray()) {
        const QJsonObject part = value.toObject();
        Cell mask{part.value("mask").toString()};
        mask.tone = Cell::Tone::Accent;
        mask.mono = true;
        counts.add(mask, part, true, same);
    }
    const QJsonObject by = detail.value("by").toObject();
    const auto dim = [](const QString& text) { return Cell{text, {}, {}, {}, Cell::Tone::Dim}; };
    counts.add(dim(tr("Queue")), by.value("queue").toObject(), false,
               [this](const QString& id) { return context_.state.queueName(id.toLongLong()); });
    counts.add(dim(tr("Worker")), by.value("worker").toObject(), false,
               [](QString name) { return name.replace('@', ' '); });
    counts.add(dim(tr("Machine")), by.value("machine").toObject(), false, same);
    differs_->setRows(std::move(rows));
}

void FailurePanel::fillNewest(const QJsonArray& jobs) {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<std::pair<qint64, Row>> rows;
    for (const QJsonValue value : jobs) {
        const QJsonObject job = value.toObject();
        const ActionRow action = actionRowOf(job);
        const qint64 at = endedAt(job);
        Cell time{at > 0 ? format.time(at, now) : Format::unknown(), {}, {}, {}, Cell::Tone::Dim};
        if (at > 0) time.tip = format.exactTime(at, now);
        Row row;
        row.id = action.lsn;
        row.cells = {time,
                     {format.number(action.lsn)},
                     {action.what()},
                     {context_.state.queueName(action.queue)},
                     {format.number(action.tries)}};
        rows.emplace_back(at, std::move(row));
    }
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second.id > b.second.id;
    });
    std::vector<Row> sorted;
    for (auto& [at, row] : rows) sorted.push_back(std::move(row));
    newest_->setRows(std::move(sorted));
}

} // namespace yard::ui
