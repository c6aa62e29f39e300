// The file that $YARD_STATUS names: what the processes of a slot write there says how far they are (docs/builds.md). The engine
// reads its end, and never waits for it. One for each slot, below status/ of the data directory. Functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace yard::runners {

inline constexpr std::string_view kStatusVariable = "YARD_STATUS";

/// It is there and empty, and no other file than before a start has its name: whoever has an older one open writes into
/// nothing. A directory that is not empty is put aside as PATH.gone.N, of which there are 16 at most. False: it cannot be
/// made.
bool makeStatusFile(const std::string& path);

} // namespace yard::runners
