// Asks where to, and writes a file there, or says why it could not. Owner: ui thread; waits for the person's
// choice.
#pragma once

#include <QByteArray>
#include <QString>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace yard::ui {

class WindowServices;

/// `title`: of the question; `name`: what is offered. Whole or not at all; what became of it stands in the status
/// bar.
void saveAs(QWidget* over, WindowServices& window, const QString& title, const QString& name, QByteArray bytes);

} // namespace yard::ui
