// Opens a terminal of the desktop with a program in it. Values; ui thread. Waits for the start alone.
#pragma once

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace yard::ui {

/// How a program is started in the first terminal that is there: $TERMINAL, what Debian's alternatives say, then those
/// of desktops; its words follow. `path`: the folders to look in; empty: those of $PATH. Empty: there is none.
QStringList terminalWords(const QString& chosen, const QStringList& path = {});

/// A terminal with `words` in it, that goes on when the window has gone. Why not, a sentence; empty: it is open.
QString openTerminal(const QStringList& words, const QProcessEnvironment& environment);

} // namespace yard::ui
