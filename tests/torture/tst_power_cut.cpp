// The power goes at any moment of an engine's life with durability power: what it does to its directory is recorded
// (tests/support/file_recorder.h, in LD_PRELOAD of the real program), cut, and what a disk may have of it is
// opened. Whatever was answered before the cut is there.
//
// YARD_TORTURE_CUTS=all cuts before every single call. YARD_TORTURE_SEED=N chooses other moments, and other parts
// of what was not synced.
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/json/canonical_json.h"
#include "core/store/chunk_store.h"
#include "core/store/data_directory.h"
#include "core/store/journal.h"
#include "core/store/reader.h"
#include "tests/support/power_cut.h"
#include "tests/torture/program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>
#include <set>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;
using namespace yard::torture;

namespace {

constexpr std::size_t kCuts = 40; ///< of the everyday run, besides those at promises

/// A directory after a cut, opened by what an engine opens it with.
class Left {
public:
    explicit Left(const std::string& path)
        : path_(path) {}
    /// Empty: it opens. Else why not.
    std::string open() {
        auto directory = store::DataDirectory::open(path_, Duration{});
        if (!directory) return directory.error().message;
        directory_.emplace(std::move(*directory));
        auto token = directory_->token();
        if (!token) return token.error().message;
        token_ = *token;
        auto files = store::ChunkFiles::open(path_ + "/chunks", false, std::chrono::hours(1));
        if (!files) return files.error().message;
        files_ = std::move(*files);
        store::StoreOptions options;
        options.path = directory_->journal();
        auto opened = store::Store::open(options, *files_, {.acks = [](store::Acks) {}, .specs = {}});
        if (!opened) return opened.error().message;
        store_ = std::move(*opened);
        auto restored = store_->restore([this](std::span<store::PendingRow> rows) {
            for (const auto& row : rows) pending.insert(row.lsn.value);
        });
        if (!restored) return restored.error().message;
        rest = std::move(*restored);
        store_->start();
        auto chunks = store::ChunkStore::open(*files_, *store_);
        auto reader = store::Reader::open(*store_);
        if (!chunks || !reader) return "no reader";
        chunks_ = std::move(*chunks);
        reader_ = std::move(*reader);
        return {};
    }
    std::string file(const char* name) const { return readFile(path_ + "/" + name).value_or(std::string()); }
    const std::string& token() const { return token_; }
    bool hasChunk(const Hash256& hash) { return hash == Hash256::ofNothing() || chunks_->verify(hash); }
    std::optional<ActionResult> result(std::int64_t lsn) {
        auto found = reader_->get(Lsn{lsn});
        return found ? std::move(*found) : std::nullopt;
    }
    std::set<std::int64_t> pending;
    store::Restored rest;

private:
    std::string path_;
    std::string token_;
    std::optional<store::DataDirectory> directory_;
    std::unique_ptr<store::ChunkFiles> files_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<store::ChunkStore> chunks_;
    std::unique_ptr<store::Reader> reader_;
};

struct Promise {
    std::uint64_t when = 0; ///< bytes of the log when it was given
    std::string what;
    std::function<bool(Left&)> holds;
};

/// An engine that is recorded, and what it promised.
class Life {
public:
    explicit Life(const Place& place)
        : place_(place)
        , log_(place.path("log.bin")) {
        if (!makeDirectories(place.data())) qFatal("mkdir");
        Yardmaster::Options options;
        options.arguments = {"--capacity", "2", "--no-sandbox", "--set", "durability=power"};
        options.wrapper = {"env", "LD_PRELOAD=" YARD_RECORDER_PATH,
                           fmt::format("YARD_RECORD={}:{}", log_, place.data())};
        Yardmaster engine(place, options);
        if (!engine.isServing()) qFatal("does not serve: %s", engine.errors().c_str());
        const std::string token = fileText(place.path("data/token"));
        promise("the token", [token](Left& left) { return left.token() + "\n" == token; });
        Caller caller = engine.caller();
        live(caller);
        if (engine.stop() != 0) qFatal("does not end: %s", engine.errors().c_str());
        history = DiskHistory::read(log_);
    }

    DiskHistory history;
    std::vector<Promise> promises;

private:
    void promise(std::string what, std::function<bool(Left&)> holds) {
        struct stat log{};
        if (::stat(log_.c_str(), &log) != 0) qFatal("nothing is recorded");
        promises.push_back({static_cast<std::uint64_t>(log.st_size), std::move(what), std::move(holds)});
    }
    Hash256 put(Caller& caller, const std::string& bytes) {
        const Hash256 hash = Sha256::of(bytes);
        const Answer answer = caller.call("PUT", "/compute/chunks/" + hash.hex(), bytes);
        if (answer.status != 200) qFatal("refused: %s", answer.shown().c_str());
        promise(fmt::format("a chunk of {} bytes", bytes.size()),
                [hash](Left& left) { return left.hasChunk(hash); });
        return hash;
    }
    std::int64_t submit(Caller& caller, const std::string& json) {
        const Answer answer = caller.post("/compute/jobs", json);
        if (answer.status != 200) qFatal("refused: %s", answer.shown().c_str());
        const std::int64_t lsn = answer.number("lsn");
        promise(fmt::format("that action {} was accepted", lsn),
                [lsn](Left& left) { return left.pending.contains(lsn) || left.result(lsn).has_value(); });
        return lsn;
    }
    void end(Caller& caller, std::int64_t lsn, ActionState state) {
        const Answer answer = caller.result(lsn);
        if (answer.text("state") != name(state)) qFatal("%s", answer.shown().c_str());
        promise(fmt::format("the end of action {}", lsn), [lsn, state](Left& left) {
            const auto result = left.result(lsn);
            if (!result || result->state != state) return false;
            if (!result->outcome) return true;
            for (const auto& stream : {result->outcome->out, result->outcome->err})
                if (stream && !left.hasChunk(stream->hash)) return false;
            return std::ranges::all_of(result->outcome->outputs,
                                       [&](const NamedChunk& output) { return left.hasChunk(output.chunk.hash); });
        });
    }
    /// A bit of everything that is answered.
    void live(Caller& caller) {
        const auto queue = caller.post("/compute/queues", R"({"tag":"night"})").number("queue_id");
        const auto hasQueue = [queue](Left& left, bool held) {
            return std::ranges::any_of(left.rest.queues, [&](const store::QueueRow& row) {
                return row.id.value == queue && (row.held || !held);
            });
        };
        promise("a queue", [hasQueue](Left& left) { return hasQueue(left, false); });
        if (caller.call("PATCH", "/compute/settings", R"({"grace_s":3})").status != 200) qFatal("settings");
        promise("a setting",
                [](Left& left) { return left.file("settings.json").find("grace_s") != std::string::npos; });
        std::string noise(40'000, '\0');
        std::mt19937 random(1);
        for (char& byte : noise) byte = static_cast<char>(random());
        put(caller, "small");
        put(caller, noise);
        put(caller, std::string(90'000, 'z'));
        const std::string program = "#!/bin/sh\necho hello from $YARD_LSN\n";
        const Hash256 file = put(caller, program);
        const std::string descriptor = fmt::format(
            R"({{"name":"greeter","version":"1","platform":"linux-x86_64","executable":"run","files":[{{"path":"run","hash":"{}","size":{},"mode":"0755"}}],"functions":[{{"name":"greet","version":"1"}}]}})",
            file.hex(), program.size());
        const Hash256 worker = Sha256::of(canonicalJson(descriptor).value_or(descriptor));
        const Answer registered = caller.post("/compute/workers/" + worker.hex(), descriptor);
        if (registered.status != 200) qFatal("worker: %s", registered.shown().c_str());
        promise("a worker", [worker](Left& left) {
            return std::ranges::any_of(left.rest.workers,
                                       [&](const store::WorkerRow& row) { return row.id == worker; });
        });
        const std::int64_t greeted = submit(caller, R"({"worker":"greeter","function":"greet"})");
        const std::int64_t held = submit(caller, shJson(place_, "exit 0", R"(,"hold":true)"));
        end(caller, greeted, ActionState::Completed);
        for (int i = 0; i < 4; ++i) {
            const std::int64_t lsn =
                submit(caller, fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"expect":["made"]}})",
                                           jsonText(fmt::format("seq {}; head -c {} /dev/urandom >outputs/made",
                                                                i * 3'000 + 1, i * 9'000 + 10))));
            end(caller, lsn, ActionState::Completed);
        }
        if (caller.post(fmt::format("/compute/jobs/{}/cancel", held)).status != 200) qFatal("cancel");
        end(caller, held, ActionState::Cancelled);
        if (caller.post(fmt::format("/compute/queues/{}/hold", queue)).status != 200) qFatal("hold");
        promise("that a queue is held", [hasQueue](Left& left) { return hasQueue(left, true); });
    }

    const Place& place_;
    std::string log_;
};

} // namespace

class TestPowerCut : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingThatWasAnsweredIsLost();
};

void TestPowerCut::nothingThatWasAnsweredIsLost() {
    const bool isEverything = qgetenv("YARD_TORTURE_CUTS") == "all";
    const unsigned seed = static_cast<unsigned>(qEnvironmentVariableIntValue("YARD_TORTURE_SEED")) + 1;
    Place place;
    const Life life(place);
    // In memory, where there is room: what is opened there syncs, too.
    const QTemporaryDir memory("/dev/shm/yard-cut-XXXXXX");
    const std::string cutHere = (memory.isValid() ? memory.path().toStdString() : place.path()) + "/cut";
    std::set<std::size_t> moments{life.history.size()};
    for (const Promise& promise : life.promises) moments.insert(life.history.callsUpTo(promise.when));
    std::mt19937 random(seed);
    if (isEverything)
        for (std::size_t i = 0; i < life.history.size(); ++i) moments.insert(i);
    else
        for (std::size_t i = 0; i < kCuts; ++i) moments.insert(random() % life.history.size());

    const auto check = [&](std::size_t calls, Unsynced unsynced, unsigned part) {
        if (!removeTree(cutHere)) qFatal("cannot remove");
        life.history.cut(calls, unsynced, part, cutHere);
        Left left(cutHere);
        std::string broken = left.open();
        for (const Promise& promise : life.promises)
            if (broken.empty() && life.history.callsUpTo(promise.when) <= calls && !promise.holds(left))
                broken = promise.what + " is lost";
        QVERIFY2(broken.empty(), fmt::format("{}; cut before call {}, way {}, part {}", broken,
                                             life.history.describe(calls), static_cast<int>(unsynced), part)
                                     .c_str());
    };
    std::size_t programs = 0;
    for (const std::size_t calls : moments) {
        for (const Unsynced unsynced : {Unsynced::Lost, Unsynced::NamesOnly, Unsynced::BytesOnly, Unsynced::Some})
            if (!QTest::currentTestFailed()) check(calls, unsynced, seed);
        if (QTest::currentTestFailed()) return;
        // Now and then the program itself, which goes on with it.
        if (random() % (isEverything ? 50 : 30) != 0) continue;
        if (!removeTree(cutHere)) qFatal("cannot remove");
        life.history.cut(calls, Unsynced::Some, seed + 1, cutHere);
        Yardmaster::Options options;
        options.arguments = {"--no-sandbox"};
        options.dataDir = cutHere;
        Yardmaster engine(place, options);
        QVERIFY2(engine.isServing(), (life.history.describe(calls) + ": " + engine.errors()).c_str());
        QCOMPARE(engine.stop(), 0);
        QVERIFY2(engine.errors().find(" error ") == std::string::npos, engine.errors().c_str());
        ++programs;
    }
    qInfo("%zu calls, %zu moments, %zu promises, %zu starts", life.history.size(), moments.size(),
          life.promises.size(), programs);
}

QTEST_GUILESS_MAIN(TestPowerCut)
#include "tst_power_cut.moc"
