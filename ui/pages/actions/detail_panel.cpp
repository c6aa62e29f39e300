#include "ui/pages/actions/detail_panel.h"

#include "core/base/clock.h"
#include "ui/pages/actions/attempts_table.h"
#include "ui/pages/actions/compare_tab.h"
#include "ui/pages/actions/detail_facts.h"
#include "ui/pages/actions/detail_head.h"
#include "ui/pages/actions/detail_side.h"
#include "ui/pages/actions/fitting_splitter.h"
#include "ui/pages/actions/graph_tab.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/outputs_tab.h"
#include "ui/pages/actions/result_view.h"
#include "ui/pages/actions/samples_view.h"
#include "ui/pages/actions/sandbox_tab.h"
#include "ui/pages/actions/state_history.h"
#include "ui/widgets/table.h"
#include "ui/widgets/text_view.h"

#include <QHeaderView>
#include <QPainter>
#include <QPlainTextEdit>
#include <QSplitter>

#include <utility>

namespace yard::ui {

namespace {

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
    , head_(new DetailHead(context))
    , tabs_(new Tabs({tr("Output"), tr("Inputs"), tr("Outputs"), tr("Command"), tr("Processor"), tr("Sandbox"),
                      tr("History"), tr("Graph"), tr("JSON")}))
    , summary_(new Label({}, Type::Caption, Token::Text3))
    , logTools_(new QWidget)
    , area_(new FittingSplitter)
    , stack_(new QStackedWidget)
    , output_(new OutputTab(context))
    , result_(new ResultView(context))
    , attempts_(new AttemptsTable)
    , side_(new DetailSide(context))
    , inputs_(new Table({}))
    , inputRows_(new RowsModel(fileColumns(), this))
    , outputs_(new OutputsTab(context))
    , sandbox_(new SandboxTab(context))
    , command_(textView(tr("Command")))
    , processor_(new Facts)
    , samples_(new SamplesView(context))
    , compare_(new CompareTab(context))
    , graph_(new GraphTab(context))
    , json_(textView(tr("Result as JSON"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 0, 0);
    column->setSpacing(0);
    column->addWidget(head_);
    column->addWidget(makeTabRow());
    inputs_->setRows(inputRows_);
    inputs_->setAccessibleName(tr("Inputs"));
    auto* processor = new Surface(Token::Bg1);
    auto* facts = new QVBoxLayout(processor);
    facts->setContentsMargins(0, 4, 0, 0);
    facts->setSpacing(0);
    facts->addWidget(processor_);
    facts->addWidget(samples_, 1);
    for (QWidget* page : {makeAnswer(), static_cast<QWidget*>(inputs_), static_cast<QWidget*>(outputs_),
                          static_cast<QWidget*>(command_), static_cast<QWidget*>(scrolling(processor)),
                          static_cast<QWidget*>(sandbox_), static_cast<QWidget*>(compare_),
                          static_cast<QWidget*>(graph_), static_cast<QWidget*>(json_)})
        stack_->addWidget(page);
    area_->addWidget(stack_);
    area_->addWidget(makeBeside());
    area_->setStretchFactor(0, 1);
    area_->setSizes({600, scaled(540)});
    column->addWidget(area_, 1);
    setMinimumHeight(scaled(200));
    setTab(kOutput);
    connectParts();
}

void DetailPanel::connectParts() {
    connectHead();
    connect(tabs_, &Tabs::chosen, this, qOverload<int>(&DetailPanel::setTab));
    connect(output_, &OutputTab::changed, this, [this] {
        summary_->setText(output_->summary());
        earlier_->setVisible(output_->hasEarlier());
        later_->setVisible(output_->hasLater());
    });
    tick_.setInterval(1'000);
    connect(&tick_, &QTimer::timeout, this, &DetailPanel::refreshTimes);
    connect(&context_.state, &EngineState::refreshed, this, [this] {
        if (active_ && lsn_ != 0) load();
    });
}

DetailPanel::~DetailPanel() = default;

void DetailPanel::connectHead() {
    connect(head_, &DetailHead::rescheduleWanted, this, [this] { emit rescheduleWanted(lsn_); });
    connect(head_, &DetailHead::editWanted, this, [this] { emit editWanted(lsn_); });
    connect(head_, &DetailHead::compareWanted, this, [this] { setTab(kHistory); });
    connect(head_, &DetailHead::closeWanted, this, &DetailPanel::closed);
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
    earlier_ = new Button(Button::Kind::Flat, tr("Earlier"), {});
    later_ = new Button(Button::Kind::Flat, tr("Later"), {});
    earlier_->setObjectName("earlier-output");
    later_->setObjectName("later-output");
    for (Button* turns : {earlier_, later_}) turns->hide();
    connect(earlier_, &QAbstractButton::clicked, output_, [this] { output_->turn(1); });
    connect(later_, &QAbstractButton::clicked, output_, [this] { output_->turn(-1); });
    for (QWidget* button : {static_cast<QWidget*>(earlier_), static_cast<QWidget*>(later_),
                            static_cast<QWidget*>(find), static_cast<QWidget*>(wrap), static_cast<QWidget*>(save)})
        tools->addWidget(button);
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
    connect(attempts_, &Table::selectionEdited, this, [this] {
        attempt_ = attempts_->chosen();
        output_->show(action_, attempt_);
        refreshResult();
    });
    beside->addWidget(attempts_);
    QScrollArea* facts = scrolling(side_);
    facts->setMinimumWidth(scaled(200));
    beside->addWidget(facts);
    beside->setSizes({scaled(240), scaled(300)});
    connect(side_, &DetailSide::targetClicked, this, &DetailPanel::followTarget);
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
    const bool both = result_->isEmpty() || attempt_ != 0 || writtenBytes(action_) > 0;
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
    side_->setActive(active);
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
    action_ = spec_ = {};
    row_ = {};
    attempt_ = 0;
    output_->clear();
    refreshResult();
    compare_->clear();
    attempts_->clearSelection();
    samples_->show(0, false, false);
    sandbox_->show({}, {});
    graph_->show(lsn);
    side_->begin(lsn);
    head_->begin(lsn);
    if (lsn == 0) return tick_.stop();
    row_.lsn = lsn;
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
                               if (action_.isEmpty()) head_->setProblem(answer.message);
                               return;
                           }
                           action_ = answer.json;
                           row_ = actionRowOf(action_);
                           refresh();
                           if (!row_.isFinal()) side_->askWhy();
                           emit told();
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
                           head_->setSpec(spec_);
                           side_->setSpec(spec_);
                           sandbox_->show(action_, spec_);
                           if (stack_->currentIndex() == kHistory) compare_->show(action_, spec_);
                       });
}

void DetailPanel::refresh() {
    head_->setAction(row_, action_);
    attempts_->show(row_, action_);
    refreshFiles();
    side_->setAction(row_, action_);
    processor_->set(processorFacts(row_, wallNow()));
    output_->show(action_, attempt_);
    refreshResult();
    samples_->show(lsn_, row_.tries > 0, row_.isFinal());
    sandbox_->show(action_, spec_);
    if (const QString text = jsonText(action_); json_->toPlainText() != text) json_->setPlainText(text);
    if (stack_->currentIndex() == kHistory) compare_->show(action_, spec_);
    if (row_.isFinal())
        tick_.stop();
    else
        tick_.start();
}

/// What goes on while nothing is told.
void DetailPanel::refreshTimes() {
    side_->refreshLimits();
    processor_->set(processorFacts(row_, wallNow()));
    if (stack_->currentIndex() == kHistory) compare_->history()->refreshTimes();
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
    head_->setRescheduleBlocked(why);
}

Facts* DetailPanel::why() const {
    return side_->why();
}

Facts* DetailPanel::locks() const {
    return side_->locks();
}

void DetailPanel::takeFocus() {
    if (stack_->currentIndex() != kOutput) return stack_->currentWidget()->setFocus();
    output_->isHidden() ? result_->text()->setFocus() : output_->view()->setFocus();
}

void DetailPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint::panelWithTabs(painter, rect(), tabs_->parentWidget()->geometry().bottom());
}

} // namespace yard::ui
