#include "core/http/upgraded_stream.h"

#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/linkio/streams.h"

#include <exception>
#include <sys/socket.h>

namespace yard::http {

namespace {

/// The connection must not see a stream that is gone.
class CurrentStream {
public:
    CurrentStream(UpgradedStream*& slot, UpgradedStream& stream)
        : slot_(slot) {
        slot_ = &stream;
    }
    CurrentStream(const CurrentStream&) = delete;
    CurrentStream& operator=(const CurrentStream&) = delete;
    ~CurrentStream() { slot_ = nullptr; }

private:
    UpgradedStream*& slot_;
};

} // namespace

UpgradedStream::UpgradedStream(coro::TcpSocket& socket, TlsChannel* tls)
    : socket_(socket)
    , tls_(tls) {
    linkio::tuneSocket(socket.native_handle());
}

coro::Task<std::size_t> UpgradedStream::read(std::span<char> into) {
    if (tls_) co_return co_await tls_->read(into);
    const coro::Moved moved = co_await coro::readSome(socket_, into);
    co_return moved.error ? 0 : moved.bytes;
}

coro::Task<bool> UpgradedStream::write(std::string_view bytes) {
    while (!bytes.empty()) {
        std::string_view part = bytes.substr(0, tls::Session::kMostWritten);
        bytes.remove_prefix(part.size());
        if (tls_) {
            if (!tls_->encrypt(part)) co_return false;
            part = tls_->takeOutput();
        }
        const coro::Moved moved = co_await coro::writeAll(socket_, part);
        if (moved.error) co_return false;
    }
    co_return true;
}

void UpgradedStream::close() {
    ::shutdown(socket_.native_handle(), SHUT_RDWR);
}

coro::Task<void> runStream(coro::TcpSocket& socket, TlsChannel* tls, std::string_view path, StreamHandler& handler,
                           UpgradedStream*& current) {
    UpgradedStream stream(socket, tls);
    const CurrentStream guard(current, stream);
    try {
        co_await handler.serve(stream);
    } catch (const coro::LostError&) {
        // The engine went away.
    } catch (const std::exception& problem) {
        logError("http", "{}: {}", path, problem.what());
    }
}

} // namespace yard::http
