// One look at one object: what is claimed before it, and the reader of a worker's answer. Values and pure functions; any
// thread.
#pragma once

#include "core/lifecycle/transition.h"

#include <string_view>

namespace yard::lifecycle {

/// An answer larger than this is an exception of its tick.
inline constexpr std::size_t kMaxAnswerBytes = 1u << 20;

/// Written before the look: until `retryAt` no other actor looks, and none of a later life of the engine. It keeps the
/// revision; compared like a Write.
struct Claim {
    ObjectId id{};
    StateNumber status = 0;
    Revision revision = 0;
    WallMicros retryAt = 0;
};
Claim claimOf(const Type& type, const Object& object, WallMicros now);

/// {"exit_code","move","set","look_in_s","effects"}: at most one move, fields of the type, effects of the four kinds.
/// Invalid, Malformed, TooLarge: an exception of the tick, nothing of it is written.
Result<Answer> parseAnswer(const Type& type, std::string_view json);

} // namespace yard::lifecycle
