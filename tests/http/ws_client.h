// A WebSocket client that sends whatever frames a test wants and takes apart what comes. Blocking with a limit on
// every wait; one thread at a time.
#pragma once

#include "tests/http/raw_client.h"

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace yard::http {

struct WsFrame {
    bool fin = false;
    int opcode = -1; ///< -1: the connection ended or nothing came in time
    std::string payload;
    bool ended() const { return opcode < 0; }
    /// "close 1002", "text", "ping", …; what a test compares.
    std::string printed() const;
};

class WsClient {
public:
    static constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";

    /// Connects and asks for `target`; `answer` is what came. Fields that are given replace the usual ones; an
    /// empty value leaves the field out.
    WsClient(std::uint16_t port, const std::string& token, std::string_view target = "/compute/events",
             std::vector<std::pair<std::string, std::string>> fields = {}, int receiveBufferBytes = 0);
    static std::string request(std::uint16_t port, const std::string& token, std::string_view target,
                               std::vector<std::pair<std::string, std::string>> fields = {},
                               std::string_view method = "GET");
    RawAnswer answer;

    /// The next frame as it is, control frames too.
    WsFrame frame();
    /// The next one that is no text: what the engine tells of itself may come in between.
    WsFrame control();
    /// The next text frame; pings are answered on the way. An object without members when the connection ends.
    boost::json::object next();
    /// Reads until an object for which `holds`; false when the connection ends first.
    bool nextUntil(const std::function<bool(const boost::json::object&)>& holds);
    /// Reads what comes up to a closing frame and answers that: "close 1001". "ended" without one.
    std::string closing();

    bool send(std::string_view text) { return sendFrame(1, text); }
    bool sendFrame(int opcode, std::string_view payload, bool fin = true, bool masked = true, int reserved = 0);
    bool sendRaw(std::string_view bytes) { return raw_.send(bytes); }
    RawClient& raw() { return raw_; }

private:
    bool fill(std::size_t bytes);
    RawClient raw_;
    std::string in_;
};

} // namespace yard::http
