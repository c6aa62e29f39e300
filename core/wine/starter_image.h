// The program of core/wine/starter as bytes.
#pragma once

#include <string_view>

namespace yard::wine {

/// Empty where it could not be built: there workers for Windows are refused.
std::string_view starterImage();

} // namespace yard::wine
