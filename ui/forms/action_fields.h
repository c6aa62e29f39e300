// What the fields of the form for new work mean: members of an action as text, and back. Pure; any thread.
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <optional>

namespace yard::ui {

/// Words of a command line with quotes and backslashes, as a shell splits them; nothing when a quote stays open.
std::optional<QStringList> wordsOf(const QString& line);
QString lineOf(const QStringList& words);

/// What the field of `member` shows of an action; empty: it has none. "cores" and "memory_mb" are those of its
/// resources, "resources" all others.
QString fieldText(const QString& member, const QJsonObject& action);
/// Puts what the field says into the action; an empty text takes the member away. False: it cannot be read, and the
/// action stays as it was. `now`: a time without a day is the next one after it.
bool readField(const QString& member, const QString& text, QJsonObject& action,
               const QDateTime& now = QDateTime::currentDateTime());
/// What a text that cannot be read should have been.
QString fieldWants(const QString& member);
/// Whether an action of exec, or of a worker, can have this member.
bool canHave(const QString& member, bool exec);

} // namespace yard::ui
