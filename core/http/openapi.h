// GET /openapi.json: the routes as OpenAPI 3.0, put together from the rows of routes (route.h) and the
// schemas beside it (openapi_schemas.h). An answer that does not fit its schema fails the tests.
// Immutable; any thread.
#pragma once

#include <string>
#include <string_view>

namespace yard::http {

/// JSON object of the query parameters that routes name.
std::string_view openApiParameters();
/// With each #word# as the bound that the code holds.
std::string withLimits(std::string_view text);
/// The whole document for an API under `prefix` ("/compute", or empty).
std::string openApiJson(std::string_view prefix, std::string_view version);

} // namespace yard::http
