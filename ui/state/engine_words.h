// Why an action waits, as the engine says it in English, in the language of the window. Values; ui thread.
#pragma once

#include <QString>

namespace yard::ui {

/// "lock app:atlas is held by action 12" in the chosen language, and the number of a holder still at its end. What it does
/// not know, in whole or in a part, stays as the engine has it.
QString engineWords(const QString& sentence);

} // namespace yard::ui
