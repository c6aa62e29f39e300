// A connection after its answer 101, as bytes of another protocol, by TLS where it has that. Private to core/http.
//
// Owner: the http thread. Lifetime: within the connection, whose socket it leaves open.
#pragma once

#include "core/coro/net.h"
#include "core/http/message.h"
#include "core/http/tls_channel.h"
#include "core/linkio/byte_stream.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace yard::http {

class UpgradedStream final : public linkio::ByteStream {
public:
    /// `tls`: null for plain HTTP.
    UpgradedStream(coro::TcpSocket& socket, TlsChannel* tls);
    coro::Task<std::size_t> read(std::span<char> into) override;
    coro::Task<bool> write(std::string_view bytes) override;
    void close() override;

private:
    coro::TcpSocket& socket_;
    TlsChannel* tls_;
};

/// Lets `handler` serve. `path` is for the log. `current` points to the stream meanwhile.
coro::Task<void> runStream(coro::TcpSocket& socket, TlsChannel* tls, std::string_view path, StreamHandler& handler,
                           UpgradedStream*& current);

} // namespace yard::http
