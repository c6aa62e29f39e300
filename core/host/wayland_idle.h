// Whether a person touches keyboard, mouse or anything else of a Wayland seat, as the compositor says by ext-idle-notify.
// The few messages of the protocol that this takes are spoken here: no library is loaded.
//
// Owner: one thread; nothing here waits. Whatever the compositor sends is checked; one that sends what
// cannot be is left.
#pragma once

#include "core/base/clock.h"
#include "core/base/unique_fd.h"
#include "core/courtesy/person.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::host {

class WaylandIdle {
public:
    /// So long without input, and the compositor says so.
    static constexpr Duration kIdleAfter{1'000'000};

    /// The compositor that WAYLAND_DISPLAY names, below XDG_RUNTIME_DIR. Null: there is none.
    static std::unique_ptr<WaylandIdle> open();

    int fd() const { return socket_.get(); }
    /// Takes what came.
    void process(MonoTime now);
    /// The compositor is gone, or said what cannot be.
    bool isLost() const { return lost_; }
    /// Nothing: it does not know the protocol, has no seat, or nothing is known yet.
    std::optional<courtesy::InputReading> reading(MonoTime now) const;

private:
    explicit WaylandIdle(UniqueFd socket)
        : socket_(std::move(socket)) {}
    void send(std::string_view message);
    void handle(std::uint32_t object, std::uint32_t opcode, std::string_view body, MonoTime now);
    void onGlobal(std::string_view body, MonoTime now);
    void ask(MonoTime now);

    UniqueFd socket_;
    std::string in_;
    std::uint32_t seat_ = 0; ///< the compositor's names of them; 0: not there
    std::uint32_t notifier_ = 0;
    std::optional<MonoTime> asked_;  ///< for the notification
    std::optional<MonoTime> idleAt_; ///< nothing: input comes
    bool isKnown_ = false;
    bool lost_ = false;
};

} // namespace yard::host
