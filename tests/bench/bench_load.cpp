// Submissions, polls, watchers, lists and cancels for as long as asked, at half of what the engine can do. Ends
// with 1 when an action was lost, memory grew, or an answer took over a second that the machine had not stood still
// for.
//
//   bench_load [--minutes M] [--rate ACTIONS_PER_SECOND] [YARDMASTER]     (default: 5 minutes, half of capacity)
#include "tests/bench/api_client.h"
#include "tests/bench/load_record.h"
#include "tests/bench/usage.h"
#include "tests/http/ws_client.h"

#include <atomic>
#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace yard;
using namespace yard::bench;
using http::RawAnswer;
using http::RawClient;
using http::WsClient;
namespace json = boost::json;

namespace {

constexpr int kSubmitters = 4;
constexpr int kPollers = 8;
constexpr int kWatchers = 10;
constexpr int kList = 20;
constexpr double kPollsPerSecond = 15;  ///< each
constexpr double kCancelsPerSecond = 2; ///< each way
constexpr int kQuietMs = 200;           ///< a watcher looks up so often
constexpr auto kQuiet = std::chrono::milliseconds(kQuietMs / 2);
constexpr auto kSampleEvery = std::chrono::seconds(5);
constexpr std::int64_t kCalibration = 6'000;

const std::string kTrue = R"({"worker":"exec","argv":["/bin/true"],"cwd":"/","label":"load"})";

struct Arguments {
    double minutes = 5;
    double rate = 0;
    std::string program;
};

/// What all roles share.
struct Load {
    Load(const Server& of)
        : server(of)
        , times(pinger) {}
    const Server& server;
    Ledger ledger;
    Pinger pinger;
    Times times;
    std::atomic<bool> stop{false};
    std::atomic<bool> stopWatching{false};
    std::atomic<std::int64_t> wrong{0};  ///< answers with a status that nobody expects
    std::atomic<std::int64_t> behind{0}; ///< turns that were left out, the role being late by a second
    std::atomic<std::int64_t> resyncs{0};

    void complain(const std::string& what) {
        if (++wrong <= 20) fmt::print("  unexpected: {}\n", what);
    }
};

/// A kept-alive connection that notes how long its answers take.
class Caller {
public:
    explicit Caller(Load& load)
        : load_(load)
        , client_(load.server.port()) {
        client_.setLimitMs(60'000);
    }
    RawAnswer call(const char* kind, const std::string& method, const std::string& path, const std::string& body,
                   int expected) {
        const MonoTime from = MonoClock::now();
        client_.send(request(method, path, load_.server.token(), body));
        RawAnswer answer = client_.receive();
        if (*kind) load_.times.add(kind, from, MonoClock::now());
        if (answer.status != expected)
            load_.complain(fmt::format("{} {} {}: {}", method, path, answer.status, answer.body.substr(0, 200)));
        return answer;
    }

private:
    Load& load_;
    RawClient client_;
};

json::object objectOf(const std::string& text) {
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    return !error && value.is_object() ? value.as_object() : json::object{};
}

std::int64_t lsnOf(const json::object& object) {
    const json::value* lsn = object.if_contains("lsn");
    return lsn && lsn->is_int64() ? lsn->as_int64() : 0;
}

/// Calls `turn` so often until the load stops. Who is late by a second leaves turns out, and says so.
void everySecond(Load& load, double times, const std::function<void()>& turn) {
    const Duration step(static_cast<std::int64_t>(1e6 / times));
    MonoTime due = MonoClock::now() + step;
    while (!load.stop) {
        const MonoTime now = MonoClock::now();
        if (now < due) {
            std::this_thread::sleep_for(std::min<Duration>(due - now, std::chrono::milliseconds(100)));
            continue;
        }
        turn();
        due += step;
        while (MonoClock::now() - due > std::chrono::seconds(1)) {
            due += step;
            ++load.behind;
        }
    }
}

/// Waits for a result, and notes how long after the action's end (or after the question, if that was later) it
/// came.
RawAnswer waitForResult(Load& load, Caller& caller, std::int64_t lsn) {
    static const WallScale scale = WallScale::pinnedNow();
    const MonoTime asked = MonoClock::now();
    RawAnswer answer = caller.call("", "GET", fmt::format("/compute/jobs/{}?wait=30", lsn), "", 200);
    const MonoTime now = MonoClock::now();
    const json::object result = objectOf(answer.body);
    MonoTime from = asked;
    if (const json::value* times = result.if_contains("timestamps"); times && result.contains("state")) {
        const json::value* end = times->as_object().if_contains(result.at("state").as_string());
        if (end) from = std::clamp(MonoTime(Duration(end->as_int64() - scale.offset)), asked, now);
    }
    load.times.add("result", from, now);
    return answer;
}

// --- roles, a thread each

void submitList(Load& load, Caller& caller, int count) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += (i ? "," : "") + kTrue;
    const json::object answer = objectOf(caller.call("submit list", "POST", "/compute/jobs", text + "]", 200).body);
    if (const json::value* lsns = answer.if_contains("lsns"))
        for (const json::value& lsn : lsns->as_array()) load.ledger.promised(lsn.as_int64());
}

void submitter(Load& load, double actionsPerSecond) {
    Caller caller(load);
    int turn = 0;
    // A list, and every fifth time as many single ones.
    everySecond(load, actionsPerSecond / (kList * 1.2), [&] {
        submitList(load, caller, kList);
        if (++turn % 5 != 0) return;
        for (int i = 0; i < kList; ++i) {
            const auto answer = caller.call("submit one", "POST", "/compute/jobs", kTrue, 200);
            if (const std::int64_t lsn = lsnOf(objectOf(answer.body))) load.ledger.promised(lsn);
        }
    });
}

void poller(Load& load, unsigned seed) {
    Caller caller(load);
    std::minstd_rand random(seed);
    everySecond(load, kPollsPerSecond, [&] {
        const std::int64_t lsn = load.ledger.recent(static_cast<std::uint32_t>(random()));
        if (lsn == 0) return;
        const RawAnswer result = waitForResult(load, caller, lsn);
        const bool ran = result.body.find("\"state\":\"completed\"") != std::string::npos;
        if (ran && random() % 8 == 0)
            caller.call("stdout", "GET", fmt::format("/compute/jobs/{}/stdout", lsn), "", 200);
    });
}

void canceller(Load& load) {
    Caller caller(load);
    everySecond(load, kCancelsPerSecond, [&] {
        for (const char* hold : {"true", "false"}) {
            const std::string sleeper = fmt::format(
                R"({{"worker":"exec","argv":["/bin/sleep","100"],"cwd":"/","priority":50,"hold":{}}})", hold);
            const auto made = caller.call("submit one", "POST", "/compute/jobs", sleeper, 200);
            const std::int64_t lsn = lsnOf(objectOf(made.body));
            if (lsn == 0) return;
            load.ledger.promised(lsn);
            caller.call("cancel", "POST", fmt::format("/compute/jobs/{}/cancel", lsn), "", 200);
            const auto end = waitForResult(load, caller, lsn);
            if (end.body.find("\"state\":\"cancelled\"") == std::string::npos) load.complain(end.body);
        }
    });
}

void reader(Load& load) {
    Caller caller(load);
    int turn = 0;
    everySecond(load, 4, [&] {
        constexpr const char* kPages[] = {
            "jobs?limit=100", "jobs?state=running,pending",        "jobs/history",      "queues",
            "session",        "jobs?q=label:load+state:completed", "jobs?state=failed", "settings"};
        caller.call("list", "GET", fmt::format("/compute/{}", kPages[turn++ % std::size(kPages)]), "", 200);
        if (turn % 20 == 0) caller.call("metrics", "GET", "/metrics", "", 200);
    });
}

/// The first watcher keeps the ledger; the others only take what they are sent.
void watcher(Load& load, int number) {
    WsClient client(load.server.port(), load.server.token());
    constexpr const char* kWatches[] = {R"({"watch":{"finished":true}})", R"({"watch":{"filter":"state:running"}})",
                                        R"({"watch":{}})"};
    client.send(kWatches[number == 0 ? 0 : number % 3]);
    client.raw().setLimitMs(kQuietMs);
    while (!load.stopWatching) {
        const MonoTime from = MonoClock::now();
        if (number != 0) {
            const http::WsFrame frame = client.frame();
            if (frame.opcode == 9) client.sendFrame(10, frame.payload);
            if (frame.opcode == 8 || (frame.ended() && MonoClock::now() - from < kQuiet))
                return load.complain("a watcher was cut");
            continue;
        }
        const json::object frame = client.next();
        if (frame.empty() && MonoClock::now() - from < kQuiet) return load.complain("the ledger's watcher was cut");
        if (frame.contains("resync")) ++load.resyncs;
        const json::value* actions = frame.if_contains("actions");
        if (!actions) continue;
        for (const json::value& value : actions->as_array()) {
            const json::object& action = value.as_object();
            load.ledger.ended(lsnOf(action), std::string_view(action.at("state").as_string()));
        }
    }
}

// --- the run

bool waitForEnds(Load& load, double seconds) {
    const MonoTime until = MonoClock::now() + Duration(static_cast<std::int64_t>(seconds * 1e6));
    while (load.ledger.ends() < load.ledger.promises() && MonoClock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return load.ledger.ends() >= load.ledger.promises();
}

/// Actions a second, from the first submission to the last end that was told.
double capacityOf(Load& load) {
    const std::int64_t before = load.ledger.promises();
    const MonoTime from = MonoClock::now();
    std::vector<std::thread> threads;
    for (int i = 0; i < kSubmitters; ++i)
        threads.emplace_back([&load] {
            Caller caller(load);
            for (std::int64_t done = 0; done < kCalibration / kSubmitters; done += kList)
                submitList(load, caller, kList);
        });
    for (std::thread& thread : threads) thread.join();
    if (!waitForEnds(load, 120)) load.complain("the actions of the calibration did not end");
    const double seconds = static_cast<double>((MonoClock::now() - from).count()) / 1e6;
    return static_cast<double>(load.ledger.promises() - before) / seconds;
}

struct Sample {
    double minutes;
    double megabytes;
};

/// Prints a line a minute; returns the engine's memory over time.
std::vector<Sample> watchOver(Load& load, double minutes) {
    const MonoTime from = MonoClock::now();
    const int launcher = childNamed("yard-launcher", load.server.pid());
    std::vector<Sample> samples;
    double printed = 0;
    for (double at = 0; at < minutes;) {
        std::this_thread::sleep_for(kSampleEvery);
        at = static_cast<double>((MonoClock::now() - from).count()) / 60e6;
        samples.push_back({at, static_cast<double>(residentBytes(load.server.pid())) / 1e6});
        if (at - printed < 1 && at < minutes) continue;
        printed = at;
        fmt::print("{:5.1f} min: {} promised, {} ended, RSS {:.1f} + {:.1f} MB, longest pause {:.2f} s\n  {}\n", at,
                   load.ledger.promises(), load.ledger.ends(), samples.back().megabytes,
                   static_cast<double>(residentBytes(launcher)) / 1e6, load.pinger.longestSeconds(),
                   load.times.recent());
        std::fflush(stdout);
    }
    return samples;
}

/// Asks for every action whose end was not told; true when all have ended.
bool findMissing(Load& load) {
    Caller caller(load);
    bool all = true;
    for (const std::int64_t lsn : load.ledger.missing()) {
        const auto answer = caller.call("missing", "GET", fmt::format("/compute/jobs/{}", lsn), "", 200);
        all = all && answer.status == 200;
    }
    return all;
}

double meanOf(const std::vector<Sample>& samples, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += samples[i].megabytes;
    return sum / static_cast<double>(std::max<std::size_t>(1, to - from));
}

/// The second quarter against the last: the first is for caches to fill.
bool isFlat(const std::vector<Sample>& samples) {
    const std::size_t quarter = samples.size() / 4;
    const double before = meanOf(samples, quarter, 2 * quarter);
    const double after = meanOf(samples, 3 * quarter, samples.size());
    const bool flat = after - before <= std::max(2.0, before * 0.05);
    fmt::print("memory: {:.1f} MB in the second quarter, {:.1f} MB in the last (at most 5 % or 2 MB more): {}\n",
               before, after, flat ? "flat" : "GROWS");
    return flat;
}

bool verdict(Load& load, const std::vector<Sample>& samples) {
    const std::int64_t untold = load.ledger.promises() - load.ledger.ends();
    const bool found = findMissing(load);
    fmt::print("actions: {} promised, {} told to have ended, {} others asked for one by one ({} resyncs): {}; {} "
               "repeated, {} wrong answers, {} turns left out\n",
               load.ledger.promises(), load.ledger.ends(), untold, load.resyncs.load(),
               found ? "none lost" : "SOME LOST", load.ledger.repeated(), load.wrong.load(), load.behind.load());
    fmt::print("answers: {}\n", load.times.whole());
    const auto slow = load.times.slow();
    std::int64_t ours = 0;
    for (const Times::Slow& one : slow) {
        if (!one.isOurs()) continue;
        if (++ours <= 20)
            fmt::print("  {} took {:.2f} s; the machine stood still for {:.2f} s of it\n", one.kind, one.seconds,
                       one.paused);
    }
    fmt::print("over a second: {} answers, {} of them without the machine's pauses (longest pause {:.2f} s)\n",
               slow.size(), ours, load.pinger.longestSeconds());
    const bool flat = isFlat(samples);
    return found && flat && ours == 0 && load.ledger.repeated() == 0 && load.wrong == 0;
}

bool run(const Arguments& arguments, const std::string& directory) {
    Server server(arguments.program, directory + "/load");
    Load load(server);
    ask(server.port(), request("PATCH", "/compute/queues/0", server.token(), R"({"config":{"max_retries":0}})"));
    std::vector<std::thread> watching;
    for (int i = 0; i < kWatchers; ++i) watching.emplace_back([&load, i] { watcher(load, i); });
    std::this_thread::sleep_for(std::chrono::seconds(1)); // the ledger's watcher has asked
    const double capacity = capacityOf(load);
    const double rate = arguments.rate > 0 ? arguments.rate : capacity / 2;
    fmt::print("capacity {:.0f} actions/s; {:.0f}/s for {:.1f} minutes, {} polls/s, {} watchers\n", capacity, rate,
               arguments.minutes, kPollers * kPollsPerSecond, kWatchers);
    std::fflush(stdout);
    (void)load.times.recent();
    std::vector<std::thread> roles;
    for (int i = 0; i < kSubmitters; ++i)
        roles.emplace_back([&load, rate] { submitter(load, rate / kSubmitters); });
    for (unsigned i = 0; i < kPollers; ++i) roles.emplace_back([&load, i] { poller(load, i + 1); });
    roles.emplace_back([&load] { canceller(load); });
    roles.emplace_back([&load] { reader(load); });
    const auto samples = watchOver(load, arguments.minutes);
    load.stop = true;
    for (std::thread& role : roles) role.join();
    waitForEnds(load, 60);
    load.stopWatching = true;
    for (std::thread& thread : watching) thread.join();
    return verdict(load, samples);
}

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    arguments.program =
        programFrom(argc, argv, {{"--minutes", arguments.minutes, 0.5}, {"--rate", arguments.rate, 0}});
    return arguments;
}

} // namespace

int main(int argc, char** argv) {
    const Arguments arguments = parse(argc, argv);
    const ScratchDirectory scratch("bench_load");
    return run(arguments, scratch.path()) ? 0 : 1;
}
