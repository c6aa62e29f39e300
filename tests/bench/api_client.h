// What drives a server in the API rows: the engine as its users start it, and a client that costs little.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace yard::bench {

/// `--name value` of a command line.
struct NumberOption {
    std::string_view name;
    double& value;
    double least = 1;
};
/// Reads the options; another word is the program, `yardmaster` beside this one without it.
std::string programFrom(int argc, char** argv, std::initializer_list<NumberOption> options);

double secondsSince(MonoTime from);
/// A connection to this machine. Ends the program when there is none.
int connectTo(std::uint16_t port);

/// `yardmaster` as a child process on a port of its own; ended with this object.
class Server {
public:
    /// Returns when it listens. Ends the program when it does not.
    Server(const std::string& program, const std::string& dataDir);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int pid() const { return pid_; }
    std::uint16_t port() const { return port_; }
    const std::string& token() const { return token_; }
    double startSeconds() const { return startSeconds_; } ///< from its exec to the line that says it listens
    void kill();

private:
    int pid_ = -1;
    std::uint16_t port_ = 0;
    std::string token_;
    double startSeconds_ = 0;
};

/// A request in HTTP/1.1, whole.
std::string request(const std::string& method, const std::string& path, const std::string& token,
                    const std::string& body);

/// Sends `count` requests over `connections` kept-alive ones, one outstanding on each; `text(i)` is the i-th.
/// Returns seconds. Ends the program at an answer that is not 2xx.
double drive(std::uint16_t port, int connections, long count, const std::function<const std::string&(long)>& text);

/// Sends `text` so often over one connection, each when the answer before is there: microseconds of each.
std::vector<double> latencies(std::uint16_t port, long count, const std::string& text);

/// One request, the body of its answer.
std::string ask(std::uint16_t port, const std::string& text);

/// The limit of one-per-request rows: a Beast server on one thread that reads a request and answers it, nothing
/// else.
class BeastAlone {
public:
    BeastAlone();
    ~BeastAlone();
    std::uint16_t port() const;

private:
    struct Impl;
    Impl* impl_;
};

} // namespace yard::bench
