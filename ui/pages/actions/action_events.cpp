#include "ui/pages/actions/action_events.h"

#include "ui/state/action_row.h"

#include <QJsonObject>

#include <utility>

namespace yard::ui {

namespace {

constexpr qint64 kWatchedByEngine = 1'000; // rows of a filter; docs/events.md

} // namespace

ActionEvents::ActionEvents(EngineState& state, KnownOrder& order, ActionsInView& view, QObject* parent)
    : QObject(parent)
    , order_(order)
    , view_(view) {
    connect(&state, &EngineState::actionsChanged, this, &ActionEvents::takeChanges);
    connect(&state, &EngineState::actionsGone, this, &ActionEvents::takeGone);
    connect(&view, &ActionsInView::missed, this, &ActionEvents::takeGone);
}

void ActionEvents::takeChanges(const QJsonArray& actions) {
    if (!active_) return;
    for (const QJsonValue value : actions) {
        const QJsonObject json = value.toObject();
        if (!json.contains("timestamps")) continue; // an end, told for notices
        ActionRow row = actionRowOf(json);
        const qint64 lsn = row.lsn;
        const int place = view_.rowOf(lsn);
        if (place < 0 && (!view_.isNewestFirst() || !order_.come(lsn))) continue;
        order_.comeBack(lsn);
        view_.kept().keep(std::move(row));
        if (place >= 0) emit rowChanged(place);
        emit actionChanged(lsn);
    }
    view_.kept().forgetOldest();
    if (order_.hasFresh()) emit coming();
}

void ActionEvents::takeGone(const QJsonArray& lsns) {
    if (!active_) return;
    for (const QJsonValue value : lsns) {
        const qint64 lsn = value.toInteger();
        const int place = view_.rowOf(lsn);
        // Behind the newest ones that the engine watches: told as gone, and in the list all the same.
        if (view_.watchesFilter() && order_.aboveOf(lsn, place) >= kWatchedByEngine) continue;
        order_.go(lsn, place >= 0);
        emit actionChanged(lsn);
    }
    if (order_.hasGone()) emit coming();
}

} // namespace yard::ui
