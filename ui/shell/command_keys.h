// Which keys a command has: those it comes with, or those the settings remember. Owner: ui thread.
#pragma once

#include <QKeySequence>
#include <QString>

namespace yard::ui {

/// Of a page's command; the window's own have none before theirs.
QString commandId(const QString& page, const QString& command);
QKeySequence chosenKeys(const QString& id, const QKeySequence& comesWith);
/// Nothing is kept of those it comes with.
void keepKeys(const QString& id, const QKeySequence& comesWith, const QKeySequence& keys);

/// With Ctrl, of the page that stands at this place in the rail, from 1 on: digits, then the key beside them; empty: none.
QString pageKey(int place);

} // namespace yard::ui
