// UTF-8 as the codecs need it: validity, control characters, cutting at a boundary. Private to core/model.
#pragma once

#include <cstddef>
#include <string_view>

namespace yard {

/// Bytes of the well-formed sequence at the start of `text` (1..4); 0 when it is none (overlong, surrogate, cut
/// short).
std::size_t utf8SequenceLength(std::string_view text);
/// True when `text` has a C0 or C1 control character or DEL. `text` is well-formed UTF-8.
bool hasControlCharacters(std::string_view text);
/// The longest prefix of at most `limit` bytes that does not split a sequence. `text` is well-formed UTF-8.
std::string_view utf8Prefix(std::string_view text, std::size_t limit);

} // namespace yard
