// What a service manager (systemd) is told: that the engine serves, that it lives, that it ends. Datagrams as in
// sd_notify(3), by hand: the library is not to be had for the static program that other machines are sent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace yard::app {

/// Owner: main; what is told may be told from any thread. One per process: it is named in the environment.
class ServiceManager {
public:
    /// Takes it out of the environment, so that no action sees it. Before the first thread.
    static ServiceManager fromEnvironment();

    /// Started by hand there is none, and all is said to nobody.
    bool isThere() const { return !socket_.empty(); }
    /// Within this it wants to hear that the engine lives; nothing: it does not ask.
    std::optional<std::chrono::microseconds> patience() const { return patience_; }

    // Each waits a second at most for a manager that does not read, then it is not told.
    void serving(std::string_view url) const;
    void alive() const;
    void ending() const;

private:
    void tell(std::string_view lines) const;

    std::string socket_; ///< a path, or a name that begins with '@'
    std::optional<std::chrono::microseconds> patience_;
};

} // namespace yard::app
