// A map of the actions of an array, a list or a queue: what a cell stands for, the cells, and what the chosen one is. The
// pointer tells the same of the cell below it. Enter or a double click opens the action. Asks only while it is looked at.
// Owner: ui thread; lifetime: within that of its context.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"
#include "ui/state/state_map.h"
#include "ui/widgets/cell_map.h"
#include "ui/widgets/panel.h"

#include <functional>
#include <optional>

namespace yard::ui {

class MapPane final : public QWidget {
    Q_OBJECT
public:
    explicit MapPane(Context context, QWidget* parent = nullptr);

    /// `base`: the index of the first one, or its place; `queue`: where they wait; a filter that is empty: nothing.
    void show(const StateMap::Which& which, qint64 base, qint64 queue);
    using QWidget::show;
    CellMap* map() const { return map_; }
    const StateMap& states() const { return *states_; }
    /// The line above the cells.
    QString summary() const { return summary_->text(); }
    /// The line below them.
    QString told() const { return told_->text(); }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    bool isQueueHeld() const;
    void take();
    void summarize();
    void tell();
    void describe(qint64 lsn, std::function<void(const QString&)> then);

    Context context_;
    StateMap* states_;
    Label* summary_;
    CellMap* map_;
    Label* told_;
    qint64 base_ = 1;
    qint64 queue_ = -1;
    bool isHeld_ = false;          ///< the queue, when `told_` was asked for
    qint64 tip_ = 0;               ///< whose words the pointer was shown last
    std::optional<MapCell> asked_; ///< what `told_` says more of, as it was then
};

/// What it is, in which state, since when, how long it ran, and its note.
QString mapWordsOf(const ActionRow& row, qint64 now);

} // namespace yard::ui
