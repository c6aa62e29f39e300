// Why an action waits or ended, as the engine says it in English, in the language of the window. Values; ui thread.
#pragma once

#include <QString>

namespace yard::ui {

struct ActionRow;

/// "lock app:atlas is held by action 12" in the chosen language, and the number of a holder still at its end. What it does
/// not know, in whole or in a part, stays as the engine has it.
QString engineWords(const QString& sentence);
/// The note of an action: of what waits, and of what ended without printing why, the engine's words as above; what a
/// program printed as it is.
QString noteWords(const ActionRow& row);

} // namespace yard::ui
