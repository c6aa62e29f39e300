#include "ui/pages/objects/type_list.h"

#include "ui/style/format.h"

#include <utility>

namespace yard::ui {

namespace {

/// The same for who cannot see the bar.
QString wordsOf(const ObjectType& type) {
    QStringList words;
    for (const ObjectState& state : type.states)
        if (state.count > 0) words << unturned(state.name) + ' ' + Format().number(state.count);
    return words.join(QStringLiteral(", "));
}

paint::Shares sharesOf(const ObjectType& type) {
    paint::Shares shares{};
    for (const ObjectState& state : type.states) shares[std::to_underlying(faceOfKind(state.kind))] += state.count;
    return shares;
}

} // namespace

TypeList::TypeList(QWidget* parent)
    : Table({}, parent)
    , rows_(new RowsModel({{.id = "type",
                            .title = tr("Type"),
                            .tip = tr("Types of objects, and their states"),
                            .kind = CellKind::State,
                            .width = 96,
                            .stretches = true},
                           {.id = "where",
                            .title = {},
                            .tip = tr("How many of its objects wait, are worked on, are done, are bad"),
                            .kind = CellKind::State,
                            .width = 80},
                           {.id = "objects",
                            .title = tr("Objects"),
                            .tip = tr("How many there are"),
                            .kind = CellKind::Number,
                            .width = 68}},
                          this)) {
    setRows(rows_);
    setAccessibleName(tr("Types of objects"));
    setSelectionMode(QAbstractItemView::SingleSelection);
    connect(this, &Table::selectionEdited, this, [this] {
        const auto ids = selectedIds();
        if (choosing_ || ids.empty()) return;
        const auto [type, state] = named_.value(ids.front());
        emit chosen(type, state);
    });
}

qint64 TypeList::idOf(const QString& type, const QString& state) {
    const QString name = type + '\n' + state;
    const auto known = ids_.constFind(name);
    if (known != ids_.constEnd()) return *known;
    const qint64 id = ids_.size() + 1;
    ids_.insert(name, id);
    named_.insert(id, {type, state});
    return id;
}

void TypeList::show(const std::vector<ObjectType>& types, const std::map<QString, QStringList>& unclaimed) {
    const Format format;
    std::vector<Row> rows;
    for (const ObjectType& type : types) {
        Row head{.id = idOf(type.name, {}), .cells = {}};
        Cell name{unturned(type.name)};
        name.isHead = true;
        if (!type.version.isEmpty()) name.tip = tr("%1, version %2").arg(unturned(type.name), type.version);
        Cell bar{wordsOf(type)};
        bar.isHead = true;
        bar.shares = sharesOf(type);
        Cell count{format.number(type.total())};
        count.isHead = true;
        head.cells = {name, bar, count};
        rows.push_back(std::move(head));
        const auto nobody = unclaimed.find(type.name);
        for (const ObjectState& state : type.states) {
            const bool isUnclaimed = nobody != unclaimed.end() && nobody->second.contains(state.name);
            Cell word{unturned(state.name), isUnclaimed ? DisplayState::Abandoned : faceOfKind(state.kind)};
            word.indent = 12;
            if (isUnclaimed) word.tip = tr("%1, claimed by nobody").arg(unturned(state.name));
            Cell number{format.number(state.count)};
            if (state.count == 0) number.tone = Cell::Tone::Faint;
            rows.push_back({.id = idOf(type.name, state.name), .cells = {word, Cell(), number}});
        }
    }
    rows_->setRows(std::move(rows));
    if (rows_->waiting() > 0) rows_->takeWaiting(); // a new type is seen at once, whatever is chosen
}

void TypeList::choose(const QString& type, const QString& state) {
    const bool before = std::exchange(choosing_, true);
    const qint64 id = ids_.value(type + '\n' + state, 0);
    if (id == 0 || rows_->rowOf(id) < 0)
        clearSelection();
    else if (selectedIds() != std::vector{id})
        selectId(id);
    choosing_ = before;
}

} // namespace yard::ui
