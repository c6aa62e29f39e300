// What an engine tells by events of the rows of the Actions table: those that are here are other ones now, new ones are
// to come above them, some are no more. Rows are kept and changes noted in the order; when those are taken in is the
// model's matter. Owner: ui thread, the model; lifetime: the model's, within that of its order, view and engine's state.
#pragma once

#include "ui/pages/actions/actions_in_view.h"
#include "ui/pages/actions/known_order.h"
#include "ui/state/engine_state.h"

#include <QJsonArray>
#include <QObject>

namespace yard::ui {

class ActionEvents final : public QObject {
    Q_OBJECT
public:
    ActionEvents(EngineState& state, KnownOrder& order, ActionsInView& view, QObject* parent = nullptr);

    /// Not active: takes nothing.
    void setActive(bool active) { active_ = active; }

signals:
    /// The row at this place is another one.
    void rowChanged(int row);
    void actionChanged(qint64 lsn);
    /// The order has what came or went.
    void coming();

private:
    void takeChanges(const QJsonArray& actions);
    void takeGone(const QJsonArray& lsns);

    KnownOrder& order_;
    ActionsInView& view_;
    bool active_ = false;
};

} // namespace yard::ui
