// The process row: /bin/true as exec actions through the whole engine (journal on, output kept, two slots), from
// the first submission to the last result that is kept, against bare spawning in the same run (R).
//
//   bench_engine [--watched] [ACTIONS] [ROUNDS]
//
// --watched: each round once more with somebody who watches every end and /metrics scraped every second.
#include "core/base/log.h"
#include "core/engine/engine.h"
#include "core/http/api.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/bench/bare_spawn.h"
#include "tests/bench/true_actions.h"
#include "tests/bench/usage.h"
#include "tests/http/ws_client.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace yard;

namespace {

const std::string kMembers = R"("cwd":"/")";
constexpr long kWarmUp = 500;

[[noreturn]] void die(const std::string& why) {
    flushLog();
    fmt::print(stderr, "bench_engine: {}\n", why);
    std::exit(1);
}

/// A watcher of all ends and a scraper, as long as it lives. They read what they are sent and do nothing with it.
class Onlookers {
public:
    Onlookers(std::uint16_t port, const std::string& token)
        : watcher_(port, token)
        , scraper_(port) {
        watcher_.send(R"({"watch":{"finished":true}})");
        while (watcher_.next().if_contains("watch") == nullptr) {
        }
        watching_ = std::jthread([this](const std::stop_token& stop) {
            watcher_.raw().setLimitMs(100);
            while (!stop.stop_requested()) bytes_ += watcher_.raw().receiveSome().size();
        });
        const std::string request = http::WsClient::request(port, token, "/metrics", {{"Upgrade", ""}});
        scraping_ = std::jthread([this, request](const std::stop_token& stop) {
            for (int tenths = 0; !stop.stop_requested(); ++tenths) {
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                if (tenths % 10 != 0) continue;
                scraper_.send(request);
                if (scraper_.receive().status != 200) die("no metrics");
            }
        });
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::atomic<std::size_t> bytes_{0};
    http::WsClient watcher_;
    http::RawClient scraper_;
    std::jthread watching_;
    std::jthread scraping_;
};

/// One run, and what it was.
struct Run {
    double rate = 0;
    double cpuMicros = 0; ///< per action
    std::string threads;
};

Run runOnce(engine::Engine& engine, int launcher, long count, long& completed) {
    const auto before = bench::threadUse(launcher);
    const double cpu = bench::cpuSeconds(launcher);
    const MonoTime from = MonoClock::now();
    completed += count;
    bench::run(bench::runTrueActions(engine, kMembers, count, completed));
    return {.rate = bench::rate(count, from),
            .cpuMicros = (bench::cpuSeconds(launcher) - cpu) / static_cast<double>(count) * 1e6,
            .threads = bench::describe(before, bench::threadUse(launcher), count)};
}

/// Rounds of bare spawning and the engine in turns; with a server also of the engine with onlookers.
void measure(engine::Engine& engine, const http::Server* server, long count, int rounds, int launcher) {
    std::vector<double> ratios, cpuRatios, watchedRatios, watchedCpuRatios;
    long completed = kWarmUp;
    for (int round = -1; round < rounds; ++round) { // the first is a warm-up; limit and engine take turns
        const double cpu = bench::cpuSeconds();
        const double bare = bench::bareRate(count);
        const double bareCpu = (bench::cpuSeconds() - cpu) / static_cast<double>(count) * 1e6;
        const Run plain = runOnce(engine, launcher, count, completed);
        if (round >= 0) {
            ratios.push_back(plain.rate / bare);
            cpuRatios.push_back(bareCpu / plain.cpuMicros);
            fmt::print("engine {:.0f}/s {:.0f} us  bare {:.0f}/s {:.0f} us  ratio {:.3f}, of CPU {:.3f}\n  {}\n",
                       plain.rate, plain.cpuMicros, bare, bareCpu, ratios.back(), cpuRatios.back(), plain.threads);
        }
        if (server) {
            std::optional<Onlookers> onlookers(std::in_place, server->port(), engine.token());
            const Run watched = runOnce(engine, launcher, count, completed);
            if (round >= 0) {
                watchedRatios.push_back(watched.rate / plain.rate);
                watchedCpuRatios.push_back(plain.cpuMicros / watched.cpuMicros);
                fmt::print("  watched {:.0f}/s {:.0f} us, {:.0f} bytes told for each; to unwatched {:.3f}, of CPU "
                           "{:.3f}\n",
                           watched.rate, watched.cpuMicros,
                           static_cast<double>(onlookers->bytes()) / static_cast<double>(count),
                           watchedRatios.back(), watchedCpuRatios.back());
            }
        }
        std::fflush(stdout);
    }
    fmt::print("ratio to R (at least 0.85): {}\n", bench::spread(ratios));
    fmt::print("ratio of CPU time         : {}\n", bench::spread(cpuRatios));
    if (!server) return;
    fmt::print("watched to unwatched (at least 0.95): {}\n", bench::spread(watchedRatios));
    fmt::print("the same of CPU time, onlookers' own included: {}\n", bench::spread(watchedCpuRatios));
}

} // namespace

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    const bool isWatched = argc > 1 && std::strcmp(argv[1], "--watched") == 0;
    const int first = isWatched ? 2 : 1;
    const long count = std::max(kWarmUp, argc > first ? std::atol(argv[first]) : 2000);
    const int rounds = std::max(1, argc > first + 1 ? std::atoi(argv[first + 1]) : 15);
    const bench::ScratchDirectory scratch("bench_engine");
    engine::Options options;
    options.dataDir = scratch.path() + "/data";
    options.capacity = 2;
    options.noSandbox = true;
    auto engine = engine::Engine::open(std::move(options));
    if (!engine) die(engine.error().message);
    std::unique_ptr<http::Api> api;
    std::unique_ptr<http::Server> server;
    if (isWatched) {
        api = std::make_unique<http::Api>(**engine, http::ApiOptions{});
        auto started = http::Server::start({.host = "127.0.0.1", .port = 0}, *api);
        if (!started) die(started.error().message);
        server = std::move(*started);
    }
    bench::run(bench::runTrueActions(**engine, kMembers, kWarmUp, kWarmUp)); // the launcher has its name by then
    const int launcher = bench::childNamed("yard-launcher");
    if (launcher == 0) die("there is no launcher");
    measure(**engine, server.get(), count, rounds, launcher);
    server.reset();
    api.reset();
    (*engine)->close();
    flushLog();
    return 0;
}
