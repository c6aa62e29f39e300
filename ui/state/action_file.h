// Files with actions, and actions dragged from one place of the window to another. Values; readActions() blocks.
#pragma once

#include <QJsonArray>
#include <QMimeData>
#include <QString>
#include <vector>

namespace yard::ui {

struct ActionFile {
    QJsonArray actions;
    QString problem; ///< why there are none, with the line
};
/// One action, a list of them, or one a line; at most 64 MiB.
ActionFile readActions(const QString& path);
ActionFile parseActions(const QByteArray& text);

/// Actions that are dragged: numbers, of the engine at `address`.
QMimeData* dragOf(const std::vector<qint64>& lsns, const QString& address);
/// Empty when they are none, or of another engine.
std::vector<qint64> draggedActions(const QMimeData& data, const QString& address);

} // namespace yard::ui
