// The one question the window asks: before what cannot be undone. Owner: ui thread.
#pragma once

#include <QString>
#include <QWidget>

namespace yard::ui {

/// Blocks in a loop of its own until answered. The safe button is the default; true: the other one was pressed.
bool askQuestion(QWidget* parent, const QString& question, const QString& lost, const QString& verb,
                 const QString& keep);

} // namespace yard::ui
