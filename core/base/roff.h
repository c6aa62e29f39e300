// Text in man's macros, for the manual pages that programs print of themselves. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace yard::roff {

/// Backslashes and dashes as they are, no line that begins as a request.
std::string text(std::string_view plain);
/// One macro's argument.
std::string argument(std::string_view plain);
/// The first lines of a page of section 1.
std::string head(std::string_view name, std::string_view version, std::string_view summary);
/// An option, as it is typed, with its value and what it does.
std::string option(std::string_view typed, std::string_view value, std::string_view help);

} // namespace yard::roff
