// A WebSocket as its handler sees it: messages in, messages out, over a connection that was an HTTP request before.
// Framing, pings, size limits, UTF-8 and the closing handshake are below (web_socket.cpp, Boost.Beast); compression
// is off. Nothing here knows of sockets.
//
// Owner: the http thread; a WebSocket lives while its handler serves it. One thread reads, one (it may be another)
// sends or closes. Bounds: Limits says how long a message may be, how long silence and a stalled write may last.
#pragma once

#include "core/coro/task.h"
#include "core/http/message.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

enum class CloseCode : std::uint16_t { Normal = 1000, GoingAway = 1001, TryAgainLater = 1013 };

class WebSocket {
public:
    struct Message {
        std::string bytes;
        bool isText = true; ///< then it is UTF-8
    };
    virtual ~WebSocket() = default;
    /// The next message, whole; nothing when the connection is over: closed by either side, broken rules (the peer
    /// was told which), or silence.
    virtual coro::Task<std::optional<Message>> read() = 0;
    /// One text message. False when the connection is over or the peer takes nothing for too long; then cut() it.
    /// `text` stays until it returns.
    virtual coro::Task<bool> send(std::string_view text) = 0;
    /// Says goodbye and waits a little for the answer; read() ends then.
    virtual coro::Task<void> close(CloseCode code, std::string_view reason) = 0;
    /// Ends the connection without a word; read() and send() end.
    virtual void cut() = 0;
    /// Called once when the server stops; on the http thread, must not suspend.
    void onStop(std::function<void()> call) { onStop_ = std::move(call); }
    /// For the connection: the server stops.
    void stop() {
        if (onStop_) std::exchange(onStop_, nullptr)();
    }

private:
    std::function<void()> onStop_;
};

/// What is wrong with a request that wants to become a WebSocket; nothing when it may.
std::optional<Response> refuseUpgrade(const RequestHead& head);

} // namespace yard::http
