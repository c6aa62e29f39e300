#include "tests/http/raw_client.h"

#include "core/http/message.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yard::http {

std::string RawAnswer::field(std::string_view name) const {
    std::string_view rest = head;
    while (!rest.empty()) {
        const std::size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        const std::size_t colon = line.find(": ");
        if (colon != std::string_view::npos && equalsNoCase(line.substr(0, colon), name))
            return std::string(line.substr(colon + 2));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 2);
    }
    return {};
}

RawClient::RawClient(std::uint16_t port, int receiveBufferBytes)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receiveBufferBytes > 0)
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receiveBufferBytes, sizeof receiveBufferBytes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fd_.reset();
}

bool RawClient::send(std::string_view bytes) {
    return sendUntilFull(bytes, bytes.size(), limitMs_) == bytes.size();
}

std::size_t RawClient::sendUntilFull(std::string_view bytes, std::size_t atMost, int quietMs) {
    std::size_t sent = 0;
    while (sent < atMost) {
        const std::string_view next = bytes.substr(sent % bytes.size());
        const ssize_t n = ::send(fd_.get(), next.data(), next.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            sent += static_cast<std::size_t>(n);
            continue;
        }
        if (errno != EAGAIN) break;
        pollfd wait{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
        if (::poll(&wait, 1, quietMs) <= 0) break;
    }
    return sent;
}

bool RawClient::more() {
    pollfd wait{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (!fd_ || ::poll(&wait, 1, limitMs_) <= 0) return false;
    char buffer[65536];
    const ssize_t n = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    in_.append(buffer, static_cast<std::size_t>(n));
    return true;
}

std::optional<std::string> RawClient::takeChunked() {
    std::string body;
    std::size_t at = 0;
    for (;;) {
        const std::size_t end = in_.find("\r\n", at);
        if (end != std::string::npos) {
            std::size_t size = 0;
            std::from_chars(in_.data() + at, in_.data() + end, size, 16);
            if (in_.size() >= end + 2 + size + 2) {
                body.append(in_, end + 2, size);
                at = end + 2 + size + 2;
                if (size > 0) continue;
                in_.erase(0, at);
                return body;
            }
        }
        if (!more()) return std::nullopt;
    }
}

RawAnswer RawClient::receive(bool bodyless) {
    std::size_t end = 0;
    while ((end = in_.find("\r\n\r\n")) == std::string::npos)
        if (!more()) return {};
    RawAnswer answer;
    answer.head = in_.substr(0, end + 2);
    in_.erase(0, end + 4);
    std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
    if (bodyless || answer.status == 204 || answer.status < 200) return answer;
    if (equalsNoCase(answer.field("Transfer-Encoding"), "chunked")) {
        auto body = takeChunked();
        if (!body) return {};
        answer.body = std::move(*body);
        return answer;
    }
    const std::string length = answer.field("Content-Length");
    if (length.empty()) { // until the end of the connection
        while (more()) {
        }
        answer.body = std::exchange(in_, {});
        return answer;
    }
    const std::size_t size = std::stoull(length);
    while (in_.size() < size)
        if (!more()) return {};
    answer.body = in_.substr(0, size);
    in_.erase(0, size);
    return answer;
}

std::string RawClient::receiveSome() {
    if (in_.empty()) more();
    return std::exchange(in_, {});
}

bool RawClient::receiveUntil(std::string_view text) {
    while (in_.find(text) == std::string::npos)
        if (!more()) return false;
    return true;
}

bool RawClient::isClosedByServer() {
    char buffer[65536];
    for (;;) {
        pollfd wait{.fd = fd_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, limitMs_) <= 0) return false;
        if (::recv(fd_.get(), buffer, sizeof buffer, 0) <= 0) return true;
    }
}

bool RawClient::isQuiet(int ms) {
    pollfd wait{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&wait, 1, ms) == 0;
}

void RawClient::finishSending() {
    ::shutdown(fd_.get(), SHUT_WR);
}

RawAnswer exchange(std::uint16_t port, std::string_view bytes) {
    RawClient client(port);
    client.send(bytes);
    return client.receive();
}

} // namespace yard::http
