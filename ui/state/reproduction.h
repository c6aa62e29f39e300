// An action is run again in a terminal: yardctl makes a directory of its last attempt (docs/reproduce.md), and a shell in
// the same sandbox opens there. Values; ui thread.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QStringList>

namespace yard::ui {

/// "yardctl reproduce 12", without an engine.
QString reproduceLine(qint64 lsn);
/// What runs in the terminal: a shell's script and its words. `yardctl`: the line as it reaches the engine.
QStringList reproduceWords(const QString& yardctl, qint64 lsn);
/// Why no terminal opened, a sentence; empty: it is open.
QString reproduceInTerminal(const EngineLink& link, qint64 lsn);

} // namespace yard::ui
