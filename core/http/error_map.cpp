#include "core/http/error_map.h"

#include "core/json/json_writer.h"

namespace yard::http {

int statusOf(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::Malformed: return 400;
    case ErrorKind::Unauthorized: return 401;
    case ErrorKind::Forbidden: return 403;
    case ErrorKind::NotFound: return 404;
    case ErrorKind::MethodNotAllowed: return 405;
    case ErrorKind::WrongState:
    case ErrorKind::AtLimit:
    case ErrorKind::NeedChunks: return 409;
    case ErrorKind::TooLarge: return 413;
    case ErrorKind::UnsupportedType: return 415;
    case ErrorKind::Invalid: return 422;
    case ErrorKind::Busy:
    case ErrorKind::TooManyPending: return 429;
    case ErrorKind::HeadersTooLarge: return 431;
    case ErrorKind::NotAccepting:
    case ErrorKind::Journal:
    case ErrorKind::NoSpace: return 503;
    case ErrorKind::NotImplemented: return 501;
    case ErrorKind::Io:
    case ErrorKind::Internal: break;
    }
    return 500;
}

std::string errorJson(const Error& error) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("error", errorName(error.kind));
    writer.member("message", error.message);
    if (!error.field.empty()) writer.member("field", error.field);
    if (error.index >= 0) writer.member("index", error.index);
    if (error.kind == ErrorKind::NeedChunks) {
        writer.key("need");
        writer.openArray();
        for (const std::string& hash : error.need) writer.string(hash);
        writer.closeArray();
    }
    writer.closeObject();
    return text;
}

Response errorResponse(const Error& error) {
    Response response;
    response.status = statusOf(error.kind);
    response.body = errorJson(error);
    if (response.status == 429) response.fields.emplace_back("Retry-After", "1");
    if (response.status == 503) response.fields.emplace_back("Retry-After", "5");
    if (response.status == 401) response.fields.emplace_back("WWW-Authenticate", "Bearer");
    return response;
}

Response errorResponse(ErrorKind kind, std::string message) {
    return errorResponse(Error{.kind = kind, .message = std::move(message), .field = {}, .need = {}});
}

} // namespace yard::http
