// GET /openapi.json: the routes as OpenAPI 3.0, put together from the rows of routes (route.h) and the
// schemas beside it (openapi_schemas.h). An answer that does not fit its schema fails the tests.
// Immutable; any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace yard::http {

/// The query parameters that routes name: of lists of actions and what is counted of them, and of one thing. Each is
/// the members of a JSON object, without its braces and without a comma at its end; no name is in two.
std::array<std::string_view, 2> openApiParameters();
std::string_view openApiListParameters();
std::string_view openApiSingleParameters();
/// With each #word# as the bound that the code holds.
std::string withLimits(std::string_view text);
/// The whole document for an API under `prefix` ("/compute", or empty).
std::string openApiJson(std::string_view prefix, std::string_view version);

} // namespace yard::http
