// The real programs as their users start them: `yardmaster --headless` on a directory of its own, callers of its
// API, and a look at every process that came of it.
//
// Everything lives below one Place, whose path is in the environment or the command line of each process that an
// engine of it starts: that is how strays are found, whatever they did to their session, group or parent. One
// thread at a time per object; each wait has a limit.
#pragma once

#include "core/base/unique_fd.h"
#include "tests/http/raw_client.h"
#include "tests/support/show_strings.h"
#include "tests/support/waiting.h"

#include <QTemporaryDir>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::torture {

/// How much of something a variable of the environment asks for, at least 1; `usual` where it says no such number.
int numberFrom(const char* variable, int usual);

/// A directory with the engine's data directory, a working directory for actions, and `nap`, a copy of sleep(1).
class Place {
public:
    /// `where`: an existing directory, for a disk of the test's own; empty: a temporary one.
    explicit Place(std::string where = {});
    std::string path(std::string_view name = {}) const;
    std::string data() const { return path("data"); }
    std::string work() const { return path("work"); }
    std::string nap() const { return path("work/nap"); }
    /// What an engine or its launcher said on stderr, of all that ran here.
    std::string errors() const;

private:
    QTemporaryDir dir_;
    std::string path_;
};

/// Living processes of the place (zombies do not count), but for `except`.
std::vector<int> processesOf(const Place& place, int except = 0);
/// "1234 (sh -c …), …", for messages.
std::string describe(const std::vector<int>& pids);
std::string fileText(const std::string& path);
void writeText(const std::string& path, std::string_view text);

/// An exec of `sh -c script` in the working directory, as JSON. `more` begins with a comma.
std::string shJson(const Place& place, std::string_view script, std::string_view more = {});
std::string jsonText(std::string_view text);

/// The outcome of one request. Status 0: the connection ended, or nothing came in time.
struct Answer {
    int status = 0;
    std::string body;
    boost::json::object json() const;
    std::int64_t number(std::string_view member) const; ///< -1 when absent
    std::string text(std::string_view member) const;    ///< "" when absent
    std::string shown() const { return fmt::format("{} {}", status, body); }
};

/// One keep-alive connection to the API, made again when it was lost.
class Caller {
public:
    Caller(std::uint16_t port, std::string token);
    Answer call(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view fields = {});
    Answer get(std::string_view target) { return call("GET", target); }
    Answer post(std::string_view target, std::string_view body = {}, std::string_view fields = {}) {
        return call("POST", target, body, fields);
    }
    /// The action's result once it has one; status 202 when it has none within the limit.
    Answer result(std::int64_t lsn, int limitSeconds = 60);
    /// The request as it goes over the wire, for clients with worse manners.
    std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                        std::string_view fields = {}) const;

private:
    std::uint16_t port_;
    std::string token_;
    std::optional<http::RawClient> client_;
};

class Yardmaster {
public:
    struct Options {
        std::vector<std::string> arguments{}; ///< after --headless, --data-dir and --listen
        std::vector<std::string> wrapper{};   ///< words before the program: a tracer, a limit
        std::string listen = "127.0.0.1:0";
        std::string dataDir{}; ///< empty: the place's
    };
    explicit Yardmaster(const Place& place)
        : Yardmaster(place, Options{}) {}
    Yardmaster(const Place& place, Options options);
    /// Kills what still runs.
    ~Yardmaster();
    Yardmaster(const Yardmaster&) = delete;
    Yardmaster& operator=(const Yardmaster&) = delete;

    /// True once it has said where it listens; false when it ended or took too long.
    bool isServing(int limitMs = 60'000);
    std::uint16_t port() const { return port_; }
    Caller caller() const;

    int pid() const { return pid_; }
    /// The engine's launcher; 0 when there is none now.
    int launcherPid() const;
    void signal(int number) const;
    /// SIGKILL, and gone.
    void kill();
    /// The exit code, 128 + signal when one ended it, -1 when it still runs after the limit.
    int exitCode(int limitMs = 60'000);
    /// SIGTERM, then its exit code.
    int stop();
    /// What this one said on stderr.
    std::string errors() const;
    /// Exit code and words of a start that is to fail: "3 yardmaster: the data directory … is in use …".
    std::string failure();

private:
    std::string dataDir_;
    std::string errorFile_;
    pid_t pid_ = -1;
    std::optional<int> exit_;
    UniqueFd out_;
    std::string said_;
    std::uint16_t port_ = 0;
};

} // namespace yard::torture
