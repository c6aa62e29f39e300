// How long something takes, for people. Values; any thread.
#pragma once

#include <string>

namespace yard {

/// "0.09 s", "8.4 s", "41.2 s", "6 min 12 s", "1 h 54 min", "2 d 4 h": two units at most; "-" of what is no duration.
std::string durationText(double seconds);

} // namespace yard
