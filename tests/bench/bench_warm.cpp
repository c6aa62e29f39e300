// The rows of warm work: no-op actions through the engine as its users start it, journal on, two processes made
// with the C++ kit, beside the same processes driven by a bare loop over their sockets and beside SQLite alone.
//
//   bench_warm [--rounds N] [--actions N] [--only-idle 1] [--only-files 1] [YARDMASTER]    (default: `yardmaster`
//   beside this program)
//
// With --only-idle just the last of the rows: one at a time to an idle engine, for a profile. With --only-files
// those of actions that have an input and leave an output of 1 KB, which are no part of the others.
//
// This program is the worker, too: it registers itself.
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "tests/bench/api_client.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sqlite3.h>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#include <yard_worker.h>

using namespace yard;

namespace {

constexpr long kGroup = 500;
constexpr int kConnections = 4;
constexpr unsigned kAhead = 32;
constexpr int kProcesses = 2;
constexpr std::size_t kFileBytes = 1024;
constexpr int kInputs = 64; ///< that many different ones
const std::string kNoop = R"("function":"noop","args":{"frame":7,"path":"/srv/render/shot-0040/beauty.exr"})";

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_warm: {}\n", why);
    std::exit(1);
}

/// An output of its own for each: the input, with the action's number in front.
yard::Answer copy(const yard::Job& job) {
    std::array<char, kFileBytes> bytes{};
    const int in = ::open((job.inputs + "/i").c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open((job.outputs + "/o").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const bool isRead = ::read(in, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    std::memcpy(bytes.data(), &job.lsn, sizeof job.lsn);
    const bool isWritten = ::write(out, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    ::close(in);
    ::close(out);
    return isRead && isWritten ? yard::Answer::ok() : yard::Answer::fail("its files cannot be read or written");
}

int serve(int argc, char** argv) {
    yard::Worker worker;
    worker.add("noop", "1", [](const yard::Job&) { return yard::Answer::ok(); });
    worker.add("copy", "1", copy);
    const char* ahead = std::getenv("BENCH_AHEAD");
    return worker.run(argc, argv, 1, ahead ? static_cast<unsigned>(std::atoi(ahead)) : kAhead);
}

// --- limits

/// A worker process on the other end of a socket.
struct Child {
    int pid = -1;
    int fd = -1;
    int outstanding = 0;
    std::string in;

    explicit Child(const std::string& program) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) die("socketpair");
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
        std::string name = program;
        std::string socket = "YARD_SOCKET_FD=3";
        std::array<char*, 2> argv{name.data(), nullptr};
        std::array<char*, 2> environment{socket.data(), nullptr};
        if (::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environment.data()) != 0)
            die("cannot start " + program);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        fd = ends[0];
        while (takeFrames() == 0) receive();
    }
    ~Child() {
        ::close(fd);
        ::waitpid(pid, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void receive() {
        std::array<char, 65536> bytes;
        const ssize_t n = ::read(fd, bytes.data(), bytes.size());
        if (n <= 0) die("a worker went away");
        in.append(bytes.data(), static_cast<std::size_t>(n));
    }
    int takeFrames() {
        int frames = 0;
        std::size_t at = 0;
        for (std::uint32_t length = 0; in.size() - at >= 4; at += 4 + length, ++frames) {
            std::memcpy(&length, in.data() + at, 4);
            if (in.size() - at < 4 + std::size_t{length}) break;
        }
        in.erase(0, at);
        return frames;
    }
    void send(const std::string& frame, long count) {
        std::string bytes;
        for (long i = 0; i < count; ++i) bytes += frame;
        for (std::size_t at = 0; at < bytes.size();) {
            const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
            if (n <= 0) die("a worker went away");
            at += static_cast<std::size_t>(n);
        }
        outstanding += static_cast<int>(count);
    }
};

/// Requests a second through bare sockets: `window` outstanding with each of `children` workers.
double bare(const std::string& program, int children, int window, long count) {
    std::vector<std::unique_ptr<Child>> all;
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < children; ++i) {
        all.push_back(std::make_unique<Child>(program));
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = static_cast<std::uint64_t>(i);
        ::epoll_ctl(epoll, EPOLL_CTL_ADD, all.back()->fd, &event);
    }
    const std::string json = R"({"lsn":7,)" + kNoop + "}";
    std::string frame(12, '\0');
    const auto length = static_cast<std::uint32_t>(json.size() + 8);
    std::memcpy(frame.data(), &length, 4);
    frame[4] = 7;
    frame += json;
    const MonoTime from = MonoClock::now();
    long sent = 0;
    const auto fill = [&](Child& child) {
        const long n = std::min<long>(window - child.outstanding, count - sent);
        if (n > 0) child.send(frame, n);
        sent += std::max(n, 0L);
    };
    for (const auto& child : all) fill(*child);
    for (long answered = 0; answered < count;) {
        std::array<epoll_event, 8> events;
        const int n = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < n; ++i) {
            Child& child = *all[events[static_cast<std::size_t>(i)].data.u64];
            child.receive();
            const int frames = child.takeFrames();
            answered += frames;
            child.outstanding -= frames;
            fill(child);
        }
    }
    ::close(epoll);
    return static_cast<double>(count) / bench::secondsSince(from);
}

void check(int rc, sqlite3* db) {
    if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW) die(sqlite3_errmsg(db));
}

/// Rows a second: inserted, and updated once, each in groups of kGroup.
double plainSqlite(const std::string& directory, long count) {
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
    sqlite3_stmt* update = nullptr;
    check(sqlite3_prepare_v2(db, "INSERT INTO action VALUES(?1,0,?2,?3)", -1, &insert, nullptr), db);
    check(sqlite3_prepare_v2(db, "UPDATE action SET state=3,created=?2 WHERE id=?1", -1, &update, nullptr), db);
    const MonoTime from = MonoClock::now();
    for (long i = 0; i < count; i += kGroup)
        for (sqlite3_stmt* statement : {insert, update}) {
            check(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), db);
            for (long k = i; k < i + kGroup; ++k) {
                sqlite3_bind_int64(statement, 1, k + 1);
                sqlite3_bind_int64(statement, 2, k);
                if (statement == insert)
                    sqlite3_bind_blob(statement, 3, kNoop.data(), static_cast<int>(kNoop.size()), SQLITE_STATIC);
                check(sqlite3_step(statement), db);
                sqlite3_reset(statement);
            }
            check(sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), db);
        }
    const double rate = static_cast<double>(count) / bench::secondsSince(from);
    sqlite3_finalize(insert);
    sqlite3_finalize(update);
    sqlite3_close(db);
    return rate;
}

// --- the engine

/// Registers this program under `name`.
void registerWorker(const bench::Server& server, const std::string& program, const std::string& name,
                    unsigned ahead, std::string_view io = "inline") {
    const auto content = readFile(program);
    if (!content) die(content.error().message);
    const std::string hash = Sha256::of(*content).hex();
    bench::ask(server.port(), bench::request("PUT", "/compute/chunks/" + hash, server.token(), *content));
    // Members in canonical order: its hash is the worker's id.
    const std::string descriptor = fmt::format(
        R"({{"environment":{{"BENCH_AHEAD":"{}"}},"executable":"w","files":[{{"hash":"{}","mode":"0755","path":"w","size":{}}}],)"
        R"("functions":[{{"name":"copy","version":"1"}},{{"name":"noop","version":"1"}}],"mode":"warm","name":"{}","platform":"linux-x86_64",)"
        R"("pool":{{"io":"{}","max_processes":{},"min_processes":{}}},"version":"1"}})",
        ahead, hash, content->size(), name, io, kProcesses, kProcesses);
    const std::string id = Sha256::of(descriptor).hex();
    bench::ask(server.port(), bench::request("POST", "/compute/workers/" + id, server.token(), descriptor));
}

long completed(const bench::Server& server, const std::string& path) {
    const std::string text = bench::ask(server.port(), bench::request("GET", path, server.token(), ""));
    const auto at = text.find("\"completed\":");
    return at == std::string::npos ? 0 : std::atol(text.c_str() + at + 12);
}

struct Rate {
    double perSecond = 0;
    double cpuMicros = 0; ///< of the engine
};

/// From the first submission to the last result kept. `inputs`: hashes of what the actions copy; none: they do
/// nothing.
Rate through(const bench::Server& server, const std::string& worker, long count,
             const std::vector<std::string>& inputs = {}) {
    std::string list = "[";
    for (long i = 0; i < kGroup; ++i) {
        const std::string what = inputs.empty()
                                     ? kNoop
                                     : fmt::format(R"("function":"copy","inputs":{{"i":"{}"}},"expect":["o"])",
                                                   inputs[static_cast<std::size_t>(i) % inputs.size()]);
        list += fmt::format(R"({}{{"worker":"{}",{}}})", i ? "," : "", worker, what);
    }
    const std::string text = bench::request("POST", "/compute/jobs", server.token(), list + "]");
    const std::string state = "/compute/queues/0";
    const long before = completed(server, state);
    const double cpu = bench::processSeconds(server.pid());
    const MonoTime from = MonoClock::now();
    bench::drive(server.port(), kConnections, count / kGroup, [&](long) -> const std::string& { return text; });
    while (completed(server, state) < before + count) ::usleep(2'000);
    const double seconds = bench::secondsSince(from);
    return {static_cast<double>(count) / seconds,
            (bench::processSeconds(server.pid()) - cpu) * 1e6 / static_cast<double>(count)};
}

struct Latency {
    double p50 = 0;
    double p99 = 0;
};
Latency latency(const bench::Server& server, const std::string& worker, long count,
                const std::string& what = kNoop) {
    const std::string text = bench::request("POST", "/compute/jobs?wait=30", server.token(),
                                            fmt::format(R"({{"worker":"{}",{}}})", worker, what));
    std::vector<double> micros = bench::latencies(server.port(), count, text);
    std::ranges::sort(micros);
    return {micros[micros.size() / 2], micros[micros.size() * 99 / 100]};
}

void warmUp(const bench::Server& server) {
    for (const char* worker : {"ahead", "one"}) {
        through(server, worker, 20 * kGroup);
        latency(server, worker, 200);
    }
}

std::vector<std::string> putInputs(const bench::Server& server) {
    std::vector<std::string> hashes;
    for (int i = 0; i < kInputs; ++i) {
        const std::string bytes(kFileBytes, static_cast<char>('0' + i));
        hashes.push_back(Sha256::of(bytes).hex());
        bench::ask(server.port(), bench::request("PUT", "/compute/chunks/" + hashes.back(), server.token(), bytes));
    }
    return hashes;
}

/// What directories cost: actions with files, and without any for the same worker and for one that never has them.
void benchFiles(const bench::Server& server, const std::string& program, int rounds, long count) {
    registerWorker(server, program, "auto", kAhead, "auto");
    registerWorker(server, program, "inline", kAhead);
    const std::vector<std::string> inputs = putInputs(server);
    const std::string copy =
        fmt::format(R"("function":"copy","inputs":{{"i":"{}"}},"expect":["o"])", inputs.front());
    for (const char* worker : {"auto", "inline"}) through(server, worker, 20 * kGroup);
    through(server, "auto", 10 * kGroup, inputs);
    std::vector<double> files, micros, ratio, p50;
    for (int round = 0; round < rounds; ++round) {
        const Rate with = through(server, "auto", count / 4 / kGroup * kGroup, inputs);
        const Rate without = through(server, "auto", count);
        const Rate never = through(server, "inline", count);
        const Latency idle = latency(server, "auto", 500, copy);
        fmt::print(
            "  an input and an output of 1 KB {:.0f}/s ({:.1f} us of the engine's CPU each), idle p50 {:.0f} us; "
            "no files {:.0f}/s, io inline {:.0f}/s\n",
            with.perSecond, with.cpuMicros, idle.p50, without.perSecond, never.perSecond);
        std::fflush(stdout);
        files.push_back(with.perSecond);
        micros.push_back(with.cpuMicros);
        ratio.push_back(without.perSecond / never.perSecond);
        p50.push_back(idle.p50);
    }
    fmt::print(
        "an input and an output of 1 KB each: {:.0f}/s (at least 5,000), {:.1f} us of the engine's CPU each; idle, "
        "POST jobs?wait to the result in hand: p50 {:.0f} us\n",
        bench::median(files), bench::median(micros), bench::median(p50));
    fmt::print("no files asked for, of io inline: {}\n", bench::spread(ratio));
}

/// The exit code.
int benchIdle(const bench::Server& server, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const Latency idle = latency(server, "ahead", 2'000);
        fmt::print("idle p50 {:.0f} us, p99 {:.0f} us\n", idle.p50, idle.p99);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (std::getenv("YARD_SOCKET_FD") || std::getenv("YARD_ACTION")) return serve(argc, argv);
    double rounds = 5;
    double actions = 200'000;
    double onlyIdle = 0;
    double onlyFiles = 0;
    const std::string program = bench::programFrom(argc, argv,
                                                   {{"--rounds", rounds},
                                                    {"--actions", actions, kGroup},
                                                    {"--only-idle", onlyIdle, 0},
                                                    {"--only-files", onlyFiles, 0}});
    const long count = static_cast<long>(actions) / kGroup * kGroup;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const bench::ScratchDirectory scratch("bench_warm");
    bench::Server server(program, scratch.path() + "/data");
    if (onlyFiles > 0) {
        benchFiles(server, self, static_cast<int>(rounds), count);
        return 0;
    }
    registerWorker(server, self, "ahead", kAhead);
    registerWorker(server, self, "one", 0);
    warmUp(server);
    if (onlyIdle > 0) return benchIdle(server, static_cast<int>(rounds));
    std::vector<double> ahead, one, aheadRatio, oneRatio, journalRatio, p50, p99, turns, inTurns;
    for (int round = 0; round < static_cast<int>(rounds); ++round) {
        const double limitAhead = bare(self, kProcesses, kAhead, 2 * count);
        const double limitOne = bare(self, kProcesses, 1, count / 4);
        const double sqlite = plainSqlite(scratch.path(), count);
        const Rate many = through(server, "ahead", count);
        const Rate single = through(server, "one", count / 4);
        const double turn = 1e6 / bare(self, 1, 1, 20'000);
        const Latency idle = latency(server, "ahead", 2'000);
        fmt::print("  sent ahead {:.0f}/s ({:.1f} us of CPU each) of {:.0f}/s bare, {:.0f}/s SQLite; one at a time "
                   "{:.0f}/s ({:.1f} us) of {:.0f}/s; idle p50 {:.0f} us, p99 {:.0f} us of {:.0f} us\n",
                   many.perSecond, many.cpuMicros, limitAhead, sqlite, single.perSecond, single.cpuMicros, limitOne,
                   idle.p50, idle.p99, turn);
        std::fflush(stdout);
        ahead.push_back(many.perSecond);
        aheadRatio.push_back(many.perSecond / limitAhead);
        journalRatio.push_back(many.perSecond / sqlite);
        one.push_back(single.perSecond);
        oneRatio.push_back(single.perSecond / limitOne);
        p50.push_back(idle.p50);
        p99.push_back(idle.p99);
        turns.push_back(turn);
        inTurns.push_back(idle.p50 / turn);
    }
    fmt::print("sent ahead, {} a process: {:.0f}/s (at least 150,000); of bare sockets {}; of SQLite alone {}\n",
               kAhead, bench::median(ahead), bench::spread(aheadRatio), bench::spread(journalRatio));
    fmt::print("strictly one at a time: {:.0f}/s (at least 40,000); of bare sockets {}\n", bench::median(one),
               bench::spread(oneRatio));
    fmt::print("idle, POST jobs?wait to the result in hand: p50 {:.0f} us (at most 150), p99 {:.0f} us (at most "
               "1,000)\n",
               bench::median(p50), bench::median(p99));
    fmt::print(
        "the same in turns through a bare socket, of {:.0f} us here: p50 {} (150 us are 15 where one takes 10)\n",
        bench::median(turns), bench::spread(inTurns));
    return 0;
}
