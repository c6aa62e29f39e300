// The content store: every way in, every way out, and what is done about bytes that are not what their name says.
#include "core/base/files.h"
#include "core/store/chunk_codec.h"
#include "core/store/packing.h"
#include "tests/store/journal_fixture.h"

#include <QRandomGenerator>
#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

std::string noise(std::size_t size, quint32 seed = 1) {
    QRandomGenerator random(seed);
    std::string bytes(size, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.generate());
    return bytes;
}

std::string prose(std::size_t size) {
    std::string bytes;
    for (int line = 0; bytes.size() < size; ++line)
        bytes += "line " + std::to_string(line) + " of what a program says\n";
    bytes.resize(size);
    return bytes;
}

bool exists(const std::string& path) {
    return std::filesystem::exists(path);
}

} // namespace

class TestChunks : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::unique_ptr<Journal> journal_;
    std::unique_ptr<ChunkStore> chunks_;

    Result<ChunkRef> put(std::string_view bytes, std::size_t piece = 50'000,
                         std::optional<std::uint64_t> hint = {}) {
        auto writer = chunks_->writer({}, hint);
        if (!writer) return std::unexpected(writer.error());
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            if (auto written = writer->write(bytes.substr(at, piece)); !written)
                return std::unexpected(written.error());
        return writer->finish();
    }
    std::size_t temporaries() {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry :
             std::filesystem::directory_iterator(journal_->directory() + "/chunks/tmp"))
            ++count;
        return count;
    }
    std::string scratch(const char* name) { return journal_->directory() + "/" + name; }
    /// Changes one byte of a file.
    static void damage(const std::string& path, off_t at) {
        const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        char byte = 0;
        QCOMPARE(pread(file.get(), &byte, 1, at), ssize_t(1));
        byte = static_cast<char>(byte ^ 0x55);
        QCOMPARE(pwrite(file.get(), &byte, 1, at), ssize_t(1));
    }
    static void spoil(const QString& kind, const std::string& path) {
        if (kind.endsWith("cut short"))
            std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
        else if (kind == "empty file")
            std::filesystem::resize_file(path, 0);
        else if (kind.endsWith("no header"))
            damage(path, 1);
        else if (kind.endsWith("wrong size"))
            damage(path, 9);
        else
            damage(path, static_cast<off_t>(std::filesystem::file_size(path) / 2));
    }

private Q_SLOTS:
    void initTestCase() {
        journal_ = std::make_unique<Journal>(directory_.path().toStdString());
        chunks_ = *ChunkStore::open(journal_->files(), journal_->store());
    }
    void cleanupTestCase() {
        chunks_.reset();
        journal_.reset();
    }

    void whatGoesInComesOut_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("kept");
        const auto row = [](const char* name, const std::string& bytes, const char* kept) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << kept;
        };
        row("nothing", "", "nowhere");
        row("one byte", "x", "journal");
        row("the largest small one", noise(kSmallChunk), "journal");
        row("one byte more", noise(kSmallChunk + 1), "raw");
        row("small but said over the limit of the probe", prose(kProbeSize), "compressed");
        row("text over the probe", prose(kProbeSize + 1), "compressed");
        row("a megabyte of text", prose(1 << 20), "compressed");
        row("a megabyte that does not shrink", noise(1 << 20), "raw");
        row("text that turns into noise", prose(kProbeSize) + noise(1 << 20), "compressed");
    }
    void whatGoesInComesOut() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, kept);
        const std::string content = bytes.toStdString();
        const auto chunk = put(content);
        QVERIFY2(chunk.has_value(), chunk ? "" : chunk.error().message.c_str());
        QCOMPARE(chunk->hash.hex(), Sha256::of(content).hex());
        QCOMPARE(chunk->size, content.size());
        QCOMPARE(exists(journal_->files().pathOf(chunk->hash)), kept == "raw");
        QCOMPARE(exists(journal_->files().compressedPathOf(chunk->hash)), kept == "compressed");
        QCOMPARE(*chunks_->read(chunk->hash, 64 << 20), content);
        QCOMPARE(*chunks_->sizeOf(chunk->hash), content.size());
        QVERIFY(chunks_->has(chunk->hash));
        QVERIFY(chunks_->missing(std::span(&chunk->hash, 1)).empty());
        QVERIFY(put(content).has_value()); // again
        QCOMPARE(temporaries(), 0u);
        if (content.size() > 1)
            QCOMPARE(chunks_->read(chunk->hash, content.size() - 1).error().kind, ErrorKind::TooLarge);

        const auto path = scratch("made");
        QVERIFY(chunks_->materialise(chunk->hash, path, 0755));
        QCOMPARE(*readFile(path, 64 << 20), content);
        struct stat status{};
        QCOMPARE(stat(path.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 07777, 0755u);
        QVERIFY(!chunks_->materialise(chunk->hash, path, 0755)); // never over what is there
        std::filesystem::remove(path);
    }

    void aRangeIsReadFromTheMiddle() {
        for (const std::string& content : {prose(500'000), noise(500'000), prose(5'000)}) {
            const auto chunk = *put(content);
            auto reader = *chunks_->open(chunk.hash);
            std::string buffer(1000, '\0');
            for (const std::uint64_t at :
                 {4'000ull, 100ull, std::min<unsigned long long>(499'500, content.size() - 1)}) {
                QVERIFY(reader.seek(at));
                std::string got;
                while (got.size() < buffer.size()) {
                    const auto n = *reader.read(std::span(buffer).first(buffer.size() - got.size()));
                    if (n == 0) break;
                    got.append(buffer, 0, n);
                }
                QCOMPARE(got, content.substr(at, 1000));
            }
            QVERIFY(reader.seek(content.size()));
            QCOMPARE(*reader.read(buffer), 0u);
            QCOMPARE(reader.seek(content.size() + 1).error().kind, ErrorKind::Invalid);
        }
    }

    void bytesThatDoNotMatchTheHashAreRefusedAndGone() {
        for (const std::string& content : {std::string("small"), prose(300'000), noise(300'000)}) {
            auto writer = *chunks_->writer(Sha256::of("something else"));
            QVERIFY(writer.write(content));
            const auto finished = writer.finish();
            QVERIFY(!finished && finished.error().kind == ErrorKind::Invalid);
            QVERIFY(finished.error().message.starts_with("The bytes do not match the hash"));
            QVERIFY(!writer.write("more"));
            QVERIFY(!chunks_->has(Sha256::of("something else")));
            QCOMPARE(temporaries(), 0u);
        }
    }

    void anAbandonedWriterLeavesNothing() {
        {
            auto writer = *chunks_->writer();
            QVERIFY(writer.write(noise(300'000, 7)));
            QCOMPARE(temporaries(), 1u);
        }
        QCOMPARE(temporaries(), 0u);
        QVERIFY(!chunks_->has(Sha256::of(noise(300'000, 7))));
    }

    void aKnownLargeOneIsKeptRaw() {
        const std::string content = prose(300'000) + "known to be large";
        const auto chunk = *put(content, 50'000, kMaxCompressed + 1);
        QVERIFY(exists(journal_->files().pathOf(chunk.hash)));
    }

    void oneThatGrowsOverTheLimitOfCompressionEndsRaw() {
        const std::string block = prose(1 << 20);
        Sha256 hasher;
        auto writer = *chunks_->writer();
        const std::uint64_t blocks = kMaxCompressed / block.size() + 2;
        for (std::uint64_t i = 0; i < blocks; ++i) {
            hasher.update(block);
            QVERIFY(writer.write(block));
        }
        const auto chunk = writer.finish();
        QVERIFY2(chunk.has_value(), chunk ? "" : chunk.error().message.c_str());
        QVERIFY(chunk->hash == hasher.finish());
        QCOMPARE(chunk->size, blocks * block.size());
        QVERIFY(exists(journal_->files().pathOf(chunk->hash)));
        QCOMPARE(temporaries(), 0u);
        auto reader = *chunks_->open(chunk->hash, true);
        std::string buffer(1 << 20, '\0');
        std::uint64_t read = 0;
        for (;;) {
            const auto got = reader.read(buffer);
            QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
            if (*got == 0) break;
            read += *got;
        }
        QCOMPARE(read, chunk->size);
    }

    void aFinishedFileIsAdoptedWithoutACopy() {
        const std::string content = noise(100'000, 3);
        const auto path = chunks_->temporaryPath();
        QVERIFY(writeFileAtomically(path, content, 0600));
        struct stat before{};
        QCOMPARE(stat(path.c_str(), &before), 0);
        const Hash256 hash = Sha256::of(content);
        QVERIFY(chunks_->adopt(path, hash, content.size()));
        QVERIFY(!exists(path));
        struct stat after{};
        QCOMPARE(stat(journal_->files().pathOf(hash).c_str(), &after), 0);
        QCOMPARE(after.st_ino, before.st_ino);
        QCOMPARE(*chunks_->read(hash, 1 << 20), content);
        // the same again, then one with another size, an empty one, a link, none
        QVERIFY(writeFileAtomically(path, content, 0600));
        QVERIFY(chunks_->adopt(path, hash, content.size()));
        QVERIFY(!exists(path));
        QVERIFY(writeFileAtomically(path, "short", 0600));
        QCOMPARE(chunks_->adopt(path, hash, 6).error().kind, ErrorKind::Invalid);
        QVERIFY(!exists(path));
        QVERIFY(writeFileAtomically(path, "", 0600));
        QVERIFY(chunks_->adopt(path, Hash256::ofNothing(), 0));
        QVERIFY(writeFileAtomically(path, "", 0600));
        QCOMPARE(chunks_->adopt(path, hash, 0).error().kind, ErrorKind::Invalid);
        std::filesystem::create_symlink("/etc/passwd", path);
        QCOMPARE(chunks_->adopt(path, hash, 11).error().kind, ErrorKind::Invalid);
        QVERIFY(!chunks_->adopt(path, hash, 1));
        QCOMPARE(temporaries(), 0u);
    }

    void aDamagedChunkIsAnErrorOnceAndMissingFromThenOn_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"raw", "raw, cut short", "compressed", "compressed, cut short",
                                 "compressed, no header", "compressed, wrong size", "empty file"})
            QTest::newRow(kind) << kind;
    }
    void aDamagedChunkIsAnErrorOnceAndMissingFromThenOn() {
        QFETCH(QString, kind);
        const bool compressed = kind.startsWith("compressed");
        const std::string content = (compressed ? prose(400'000) : noise(400'000, 9)) + kind.toStdString();
        const auto chunk = *put(content);
        const std::string path =
            compressed ? journal_->files().compressedPathOf(chunk.hash) : journal_->files().pathOf(chunk.hash);
        QVERIFY(exists(path));
        spoil(kind, path);

        const auto made = chunks_->materialise(chunk.hash, scratch("damaged"), 0644);
        QVERIFY(!made);
        QCOMPARE(made.error().kind, ErrorKind::Io);
        QVERIFY(made.error().message.find(chunk.hash.hex()) != std::string::npos);
        QVERIFY(!exists(scratch("damaged")));
        QVERIFY(exists(path + ".bad"));
        QVERIFY(!chunks_->has(chunk.hash));
        QCOMPARE(chunks_->missing(std::span(&chunk.hash, 1)).size(), 1u);
        QCOMPARE(chunks_->open(chunk.hash).error().kind, ErrorKind::NotFound);
        QVERIFY(!chunks_->sizeOf(chunk.hash));
        QVERIFY(put(content).has_value()); // sent again it is whole again
        QCOMPARE(*chunks_->read(chunk.hash, 1 << 20), content);
    }

    void whatIsPutOverADamagedChunkReplacesIt_data() { aDamagedChunkIsAnErrorOnceAndMissingFromThenOn_data(); }
    void whatIsPutOverADamagedChunkReplacesIt() {
        QFETCH(QString, kind);
        const bool compressed = kind.startsWith("compressed");
        const std::string content = (compressed ? prose(300'000) : noise(300'000, 11)) + kind.toStdString();
        const Hash256 hash = put(content)->hash;
        spoil(kind, compressed ? journal_->files().compressedPathOf(hash) : journal_->files().pathOf(hash));
        QVERIFY(kind != "empty file" || (!chunks_->has(hash) && chunks_->missing(std::span(&hash, 1)).size() == 1));
        QVERIFY(put(content).has_value());
        QCOMPARE(*chunks_->read(hash, 1 << 20), content);
        // An output of an action comes as a file.
        spoil("raw", compressed ? journal_->files().compressedPathOf(hash) : journal_->files().pathOf(hash));
        const auto path = chunks_->temporaryPath();
        QVERIFY(writeFileAtomically(path, content, 0600));
        QVERIFY(chunks_->adopt(path, hash, content.size()));
        QCOMPARE(*chunks_->read(hash, 1 << 20), content);
    }

    void whatIsPutOverADamagedSmallChunkReplacesIt() {
        const std::string text = "small and whole";
        const Hash256 hash = Sha256::of(text);
        QVERIFY(journal_->store().carryOutAndWait(PutChunk{{hash, "small, damaged"}}));
        QVERIFY(chunks_->putSmall(text));
        QCOMPARE(*chunks_->read(hash, 100), text);
    }

    void aSmallChunkWhosePackIsDamagedIsMissingOrReplaced_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"other bytes", "cut short", "gone"}) QTest::newRow(how) << how;
    }
    void aSmallChunkWhosePackIsDamagedIsMissingOrReplaced() {
        QFETCH(QString, how);
        StoreOptions options;
        options.largeGroup = 1;
        QTemporaryDir place;
        Journal journal(place.path().toStdString(), options);
        const auto chunks = *ChunkStore::open(journal.files(), journal.store());
        const std::string text = noise(10'000, 5);
        const Hash256 hash = chunks->putSmall(text)->hash;
        const std::string pack = journal.files().packPath(1);
        if (how == "gone")
            QVERIFY(std::filesystem::remove(pack));
        else if (how == "cut short")
            std::filesystem::resize_file(pack, 9'999);
        else
            damage(pack, 5'000);
        if (how != "other bytes") {
            QVERIFY(!chunks->has(hash));
            Accept lacking = accept({1});
            lacking.items[0].chunks = {hash};
            QCOMPARE(word(journal.carryOut(std::move(lacking))), "need");
        }
        QCOMPARE(chunks->putSmall(text)->hash, hash);
        QCOMPARE(*chunks->read(hash, 100'000), text);
        Accept whole = accept({2});
        whole.items[0].chunks = {hash};
        QCOMPARE(word(journal.carryOut(std::move(whole))), "ok");
    }

    void aDamagedSmallChunkIsMissingFromThenOnToo() {
        const SmallChunk wrong{Sha256::of("what it should be"), "what it is"};
        QVERIFY(journal_->store().carryOutAndWait(PutChunk{wrong}));
        QVERIFY(chunks_->has(wrong.hash));
        const auto read = chunks_->read(wrong.hash, 1000);
        QVERIFY(!read && read.error().kind == ErrorKind::Io);
        QVERIFY(!chunks_->has(wrong.hash));
    }

    void aMissingChunkIsNotFound() {
        const Hash256 hash = Sha256::of("never put");
        QCOMPARE(chunks_->open(hash).error().kind, ErrorKind::NotFound);
        QCOMPARE(chunks_->materialise(hash, scratch("missing"), 0644).error().kind, ErrorKind::NotFound);
        QVERIFY(!exists(scratch("missing")));
    }

    void smallOnesGoIntoTheJournal() {
        const auto chunk = *chunks_->putSmall("a little");
        QCOMPARE(*chunks_->read(chunk.hash, 100), "a little");
        QCOMPARE(chunks_->putSmall(std::string(kSmallChunk + 1, 'x')).error().kind, ErrorKind::TooLarge);
        QCOMPARE(chunks_->putSmall("")->size, 0u);
    }

    void manyThreadsPutTheSameBytes() {
        const std::string content = prose(300'000) + "same";
        std::atomic<int> good{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i)
                threads.emplace_back([&] {
                    for (int k = 0; k < 5; ++k)
                        if (put(content) && chunks_->putSmall("same small") && chunks_->has(Sha256::of(content)))
                            ++good;
                });
        }
        QCOMPARE(good, 40);
        QCOMPARE(*chunks_->read(Sha256::of(content), 1 << 20), content);
        QCOMPARE(temporaries(), 0u);
    }

    void aWriteThatFailsLeavesNothing() {
        // A limit on the size of files: the write beyond it fails as on a full disk, without one.
        rlimit old{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
        const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
        auto writer = *chunks_->writer();
        QVERIFY(writer.write(noise(200'000, 5)));
        const rlimit small{250'000, old.rlim_max};
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto written = writer.write(noise(200'000, 6));
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);
        std::signal(SIGXFSZ, ignored);
        QVERIFY(!written);
        QCOMPARE(written.error().sysErrno, EFBIG);
        QVERIFY(!writer.finish());
        QCOMPARE(temporaries(), 0u);
    }

    void zerosTakeNoRoomInALargeChunk() {
        constexpr std::uint64_t kHole = 80u << 20;
        const std::string head = noise(300'000, 7);
        auto writer = *chunks_->writer({}, head.size() + kHole + 1);
        QVERIFY(writer.writeZeros(0));
        QVERIFY(writer.write(head));
        QVERIFY(writer.writeZeros(kHole));
        QVERIFY(writer.write("x"));
        const auto chunk = *writer.finish();
        const std::string content = head + std::string(kHole, '\0') + "x";
        QCOMPARE(chunk.size, content.size());
        QCOMPARE(chunk.hash.hex(), Sha256::of(content).hex());
        QVERIFY(*chunks_->read(chunk.hash, 128 << 20) == content);
        struct stat file{};
        QCOMPARE(stat(journal_->files().pathOf(chunk.hash).c_str(), &file), 0);
        QVERIFY2(file.st_blocks * 512 < 1 << 20, std::to_string(file.st_blocks).c_str());
    }

    void zerosOfASmallChunkAreBytesLikeOthers() {
        for (const std::uint64_t size : {std::uint64_t{5}, kSmallChunk + 1, std::uint64_t{1} << 20}) {
            auto writer = *chunks_->writer();
            QVERIFY(writer.writeZeros(size));
            const auto chunk = *writer.finish();
            QVERIFY(*chunks_->read(chunk.hash, 2 << 20) == std::string(size, '\0'));
        }
    }

    void zerosThatCannotBeKeptLeaveNothing() {
        rlimit old{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
        const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
        auto writer = *chunks_->writer({}, std::uint64_t{1} << 30);
        QVERIFY(writer.write(noise(200'000, 8)));
        const rlimit small{250'000, old.rlim_max};
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto written = writer.writeZeros(200'000);
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);
        std::signal(SIGXFSZ, ignored);
        QVERIFY(!written);
        QCOMPARE(written.error().sysErrno, EFBIG);
        QVERIFY(!writer.writeZeros(1) && !writer.finish());
        QCOMPARE(temporaries(), 0u);
    }

    void whatAKilledEngineLeftInTmpGoesAtTheNextStart() {
        const auto path = directory_.path().toStdString() + "/left";
        QVERIFY(makeDirectories(path + "/tmp"));
        QVERIFY(writeFileAtomically(path + "/tmp/123.4", "half", 0600));
        const auto files = *ChunkFiles::open(path, false, Duration{});
        QVERIFY(exists(path + "/tmp") && !exists(path + "/tmp/123.4"));
    }

    void whatWasTouchedIsNotDeletedForTheGraceTime() {
        const auto path = directory_.path().toStdString() + "/grace";
        const Hash256 hash = Sha256::of("x");
        const auto longOne = *ChunkFiles::open(path, false, std::chrono::hours(1));
        QVERIFY(longOne->isRecent(hash)); // after a start nobody knows what was touched before it
        const auto none = *ChunkFiles::open(path, false, Duration{});
        QVERIFY(!none->isRecent(hash));
        none->touch(hash);
        QVERIFY(!none->isRecent(hash));
    }

    void aReferenceReadsBackOrIsNothing() {
        const ChunkRef something{Sha256::of("x"), 1};
        QCOMPARE(unpackChunk(packChunk(something))->hash.hex(), something.hash.hex());
        QCOMPARE(unpackChunk(packChunk({Hash256::ofNothing(), 0}))->size, 0u);
        // Damaged: too short, and one that says it is empty but has bytes.
        QVERIFY(!unpackChunk(packChunk(something).substr(1)));
        std::string empty = packChunk(something);
        empty[32] = '\0';
        QVERIFY(!unpackChunk(empty));
    }
};

QTEST_GUILESS_MAIN(TestChunks)
#include "tst_chunks.moc"
