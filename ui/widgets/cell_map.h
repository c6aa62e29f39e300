// Actions as cells, one each by number, in the colour and geometry of their states: bands of failures are seen at once.
// As many to a row as have room, a multiple of 10, at the largest pitch at which all fit; beyond that one cell stands for
// several and has the worst of their states. Arrows walk, a click chooses, Enter or a double click opens. Owner: ui thread.
//
// Invariant: at most kMostDrawn cells are painted, whatever there is. Numbers at the left are those of the first in a row.
#pragma once

#include "ui/state/state_map.h"
#include "ui/style/accessible_text.h"

#include <QWidget>
#include <optional>
#include <vector>

namespace yard::ui {

class CellMap final : public QWidget, public AccessibleText {
    Q_OBJECT
public:
    static constexpr std::size_t kMostDrawn = 100'000;

    explicit CellMap(QWidget* parent = nullptr);

    /// By number. What was chosen stays so if it is among them. `base`: what the first one is called at the left.
    void setCells(std::vector<MapCell> cells, qint64 base);
    const std::vector<MapCell>& cells() const { return cells_; }
    /// How many actions a cell stands for.
    std::size_t perCell() const { return per_; }
    std::size_t drawn() const { return (cells_.size() + per_ - 1) / per_; }
    int pitch() const { return pitch_; }
    int perRow() const { return perRow_; }
    /// LSN of the chosen action; 0: none. Of a cell of several the first of those in the worst state.
    qint64 current() const { return current_; }
    QRect areaOf(std::size_t cell) const;
    /// Of those that a drawn cell stands for; absent: not seen.
    std::optional<DisplayState> worstOf(std::size_t cell) const;
    /// "Index or place, number, state", of several how many are in each state.
    QString wordsOf(std::size_t cell) const;
    /// The cell of this action; absent: it has none.
    std::optional<std::size_t> cellOf(qint64 id) const;

    QSize sizeHint() const override { return {400, 160}; }
    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override;
    std::vector<SpokenPart> spokenParts() const override;

signals:
    void chosen(qint64 id);
    void opened(qint64 id);
    /// The pointer rests on its cell, whose words are shown there.
    void tipShown(qint64 id, const QPoint& global);
    /// With another size a cell stands for more, or for fewer.
    void perCellChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void arrange();
    bool fits(int pitch, std::size_t cells) const;
    int columnsOf(int pitch) const;
    int gutter() const;
    std::size_t beginOf(std::size_t cell) const { return cell * per_; }
    std::size_t endOf(std::size_t cell) const { return std::min(cells_.size(), (cell + 1) * per_); }
    qint64 idOf(std::size_t cell) const;
    std::optional<std::size_t> cellAt(QPoint at) const;
    void choose(std::size_t cell);
    void paintCell(QPainter& painter, std::size_t cell) const;
    void paintNumbers(QPainter& painter, const QRect& within) const;

    std::vector<MapCell> cells_;
    qint64 base_ = 1;
    qint64 current_ = 0;
    std::size_t per_ = 1;
    int pitch_ = 16;
    int perRow_ = 10;
};

} // namespace yard::ui
