// Sentences of the engine speak of its API, as it has many clients. Here is what yardctl calls those things. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard::ctl {

/// "…: GET jobs lists those there are." becomes "…: 'yardctl ls' lists those there are."
std::string inCommandWords(std::string_view sentence);

} // namespace yard::ctl
