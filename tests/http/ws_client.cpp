#include "tests/http/ws_client.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

std::string WsFrame::printed() const {
    switch (opcode) {
    case 1: return "text";
    case 2: return "binary";
    case 8:
        if (payload.size() < 2) return "close";
        return fmt::format("close {}",
                           static_cast<unsigned char>(payload[0]) * 256 + static_cast<unsigned char>(payload[1]));
    case 9: return "ping";
    case 10: return "pong";
    default: return opcode < 0 ? "ended" : fmt::format("opcode {}", opcode);
    }
}

std::string WsClient::request(std::uint16_t port, const std::string& token, std::string_view target,
                              std::vector<std::pair<std::string, std::string>> fields, std::string_view method) {
    std::vector<std::pair<std::string, std::string>> usual{{"Host", fmt::format("127.0.0.1:{}", port)},
                                                           {"Authorization", "Bearer " + token},
                                                           {"Upgrade", "websocket"},
                                                           {"Connection", "keep-alive, Upgrade"},
                                                           {"Sec-WebSocket-Version", "13"},
                                                           {"Sec-WebSocket-Key", std::string(kKey)}};
    for (const auto& [name, value] : usual) {
        const bool given = std::ranges::any_of(fields, [&](const auto& field) { return field.first == name; });
        if (!given) fields.emplace_back(name, value);
    }
    std::string text = fmt::format("{} {} HTTP/1.1\r\n", method, target);
    for (const auto& [name, value] : fields)
        if (!value.empty()) text += name + ": " + value + "\r\n";
    return text + "\r\n";
}

WsClient::WsClient(std::uint16_t port, const std::string& token, std::string_view target,
                   std::vector<std::pair<std::string, std::string>> fields, int receiveBufferBytes)
    : raw_(port, receiveBufferBytes) {
    raw_.send(request(port, token, target, std::move(fields)));
    answer = raw_.receive();
}

bool WsClient::fill(std::size_t bytes) {
    while (in_.size() < bytes) {
        const std::string more = raw_.receiveSome();
        if (more.empty()) return false;
        in_ += more;
    }
    return true;
}

WsFrame WsClient::frame() {
    WsFrame frame;
    if (!fill(2)) return frame;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(in_[i])); };
    std::uint64_t size = byte(1) & 127;
    std::size_t head = 2;
    const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!fill(head + more)) return frame;
    if (more > 0) size = 0;
    for (std::size_t i = 0; i < more; ++i) size = size * 256 + byte(head++);
    if (!fill(head + size)) return frame;
    frame.fin = (byte(0) & 128) != 0;
    frame.opcode = static_cast<int>(byte(0) & 15);
    frame.payload = in_.substr(head, size);
    in_.erase(0, head + size);
    return frame;
}

WsFrame WsClient::control() {
    for (;;) {
        WsFrame got = frame();
        if (got.opcode != 1) return got;
    }
}

boost::json::object WsClient::next() {
    for (;;) {
        const WsFrame got = frame();
        if (got.opcode == 9) sendFrame(10, got.payload);
        if (got.ended() || got.opcode == 8) return {};
        if (got.opcode == 1) return boost::json::parse(got.payload).as_object();
    }
}

bool WsClient::nextUntil(const std::function<bool(const boost::json::object&)>& holds) {
    for (;;) {
        const auto object = next();
        if (object.empty()) return false;
        if (holds(object)) return true;
    }
}

std::string WsClient::closing() {
    for (;;) {
        const WsFrame got = frame();
        if (got.ended()) return "ended";
        if (got.opcode != 8) continue;
        sendFrame(8, got.payload);
        return got.printed();
    }
}

bool WsClient::sendFrame(int opcode, std::string_view payload, bool fin, bool masked, int reserved) {
    std::string bytes;
    bytes += static_cast<char>((fin ? 128 : 0) | reserved << 4 | opcode);
    const int mask = masked ? 128 : 0;
    if (payload.size() < 126) {
        bytes += static_cast<char>(mask | static_cast<int>(payload.size()));
    } else {
        const bool isLong = payload.size() > 0xffff;
        bytes += static_cast<char>(mask | (isLong ? 127 : 126));
        for (int shift = isLong ? 56 : 8; shift >= 0; shift -= 8)
            bytes += static_cast<char>(payload.size() >> shift);
    }
    constexpr std::string_view kMask = "\x11\x22\x33\x44";
    if (masked) bytes += kMask;
    for (std::size_t i = 0; i < payload.size(); ++i)
        bytes += masked ? static_cast<char>(payload[i] ^ kMask[i % 4]) : payload[i];
    return raw_.send(bytes);
}

} // namespace yard::http
