// Private to core/store: what a start reads from the journal.
#pragma once

#include "core/store/database.h"
#include "core/store/journal.h"

namespace yard::store {

/// All objects in the order of their numbers, in batches of at most 1,000.
Result<void> readObjects(Database& database, const std::function<void(std::span<ObjectStanding>)>& rows);
/// Actions of objects whose end was not told. After the operations on many actions were carried out, which end some.
Result<std::vector<OwnedAction>> readOwnedActions(Database& database);
/// Everything but pending rows, objects and the LSN block.
Result<Restored> readEverythingElse(Database& database);
/// Pending rows in LSN order, edges resolved, in batches of at most 1,000.
Result<void> readPendingRows(Database& database, const std::function<void(std::span<PendingRow>)>& rows);
/// In the order of their registration: the last of a name is the one that its bare name means.
Result<std::vector<WorkerRow>> readWorkers(Database& database);
/// Removes files in chunks/packs whose group was never committed.
Result<void> removeStrayPacks(Database& database, const ChunkFiles& files);

} // namespace yard::store
