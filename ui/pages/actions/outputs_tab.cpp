#include "ui/pages/actions/outputs_tab.h"

#include "ui/outputs/preview.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QSplitter>

#include <utility>

namespace yard::ui {

namespace {

std::vector<Column> outputColumns() {
    using enum CellKind;
    return {
        {.id = "name",
         .title = OutputsTab::tr("Name"),
         .tip = OutputsTab::tr("Path within the directory"),
         .kind = Name,
         .width = 140,
         .stretches = true,
         .sort = "name"},
        {.id = "size",
         .title = OutputsTab::tr("Size"),
         .tip = OutputsTab::tr("Bytes"),
         .kind = Number,
         .width = 84,
         .sort = "size"},
        {.id = "kind",
         .title = OutputsTab::tr("Kind"),
         .tip = OutputsTab::tr("What its name says that it is"),
         .kind = Text,
         .width = 72,
         .falls = 2,
         .sort = "kind"},
        {.id = "hash",
         .title = OutputsTab::tr("Hash"),
         .tip = OutputsTab::tr("SHA-256 of its bytes"),
         .kind = Mono,
         .width = 420,
         .falls = 1},
    };
}

QString wordOfContent(ContentKind kind) {
    switch (kind) {
    case ContentKind::Image: return OutputsTab::tr("image");
    case ContentKind::Json: return OutputsTab::tr("JSON");
    case ContentKind::Table: return OutputsTab::tr("table");
    case ContentKind::Text: return OutputsTab::tr("text");
    case ContentKind::Empty: return OutputsTab::tr("empty");
    case ContentKind::Hex: break;
    }
    return Format::unknown();
}

} // namespace

OutputsTab::OutputsTab(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , table_(new Table({}))
    , rows_(new RowsModel(outputColumns(), this))
    , preview_(new Preview(context.link)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Outputs"));
    table_->setMinimumWidth(scaled(280));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(table_);
    split->addWidget(preview_);
    split->setStretchFactor(1, 1);
    split->setSizes({scaled(400), scaled(700)});
    column->addWidget(split, 1);
    setFocusProxy(table_);
    connect(table_, &Table::selectionEdited, this, &OutputsTab::showSelected);
    connect(table_, &Table::selectionKept, this, &OutputsTab::showSelected);
    connect(&context_.state, &EngineState::refreshed, this,
            &OutputsTab::showSelected); // what failed is asked again
}

void OutputsTab::show(qint64 lsn, const QJsonObject& outputs, bool isFinal) {
    std::vector<ChunkFile> files;
    for (auto it = outputs.begin(); it != outputs.end(); ++it) {
        const QJsonObject json = it.value().toObject();
        files.emplace_back(it.key(), json.value("hash").toString(), json.value("size").toInteger());
    }
    table_->setMessage(!files.empty() ? QString()
                       : isFinal      ? tr("It left no files in outputs/.")
                                      : tr("Files it leaves in outputs/ appear when it has ended."));
    if (lsn == lsn_ && files == files_) return;
    {
        const QSignalBlocker quiet(table_); // what is selected meanwhile is nobody's choice
        if (lsn != lsn_) table_->selectionModel()->clear();
        lsn_ = lsn;
        files_ = std::move(files);
        fill();
    }
    showSelected();
}

void OutputsTab::fill() {
    const Format format;
    std::vector<Row> rows;
    for (const ChunkFile& file : files_) {
        const ContentKind kind = file.size == 0 ? ContentKind::Empty : kindByName(file.name, imageFormats());
        rows.push_back({static_cast<qint64>(rows.size()) + 1,
                        {{file.name}, {format.size(file.size)}, {wordOfContent(kind)}, {file.hash}},
                        {QVariant(), file.size, QVariant(), QVariant()}});
    }
    rows_->setRows(std::move(rows));
    if (rows_->waiting() > 0) rows_->takeWaiting();
}

const ChunkFile* OutputsTab::selected() const {
    const auto ids = table_->selectedIds();
    if (ids.size() != 1 || ids.front() > static_cast<qint64>(files_.size())) return nullptr;
    return &files_[static_cast<std::size_t>(ids.front() - 1)];
}

/// The first one, where nothing was chosen yet.
void OutputsTab::showSelected() {
    if (!isVisible()) return;
    if (files_.empty()) return preview_->clear();
    if (table_->selectedIds().empty() && table_->currentId() == 0) return table_->selectId(rows_->idAt(0));
    if (const ChunkFile* file = selected()) preview_->show(*file);
}

void OutputsTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showSelected();
}

} // namespace yard::ui
