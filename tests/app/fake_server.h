// A small scripted HTTP server on a loopback socket: the test says what each request is answered, and reads
// afterwards what was asked. One thread per connection; the handler runs on those threads, so scripts lock what
// they share.
#pragma once

#include "core/base/unique_fd.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace yard::test {

struct FakeRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
    /// "POST /compute/jobs"
    std::string line() const { return method + " " + target; }
};

/// Writes pieces of a chunked body; false once the client is gone.
class FakeStream {
public:
    explicit FakeStream(int fd)
        : fd_(fd) {}
    bool write(std::string_view piece);
    bool clientIsGone() const;

private:
    int fd_;
};

struct FakeReply {
    int status = 200;
    std::string body = "{}";
    /// Instead of `body`: a chunked answer. Returns true to end it properly, false to break the connection.
    std::function<bool(FakeStream&)> stream = {};
    bool close = false; ///< break the connection instead of answering
};

/// An answer that begins, and breaks off once the client has gone.
FakeReply untilGone();

/// Opened once by the test, waited for by scripts (and the other way round): order without sleeping.
class Gate {
public:
    void open();
    /// Fails the process after kWaitMs: a test must not hang.
    void wait();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
};

class FakeServer {
public:
    using Handler = std::function<FakeReply(const FakeRequest&)>;
    explicit FakeServer(Handler handler);
    ~FakeServer();
    int port() const { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    /// What was asked so far, in order of arrival.
    std::vector<FakeRequest> requests() const;
    /// Only the "METHOD target" lines.
    std::vector<std::string> lines() const;
    /// The first request with this line, or an empty one.
    FakeRequest find(std::string_view line) const;
    int connections() const;

private:
    void accept();
    void serve(int fd);

    Handler handler_;
    UniqueFd listener_;
    int port_ = 0;
    mutable std::mutex mutex_;
    std::vector<FakeRequest> requests_;
    std::vector<int> open_;
    std::vector<std::thread> connections_;
    std::thread acceptor_;
    bool stopping_ = false;
};

} // namespace yard::test
