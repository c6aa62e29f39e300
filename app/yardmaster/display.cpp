#include "app/yardmaster/display.h"

#include "core/base/environment.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <dlfcn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>

namespace yard::app {

namespace {

/// xcb knows all the ways an X server is named and let in by. Loaded here, for an engine without a window needs
/// none of it; where it is missing, Qt has no X either.
bool xAnswers() {
    void* library = ::dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto connect = reinterpret_cast<void* (*)(const char*, int*)>(::dlsym(library, "xcb_connect"));
    const auto hasError = reinterpret_cast<int (*)(void*)>(::dlsym(library, "xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<void (*)(void*)>(::dlsym(library, "xcb_disconnect"));
    bool answers = false;
    if (connect && hasError && disconnect) {
        void* connection = connect(nullptr, nullptr);
        answers = hasError(connection) == 0;
        disconnect(connection);
    }
    ::dlclose(library);
    return answers;
}

bool waylandAnswers(const std::string& name) {
    const std::string path = name.starts_with('/') ? name : environmentOrEmpty("XDG_RUNTIME_DIR") + '/' + name;
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.size() >= sizeof address.sun_path) return false;
    std::ranges::copy(path, std::begin(address.sun_path));
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

} // namespace

Display findDisplay() {
    if (!environmentOrEmpty("QT_QPA_PLATFORM").empty()) return {.answers = true, .platform = {}, .silent = {}};
    const std::string x = environmentOrEmpty("DISPLAY");
    const std::string wayland = environmentOrEmpty("WAYLAND_DISPLAY");
    const bool byX = !x.empty() && xAnswers();
    const bool byWayland = !wayland.empty() && waylandAnswers(wayland);
    // Between two that answer Qt chooses, by the kind of session.
    if (byX || byWayland)
        return {.answers = true, .platform = byX && byWayland ? "" : byX ? "xcb" : "wayland", .silent = {}};
    return {.answers = false, .platform = {}, .silent = x.empty() ? wayland : x};
}

} // namespace yard::app
