#include "ui/widgets/table_columns.h"

#include "ui/style/type.h"
#include "ui/widgets/transient.h"

#include <QHeaderView>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {
constexpr int kLeastStretch = 80;
constexpr int kLeastText = 96; // at 100 %
constexpr int kFallsEnd = 20;

/// How much narrower it may be: what is elided can be read in a tooltip, what is cut cannot, and no number is either.
int givesWay(const Column& column) {
    const int own = scaled(column.width);
    if (column.stretches) return std::max(0, own - kLeastStretch);
    const bool isText =
        column.kind == CellKind::Text || column.kind == CellKind::Name || column.kind == CellKind::Mono;
    return isText ? std::max(0, own - scaled(kLeastText)) : 0;
}

/// Those that stretch give way first, then texts, each by its part.
void squeeze(const std::vector<Column>& columns, std::vector<int>& widths, int over) {
    for (const bool stretching : {true, false}) {
        int most = 0;
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (widths[i] > 0 && columns[i].stretches == stretching) most += givesWay(columns[i]);
        if (most <= 0 || over <= 0) continue;
        const int taken = std::min(over, most);
        int left = taken;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (widths[i] <= 0 || columns[i].stretches != stretching) continue;
            const int part = std::min(left, (givesWay(columns[i]) * taken + most - 1) / most);
            widths[i] -= part;
            left -= part;
        }
        over -= taken;
    }
}
} // namespace

TableColumns::TableColumns(QTableView& table, QString key)
    : table_(table)
    , key_(std::move(key)) {}

void TableColumns::setRows(TableModel& rows) {
    rows_ = &rows;
    recall();
}

bool TableColumns::turnSort(int section) {
    const Column& column = rows_->columns()[static_cast<std::size_t>(section)];
    if (column.sort.isEmpty()) return false;
    // What is large or new is asked for first.
    const Qt::SortOrder first = column.kind == CellKind::Number ? Qt::DescendingOrder : Qt::AscendingOrder;
    if (sortColumn_ != section) {
        sortColumn_ = section;
        sortOrder_ = first;
    } else if (sortOrder_ == first) {
        sortOrder_ = sortOrder_ == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
    } else {
        sortColumn_ = -1;
        sortOrder_ = Qt::AscendingOrder;
    }
    table_.horizontalHeader()->setSortIndicatorShown(sortColumn_ >= 0);
    table_.horizontalHeader()->setSortIndicator(sortColumn_, sortOrder_);
    return true;
}

void TableColumns::sort() {
    rows_->sortBy(sortColumn_, sortOrder_);
}

bool TableColumns::isHiddenByChoice(int column) const {
    const Column& spec = rows_->columns()[static_cast<std::size_t>(column)];
    return spec.hidden ? !chosen_.contains(spec.id) : refused_.contains(spec.id);
}

void TableColumns::layOut() {
    if (rows_ == nullptr) return;
    const auto& columns = rows_->columns();
    const int room = table_.viewport()->width();
    const int count = static_cast<int>(columns.size());
    std::vector<int> widths(columns.size()); // 0: not shown
    int least = 0;
    int soft = 0; // of it what may give way
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (isHiddenByChoice(i)) continue;
        widths[at] = scaled(columns[at].width);
        least += widths[at];
        soft += givesWay(columns[at]);
    }
    for (int fall = 1; fall < kFallsEnd; ++fall) {
        if ((fall < kFallsLast ? least : least - soft) <= room) continue;
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (widths[i] > 0 && columns[i].falls == fall) {
                least -= std::exchange(widths[i], 0);
                soft -= givesWay(columns[i]);
            }
    }
    if (least > room)
        squeeze(columns, widths, least - room);
    else
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (widths[i] > 0 && columns[i].stretches) widths[i] += room - least;
    for (int i = 0; i < count; ++i) {
        const int width = widths[static_cast<std::size_t>(i)];
        table_.setColumnHidden(i, width == 0);
        if (width > 0) table_.horizontalHeader()->resizeSection(i, width);
    }
}

void TableColumns::showMenu(const QPoint& global) {
    Transient<QMenu> menu(&table_);
    for (int i = 0; i < static_cast<int>(rows_->columns().size()); ++i) {
        const Column& column = rows_->columns()[static_cast<std::size_t>(i)];
        QAction* action = menu->addAction(column.title);
        action->setToolTip(column.tip);
        action->setCheckable(true);
        action->setChecked(!isHiddenByChoice(i));
        action->setEnabled(i != 0);
        QObject::connect(action, &QAction::toggled, &table_, [this, id = column.id](bool on) { choose(id, on); });
    }
    (void)menu.run(global);
}

void TableColumns::choose(const QString& id, bool shown) {
    if (shown) {
        chosen_.insert(id);
        refused_.erase(id);
    } else {
        chosen_.erase(id);
        refused_.insert(id);
    }
    layOut();
    remember();
}

void TableColumns::remember() const {
    if (key_.isEmpty()) return;
    QSettings settings;
    settings.beginGroup("tables/" + key_);
    const auto list = [](const std::set<QString>& ids) { return QStringList(ids.begin(), ids.end()); };
    settings.setValue("chosen", list(chosen_));
    settings.setValue("refused", list(refused_));
    settings.setValue("sort",
                      sortColumn_ < 0 ? QString() : rows_->columns()[static_cast<std::size_t>(sortColumn_)].id);
    settings.setValue("descending", sortOrder_ == Qt::DescendingOrder);
    QStringList order;
    const QHeaderView* header = table_.horizontalHeader();
    for (int i = 0; i < header->count(); ++i)
        order << rows_->columns()[static_cast<std::size_t>(header->logicalIndex(i))].id;
    settings.setValue("order", order);
}

int TableColumns::columnOf(const QString& id) const {
    const auto found = std::ranges::find(rows_->columns(), id, &Column::id);
    return found == rows_->columns().end() ? -1 : static_cast<int>(found - rows_->columns().begin());
}

void TableColumns::recall() {
    if (key_.isEmpty()) return;
    QSettings settings;
    settings.beginGroup("tables/" + key_);
    const auto ids = [&](const char* name) {
        const QStringList list = settings.value(name).toStringList();
        return std::set<QString>(list.begin(), list.end());
    };
    chosen_ = ids("chosen");
    refused_ = ids("refused");
    const QStringList order = settings.value("order").toStringList();
    QHeaderView* header = table_.horizontalHeader();
    const QSignalBlocker quiet(header);
    for (int at = 0, visual = 0; at < order.size(); ++at)
        if (const int column = columnOf(order[at]); column >= 0)
            header->moveSection(header->visualIndex(column), visual++);
    recallSort(settings.value("sort").toString(), settings.value("descending").toBool());
}

void TableColumns::recallSort(const QString& id, bool descending) {
    sortColumn_ = id.isEmpty() ? -1 : columnOf(id);
    if (sortColumn_ < 0) return;
    sortOrder_ = descending ? Qt::DescendingOrder : Qt::AscendingOrder;
    table_.horizontalHeader()->setSortIndicatorShown(true);
    table_.horizontalHeader()->setSortIndicator(sortColumn_, sortOrder_);
    sort();
}

} // namespace yard::ui
