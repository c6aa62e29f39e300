// A client that sends whatever bytes a test wants and reads answers as they come: HTTP without manners.
// Blocking with a limit on every wait; one thread at a time.
#pragma once

#include "core/base/unique_fd.h"
#include "tests/support/waiting.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

struct RawAnswer {
    int status = 0; ///< 0: the connection ended or nothing came in time
    std::string head;
    std::string body;
    std::string field(std::string_view name) const; ///< "" when absent
};

class RawClient {
public:
    explicit RawClient(std::uint16_t port, int receiveBufferBytes = 0);
    bool isConnected() const { return static_cast<bool>(fd_); }
    /// False when the server has closed or takes nothing for the limit.
    bool send(std::string_view bytes);
    /// How many bytes went before the server stopped taking them for `quietMs`.
    std::size_t sendUntilFull(std::string_view bytes, std::size_t atMost, int quietMs);
    /// The next answer, whole. `bodyless`: it answers a HEAD.
    RawAnswer receive(bool bodyless = false);
    /// The next bytes as they come; empty at the end or after the limit.
    std::string receiveSome();
    /// Waits until what came and is not yet part of an answer has `text`; false at the end or after the limit.
    bool receiveUntil(std::string_view text);
    /// Bytes received and not yet part of an answer.
    std::string_view rest() const { return in_; }
    /// The server closes within the limit; what came before it is dropped.
    bool isClosedByServer();
    /// Nothing comes for `ms`, and the connection stays.
    bool isQuiet(int ms);
    void finishSending();
    void setLimitMs(int ms) { limitMs_ = ms; }
    void close() { fd_.reset(); }

private:
    bool more();
    std::optional<std::string> takeChunked();
    UniqueFd fd_;
    std::string in_;
    int limitMs_ = kWaitMs;
};

/// A whole exchange on a connection of its own.
RawAnswer exchange(std::uint16_t port, std::string_view bytes);

} // namespace yard::http
