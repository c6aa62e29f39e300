#include "ui/pages/dashboard/processor_panel.h"

#include "ui/pages/dashboard/action_menu.h"
#include "ui/state/action_row.h"
#include "ui/state/failure_kinds.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"
#include "ui/widgets/whole_rows.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kProcessorEveryMs = 2'000;
constexpr int kMostListed = 500;

Cell coresCell(std::optional<double> cores) {
    return {cores ? Format().cores(*cores) : Format::unknown()};
}

Cell memoryCell(std::optional<double> bytes) {
    return {bytes ? Format().size(static_cast<qint64>(*bytes)) : Format::unknown()};
}

/// "usage" of a row; it comes some seconds after the start.
ActionUse useOf(qint64 lsn, const QJsonObject& json) {
    ActionUse use{.lsn = lsn, .cores = {}, .memory = {}};
    if (const QJsonValue cpu = json.value("cpu_percent"); cpu.isDouble()) use.cores = cpu.toDouble() / 100;
    if (const QJsonValue rss = json.value("rss_bytes"); rss.isDouble()) use.memory = rss.toDouble();
    return use;
}

std::vector<Column> processorColumns() {
    return {
        {.id = "action",
         .title = ProcessorPanel::tr("Action"),
         .tip = ProcessorPanel::tr("What runs"),
         .kind = CellKind::Name,
         .width = 120,
         .stretches = true},
        {.id = "worker",
         .title = ProcessorPanel::tr("Worker"),
         .tip = ProcessorPanel::tr("What runs it"),
         .kind = CellKind::Name,
         .width = 102,
         .falls = 1},
        {.id = "cores",
         .title = ProcessorPanel::tr("Cores"),
         .tip = ProcessorPanel::tr("Cores in use, over the last look"),
         .kind = CellKind::Number,
         .width = 54},
        {.id = "memory",
         .title = ProcessorPanel::tr("Memory"),
         .tip = ProcessorPanel::tr("Of all its processes"),
         .kind = CellKind::Number,
         .width = 76},
    };
}

} // namespace

ProcessorPanel::ProcessorPanel(Context context, QWidget* parent)
    : Panel(tr("Using the processor now"), true, parent)
    , context_(context)
    , table_(new Table("dashboard-processor"))
    , rows_(new RowsModel(processorColumns(), this))
    , all_(new Button(Button::Kind::Link, {}, {}))
    , poll_(new Poll(
          context.link, kProcessorEveryMs,
          [] {
              Request request{"GET", "jobs", {}, {}};
              request.query.addQueryItem("state", "running");
              request.query.addQueryItem("limit", QString::number(kMostListed));
              return request;
          },
          [this](const Answer& answer) { take(answer); }, this)) {
    setIcon("actions");
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Using the processor now"));
    setBody(new WholeRows(table_));
    addToHead(all_);
    connect(all_, &QAbstractButton::clicked, this, [this] { context_.navigator.show("actions", "state:running"); });
    const auto open = [this](qint64 id) {
        if (id > 0) return context_.navigator.showAction(id, "processor");
        context_.navigator.show("actions", "state:running");
    };
    connect(table_, &Table::opened, this, open);
    connect(table_, &QAbstractItemView::clicked, this,
            [this, open](const QModelIndex& index) { open(rows_->idAt(index.row())); });
    connect(table_, &Table::menuWanted, this, [this](const QPoint& global) {
        const auto job = std::ranges::find(jobs_, table_->currentId(),
                                           [](const QJsonObject& each) { return each.value("lsn").toInteger(); });
        if (job != jobs_.end()) showActionMenu(context_, table_, QJsonObject(*job), global);
    });
    connect(&context_.state, &EngineState::refreshed, poll_, &Poll::now);
    fill();
}

void ProcessorPanel::setActive(bool active) {
    poll_->setActive(active);
}

void ProcessorPanel::setMachine(std::optional<double> othersCores, std::optional<double> memoryBytes) {
    othersCores_ = othersCores;
    memory_ = memoryBytes;
    fill();
}

void ProcessorPanel::take(const Answer& answer) {
    jobs_.clear();
    more_ = answer.json.contains("cursor");
    std::set<qint64> running;
    for (const QJsonValue value : answer.json.value("jobs").toArray()) {
        jobs_.push_back(value.toObject());
        const QJsonObject& job = jobs_.back();
        const qint64 lsn = job.value("lsn").toInteger();
        running.insert(lsn);
        if (job.contains("usage")) uses_[lsn] = useOf(lsn, job.value("usage").toObject());
    }
    std::erase_if(uses_, [&](const auto& entry) { return !running.contains(entry.first); });
    fill();
}

void ProcessorPanel::fill() {
    const Format format;
    const auto coresOf = [this](const QJsonObject& job) {
        const auto use = uses_.find(job.value("lsn").toInteger());
        return use == uses_.end() ? -1.0 : use->second.cores.value_or(-1.0);
    };
    std::vector<QJsonObject> order = jobs_;
    std::ranges::sort(order, [&](const QJsonObject& a, const QJsonObject& b) {
        const double left = coresOf(a);
        const double right = coresOf(b);
        return left != right ? left > right : a.value("lsn").toInteger() < b.value("lsn").toInteger();
    });
    const int fits = table_->viewport()->height() / std::max(1, scaled(24)) - 2;
    const std::size_t shown = std::min(order.size(), static_cast<std::size_t>(std::max(2, fits)));
    std::vector<Row> rows;
    ActionUse rest{.lsn = 0, .cores = 0.0, .memory = 0.0};
    double allMemory = 0;
    bool memoryKnown = !more_;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const qint64 lsn = order[i].value("lsn").toInteger();
        const auto found = uses_.find(lsn);
        const ActionUse use =
            found == uses_.end() ? ActionUse{.lsn = lsn, .cores = {}, .memory = {}} : found->second;
        allMemory += use.memory.value_or(0);
        memoryKnown = memoryKnown && use.memory;
        if (i < shown) {
            Row row;
            row.id = lsn;
            Cell what{actionRowOf(order[i]).what()};
            what.face = DisplayState::Running;
            row.cells = {what,
                         {whatRan(order[i]), {}, {}, {}, Cell::Tone::Dim},
                         coresCell(use.cores),
                         memoryCell(use.memory)};
            rows.push_back(std::move(row));
            continue;
        }
        rest.cores = rest.cores && use.cores ? std::optional(*rest.cores + *use.cores) : std::nullopt;
        rest.memory = rest.memory && use.memory ? std::optional(*rest.memory + *use.memory) : std::nullopt;
    }
    const qint64 running =
        context_.state.count(DisplayState::Running) + context_.state.count(DisplayState::Submitting);
    const qint64 hidden = std::max<qint64>(running, static_cast<qint64>(order.size())) - static_cast<qint64>(shown);
    const auto summary = [&](qint64 id, const QString& text, std::optional<double> cores,
                             std::optional<double> memory) {
        Row row;
        row.id = id;
        row.cells = {{text, {}, {}, {}, Cell::Tone::Dim}, {}, coresCell(cores), memoryCell(memory)};
        rows.push_back(std::move(row));
    };
    if (order.size() > shown)
        summary(kMoreRow, hidden == 1 ? tr("1 more action") : tr("%1 more actions").arg(format.number(hidden)),
                more_ ? std::nullopt : rest.cores, more_ ? std::nullopt : rest.memory);
    summary(kOthersRow, tr("others"), othersCores_,
            memory_ && memoryKnown ? std::optional(std::max(0.0, *memory_ - allMemory)) : std::nullopt);
    rows_->setRows(std::move(rows));
    all_->setText(order.empty()  ? tr("none runs")
                  : running == 1 ? tr("1 running")
                                 : tr("All %1 running").arg(format.number(running)));
}

void ProcessorPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fill();
}

} // namespace yard::ui
