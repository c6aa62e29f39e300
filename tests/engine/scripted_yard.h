// A yard that says what a test tells it to, over a real socket: the other side of an engine that was started to join it.
#pragma once

#include "core/base/unique_fd.h"
#include "core/engine/engine.h"
#include "core/engine/guests/guests.h"
#include "core/link/bodies.h"
#include "core/link/frame.h"
#include "tests/engine/engine_test.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace yard::engine::test {

/// What a machine is given to join with.
inline const std::string kJoinSecret(48, 'a');

class ScriptedYard {
public:
    struct Frame {
        std::uint64_t id = 0;
        link::Kind kind = link::Kind::Hello;
        std::string body;
    };

    ScriptedYard() {
        listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
            ::listen(listener_.get(), 4) != 0 ||
            ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
            qFatal("no listener");
        port_ = ntohs(address.sin_port);
    }

    std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

    /// The next connection, up to its request; false: none comes.
    bool accept(int milliseconds = kWaitMs) {
        frames_.clear();
        reader_ = {};
        connection_.reset();
        pollfd wait{listener_.get(), POLLIN, 0};
        if (::poll(&wait, 1, milliseconds) <= 0) return false;
        connection_ = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        head_.clear();
        while (!head_.contains("\r\n\r\n")) {
            std::array<char, 4096> room{};
            const ssize_t count = receive(room);
            if (count <= 0) return false;
            head_.append(room.data(), static_cast<std::size_t>(count));
        }
        return true;
    }
    const std::string& head() const { return head_; }
    void say(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void send(link::Kind kind, const std::string& body, std::uint64_t id = 0) {
        say(link::frameBytes(kind, id, body));
    }
    /// Takes the connection as a link. Its Hello.
    std::optional<link::Hello> link(std::uint32_t leaseSeconds = 120, link::AttemptRefs held = {}) {
        if (!accept()) return std::nullopt;
        say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: yard-link\r\n\r\n");
        link::Hello hello;
        const auto frame = next(link::Kind::Hello);
        if (!frame || !get(frame->body, hello)) return std::nullopt;
        send(link::Kind::Welcome,
             put(link::Welcome{.protocol = link::kProtocol,
                               .runId = "y",
                               .name = "the yard",
                               .leaseSeconds = leaseSeconds,
                               .held = std::move(held)}),
             frame->id);
        return hello;
    }
    void cut() { connection_.reset(); }

    /// The next frame of this kind. Renew is answered while `renews`; what else comes is passed over.
    std::optional<Frame> next(link::Kind kind) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kWaitMs);
        while (std::chrono::steady_clock::now() < until) {
            while (!frames_.empty()) {
                Frame frame = std::move(frames_.front());
                frames_.pop_front();
                if (frame.kind == kind) return frame;
            }
            if (!readSome()) return std::nullopt;
        }
        return std::nullopt;
    }
    std::optional<link::Finished> finished() {
        link::Finished end;
        const auto frame = next(link::Kind::Finished);
        return frame && get(frame->body, end) ? std::optional(end) : std::nullopt;
    }
    /// What it printed to stdout comes to have this, as it is told while it runs.
    bool printed(std::string_view text) {
        send(link::Kind::Follow, put(link::Follow{.id = {.lsn = 7, .attempt = 1}, .isErr = false, .from = 0}));
        std::string all;
        while (const auto frame = next(link::Kind::Updates)) {
            link::Updates updates;
            if (!get(frame->body, updates)) return false;
            for (const link::Update& update : updates)
                if (update.kind == link::UpdateKind::Output) all += update.text;
            if (all.contains(text)) return true;
        }
        return false;
    }
    /// It tells what it uses: first the processor, then memory.
    bool tellsFigures() {
        bool hasCpu = false;
        while (const auto frame = next(link::Kind::Updates)) {
            link::Updates updates;
            if (!get(frame->body, updates)) return false;
            for (const link::Update& update : updates) {
                hasCpu = hasCpu || update.kind == link::UpdateKind::Cpu;
                if (update.kind == link::UpdateKind::Memory && update.number > 0) return hasCpu;
            }
        }
        return false;
    }
    /// How far it is, as it is told to who follows its errors. Nothing: it was not told.
    std::optional<link::Update> toldProgress() {
        send(link::Kind::Follow, put(link::Follow{.id = {.lsn = 7, .attempt = 1}, .isErr = true, .from = 0}));
        while (const auto frame = next(link::Kind::Updates)) {
            link::Updates updates;
            if (!get(frame->body, updates)) return std::nullopt;
            for (const link::Update& update : updates)
                if (update.kind == link::UpdateKind::Progress) return update;
        }
        return std::nullopt;
    }
    /// The machine has ended it.
    bool isClosed() {
        while (readSome()) {
        }
        return !connection_ || ended_;
    }
    bool renews = true;

private:
    ssize_t receive(std::span<char> room) {
        pollfd wait{connection_.get(), POLLIN, 0};
        if (::poll(&wait, 1, kWaitMs) <= 0) return -1;
        const ssize_t count = ::recv(connection_.get(), room.data(), room.size(), 0);
        ended_ = count == 0 || (count < 0 && errno == ECONNRESET);
        return count;
    }
    bool readSome() {
        std::array<char, 16'384> room{};
        const ssize_t count = connection_ ? receive(room) : -1;
        if (count <= 0) return false;
        reader_.append({room.data(), static_cast<std::size_t>(count)});
        while (const auto frame = reader_.next()) {
            const auto kind = static_cast<link::Kind>(frame->kind);
            if (kind == link::Kind::Renew && renews) send(link::Kind::Renewed, {}, frame->id);
            if (kind != link::Kind::Renew)
                frames_.push_back({.id = frame->id, .kind = kind, .body = std::string(frame->body)});
        }
        return true;
    }

    UniqueFd listener_;
    UniqueFd connection_;
    std::uint16_t port_ = 0;
    std::string head_;
    link::FrameReader reader_;
    std::deque<Frame> frames_;
    bool ended_ = false;
};

} // namespace yard::engine::test
