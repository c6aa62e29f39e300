// What several actions were submitted as, to be submitted again as one list. Owner: ui thread.
#pragma once

#include "ui/bridge/engine_link.h"

#include <QJsonArray>
#include <functional>
#include <map>
#include <vector>

namespace yard::ui {

inline constexpr qint64 kMostCopies = 500; ///< in one list

/// Specifications by LSN.
using Specs = std::map<qint64, QJsonObject>;

/// In the order of their numbers. One that waits for another one of them waits for its copy: that is named by an "id".
/// The ids that they were posted with stay where no two are the same, as those of the elements of an array are.
QJsonArray listOfCopies(Specs specs);

/// Asks for them one after another, kMostCopies at most; `done` is called once unless `asker` goes before: with all of
/// them, or with a sentence why that cannot be. Of an array an element alone.
void askSpecs(EngineLink& link, QObject* asker, std::vector<qint64> lsns,
              std::function<void(Specs specs, const QString& problem)> done);

} // namespace yard::ui
