// Of text that should be UTF-8 and is not: which byte, and in JSON of which member. For messages. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

/// Where the first byte stands that is part of no UTF-8; nothing: all are.
std::optional<std::size_t> firstBadByte(std::string_view text);
/// The last member of JSON that is named up to the byte `at`, or the name that it is in, as it can be shown; empty:
/// there is none. `json` need not be well-formed.
std::string memberAt(std::string_view json, std::size_t at);
/// `"label" is not valid UTF-8 (byte 0xff)`. `json` has such a byte; without a member it is called "The JSON".
std::string notUtf8(std::string_view json);

} // namespace yard
