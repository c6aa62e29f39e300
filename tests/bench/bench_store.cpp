// The journal against its limit, in one run: whole lives of actions a second (accept, finish, acknowledged) through
// Store, and the plain insert and update of a 300-byte row that SQLite can do with the same group size, nothing
// else. Prints medians of REPS (5) runs and their ratio. Files in $SCRATCH, else the current directory.
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::store;

namespace {

constexpr std::int64_t kRows = 100'000;
constexpr std::int64_t kGroup = 500;
constexpr WallMicros kNow = 1'700'000'000'000'000;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void die(const std::string& why) {
    std::fprintf(stderr, "bench_store: %s\n", why.c_str());
    std::exit(1);
}

std::string specText() {
    std::string spec = R"({"worker":"thumbnailer","function":"thumb","args":{"path":")";
    spec.append(220, 'x');
    return spec + R"("}})";
}

// --- the limit

void check(int rc, sqlite3* db) {
    if (rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW) die(sqlite3_errmsg(db));
}

double plainSqlite(const std::string& directory) {
    const std::string path = directory + "/plain.db";
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
    sqlite3* db = nullptr;
    check(sqlite3_open(path.c_str(), &db), db);
    for (const char* sql :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA wal_autocheckpoint=4000",
          "PRAGMA cache_size=-65536",
          "CREATE TABLE action(id INTEGER PRIMARY KEY, state INTEGER NOT NULL, prio INTEGER, created "
          "INTEGER, spec BLOB)",
          "CREATE INDEX by_state ON action(state) WHERE state<3"})
        check(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), db);
    const auto prepare = [db](const char* sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), db);
        return statement;
    };
    sqlite3_stmt* insert = prepare("INSERT INTO action VALUES(?1,0,0,?2,?3)");
    sqlite3_stmt* update = prepare("UPDATE action SET state=3 WHERE id=?1");
    sqlite3_stmt* begin = prepare("BEGIN IMMEDIATE");
    sqlite3_stmt* commit = prepare("COMMIT");
    const auto step = [db](sqlite3_stmt* statement) {
        check(sqlite3_step(statement), db);
        sqlite3_reset(statement);
    };
    const std::string spec = specText();
    const double began = now();
    for (std::int64_t i = 0; i < kRows; i += kGroup) {
        step(begin);
        for (std::int64_t k = i; k < i + kGroup; ++k) {
            sqlite3_bind_int64(insert, 1, k + 1);
            sqlite3_bind_int64(insert, 2, k);
            sqlite3_bind_blob(insert, 3, spec.data(), static_cast<int>(spec.size()), SQLITE_STATIC);
            step(insert);
        }
        step(commit);
    }
    for (std::int64_t i = 0; i < kRows; i += kGroup) {
        step(begin);
        for (std::int64_t k = i; k < i + kGroup; ++k) {
            sqlite3_bind_int64(update, 1, k + 1);
            step(update);
        }
        step(commit);
    }
    const double seconds = now() - began;
    for (auto* statement : {insert, update, begin, commit}) sqlite3_finalize(statement);
    sqlite3_close(db);
    return static_cast<double>(kRows) / seconds;
}

// --- the store

/// Counts acknowledgements; the poster keeps at most a few groups ahead, as the engine does.
struct Counter {
    std::mutex mutex;
    std::condition_variable changed;
    std::int64_t answered = 0;

    void take(const Acks& acks) {
        for (const Ack& ack : acks.acks)
            if (!ack.ok()) die(ack.detail->error->message);
        const std::lock_guard lock(mutex);
        answered += static_cast<std::int64_t>(acks.acks.size());
        changed.notify_one();
    }
    void waitFor(std::int64_t count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return answered >= count; });
    }
};

Accept submission(std::int64_t first, const std::string& spec) {
    Accept accept;
    accept.items.reserve(kGroup);
    for (std::int64_t lsn = first; lsn < first + kGroup; ++lsn) {
        AcceptItem& item = accept.items.emplace_back();
        item.row.lsn = Lsn(lsn);
        item.row.classNumber = 1;
        item.row.tNew = item.row.tPending = kNow + lsn;
        item.spec = spec;
    }
    return accept;
}

Operation end(std::int64_t lsn) {
    Finish finish;
    finish.lsn = Lsn(lsn);
    AttemptRecord& attempt = finish.attempt.emplace();
    attempt.outcome.state = ActionState::Completed;
    attempt.outcome.exitCode = 0;
    attempt.outcome.measures[Measure::CpuTime] = 1'200;
    attempt.outcome.measures[Measure::PeakMemory] = 1'200'000;
    attempt.outcome.out = attempt.outcome.err = ChunkRef{Hash256::ofNothing(), 0};
    attempt.times[ActionState::Submitting] = kNow + lsn + 100;
    attempt.times[ActionState::Running] = kNow + lsn + 200;
    attempt.times.exited = kNow + lsn + 1'200;
    attempt.times[ActionState::Completed] = finish.tEnd = kNow + lsn + 1'300;
    return {.tag = static_cast<std::uint64_t>(lsn), .unhurried = true, .action = std::move(finish)};
}

struct Rates {
    double accept, finish, both;
};

std::unique_ptr<Store> openStore(const std::string& directory, ChunkFiles& files, Counter& counter) {
    StoreOptions options;
    options.path = directory + "/journal.sqlite";
    auto store = Store::open(
        options, files,
        {.acks = [&counter](Acks acks) { counter.take(acks); }, .specs = [](std::vector<FetchedSpec>) {}});
    if (!store) die(store.error().message);
    return std::move(*store);
}

Rates throughStore(const std::string& root) {
    const std::string directory = root + "/store";
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    auto files = ChunkFiles::open(directory + "/chunks", false, std::chrono::hours(1));
    if (!files) die(files.error().message);
    Rates rates{};
    const std::string spec = specText();
    {
        Counter counter;
        auto store = openStore(directory, **files, counter);
        if (auto restored = store->restore([](std::span<PendingRow>) {}); !restored) die(restored.error().message);
        store->start();
        const double began = now();
        std::int64_t posted = 0;
        for (std::int64_t lsn = 1; lsn <= kRows; lsn += kGroup) {
            if (!store->post({.tag = 1, .unhurried = false, .action = submission(lsn, spec)})) die("post");
            counter.waitFor(++posted - 4);
        }
        counter.waitFor(posted);
        const double accepted = now();
        std::int64_t results = 0;
        for (std::int64_t lsn = 1; lsn <= kRows; lsn += kGroup) {
            std::vector<Operation> ends;
            ends.reserve(kGroup);
            for (std::int64_t k = lsn; k < lsn + kGroup; ++k) ends.push_back(end(k));
            ends.back().unhurried = false;
            if (!store->post(std::move(ends))) die("post");
            results += kGroup;
            counter.waitFor(posted + results - 4 * kGroup);
        }
        counter.waitFor(posted + results);
        const double finished = now();
        rates.accept = static_cast<double>(kRows) / (accepted - began);
        rates.finish = static_cast<double>(kRows) / (finished - accepted);
        rates.both = static_cast<double>(kRows) / (finished - began);
    }
    return rates;
}

/// Seconds that a start takes with a million pending rows.
double restartWithAMillion(const std::string& root) {
    const std::string directory = root + "/million";
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    auto files = ChunkFiles::open(directory + "/chunks", false, std::chrono::hours(1));
    if (!files) die(files.error().message);
    const std::string spec = specText();
    {
        Counter counter;
        auto store = openStore(directory, **files, counter);
        if (!store->restore([](std::span<PendingRow>) {})) die("restore");
        store->start();
        for (std::int64_t i = 0; i < 1'000'000 / kGroup; ++i) {
            if (!store->post({.tag = 1, .unhurried = false, .action = submission(1 + i * kGroup, spec)}))
                die("post");
            counter.waitFor(i - 20);
        }
        counter.waitFor(1'000'000 / kGroup);
    }
    Counter counter;
    const double began = now();
    auto store = openStore(directory, **files, counter);
    std::int64_t rows = 0;
    if (!store->restore([&rows](std::span<PendingRow> batch) { rows += static_cast<std::int64_t>(batch.size()); }))
        die("restore");
    const double seconds = now() - began;
    if (rows != 1'000'000) die("rows are missing");
    store.reset();
    std::filesystem::remove_all(directory);
    return seconds;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

} // namespace

int main() {
    const char* scratch = std::getenv("SCRATCH");
    const char* repetitions = std::getenv("REPS");
    const int reps = std::max(1, repetitions ? std::atoi(repetitions) : 5);
    const std::string root = std::string(scratch ? scratch : ".") + "/bench_store.tmp";
    std::filesystem::create_directories(root);
    std::vector<double> plain, accept, finish, both, ratio;
    for (int i = -1; i < reps; ++i) { // the first is a warm-up; limit and store take turns
        const double limit = plainSqlite(root);
        const Rates rates = throughStore(root);
        if (i < 0) continue;
        plain.push_back(limit);
        accept.push_back(rates.accept);
        finish.push_back(rates.finish);
        both.push_back(rates.both);
        ratio.push_back(rates.both / limit);
    }
    std::printf("limit: SQLite insert+update, groups of %lld\t%.0f\tactions/s\n", static_cast<long long>(kGroup),
                median(plain));
    std::printf("store: accept\t%.0f\tactions/s\n", median(accept));
    std::printf("store: finish\t%.0f\tactions/s\n", median(finish));
    std::printf("store: accept+finish\t%.0f\tactions/s\n", median(both));
    std::printf("ratio to the limit\t%.2f\n", median(ratio));
    std::printf("start with a million pending\t%.2f\ts\n", restartWithAMillion(root));
    std::filesystem::remove_all(root);
}
