// Documents of our own, each one JSON object: what the journal keeps of a thing that has no table. Pure functions; any thread.
#pragma once

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

/// Bytes of one at most. The journal takes no longer ones (store::kMaxDocument): whoever writes one bounds its parts.
inline constexpr std::size_t kMaxJsonDocument = 1u << 20;

/// Nothing: it is too long, damaged, or no object.
std::optional<JsonTape> readDocument(std::string_view text);

/// `writeMembers` writes what stands in the object.
template<std::invocable<JsonWriter&> Members>
std::string writeDocument(const Members& writeMembers) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeMembers(writer);
    writer.closeObject();
    return text;
}

} // namespace yard
