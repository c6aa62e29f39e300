#include "ui/pages/history/history_page.h"

#include "ui/bridge/kind_operations.h"
#include "ui/pages/history/kind_panel.h"
#include "ui/pages/history/past_panes.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QJsonArray>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kHistoryLookMs = 10'000;
constexpr int kKindPanelHeight = 380;
constexpr qsizetype kMostRowIds = 50'000;
constexpr WallMicros kMicrosOfDay = 24 * 3'600'000'000LL;
constexpr std::array kSpans{0, 1, 7, 30}; ///< days

/// What stays the same of a change as long as it is told.
QString changeKeyOf(const KindChangeInfo& change) {
    return change.kind + '\n' + QString::number(change.t) + (change.isMemory ? "m" : "d");
}

} // namespace

HistoryPage::HistoryPage(Context context)
    : FilteredPage(context, new FilterField(tr("part of a kind's name…"), false))
    , head_(new PageHead(tr("History")))
    , span_(new Button(Button::Kind::Plain, tr("All that is kept"), {}))
    , badge_(new UpdatesBadge)
    , tabs_(new Tabs(historyTabTitles()))
    , split_(new QSplitter(Qt::Vertical))
    , stack_(new QStackedWidget)
    , table_(new Table("kinds"))
    , rows_(new RowsModel(kindColumns(), this))
    , changeTable_(new Table("regressions"))
    , changeRows_(new RowsModel(regressionColumns(), this))
    , panel_(new KindPanel(context))
    , poll_(
          context.link, kHistoryLookMs, [this] { return operations::lookAtKinds(since(Kinds)).request; },
          [this](const Answer& answer) { takeKinds(answer.json); })
    , changePoll_(
          context.link, kHistoryLookMs, [] { return operations::lookAtRegressions().request; },
          [this](const Answer& answer) { takeRegressions(answer.json); })
    , usage_(new UsagePane(context))
    , alerts_(new AlertsPane(context))
    , audit_(new AuditPane(context)) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    inside->addWidget(tabs_);
    inside->addWidget(new Separator(Qt::Horizontal));
    split_->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Kinds of work"));
    changeTable_->setRows(changeRows_);
    changeTable_->setObjectName("pane");
    changeTable_->setAccessibleName(tr("What got slower or larger"));
    stack_->addWidget(table_);
    stack_->addWidget(changeTable_);
    makePanes();
    split_->addWidget(stack_);
    split_->addWidget(panel_);
    split_->setStretchFactor(0, 1);
    split_->setSizes({400, scaled(kKindPanelHeight)});
    inside->addWidget(split_, 1);
    setFocusProxy(table_);
    makeCommands();
    connectParts();
    filterRows();
    onSelection();
}

void HistoryPage::makePanes() {
    const std::array<std::pair<int, PastPane*>, 3> panes{{{Usage, usage_}, {Alerts, alerts_}, {Audit, audit_}}};
    for (const auto& [number, each] : panes) {
        stack_->addWidget(each);
        each->setSince([this, tab = number] { return since(tab); });
        connect(each->table(), &Table::typed, this, &HistoryPage::typeInFilter);
        connect(each, &PastPane::menuWanted, this, &HistoryPage::showMenu);
        connect(each, &PastPane::noteChanged, this,
                [this, tab = number](const QString& note) { tabs_->setNote(tab, note); });
        connect(&context_.state, &EngineState::refreshed, each, &PastPane::refresh);
    }
}

PastPane* HistoryPage::pane() const {
    if (tab_ == Usage) return usage_;
    if (tab_ == Alerts) return alerts_;
    return tab_ == Audit ? static_cast<PastPane*>(audit_) : nullptr;
}

Table* HistoryPage::shownTable() const {
    if (const PastPane* shown = pane()) return shown->table();
    return tab_ == Regressions ? changeTable_ : table_;
}

void HistoryPage::connectParts() {
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    for (Table* table : {table_, changeTable_}) {
        connect(table, &Table::selectionEdited, this, &HistoryPage::onSelection);
        connect(table, &Table::opened, this, [this] { showActions_->trigger(); });
        connect(table, &Table::menuWanted, this, &HistoryPage::showMenu);
        connect(table, &Table::typed, this, &HistoryPage::typeInFilter);
    }
    connect(filter_, &QLineEdit::textChanged, this, [this] {
        emit filterEdited(filter_->text());
        filterRows();
    });
    connect(tabs_, &Tabs::chosen, this, &HistoryPage::setTab);
    connect(panel_, &KindPanel::closed, this, [this] { closeInnermost(); });
    connect(panel_->actions(), &QAbstractButton::clicked, showActions_, &QAction::trigger);
    const auto onFailed = [this](int, const QString& message) {
        if (told_) return;
        table_->setMessage(message);
        changeTable_->setMessage(message);
    };
    connect(&poll_, &Poll::failed, this, onFailed);
    connect(&context_.state, &EngineState::refreshed, this, [this] {
        poll_.now();
        changePoll_.now();
    });
}

void HistoryPage::makeHead(QVBoxLayout* column) {
    filter_->setMaximumWidth(scaled(320));
    head_->addLeft(filter_, 1);
    head_->addLeft(span_);
    auto* spans = new QMenu(this);
    for (const int days : kSpans)
        spans->addAction(days == 0 ? tr("All that is kept") : tr("%Ln day(s)", nullptr, days), this,
                         [this, days] { setDays(days); });
    span_->setMenu(spans);
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(shown);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &HistoryPage::takeUpdates);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { shownTable()->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

void HistoryPage::setActive(bool active) {
    active_ = active;
    poll_.setActive(active);
    changePoll_.setActive(active);
    for (PastPane* each :
         {static_cast<PastPane*>(usage_), static_cast<PastPane*>(alerts_), static_cast<PastPane*>(audit_)})
        each->setActive(active && each == pane());
}

void HistoryPage::setDays(int days) {
    if (std::exchange(days_[timeOf(tab_)], days) == days) return;
    showDays();
    if (PastPane* shown = pane())
        shown->refresh();
    else
        poll_.now();
}

void HistoryPage::showDays() {
    const int days = days_[timeOf(tab_)];
    span_->setText(days == 0 ? tr("All that is kept") : tr("%Ln day(s)", nullptr, days));
    span_->setVisible(tab_ != Alerts); // rules are as they are now
}

qint64 HistoryPage::since(int tab) const {
    const int days = days_[timeOf(tab)];
    return days == 0 ? 0 : wallNow() - days * kMicrosOfDay;
}

// --- what the engine tells

qint64 HistoryPage::rowIdOf(const QString& key) {
    qint64& id = rowIds_[key];
    if (id == 0) id = ++lastRowId_;
    return id;
}

void HistoryPage::takeKinds(const QJsonObject& json) {
    ++question_;
    // Kinds whose names change with every run: the selection is lost once, memory is not.
    if (rowIds_.size() > kMostRowIds) rowIds_.clear();
    coming_.clear();
    takePage(json, 1);
}

/// The first page is shown at once, all of them when they are here.
void HistoryPage::takePage(const QJsonObject& json, int page) {
    for (const QJsonValue value : json.value("kinds").toArray()) {
        KindInfo kind = kindInfoOf(value.toObject());
        kind.row = rowIdOf(kind.name);
        coming_.push_back(std::move(kind));
    }
    const QString cursor = json.value("cursor").toString();
    const bool goesOn = !cursor.isEmpty() && page < kMostPages;
    if (goesOn) askMore(cursor, page + 1);
    if (goesOn && told_) return;
    kinds_ = coming_;
    told_ = true;
    refill();
}

void HistoryPage::askMore(const QString& cursor, int page) {
    context_.link.send(operations::lookAtKinds(since(Kinds), cursor).request, this,
                       [this, page, question = question_](const Answer& answer) {
                           if (question == question_ && answer.ok()) takePage(answer.json, page);
                       });
}

void HistoryPage::takeRegressions(const QJsonObject& json) {
    regressions_.clear();
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    for (const QJsonValue value : json.value("regressions").toArray()) {
        auto change = kindChangeOf(value.toObject());
        if (!change) continue;
        // One change keeps its row while others come.
        rows.push_back(regressionRow(*change, rowIdOf(changeKeyOf(*change)), now));
        regressions_.push_back(std::move(*change));
    }
    changeTable_->setMessage(rows.empty() ? tr("Nothing got slower or larger") : QString());
    tabs_->setNote(Regressions, rows.empty() ? QString() : Format().number(std::ssize(rows)));
    changeRows_->setRows(std::move(rows));
    onSelection();
}

void HistoryPage::refill() {
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    rows.reserve(kinds_.size());
    byName_.clear();
    qint64 flaky = 0;
    for (const KindInfo& kind : kinds_) {
        rows.push_back(kindRow(kind, now));
        byName_.insert(kind.name, kind);
        flaky += kind.flaky && kind.flaky->isFlaky ? 1 : 0;
    }
    rows_->setRows(std::move(rows));
    head_->setNote(tr("%Ln kind(s) of work", nullptr, pluralCount(std::ssize(kinds_))));
    tabs_->setNote(Flaky, flaky > 0 ? Format().number(flaky) : QString());
    filterRows();
    onSelection();
}

/// What is written is looked for in the names, whatever its case; the tab Flaky has those with flaky inputs.
void HistoryPage::filterRows() {
    const QString part = filter_->text().trimmed();
    for (PastPane* each :
         {static_cast<PastPane*>(usage_), static_cast<PastPane*>(alerts_), static_cast<PastPane*>(audit_)})
        each->setPart(part);
    const bool isFlaky = tab_ == Flaky;
    const auto has = [part](const Row& row, std::size_t column) {
        return part.isEmpty() || row.cells[column].text.contains(part, Qt::CaseInsensitive);
    };
    constexpr std::size_t kFlakyColumn = 6;
    rows_->setFilter([has, isFlaky](const Row& row) {
        return has(row, 0) && (!isFlaky || row.keys[kFlakyColumn].toLongLong() > 0);
    });
    changeRows_->setFilter([has](const Row& row) { return has(row, 1); });
    if (!told_) return;
    const bool isEmpty = rows_->rowCount() == 0;
    table_->setMessage(!isEmpty            ? QString()
                       : !part.isEmpty()   ? tr("No kind has this in its name")
                       : isFlaky           ? tr("No kind fails on inputs that work")
                       : days_[Kinds] == 0 ? tr("Nothing has ended yet")
                                           : tr("Nothing ended in this time"));
}

// --- what is shown

void HistoryPage::setTab(int tab) {
    if (tab == Failures) {
        tabs_->setCurrent(tab_);
        context_.navigator.show("failures");
        return;
    }
    tab_ = tab;
    tabs_->setCurrent(tab);
    showTab();
}

void HistoryPage::open(qint64 tab, const QString& /*part*/) {
    if (tab >= 0 && tab < static_cast<qint64>(kTabs)) setTab(static_cast<int>(tab));
}

void HistoryPage::showTab() {
    if (PastPane* shown = pane())
        stack_->setCurrentWidget(shown);
    else
        stack_->setCurrentWidget(shownTable());
    setFocusProxy(shownTable());
    showDays();
    setActive(active_);
    filterRows();
    onSelection();
}

const KindInfo* HistoryPage::selected() const {
    if (pane() != nullptr) return nullptr;
    const bool isChanges = tab_ == Regressions;
    const Table* table = isChanges ? changeTable_ : table_;
    const auto ids = table->selectedIds();
    if (ids.empty()) return nullptr;
    const auto found = std::ranges::find(kinds_, ids.front(), &KindInfo::row);
    if (!isChanges) return found == kinds_.end() ? nullptr : &*found;
    for (const KindChangeInfo& change : regressions_) {
        if (rowIds_.value(changeKeyOf(change)) != ids.front()) continue;
        const auto kind = byName_.constFind(change.kind);
        return kind == byName_.constEnd() ? nullptr : &*kind;
    }
    return nullptr;
}

void HistoryPage::onSelection() {
    const KindInfo* kind = selected();
    const QString unchosen = kind == nullptr ? tr("Select a kind first") : QString();
    for (QAction* action : {showActions_, copyKind_}) setBlocked(action, unchosen);
    panel_->setVisible(kind != nullptr);
    if (kind == nullptr)
        panel_->clear();
    else
        panel_->show(*kind);
}

std::vector<CommandSpec> HistoryPage::declared() {
    return {{"show-actions", tr("Show actions")}, {"copy-kind", tr("Copy the name of the kind")}};
}

void HistoryPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    showActions_ = maker("show-actions", [this] {
        if (const KindInfo* kind = selected()) context_.navigator.show("actions", actionsOfKind(kind->name));
    });
    copyKind_ = maker("copy-kind", [this] {
        if (const KindInfo* kind = selected()) copyText(context_.window, kind->name);
    });
}

void HistoryPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    if (const PastPane* shown = pane())
        menu->addActions(shown->rowActions());
    else
        menu->addActions({showActions_, copyKind_});
    if (menu->isEmpty()) return;
    if (const KindInfo* kind = selected()) {
        const Operation look = operations::lookAtKind(kind->name);
        QMenu* copies = menu->addMenu(tr("Copy as"));
        const auto add = [&](const QString& title, const QString& text) {
            copies->addAction(title, this, [this, text] { copyText(context_.window, text); });
        };
        add(tr("yardctl"), context_.link.yardctl(look.yardctl));
        add(tr("curl"), context_.link.curl(look.request));
    }
    (void)menu.run(global);
}

void HistoryPage::takeUpdates() {
    rows_->takeWaiting();
    changeRows_->takeWaiting();
    if (PastPane* shown = pane()) shown->refresh();
    poll_.now();
    changePoll_.now();
}

QList<QAction*> HistoryPage::commands() const {
    return {showActions_, copyKind_};
}

QString HistoryPage::yardctlOf(const QAction* command) const {
    const KindInfo* kind = selected();
    if (kind == nullptr || command != showActions_) return {};
    return operations::look(Target::matching(actionsOfKind(kind->name))).yardctl;
}

bool HistoryPage::closeInnermost() {
    Table* table = shownTable();
    if (!table->selectionModel()->hasSelection()) return false;
    table->clearSelection();
    return true;
}

Operation HistoryPage::asOperation() const {
    if (const KindInfo* kind = selected()) return operations::lookAtKind(kind->name);
    if (const PastPane* shown = pane()) return shown->asOperation();
    return tab_ == Regressions ? operations::lookAtRegressions() : operations::lookAtKinds(since(Kinds));
}

} // namespace yard::ui
