// What the end of a child says: how it ended, what it used, what its sandbox tells of it. The spawner's thread.
#pragma once

#include "core/launcher/launcher_child.h"
#include "core/launcher/launcher_shared.h"

namespace yard::runners {

/// Reaps the first process and writes into child.ended what is known of its end. A network that nobody used goes
/// back to those that wait for a sandbox. False when it still runs.
bool collectExit(SlotChild& child, const LauncherShared& shared);

} // namespace yard::runners
