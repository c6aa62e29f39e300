// The engine as the commands see it: finds it, sends requests below the prefix, turns answers into JSON or an Error
// with the engine's own sentence. One thread uses an Engine at a time (interrupt() from any); another thread takes
// its own by another().
#pragma once

#include "app/yardctl/http_client.h"
#include "core/base/error.h"
#include "core/base/thread_mutex.h"

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

namespace json = boost::json;

struct GlobalOptions {
    std::optional<std::string> url{};
    std::optional<std::string> tokenFile{};
    std::optional<std::string> dataDir{};
    bool json = false;
    bool insecure = false; ///< plain HTTP to another machine
};

struct Location {
    Endpoint endpoint;
    std::string token;
};
/// By --url, else by the files `address` and `token` of the data directory. Reads files, does not connect. A token
/// that was not named for it goes to this machine only.
Result<Location> locate(const GlobalOptions& options);
/// A command line to be typed for the same data directory, in quotes: `words`, --data-dir where it was given, `behind`.
std::string typedFor(const GlobalOptions& options, std::vector<std::string> words,
                     const std::vector<std::string>& behind = {});
/// Of an engine by TLS that neither a pin nor an authority vouches for: asks at a terminal whether its fingerprint is to
/// be trusted from now on, and writes it down. Connects. Forbidden: it is not.
Result<void> introduce(Endpoint& endpoint);

/// A successful answer: the object, and the text it came as (what --json prints).
struct Answer {
    unsigned status = 200;
    std::string text;
    json::object object;
};

struct Call {
    std::string method = "GET";
    std::string path;                                  ///< below the prefix, without a leading slash: "jobs/12"
    std::string body = {};                             ///< empty sends none
    std::string_view contentType = "application/json"; ///< of the body
    std::string idempotencyKey = {};
    std::string_view accept = {}; ///< the type of the answer; empty: as the route has it
    std::chrono::milliseconds silence{30'000};
};

/// Nobody is there, or who is there leaves or has just come: an engine that restarts answers in a moment.
bool isGone(const Error& error);

class Engine {
public:
    explicit Engine(GlobalOptions options)
        : options_(std::move(options)) {}

    /// Whether one can be connected to: NotFound when none serves the data directory, or nobody answers where it
    /// did.
    Result<void> reach();
    /// Connection errors (Io), and every answer that is no success as its Error: kind by status, `need` and
    /// `index`.
    Result<Answer> call(const Call& call);
    Result<Answer> get(std::string path) { return call({.method = "GET", .path = std::move(path)}); }
    Result<Answer> post(std::string path, std::string body = {}) {
        return call({.method = "POST", .path = std::move(path), .body = std::move(body)});
    }
    Result<Answer> remove(std::string path) { return call({.method = "DELETE", .path = std::move(path)}); }
    /// As call(), but an engine that was there before is looked for during kPatience when it cannot be reached:
    /// it may be restarting, and what it has accepted it will run.
    Result<Answer> callPatiently(const Call& call);
    /// The body of GET `path` to `sink`; silence 0 waits forever between bytes.
    Result<void> stream(const std::string& path, std::chrono::milliseconds silence, const BodySink& sink) {
        return stream({.method = "GET", .path = path, .silence = silence}, sink);
    }
    Result<void> stream(const Call& call, const BodySink& sink);
    /// PUT of `size` bytes from the start of an open file, as patiently as callPatiently().
    Result<void> putFile(const std::string& path, int fd, std::uint64_t size);

    /// No answer is waited for beyond this time and kLastAnswer, no lost engine looked for beyond it.
    void giveUpAt(std::chrono::steady_clock::time_point when) { giveUpAt_ = when; }
    /// For another thread: same engine, own connection, no time to give up at.
    std::unique_ptr<Engine> another() const;
    /// Any thread: what is under way and everything later fails at once.
    void interrupt();
    bool isInterrupted() const;
    /// An engine has answered: what was not found then is not the engine.
    bool wasReached() const { return reached_; }
    const GlobalOptions& options() const { return options_; }

private:
    Result<std::shared_ptr<HttpClient>> client();
    Result<HttpResponse> send(const Call& call, const BodySink* sink, int bodyFile = -1,
                              std::uint64_t bodySize = 0);
    std::string explain(const Error& error) const;
    void lose();
    template<class Ask>
    auto patiently(Ask ask) -> decltype(ask());

    const GlobalOptions options_;
    std::string url_; ///< of the engine last talked to, for messages
    std::string prefix_;
    std::optional<std::chrono::steady_clock::time_point> giveUpAt_;
    bool isAnswered_ = false;          ///< the last request was, whatever the answer says
    std::atomic<bool> reached_{false}; ///< there was one; another() may read it from any thread
    mutable ThreadMutex mutex_;        ///< against interrupt()
    std::shared_ptr<HttpClient> client_ YARD_GUARDED_BY(mutex_);
    bool interrupted_ YARD_GUARDED_BY(mutex_) = false;
};

/// For how long a lost engine is looked for before a waiting command gives up.
inline constexpr std::chrono::seconds kPatience{30};
/// For how long after Engine::giveUpAt() an answer may still be on its way.
inline constexpr std::chrono::seconds kLastAnswer{2};

} // namespace yard::ctl
