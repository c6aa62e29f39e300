// One TLS connection without its socket: bytes from the peer in, bytes for the peer out, and what was said in between.
// TLS 1.3 only. For a server and for a client, with sockets that block and with those that do not.
//
// Owner: who owns the socket; one thread. Lifetime: as the connection. Bounds: it keeps what was fed and not yet read,
// so feed only what read() or handshake() asked for, at most kMostFed at once; what was written waits in output() until
// it is taken. A peer that sends kMostUnsaid and says nothing by it has failed: each new key that it asks for is work
// and an answer, which nobody takes out of output() while there is nothing to write.
#pragma once

#include "core/base/error.h"
#include "core/tls/identity.h"
#include "core/tls/trust.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;

namespace yard::tls {

class Session {
public:
    static constexpr std::size_t kMostFed = 16 * 1024;
    /// Of one write(): what fits one record.
    static constexpr std::size_t kMostWritten = 16 * 1024;
    /// Of what was fed since the last byte that was read. One record is a quarter of it at most, a long chain of
    /// certificates less than half.
    static constexpr std::size_t kMostUnsaid = 64 * 1024;

    enum class Step : unsigned char {
        Done,
        NeedsMore, ///< feed() what the peer sends, after output() was sent
        Ended,     ///< the peer has said goodbye
        Failed     ///< failure() says why; output() may have an alert for the peer
    };

    /// Null: out of memory.
    static std::unique_ptr<Session> serve(const Identity& identity);
    /// Internal: TLS cannot be set up.
    static Result<std::unique_ptr<Session>> connect(Trust trust);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void feed(std::string_view bytes);
    Step handshake();
    /// Done: at least one byte was read into `into`.
    Step read(std::span<char> into, std::size_t& count);
    /// All of at most kMostWritten bytes, after the handshake. Done or Failed.
    Step write(std::string_view bytes);
    /// Goodbye, into output().
    void close();
    /// What read() would find in what was fed, without reading it.
    enum class Peer : unsigned char { Silent, Spoke, Gone };
    Peer peek();
    /// What is to be sent, once.
    std::string output();

    /// One sentence.
    const std::string& failure() const { return failure_; }
    /// A client's: of the server, as soon as it has shown its certificate; empty before.
    const std::string& peerFingerprint() const { return peerFingerprint_; }
    /// A client's: nothing but the trust in the server is missing.
    bool isMistrusted() const { return mistrusted_; }

private:
    struct Ssl;
    explicit Session(std::unique_ptr<Ssl> ssl);
    static int verify(void* store, void* self);
    Step stepOf(int result);

    std::unique_ptr<Ssl> ssl_;
    Trust trust_;
    std::string failure_;
    std::string peerFingerprint_;
    std::size_t unsaid_ = 0;
    bool mistrusted_ = false;
    bool failed_ = false;
};

} // namespace yard::tls
