// removeTree() (files.h) for trees of any size: one that can be cut short.
#pragma once

#include "core/base/error.h"

#include <stop_token>
#include <string>

namespace yard {

/// Looks at `stop` before each entry. Then it fails (NotAccepting), and what is left stays for who comes later.
Result<void> removeTree(const std::string& path, const std::stop_token& stop);

} // namespace yard
