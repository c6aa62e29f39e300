#include "ui/pages/actions/sandbox_tab.h"

#include "core/base/clock.h"
#include "core/model/worker.h"
#include "ui/style/format.h"
#include "ui/widgets/form.h"
#include "ui/widgets/table.h"
#include "ui/widgets/transient.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kAllowColumn = 6;
/// The columns that do not fall away, and what is in force.
constexpr int kSandboxBesideFrom = 920;

std::vector<Column> deniedColumns() {
    using enum CellKind;
    return {
        {.id = "time",
         .title = SandboxTab::tr("Time"),
         .tip = SandboxTab::tr("When it was refused"),
         .kind = Name,
         .width = 84},
        {.id = "what",
         .title = SandboxTab::tr("What"),
         .tip = SandboxTab::tr("System call, link or special file"),
         .kind = Mono,
         .width = 110},
        {.id = "path",
         .title = SandboxTab::tr("Path"),
         .tip = SandboxTab::tr("What it was about"),
         .kind = Name,
         .width = 120,
         .stretches = true},
        {.id = "errno",
         .title = SandboxTab::tr("Error"),
         .tip = SandboxTab::tr("What the program was told"),
         .kind = Text,
         .width = 110,
         .falls = 2},
        {.id = "pid",
         .title = SandboxTab::tr("Process"),
         .tip = SandboxTab::tr("Which process, by its number in the sandbox"),
         .kind = Number,
         .width = 72,
         .falls = 1},
        {.id = "remedy",
         .title = SandboxTab::tr("What helps"),
         .tip = SandboxTab::tr("What can be done about it"),
         .kind = Text,
         .width = 230},
        {.id = "allow", .title = {}, .tip = {}, .kind = Press, .width = 96},
    };
}

} // namespace

SandboxTab::SandboxTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , split_(new QSplitter(Qt::Horizontal))
    , denied_(new Table({}))
    , rows_(new RowsModel(deniedColumns(), this))
    , limits_(new Facts)
    , grantsPanel_(new Panel(tr("You may allow"), false))
    , grantLines_(nullptr) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    split_->setChildrenCollapsible(false);
    denied_->setRows(rows_);
    denied_->setAccessibleName(tr("What the sandbox denied"));
    split_->addWidget(denied_);
    split_->addWidget(makeRight());
    split_->setStretchFactor(0, 1);
    split_->setSizes({800, scaled(320)});
    column->addWidget(split_);
    setFocusProxy(denied_);
    connect(denied_, &Table::linkClicked, this, [this](qint64 id, int at) {
        const QJsonArray denials = in_.action.value("denied").toArray();
        if (at != kAllowColumn || id < 1 || id > denials.size()) return;
        const auto kind = grantKindOf(denials[id - 1].toObject(), in_);
        const auto grant = std::ranges::find_if(grants_, [&](const Grant& each) { return each.kind == kind; });
        if (grant != grants_.end()) allow(Grant(*grant));
    });
    connect(&context_.state, &EngineState::sessionChanged, this, [this] {
        in_.session = context_.state.session();
        if (isVisible()) refresh();
    });
    connect(&context_.state, &EngineState::connectionChanged, this, &SandboxTab::refreshGrants);
}

QWidget* SandboxTab::makeRight() {
    auto* right = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* limits = new Panel(tr("In force"), false);
    limits->setBody(limits_);
    auto* lines = new QWidget;
    grantLines_ = new QVBoxLayout(lines);
    grantLines_->setContentsMargins(12, 8, 12, 8);
    grantLines_->setSpacing(4);
    grantsPanel_->setBody(lines);
    column->addWidget(grantsPanel_);
    column->addWidget(limits);
    column->addStretch(1);
    QScrollArea* area = scrolling(right);
    area->setMinimumWidth(scaled(260));
    return area;
}

/// What helps is not cut: where both do not fit beside each other they are above each other.
void SandboxTab::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    split_->setOrientation(width() < scaled(kSandboxBesideFrom) ? Qt::Vertical : Qt::Horizontal);
}

void SandboxTab::show(const QJsonObject& action, const QJsonObject& spec) {
    const bool other = action.value("worker") != in_.action.value("worker");
    in_.action = action;
    in_.spec = spec;
    in_.session = context_.state.session();
    if (other) {
        in_.descriptor = {};
        worker_.clear();
    }
    if (!isVisible()) return;
    load();
    refresh();
}

void SandboxTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    worker_.clear(); // settings may be others since it was looked at
    load();
    refresh();
}

/// Once for each worker that is looked at.
void SandboxTab::load() {
    const QString worker = in_.action.value("worker").toString();
    if (worker.isEmpty() || worker == worker_ || !context_.state.isLive()) return;
    worker_ = worker;
    context_.link.send({"GET", "settings", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return;
        in_.settings = answer.json;
        refresh();
    });
    if (in_.isExec()) return;
    context_.link.send({"GET", "workers/" + worker, {}, {}}, this, [this, worker](const Answer& answer) {
        if (worker != in_.action.value("worker").toString()) return;
        in_.descriptor = answer.ok() ? answer.json : QJsonObject();
        refresh();
    });
}

void SandboxTab::refresh() {
    grants_ = grantsFor(in_);
    refreshDenied();
    refreshGrants();
    std::vector<Fact> facts = limitsInForce(in_);
    if (facts.empty()) facts.push_back({tr("not known"), Format::unknown(), Fact::Tone::Dim});
    limits_->set(std::move(facts));
}

void SandboxTab::refreshDenied() {
    const Format format;
    std::vector<Row> rows;
    for (const QJsonValue each : in_.action.value("denied").toArray()) {
        const QJsonObject denial = each.toObject();
        const qint64 at = denial.value("t").toInteger();
        const auto kind = grantKindOf(denial, in_);
        const bool may = std::ranges::any_of(grants_, [&](const Grant& grant) { return grant.kind == kind; });
        Cell time{at == 0 ? Format::unknown() : format.time(at, wallNow())};
        if (at != 0) time.tip = format.exactTime(at, wallNow());
        Row row;
        row.id = static_cast<qint64>(rows.size()) + 1;
        row.cells = {time,
                     {denial.value("what").toString()},
                     {denial.value("path").toString()},
                     {denial.contains("errno") ? nameOfError(denial.value("errno").toInt()) : Format::unknown()},
                     {denial.contains("pid") ? format.number(denial.value("pid").toInteger()) : Format::unknown()},
                     {remedyFor(denial, in_), {}, {}, {}, Cell::Tone::Dim},
                     {may ? tr("Allow…") : QString()}};
        rows.push_back(std::move(row));
    }
    denied_->setMessage(rows.empty() ? tr("Nothing was denied.") : QString());
    rows_->setRows(std::move(rows));
}

void SandboxTab::refreshGrants() {
    const QString blocked = context_.state.whyBlocked();
    const auto same = [this] {
        return std::ranges::equal(grants_, buttons_, [](const Grant& grant, const Button* button) {
            return button->toolTip() == grant.effect && button->text() == grant.title;
        });
    };
    if (!same()) {
        while (QLayoutItem* item = grantLines_->takeAt(0)) {
            if (item->widget() != nullptr) item->widget()->deleteLater();
            delete item;
        }
        buttons_.clear();
        for (const Grant& grant : grants_) {
            auto* button = new Button(Button::Kind::Plain, grant.title, "again");
            button->setToolTip(grant.effect);
            connect(button, &QAbstractButton::clicked, this, [this, grant] { allow(grant); });
            grantLines_->addWidget(button, 0, Qt::AlignLeft);
            grantLines_->addWidget(new WrappedLabel(grant.effect, Type::Caption, Token::Text3));
            buttons_.push_back(button);
        }
    }
    for (Button* button : buttons_) button->setBlocked(blocked);
    grantsPanel_->setVisible(!grants_.empty());
}

// --- allowing

/// By value: its button may go with this.
void SandboxTab::allow(Grant grant) {
    if (const QString why = context_.state.whyBlocked(); !why.isEmpty()) return context_.window.say(why, true);
    const auto isAllowed = answered(this, [&] {
        return context_.window.ask(tr("%1, and run the action again?").arg(grant.title), grant.effect,
                                   tr("Allow and run again"), tr("Leave it"));
    });
    if (isAllowed.value_or(false)) changeSettings(grant);
}

bool SandboxTab::isGood(const Answer& answer) {
    if (!answer.ok()) context_.window.say(answer.message, true);
    return answer.ok();
}

void SandboxTab::changeSettings(const Grant& grant) {
    if (grant.settings.isEmpty()) return registerWorker(grant);
    context_.commands.run(operations::changeSettings(grant.settings), this, [this, grant](const Answer& answer) {
        if (isGood(answer)) registerWorker(grant);
    });
}

/// Its files are in the engine already: nothing but the descriptor is sent.
void SandboxTab::registerWorker(const Grant& grant) {
    if (grant.descriptor.isEmpty()) return runAgain(grant, {});
    const auto worker = parseWorker(QJsonDocument(grant.descriptor).toJson(QJsonDocument::Compact).toStdString());
    if (!worker) return context_.window.say(QString::fromStdString(worker.error().message), true);
    const QString id = QString::fromStdString(worker->id.hex());
    context_.commands.run(operations::registerWorker(id, QByteArray::fromStdString(worker->canonical),
                                                     grant.descriptor.value("name").toString()),
                          this, [this, grant, id](const Answer& answer) {
                              if (isGood(answer)) runAgain(grant, id);
                          });
}

/// By another worker, or as another action, it is submitted; else it is the same action once more.
void SandboxTab::runAgain(const Grant& grant, const QString& worker) {
    const QString state = in_.action.value("state").toString();
    const bool again = worker.isEmpty() && grant.action.isEmpty() && (state == "failed" || state == "abandoned");
    const qint64 lsn = in_.action.value("lsn").toInteger();
    if (again) {
        context_.commands.run(operations::reschedule(Target::of({lsn})), this,
                              [this](const Answer& answer) { isGood(answer); });
        return;
    }
    QJsonObject action = grant.action.isEmpty() ? in_.spec : grant.action;
    if (!worker.isEmpty()) action.insert("worker", worker);
    const qint64 queue = in_.action.value("queue_id").toInteger();
    context_.commands.run(operations::submit(action, queue, context_.state.queueName(queue)), this,
                          [this](const Answer& answer) {
                              if (isGood(answer))
                                  context_.navigator.showAction(answer.json.value("lsn").toInteger(), "sandbox");
                          });
}

} // namespace yard::ui
