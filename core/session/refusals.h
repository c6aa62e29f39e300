// What is said where something cannot be done: the sentences that several parts have in common. Private to session.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"

#include <string_view>

namespace yard::session {

std::unexpected<Error> noAction(Lsn lsn);
/// "Action N `what`."
std::unexpected<Error> wrongState(Lsn lsn, std::string_view what);

} // namespace yard::session
