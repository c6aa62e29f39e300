#include "core/base/error.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace yard {

std::string_view errorName(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::Malformed: return "malformed";
    case ErrorKind::Unauthorized: return "unauthorized";
    case ErrorKind::Forbidden: return "forbidden";
    case ErrorKind::NotFound: return "not_found";
    case ErrorKind::MethodNotAllowed: return "method_not_allowed";
    case ErrorKind::WrongState: return "wrong_state";
    case ErrorKind::AtLimit: return "at_limit";
    case ErrorKind::NeedChunks: return "need";
    case ErrorKind::TooLarge: return "too_large";
    case ErrorKind::UnsupportedType: return "unsupported_type";
    case ErrorKind::Invalid: return "invalid";
    case ErrorKind::Busy: return "busy";
    case ErrorKind::TooManyPending: return "too_many_pending";
    case ErrorKind::HeadersTooLarge: return "headers_too_large";
    case ErrorKind::NotAccepting: return "not_accepting";
    case ErrorKind::Journal: return "journal";
    case ErrorKind::NoSpace: return "no_space";
    case ErrorKind::Io: return "io";
    case ErrorKind::NotImplemented: return "not_implemented";
    case ErrorKind::Internal: break;
    }
    return "internal";
}

std::unexpected<Error> failErrno(std::string_view what, int err) {
    // strerror() is not thread-safe, and there are two incompatible strerror_r.
    const char* words = ::strerrordesc_np(err);
    const bool full = err == ENOSPC || err == EDQUOT;
    return std::unexpected(
        Error{.kind = full ? ErrorKind::NoSpace : ErrorKind::Io,
              .message = words ? fmt::format("{}: {}", what, words) : fmt::format("{}: error {}", what, err),
              .field = {},
              .need = {},
              .index = -1,
              .sysErrno = err});
}

} // namespace yard
