// A web server for webhooks, on an address of this machine: answers each request as a test says, or not at all.
#pragma once

#include "core/base/unique_fd.h"

#include <QtTest>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace yard::engine::test {

class HookServer {
public:
    /// The bytes of an answer; nothing: the connection stays open and silent.
    using Answer = std::function<std::optional<std::string>(const std::string& request)>;

    explicit HookServer(Answer answer, const char* address = "127.0.0.1")
        : answer_(std::move(answer))
        , address_(address)
        , listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        ::inet_pton(AF_INET, address, &at.sin_addr);
        socklen_t size = sizeof at;
        const bool isUp = ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0 &&
                          ::listen(listener_.get(), 16) == 0 &&
                          ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0;
        if (!isUp) qFatal("no server at %s", address);
        port_ = ntohs(at.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~HookServer() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        thread_.join();
    }
    HookServer(const HookServer&) = delete;
    HookServer& operator=(const HookServer&) = delete;

    std::string url(const std::string& target = "/hook") const {
        return fmt::format("http://{}:{}{}", address_, port_, target);
    }
    std::vector<std::string> requests() const {
        const std::scoped_lock lock(mutex_);
        return requests_;
    }
    static std::string status(int code, const std::string& more = {}) {
        return fmt::format("HTTP/1.1 {} X\r\nContent-Length: 0\r\n{}\r\n", code, more);
    }

private:
    void serve() {
        std::vector<UniqueFd> silent; // until the end
        for (;;) {
            UniqueFd peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!peer) return;
            const std::string request = readRequest(peer.get());
            {
                const std::scoped_lock lock(mutex_);
                requests_.push_back(request);
            }
            const auto answer = answer_(request);
            if (!answer) {
                silent.push_back(std::move(peer));
                continue;
            }
            (void)::send(peer.get(), answer->data(), answer->size(), MSG_NOSIGNAL);
        }
    }
    /// Head, and as much of a body as it says.
    static std::string readRequest(int fd) {
        std::string request;
        std::size_t whole = std::string::npos;
        std::string buffer(4'096, '\0');
        while (request.size() < whole) {
            const ssize_t count = ::read(fd, buffer.data(), buffer.size());
            if (count <= 0) break;
            request.append(buffer, 0, static_cast<std::size_t>(count));
            const std::size_t head = request.find("\r\n\r\n");
            const std::size_t length = request.find("Content-Length: ");
            if (head == std::string::npos || length == std::string::npos) continue;
            whole = head + 4 + std::stoul(request.substr(length + 16));
        }
        return request;
    }

    Answer answer_;
    std::string address_;
    UniqueFd listener_;
    int port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

} // namespace yard::engine::test
