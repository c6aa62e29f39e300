// What an action went through, as a table: each state of each attempt, when it came, how long it lasted, in which slot,
// and how it ended. Owner: ui thread; lifetime: its parent's, within that of the context.
//
// The slots come from the timelines (GET timelines): of the newest kMostAsked attempts, each asked for once, while the
// table is looked at. An attempt without a bar there has no slot.
#pragma once

#include "ui/pages/page.h"
#include "ui/style/tokens.h"
#include "ui/widgets/table.h"

#include <QJsonObject>
#include <map>
#include <optional>
#include <vector>

namespace yard::ui {

class RowsModel;

/// One state that it was in. Values.
struct StateStep {
    DisplayState face = DisplayState::Pending;
    int attempt = 0;       ///< from 1; 0: of none
    qint64 at = 0;         ///< microseconds since the epoch
    qint64 until = 0;      ///< when the next one came; 0: it is this state now, or the last one
    bool isExited = false; ///< running, and its first process has ended: it is collected
    bool isFinal = false;  ///< the end of the action
    QString reason;        ///< the engine's word
    std::optional<int> exitCode;
    int signal = 0;
};
/// From an action as GET jobs/{lsn} tells it, oldest first. What the engine did not keep is not among them.
std::vector<StateStep> stateStepsOf(const QJsonObject& action);

class StateHistory final : public Table {
    Q_OBJECT
public:
    static constexpr std::size_t kMostAsked = 8;

    explicit StateHistory(Context context, QWidget* parent = nullptr);

    /// As GET jobs/{lsn} tells it; empty: none.
    void show(const QJsonObject& action);
    using QWidget::show;
    /// Time went on: the state that it is in lasts longer.
    void refreshTimes();
    /// The slot of this attempt, counted within its worker from 1; absent: not known.
    std::optional<qint64> slotOf(int attempt) const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill();
    void askSlots();
    void askSlot(const StateStep& begun);

    Context context_;
    RowsModel* rows_;
    qint64 lsn_ = 0;
    QString worker_; ///< its id
    std::vector<StateStep> steps_;
    std::map<int, std::optional<qint64>> slots_; ///< by attempt; nothing: asked for
};

} // namespace yard::ui
