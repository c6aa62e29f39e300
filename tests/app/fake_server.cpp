#include "tests/app/fake_server.h"
#include "tests/support/waiting.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yard::test {

namespace {

bool sendAll(int fd, std::string_view data) {
    while (!data.empty()) {
        const ssize_t n = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
        if (n <= 0) return false;
        data.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool receiveMore(int fd, std::string& buffer) {
    char piece[65536];
    const ssize_t n = ::recv(fd, piece, sizeof piece, 0);
    if (n <= 0) return false;
    buffer.append(piece, static_cast<std::size_t>(n));
    return true;
}

void parseHead(std::string_view head, FakeRequest& request) {
    const std::size_t end = head.find("\r\n");
    const std::string_view first = head.substr(0, end);
    const std::size_t space = first.find(' ');
    request.method = first.substr(0, space);
    request.target = first.substr(space + 1, first.rfind(' ') - space - 1);
    std::string_view rest = head.substr(end + 2);
    while (!rest.empty()) {
        const std::size_t stop = std::min(rest.find("\r\n"), rest.size());
        const std::string_view line = rest.substr(0, stop);
        rest.remove_prefix(std::min(stop + 2, rest.size()));
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) continue;
        std::string name(line.substr(0, colon));
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        request.headers[name] = line.substr(colon + 2);
    }
}

/// The next request on a connection; nothing when the client left.
std::optional<FakeRequest> receive(int fd, std::string& buffer) {
    std::size_t end = std::string::npos;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
        if (!receiveMore(fd, buffer)) return std::nullopt;
    FakeRequest request;
    parseHead(std::string_view(buffer).substr(0, end), request);
    buffer.erase(0, end + 4);
    const auto length = request.headers.find("content-length");
    const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
    while (buffer.size() < size)
        if (!receiveMore(fd, buffer)) return std::nullopt;
    request.body = buffer.substr(0, size);
    buffer.erase(0, size);
    return request;
}

/// False when the connection is over.
bool answer(int fd, const FakeReply& reply, bool isHead) {
    if (reply.close) return false;
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nContent-Type: application/json\r\n";
    if (!reply.stream) {
        head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n";
        return sendAll(fd, isHead ? head : head + reply.body);
    }
    if (!sendAll(fd, head + "Transfer-Encoding: chunked\r\n\r\n")) return false;
    FakeStream stream(fd);
    return reply.stream(stream) && sendAll(fd, "0\r\n\r\n");
}

} // namespace

bool FakeStream::write(std::string_view piece) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    return sendAll(fd_, std::string(size) + std::string(piece) + "\r\n");
}

FakeReply untilGone() {
    return {.stream = [](FakeStream& stream) {
        stream.write("x");
        stream.clientIsGone();
        return false;
    }};
}

bool FakeStream::clientIsGone() const {
    pollfd probe{fd_, POLLIN | POLLRDHUP, 0};
    ::poll(&probe, 1, kWaitMs);
    return (probe.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void Gate::open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
}

void Gate::wait() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [this] { return open_; })) return;
    std::fputs("a gate of the test was never opened\n", stderr);
    std::abort();
}

FakeServer::FakeServer(Handler handler)
    : handler_(std::move(handler))
    , listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), generic, length) != 0 || ::listen(listener_.get(), 64) != 0) std::abort();
    ::getsockname(listener_.get(), generic, &length);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
}

FakeServer::~FakeServer() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& t : connections_) t.join();
    for (const int fd : open_) ::close(fd);
}

void FakeServer::accept() {
    while (true) {
        const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return;
        const std::scoped_lock lock(mutex_);
        open_.push_back(fd);
        if (stopping_) return;
        connections_.emplace_back([this, fd] { serve(fd); });
    }
}

void FakeServer::serve(int fd) {
    std::string buffer;
    while (auto request = receive(fd, buffer)) {
        {
            const std::scoped_lock lock(mutex_);
            requests_.push_back(*request);
        }
        if (!answer(fd, handler_(*request), request->method == "HEAD")) break;
    }
    // Closed at the end of the server only: until then the number stays ours.
    ::shutdown(fd, SHUT_RDWR);
}

std::vector<FakeRequest> FakeServer::requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
}

std::vector<std::string> FakeServer::lines() const {
    std::vector<std::string> out;
    for (const FakeRequest& r : requests()) out.push_back(r.line());
    return out;
}

FakeRequest FakeServer::find(std::string_view line) const {
    for (FakeRequest& r : requests())
        if (r.line() == line) return r;
    return {};
}

int FakeServer::connections() const {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(open_.size());
}

} // namespace yard::test
