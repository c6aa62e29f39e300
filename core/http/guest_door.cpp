#include "core/http/guest_door.h"

#include "core/base/log.h"
#include "core/base/unique_fd.h"
#include "core/coro/loop.h"
#include "core/coro/thread_group.h"
#include "core/engine/guests/guests.h"
#include "core/linkio/streams.h"

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <sys/socket.h>
#include <utility>

namespace yard::http {

namespace {

constexpr std::size_t kPiece = 16u << 10;

/// Until either ends; then both are closed.
coro::Task<void> pump(linkio::ByteStream& from, linkio::ByteStream& to) {
    std::array<char, kPiece> room{};
    for (;;) {
        const std::size_t count = co_await from.read(room);
        if (count == 0) break;
        const bool written = co_await to.write({room.data(), count});
        if (!written) break;
    }
    from.close();
    to.close();
}

} // namespace

coro::Task<void> GuestDoor::serve(linkio::ByteStream& stream, LinkOpener opener) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        logWarning("http", "a link from {} is not taken: {}", opener.peer,
                   failErrno("socketpair", errno).error().message);
        co_return stream.close();
    }
    UniqueFd own(ends[0]);
    auto theirs = std::make_shared<UniqueFd>(ends[1]);
    auto inner = linkio::socketStream(coro::currentLoop(), std::move(own));
    if (!inner) co_return stream.close();
    const bool taken = co_await engine_.ask(&engine::Guests::came, std::move(opener.key), std::move(opener.peer),
                                            std::move(theirs));
    if (!taken) co_return stream.close();
    coro::ThreadGroup other;
    other.spawn("from a yard", pump(stream, **inner));
    std::exception_ptr trouble;
    try {
        co_await pump(**inner, stream);
    } catch (...) {
        trouble = std::current_exception();
    }
    (*inner)->close();
    co_await other.stop();
    if (trouble) std::rethrow_exception(trouble);
}

} // namespace yard::http
