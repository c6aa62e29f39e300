// Sentences of the engine speak of its API, as it has many clients. Here is what yardctl calls those things. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard::ctl {

/// "…: GET jobs lists those there are." becomes "…: 'yardctl ls' lists those there are."
std::string inCommandWords(std::string_view sentence);
/// Of an action that was made of options alone: "Give "resources.cores" as …" becomes "Give --cores as …".
std::string inOptionWords(std::string_view sentence);
/// What we say behind a sentence of the engine's, which may have its full stop.
std::string withMore(std::string_view sentence, std::string_view more);

} // namespace yard::ctl
