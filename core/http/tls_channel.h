// TLS over the socket of a connection: what the session says goes through the socket of the loop. Private to core/http.
//
// Owner: the http thread. Lifetime: as the connection, after its socket. One reader and one writer at a time. Bounds: a
// piece of at most tls::Session::kMostFed is read at once, and one of kMostWritten encrypted.
#pragma once

#include "core/coro/net.h"
#include "core/coro/sync.h"
#include "core/tls/session.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace yard::http {

class TlsChannel {
public:
    using Step = tls::Session::Step;
    enum class Greeting : unsigned char {
        Done,
        Over, ///< the peer left, broke the rules, or does not trust this server
        Plain ///< what came is no TLS
    };

    TlsChannel(coro::TcpSocket& socket, std::unique_ptr<tls::Session> session)
        : socket_(socket)
        , session_(std::move(session)) {}

    /// `turns`: of those that compute between two looks at the kernel.
    coro::Task<Greeting> greet(coro::Semaphore& turns);
    /// What was said; 0 at the end, or where the peer broke the rules.
    coro::Task<std::size_t> read(std::span<char> into);
    /// Adds to what is to be sent; false: the session is over.
    bool encrypt(std::string_view piece);
    /// What is to be sent, until the next call.
    std::string_view takeOutput() { return output_ = session_->output(); }
    /// Goodbye, as far as the socket takes it now.
    void close();
    /// Looks at what has come. Not while something is being read.
    bool peerGone();

    // For operations of Asio, which are no coroutines.
    std::span<char> input() { return input_; }
    Step decrypt(std::size_t came, std::span<char> into, std::size_t& count);

private:
    coro::Task<Step> shakeHands(coro::Semaphore& turns);
    coro::Task<bool> sendOutput();
    coro::Task<std::size_t> receive();

    coro::TcpSocket& socket_;
    std::unique_ptr<tls::Session> session_;
    std::array<char, tls::Session::kMostFed> input_;
    std::string output_;
};

} // namespace yard::http
