// Entries of the context menu of actions that are the same on every page: where they lead, and what is copied. Owner:
// ui thread. Answers that come later are for `owner`; when it goes, nothing happens.
#pragma once

#include "ui/pages/page.h"
#include "ui/state/action_row.h"

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

/// To its bar on the timeline, to what it waits for, and to those of its kind, its queue and its worker.
void addPlaces(QMenu& menu, const Context& context, QObject* owner, const ActionRow& row);
/// "Copy as": numbers, yardctl and curl. `one`: the only action, of which its JSON and its command are offered, too;
/// null: there are several.
void addCopyAs(QMenu& menu, const Context& context, QObject* owner, const Target& target, const ActionRow* one);

/// What a shell would run in the place of an action as it was submitted; empty: it is no command.
QString shellLineOf(const QJsonObject& spec);
/// The actions of `engine` that this answer of GET jobs/{lsn}/why names: parents, holders of locks, and for whom
/// resources are kept. At most 50.
std::vector<qint64> waitedFor(const QJsonObject& why, const QString& engine);

} // namespace yard::ui
