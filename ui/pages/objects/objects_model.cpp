#include "ui/pages/objects/objects_model.h"

#include "ui/style/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

struct ObjectColumnWords {
    Q_DECLARE_TR_FUNCTIONS(ObjectColumnWords)
};

std::vector<Column> lifeColumns() {
    return {{.id = "next",
             .title = ObjectColumnWords::tr("Next look"),
             .tip = ObjectColumnWords::tr("When an actor is to look at it; a dash once it has ended"),
             .kind = CellKind::Number,
             .width = 104},
            {.id = "tries",
             .title = ObjectColumnWords::tr("Tries"),
             .tip = ObjectColumnWords::tr("How often it entered its status again, or a look at it failed"),
             .kind = CellKind::Number,
             .width = 52,
             .falls = 3},
            {.id = "actor",
             .title = ObjectColumnWords::tr("Actor"),
             .tip = ObjectColumnWords::tr("The launch key of the actor that looks at it just now"),
             .kind = CellKind::Name,
             .width = 96,
             .falls = 2},
            {.id = "parent",
             .title = ObjectColumnWords::tr("Parent"),
             .tip = ObjectColumnWords::tr("The object that it is a child of"),
             .kind = CellKind::Link,
             .width = 88,
             .falls = 4},
            {.id = "changed",
             .title = ObjectColumnWords::tr("Changed"),
             .tip = ObjectColumnWords::tr("When something of it was written last"),
             .kind = CellKind::Number,
             .width = 104,
             .falls = 5},
            {.id = "note",
             .title = ObjectColumnWords::tr("Note"),
             .tip = ObjectColumnWords::tr("What becomes of it next, or why it is as it is"),
             .kind = CellKind::Text,
             .width = 140,
             .stretches = true}};
}

} // namespace

std::vector<Column> objectColumns() {
    std::vector<Column> all{{.id = "object",
                             .title = ObjectColumnWords::tr("Object"),
                             .tip = ObjectColumnWords::tr("Its number; the newest stands first"),
                             .kind = CellKind::Number,
                             .width = 88,
                             .sort = "id"},
                            {.id = "key",
                             .title = ObjectColumnWords::tr("Key"),
                             .tip = ObjectColumnWords::tr("What it was called when it was made"),
                             .kind = CellKind::Name,
                             .width = 180,
                             .falls = 6},
                            {.id = "type",
                             .title = ObjectColumnWords::tr("Type"),
                             .tip = ObjectColumnWords::tr("Its state machine"),
                             .kind = CellKind::Name,
                             .width = 96,
                             .falls = 1},
                            {.id = "status",
                             .title = ObjectColumnWords::tr("Status"),
                             .tip = ObjectColumnWords::tr("Where in its state machine it is"),
                             .kind = CellKind::State,
                             .width = 110}};
    std::ranges::move(lifeColumns(), std::back_inserter(all));
    return all;
}

ObjectsModel::ObjectsModel(QObject* parent)
    : TableModel(objectColumns(), parent) {}

void ObjectsModel::setContext(std::vector<ObjectType> types, OrchestratorInfo orchestrator) {
    types_ = std::move(types);
    orchestrator_ = std::move(orchestrator);
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ObjectsModel::clear() {
    beginResetModel();
    rows_.clear();
    hasMore_ = false;
    known_ = false;
    endResetModel();
    setWaiting(0);
}

ObjectsModel::Want ObjectsModel::wantFor(int first, int last) const {
    constexpr int kAround = 20; // rows that a turn of the wheel brings into view
    if (rows_.empty()) return {};
    const int top = std::clamp(first - kAround, 0, rowCount() - 1);
    const int bottom = std::clamp(last + kAround, top, rowCount() - 1);
    const int wanted = std::min(bottom - top + 1, 1'000);
    return {top == 0 ? 0 : idAt(top - 1), std::max(wanted, top == 0 ? kPage : 1)};
}

ObjectsModel::Want ObjectsModel::wantMore() const {
    return {rows_.empty() ? 0 : rows_.back().id, kPage};
}

bool ObjectsModel::more() const {
    return hasMore_ && rows_.size() < kMostRows;
}

/// What is between `after` and the last row that came is as it came. Rows beyond stay as they were, if the last one that came
/// is among those that are here; else there may be others between, and they go. While the hand is on the table cells change
/// alone, and what came or went waits.
void ObjectsModel::take(const Want& want, Rows rows, bool hasMore) {
    std::erase_if(rows, [&](const ObjectInfo& row) { return want.after != 0 && !comesBefore(want.after, row.id); });
    const auto isBehind = [&](const ObjectInfo& row) { return want.after == 0 || comesBefore(want.after, row.id); };
    const auto isBeyond = [&](const ObjectInfo& row) { return comesBefore(rows.back().id, row.id); };
    const bool connects = hasMore && !rows.empty() && rowOf(rows.back().id) >= 0;
    const auto from = std::ranges::find_if(rows_, isBehind);
    const auto to = connects ? std::ranges::find_if(from, rows_.end(), isBeyond) : rows_.end();
    const bool isAtEnd = to == rows_.end();
    const bool isFirst = !std::exchange(known_, true);
    const bool isForced = std::exchange(takesWaiting_, false);
    const bool isSame =
        std::ranges::equal(from, to, rows.begin(), rows.end(), {}, &ObjectInfo::id, &ObjectInfo::id);
    // Rows behind the last one are no change of the order.
    const bool isAppended = from == rows_.end() && !rows_.empty();
    const bool mayMove = !isFrozen() || isFirst || isForced;
    if (isSame || (!mayMove && !isAppended)) {
        if (isSame && isAtEnd) hasMore_ = hasMore;
        return setWaiting(changeCells(from, connects ? to : lastTold(from, rows, hasMore), rows));
    }
    if (isAppended) return append(rows, hasMore);
    beginResetModel();
    const auto place = rows_.erase(from, to);
    rows_.insert(place, rows.begin(), rows.end());
    if (rows_.size() > kMostRows) rows_.resize(kMostRows);
    if (isAtEnd) hasMore_ = hasMore;
    endResetModel();
    setWaiting(0);
}

/// As far as the answer says something of the rows that are here.
ObjectsModel::Rows::iterator ObjectsModel::lastTold(Rows::iterator from, const Rows& rows, bool hasMore) {
    if (!hasMore || rows.empty()) return rows_.end();
    return std::ranges::find_if(from, rows_.end(),
                                [&](const ObjectInfo& row) { return comesBefore(rows.back().id, row.id); });
}

/// What is there still is as it is now. How many came and went.
int ObjectsModel::changeCells(Rows::iterator from, Rows::iterator to, const Rows& now) {
    int gone = 0;
    for (auto row = from; row != to; ++row) {
        const auto found = std::ranges::find(now, row->id, &ObjectInfo::id);
        if (found == now.end()) {
            ++gone;
        } else if (*found != *row) {
            *row = *found;
            const int at = static_cast<int>(row - rows_.begin());
            emit dataChanged(index(at, 0), index(at, columnCount() - 1));
        }
    }
    const auto stayed = (to - from) - gone;
    return gone + static_cast<int>(std::ssize(now) - stayed);
}

void ObjectsModel::append(const Rows& rows, bool hasMore) {
    const auto room = std::min(rows.size(), kMostRows - std::min(kMostRows, rows_.size()));
    hasMore_ = hasMore || room < rows.size();
    if (room == 0) return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(room) - 1);
    rows_.insert(rows_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(room));
    endInsertRows();
}

const ObjectInfo* ObjectsModel::object(qint64 id) const {
    const int row = rowOf(id);
    return row < 0 ? nullptr : &rows_[static_cast<std::size_t>(row)];
}

int ObjectsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

qint64 ObjectsModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].id : 0;
}

int ObjectsModel::rowOf(qint64 id) const {
    const auto found =
        std::ranges::partition_point(rows_, [&](const ObjectInfo& row) { return comesBefore(row.id, id); });
    return found != rows_.end() && found->id == id ? static_cast<int>(found - rows_.begin()) : -1;
}

Cell ObjectsModel::cell(int row, int column) const {
    const ObjectInfo& object = rows_[static_cast<std::size_t>(row)];
    return column <= std::to_underlying(ObjectColumn::Status) ? identityCell(object, column)
                                                              : lifeCell(object, column);
}

Cell ObjectsModel::identityCell(const ObjectInfo& object, int column) const {
    switch (static_cast<ObjectColumn>(column)) {
    case ObjectColumn::Object: return {Format().number(object.id)};
    case ObjectColumn::Key:
        return {object.key.isEmpty() ? Format::unknown() : object.key,
                {},
                {},
                {},
                object.key.isEmpty() ? Cell::Tone::Faint : Cell::Tone::Normal};
    case ObjectColumn::Type: return {unturned(object.type), {}, {}, {}, Cell::Tone::Dim};
    default: {
        Cell status{statusWords(types_, object), faceOfObject(types_, object)};
        status.tip = statusProblem(types_, object);
        return status;
    }
    }
}

Cell ObjectsModel::lifeCell(const ObjectInfo& object, int column) const {
    const Format format;
    const WallMicros now = wallNow();
    const auto timed = [&](const QString& text, WallMicros at) {
        Cell cell{text};
        if (at > 0) cell.tip = format.exactTime(at, now);
        return cell;
    };
    switch (static_cast<ObjectColumn>(column)) {
    case ObjectColumn::NextLook: return timed(nextLookWords(object.nextLook, now), object.nextLook);
    case ObjectColumn::Tries:
        return {format.number(object.retries),
                {},
                {},
                {},
                object.retries == 0 ? Cell::Tone::Faint : Cell::Tone::Normal};
    case ObjectColumn::Actor: {
        const ActorInfo* actor = orchestrator_.at(object.id);
        if (actor == nullptr) return {Format::unknown(), {}, {}, {}, Cell::Tone::Faint};
        return {actor->key.isEmpty() ? unturned(actor->type) : actor->key};
    }
    case ObjectColumn::Parent:
        if (object.parent == 0) return {Format::unknown(), {}, {}, {}, Cell::Tone::Faint};
        return {format.number(object.parent)};
    case ObjectColumn::Changed: return timed(format.time(object.changed, now), object.changed);
    default: {
        const bool isOrphan = orchestrator_.orphan(object.id) != nullptr;
        Cell note{objectNote(object, types_, orchestrator_, now), {}, {}, {}, Cell::Tone::Dim};
        if (isOrphan || object.isStuck) note.face = DisplayState::Abandoned;
        return note;
    }
    }
}

/// By the number alone: the engine keeps no other order.
void ObjectsModel::sortBy(int column, Qt::SortOrder order) {
    const bool oldestFirst = column == std::to_underlying(ObjectColumn::Object) && order == Qt::AscendingOrder;
    if (oldestFirst == oldestFirst_) return;
    oldestFirst_ = oldestFirst;
    clear();
    emit orderChanged();
}

void ObjectsModel::takeWaiting() {
    setWaiting(0);
    takesWaiting_ = true;
    emit refreshWanted();
}

bool ObjectsModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && known_ && more();
}

void ObjectsModel::fetchMore(const QModelIndex& parent) {
    if (canFetchMore(parent)) emit moreWanted();
}

} // namespace yard::ui
