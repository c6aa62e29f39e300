// What every table of the window shows: columns with their manners, rows with an id that stays theirs. Views, keys,
// freezing and painting are written once against this (table.h). Owner: ui thread.
//
// A model does not move rows while it is frozen: it counts what waits (waiting()) and takes it with takeWaiting().
#pragma once

#include "ui/style/paint.h"

#include <QAbstractTableModel>
#include <QString>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace yard::ui {

enum class CellKind : std::uint8_t {
    Text,     ///< elided at the right
    Name,     ///< elided in the middle: labels, paths, hashes
    Mono,     ///< in the mono font
    Number,   ///< at the right, digits line up, never elided
    State,    ///< icon and word; of what has shares its icon and a bar
    Progress, ///< segments
    Bars,     ///< one bar for each of a few numbers, on a scale of their own; `tip` says them in words
    Link,     ///< in accent; linkClicked(id, column) of the table
    Press     ///< a small button; as Link
};

/// A column that falls away with this number or a later one does so only where others gave way already.
constexpr int kFallsLast = 10;

struct Column {
    QString id;    ///< stays the same in every language: settings remember by it
    QString title; ///< translated
    QString tip;   ///< unit and meaning
    CellKind kind = CellKind::Text;
    int width = 80;         ///< at 100 %
    bool stretches = false; ///< takes the rest; `width` is then its least
    int falls = 0;          ///< 1 falls away first when there is no room; 0: never
    bool hidden = false;    ///< shown only when chosen
    QString sort = {};      ///< the engine's name to sort by; empty: cannot be sorted
};

struct Cell {
    QString text;
    std::optional<DisplayState> face = {}; ///< its icon before the text; State: its colour, too
    QString icon = {};                     ///< an icon that is no state's
    paint::Shares shares = {};             ///< of Progress
    enum class Tone : std::uint8_t { Normal, Dim, Faint, Alert, Accent } tone = Tone::Normal;
    bool mono = false;             ///< output, not our words
    QString tip = {};              ///< in place of the text, when it says more
    QString link = {};             ///< a part of the text that leads to `target`, in accent
    qint64 target = 0;             ///< an id; targetClicked() of the table
    bool isHead = false;           ///< of a row that heads those below: on bg2, its first cell semibold
    int indent = 0;                ///< at 100 %: of a row below a head
    bool onHand = false;           ///< of Press: there on the row that is chosen, or under the pointer, alone
    std::vector<qint64> bars = {}; ///< of Bars
    QString aside = {};            ///< at the right end, in text3, of a Text, Name or Mono: the text has the rest
    std::optional<double> share = {}; ///< of Number: 0 to 1, a meter at the left end; nothing: none
    bool operator==(const Cell&) const = default;
};

class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role : int { IdRole = Qt::UserRole + 1 };

    explicit TableModel(std::vector<Column> columns, QObject* parent = nullptr);

    const std::vector<Column>& columns() const { return columns_; }
    virtual Cell cell(int row, int column) const = 0;
    /// Stays the row's own through every order; 0 for a row of which not even that is known yet.
    virtual qint64 idAt(int row) const = 0;
    /// What its cells show is known; else they are painted as bars.
    virtual bool isHere(int row) const { return idAt(row) != 0; }
    /// The colour that people gave it: a dot before its first cell.
    virtual Mark markAt(int /*row*/) const { return Mark::None; }
    /// -1: not among the rows.
    virtual int rowOf(qint64 id) const = 0;
    /// Of those among the rows, by row.
    virtual std::vector<int> rowsOf(std::vector<qint64> ids) const;
    /// What a screen reader says of the row: "Failed, 1,283,902, foliage wind".
    virtual QString spoken(int row) const;
    /// `column` of columns(); the default order when -1.
    virtual void sortBy(int column, Qt::SortOrder order) = 0;

    /// What a drag of rows with these ids carries; nothing set: rows are not dragged.
    void setDragData(std::function<QMimeData*(const std::vector<qint64>&)> make) { dragData_ = std::move(make); }
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    /// The hand is on the table: order and rows stay as they are.
    void setFrozen(bool frozen);
    bool isFrozen() const { return frozen_; }
    /// Changes that would move or add rows, kept back while frozen.
    int waiting() const { return waiting_; }
    virtual void takeWaiting() = 0;
    /// During a change of the order: the rows that come are of another list, which begins at its top.
    virtual bool isOtherList() const { return false; }
    /// What is not among the rows will not come behind them either.
    virtual bool isWhole() const { return true; }

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void waitingChanged(int count);
    void frozenChanged(bool frozen);

protected:
    void setWaiting(int count);

private:
    QString wordsAt(int row, int column) const;
    std::vector<Column> columns_;
    std::function<QMimeData*(const std::vector<qint64>&)> dragData_;
    int waiting_ = 0;
    bool frozen_ = false;
};

} // namespace yard::ui
