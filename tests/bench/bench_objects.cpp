// The rows of objects (docs/objects.md): a million of them that wait, looks that do nothing, and how late a look is
// when nothing else happens. The engine is a process of its own, journal on, without a sandbox.
//
//   bench_objects [--million N] [--looks N] [--python-looks N] [--actors N] [--rounds N] [--late N] [YARDMASTER]
//   (default: `yardmaster` beside this program; 0 of something leaves it out)
//
// This program is the actor in C++, too: it registers itself. The one in Python is written below.
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>
#include <yard_objects.h>

using namespace yard;

namespace {

constexpr long kList = 5'000; ///< what one request may make
constexpr int kConnections = 2;
constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kDay = 86'400 * kSecond;
const std::string kPython = "#!/usr/bin/env python3\n"
                            "import yard_worker\n"
                            "@yard_worker.tick('python')\n"
                            "def look(o):\n"
                            "    return o.move('done')\n"
                            "yard_worker.run()\n";

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_objects: {}\n", why);
    std::exit(1);
}

int serve(int argc, char** argv) {
    yard::ObjectWorker worker;
    worker.tick("native", [](const yard::Object& o) { return o.move("done"); });
    worker.tick("late", [](const yard::Object& o) { return o.move("done").set("seen", wallNow()); });
    return worker.run(argc, argv);
}

std::string ask(const bench::Server& server, const char* method, const std::string& path,
                const std::string& body = {}) {
    return bench::ask(server.port(), bench::request(method, "/compute/" + path, server.token(), body));
}

/// The number behind `"name":`, 0 where it is not there.
long numberIn(const std::string& json, const std::string& name) {
    const auto at = json.find("\"" + name + "\":");
    return at == std::string::npos ? 0 : std::atol(json.c_str() + at + name.size() + 3);
}

long doneOf(const bench::Server& server, const std::string& type) {
    const std::string json = ask(server, "GET", "types/" + type);
    const auto counts = json.find("\"counts\":");
    return counts == std::string::npos ? 0 : numberIn(json.substr(counts), "done");
}

// --- worker and types

struct File {
    std::string path;
    std::string content;
};

/// Members in canonical order: its hash is the worker's id.
void registerWorker(const bench::Server& server, const std::string& name, const std::vector<File>& files) {
    std::string list;
    for (const File& file : files) {
        const std::string hash = Sha256::of(file.content).hex();
        ask(server, "PUT", "chunks/" + hash, file.content);
        list += fmt::format(R"({}{{"hash":"{}","mode":"0755","path":"{}","size":{}}})", list.empty() ? "" : ",",
                            hash, file.path, file.content.size());
    }
    const std::string descriptor = fmt::format(
        R"({{"executable":"{}","files":[{}],"functions":[{{"name":"tick","version":"1"}}],"mode":"warm","name":"{}",)"
        R"("platform":"linux-x86_64","version":"1"}})",
        files.front().path, list, name);
    ask(server, "POST", "workers/" + Sha256::of(descriptor).hex(), descriptor);
}

std::string contentOf(const std::string& path) {
    auto content = readFile(path);
    if (!content) die(content.error().message);
    return *std::move(content);
}

void putType(const bench::Server& server, const std::string& name, const std::string& worker, int actors) {
    ask(server, "POST", "types",
        fmt::format(
            R"({{"name":"{}","fields":{{"url":{{"type":"string","index":true}},"seen":{{"type":"integer"}}}},)"
            R"("states":{{"queued":{{"initial":true}},"done":{{"final":true}}}},)"
            R"("transitions":[{{"from":"queued","to":"done"}}],)"
            R"("actor":{{"worker":"{}","max_actors":{},"max_per_key":{},"max_tick_time_s":60,)"
            R"("spawn":[{{"over":0,"actors":{}}}],"resources":{{"cores":0.01}}}}}})",
            name, worker, actors, actors, actors));
}

/// Seconds that it took.
double make(const bench::Server& server, const std::string& type, long count, WallMicros retryAt) {
    std::string list;
    const auto text = [&](long part) -> const std::string& {
        list.clear();
        const long first = part * kList;
        for (long i = first; i < std::min(count, first + kList); ++i)
            list += fmt::format(R"({}{{"type":"{}","fields":{{"url":"https://example.org/{}"}},"retry_at":{}}})",
                                list.empty() ? "[" : ",", type, i, retryAt);
        list = bench::request("POST", "/compute/objects", server.token(), list + "]");
        return list;
    };
    return bench::drive(server.port(), kConnections, (count + kList - 1) / kList, text);
}

// --- a million that wait

double pageMillis(const bench::Server& server, const char* what, const std::string& path) {
    const std::string text = bench::request("GET", "/compute/" + path, server.token(), "");
    std::vector<double> micros = bench::latencies(server.port(), 50, text);
    std::ranges::sort(micros);
    const double p50 = micros[micros.size() / 2] / 1e3;
    const double most = micros.back() / 1e3;
    fmt::print("  page of 100, {}: p50 {:.2f} ms, at most {:.2f}\n", what, p50, most);
    return most;
}

double pages(const bench::Server& server, long count) {
    double most = 0;
    const auto page = [&](const char* what, const std::string& path) {
        most = std::max(most, pageMillis(server, what, path));
    };
    page("newest", "objects?limit=100");
    page("oldest", "objects?limit=100&sort=id");
    page("of a type", "objects?type=idle&limit=100");
    page("of another type", "objects?type=other&limit=100");
    page("of a type and a status", "objects?type=idle&status=queued&limit=100");
    page("in the middle", fmt::format("objects?type=idle&limit=100&cursor={}", count / 2));
    page("of a status that none has", "objects?type=idle&status=done&limit=100");
    page("types with their counts", "types");
    return most;
}

/// Resident memory once it does not shrink any more.
double residentOf(const bench::Server& server) {
    long least = bench::residentBytes(server.pid());
    for (int i = 0; i < 20; ++i) {
        ::usleep(50'000);
        least = std::min(least, bench::residentBytes(server.pid()));
    }
    return static_cast<double>(least);
}

void benchMillion(const std::string& program, long count) {
    const bench::ScratchDirectory scratch("bench-objects");
    double empty = 0;
    {
        const bench::Server server(program, scratch.path());
        registerWorker(server, "idle", {{"w", contentOf("/proc/self/exe")}});
        putType(server, "idle", "idle", 1);
        putType(server, "other", "idle", 1);
        empty = residentOf(server);
        make(server, "other", 3, wallNow() + kDay);
        const double seconds = make(server, "idle", count, wallNow() + kDay);
        fmt::print("{} objects made in {:.1f} s ({:.0f}/s); {:.0f} B of memory more each, with what the making "
                   "needs\n",
                   count, seconds, static_cast<double>(count) / seconds,
                   (residentOf(server) - empty) / static_cast<double>(count));
    }
    const bench::Server server(program, scratch.path());
    const double here = residentOf(server);
    fmt::print("{} that wait: {:.0f} B of memory each after a start (at most 100), {:.1f} MB in all\n", count,
               (here - empty) / static_cast<double>(count), here / 1e6);
    fmt::print("a start with them: serving after {:.2f} s (at most 3)\n", server.startSeconds());
    fmt::print("the slowest page: {:.1f} ms (at most 20)\n", pages(server, count));
}

// --- looks

struct Rate {
    double perSecond = 0;
    double cpuMicros = 0; ///< of the engine, each
};

/// All are due at one instant; from then to the commit of the last move.
Rate look(const bench::Server& server, const std::string& type, long count) {
    const long before = doneOf(server, type);
    const WallMicros due = wallNow() + 2 * kSecond + count * 30;
    make(server, type, count, due);
    if (wallNow() > due) die("making them took longer than they were to wait");
    while (wallNow() < due) ::usleep(200);
    const double cpu = bench::processSeconds(server.pid());
    while (doneOf(server, type) < before + count) ::usleep(20'000);
    const double seconds = static_cast<double>(wallNow() - due) / 1e6;
    return {static_cast<double>(count) / seconds,
            (bench::processSeconds(server.pid()) - cpu) * 1e6 / static_cast<double>(count)};
}

void benchLooks(const bench::Server& server, const char* type, const char* what, double goal, long count,
                int rounds) {
    look(server, type, std::max(1L, count / 10));
    std::vector<double> rates, micros;
    for (int round = 0; round < rounds; ++round) {
        const auto before = bench::threadUse(server.pid());
        const Rate rate = look(server, type, count);
        fmt::print("  {}: {:.0f}/s, {:.1f} us of the engine's CPU each; {}\n", what, rate.perSecond, rate.cpuMicros,
                   bench::describe(before, bench::threadUse(server.pid()), count));
        std::fflush(stdout);
        rates.push_back(rate.perSecond);
        micros.push_back(rate.cpuMicros);
    }
    fmt::print("{}: {:.0f} looks/s (at least {:.0f}), {:.1f} us of the engine's CPU each\n", what,
               bench::median(rates), goal, bench::median(micros));
}

// --- how late a look is

struct Late {
    std::vector<double> millis;

    double at(double part) {
        std::ranges::sort(millis);
        return millis[std::min(millis.size() - 1,
                               static_cast<std::size_t>(part * static_cast<double>(millis.size())))];
    }
};

/// From `retry_at` to the frame at the actor. `apart`: between two of them.
Late late(const bench::Server& server, long count, WallMicros apart) {
    const WallMicros first = wallNow() + kSecond / 2;
    std::vector<std::pair<long, WallMicros>> made;
    for (long i = 0; i < count; ++i) {
        const WallMicros due = first + i * apart;
        while (wallNow() < due - kSecond / 4) ::usleep(1'000);
        const std::string id =
            ask(server, "POST", "objects", fmt::format(R"({{"type":"late","retry_at":{}}})", due));
        made.emplace_back(numberIn(id, "id"), due);
    }
    Late all;
    for (const auto& [id, due] : made) {
        const std::string object = ask(server, "GET", fmt::format("objects/{}?wait=30", id));
        all.millis.push_back(static_cast<double>(numberIn(object, "seen") - due) / 1e3);
    }
    return all;
}

void benchLate(const bench::Server& server, long count) {
    late(server, 20, 20'000);
    Late started = late(server, count, 20'000);
    fmt::print(
        "from retry_at to the frame of the look, idle, the process started for it: p50 {:.2f} ms, p99 {:.2f} "
        "(at most 5)\n",
        started.at(0.5), started.at(0.99));
}

} // namespace

int main(int argc, char** argv) {
    if (std::getenv("YARD_SOCKET_FD")) return serve(argc, argv);
    double million = 1e6, looks = 60'000, pythonLooks = 20'000, actors = 8, rounds = 3, lateLooks = 200;
    const std::string program = bench::programFrom(argc, argv,
                                                   {{"--million", million, 0},
                                                    {"--looks", looks, 0},
                                                    {"--python-looks", pythonLooks, 0},
                                                    {"--actors", actors},
                                                    {"--rounds", rounds},
                                                    {"--late", lateLooks, 0}});
    if (million > 0) benchMillion(program, static_cast<long>(million));
    const bench::ScratchDirectory scratch("bench-objects");
    const bench::Server server(program, scratch.path());
    registerWorker(server, "native", {{"w", contentOf("/proc/self/exe")}});
    registerWorker(server, "python", {{"w.py", kPython}, {"yard_worker.py", contentOf(YARD_PYTHON_KIT)}});
    ask(server, "PATCH", "pool", fmt::format(R"({{"max":{}}})", 2 * static_cast<int>(actors) + 2));
    putType(server, "native", "native", static_cast<int>(actors));
    putType(server, "python", "python", static_cast<int>(actors));
    putType(server, "late", "native", 1);
    if (lateLooks > 0) benchLate(server, static_cast<long>(lateLooks));
    if (looks > 0)
        benchLooks(server, "native", "no-op looks in C++", 30'000, static_cast<long>(looks),
                   static_cast<int>(rounds));
    if (pythonLooks > 0)
        benchLooks(server, "python", "no-op looks in Python", 3'000, static_cast<long>(pythonLooks),
                   static_cast<int>(rounds));
}
