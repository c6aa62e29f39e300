// Many at once: idle connections, long polls, half-sent requests, with everybody else served and memory bounded;
// and an output of gigabytes through the engine, in and out, against the same bytes written to a plain file.
//
//   bench_crowd [--connections N] [--gigabytes N] [YARDMASTER]     (default: 10,000 and 4)
#include "core/base/clock.h"
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::bench;

namespace {

constexpr long kProbes = 2'000;
constexpr long kHalfOpen = 500;
constexpr std::size_t kBodies = 16;
constexpr long kPieceBytes = 64L << 20; ///< of random bytes, given out again and again

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_crowd: {}\n", why);
    std::exit(1);
}

double megabytes(int pid) {
    return static_cast<double>(residentBytes(pid)) / 1e6;
}

/// Connections that all send the same and are read together.
class Crowd {
public:
    Crowd(std::uint16_t port, long count)
        : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (long i = 0; i < count; ++i) {
            const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
                die(fmt::format("connection {}: {}", i, std::strerror(errno)));
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.fd = fd;
            ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
            fds_.push_back(fd);
        }
    }
    ~Crowd() {
        for (const int fd : fds_) ::close(fd);
        ::close(epoll_);
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    void send(const std::string& text) const {
        for (const int fd : fds_)
            if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
                die("a connection takes nothing");
    }
    /// How many got an answer with this status within `seconds`. Answers are small: one read each. Once.
    long receive(const char* status, double seconds) const {
        const MonoTime from = MonoClock::now();
        long good = 0;
        for (long answered = 0; answered < static_cast<long>(fds_.size()) && secondsSince(from) < seconds;) {
            std::array<epoll_event, 256> events;
            const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 100);
            for (int i = 0; i < n; ++i) {
                std::array<char, 16384> buffer;
                const int fd = events[static_cast<std::size_t>(i)].data.fd;
                const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
                ++answered;
                if (got > 12 && std::string_view(buffer.data() + 9, 3) == status) ++good;
                ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr); // what may follow is the end
            }
        }
        return good;
    }

private:
    int epoll_;
    std::vector<int> fds_;
};

/// The highest RSS of a process until it is told to stop.
class Peak {
public:
    explicit Peak(int pid)
        : thread_([this, pid](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                most_ = std::max(most_, megabytes(pid));
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        }) {}
    double take() {
        thread_.request_stop();
        thread_.join();
        return most_;
    }

private:
    double most_ = 0;
    std::jthread thread_;
};

/// What somebody else's requests take meanwhile, in milliseconds.
std::string probe(const Server& server) {
    const std::string text = request("GET", "/compute/session", server.token(), "");
    std::vector<double> times;
    for (long i = 0; i < kProbes; ++i) {
        const MonoTime from = MonoClock::now();
        drive(server.port(), 1, 1, [&](long) -> const std::string& { return text; });
        times.push_back(secondsSince(from) * 1e3);
    }
    std::ranges::sort(times);
    return fmt::format("others' answers p50 {:.2f} p99 {:.2f} most {:.1f} ms", times[times.size() / 2],
                       times[times.size() * 99 / 100], times.back());
}

void rowIdle(const Server& server, long count) {
    const double before = megabytes(server.pid());
    const Crowd crowd(server.port(), count);
    crowd.send(request("GET", "/version", server.token(), ""));
    const long answered = crowd.receive("200", 60);
    const double during = megabytes(server.pid());
    fmt::print("{} connections: {} answered; {:.1f} KB each, RSS {:.1f} MB; {}\n", count, answered,
               (during - before) * 1e3 / static_cast<double>(count), during, probe(server));
    std::fflush(stdout);
}

void rowHalfOpen(const Server& server) {
    const Crowd crowd(server.port(), kHalfOpen);
    crowd.send("GET /version HTTP/1.1\r\nHost: loc");
    const std::string others = probe(server);
    const MonoTime from = MonoClock::now();
    const long cut = crowd.receive("408", 30);
    fmt::print("{} half-sent requests: {} told so (408) after {:.1f} s; {}\n", kHalfOpen, cut, secondsSince(from),
               others);
    std::fflush(stdout);
}

void rowPolls(const Server& server, long count) {
    const std::string held = R"({"worker":"exec","argv":["/bin/true"],"cwd":"/","hold":true})";
    const std::string made = ask(server.port(), request("POST", "/compute/jobs", server.token(), held));
    const std::string lsn = made.substr(7, made.find(',') - 7); // {"lsn":N,
    const double before = megabytes(server.pid());
    const Crowd crowd(server.port(), count);
    crowd.send(request("GET", "/compute/jobs/" + lsn + "?wait=300", server.token(), ""));
    const std::string others = probe(server); // after all have been read: it waits its turn
    const double during = megabytes(server.pid());
    ask(server.port(), request("POST", "/compute/jobs/" + lsn + "/release", server.token(), ""));
    const MonoTime from = MonoClock::now();
    const long answered = crowd.receive("200", 60);
    fmt::print("{} long polls: {:.1f} KB each, RSS {:.1f} MB; {} answered {:.2f} s after the release; {}\n", count,
               (during - before) * 1e3 / static_cast<double>(count), during, answered, secondsSince(from), others);
    std::fflush(stdout);
}

/// Sends a gibibyte in pieces without a length, as far as it is taken. Returns the status of the answer.
std::string gibibyte(const Server& server) {
    const int fd = connectTo(server.port());
    std::string head = request("POST", "/compute/jobs", server.token(), "");
    head.replace(head.find("Content-Length: 0"), 17, "Transfer-Encoding: chunked");
    std::string piece = "100000\r\n" + std::string(1u << 20, ' ') + "\r\n";
    bool taken = ::send(fd, head.data(), head.size(), MSG_NOSIGNAL) > 0;
    for (int i = 0; i < 1024 && taken; ++i)
        for (std::size_t sent = 0; sent < piece.size() && taken;) {
            std::array<char, 1> some;
            if (::recv(fd, some.data(), 1, MSG_PEEK | MSG_DONTWAIT) == 1) taken = false; // the answer is there
            const ssize_t n = taken ? ::send(fd, piece.data() + sent, piece.size() - sent, MSG_NOSIGNAL) : 0;
            taken = n > 0;
            sent += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        }
    std::array<char, 13> status{};
    const ssize_t got = ::recv(fd, status.data(), status.size() - 1, MSG_WAITALL);
    ::close(fd);
    return got == 12 ? std::string(status.data() + 9) : "cut";
}

void rowBodies(const Server& server) {
    const double before = megabytes(server.pid());
    Peak peak(server.pid());
    std::vector<std::string> ends(kBodies);
    {
        std::vector<std::jthread> senders;
        for (std::string& end : ends) senders.emplace_back([&] { end = gibibyte(server); });
    }
    std::ranges::sort(ends);
    std::string told;
    for (const std::string& end : ends) told += " " + end;
    fmt::print("{} bodies of a gibibyte at once:{}; RSS from {:.1f} to at most {:.1f} MB; {}\n", kBodies, told,
               before, peak.take(), probe(server));
    std::fflush(stdout);
}

/// Seconds for the bytes of an answer to come, and how many there were.
std::pair<double, std::uint64_t> download(const Server& server, const std::string& path) {
    const int fd = connectTo(server.port());
    std::string text = request("GET", path, server.token(), "");
    text.insert(text.find("\r\n") + 2, "Connection: close\r\n");
    const MonoTime from = MonoClock::now();
    if (::send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) die("cannot send");
    std::vector<char> buffer(1u << 20);
    std::uint64_t bytes = 0;
    for (ssize_t n = 0; (n = ::recv(fd, buffer.data(), buffer.size(), 0)) > 0;)
        bytes += static_cast<std::uint64_t>(n);
    ::close(fd);
    return {secondsSince(from), bytes};
}

/// A file of random bytes: nothing that compression could help with.
std::string randomFile(const std::string& directory) {
    const std::string path = directory + "/piece";
    std::ifstream random("/dev/urandom", std::ios::binary);
    std::ofstream out(path, std::ios::binary);
    std::vector<char> bytes(1u << 20);
    for (long done = 0; done < kPieceBytes; done += static_cast<long>(bytes.size())) {
        random.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    return path;
}

struct Cost {
    double seconds = 0;
    double cpu = 0;
};

Cost plainOutput(const std::string& command, const std::string& file) {
    const double cpu = cpuSeconds();
    const MonoTime from = MonoClock::now();
    if (std::system(("sh -c '" + command + "' > " + file).c_str()) != 0) die("the plain run failed");
    const Cost cost{.seconds = secondsSince(from), .cpu = cpuSeconds() - cpu};
    std::filesystem::remove(file);
    ::sync(); // so that its dirty pages are not the next one's
    return cost;
}

void rowOutput(const Server& server, const std::string& directory, long gigabytes) {
    const double bytes = static_cast<double>(gigabytes) * static_cast<double>(1L << 30);
    const std::string piece = randomFile(directory);
    const std::string command =
        fmt::format("for i in $(seq {}); do cat {}; done", gigabytes * ((1L << 30) / kPieceBytes), piece);
    const Cost plain = plainOutput(command, directory + "/plain");
    const double before = megabytes(server.pid());
    Peak writing(server.pid());
    const std::string body =
        fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"],"cwd":"/","deadline_s":3600}})", command);
    const int launcher = childNamed("yard-launcher", server.pid());
    const auto used = [&] { return processSeconds(server.pid()) + cpuSeconds(launcher); };
    const double cpu = used();
    const MonoTime from = MonoClock::now();
    const std::string end = ask(server.port(), request("POST", "/compute/jobs?wait=300", server.token(), body));
    const double seconds = secondsSince(from);
    const double most = writing.take();
    const double engineCpu = used() - cpu;
    if (end.find("\"state\":\"completed\"") == std::string::npos) die("the output failed: " + end);
    const std::string lsn = end.substr(7, end.find(',') - 7);
    Peak reading(server.pid());
    const auto [readSeconds, got] = download(server, "/compute/jobs/" + lsn + "/stdout");
    fmt::print("output of {} GiB: {:.0f} MB/s with {:.2f} s of CPU, a plain file {:.0f} MB/s with {:.2f} s, ratio "
               "{:.2f}; RSS from {:.1f} to at most {:.1f} MB; read back whole: {}, {:.0f} MB/s, RSS at most {:.1f} "
               "MB\n",
               gigabytes, bytes / seconds / 1e6, engineCpu, bytes / plain.seconds / 1e6, plain.cpu,
               plain.seconds / seconds, before, most, static_cast<double>(got) >= bytes ? "yes" : "NO",
               bytes / readSeconds / 1e6, reading.take());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    double wanted = 10'000;
    double size = 4;
    const std::string program = programFrom(argc, argv, {{"--connections", wanted}, {"--gigabytes", size}});
    const auto connections = static_cast<long>(wanted);
    const auto gigabytes = static_cast<long>(size);
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max; // the engine has as many
    ::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < static_cast<rlim_t>(connections) + 512)
        die(fmt::format("only {} files may be open; raise ulimit -Hn, or give --connections", files.rlim_cur));
    const ScratchDirectory scratch("bench_crowd");
    const Server server(program, scratch.path() + "/crowd");
    rowIdle(server, connections);
    rowHalfOpen(server);
    rowPolls(server, connections);
    rowBodies(server);
    rowOutput(server, scratch.path(), gigabytes);
    return 0;
}
