// --notify: tells whoever went away meanwhile that what they wait for has ended.
#pragma once

#include <string>

namespace yard::ctl {

/// On the desktop, by `notify-send` (libnotify), which is given some seconds. Where there is no desktop, or it does not
/// take it, the bell of the terminal on stderr rings; without one nothing happens.
void notifyOf(const std::string& title, const std::string& text);

} // namespace yard::ctl
