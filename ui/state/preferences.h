// What was chosen in Settings > General: "language", "start-page", "keep-awake", "tonight". Kept in the settings of this
// program. Owner: ui thread.
//
// They were kept in a group "general". QSettings writes that name as [%General] and reads it as "General", so nothing of
// it was found again. What stands there is taken over once.
#pragma once

#include <QString>
#include <QVariant>

namespace yard::ui {

/// `usual`: where nothing was chosen.
QVariant preference(const QString& name, const QVariant& usual = {});
/// An invalid value: nothing is chosen any more.
void setPreference(const QString& name, const QVariant& value);

} // namespace yard::ui
