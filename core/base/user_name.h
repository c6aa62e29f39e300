// Who a process runs as. Any thread.
#pragma once

#include <string>

namespace yard {

/// The name of the user this process runs as; its number in digits where it has none.
std::string userName();

} // namespace yard
