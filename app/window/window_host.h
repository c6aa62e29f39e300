// Between the program yardmaster and the module with its window, which is loaded only when one is shown: so a
// headless engine needs no Qt. Both are built together; nothing of this is stable.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace yard::app {

/// An engine that can be shown.
struct Served {
    std::string url; ///< with the prefix: "http://127.0.0.1:8640/compute"
    std::string token;
    std::string fingerprint{}; ///< that it shows by TLS; empty: plain HTTP, or not known here
    bool embedded = false;     ///< ends with the window
    std::string dataDir{};     ///< empty: it is not known here
    std::string tokenFile{};   ///< that was named for it; empty: none
};

/// What the window is told, from any thread, any time after `listening` was called.
struct WindowListener {
    std::function<void(Served)> serving;
    std::function<void(std::string sentence)> failed; ///< no engine: says it, then ends
    std::function<void()> quit;                       ///< ends without asking
};

struct WindowHost {
    /// Called once on the ui thread when the window can be told. Must not block.
    std::function<void(WindowListener)> listening;
    /// How many files the programs that the window starts may open; 0: as many as this process. The module has what core/
    /// remembers once more for itself, and does not know it.
    std::uint64_t openFiles = 0;
};

/// The module's one function: shows the window and returns when it was closed.
using RunWindow = int (*)(int argc, char** argv, const WindowHost& host);
inline constexpr const char* kRunWindow = "yardmasterRunWindow";
inline constexpr const char* kWindowModule = "yardmaster_window.so";

} // namespace yard::app
