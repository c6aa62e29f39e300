// What a token of the API allows (docs/tokens.md). Each right has those before it. Values; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

enum class Right : unsigned char {
    Read,    ///< see everything but environments, inputs and other tokens
    Submit,  ///< add actions, and steer those of the queues that the token names
    Operate, ///< steer all work
    Admin    ///< everything, as the owner
};
inline constexpr std::size_t kRights = 4;
/// "read", "submit", "operate", "admin".
std::string_view name(Right right);
std::optional<Right> rightFrom(std::string_view word);
/// All of them, with commas and an "or": for messages.
std::string rightNames();

} // namespace yard
