// Names of OS threads, as top, perf and gdb show them.
#pragma once

#include <string>

namespace yard {

/// Names the calling thread; only the first 15 bytes are kept.
void nameThisThread(const std::string& name);

} // namespace yard
