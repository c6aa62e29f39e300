// GET /openapi.json: the routes as OpenAPI 3.0, put together from the rows of routes (route.h) and the
// schemas beside it. An answer that does not fit its schema fails the tests.
// Immutable; any thread.
#pragma once

#include <string>
#include <string_view>

namespace yard::http {

/// JSON object of named schemas but those of settings, which come from their table. They use $ref, type, nullable,
/// enum, properties, required, items, additionalProperties, anyOf, minimum, exclusiveMinimum, maximum, pattern, lengths
/// and counts (minLength, maxItems, …), description, format and default, nothing else. MEASURES stands for the
/// properties of what is measured (core/model/measures.h), #word# for a bound.
std::string_view openApiSchemas();
/// JSON object of the query parameters that routes name.
std::string_view openApiParameters();
/// With each #word# as the bound that the code holds.
std::string withLimits(std::string_view text);
/// The whole document for an API under `prefix` ("/compute", or empty).
std::string openApiJson(std::string_view prefix, std::string_view version);

} // namespace yard::http
