// Values of an object's fields, as JSON, against its type. Pure functions.
#pragma once

#include "core/json/json_reader.h"
#include "core/lifecycle/type.h"

#include <string>
#include <string_view>

namespace yard::lifecycle {

/// The fields of one object, or of one answer, have at most so many bytes.
inline constexpr std::size_t kMaxFieldBytes = 1u << 20;

bool fits(FieldKind kind, JsonKind given);

/// Fields of a new object with defaults filled in, as canonical JSON. TooLarge; Invalid names the field: unknown, of
/// another type, required and missing.
Result<std::string> fieldsForNew(const Type& type, std::string_view json);

/// What an answer sets, or a person: each is a field of the type and of its kind. `null` takes a value away, but not
/// of a required field.
Result<void> checkSet(const Type& type, JsonView set);

/// `fields` after `set` (empty: nothing), where null takes a value away. Both are objects; Malformed.
Result<std::string> mergedFields(std::string_view fields, std::string_view set);
/// What makes `after` of `before`: null where a value is gone. Both are objects; Malformed.
Result<std::string> changesBetween(std::string_view before, std::string_view after);

} // namespace yard::lifecycle
