// How long ago a person touched keyboard or mouse, and whether a program has the whole screen, as an X server knows it. libxcb is loaded when it is wanted; where it
// or the server is missing there is none of this.
//
// Owner: one thread. A server that does not answer keeps nobody waiting but for open().
#pragma once

#include "core/base/clock.h"

#include <memory>
#include <optional>

namespace yard::host {

class ScreenIdle {
public:
    /// The server that DISPLAY names. Null: there is none, it does not know, or it is one of Wayland. May block.
    static std::unique_ptr<ScreenIdle> open();
    ~ScreenIdle();
    ScreenIdle(const ScreenIdle&) = delete;
    ScreenIdle& operator=(const ScreenIdle&) = delete;

    /// Nothing: no answer within 100 ms.
    std::optional<Duration> look();
    /// The window that is worked with fills the screen, as the window manager says. Nothing: nobody says, or there is no
    /// answer within 100 ms.
    std::optional<bool> isFullScreen();
    /// The server is gone.
    bool isLost() const;

private:
    struct Xcb;
    explicit ScreenIdle(std::unique_ptr<Xcb> xcb);
    std::unique_ptr<Xcb> xcb_;
};

} // namespace yard::host
