// What the launcher of an engine that died had written of a stream (launcher_pump.h). Blocks: helper threads only. No
// owner.
#pragma once

#include "core/lease/runner.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::runners {

/// The name in chunks/tmp/ of a stream that grows there. The same for engine and launcher.
std::string streamName(AttemptId id, Stream stream);

/// The file at `path` as a stream that ended; nothing when there is none, or it cannot be read. What is short is in
/// memory, and its file gone. `limit`: the one it was written under (Lease::streamBytes).
std::optional<StreamResult> takeLeftStream(const std::string& path, std::uint64_t limit);

} // namespace yard::runners
