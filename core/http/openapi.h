// GET /openapi.json: the routes as OpenAPI 3.0, put together from the table below and the schemas beside it. A
// route without a row here, a row without a route, and an answer that does not fit its schema fail the tests.
// Immutable; any thread.
#pragma once

#include "core/http/message.h"
#include "core/http/router.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace yard::http {

/// One answer of success.
struct DescribedAnswer {
    int status = 0;               ///< 0: none
    std::string_view schema = {}; ///< name of a schema; "bytes" or "text" for what is no JSON; empty: no body
};

/// One route in words. The same row describes it below queues/{ref}/ when its scope says so.
struct Operation {
    Method method;
    std::string_view pattern; ///< of the route
    Scope scope;              ///< of the route
    std::string_view id;      ///< operationId; "InQueue" is added below queues/{ref}/
    std::string_view summary;
    std::string_view query = {};   ///< names of parameters, with blanks between
    std::string_view request = {}; ///< schema of the body; "bytes" for what is no JSON; empty: no body
    std::array<DescribedAnswer, 3> answers = {};
    /// OpenAPI has one operation for paths that differ in the names of their parts only: this row is told by the
    /// row of that pattern.
    std::string_view toldBy = {};
};

/// All of them, in the order of the routes.
std::span<const Operation> operations();
/// JSON object of named schemas but those of settings, which come from their table. They use $ref, type, nullable,
/// enum, properties, required, items, additionalProperties, anyOf, minimum, maximum, pattern, description, format
/// and default, nothing else.
std::string_view openApiSchemas();
/// JSON object of the query parameters that operations name.
std::string_view openApiParameters();
/// The whole document for an API under `prefix` ("/compute", or empty).
std::string openApiJson(std::string_view prefix, std::string_view version);

} // namespace yard::http
