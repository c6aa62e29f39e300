// Sockets of a loop, on Asio's plain executor type, and the operations that nearly everybody needs. Heavy: include
// it where bytes are moved, not in headers of others. Owner: the loop's OS thread. Lifetime: a socket ends before
// its loop. Errors are returned, not thrown.
#pragma once

#include "core/coro/async_op.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <span>
#include <utility>

namespace yard::coro {

using Executor = boost::asio::io_context::executor_type;
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using TcpAcceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Executor>;
using UnixSocket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, Executor>;
using UnixAcceptor = boost::asio::basic_socket_acceptor<boost::asio::local::stream_protocol, Executor>;
using StreamFd = boost::asio::posix::basic_stream_descriptor<Executor>;

/// What an operation moved before it ended.
struct Moved {
    ErrorCode error;
    std::size_t bytes = 0;
};

namespace detail {

inline bool wouldBlock(const ErrorCode& error) {
    return error == boost::asio::error::would_block || error == boost::asio::error::try_again;
}

} // namespace detail

/// At least one byte, or an error; boost::asio::error::eof at the end. Tries at once first, which saves a turn of
/// the loop, and counts that against the thread's selfishness. Sets the stream non-blocking.
template<class Stream>
Task<Moved> readSome(Stream& stream, std::span<char> buffer) {
    Moved moved;
    if (!stream.non_blocking()) stream.non_blocking(true, moved.error); // the setter is a system call each time
    if (moved.error) co_return moved;
    checkInterrupt();
    moved.bytes = stream.read_some(boost::asio::buffer(buffer.data(), buffer.size()), moved.error);
    if (!detail::wouldBlock(moved.error)) {
        co_await giveWayIfSelfish();
        co_return moved;
    }
    auto [error, bytes] = co_await asyncOp<IoSignature>("read", [&](auto handler) {
        stream.async_read_some(boost::asio::buffer(buffer.data(), buffer.size()), std::move(handler));
    });
    co_return Moved{error, bytes};
}

/// All of `bytes`, or an error and how many went before it. Tries at once first, as readSome.
template<class Stream>
Task<Moved> writeAll(Stream& stream, std::span<const char> bytes) {
    Moved moved;
    if (!stream.non_blocking()) stream.non_blocking(true, moved.error); // the setter is a system call each time
    if (moved.error) co_return moved;
    checkInterrupt();
    moved.bytes = stream.write_some(boost::asio::buffer(bytes.data(), bytes.size()), moved.error);
    const bool full = detail::wouldBlock(moved.error);
    if ((moved.error && !full) || moved.bytes == bytes.size()) {
        co_await giveWayIfSelfish();
        co_return moved;
    }
    auto [error, rest] = co_await asyncOp<IoSignature>("write", [&](auto handler) {
        boost::asio::async_write(stream,
                                 boost::asio::buffer(bytes.data() + moved.bytes, bytes.size() - moved.bytes),
                                 std::move(handler));
    });
    co_return Moved{error, moved.bytes + rest};
}

/// The next connection. EMFILE and ENFILE come back as errors: wait a little and try again.
template<class Acceptor>
auto accept(Acceptor& acceptor) -> Task<
    std::pair<ErrorCode, typename Acceptor::protocol_type::socket::template rebind_executor<Executor>::other>> {
    using Socket = typename Acceptor::protocol_type::socket::template rebind_executor<Executor>::other;
    auto [error, socket] = co_await asyncOp<void(ErrorCode, Socket)>(
        "accept", [&](auto handler) { acceptor.async_accept(std::move(handler)); });
    co_return std::pair<ErrorCode, Socket>(error, std::move(socket));
}

template<class Socket>
Task<ErrorCode> connect(Socket& socket, typename Socket::endpoint_type peer) {
    auto [error] = co_await asyncOp<DoneSignature>(
        "connect", [&](auto handler) { socket.async_connect(peer, std::move(handler)); });
    co_return error;
}

} // namespace yard::coro
