#include "core/session/refusals.h"

#include <fmt/format.h>

namespace yard::session {

std::unexpected<Error> noAction(Lsn lsn) {
    return fail(ErrorKind::NotFound,
                fmt::format("Action {0} is not active: GET jobs/{0} says how it ended.", lsn.value));
}

std::unexpected<Error> wrongState(Lsn lsn, std::string_view what) {
    return fail(ErrorKind::WrongState, fmt::format("Action {} {}.", lsn.value, what));
}

} // namespace yard::session
