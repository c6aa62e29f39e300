// UTF-8 as codecs and terminals need it: validity, control characters, cutting at a boundary. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yard {

/// Well-formed UTF-8 (no overlong forms, no surrogates).
bool isUtf8(std::string_view text);
/// Bytes of the well-formed sequence at the start of `text` (1..4); 0 when it is none (overlong, surrogate, cut
/// short).
std::size_t utf8SequenceLength(std::string_view text);
/// True when `text` has a C0 or C1 control character or DEL. `text` is well-formed UTF-8.
bool hasControlCharacters(std::string_view text);
/// The longest prefix of at most `limit` bytes that does not split a sequence. `text` is well-formed UTF-8.
std::string_view utf8Prefix(std::string_view text, std::size_t limit);
/// For people: bytes that are no UTF-8 become U+FFFD, one by one.
std::string wellFormed(std::string_view text);

} // namespace yard
