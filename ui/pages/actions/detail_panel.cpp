#include "ui/pages/actions/detail_panel.h"

#include "core/base/clock.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/fitting_splitter.h"
#include "ui/pages/actions/graph_tab.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/outputs_tab.h"
#include "ui/pages/actions/result_view.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/actions/sandbox_tab.h"
#include "ui/state/poll.h"
#include "ui/style/icons.h"
#include "ui/widgets/table.h"
#include "ui/widgets/text_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSplitter>

#include <utility>

namespace yard::ui {

namespace {

constexpr int kLocksMs = 2'000;

std::vector<Column> attemptColumns() {
    using enum CellKind;
    return {
        {.id = "try",
         .title = DetailPanel::tr("Try"),
         .tip = DetailPanel::tr("Attempts, newest first"),
         .kind = State,
         .width = 60},
        {.id = "started",
         .title = DetailPanel::tr("Started"),
         .tip = DetailPanel::tr("When its process began"),
         .kind = Number,
         .width = 84},
        {.id = "ran",
         .title = DetailPanel::tr("Ran"),
         .tip = DetailPanel::tr("From its process's start to its end"),
         .kind = Number,
         .width = 72,
         .stretches = true},
    };
}

std::vector<Column> fileColumns() {
    using enum CellKind;
    return {
        {.id = "name",
         .title = DetailPanel::tr("Name"),
         .tip = DetailPanel::tr("Path within the directory"),
         .kind = Name,
         .width = 200,
         .stretches = true,
         .sort = "name"},
        {.id = "size",
         .title = DetailPanel::tr("Size"),
         .tip = DetailPanel::tr("Bytes"),
         .kind = Number,
         .width = 90,
         .sort = "size"},
        {.id = "hash",
         .title = DetailPanel::tr("Hash"),
         .tip = DetailPanel::tr("SHA-256 of its bytes"),
         .kind = Mono,
         .width = 420,
         .falls = 1},
    };
}

} // namespace

DetailPanel::DetailPanel(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , icon_(new QLabel)
    , number_(new Label({}, Type::Strong, Token::Text1))
    , what_(new Label({}, Type::Body, Token::Text1))
    , where_(new Label({}, Type::Body, Token::Text3))
    , reschedule_(new Button(Button::Kind::Primary, tr("Reschedule"), "again"))
    , tabs_(new Tabs({tr("Output"), tr("Inputs"), tr("Outputs"), tr("Command"), tr("Processor"), tr("Sandbox"),
                      tr("History"), tr("Graph"), tr("JSON")}))
    , summary_(new Label({}, Type::Caption, Token::Text3))
    , logTools_(new QWidget)
    , area_(new FittingSplitter)
    , stack_(new QStackedWidget)
    , output_(new OutputTab(context))
    , result_(new ResultView(context))
    , attempts_(new Table({}))
    , attemptRows_(new RowsModel(attemptColumns(), this))
    , whyPanel_(new Panel(tr("Why"), false))
    , why_(new Facts)
    , locksPanel_(new Panel(tr("Locks"), false))
    , locks_(new Facts)
    , limitsPanel_(new Panel(tr("Limits"), false))
    , limits_(new Facts)
    , split_(new Facts)
    , inputs_(new Table({}))
    , inputRows_(new RowsModel(fileColumns(), this))
    , outputs_(new OutputsTab(context))
    , sandbox_(new SandboxTab(context))
    , command_(textView(tr("Command")))
    , processor_(new Facts)
    , samples_(new SamplesView(context))
    , compare_(new CompareTab(context))
    , graph_(new GraphTab(context))
    , json_(textView(tr("Result as JSON")))
    , locksPoll_(new Poll(
          context.link, kLocksMs,
          [this]() -> std::optional<Request> {
              if (!active_ || !claimsLocks()) return std::nullopt;
              return Request{"GET", "locks", {}, {}, {}};
          },
          [this](const Answer& answer) { refreshLocks(answer.json.value("locks").toArray()); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(makeTabRow());
    inputs_->setRows(inputRows_);
    inputs_->setAccessibleName(tr("Inputs"));
    auto* processor = new QWidget;
    auto* facts = new QVBoxLayout(processor);
    facts->setContentsMargins(0, 4, 0, 0);
    facts->setSpacing(0);
    facts->addWidget(processor_);
    facts->addWidget(samples_, 1);
    for (QWidget* page :
         {makeAnswer(), static_cast<QWidget*>(inputs_), static_cast<QWidget*>(outputs_),
          static_cast<QWidget*>(command_), processor, static_cast<QWidget*>(sandbox_),
          static_cast<QWidget*>(compare_), static_cast<QWidget*>(graph_), static_cast<QWidget*>(json_)})
        stack_->addWidget(page);
    area_->addWidget(stack_);
    area_->addWidget(makeBeside());
    area_->setStretchFactor(0, 1);
    area_->setSizes({600, scaled(540)});
    column->addWidget(area_, 1);
    setMinimumHeight(scaled(200));
    setTab(kOutput);
    connect(tabs_, &Tabs::chosen, this, qOverload<int>(&DetailPanel::setTab));
    connect(output_, &OutputTab::changed, this, [this] { summary_->setText(output_->summary()); });
    tick_.setInterval(1'000);
    connect(&tick_, &QTimer::timeout, this, &DetailPanel::refreshLimits);
    connect(&context_.state, &EngineState::refreshed, this, [this] {
        if (active_ && lsn_ != 0) load();
    });
}

DetailPanel::~DetailPanel() = default;

QWidget* DetailPanel::makeHead() {
    auto* head = new Surface(Token::Bg1);
    head->setFixedHeight(scaled(40));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(icon_);
    row->addWidget(number_);
    what_->setElides(true);
    where_->setElides(true);
    row->addWidget(what_);
    row->addWidget(where_, 1);
    row->addStretch(0);
    auto* edit = new Button(Button::Kind::Plain, tr("Edit and resubmit"), "edit");
    auto* compare = new Button(Button::Kind::Plain, tr("Compare"), "compare");
    auto* copy = new Button(Button::Kind::Plain, tr("Copy as"), "copy");
    auto* menu = new QMenu(this);
    copyAs(*menu);
    copy->setMenu(menu);
    auto* close = new Button(Button::Kind::Flat, {}, "close");
    close->setAccessibleName(tr("Close the panel"));
    close->setToolTip(tr("Esc"));
    for (QWidget* button :
         {static_cast<QWidget*>(reschedule_), static_cast<QWidget*>(edit), static_cast<QWidget*>(compare),
          static_cast<QWidget*>(copy), static_cast<QWidget*>(close)})
        row->addWidget(button);
    connect(reschedule_, &QAbstractButton::clicked, this, [this] { emit rescheduleWanted(lsn_); });
    connect(edit, &QAbstractButton::clicked, this, [this] { emit editWanted(lsn_); });
    connect(compare, &QAbstractButton::clicked, this, [this] { setTab(kHistory); });
    connect(close, &QAbstractButton::clicked, this, &DetailPanel::closed);
    return head;
}

void DetailPanel::copyAs(QMenu& menu) {
    const auto copy = [this](const QString& text) {
        QApplication::clipboard()->setText(text);
        context_.window.say(tr("Copied: %1").arg(text.section('\n', 0, 0)));
    };
    menu.addAction(tr("yardctl: show it"), this,
                   [=, this] { copy(context_.link.yardctl(QStringLiteral("yardctl show %1").arg(lsn_))); });
    menu.addAction(tr("yardctl: its output"), this,
                   [=, this] { copy(context_.link.yardctl(QStringLiteral("yardctl logs %1").arg(lsn_))); });
    menu.addAction(tr("yardctl: submit it again"), this,
                   [=, this] { copy(context_.link.yardctl(operations::submit(spec_, row_.queue, {}).yardctl)); });
    menu.addAction(tr("curl: show it"), this, [=, this] {
        copy(context_.link.curl({"GET", QStringLiteral("jobs/%1").arg(lsn_), {}, {}, {}}));
    });
    menu.addAction(tr("curl: submit it again"), this,
                   [=, this] { copy(context_.link.curl(operations::submit(spec_, row_.queue, {}).request)); });
    menu.addSeparator();
    menu.addAction(tr("JSON of the action"), this, [=, this] { copy(jsonText(spec_)); });
    menu.addAction(tr("JSON of the result"), this, [=, this] { copy(jsonText(action_)); });
    menu.addAction(tr("Number"), this, [=, this] { copy(QString::number(lsn_)); });
}

QWidget* DetailPanel::makeTabRow() {
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 12, 0);
    row->setSpacing(8);
    row->addWidget(tabs_);
    row->addStretch(1);
    row->addWidget(summary_);
    auto* tools = new QHBoxLayout(logTools_);
    tools->setContentsMargins(0, 0, 0, 0);
    tools->setSpacing(0);
    auto* find = new Button(Button::Kind::Flat, tr("Find"), "search");
    auto* wrap = new Button(Button::Kind::Flat, tr("Wrap"), "wrap");
    auto* save = new Button(Button::Kind::Flat, tr("Save"), "save");
    wrap->setCheckable(true);
    for (QWidget* button : {find, wrap, save}) tools->addWidget(button);
    row->addWidget(logTools_);
    connect(find, &QAbstractButton::clicked, output_, &OutputTab::openFind);
    connect(wrap, &QAbstractButton::toggled, output_, &OutputTab::setWrap);
    connect(save, &QAbstractButton::clicked, output_, &OutputTab::save);
    return line;
}

/// Beside every tab: why it waits or how it ended, and what it may; beside the output its tries as well.
QWidget* DetailPanel::makeBeside() {
    auto* beside = new QSplitter(Qt::Horizontal);
    beside->setChildrenCollapsible(false);
    attempts_->setRows(attemptRows_);
    attempts_->setAccessibleName(tr("Tries"));
    attempts_->setSelectionMode(QAbstractItemView::SingleSelection);
    attempts_->setMinimumWidth(scaled(200));
    connect(attempts_, &Table::selectionEdited, this, [this] {
        const auto ids = attempts_->selectedIds();
        attempt_ = ids.empty() ? 0 : static_cast<int>(ids.front());
        output_->show(action_, attempt_);
        refreshResult();
    });
    beside->addWidget(attempts_);
    auto* right = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    whyPanel_->setBody(why_);
    locksPanel_->setBody(locks_);
    locksPanel_->hide();
    limitsPanel_->setBody(limits_);
    column->addWidget(whyPanel_);
    column->addWidget(locksPanel_);
    column->addWidget(limitsPanel_);
    column->addWidget(split_);
    column->addStretch(1);
    QScrollArea* facts = scrolling(right);
    facts->setMinimumWidth(scaled(200));
    beside->addWidget(facts);
    beside->setSizes({scaled(240), scaled(300)});
    for (Facts* each : {why_, locks_}) connect(each, &Facts::linkClicked, this, &DetailPanel::followTarget);
    return beside;
}

/// Output, and below it what a warm worker returned.
QWidget* DetailPanel::makeAnswer() {
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(output_);
    split->addWidget(result_);
    split->setStretchFactor(0, 1);
    return split;
}

/// The output of a warm worker is its process's, not the action's: where there is only a result it has the place.
void DetailPanel::refreshResult() {
    result_->show(lsn_, action_.value("result"));
    const bool both = result_->isEmpty() || attempt_ != 0 || written() > 0;
    output_->setVisible(both);
    logTools_->setVisible(both && tabs_->current() == kOutput);
}

/// A number leads to that action, anything else is a filter.
void DetailPanel::followTarget(const QString& target) {
    bool number = false;
    const qint64 lsn = target.toLongLong(&number);
    if (number)
        context_.navigator.showAction(lsn);
    else
        context_.navigator.show("actions", target);
}

void DetailPanel::setActive(bool active) {
    active_ = active;
    locksPoll_->setActive(active);
    if (!active) {
        tick_.stop();
        return output_->clear();
    }
    if (!context_.state.isLive() && !action_.isEmpty()) refresh(); // what is known stays
    if (lsn_ != 0) load();
}

void DetailPanel::showAction(qint64 lsn) {
    if (lsn == lsn_) return;
    lsn_ = lsn;
    action_ = spec_ = whyJson_ = {};
    row_ = {};
    attempt_ = 0;
    output_->clear();
    refreshResult();
    compare_->clear();
    attempts_->clearSelection();
    samples_->show(0, false, false);
    sandbox_->show({}, {});
    graph_->show(lsn);
    refreshLocks({});
    if (lsn == 0) return tick_.stop();
    row_.lsn = lsn;
    number_->setText(Format().number(lsn));
    for (Label* each : {what_, where_}) each->setText({});
    icon_->clear();
    reschedule_->hide();
    load();
    loadSpec();
}

void DetailPanel::onChanged(qint64 lsn) {
    if (lsn != lsn_ || !active_) return;
    load();
    graph_->refresh();
}

/// One question at a time; what changes meanwhile is asked for once more.
void DetailPanel::load() {
    if (loading_) {
        again_ = true;
        return;
    }
    loading_ = true;
    const qint64 lsn = lsn_;
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}, {}}, this,
                       [this, lsn](const Answer& answer) {
                           loading_ = false;
                           if (std::exchange(again_, false) || lsn != lsn_) return load();
                           if (!answer.ok()) {
                               if (action_.isEmpty()) refresh(); // nothing of the one before
                               if (action_.isEmpty()) what_->setText(answer.message);
                               return;
                           }
                           action_ = answer.json;
                           row_ = actionRowOf(action_);
                           refresh();
                           if (!row_.isFinal()) loadWhy();
                           emit told();
                       });
}

void DetailPanel::loadWhy() {
    const qint64 lsn = lsn_;
    context_.link.send({"GET", QStringLiteral("jobs/%1/why").arg(lsn), {}, {}, {}}, this,
                       [this, lsn](const Answer& answer) {
                           if (lsn != lsn_ || !answer.ok()) return;
                           whyJson_ = answer.json;
                           refreshWhy();
                       });
}

void DetailPanel::loadSpec() {
    const qint64 lsn = lsn_;
    // Of an array this one alone: what is copied or sent from here is not to bring all of it.
    context_.link.send({"GET", QStringLiteral("jobs/%1/spec").arg(lsn), QUrlQuery("element=1"), {}, {}}, this,
                       [this, lsn](const Answer& answer) {
                           if (lsn != lsn_) return;
                           spec_ = answer.ok() ? answer.json : QJsonObject();
                           command_->setPlainText(answer.ok() ? jsonText(spec_) : answer.message);
                           refreshFiles();
                           refreshLimits();
                           sandbox_->show(action_, spec_);
                           if (claimsLocks()) locksPoll_->now();
                           if (stack_->currentIndex() == kHistory) compare_->show(action_, spec_);
                       });
}

void DetailPanel::refresh() {
    const Format format;
    icon_->setPixmap(icons::faceIcon(row_.face).pixmap(14, 14));
    number_->setText(format.number(row_.lsn));
    what_->setText(row_.what());
    QStringList where{row_.worker};
    if (!row_.function.isEmpty() && !row_.label.isEmpty()) where << row_.function;
    where_->setText(action_.isEmpty() ? QString()
                                      : where.join(", ") + tr(", in %1").arg(context_.state.queueName(row_.queue)));
    const bool again = row_.canGoAgain();
    reschedule_->setVisible(again);
    refreshAttempts();
    refreshFiles();
    refreshWhy();
    refreshLimits();
    output_->show(action_, attempt_);
    refreshResult();
    samples_->show(lsn_, row_.tries > 0, row_.isFinal());
    sandbox_->show(action_, spec_);
    if (claimsLocks())
        locksPoll_->now();
    else
        refreshLocks({});
    if (const QString text = jsonText(action_); json_->toPlainText() != text) json_->setPlainText(text);
    if (stack_->currentIndex() == kHistory) compare_->show(action_, spec_);
    if (row_.isFinal())
        tick_.stop();
    else
        tick_.start();
}

void DetailPanel::refreshAttempts() {
    const Format format;
    const qint64 now = wallNow();
    std::vector<Row> rows;
    const auto add = [&](const QJsonObject& json, int n) {
        const ActionRow row = actionRowOf(json);
        Row made;
        made.id = n;
        Cell state{QString::number(n), row.face};
        state.tip = row.stateWord() + (row.reason.isEmpty() ? QString()
                                                            : ", " + wordOfReason(row.reason, row.exitCode,
                                                                                  json.value("signal").toInt()));
        made.cells = {state,
                      {row.started == 0 ? Format::unknown() : format.time(row.started, now)},
                      {format.duration(row.ran(now))}};
        rows.push_back(std::move(made));
    };
    const QJsonArray attempts = action_.value("attempts").toArray();
    const int last = row_.tries;
    bool lastTold = false;
    for (const QJsonValue each : attempts) lastTold = lastTold || each.toObject().value("n").toInt() == last;
    if (!lastTold && last > 0) add(action_, last);
    for (qsizetype i = attempts.size(); i-- > 0;)
        add(attempts[i].toObject(), attempts[i].toObject().value("n").toInt());
    attempts_->setMessage(!rows.empty() || action_.isEmpty() ? QString()
                          : row_.isFinal()                   ? tr("It was never tried")
                                                             : tr("Not tried yet"));
    attemptRows_->setRows(std::move(rows));
}

void DetailPanel::refreshFiles() {
    const QJsonObject files = spec_.value("inputs").toObject();
    std::vector<Row> inputs;
    for (auto it = files.begin(); it != files.end(); ++it) {
        const QJsonObject file = it.value().toObject();
        const QString hash = it.value().isString() ? it.value().toString() : file.value("hash").toString();
        const qint64 size = file.value("size").toInteger();
        inputs.push_back({static_cast<qint64>(inputs.size()) + 1,
                          {{it.key()}, {file.contains("size") ? Format().size(size) : Format::unknown()}, {hash}},
                          {QVariant(), size, QVariant()}});
    }
    const QJsonArray denials = action_.value("denied").toArray();
    outputs_->show(lsn_, action_.value("outputs").toObject(), row_.isFinal());
    tabs_->setNote(kInputs, QString::number(inputs.size()));
    tabs_->setNote(kOutputs, QString::number(outputs_->files().size()));
    tabs_->setNote(kSandbox, tr("%n denial(s)", nullptr, static_cast<int>(denials.size())));
    inputs_->setMessage(inputs.empty() ? tr("It takes no input files.") : QString());
    inputRows_->setRows(std::move(inputs));
}

void DetailPanel::setTab(const QString& tab) {
    static const QStringList names{"output",  "inputs",  "outputs", "command", "processor",
                                   "sandbox", "history", "graph",   "json"};
    const QString name = tab == "why" ? QString("output") : tab.section('/', 0, 0);
    if (const auto at = names.indexOf(name); at >= 0) setTab(static_cast<int>(at));
    if (const QString file = tab.section('/', 1); name == "outputs" && !file.isEmpty())
        outputs_->choose(lsn_, file);
}

void DetailPanel::setTab(int tab) {
    tabs_->setCurrent(tab);
    stack_->setCurrentIndex(tab);
    // Only what is shown asks for room.
    for (int i = 0; i < stack_->count(); ++i) {
        const auto policy = i == tab ? QSizePolicy::Expanding : QSizePolicy::Ignored;
        stack_->widget(i)->setSizePolicy(policy, policy);
    }
    attempts_->setVisible(tab == kOutput);
    area_->setWide(tab == kOutput);
    logTools_->setVisible(tab == kOutput && !output_->isHidden());
    summary_->setVisible(tab == kOutput);
    if (tab == kHistory && !action_.isEmpty()) compare_->show(action_, spec_);
}

void DetailPanel::setRescheduleBlocked(const QString& why) {
    reschedule_->setBlocked(why);
}

void DetailPanel::takeFocus() {
    if (stack_->currentIndex() != kOutput) return stack_->currentWidget()->setFocus();
    output_->isHidden() ? result_->text()->setFocus() : output_->view()->setFocus();
}

void DetailPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme(Token::Bg1));
    paint::hairline(painter, QPointF(0, 0), QPointF(width(), 0), theme(Token::Line2));
    const qreal y = tabs_->parentWidget()->geometry().bottom();
    paint::hairline(painter, QPointF(0, y), QPointF(width(), y), theme(Token::Line));
}

} // namespace yard::ui
