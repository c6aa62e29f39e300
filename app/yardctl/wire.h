// One connection, TCP or TLS over it, as a Beast SyncStream over poll(): every wait has a limit and can be ended from another
// thread, which Asio's blocking sockets do not offer. One thread at a time, but for interrupt() and
// isInterrupted().
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/tls/session.h"

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <sys/uio.h>

namespace yard::ctl {

struct Endpoint;

class Wire {
public:
    Wire();

    /// Tries each address of the host; `limit` bounds each try, and each wait of a handshake. Blocks, name look-up
    /// included. Forbidden: it shows another key than the one that is known.
    Result<void> connect(const Endpoint& endpoint, std::chrono::milliseconds limit);
    void close();
    /// Of a server by TLS that connect() did not trust, of which nothing was known; else empty.
    const std::string& strangerFingerprint() const { return stranger_; }
    /// Open, and the other side has neither closed it nor sent anything unasked.
    bool isReusable() const;
    /// Longest wait of one read or write; 0 waits forever.
    void setSilence(std::chrono::milliseconds limit) { silence_ = limit; }
    /// Any thread. Every wait, now and later, ends at once.
    void interrupt();
    bool isInterrupted() const { return interrupted_.load(std::memory_order_relaxed); }
    /// The last failing wait ran into its limit.
    bool timedOut() const { return timedOut_; }
    /// A read or write has failed since connect().
    bool failed() const { return failed_; }
    void writeAll(std::string_view data, boost::system::error_code& ec);

    template<class Buffers>
    std::size_t read_some(const Buffers& buffers, boost::system::error_code& ec) {
        return transfer(buffers, ec, true);
    }
    template<class Buffers>
    std::size_t write_some(const Buffers& buffers, boost::system::error_code& ec) {
        return transfer(buffers, ec, false);
    }
    // Beast's concepts want the throwing forms to exist; nothing calls them.
    template<class Buffers>
    std::size_t read_some(const Buffers& buffers) {
        return throwing([&](auto& ec) { return read_some(buffers, ec); });
    }
    template<class Buffers>
    std::size_t write_some(const Buffers& buffers) {
        return throwing([&](auto& ec) { return write_some(buffers, ec); });
    }

private:
    static constexpr std::size_t kMaxVectors = 16;

    template<class Buffers>
    std::size_t transfer(const Buffers& buffers, boost::system::error_code& ec, bool reads) {
        iovec vectors[kMaxVectors];
        std::size_t count = 0;
        const auto end = boost::asio::buffer_sequence_end(buffers);
        for (auto it = boost::asio::buffer_sequence_begin(buffers); it != end && count < kMaxVectors; ++it) {
            const boost::asio::const_buffer piece(*it);
            if (piece.size() > 0) vectors[count++] = {const_cast<void*>(piece.data()), piece.size()};
        }
        return reads ? receive(vectors, count, ec) : transmit(vectors, count, ec);
    }
    template<class Call>
    static std::size_t throwing(Call call) {
        boost::system::error_code ec;
        const std::size_t n = call(ec);
        if (ec) throw boost::system::system_error(ec);
        return n;
    }
    std::size_t receive(iovec* vectors, std::size_t count, boost::system::error_code& ec);
    std::size_t transmit(iovec* vectors, std::size_t count, boost::system::error_code& ec);
    std::size_t receivePlain(iovec* vectors, std::size_t count, boost::system::error_code& ec);
    std::size_t transmitPlain(iovec* vectors, std::size_t count, boost::system::error_code& ec);
    Result<void> shakeHands(const Endpoint& endpoint, std::chrono::milliseconds limit);
    Result<void> explainHandshake(const Endpoint& endpoint);
    /// What the session has to say; and what it waits for.
    bool flush(boost::system::error_code& ec);
    bool feed(boost::system::error_code& ec);
    /// Until the socket has what `events` ask for, the limit passes or interrupt() is called. The events that came;
    /// 0 for the other ends.
    short await(int fd, short events, std::chrono::milliseconds limit);
    bool awaitReadable(boost::system::error_code& ec);
    /// Fails also when the other side, instead of reading on, has answered.
    bool awaitWritable(boost::system::error_code& ec);
    bool gaveUp(int err, boost::system::error_code& ec);
    Result<void> connectTo(int fd, const void* address, unsigned size, std::chrono::milliseconds limit);

    UniqueFd socket_;
    std::unique_ptr<tls::Session> tls_; ///< null: plain
    std::string stranger_;
    UniqueFd wake_; ///< an eventfd that stays readable once interrupted
    std::chrono::milliseconds silence_{0};
    bool timedOut_ = false;
    bool failed_ = false;
    std::atomic<bool> interrupted_{false};
};

} // namespace yard::ctl
