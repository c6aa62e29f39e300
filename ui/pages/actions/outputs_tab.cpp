#include "ui/pages/actions/outputs_tab.h"

#include "ui/outputs/picture_strip.h"
#include "ui/outputs/preview.h"
#include "ui/pages/actions/output_commands.h"
#include "ui/style/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/transient.h"

#include <QJsonArray>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// One row of small pictures is seen, the others are scrolled to.
constexpr int kPicturesHigh = 80;

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
    , preview_(new Preview(context.link))
    , pictures_(new PictureStrip(context.link))
    , pictureArea_(scrolling(pictures_))
    , commands_(new OutputCommands(context, *preview_, *this))
    , save_(new Button(Button::Kind::Small, tr("Save…"), "save"))
    , saveAll_(new Button(Button::Kind::Small, tr("Save all…"), "save"))
    , open_(new Button(Button::Kind::Small, tr("Open"), "external")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(makeList());
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

QWidget* OutputsTab::makeList() {
    auto* list = new Surface(Token::Bg1);
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(12, 4, 12, 4);
    tools->setSpacing(8);
    for (QWidget* each : {save_, saveAll_, open_}) tools->addWidget(each);
    tools->addStretch(1);
    column->addLayout(tools);
    column->addWidget(table_, 1);
    column->addWidget(pictureArea_);
    pictureArea_->setFixedHeight(scaled(kPicturesHigh));
    pictureArea_->hide();
    pictures_->setAccessibleName(tr("Pictures"));
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Outputs"));
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    list->setMinimumWidth(scaled(320));
    connect(pictures_, &PictureStrip::opened, this, &OutputsTab::choose);
    rows_->setDragData([this](const std::vector<qint64>& ids) { return commands_->dragged(filesOf(ids)); });
    connect(save_, &QAbstractButton::clicked, this, [this] { commands_->save(filesOf(table_->selectedIds())); });
    connect(saveAll_, &QAbstractButton::clicked, this,
            [this] { commands_->isSaving() ? commands_->stopSaving() : commands_->saveAll(files_); });
    connect(open_, &QAbstractButton::clicked, this, [this] {
        if (const auto files = filesOf(table_->selectedIds()); files.size() == 1) commands_->open(files.front());
    });
    connect(commands_, &OutputCommands::savingChanged, this, &OutputsTab::refreshButtons);
    connect(table_, &Table::menuWanted, this, &OutputsTab::showMenu);
    return list;
}

void OutputsTab::show(qint64 lsn, const QJsonObject& outputs, bool isFinal) {
    std::vector<ChunkFile> files;
    for (auto it = outputs.begin(); it != outputs.end(); ++it) {
        const QJsonObject json = it.value().toObject();
        files.emplace_back(it.key(), json.value("hash").toString(), json.value("size").toInteger(), lsn);
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
    showPictures(outputs);
    chooseWanted();
    showSelected();
}

/// By name, as in the table; of many the last ones.
void OutputsTab::showPictures(const QJsonObject& outputs) {
    auto pictures = picturesOf(QJsonArray{QJsonObject{{"lsn", lsn_}, {"outputs", outputs}}});
    std::ranges::reverse(pictures);
    if (pictures.size() < 2) pictures.clear();
    pictureArea_->setVisible(!pictures.empty());
    pictures_->setPictures(std::move(pictures));
}

void OutputsTab::choose(qint64 lsn, const QString& name) {
    wantedLsn_ = lsn;
    wanted_ = name;
    chooseWanted();
}

void OutputsTab::chooseWanted() {
    if (wantedLsn_ == 0 || wantedLsn_ != lsn_) return;
    const auto found = std::ranges::find(files_, wanted_, &ChunkFile::name);
    if (found == files_.end()) return;
    wantedLsn_ = 0;
    table_->selectId(found - files_.begin() + 1);
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

std::vector<ChunkFile> OutputsTab::filesOf(const std::vector<qint64>& ids) const {
    std::vector<ChunkFile> files;
    for (const qint64 id : ids)
        if (id > 0 && id <= static_cast<qint64>(files_.size()))
            files.push_back(files_[static_cast<std::size_t>(id - 1)]);
    return files;
}

/// The first one, where nothing was chosen yet; of several the one before stays.
void OutputsTab::showSelected() {
    refreshButtons();
    if (!isVisible()) return;
    if (files_.empty()) return preview_->clear();
    if (table_->selectedIds().empty() && table_->currentId() == 0) return table_->selectId(rows_->idAt(0));
    if (const auto files = filesOf(table_->selectedIds()); files.size() == 1) preview_->show(files.front());
}

void OutputsTab::refreshButtons() {
    const bool saving = commands_->isSaving();
    const auto selected = table_->selectedIds().size();
    saveAll_->setText(saving ? tr("Stop saving") : tr("Save all…"));
    saveAll_->setEnabled(saving || !files_.empty());
    save_->setEnabled(selected > 0 && (selected == 1 || !saving));
    open_->setEnabled(selected == 1);
}

void OutputsTab::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    commands_->fill(*menu, filesOf(table_->selectedIds()));
    if (!menu->isEmpty()) (void)menu.run(global);
}

void OutputsTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showSelected();
}

} // namespace yard::ui
