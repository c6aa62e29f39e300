#include "ui/pages/history/kind_panel.h"

#include "ui/bridge/kind_operations.h"
#include "ui/style/format.h"

#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kAskKindMs = 150;
constexpr qsizetype kMostFailureLines = 5;

QString kindValueWords(double value, bool memory) {
    return memory ? Format().size(std::llround(std::clamp(value, 0.0, 1e18)))
                  : Format().duration(Duration(std::llround(std::clamp(value * 1e6, 0.0, 1e15))));
}

} // namespace

KindPanel::KindPanel(Context context, QWidget* parent)
    : Panel({}, false, parent)
    , context_(context)
    , showActions_(new Button(Button::Kind::Small, tr("Show actions"), "actions"))
    , close_(new Button(Button::Kind::Small, {}, "close"))
    , what_(new Tabs({tr("Run time"), tr("Memory")}))
    , chart_(new Chart(tr("By day")))
    , versions_(new RowsModel(kindPartColumns(tr("Version")), this))
    , versionTable_(new Table("kind-versions"))
    , machines_(new RowsModel(kindPartColumns(tr("Machine")), this))
    , machineTable_(new Table("kind-machines"))
    , flaky_(new RowsModel(flakyColumns(), this))
    , flakyTable_(new Table("kind-flaky"))
    , facts_(new Facts) {
    build();
    later_.setSingleShot(true);
    later_.setInterval(kAskKindMs);
    connect(&later_, &QTimer::timeout, this, &KindPanel::ask);
    connect(close_, &QAbstractButton::clicked, this, &KindPanel::closed);
    connect(what_, &Tabs::chosen, this, [this] { showChart(); });
    const auto open = [this](qint64 id) {
        const int row = flaky_->rowOf(id);
        const qint64 lsn = row < 0 ? 0 : flaky_->cell(row, 2).target;
        if (lsn > 0) context_.navigator.showAction(lsn, "output");
    };
    connect(flakyTable_, &Table::opened, this, open);
    connect(flakyTable_, &Table::linkClicked, this, [open](qint64 id, int) { open(id); });
}

void KindPanel::build() {
    setObjectName("pane");
    setIcon(QStringLiteral("history"));
    setTitleElides(true);
    close_->setAccessibleName(tr("Close"));
    for (Button* button : {showActions_, close_}) addToHead(button);
    auto* beside = new QSplitter(Qt::Horizontal);
    beside->setChildrenCollapsible(false);
    beside->addWidget(makeCharts());
    beside->addWidget(makeParts());
    beside->addWidget(makeFlaky());
    for (const auto& [part, stretch] : {std::pair(0, 3), std::pair(1, 3), std::pair(2, 2)})
        beside->setStretchFactor(part, stretch);
    setBody(beside);
}

QWidget* KindPanel::makeCharts() {
    auto* charts = new QWidget;
    auto* column = new QVBoxLayout(charts);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    chart_->setSeries({{tr("median"), Chart::Tone::Accent}, {tr("95 %"), Chart::Tone::Others}});
    column->addWidget(what_);
    column->addWidget(new Separator(Qt::Horizontal));
    column->addWidget(chart_, 1);
    return charts;
}

QWidget* KindPanel::makeParts() {
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    versionTable_->setRows(versions_);
    versionTable_->setAccessibleName(tr("By version"));
    machineTable_->setRows(machines_);
    machineTable_->setAccessibleName(tr("By machine"));
    parts->addWidget(versionTable_);
    parts->addWidget(machineTable_);
    return parts;
}

QWidget* KindPanel::makeFlaky() {
    auto* right = new QSplitter(Qt::Vertical);
    right->setChildrenCollapsible(false);
    auto* flaky = new Panel(tr("Failed, and worked on the same inputs"), false);
    flakyTable_->setRows(flaky_);
    flakyTable_->setAccessibleName(tr("Inputs on which it is flaky"));
    flaky->setBody(flakyTable_);
    auto* used = new Panel(tr("What its figures say"), false);
    used->setBody(scrolling(facts_));
    right->addWidget(flaky);
    right->addWidget(used);
    return right;
}

void KindPanel::show(const KindInfo& kind) {
    const bool isOther = kind.name != kind_.name;
    const bool isStale = isOther || isBroken_ || kind.runs != kind_.runs;
    kind_ = kind;
    setTitle(unturned(kind.name));
    setNote(tr("%Ln run(s)", nullptr, pluralCount(kind.runs)));
    if (!isStale) return;
    if (isOther) {
        ++asked_;
        detail_ = {};
        flakiness_ = {};
        for (RowsModel* rows : {versions_, machines_, flaky_}) rows->setRows({});
        for (Table* table : {versionTable_, machineTable_, flakyTable_}) table->setMessage(tr("asking…"));
        chart_->setMessage(tr("asking…"));
        chart_->replace({});
    }
    showFacts();
    later_.start();
}

void KindPanel::clear() {
    ++asked_;
    isBroken_ = false;
    kind_ = {};
    later_.stop();
}

void KindPanel::setMemory(bool memory) {
    what_->setCurrent(memory ? 1 : 0);
    showChart();
}

void KindPanel::ask() {
    const quint64 asked = ++asked_;
    isBroken_ = false;
    const auto send = [this, asked](const Request& request, void (KindPanel::*take)(const QJsonObject&)) {
        context_.link.send(request, this, [this, asked, take](const Answer& answer) {
            if (asked != asked_) return;
            if (answer.ok()) return (this->*take)(answer.json);
            isBroken_ = true;
            for (Table* table : {versionTable_, machineTable_, flakyTable_})
                if (table->rows()->rowCount() == 0) table->setMessage(answer.message);
            chart_->setMessage(answer.message);
        });
    };
    send(operations::lookAtKind(kind_.name).request, &KindPanel::takeDetail);
    send(operations::lookAtFlakiness(kind_.name).request, &KindPanel::takeFlakiness);
}

void KindPanel::takeDetail(const QJsonObject& json) {
    detail_ = json;
    const auto fill = [&](RowsModel* rows, Table* table, const char* list, const char* key) {
        auto parts = kindPartRows(json, list, key);
        table->setMessage(parts.empty() ? tr("None is known") : QString());
        rows->setRows(std::move(parts));
    };
    fill(versions_, versionTable_, "versions", "version");
    fill(machines_, machineTable_, "machines", "machine");
    showChart();
}

void KindPanel::takeFlakiness(const QJsonObject& json) {
    flakiness_ = json;
    auto rows = flakyRows(json);
    flakyTable_->setMessage(rows.empty() ? tr("No inputs both worked and failed") : QString());
    flaky_->setRows(std::move(rows));
    showFacts();
}

void KindPanel::showChart() {
    const bool isMemory = what_->current() == 1;
    Chart::Data data = kindSeries(detail_, isMemory);
    double most = 0;
    for (const auto& values : data.values)
        for (const double value : values) most = std::max(most, value);
    const double end = niceEnd(most, isMemory ? 1e6 : 0.01);
    chart_->setWords([isMemory](double value) { return kindValueWords(value, isMemory); });
    chart_->setAxis(end, {{0, QStringLiteral("0")},
                          {end / 2, kindValueWords(end / 2, isMemory)},
                          {end, kindValueWords(end, isMemory)}});
    if (const auto& change = kind_.regression; change && change->isMemory == isMemory) {
        data.ticks = {change->t};
        chart_->setLimits({change->before, change->after});
    } else {
        chart_->setLimits({});
    }
    chart_->setMessage(data.t.empty() && !detail_.isEmpty() ? tr("Nothing completed in these weeks") : QString());
    chart_->replace(std::move(data));
}

void KindPanel::showFacts() {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Fact> facts;
    if (kind_.regression) facts.push_back({tr("Change"), changeWords(*kind_.regression, now), Fact::Tone::Alert});
    if (kind_.duration)
        facts.push_back(
            {tr("Finish times"), tr("%1, from its median").arg(kindValueWords(kind_.duration->p50, false))});
    facts.push_back({tr("Memory to ask for"),
                     kind_.learned ? kindValueWords(*kind_.learned, true) : tr("not known before 20 runs"),
                     kind_.learned ? Fact::Tone::Normal : Fact::Tone::Dim});
    if (kind_.flaky)
        facts.push_back(
            {tr("Flaky"),
             tr("%1 % of the runs on inputs that work").arg(QLocale().toString(kind_.flaky->rate * 100, 'f', 1)),
             kind_.flaky->isFlaky ? Fact::Tone::Alert : Fact::Tone::Normal});
    const QStringList lines = failureLines(flakiness_);
    for (qsizetype i = 0; i < lines.size() && i < kMostFailureLines; ++i)
        facts.push_back({i == 0 ? tr("Failures say") : QString(), lines.at(i), Fact::Tone::Dim});
    facts.push_back({tr("Last run"), kind_.last > 0 ? format.time(kind_.last, now) : Format::unknown()});
    facts_->set(std::move(facts));
}

} // namespace yard::ui
