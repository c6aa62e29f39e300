// Why the engine does not say when an action or a queue ends (`estimate.unknown`), in words.
#pragma once

#include <QString>

namespace yard::ui {

/// For a column: "overdue", "no history". Empty: the end is known, or there is nothing to end.
QString shortWordOfGap(const QString& gap);
/// "it takes longer than usual"; of a queue what holds for one of its actions.
QString wordsOfGap(const QString& gap);
QString wordsOfQueueGap(const QString& gap);

} // namespace yard::ui
