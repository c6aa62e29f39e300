// The rows of submission, memory, restart and the idle engine, against the program as its users start it.
//
//   bench_api [--rounds N] [--million N] [YARDMASTER]     (default: `yardmaster` beside this program)
#include "core/base/clock.h"
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace yard;

namespace {

constexpr long kGroup = 500;
constexpr int kGroupConnections = 4;
constexpr int kConnections = 16;
constexpr long kLabels = 1000;
constexpr double kIdleSeconds = 20;

struct Arguments {
    int rounds = 5;
    long million = 1'000'000;
    std::string program;
};

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_api: {}\n", why);
    std::exit(1);
}

std::string action(long i) {
    // About 300 bytes, as a tool would write them.
    return fmt::format(R"({{"worker":"exec","argv":["/usr/bin/convert","/srv/photos/2024/album-{:06}/image.jpg",)"
                       R"("-resize","1920x1080","/srv/thumbnails/2024/album-{:06}/image.jpg"],"cwd":"/",)"
                       R"("label":"album {}","env":{{"MAGICK_THREAD_LIMIT":"1","COMMENT":"{:050}"}}}})",
                       i, i, i % kLabels, i);
}

std::string list(long from, long count) {
    std::string text = "[";
    for (long i = 0; i < count; ++i) text += (i ? "," : "") + action(from + i);
    return text + "]";
}

/// Lists of kGroup actions, made before the clock runs; few enough to be kept.
std::vector<std::string> lists(const bench::Server& server, long count) {
    std::vector<std::string> texts;
    for (long i = 0; i < std::min(count, 40 * kGroup); i += kGroup)
        texts.push_back(bench::request("POST", "/compute/jobs", server.token(), list(i, kGroup)));
    return texts;
}

/// Actions a second.
double submitLists(const bench::Server& server, const std::vector<std::string>& texts, long count) {
    const double seconds =
        bench::drive(server.port(), kGroupConnections, count / kGroup, [&](long i) -> const std::string& {
            return texts[static_cast<std::size_t>(i) % texts.size()];
        });
    return static_cast<double>(count) / seconds;
}

double submitSingles(const bench::Server& server, long count) {
    const std::string text = bench::request("POST", "/compute/jobs", server.token(), action(7));
    return static_cast<double>(count) /
           bench::drive(server.port(), kConnections, count, [&](long) -> const std::string& { return text; });
}

double beastAlone(long count) {
    const bench::BeastAlone server;
    const std::string text = bench::request("POST", "/compute/jobs", std::string(64, 'a'), action(7));
    return static_cast<double>(count) /
           bench::drive(server.port(), kConnections, count, [&](long) -> const std::string& { return text; });
}

void check(int rc, sqlite3* db) {
    if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW) die(sqlite3_errmsg(db));
}

/// Rows of 300 bytes a second into a bare table, in groups of kGroup.
double plainInserts(const std::string& directory, long count) {
    const std::string path = directory + "/plain.sqlite";
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
    sqlite3* db = nullptr;
    check(sqlite3_open(path.c_str(), &db), db);
    for (const char* sql :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA wal_autocheckpoint=4000",
          "PRAGMA cache_size=-65536",
          "CREATE TABLE action(id INTEGER PRIMARY KEY, state INTEGER, created INTEGER, spec BLOB)"})
        check(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), db);
    sqlite3_stmt* insert = nullptr;
    check(sqlite3_prepare_v2(db, "INSERT INTO action VALUES(?1,0,?2,?3)", -1, &insert, nullptr), db);
    const std::string spec = action(7);
    const MonoTime from = MonoClock::now();
    for (long i = 0; i < count; i += kGroup) {
        check(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), db);
        for (long k = i; k < i + kGroup; ++k) {
            sqlite3_bind_int64(insert, 1, k + 1);
            sqlite3_bind_int64(insert, 2, k);
            sqlite3_bind_blob(insert, 3, spec.data(), static_cast<int>(spec.size()), SQLITE_STATIC);
            check(sqlite3_step(insert), db);
            sqlite3_reset(insert);
        }
        check(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), db);
    }
    const double rate = static_cast<double>(count) / bench::secondsSince(from);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return rate;
}

/// Seconds to read what is pending with nothing but SQLite.
double plainRead(const std::string& dataDir) {
    sqlite3* db = nullptr;
    check(sqlite3_open_v2((dataDir + "/journal.sqlite").c_str(), &db, SQLITE_OPEN_READWRITE, nullptr), db);
    sqlite3_stmt* all = nullptr;
    const MonoTime from = MonoClock::now();
    check(sqlite3_prepare_v2(db, "SELECT * FROM pending", -1, &all, nullptr), db);
    while (sqlite3_step(all) == SQLITE_ROW) sqlite3_column_int64(all, 1);
    const double seconds = bench::secondsSince(from);
    sqlite3_finalize(all);
    sqlite3_close(db);
    return seconds;
}

void hold(const bench::Server& server) {
    bench::ask(server.port(), bench::request("POST", "/compute/hold", server.token(), ""));
}

/// CPU microseconds per action of the engine since `before`.
struct Cpu {
    explicit Cpu(const bench::Server& of)
        : server(of)
        , before(bench::processSeconds(of.pid())) {}
    double perAction(long count) const {
        return (bench::processSeconds(server.pid()) - before) * 1e6 / static_cast<double>(count);
    }
    const bench::Server& server;
    double before;
};

// --- rows

void rowIdle(const Arguments& arguments, const std::string& directory) {
    bench::Server server(arguments.program, directory + "/idle");
    ::sleep(2);
    const int launcher = bench::childNamed("yard-launcher", server.pid());
    const long before = bench::sleeps(server.pid()) + bench::sleeps(launcher);
    ::sleep(static_cast<unsigned>(kIdleSeconds));
    const long after = bench::sleeps(server.pid()) + bench::sleeps(launcher);
    fmt::print("idle engine: {:.2f} wake-ups a second with its launcher (at most 1), RSS {:.1f} MB and {:.1f} MB "
               "(under 30)\n",
               static_cast<double>(after - before) / kIdleSeconds,
               static_cast<double>(bench::residentBytes(server.pid())) / 1e6,
               static_cast<double>(bench::residentBytes(launcher)) / 1e6);
    std::fflush(stdout);
}

void rowSubmission(const Arguments& arguments, const std::string& directory) {
    std::vector<double> groups, groupsLimit, groupsRatio, singles, singlesLimit, singlesRatio;
    constexpr long kMany = 100'000;
    constexpr long kFew = 20'000;
    bench::Server server(arguments.program, directory + "/submission");
    hold(server);
    const auto texts = lists(server, kMany);
    for (int round = -1; round < arguments.rounds; ++round) {
        const double insertLimit = plainInserts(directory, kMany);
        const Cpu inGroups(server);
        const double insert = submitLists(server, texts, kMany);
        const double groupCpu = inGroups.perAction(kMany);
        const double beast = beastAlone(kFew);
        const Cpu alone(server);
        const double single = submitSingles(server, kFew);
        const double singleCpu = alone.perAction(kFew);
        fmt::print(
            "  lists of {}: {:.0f}/s of {:.0f}/s, {:.1f} us of CPU each; single: {:.0f}/s of {:.0f}/s, {:.1f} us\n",
            kGroup, insert, insertLimit, groupCpu, single, beast, singleCpu);
        std::fflush(stdout);
        if (round < 0) continue;
        groups.push_back(insert);
        groupsLimit.push_back(insertLimit);
        groupsRatio.push_back(insert / insertLimit);
        singles.push_back(single);
        singlesLimit.push_back(beast);
        singlesRatio.push_back(single / beast);
    }
    fmt::print(
        "submission in lists of {}: {:.0f}/s (at least 150,000); limit, SQLite inserts: {:.0f}/s; ratio {}\n",
        kGroup, bench::median(groups), bench::median(groupsLimit), bench::spread(groupsRatio));
    fmt::print(
        "submission one by one over {} connections: {:.0f}/s (at least 30,000); limit, Beast alone: {:.0f}/s; "
        "ratio {}\n",
        kConnections, bench::median(singles), bench::median(singlesLimit), bench::spread(singlesRatio));
}

/// Lists at nothing queued and at a million, the memory of a million, and the start with them.
void rowMillion(const Arguments& arguments, const std::string& directory) {
    const std::string dataDir = directory + "/million";
    const long steps = std::max(1L, arguments.million / 100'000);
    const long each = arguments.million / steps;
    {
        bench::Server server(arguments.program, dataDir);
        hold(server);
        const auto texts = lists(server, each);
        const double warmUp = submitLists(server, texts, kGroup * 40);
        ::sleep(1);
        const long before = bench::residentBytes(server.pid());
        std::vector<double> rates;
        std::vector<double> limits;
        std::vector<double> cpu;
        for (long i = 0; i < steps; ++i) {
            limits.push_back(plainInserts(directory, each));
            const Cpu used(server);
            rates.push_back(submitLists(server, texts, each));
            cpu.push_back(used.perAction(each));
        }
        ::sleep(2);
        const long after = bench::residentBytes(server.pid());
        fmt::print("lists at none queued {:.0f}/s with {:.1f} us of CPU each, at {} queued {:.0f}/s with {:.1f} us "
                   "(within "
                   "20 %: {:.2f}; of the limit: {:.2f}; of CPU: {:.2f}); warm-up {:.0f}/s\n",
                   rates.front(), cpu.front(), arguments.million, rates.back(), cpu.back(),
                   rates.back() / rates.front(), rates.back() / limits.back() / (rates.front() / limits.front()),
                   cpu.front() / cpu.back(), warmUp);
        fmt::print("memory per queued action: {:.0f} B (at most 120), RSS {:.1f} MB\n",
                   static_cast<double>(after - before) / static_cast<double>(each * steps),
                   static_cast<double>(after) / 1e6);
        std::fflush(stdout);
    }
    const double limit = plainRead(dataDir);
    const MonoTime from = MonoClock::now();
    bench::Server server(arguments.program, dataDir);
    const std::string session =
        bench::ask(server.port(), bench::request("GET", "/compute/session", server.token(), ""));
    fmt::print("start with {} queued: serving after {:.2f} s (at most 3); limit, SQLite reads them: {:.2f} s\n",
               arguments.million, bench::secondsSince(from), limit);
    fmt::print("  then RSS {:.1f} MB; {}\n", static_cast<double>(bench::residentBytes(server.pid())) / 1e6,
               session);
}

Arguments parse(int argc, char** argv) {
    double rounds = 5;
    double million = 1e6;
    std::string program = bench::programFrom(argc, argv, {{"--rounds", rounds}, {"--million", million}});
    return {
        .rounds = static_cast<int>(rounds), .million = static_cast<long>(million), .program = std::move(program)};
}

} // namespace

int main(int argc, char** argv) {
    const Arguments arguments = parse(argc, argv);
    const bench::ScratchDirectory scratch("bench_api");
    rowIdle(arguments, scratch.path());
    rowSubmission(arguments, scratch.path());
    rowMillion(arguments, scratch.path());
    return 0;
}
