// A metadata service on the test's own loop. It notes what it was asked, answers what the test says, and keeps those
// waiting who wait for a change.
#pragma once

#include "core/coro/net.h"
#include "core/coro/sync.h"
#include "core/coro/thread_group.h"
#include "tests/coro/coro_test.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yard::cloud::test {

class MetadataMock {
public:
    struct Reply {
        unsigned status = 200;
        std::string body{};
        std::string headers{}; ///< lines with \r\n
    };

    MetadataMock(coro::test::Rig& rig, const char* address, std::uint16_t port)
        : acceptor_(rig.loop.io(), {boost::asio::ip::make_address(address), port}) {
        threads_.spawn(rig.loop, "mock", serve());
        rig.settle();
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    coro::Task<void> stop() { return threads_.stop(); }

    /// By path, without what follows `?`.
    std::map<std::string, Reply, std::less<>> replies;
    std::vector<std::string> asked; ///< heads of the requests
    std::string raw{};              ///< sent in place of any answer
    bool isMute = false;            ///< takes connections and says nothing

    /// Who waits for a change gets an answer now.
    void change() { changed_.notifyAll(); }
    std::size_t count(std::string_view words) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(asked, [&](const std::string& head) { return head.contains(words); }));
    }

private:
    coro::Task<void> serve() {
        while (true) {
            auto [error, socket] = co_await coro::accept(acceptor_);
            if (error) co_return;
            threads_.spawn("mock connection", answer(std::move(socket)));
        }
    }

    coro::Task<void> answer(coro::TcpSocket socket) {
        std::string head;
        std::array<char, 4096> buffer{};
        while (!head.contains("\r\n\r\n")) {
            const auto read = co_await coro::readSome(socket, std::span(buffer));
            if (read.error) co_return;
            head.append(buffer.data(), read.bytes);
        }
        asked.push_back(head);
        if (isMute || head.contains("wait_for_change=true")) co_await changed_.wait();
        const std::size_t begin = head.find(' ') + 1;
        const std::string target = head.substr(begin, head.find(' ', begin) - begin);
        const auto at = replies.find(target.substr(0, target.find('?')));
        const Reply reply = at == replies.end() ? Reply{.status = 404} : at->second;
        const std::string text = raw.empty()
                                     ? fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", reply.status,
                                                   reply.body.size(), reply.headers, reply.body)
                                     : raw;
        co_await coro::writeAll(socket, std::span(text));
    }

    coro::TcpAcceptor acceptor_;
    coro::ConditionVariable changed_;
    coro::ThreadGroup threads_;
};

} // namespace yard::cloud::test
