// An engine for those who have none: started in the background, beside the data directory that they use.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"

#include <string>

namespace yard::ctl {

/// An engine answers when this succeeds. Where none does and somebody sits at a terminal, asks whether to start
/// one; never in place of one that --url names.
Outcome<void> ensureEngine(Engine& engine);

/// The engine's program: beside this one, as it is installed, absolute; else its name, to be looked up in PATH.
std::string engineProgram();

} // namespace yard::ctl
