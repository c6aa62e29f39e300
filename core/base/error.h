// Errors that people can cause, as values: a kind from a closed list, a sentence that says what to do, and context.
// http maps kinds to status codes in one place (core/http/error_map), ui maps them to words.
// Mistakes of our own are asserts; exceptions do not cross module borders (core/coro's interruption apart).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

enum class ErrorKind : unsigned char {
    Malformed,    ///< the bytes are not what the format says (400)
    Unauthorized, ///< token missing or wrong (401)
    Forbidden,    ///< foreign Host or Origin, or a token without the right (403)
    NotFound,     ///< no such thing (404)
    MethodNotAllowed,
    WrongState,      ///< exists, but its state forbids this (409)
    AtLimit,         ///< a limit of the thing forbids this (409)
    NeedChunks,      ///< chunks are missing; `need` lists them (409)
    TooLarge,        ///< a body over its limit (413)
    UnsupportedType, ///< wrong Content-Type (415)
    Invalid,         ///< well-formed but not acceptable; `field` names it (422)
    Busy,            ///< try again shortly (429)
    TooManyPending,  ///< as many actions wait as may: again once some have ended (429)
    HeadersTooLarge, ///< (431)
    NotAccepting,    ///< the session does not take work (503)
    Journal,         ///< the journal cannot be written now, disk full or I/O (503)
    NoSpace,         ///< disk full in the content store or a scratch directory (503)
    Io,              ///< another failing system call (500)
    NotImplemented,  ///< comes with a later version (501)
    Internal         ///< our mistake (500)
};

/// Lower-case word of a kind, as in the "error" member of an HTTP answer: "malformed", "not_found", "need", …
std::string_view errorName(ErrorKind kind);

struct Error {
    ErrorKind kind = ErrorKind::Internal;
    std::string message;           ///< one sentence for the person who caused it: what is wrong, what to do next
    std::string field;             ///< Invalid: the JSON member at fault, else empty
    std::vector<std::string> need; ///< NeedChunks: hashes in hex
    int index = -1;                ///< position in a list that was submitted, -1 when there is none
    int sysErrno = 0;              ///< the cause from the system, 0 when there is none
};

template<class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
    return std::unexpected(Error{.kind = kind, .message = std::move(message), .field = {}, .need = {}});
}
inline std::unexpected<Error> invalid(std::string field, std::string message) {
    return std::unexpected(
        Error{.kind = ErrorKind::Invalid, .message = std::move(message), .field = std::move(field), .need = {}});
}
/// A failing system call: `what` names call and path; the message gets strerror. ENOSPC and EDQUOT become NoSpace.
std::unexpected<Error> failErrno(std::string_view what, int err);

} // namespace yard
