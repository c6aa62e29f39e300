// The engines elsewhere that a person trusts: the fingerprint of each by its HOST:PORT, in a file of the user that
// yardctl, the window and the Python client share. One line an engine: "HOST:PORT FINGERPRINT".
//
// Values; any thread; blocks. Bounds: kMostKnownEngines lines; what is no such line is left out when it is written.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace yard {

inline constexpr std::size_t kMostKnownEngines = 1'000;

/// $XDG_CONFIG_HOME/yardmaster/known_engines, else that in ~/.config.
std::string knownEnginesFile();
/// Empty: nothing is known of it. Io, TooLarge.
Result<std::string> knownFingerprint(const std::string& file, std::string_view authority);
/// In place of what was known of it. AtLimit, Io, NoSpace.
Result<void> rememberFingerprint(const std::string& file, std::string_view authority, std::string_view fingerprint);

} // namespace yard
