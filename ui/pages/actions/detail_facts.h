// What the detail of an action says in facts: why it waits or how it ended, what it used of what it may, how its time
// went, and its locks. Made of the engine's answers as they are; no widgets. Values; ui thread.
#pragma once

#include "ui/state/action_row.h"
#include "ui/widgets/facts.h"

#include <QJsonArray>
#include <QJsonObject>
#include <vector>

namespace yard::ui {

/// What these facts are about.
QString whyTitle(const ActionRow& row);
/// `action`: GET jobs/{lsn}; `why`: GET jobs/{lsn}/why, of what has not ended.
std::vector<Fact> whyFacts(const ActionRow& row, const QJsonObject& action, const QJsonObject& why);
/// `spec`: GET jobs/{lsn}/spec; `now`: wall clock, in microseconds.
std::vector<Fact> limitFacts(const ActionRow& row, const QJsonObject& action, const QJsonObject& spec, qint64 now);
std::vector<Fact> timeFacts(const ActionRow& row, qint64 now);
std::vector<Fact> processorFacts(const ActionRow& row, qint64 now);
/// Of each lock that it claims; `locks`: those of GET locks, `engine`: the id of this one.
std::vector<Fact> lockFacts(qint64 lsn, const QJsonObject& spec, const QJsonArray& locks, const QString& engine);
/// Bytes of output of the last attempt, as far as they are kept.
qint64 writtenBytes(const QJsonObject& action);

} // namespace yard::ui
