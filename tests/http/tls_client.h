// A client that speaks TLS by hand: what it sends and what it makes of what comes is seen. Blocking with a limit on
// every wait; one thread at a time.
#pragma once

#include "core/tls/session.h"
#include "tests/http/raw_client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

class TlsClient {
public:
    /// Connects and shakes hands; `isOpen` says whether that went well.
    TlsClient(std::uint16_t port, std::string fingerprint)
        : raw_(port)
        , session_(
              std::move(*tls::Session::connect({.fingerprint = std::move(fingerprint), .host = "127.0.0.1"}))) {
        using Step = tls::Session::Step;
        Step step = session_->handshake();
        while (step == Step::NeedsMore) {
            flush();
            if (!feedSome()) return;
            step = session_->handshake();
        }
        flush();
        open_ = step == Step::Done;
    }

    bool isOpen() const { return open_; }
    tls::Session& session() { return *session_; }
    RawClient& raw() { return raw_; }

    bool send(std::string_view text) {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, tls::Session::kMostWritten);
            text.remove_prefix(part.size());
            if (session_->write(part) != tls::Session::Step::Done || !flush()) return false;
        }
        return true;
    }
    /// Reads until what came has `text`; false at the end or after the limit.
    bool receiveUntil(std::string_view text) {
        while (!said_.contains(text))
            if (!readSome()) return false;
        return true;
    }
    /// Reads to the end of what the server says: whether it said goodbye.
    bool isToldGoodbye() {
        while (readSome()) {
        }
        return ended_;
    }
    /// All that came.
    const std::string& said() const { return said_; }
    void sayGoodbye() {
        session_->close();
        flush();
    }

private:
    bool flush() {
        const std::string bytes = session_->output();
        return bytes.empty() || raw_.send(bytes);
    }
    bool feedSome() {
        if (waiting_.empty()) waiting_ = raw_.receiveSome();
        const std::string_view part = std::string_view(waiting_).substr(0, tls::Session::kMostFed);
        session_->feed(part);
        const bool some = !part.empty();
        waiting_.erase(0, part.size());
        return some;
    }
    bool readSome() {
        for (;;) {
            std::array<char, 4096> room;
            std::size_t count = 0;
            const auto step = session_->read(room, count);
            if (step == tls::Session::Step::Done) {
                said_.append(room.data(), count);
                return true;
            }
            ended_ = step == tls::Session::Step::Ended;
            if (step != tls::Session::Step::NeedsMore || !feedSome()) return false;
        }
    }

    RawClient raw_;
    std::unique_ptr<tls::Session> session_;
    std::string waiting_; ///< came, and not fed yet
    std::string said_;
    bool open_ = false;
    bool ended_ = false;
};

} // namespace yard::http
