// Whether a window can be shown here. A variable that names a display is no display: over ssh, in a service or
// after the session has ended it names one that does not answer, and Qt ends the program then. Main thread, before
// any other.
#pragma once

#include <string>

namespace yard::app {

struct Display {
    bool answers = false;
    std::string platform; ///< Qt's name of the one to use; empty: Qt finds it
    std::string silent;   ///< what is named and does not answer: ":77", "wayland-0"; empty when none is named
};

/// Asks the X server of DISPLAY and the compositor of WAYLAND_DISPLAY. With QT_QPA_PLATFORM it is Qt's affair.
/// Blocks as long as connecting to them takes.
Display findDisplay();

} // namespace yard::app
