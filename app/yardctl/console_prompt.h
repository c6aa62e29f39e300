// The prompt of `yardctl console` at a terminal: lines are edited, kept and completed where libedit is installed.
#pragma once

#include "app/yardctl/command.h"

namespace yard::ctl {

/// Until a farewell, the end of the input or of the console. Ctrl+C gives a line up, or ends what shows itself again
/// and again; twice while an answer is awaited it ends the prompt. TERM, HUP and QUIT end it with 128 and their number;
/// ended or stopped, it leaves the terminal as it was. `fd`: the console's socket, borrowed.
Outcome<int> promptAt(int fd);

} // namespace yard::ctl
