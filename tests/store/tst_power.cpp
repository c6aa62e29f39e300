// What is on the disk when the power goes: the calls that a store makes are recorded, cut, and what is left is
// opened.
#include "core/base/files.h"
#include "core/store/data_directory.h"
#include "tests/store/journal_fixture.h"
#include "tests/support/file_recorder.h"
#include "tests/support/power_cut.h"

#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

constexpr int kSeeds = 1;

/// A directory whose changes are recorded while this lives.
class Recorded {
public:
    explicit Recorded(const std::string& place)
        : directory_(place + "/data")
        , log_(place + "/log")
        , cutHere_(place + "/cut") {
        if (!makeDirectories(directory_)) qFatal("mkdir");
        startRecording(log_, directory_);
    }
    ~Recorded() { end(); }
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;

    const std::string& directory() const { return directory_; }
    /// Where the log is now: what was promised up to now is held after a cut from here on.
    std::uint64_t now() const {
        struct stat log{};
        return stat(log_.c_str(), &log) == 0 ? static_cast<std::uint64_t>(log.st_size) : 0;
    }
    void end() {
        if (recording_) stopRecording();
        recording_ = false;
    }
    const DiskHistory& history() {
        end();
        if (history_.size() == 0) history_ = DiskHistory::read(log_);
        return history_;
    }
    /// Each way in which the power can go after so many calls: `look` gets the directory that is left.
    void eachCut(std::size_t calls, const std::function<void(const std::string&)>& look) {
        const auto cut = [&](Unsynced unsynced, unsigned seed) {
            if (QTest::currentTestFailed()) return;
            if (!removeTree(cutHere_)) qFatal("remove");
            history().cut(calls, unsynced, seed, cutHere_);
            look(cutHere_);
            if (QTest::currentTestFailed())
                qWarning("… cut before call %s, way %d, seed %u", history().describe(calls).c_str(),
                         static_cast<int>(unsynced), seed);
        };
        for (const Unsynced unsynced : {Unsynced::Lost, Unsynced::NamesOnly, Unsynced::BytesOnly}) cut(unsynced, 0);
        for (unsigned seed = 1; seed <= kSeeds; ++seed) cut(Unsynced::Some, seed);
    }

private:
    std::string directory_;
    std::string log_;
    std::string cutHere_;
    DiskHistory history_;
    bool recording_ = true;
};

StoreOptions withDurability(Durability durability) {
    StoreOptions options;
    options.durability = durability;
    return options;
}

} // namespace

class TestPower : public QObject {
    Q_OBJECT
    Directories directories_;

private Q_SLOTS:
    void whatIsRecordedIsWhatWasDone() {
        Recorded recorded(directories_.fresh("replay"));
        {
            Journal journal(recorded.directory() + "/made", withDurability(Durability::Process));
            for (std::int64_t lsn = 1; lsn <= 50; ++lsn) QCOMPARE(word(journal.carryOut(accept({lsn}))), "ok");
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            auto writer = *chunks->writer();
            QVERIFY(writer.write(std::string(200'000, 'a')) && writer.finish());
        }
        const auto again = directories_.fresh("again") + "/replayed";
        recorded.history().replay(recorded.history().size(), again);
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(recorded.directory())) {
            const std::string path = entry.path().string();
            const std::string other = again + path.substr(recorded.directory().size());
            QVERIFY2(std::filesystem::exists(other), other.c_str());
            if (!entry.is_regular_file() || path.ends_with("-shm")) continue;
            QVERIFY2(*readFile(path, 64u << 20) == *readFile(other, 64u << 20), other.c_str());
            ++files;
        }
        QVERIFY(files >= 2);
        QCOMPARE(std::distance(std::filesystem::recursive_directory_iterator(again), {}),
                 std::distance(std::filesystem::recursive_directory_iterator(recorded.directory()), {}));
    }

    void powerSyncsEveryGroup() {
        Recorded recorded(directories_.fresh("groups"));
        const std::string text(3'000, 'x');
        std::vector<std::pair<std::uint64_t, std::int64_t>> accepted; // when, LSN
        std::uint64_t ended = 0;
        {
            Journal journal(recorded.directory(), withDurability(Durability::Power));
            for (std::int64_t lsn = 1; lsn <= 6; ++lsn) {
                QCOMPARE(word(journal.carryOut(accept({lsn}))), "ok");
                accepted.emplace_back(recorded.now(), lsn);
            }
            Finish done = finish(1);
            done.chunks.push_back(chunk(text));
            QCOMPARE(word(journal.carryOut(std::move(done))), "ok");
            ended = recorded.now();
        }
        for (const auto& [when, last] : accepted) {
            recorded.eachCut(recorded.history().callsUpTo(when), [count = last](const std::string& left) {
                Journal journal(left);
                QCOMPARE(std::ssize(journal.pending), count);
            });
        }
        recorded.eachCut(recorded.history().callsUpTo(ended), [&](const std::string& left) {
            Journal journal(left);
            QCOMPARE(lsnsOf(journal.pending), "2 3 4 5 6");
            QCOMPARE(get(journal, 1)->state, ActionState::Completed);
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            QCOMPARE(*chunks->read(Sha256::of(text), 10'000), text);
        });
    }

    void powerKeepsEachChunkThatWasPut() {
        Recorded recorded(directories_.fresh("chunks"));
        std::vector<std::pair<std::uint64_t, Hash256>> put;
        {
            Journal journal(recorded.directory(), withDurability(Durability::Power));
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            for (int i = 0; i < 3; ++i) {
                std::string noise(50'000, '\0');
                std::mt19937 random(static_cast<unsigned>(i));
                for (char& byte : noise) byte = static_cast<char>(random());
                for (const std::string& bytes : {noise, std::string(100'000, static_cast<char>('a' + i)), noise}) {
                    auto writer = *chunks->writer();
                    QVERIFY(writer.write(bytes));
                    put.emplace_back(0, writer.finish()->hash);
                    put.back().first = recorded.now();
                }
            }
        }
        for (std::size_t i = 0; i < put.size(); ++i) {
            recorded.eachCut(recorded.history().callsUpTo(put[i].first), [&](const std::string& left) {
                Journal journal(left);
                auto chunks = *ChunkStore::open(journal.files(), journal.store());
                for (std::size_t k = 0; k <= i; ++k)
                    QVERIFY2(chunks->verify(put[k].second), std::to_string(k).c_str());
            });
        }
    }

    void emptyingAPackLosesNothingThatWasOnTheDisk() {
        Recorded recorded(directories_.fresh("packs"));
        const auto text = [](std::int64_t lsn) { return std::string(6'000, static_cast<char>('a' + lsn)); };
        std::size_t begin = 0;
        {
            StoreOptions options = withDurability(Durability::Power);
            options.largeGroup = 1;
            Journal journal(recorded.directory(), options);
            std::vector<Operation> operations;
            for (std::int64_t lsn = 1; lsn <= 4; ++lsn) {
                Finish done = finish(lsn);
                done.chunks.push_back(chunk(text(lsn)));
                done.attempt->outcome.out = ChunkRef{Sha256::of(text(lsn)), 6'000};
                operations.push_back({.tag = 0, .unhurried = false, .action = accept({lsn})});
                operations.push_back({.tag = 0, .unhurried = false, .action = std::move(done)});
            }
            QVERIFY(journal.store().post(std::move(operations)).has_value());
            QCOMPARE(word(journal.carryOut(note("all", "written"))), "ok");
        }
        const std::uint64_t before = recorded.now();
        {
            // A life that syncs nothing for those who submit.
            Journal journal(recorded.directory(), withDurability(Durability::Process));
            QVERIFY(std::filesystem::exists(journal.files().packPath(1)));
            AckDetail step = journal.carryOut(CompactPack{1});
            QVERIFY(step.swept && step.swept->more);
            step = journal.carryOut(CompactPack{1});
            QVERIFY(!step.swept->more && !std::filesystem::exists(journal.files().packPath(1)));
        }
        begin = recorded.history().callsUpTo(before);
        for (std::size_t calls = begin; calls <= recorded.history().size() && !QTest::currentTestFailed(); ++calls)
            recorded.eachCut(calls, [&](const std::string& left) {
                Journal journal(left);
                auto chunks = *ChunkStore::open(journal.files(), journal.store());
                for (std::int64_t lsn = 1; lsn <= 4; ++lsn) {
                    const auto kept = chunks->read(Sha256::of(text(lsn)), 10'000);
                    QVERIFY2(kept && *kept == text(lsn), kept ? "" : kept.error().message.c_str());
                }
            });
    }

    void identityAndTokenAreKeptOnceTheyWereTold() {
        Recorded recorded(directories_.fresh("token"));
        std::string id;
        std::string token;
        std::uint64_t told = 0;
        {
            auto directory = *DataDirectory::open(recorded.directory() + "/deep/er");
            id = directory.engineId();
            token = *directory.token();
            told = recorded.now();
            QVERIFY(directory.publishAddress("http://127.0.0.1:1"));
        }
        const std::size_t from = recorded.history().callsUpTo(told);
        for (std::size_t calls = 0; calls <= recorded.history().size() && !QTest::currentTestFailed(); ++calls)
            recorded.eachCut(calls, [&](const std::string& left) {
                auto directory = DataDirectory::open(left + "/deep/er");
                QVERIFY2(directory.has_value(), directory ? "" : directory.error().message.c_str());
                const auto again = directory->token();
                QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
                QVERIFY(calls < from || (directory->engineId() == id && *again == token));
            });
    }
};

QTEST_GUILESS_MAIN(TestPower)
#include "tst_power.moc"
