// Bytes that are not UTF-8 in JSON, which holds text only: names of files, arguments and variables may be any bytes
// but NUL. A byte 0x80..0xFF that is part of no character stands as the code unit \udc80..\udcff, which is half of a
// pair without its other half, as Python's "surrogateescape" writes it. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yard {

/// JSON with each such code unit replaced by its byte. Nothing when it has none, as nearly all JSON. Bytes that make
/// up a character together become that character.
std::optional<std::string> decodeJsonBytes(std::string_view json);
/// JSON in which bytes that are not UTF-8 stand as code units. The other way round.
std::string encodeJsonBytes(std::string json);
/// The code unit of one such byte, as it is written: \udc80.
void appendByteEscape(std::string& out, unsigned char byte);

} // namespace yard
