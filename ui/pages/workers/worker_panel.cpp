#include "ui/pages/workers/worker_panel.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QJsonDocument>

namespace yard::ui {

namespace {

struct WorkerFacts {
    Q_DECLARE_TR_FUNCTIONS(WorkerFacts)
};

constexpr std::size_t kMostFailures = 20;
constexpr int kLeastPart = 220; // at 100 %

/// A worker says what it likes in a descriptor: as text, not as a wall of it.
QString workerTextOf(const QJsonValue& value) {
    if (value.isBool()) return value.toBool() ? WorkerFacts::tr("yes") : WorkerFacts::tr("no");
    if (value.isDouble()) return QLocale().toString(value.toDouble(), 'g', 12);
    if (value.isString()) return value.toString();
    if (value.isObject()) {
        QStringList all;
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it) all << it.key() + ' ' + workerTextOf(it.value());
        return all.join(", ");
    }
    QStringList all;
    for (const QJsonValue each : value.toArray()) {
        const QJsonObject object = each.toObject();
        all << (object.contains("name") ? object.value("name").toString() + ' ' + object.value("version").toString()
                                        : workerTextOf(each));
    }
    return all.join(", ");
}

Table* smallTable(RowsModel* rows, const QString& name) {
    auto* table = new Table({});
    table->setRows(rows);
    table->setAccessibleName(name);
    return table;
}

std::vector<Column> workerFactColumns() {
    return {
        {.id = "what",
         .title = WorkerPanel::tr("Member"),
         .tip = WorkerPanel::tr("Member of the descriptor"),
         .kind = CellKind::Text,
         .width = 104},
        {.id = "value",
         .title = WorkerPanel::tr("Value"),
         .tip = WorkerPanel::tr("As it was registered"),
         .kind = CellKind::Text,
         .width = 120,
         .stretches = true},
    };
}

std::vector<Column> workerFileColumns() {
    return {
        {.id = "path",
         .title = WorkerPanel::tr("File"),
         .tip = WorkerPanel::tr("Path below the worker's directory"),
         .kind = CellKind::Name,
         .width = 110,
         .stretches = true,
         .sort = "path"},
        {.id = "size",
         .title = WorkerPanel::tr("Size"),
         .tip = WorkerPanel::tr("Bytes of the file"),
         .kind = CellKind::Number,
         .width = 80,
         .sort = "size"},
        {.id = "hash",
         .title = WorkerPanel::tr("Hash"),
         .tip = WorkerPanel::tr("SHA-256 of its content, the first 8 digits"),
         .kind = CellKind::Mono,
         .width = 84},
    };
}

std::vector<Column> workerFailureColumns() {
    return {
        {.id = "when",
         .title = WorkerPanel::tr("Time"),
         .tip = WorkerPanel::tr("When it ended"),
         .kind = CellKind::Number,
         .width = 84},
        {.id = "lsn",
         .title = WorkerPanel::tr("Action"),
         .tip = WorkerPanel::tr("Number of the action"),
         .kind = CellKind::Link,
         .width = 76},
        {.id = "note",
         .title = WorkerPanel::tr("First error line"),
         .tip = WorkerPanel::tr("The first line that looks like an error"),
         .kind = CellKind::Text,
         .width = 120,
         .stretches = true},
    };
}

} // namespace

WorkerPanel::WorkerPanel(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , parts_(new QBoxLayout(QBoxLayout::LeftToRight, this))
    , pairs_{new QBoxLayout(QBoxLayout::LeftToRight), new QBoxLayout(QBoxLayout::LeftToRight)}
    , about_(new Panel(tr("Worker"), false))
    , facts_(new RowsModel(workerFactColumns(), this))
    , files_(new RowsModel(workerFileColumns(), this))
    , filesPanel_(new Panel(tr("Files"), false))
    , function_(new QComboBox)
    , chart_(new RunsChart)
    , failures_(new RowsModel(workerFailureColumns(), this)) {
    factsTable_ = smallTable(facts_, tr("Descriptor"));
    filesTable_ = smallTable(files_, tr("Files"));
    failuresTable_ = smallTable(failures_, tr("Recent failures"));
    failuresTable_->setMessage(tr("Nothing of it has failed lately"));
    about_->setBody(factsTable_);
    filesPanel_->setBody(filesTable_);
    auto* runs = new Panel(tr("Last runs"), false);
    function_->setAccessibleName(tr("Function"));
    function_->setObjectName("function");
    runs->addToHead(function_);
    runs->setBody(chart_);
    auto* failures = new Panel(tr("Recent failures"), false);
    auto* all = new Button(Button::Kind::Link, tr("Show all"), {});
    failures->addToHead(all);
    failures->setBody(failuresTable_);
    parts_->setContentsMargins(0, 0, 0, 0);
    parts_->setSpacing(1);
    for (QBoxLayout* pair : pairs_) {
        pair->setSpacing(1);
        parts_->addLayout(pair, 1);
    }
    for (Panel* panel : {about_, filesPanel_, runs, failures}) {
        panel->setObjectName("pane");
        panel->setSizePolicy(QSizePolicy::Ignored, panel->sizePolicy().verticalPolicy()); // alike
        pairs_[panel == about_ || panel == filesPanel_ ? 0 : 1]->addWidget(panel, 1);
    }
    connect(function_, &QComboBox::activated, this, &WorkerPanel::showRuns);
    connect(all, &QAbstractButton::clicked, this,
            [this] { context_.navigator.show("actions", "state:failed worker:" + id()); });
    connect(failuresTable_, &Table::linkClicked, this,
            [this](qint64 lsn) { context_.navigator.showAction(lsn, "output"); });
    connect(failuresTable_, &Table::opened, this,
            [this](qint64 lsn) { context_.navigator.showAction(lsn, "output"); });
}

void WorkerPanel::setUpright(bool upright) {
    upright_ = upright;
    layOut();
}

void WorkerPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

void WorkerPanel::layOut() {
    const bool inPairs = !upright_ && width() < 4 * scaled(kLeastPart);
    parts_->setDirection(upright_ ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (QBoxLayout* pair : pairs_)
        pair->setDirection(upright_ || inPairs ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void WorkerPanel::show(const QJsonObject& worker, const WorkerFigures& figures) {
    worker_ = worker;
    figures_ = figures;
    about_->setTitle(worker.value("name").toString());
    about_->setNote(worker.value("version").toString());
    showFacts();
    showFiles();
    const QString chosen = function_->currentText();
    function_->clear();
    function_->addItem(tr("all functions"), QString());
    for (const QJsonValue function : worker.value("functions").toArray()) {
        const QString name = function.toObject().value("name").toString();
        function_->addItem(name, name);
    }
    function_->setCurrentIndex(std::max(0, function_->findText(chosen)));
    showRuns();
    showFailures();
}

void WorkerPanel::showFacts() {
    std::vector<Row> rows;
    for (auto it = worker_.constBegin(); it != worker_.constEnd(); ++it) {
        if (it.key() == "files" || it.key() == "name" || it.key() == "version") continue;
        Cell value{workerTextOf(it.value())};
        value.mono = it.key() == "id";
        rows.push_back(
            {static_cast<qint64>(rows.size()) + 1, {{it.key(), {}, {}, {}, Cell::Tone::Dim}, value}, {}});
    }
    facts_->setRows(std::move(rows));
    facts_->takeWaiting();
}

void WorkerPanel::showFiles() {
    const Format format;
    std::vector<Row> rows;
    qint64 bytes = 0;
    for (const QJsonValue value : worker_.value("files").toArray()) {
        const QJsonObject file = value.toObject();
        const qint64 size = file.value("size").toInteger();
        bytes += size;
        Cell hash{file.value("hash").toString().left(8)};
        hash.tip = file.value("hash").toString();
        rows.push_back({static_cast<qint64>(rows.size()) + 1,
                        {{file.value("path").toString()}, {format.size(size)}, hash},
                        {QVariant(), size, QVariant()}});
    }
    filesPanel_->setNote(tr("%n, %1", nullptr, static_cast<int>(rows.size())).arg(format.size(bytes)));
    files_->setRows(std::move(rows));
    files_->takeWaiting();
}

void WorkerPanel::showRuns() {
    std::vector<Run> runs;
    const QString function = function_->currentData().toString();
    for (const Run& run : figures_.runs)
        if (function.isEmpty() || run.function == function) runs.push_back(run);
    chart_->setRuns(std::move(runs));
}

void WorkerPanel::showFailures() {
    const Format format;
    const qint64 now = wallNow();
    std::vector<Row> rows;
    for (auto run = figures_.runs.rbegin(); run != figures_.runs.rend() && rows.size() < kMostFailures; ++run) {
        if (!run->failed) continue;
        Cell when{format.time(run->at, now)};
        when.tip = format.exactTime(run->at, now);
        Cell note{run->note};
        note.mono = true;
        rows.push_back({run->lsn, {when, {format.number(run->lsn)}, note}, {}});
    }
    failuresTable_->setMessage(rows.empty() ? tr("Nothing of it has failed lately") : QString());
    failures_->setRows(std::move(rows));
}

} // namespace yard::ui
