// What a link goes over: sockets, TLS, the standard streams of a process.
//
// Owner: the loop that they are made for. Lifetime: they end before it. What they are given they close.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/coro/loop.h"
#include "core/linkio/byte_stream.h"
#include "core/tls/session.h"

#include <memory>

namespace yard::linkio {

/// Of what has not been sent yet the kernel takes so much at most, over TCP: what it has cannot be overtaken.
inline constexpr int kUnsentBytes = 128 * 1024;
/// For a socket of a link.
void tuneSocket(int fd);

/// A connected socket: TCP, or of the unix family. Io.
Result<std::unique_ptr<ByteStream>> socketStream(coro::Loop& loop, UniqueFd socket);
/// What is read from one and written to another: stdin and stdout. They become non-blocking, which whoever shares
/// them sees. SIGPIPE is to be ignored. Io.
Result<std::unique_ptr<ByteStream>> descriptorStream(coro::Loop& loop, UniqueFd in, UniqueFd out);
/// TLS over another one, of either side, after its handshake. Invalid: the other side is not who it has to be; `field` is
/// the fingerprint that it showed. Io: it
/// was not done within `limit`, or the other side left or broke the rules.
coro::Task<Result<std::unique_ptr<ByteStream>>> tlsStream(std::unique_ptr<ByteStream> below,
                                                          std::unique_ptr<tls::Session> session, Duration limit);

} // namespace yard::linkio
