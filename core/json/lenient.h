// Values of documents that this program wrote itself: one of another type counts as absent. Pure functions.
#pragma once

#include "core/json/json_reader.h"

#include <cstdint>
#include <string>

namespace yard {

inline std::int64_t integerOrZero(JsonView value) {
    return value.kind() == JsonKind::Integer ? value.node().integer : 0;
}
inline std::string textOrEmpty(JsonView value) {
    return value.kind() == JsonKind::String ? std::string(value.string()) : std::string();
}
inline bool isTrue(JsonView value) {
    return value.kind() == JsonKind::Bool && value.node().boolean;
}

} // namespace yard
