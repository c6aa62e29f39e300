// The schemas of OpenAPI, a file for each matter. Each is the members of a JSON object, without its braces and
// without a comma at its end. Those of settings are not here: they come from their table. Immutable; any thread.
//
// They use $ref, type, nullable, enum, properties, required, items, additionalProperties, anyOf, minimum,
// exclusiveMinimum, maximum, pattern, lengths and counts (minLength, maxItems, …), description, format and default,
// nothing else. MEASURES stands for the properties of what is measured (core/model/measures.h), #word# for a bound.
#pragma once

#include <array>
#include <string_view>

namespace yard::http {

/// All of them; no name is in two.
std::array<std::string_view, 13> openApiSchemas();

std::string_view openApiGeneralSchemas();
std::string_view openApiActionSchemas();
std::string_view openApiSubmitSchemas();
std::string_view openApiQueueSchemas();
std::string_view openApiWorkerSchemas();
std::string_view openApiAllocatorSchemas();
std::string_view openApiHistorySchemas();
std::string_view openApiAlertSchemas();
std::string_view openApiScheduleSchemas();
std::string_view openApiKindSchemas();
std::string_view openApiRecordingSchemas();
std::string_view openApiInsideSchemas();
std::string_view openApiObjectSchemas();

} // namespace yard::http
