// What an operator does with a million actions queued, against the program as its users start it: `why`, pages of
// GET jobs, hold, reprioritise, cancel. Meanwhile another client asks for one action, for the session, and submits:
// its slowest answer counts. Beside it stands for how long the machine did not let a sleeping thread go on: what
// others do there is not the engine's.
//
//   bench_million [--million N] [YARDMASTER]     (default: `yardmaster` beside this program)
#include "core/base/clock.h"
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace yard;

namespace {

constexpr double kMostWhyMillis = 1;
constexpr double kMostPageMillis = 20;
constexpr double kMostBulkSeconds = 2;
constexpr double kMostOtherMillis = 50;
constexpr long kGroup = 500;

class Client {
public:
    explicit Client(const bench::Server& server)
        : server_(server) {}
    std::string call(const char* method, const std::string& path, const std::string& body = "") const {
        return bench::ask(server_.port(), bench::request(method, "/compute/" + path, server_.token(), body));
    }
    /// The number after `"name":`; -1 without one.
    static long number(const std::string& json, const std::string& name) {
        const std::size_t at = json.find("\"" + name + "\":");
        if (at == json.npos) return -1;
        long value = -1;
        const char* begin = json.data() + at + name.size() + 3;
        std::from_chars(begin, json.data() + json.size(), value);
        return value;
    }
    const bench::Server& server() const { return server_; }

private:
    const bench::Server& server_;
};

std::string action(long i, const char* more = "") {
    return fmt::format(R"({{"worker":"exec","argv":["/bin/true","{}"],"cwd":"/","label":"album {}"{}}})", i,
                       i % 1000, more);
}

/// Asks in turn, all the time, until it is destroyed; keeps the slowest answer.
class Bystander {
public:
    Bystander(const Client& client, long lsn)
        : client_(client)
        , sleeper_([this] {
            while (!ended_) {
                const MonoTime from = MonoClock::now();
                ::usleep(1'000);
                stoodStill_ = std::max(stoodStill_, bench::secondsSince(from) * 1e3 - 1);
            }
        })
        , thread_([this, lsn] {
            const std::string job = fmt::format("jobs/{}", lsn);
            while (!ended_) {
                ask("GET", "session", "");
                ask("GET", job, "");
                ask("POST", "jobs", action(0, R"(,"hold":true)"));
                ::usleep(1'000);
            }
        }) {}
    ~Bystander() {
        ended_ = true;
        if (thread_.joinable()) thread_.join();
        if (sleeper_.joinable()) sleeper_.join();
    }
    /// "p50 0.3 ms, most 12.1 ms of 512".
    std::string end() {
        ended_ = true;
        thread_.join();
        sleeper_.join();
        std::ranges::sort(millis_);
        if (millis_.empty()) return "nothing asked";
        return fmt::format(
            "others {} answers, p50 {:.1f} ms, p99 {:.1f} ms, most {:.1f} ms (at most {:.0f}; the machine "
            "stood still for {:.1f} ms)",
            millis_.size(), millis_[millis_.size() / 2], millis_[millis_.size() * 99 / 100], millis_.back(),
            kMostOtherMillis, stoodStill_);
    }

private:
    void ask(const char* method, const std::string& path, const std::string& body) {
        const MonoTime from = MonoClock::now();
        (void)client_.call(method, path, body);
        millis_.push_back(bench::secondsSince(from) * 1e3);
    }
    const Client& client_;
    std::atomic<bool> ended_{false};
    std::vector<double> millis_; ///< the thread's until it has ended
    double stoodStill_ = 0;      ///< the sleeper's until it has ended
    std::thread sleeper_;
    std::thread thread_;
};

void fill(const Client& client, long count) {
    std::vector<std::string> texts;
    for (long i = 0; i < 40 * kGroup; i += kGroup) {
        std::string list = "[";
        for (long k = 0; k < kGroup; ++k) list += (k ? "," : "") + action(i + k);
        texts.push_back(bench::request("POST", "/compute/jobs", client.server().token(), list + "]"));
    }
    bench::drive(client.server().port(), 4, count / kGroup,
                 [&](long i) -> const std::string& { return texts[static_cast<std::size_t>(i) % texts.size()]; });
}

/// Milliseconds of the slowest of some answers; what is said of it beside.
void pages(const Client& client, const char* title, const std::string& query) {
    double worst = 0;
    long looks = 0;
    long rows = 0;
    std::string cursor;
    // The first page, and on until it is full as yardctl goes on.
    do {
        const MonoTime from = MonoClock::now();
        const std::string page =
            client.call("GET", "jobs?limit=100&" + query + (cursor.empty() ? "" : "&cursor=" + cursor));
        worst = std::max(worst, bench::secondsSince(from) * 1e3);
        ++looks;
        for (std::size_t at = page.find("{\"lsn\":"); at != page.npos; at = page.find("{\"lsn\":", at + 1)) ++rows;
        const std::size_t at = page.find("\"cursor\":\"");
        cursor = at == page.npos ? "" : page.substr(at + 10, page.find('"', at + 10) - at - 10);
    } while (!cursor.empty() && rows < 100 && looks < 1'000);
    fmt::print("  {:<34} {:>4} rows in {:>4} answers, slowest {:6.1f} ms (at most {:.0f})\n", title, rows, looks,
               worst, kMostPageMillis);
    std::fflush(stdout);
}

void allPages(const Client& client, const char* title) {
    fmt::print("pages of 100, {}:\n", title);
    pages(client, "newest", "");
    pages(client, "oldest", "sort=lsn");
    pages(client, "state:pending", "state=pending");
    pages(client, "state:cancelled", "state=cancelled");
    pages(client, "state:completed (none)", "state=completed");
    pages(client, "queue:0", "queue=0");
    pages(client, "one label of 1,000", "label=album%207");
    pages(client, "a label of nobody", "label=nobody");
    pages(client, "a label of the oldest 500", "label=album%20499&sort=lsn");
    pages(client, "worker:exec", "worker=exec");
    pages(client, "cpu>50 (none)", "q=cpu%3E50");
    pages(client, "free text of nobody", "q=nothing-has-this");
    for (const char* field : {"state", "queue", "worker", "label", "-finished", "waited", "-max_rss_bytes"})
        pages(client, fmt::format("by {}", field).c_str(), fmt::format("sort={}", field));
    pages(client, "by -label, once more", "sort=-label");
    pages(client, "by -label, nothing having changed", "sort=-label");
    pages(client, "one label of 1,000, by finished", "label=album%207&sort=finished");
}

void why(const Client& client, long first, long count) {
    std::vector<double> millis;
    for (long i = 0; i < 200; ++i) {
        const std::string path = fmt::format("jobs/{}/why", first + (i * 7919 * 131) % count);
        const MonoTime from = MonoClock::now();
        (void)client.call("GET", path);
        millis.push_back(bench::secondsSince(from) * 1e3);
    }
    std::ranges::sort(millis);
    fmt::print("why over HTTP, of any of {}: p50 {:.2f} ms, most {:.2f} ms (at most {:.0f} in the engine)\n", count,
               millis[millis.size() / 2], millis.back(), kMostWhyMillis);
}

void bulk(const Client& client, long lsn, const char* title, const char* method, const char* path,
          const std::string& body) {
    Bystander others(client, lsn);
    ::usleep(50'000);
    const double cpu = bench::processSeconds(client.server().pid());
    const MonoTime from = MonoClock::now();
    const std::string answer = client.call(method, path, body);
    const double seconds = bench::secondsSince(from);
    fmt::print("{:<28} {:.2f} s (at most {:.0f}) with {:.2f} s of CPU, {} changed; {}\n", title, seconds,
               kMostBulkSeconds, bench::processSeconds(client.server().pid()) - cpu,
               Client::number(answer, "changed"), others.end());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    double wanted = 1e6;
    const std::string program = bench::programFrom(argc, argv, {{"--million", wanted, 1000}});
    const auto million = static_cast<long>(wanted);
    const bench::ScratchDirectory scratch("bench_million");
    const bench::Server server(program, scratch.path() + "/data");
    const Client client(server);
    (void)client.call("POST", "hold");
    const long first = Client::number(client.call("POST", "jobs", action(-1)), "lsn");
    fill(client, million);
    why(client, first, million);
    allPages(client, "all pending");
    bulk(client, first, "hold the queue", "POST", "queues/0/hold", "");
    bulk(client, first, "hold each", "POST", "jobs/hold", R"({"filter":"state:pending"})");
    bulk(client, first, "release each", "POST", "jobs/release", R"({"filter":"state:held"})");
    bulk(client, first, "reprioritise", "PATCH", "jobs", R"({"filter":"state:pending","set":{"priority":7}})");
    bulk(client, first, "reprioritise one label", "PATCH", "jobs",
         R"({"filter":"label:\"album 7\"","set":{"priority":9}})");
    {
        Bystander others(client, first);
        const MonoTime from = MonoClock::now();
        const std::string array =
            R"({"worker":"exec","argv":["/bin/true"],"cwd":"/","hold":true,"array":{"from":1,"to":100000}})";
        (void)client.call("POST", "jobs", array);
        fmt::print("{:<28} {:.2f} s; {}\n", "an array of 100,000", bench::secondsSince(from), others.end());
    }
    bulk(client, first, "cancel", "POST", "jobs/cancel", R"({"filter":"state:pending"})");
    Bystander others(client, first);
    const MonoTime from = MonoClock::now();
    while (Client::number(client.call("GET", "session"), "cancelled") < million && bench::secondsSince(from) < 120)
        ::usleep(20'000);
    fmt::print("{:<28} {:.2f} s after the answer; {}\n", "until the last has ended", bench::secondsSince(from),
               others.end());
    allPages(client, "all cancelled");
    return 0;
}
