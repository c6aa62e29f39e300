// A recording as a file: what goes in comes out, group by group, within its limit, and a kill leaves what was committed.
#include "core/recording/sqlite_file.h"
#include "tests/recording/sample.h"

#include <csignal>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::recording;
using namespace yard::test;

class TestRecordingFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsWrittenIsReadAgain();
    void aGroupIsThereOnceItIsCommitted();
    void whileSomebodyReadsAGroupStaysOpen();
    void aKillInTheMiddleLeavesTheGroupsBefore();
    void whatTheDiskDoesNotTakeIsLostAndTheRestIsReadable();
    void aChunkIsKeptOnce();
    void aLargeChunkIsKeptInParts();
    void whatIsNoChunkIsRefusedAndLeavesNothing();
    void theLimitOfBytesHolds();
    void anActionIsRecordedOnce();
    void whatHasNotEndedIsRefused();
    void manyActionsShareFrames();
    void anActionLargerThanAFrameHasOneOfItsOwn();
    void aFileThatIsThereIsNotWrittenOver();
    void otherToolsReadThePlainColumns();
    void aNoteCanBeChanged();
    void oneOfThePastHasTheSpanOfItsActions();
    void aStatementReadsWhatWasBound();
    void aConnectionSaysWhatFailed();
    void aConnectionThatDistrustsItsFileRunsNothingOfIt();
    void whatIsWatchedEndsOnceNobodyWantsIt();

    void cleanup() {
        for (const QString& file : QDir(dir_.path()).entryList(QDir::Files)) QFile::remove(dir_.filePath(file));
    }

private:
    std::string path() const { return (dir_.path() + "/one.yrec").toStdString(); }
    std::string lsns(RecordingReader& reader) const {
        std::string text;
        const auto page = reader.actions(0, 100);
        if (!page) return page.error().message;
        for (const RecordedAction& action : *page) text += fmt::format("{} ", columnsOf(action.result)->lsn.value);
        return text;
    }
    QTemporaryDir dir_;
};

void TestRecordingFile::oneOfThePastHasTheSpanOfItsActions() {
    RecordingHead past = sampleHead();
    past.ofThePast = true;
    const auto withTimes = [](int lsn, const std::string& times) {
        RecordedAction action = sampleAction(lsn, "a");
        const std::size_t at = action.result.find(R"({"new":5)");
        action.result = action.result.substr(0, at) + times + "}";
        return action;
    };
    const auto span = [&] {
        const auto head = RecordingReader::open(path())->head();
        return head ? fmt::format("{} {}", head->started, head->ended) : head.error().message;
    };
    const std::string made = fmt::format("{} ", past.started);
    {
        auto writer = RecordingWriter::create(path(), past, 1u << 30);
        QVERIFY(writer.has_value());
        QCOMPARE(span(), made + "0"); // there are no actions yet
        QVERIFY(writer->add(withTimes(1, R"({"new":5,"running":40,"completed":60})")).has_value());
        QVERIFY(writer->add(withTimes(2, R"({"new":6,"running":20,"completed":50})")).has_value());
        QVERIFY(writer->commit(0, 0).has_value());
        QCOMPARE(span(), std::string("20 60"));
        QVERIFY(writer->add(withTimes(3, R"({"new":7,"completed":70})")).has_value()); // never ran
        QVERIFY(writer->commit(0, 0).has_value());
    }
    // Whoever wrote it has gone.
    QVERIFY(RecordingWriter::recover(path(), 1'000).has_value());
    QCOMPARE(span(), std::string("20 70"));
    QVERIFY(QFile::remove(QString::fromStdString(path())));
    {
        auto writer = RecordingWriter::create(path(), past, 1u << 30);
        QVERIFY(writer.has_value());
        QVERIFY(writer->add(withTimes(4, R"({"new":5,"running":30,"completed":35})")).has_value());
        past.ended = 1'000;
        QVERIFY(writer->finish(past).has_value());
        QCOMPARE(span(), std::string("30 35"));
    }
    QVERIFY(QFile::remove(QString::fromStdString(path())));
    auto empty = RecordingWriter::create(path(), past, 1u << 30);
    QVERIFY(empty && empty->finish(past).has_value());
    QCOMPARE(span(), made + "1000");
}

void TestRecordingFile::aStatementReadsWhatWasBound() {
    sqlite::Connection file;
    QCOMPARE(file.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), SQLITE_OK);
    const auto prepared = [&file](const char* sql) { return file.prepare(sql).value_or(sqlite::Statement()); };
    QVERIFY(prepared("CREATE TABLE t(a, b, c, d, e)").run() == SQLITE_OK);
    Hash256 hash;
    hash.bytes.fill(7);
    const std::string_view bytes("a\0b", 3);
    {
        sqlite::Statement put = prepared("INSERT INTO t VALUES(?, ?, ?, ?, ?)");
        QCOMPARE(put.run(Lsn(5), std::string("text"), sqlite::Bytes{bytes}, std::optional(hash), nullptr),
                 SQLITE_OK);
        QCOMPARE(put.run(6, "", sqlite::Bytes{}, std::optional<Hash256>(), std::optional<int>()), SQLITE_OK);
        sqlite::Statement get = prepared("SELECT * FROM t WHERE a>=? ORDER BY a");
        get.begin(5);
        QCOMPARE(get.step(), SQLITE_ROW);
        QCOMPARE(get.integer(0), std::int64_t{5});
        QCOMPARE(get.text(1), std::string_view("text"));
        QCOMPARE(get.text(2), bytes);
        QVERIFY(get.hash(3) == hash);
        QVERIFY(!get.hash(2)); // not 32 bytes
        QVERIFY(get.isNull(4) && !get.optionalInteger(4));
        get.begin(6); // one row was not read
        QCOMPARE(get.step(), SQLITE_ROW);
        QCOMPARE(get.optionalInteger(0), std::optional<std::int64_t>(6));
        QVERIFY(!get.isNull(1) && get.text(1).empty() && !get.isNull(2) && get.isNull(3));
        QCOMPARE(get.step(), SQLITE_DONE);
        QVERIFY(!prepared("no SQL at all"));
    }
    QVERIFY(sqlite3_next_stmt(file.handle(), nullptr) == nullptr); // all statements are gone
    QCOMPARE(sqlite::plainWords("near \"\x1b[2J\xff\": error"), std::string("near \"?[2J?\": error"));
    QCOMPARE(sqlite::plainWords(std::string(1'000, 'x')).size(), std::size_t{300});
}

void TestRecordingFile::aConnectionSaysWhatFailed() {
    sqlite::Connection none;
    QVERIFY(!none);
    QCOMPARE(none.open(dir_.filePath("no/where").toStdString(), SQLITE_OPEN_READONLY) & 0xff, SQLITE_CANTOPEN);
    QCOMPARE(none.words(SQLITE_CANTOPEN), std::string("unable to open database file"));

    sqlite::Connection file;
    QCOMPARE(file.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), SQLITE_OK);
    QCOMPARE(file.execute("no SQL at all"), SQLITE_ERROR);
    QVERIFY(file.words(SQLITE_ERROR).contains("syntax error"));
    QCOMPARE(file.prepare("SELECT * FROM missing").error(), SQLITE_ERROR);
    QCOMPARE(file.number("SELECT * FROM missing").error(), SQLITE_ERROR);
    QCOMPARE(file.number("SELECT 7").value(), std::int64_t{7});
    QCOMPARE(file.number("SELECT 7 WHERE 0").value(), std::int64_t{0});
    QVERIFY(!file.isInTransaction());
    QCOMPARE(file.execute("BEGIN"), SQLITE_OK);
    QVERIFY(file.isInTransaction());
    sqlite::Connection moved = std::move(file);
    QVERIFY(moved.isInTransaction());
    moved = sqlite::Connection();
    QVERIFY(!moved);
}

void TestRecordingFile::aConnectionThatDistrustsItsFileRunsNothingOfIt() {
    sqlite::Connection file;
    QCOMPARE(file.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), SQLITE_OK);
    QCOMPARE(file.execute("CREATE TABLE t(a); CREATE TABLE u(a); CREATE VIEW v AS SELECT 1;"
                          "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END"),
             SQLITE_OK);
    QCOMPARE(file.number("SELECT * FROM v").value(), std::int64_t{1});
    QCOMPARE(file.distrust(1'000), SQLITE_OK);
    QVERIFY(!file.number("SELECT * FROM v").has_value());
    QCOMPARE(file.execute("INSERT INTO t VALUES(1)"), SQLITE_OK);
    QCOMPARE(file.number("SELECT count(*) FROM u").value(), std::int64_t{0});
    QCOMPARE(file.number("SELECT zeroblob(1001)").error() & 0xff, SQLITE_TOOBIG);
}

void TestRecordingFile::whatIsWatchedEndsOnceNobodyWantsIt() {
    sqlite::Connection file;
    QCOMPARE(file.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE), SQLITE_OK);
    const std::string counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<100000) "
                                 "SELECT count(*) FROM n";
    int asked = 0;
    {
        const std::function<bool()> goOn = [&] { return ++asked < 3; };
        const sqlite::Connection::Watch watch(file, goOn);
        QCOMPARE(file.number(counting).error() & 0xff, SQLITE_INTERRUPT);
    }
    QCOMPARE(asked, 3);
    QCOMPARE(file.number(counting).value(), std::int64_t{100'000});
    QCOMPARE(asked, 3);
}

void TestRecordingFile::whatIsWrittenIsReadAgain() {
    writeSample(path());
    QCOMPARE(checked(path()), std::string("ok"));
    auto reader = RecordingReader::open(path());
    const auto head = reader->head();
    QVERIFY(head.has_value());
    QCOMPARE(head->note, std::string("a note"));
    QCOMPARE(head->filter, std::string("label:night"));
    QCOMPARE(std::string(name(head->state)), std::string("complete"));
    QCOMPARE(head->ended, WallMicros{12});
    const auto counts = reader->counts();
    QCOMPARE(counts->actions, 2);
    QCOMPARE(counts->workers, 1);
    QCOMPARE(counts->chunks, 2);
    QCOMPARE(counts->chunkBytes, 9);
    const auto page = reader->actions(0, 1);
    QCOMPARE(page->size(), std::size_t{1});
    QCOMPARE(page->front().action, sampleAction(3, "hello").action);
    QCOMPARE(page->front().result, sampleAction(3, "hello").result);
    QCOMPARE(page->front().machine, std::string("desk"));
    const auto rest = reader->actions(page->front().n, 10);
    QCOMPARE(rest->size(), std::size_t{1});
    std::string bytes;
    const auto read = reader->chunk(Sha256::of("hello"), [&](std::string_view more) -> Result<void> {
        bytes += more;
        return {};
    });
    QVERIFY(read.has_value());
    QCOMPARE(bytes, std::string("hello"));
    QVERIFY(!*reader->hasChunk(Sha256::of("other")));
    QCOMPARE(reader->workers()->size(), std::size_t{1});
    QCOMPARE(**reader->worker(sampleWorker().id), sampleWorker().canonical);
    QVERIFY(!reader->worker(Sha256::of("other"))->has_value());
}

void TestRecordingFile::aGroupIsThereOnceItIsCommitted() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    QVERIFY(writer->commit(2, 3).has_value());
    QVERIFY(writer->add(sampleAction(2, "a")).has_value());
    auto reader = RecordingReader::open(path());
    QCOMPARE(lsns(*reader), std::string("1 "));
    QCOMPARE(reader->head()->missed, 2);
    QCOMPARE(reader->head()->gone, 3);
    QVERIFY(writer->commit(2, 3).has_value());
    QCOMPARE(lsns(*reader), std::string("1 2 "));
}

void TestRecordingFile::whileSomebodyReadsAGroupStaysOpen() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    QVERIFY(!writer->isUncommitted());
    sqlite3* other = nullptr;
    sqlite3_stmt* rows = nullptr;
    QCOMPARE(sqlite3_open(path().c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_prepare_v2(other, "SELECT note FROM recording", -1, &rows, nullptr), SQLITE_OK);
    QCOMPARE(sqlite3_step(rows), SQLITE_ROW);
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QVERIFY(writer->isUncommitted());
    QVERIFY(writer->add(sampleAction(2, "a")).has_value());
    sqlite3_finalize(rows);
    sqlite3_close(other);
    QVERIFY(writer->commit(0, 0).has_value());
    QVERIFY(!writer->isUncommitted());
    auto reader = RecordingReader::open(path());
    QCOMPARE(lsns(*reader), std::string("1 2 "));
}

void TestRecordingFile::aKillInTheMiddleLeavesTheGroupsBefore() {
    const pid_t child = ::fork();
    if (child == 0) {
        auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
        (void)writer->add(sampleAction(1, "a"));
        (void)writer->commit(0, 0);
        // More than SQLite's cache, so that the file itself has been written to.
        std::string large(8u << 20, 'x');
        for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2654435761u >> 13);
        (void)writer->add(sampleAction(2, "a"));
        (void)writer->addChunk(refOf(large),
                               [at = std::size_t{0}, &large](std::size_t most) mutable -> Result<std::string> {
                                   const std::string piece = large.substr(at, most);
                                   at += piece.size();
                                   if (at >= large.size()) ::_exit(0);
                                   return piece;
                               });
        ::_exit(1);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    QVERIFY(QFile::exists(QString::fromStdString(path() + "-journal")));
    QVERIFY(RecordingWriter::recover(path(), 77).has_value());
    QVERIFY(!QFile::exists(QString::fromStdString(path() + "-journal")));
    QCOMPARE(checked(path()), std::string("ok"));
    auto reader = RecordingReader::open(path());
    QCOMPARE(lsns(*reader), std::string("1 "));
    QCOMPARE(std::string(name(reader->head()->state)), std::string("interrupted"));
    QCOMPARE(reader->head()->ended, WallMicros{77});
}

void TestRecordingFile::whatTheDiskDoesNotTakeIsLostAndTheRestIsReadable() {
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr rlim_t kMost = 400'000;
        const rlimit limit{.rlim_cur = kMost, .rlim_max = kMost};
        (void)::signal(SIGXFSZ, SIG_IGN);
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
        auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
        Result<void> done;
        for (int lsn = 1; done && lsn < 1'000; ++lsn) {
            RecordedAction large = sampleAction(lsn, "a");
            large.action = fmt::format(R"({{"worker":"w","function":"f","args":{{"x":"{}"}}}})", randomHex(10'000));
            done = writer->add(large);
            if (done && lsn % 5 == 0) done = writer->commit(0, 0);
        }
        if (done) ::_exit(3);
        RecordingHead head = sampleHead();
        head.state = RecordingState::Cut;
        head.why = "It is full.";
        ::_exit(writer->finish(head) ? 0 : 1);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    QCOMPARE(checked(path()), std::string("ok"));
    auto reader = RecordingReader::open(path());
    QCOMPARE(std::string(name(reader->head()->state)), std::string("cut"));
    QCOMPARE(reader->head()->why, std::string("It is full."));
    const std::int64_t actions = reader->counts()->actions;
    QVERIFY2(actions >= 10 && actions % 5 == 0, qPrintable(QString::number(actions)));
}

void TestRecordingFile::aChunkIsKeptOnce() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    QVERIFY(writer->addChunk(refOf("hello"), inPieces("hello")).has_value());
    QVERIFY(writer->hasChunk(Sha256::of("hello")));
    QVERIFY(writer->addChunk(refOf("hello"), inPieces("not even read")).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QCOMPARE(RecordingReader::open(path())->counts()->chunks, 1);
}

void TestRecordingFile::aLargeChunkIsKeptInParts() {
    std::string large;
    while (large.size() < (5u << 19)) large += fmt::format("{} ", large.size());
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    const auto whole = [at = std::size_t{0}, &large](std::size_t most) mutable -> Result<std::string> {
        const std::string piece = large.substr(at, most);
        at += piece.size();
        return piece;
    };
    QVERIFY(writer->addChunk(refOf(large), whole).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QCOMPARE(checked(path()), std::string("ok"));
    std::string bytes;
    int parts = 0;
    QVERIFY(RecordingReader::open(path())
                ->chunk(refOf(large).hash,
                        [&](std::string_view more) -> Result<void> {
                            ++parts;
                            bytes += more;
                            return {};
                        })
                .has_value());
    QVERIFY(bytes == large);
    QCOMPARE(parts, 3);
}

void TestRecordingFile::whatIsNoChunkIsRefusedAndLeavesNothing() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    QCOMPARE(writer->addChunk(refOf("hello"), inPieces("jello")).error().kind, ErrorKind::Malformed);
    QCOMPARE(writer->addChunk(refOf("hello"), inPieces("hell")).error().kind, ErrorKind::Malformed);
    QCOMPARE(writer->addChunk(refOf("hello"), inPieces("hello!")).error().kind, ErrorKind::Malformed);
    QVERIFY(!writer->hasChunk(Sha256::of("hello")));
    QVERIFY(writer->addChunk(refOf("left"), inPieces("left")).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QCOMPARE(checked(path()), std::string("ok"));
    QCOMPARE(RecordingReader::open(path())->counts()->chunks, 1);
}

void TestRecordingFile::theLimitOfBytesHolds() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 100'000);
    std::string noise(300'000, ' ');
    std::uint64_t x = 1;
    for (char& c : noise) c = static_cast<char>((x = x * 6364136223846793005u + 1442695040888963407u) >> 56);
    const auto whole = [at = std::size_t{0}, &noise](std::size_t most) mutable -> Result<std::string> {
        const std::string piece = noise.substr(at, most);
        at += piece.size();
        return piece;
    };
    QCOMPARE(writer->addChunk(refOf(noise), whole).error().kind, ErrorKind::AtLimit);
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    Result<void> done;
    int lsn = 2;
    while (done && lsn < 10'000) done = writer->add(sampleAction(lsn++, "a"));
    QCOMPARE(done.error().kind, ErrorKind::AtLimit);
    QVERIFY(writer->finish(sampleHead()).has_value());
    QVERIFY(QFileInfo(QString::fromStdString(path())).size() < 120'000);
    QCOMPARE(checked(path()), std::string("ok"));
}

void TestRecordingFile::anActionIsRecordedOnce() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    QCOMPARE(writer->add(sampleAction(1, "a")).error().kind, ErrorKind::WrongState);
    QCOMPARE(writer->actions(), 1);
}

void TestRecordingFile::whatHasNotEndedIsRefused() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    RecordedAction action = sampleAction(1, "a");
    for (const std::string result :
         {R"({"lsn":1,"worker":"exec","state":"running"})", R"({"state":"completed"})", "[]", "",
          R"({"lsn":1,"state":"completed","stdout":{"hash":"00","size":1}})"}) {
        action.result = result;
        QCOMPARE(writer->add(action).error().kind, ErrorKind::Malformed);
    }
}

void TestRecordingFile::manyActionsShareFrames() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    for (int lsn = 1; lsn <= 2'000; ++lsn) QVERIFY(writer->add(sampleAction(lsn, "a")).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QCOMPARE(checked(path()), std::string("ok"));
    QVERIFY(QFileInfo(QString::fromStdString(path())).size() < 600'000); // 1 MB of text
    auto reader = RecordingReader::open(path());
    std::int64_t n = 0;
    std::size_t seen = 0;
    for (;;) {
        const auto page = reader->actions(n, 300);
        QVERIFY(page.has_value());
        if (page->empty()) break;
        seen += page->size();
        n = page->back().n;
    }
    QCOMPARE(seen, std::size_t{2'000});
}

void TestRecordingFile::anActionLargerThanAFrameHasOneOfItsOwn() {
    auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
    RecordedAction large = sampleAction(2, "a");
    large.action =
        fmt::format(R"({{"worker":"w","function":"f","args":{{"x":"{}"}}}})", std::string(1u << 20, 'x'));
    QVERIFY(writer->add(sampleAction(1, "a")).has_value());
    QVERIFY(writer->add(large).has_value());
    QVERIFY(writer->add(sampleAction(3, "a")).has_value());
    QVERIFY(writer->commit(0, 0).has_value());
    QCOMPARE(checked(path()), std::string("ok"));
    QCOMPARE(RecordingReader::open(path())->actions(1, 1)->front().action, large.action);
}

void TestRecordingFile::aFileThatIsThereIsNotWrittenOver() {
    writeSample(path());
    QVERIFY(!RecordingWriter::create(path(), sampleHead(), 1u << 30).has_value());
    QCOMPARE(checked(path()), std::string("ok"));
}

void TestRecordingFile::otherToolsReadThePlainColumns() {
    writeSample(path());
    sqlite3* file = nullptr;
    QCOMPARE(sqlite3_open(path().c_str(), &file), SQLITE_OK);
    std::string text;
    const auto row = [](void* to, int columns, char** values, char**) {
        for (int i = 0; i < columns; ++i)
            *static_cast<std::string*>(to) += fmt::format("{} ", values[i] ? values[i] : "-");
        return 0;
    };
    sqlite3_exec(file,
                 "SELECT lsn,state,exit_code,worker,label,machine,t_new,t_pending,t_running,t_exited,t_end,"
                 "lower(hex(stdout))=(SELECT lower(hex(hash)) FROM chunks WHERE size=5) FROM actions WHERE n=1;"
                 "PRAGMA application_id; PRAGMA user_version",
                 row, &text, nullptr);
    sqlite3_close(file);
    QCOMPARE(text, std::string("3 completed 0 exec night desk 5 - 7 8 9 1 1498563907 1 "));
}

void TestRecordingFile::aNoteCanBeChanged() {
    writeSample(path());
    QVERIFY(RecordingWriter::setNote(path(), "another").has_value());
    QCOMPARE(RecordingReader::open(path())->head()->note, std::string("another"));
}

QTEST_APPLESS_MAIN(TestRecordingFile)
#include "tst_file.moc"
