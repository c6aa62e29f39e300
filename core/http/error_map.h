// The one place where kinds of errors become HTTP status codes, and errors their JSON.
#pragma once

#include "core/base/error.h"
#include "core/http/message.h"

#include <string>

namespace yard::http {

/// docs/api.md, 4: 400 malformed, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431, 500, 501, 503.
int statusOf(ErrorKind kind);
/// {"error":word,"message":sentence} and what the error has of "field", "index" and "need".
std::string errorJson(const Error& error);
/// Both; 429 and 503 come with Retry-After, 401 with WWW-Authenticate.
Response errorResponse(const Error& error);
Response errorResponse(ErrorKind kind, std::string message);

} // namespace yard::http
