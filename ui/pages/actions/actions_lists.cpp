#include "ui/pages/actions/actions_lists.h"

#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/place_drop.h"
#include "ui/state/action_file.h"
#include "ui/widgets/table.h"

#include <QScrollBar>
#include <QSettings>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr const char* kFoldedKey = "actions/folded";

} // namespace

ActionsLists::ActionsLists(Context context, QWidget* parent)
    : QStackedWidget(parent)
    , table_(new Table("actions"))
    , model_(new ActionsModel(context.state, this))
    , folded_(new FoldedList(context)) {
    table_->setRows(model_);
    // Dropped onto a queue they move there, between rows to another place.
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    model_->setDragData([&link = context.link](const std::vector<qint64>& lsns) {
        return dragOf(lsns, link.address().toString());
    });
    connect(new PlaceDrop(context, table_, model_), &PlaceDrop::placesChanged, this, &ActionsLists::takeUpdates);
    table_->setAccessibleName(tr("Actions"));
    for (Table* each : {table_, static_cast<Table*>(folded_)}) {
        each->setObjectName("pane");
        addWidget(each);
        connect(each, &Table::selectionEdited, this, &ActionsLists::selectionEdited);
        connect(each, &Table::selectionKept, this, &ActionsLists::selectionKept);
        connect(each, &Table::menuWanted, this, &ActionsLists::menuWanted);
        connect(each, &Table::typed, this, &ActionsLists::typed);
    }
    connectTable();
    connectFolded();
}

void ActionsLists::connectTable() {
    connect(table_->verticalScrollBar(), &QScrollBar::valueChanged, this, &ActionsLists::followView);
    connect(model_, &QAbstractItemModel::modelReset, this, &ActionsLists::followView, Qt::QueuedConnection);
    connect(table_, &Table::opened, this, &ActionsLists::opened);
    connect(table_, &Table::peeked, this, &ActionsLists::peeked);
    connect(model_, &ActionsModel::problemChanged, this, &ActionsLists::problemChanged);
    connect(model_, &TableModel::waitingChanged, this, &ActionsLists::waitingChanged);
}

void ActionsLists::connectFolded() {
    // Of an array or a list Enter unfolds (FoldedList).
    connect(folded_, &Table::opened, this, [this](qint64 lsn) {
        if (lsn > 0) emit opened(lsn);
    });
    connect(folded_, &Table::peeked, this, [this](qint64 lsn) {
        if (lsn > 0)
            emit peeked(lsn);
        else
            emit foldPeeked();
    });
    connect(folded_->folded(), &FoldedModel::told, this, [this] {
        if (isFolded()) emit problemChanged(folded_->folded()->problem());
    });
    connect(folded_->folded(), &TableModel::waitingChanged, this, &ActionsLists::waitingChanged);
}

bool ActionsLists::isFolded() const {
    return currentWidget() == folded_;
}

Table* ActionsLists::shown() const {
    return isFolded() ? folded_ : table_;
}

void ActionsLists::restore() {
    setFolded(QSettings().value(kFoldedKey).toBool());
}

void ActionsLists::setFolded(bool folded) {
    if (folded != isFolded()) QSettings().setValue(kFoldedKey, folded);
    const bool hadFocus = shown()->hasFocus();
    setCurrentWidget(folded ? static_cast<QWidget*>(folded_) : table_);
    setActive(active_);
    if (hadFocus) shown()->setFocus();
    emit foldedChanged(folded);
}

void ActionsLists::setActive(bool active) {
    active_ = active;
    model_->setActive(active && !isFolded());
    folded_->folded()->setActive(active && isFolded());
}

void ActionsLists::setFilter(const QString& filter) {
    model_->setFilter(filter);
    folded_->folded()->setFilter(filter);
}

void ActionsLists::takeUpdates() {
    shown()->rows()->takeWaiting();
    if (isFolded()) return folded_->folded()->reload();
    if (!model_->filter().isEmpty()) model_->reload();
}

void ActionsLists::followView() {
    const int first = table_->rowAt(0);
    int last = table_->rowAt(table_->viewport()->height() - 1);
    if (last < 0) last = model_->rowCount() - 1;
    model_->setVisible(std::max(0, first), std::max(0, last));
    emit scrolled();
}

const ActionRow* ActionsLists::row(qint64 lsn) const {
    return isFolded() ? folded_->folded()->action(lsn) : model_->action(lsn);
}

} // namespace yard::ui
