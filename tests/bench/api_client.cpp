#include "tests/bench/api_client.h"

#include "core/base/files.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace yard::bench {

namespace {

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench: {}\n", why);
    std::exit(1);
}

std::string firstLine(int fd) {
    std::string line;
    for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

/// One connection: an answer is complete when as many bytes as its Content-Length says have come behind its head.
struct Connection {
    int fd = -1;
    std::string in;

    void send(const std::string& text) const {
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t n = ::send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) die(fmt::format("sending: {}", std::strerror(errno)));
            sent += static_cast<std::size_t>(n);
        }
    }
    /// Reads once; true with the body when the answer is complete.
    bool receive(std::string& body) {
        std::array<char, 16384> buffer;
        const ssize_t n = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (n <= 0) die("the server hung up");
        in.append(buffer.data(), static_cast<std::size_t>(n));
        const auto head = in.find("\r\n\r\n");
        if (head == std::string::npos) return false;
        const auto length = in.find("Content-Length: ");
        if (length == std::string::npos || length > head) die("an answer without Content-Length: " + in);
        const auto size = static_cast<std::size_t>(std::atol(in.c_str() + length + 16));
        if (in.size() < head + 4 + size) return false;
        if (in.compare(9, 1, "2") != 0) die("refused: " + in);
        body = in.substr(head + 4, size);
        in.clear();
        return true;
    }
};

} // namespace

std::string programFrom(int argc, char** argv, std::initializer_list<NumberOption> options) {
    std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "yardmaster";
    for (int i = 1; i < argc; ++i) {
        const auto* const option = std::ranges::find(options, std::string_view(argv[i]), &NumberOption::name);
        if (option != options.end() && i + 1 < argc)
            option->value = std::max(option->least, std::atof(argv[++i]));
        else
            program = argv[i];
    }
    return program;
}

int connectTo(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) die("cannot connect");
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

double secondsSince(MonoTime from) {
    return static_cast<double>((MonoClock::now() - from).count()) / 1e6;
}

Server::Server(const std::string& program, const std::string& dataDir) {
    int out[2];
    if (::pipe(out) != 0) die("pipe");
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addclose(&actions, out[0]);
    ::posix_spawn_file_actions_addclose(&actions, out[1]);
    std::vector<std::string> words = {program, "--headless",  "--no-sandbox", "--data-dir",
                                      dataDir, "--listen",    "127.0.0.1:0",  "--capacity",
                                      "2",     "--log-level", "warning"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const MonoTime from = MonoClock::now();
    if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ) != 0)
        die("cannot start " + program);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    const std::string line = firstLine(out[0]);
    startSeconds_ = secondsSince(from);
    ::close(out[0]);
    const auto colon = line.rfind(':');
    if (!line.starts_with("listening on ") || colon == std::string::npos) die("it does not listen: " + line);
    port_ = static_cast<std::uint16_t>(std::atoi(line.c_str() + colon + 1));
    auto token = readFile(dataDir + "/token");
    if (!token) die(token.error().message);
    token_ = *token;
    while (!token_.empty() && token_.back() == '\n') token_.pop_back();
}

void Server::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

Server::~Server() {
    kill();
}

std::string request(const std::string& method, const std::string& path, const std::string& token,
                    const std::string& body) {
    return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n"
                       "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                       method, path, token, body.size(), body);
}

double drive(std::uint16_t port, int connections, long count, const std::function<const std::string&(long)>& text) {
    std::vector<Connection> all(static_cast<std::size_t>(connections));
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].fd = connectTo(port);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].fd, &event);
    }
    const MonoTime from = MonoClock::now();
    long sent = 0;
    for (Connection& connection : all)
        if (sent < count) connection.send(text(sent++));
    std::string body;
    for (long answered = 0; answered < count;) {
        std::array<epoll_event, 64> events;
        const int n = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < n; ++i) {
            Connection& connection = all[events[static_cast<std::size_t>(i)].data.u64];
            if (!connection.receive(body)) continue;
            ++answered;
            if (sent < count) connection.send(text(sent++));
        }
    }
    const double seconds = secondsSince(from);
    for (const Connection& connection : all) ::close(connection.fd);
    ::close(epoll);
    return seconds;
}

std::vector<double> latencies(std::uint16_t port, long count, const std::string& text) {
    Connection connection{connectTo(port), {}};
    std::vector<double> micros;
    std::string body;
    for (long i = 0; i < count; ++i) {
        const MonoTime from = MonoClock::now();
        connection.send(text);
        while (!connection.receive(body)) {
        }
        micros.push_back(secondsSince(from) * 1e6);
    }
    ::close(connection.fd);
    return micros;
}

std::string ask(std::uint16_t port, const std::string& text) {
    Connection connection{connectTo(port), {}};
    connection.send(text);
    std::string body;
    while (!connection.receive(body)) {
    }
    ::close(connection.fd);
    return body;
}

} // namespace yard::bench
