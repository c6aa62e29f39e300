// A link's connection on one end of a socket pair, and the other end as bytes, for a test that is the other side.
#pragma once

#include "core/base/unique_fd.h"
#include "core/linkio/link_connection.h"
#include "core/linkio/streams.h"
#include "tests/coro/coro_test.h"

#include <QtTest>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace yard::linkio::test {

using namespace std::chrono_literals;

/// Two ends, the second one non-blocking.
struct Ends {
    UniqueFd ours;
    UniqueFd theirs;
    Ends() {
        std::array<int, 2> fds{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) != 0)
            qFatal("socketpair");
        ours = UniqueFd(fds[0]);
        theirs = UniqueFd(fds[1]);
    }
};

/// All that can be read now.
inline std::string readAll(const UniqueFd& fd) {
    std::string all;
    std::array<char, 65536> room;
    for (;;) {
        const ssize_t n = ::read(fd.get(), room.data(), room.size());
        if (n <= 0) return all;
        all.append(room.data(), static_cast<std::size_t>(n));
    }
}
inline bool isAtEnd(const UniqueFd& fd) {
    char byte = 0;
    const ssize_t n = ::read(fd.get(), &byte, 1);
    return n == 0 || (n < 0 && errno != EAGAIN);
}

/// Writes down what comes.
class NotingSink : public FrameSink {
public:
    coro::Task<bool> frameCame(const link::Frame& frame) override {
        log += fmt::format("{}:{}:{} ", frame.kind, frame.id, frame.body.size());
        if (hold) co_await hold->wait();
        if (onFrame) onFrame();
        co_return accepts;
    }
    void roomForBulk() override { ++rooms; }

    std::string log;
    coro::Event* hold = nullptr; ///< each frame waits for it
    std::function<void()> onFrame;
    bool accepts = true;
    int rooms = 0;
};

struct LinkRig {
    explicit LinkRig(LinkLimits limits = {})
        : stream(*socketStream(rig.loop, std::move(ends.ours)))
        , connection(*stream, sink, limits) {}

    ~LinkRig() { rig.loop.shutdown(); }
    LinkRig(const LinkRig&) = delete;
    LinkRig& operator=(const LinkRig&) = delete;

    /// Begins; `end` has how it went when it is over.
    void begin() { end = rig.begin(connection.run()); }
    void settle() { rig.settle(); }
    /// The other side sends this, all that goes.
    std::size_t say(std::string_view bytes) {
        const ssize_t n = ::write(ends.theirs.get(), bytes.data(), bytes.size());
        settle();
        return n < 0 ? 0 : static_cast<std::size_t>(n);
    }
    /// What the other side was sent.
    std::string hear() {
        std::string all;
        for (;;) {
            settle();
            const std::string more = readAll(ends.theirs);
            if (more.empty()) return all;
            all += more;
        }
    }
    /// How it ended: "" while it has not.
    std::string ended() {
        settle();
        return *end ? std::string(name(**end)) : std::string();
    }

    coro::test::Rig rig;
    Ends ends;
    NotingSink sink;
    std::unique_ptr<ByteStream> stream;
    LinkConnection connection;
    coro::test::Rig::Answer<LinkEnd> end;
};

/// Kinds of frames in their order, as "11 6 6".
inline std::string kindsOf(std::string_view bytes) {
    link::FrameReader reader;
    std::string kinds;
    for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 65536))) {
        reader.append(bytes.substr(0, 65536));
        while (const auto frame = reader.next()) {
            if (!kinds.empty()) kinds += ' ';
            kinds += std::to_string(frame->kind);
        }
    }
    return reader.isBroken() || reader.kept() > 0 ? kinds + " and a part" : kinds;
}

} // namespace yard::linkio::test
