// An engine for those who have none: started in the background, beside the data directory that they use.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"

namespace yard::ctl {

/// An engine answers when this succeeds. Where none does and somebody sits at a terminal, asks whether to start
/// one; never in place of one that --url names.
Outcome<void> ensureEngine(Engine& engine);

} // namespace yard::ctl
