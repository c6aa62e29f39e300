#include "tests/app/relay.h"

#include "core/base/files.h"

#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <list>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace yard::test {

namespace {

sockaddr_in here(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

struct Pair {
    UniqueFd near;
    UniqueFd far;
};

/// False: one of them has closed.
bool passOn(int from, int to) {
    std::array<char, 65536> bytes{};
    const ssize_t n = ::read(from, bytes.data(), bytes.size());
    return n > 0 && writeAll(to, {bytes.data(), static_cast<std::size_t>(n)});
}

} // namespace

Relay::Relay(std::uint16_t to)
    : to_(to)
    , listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    , stop_(::eventfd(0, EFD_CLOEXEC)) {
    const sockaddr_in address = here(0);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 16) != 0)
        std::abort();
    thread_ = std::thread([this] { pass(); });
}

std::string Relay::url() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port));
}

void Relay::cut() {
    if (!thread_.joinable()) return;
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
    listener_.reset();
}

void Relay::pass() {
    std::list<Pair> pairs;
    for (;;) {
        std::vector<pollfd> wait = {{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
        for (const Pair& pair : pairs) {
            wait.push_back({pair.near.get(), POLLIN, 0});
            wait.push_back({pair.far.get(), POLLIN, 0});
        }
        ::poll(wait.data(), wait.size(), -1);
        if (wait[0].revents != 0) return;
        std::size_t at = 2;
        for (auto pair = pairs.begin(); pair != pairs.end(); at += 2) {
            const bool open = (wait[at].revents == 0 || passOn(pair->near.get(), pair->far.get())) &&
                              (wait[at + 1].revents == 0 || passOn(pair->far.get(), pair->near.get()));
            pair = open ? std::next(pair) : pairs.erase(pair);
        }
        if (wait[1].revents == 0) continue;
        Pair pair{.near = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
                  .far = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
        const sockaddr_in address = here(to_);
        if (::connect(pair.far.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            pairs.push_back(std::move(pair));
    }
}

} // namespace yard::test
