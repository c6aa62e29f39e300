// A control group (cgroup v2) around a launcher and everything it starts: what no process can leave by itself,
// whatever it does to its session, its parent and its environment. With it a dead launcher's processes are found,
// and ended in one step, also by the next engine. Where none can be made (no cgroup v2, no right to) everything
// else holds as it is.
//
// Functions; each blocks on a few small files. No owner.
#pragma once

#include "core/base/clock.h"

#include <string>
#include <string_view>

namespace yard::host {

/// Makes the group of this data directory below our own one and notes its path in DATADIR/cgroup. Its path, or an
/// empty string when none can be made. An existing one is used.
std::string makeLauncherGroup(const std::string& dataDir, std::string_view ownerToken);
/// The calling process, and so what it starts, belongs to the group from now on. False when that is not allowed.
bool enterLauncherGroup(const std::string& path);
/// Ends everything in the group that DATADIR/cgroup names, and removes it. Nothing when there is no such group, or
/// the note is not about one of ours. False when something is left after `limit`.
bool endLauncherGroup(const std::string& dataDir, std::string_view ownerToken, Duration limit);

} // namespace yard::host
