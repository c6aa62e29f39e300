// Recordings of others: each lie is refused, whatever the bytes are, and nothing of them is run.
#include "tests/recording/sample.h"

#include "core/recording/recording_schema.h"

#include <sqlite3.h>

using namespace yard;
using namespace yard::recording;
using namespace yard::test;

class TestHostileRecording : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lies_data();
    void lies();
    void aPathThatClimbsIsRefused();
    void anotherFormatIsNamed();
    void whatIsNoRecordingIsRefused();
    void aTruncatedFileIsRefused();
    void aFlippedBitIsFoundOrChangesNothing();
    void whoWantsNoMoreEndsTheCheck();
    void cleanup() { QFile::remove(QString::fromStdString(path())); }

private:
    std::string path() const { return (dir_.path() + "/one.yrec").toStdString(); }
    void change(const QString& sql) const {
        sqlite3* file = nullptr;
        QCOMPARE(sqlite3_open(path().c_str(), &file), SQLITE_OK);
        char* problem = nullptr;
        sqlite3_exec(file, qPrintable(sql), nullptr, nullptr, &problem);
        const QByteArray said = problem ? problem : "";
        sqlite3_free(problem);
        sqlite3_close(file);
        QVERIFY2(said.isEmpty(), said.constData());
    }
    QByteArray bytes() const {
        QFile file(QString::fromStdString(path()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QByteArray& bytes) const {
        QFile file(QString::fromStdString(path()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    /// All that is in it, as text.
    std::string contents() const {
        auto reader = RecordingReader::open(path());
        if (!reader) return "";
        std::string text;
        const auto page = reader->actions(0, 100);
        if (!page) return "";
        for (const RecordedAction& action : *page) text += action.action + action.result;
        for (const char* chunk : {"left", "hello"})
            (void)reader->chunk(Sha256::of(chunk), [&](std::string_view more) -> Result<void> {
                text += more;
                return {};
            });
        return text;
    }
    QTemporaryDir dir_;
};

void TestHostileRecording::lies_data() {
    QTest::addColumn<QString>("sql");
    const auto lie = [](const char* what, const char* sql) { QTest::newRow(what) << sql; };
    lie("application id", "PRAGMA application_id=7");
    lie("a trigger", "CREATE TRIGGER t AFTER INSERT ON actions BEGIN DELETE FROM actions; END");
    lie("a view", "CREATE VIEW v AS SELECT 1");
    lie("a table more", "CREATE TABLE more(x)");
    lie("an index more", "CREATE INDEX i ON actions(state)");
    lie("a table less", "DROP TABLE parts");
    lie("no head", "DELETE FROM recording");
    lie("two heads", "INSERT INTO recording SELECT * FROM recording");
    lie("a state that is none", "UPDATE recording SET state='asleep'");
    lie("a long note", "UPDATE recording SET note=hex(zeroblob(501))");
    lie("a note that is no text", "UPDATE recording SET note=x'ff'");
    lie("a long name of an engine", "UPDATE recording SET engine=hex(zeroblob(51))");
    lie("a long filter", "UPDATE recording SET filter=hex(zeroblob(2049))");
    lie("a long sentence", "UPDATE recording SET why=hex(zeroblob(501))");
    lie("a start before all time", "UPDATE recording SET started=-1");
    lie("an end before all time", "UPDATE recording SET ended=-1");
    lie("missed below none", "UPDATE recording SET missed=-1");
    lie("gone below none", "UPDATE recording SET gone=-1");
    lie("a long name of a machine", "UPDATE actions SET machine=hex(zeroblob(129)) WHERE n=2");
    lie("a machine that is no text", "UPDATE actions SET machine=x'ff' WHERE n=2");
    lie("the size of a frame", "UPDATE frames SET size=size+1");
    lie("a frame of no size", "UPDATE frames SET size=-1");
    lie("a frame larger than may be", "UPDATE frames SET size=1000000000000");
    lie("a frame that is none", "UPDATE frames SET bytes=x'00'");
    lie("a frame of another", "UPDATE frames SET bytes=(SELECT bytes FROM parts LIMIT 1)");
    lie("no frame", "DELETE FROM frames");
    lie("an offset", "UPDATE actions SET offset=offset+1 WHERE n=2");
    lie("an offset below", "UPDATE actions SET offset=-1 WHERE n=1");
    lie("an offset far beyond", "UPDATE actions SET offset=9223372036854775807 WHERE n=1");
    lie("a length", "UPDATE actions SET action_bytes=9223372036854775807 WHERE n=1");
    lie("another length", "UPDATE actions SET result_bytes=-5 WHERE n=1");
    lie("the hash of an action", "UPDATE actions SET action_hash=result_hash");
    lie("no hash of a result", "UPDATE actions SET result_hash=NULL");
    lie("the state of an action", "UPDATE actions SET state='failed' WHERE n=2");
    lie("its lsn", "UPDATE actions SET lsn=99 WHERE n=2");
    lie("its exit code", "UPDATE actions SET exit_code=1");
    lie("its stdout", "UPDATE actions SET stdout=(SELECT hash FROM chunks WHERE id=1)");
    lie("its times", "UPDATE actions SET t_end=1");
    lie("a gap", "DELETE FROM actions WHERE n=1");
    lie("the hash of a chunk", "UPDATE chunks SET hash=zeroblob(32) WHERE id=1");
    lie("a hash that is none", "UPDATE chunks SET hash='short' WHERE id=1");
    lie("the size of a chunk", "UPDATE chunks SET size=size+1 WHERE id=1");
    lie("a size below none", "UPDATE chunks SET size=-1 WHERE id=1");
    lie("the size of a part", "UPDATE parts SET size=1000000000 WHERE chunk=1");
    lie("a part less", "DELETE FROM parts WHERE chunk=1");
    lie("a part that is not the first", "UPDATE parts SET n=1 WHERE chunk=1");
    lie("a descriptor", "UPDATE workers SET descriptor=descriptor||' '");
    lie("a descriptor that is none", "UPDATE workers SET descriptor='x'");
    lie("a worker's id", "UPDATE workers SET id=zeroblob(32)");
}

void TestHostileRecording::lies() {
    QFETCH(QString, sql);
    writeSample(path());
    change(sql);
    const std::string said = checked(path());
    QVERIFY2(said != "ok", qPrintable(sql));
    QVERIFY2(said.ends_with('.'), said.c_str());
}

void TestHostileRecording::aPathThatClimbsIsRefused() {
    const auto write = [this](const RecordedAction& action) {
        QFile::remove(QString::fromStdString(path()));
        auto writer = RecordingWriter::create(path(), sampleHead(), 1u << 30);
        return writer->add(action).has_value() && writer->commit(0, 0).has_value();
    };
    for (const char* name : {"../a", "/a", "a/../../b", "a//b", "."}) {
        QVERIFY(write(sampleAction(1, "a", name)));
        QVERIFY2(checked(path()) != "ok", name);
    }
    RecordedAction action = sampleAction(1, "a");
    action.action = R"({"worker":"w","function":"f","inputs":{"../a":")" + std::string(64, '0') + R"("}})";
    QVERIFY(write(action));
    QVERIFY(checked(path()) != "ok");
}

void TestHostileRecording::anotherFormatIsNamed() {
    writeSample(path());
    change("PRAGMA user_version=2");
    const auto reader = RecordingReader::open(path());
    QCOMPARE(reader.error().kind, ErrorKind::NotImplemented);
    QCOMPARE(reader.error().message, std::string("The recording has format 2; this version reads format 1."));
}

void TestHostileRecording::whatIsNoRecordingIsRefused() {
    write("this is no database, but it is long enough to be looked at as if it were one");
    QCOMPARE(RecordingReader::open(path()).error().kind, ErrorKind::Malformed);
    write("");
    QCOMPARE(RecordingReader::open(path()).error().kind, ErrorKind::Malformed);
    QVERIFY(!RecordingReader::open((dir_.path() + "/none.yrec").toStdString()).has_value());
    QVERIFY(!RecordingWriter::recover(path(), 1).has_value());
}

void TestHostileRecording::aTruncatedFileIsRefused() {
    writeSample(path());
    const QByteArray whole = bytes();
    for (qsizetype keep = 512; keep < whole.size(); keep += 4'096) {
        write(whole.left(keep));
        QVERIFY2(checked(path()) != "ok", qPrintable(QString::number(keep)));
    }
}

void TestHostileRecording::aFlippedBitIsFoundOrChangesNothing() {
    writeSample(path());
    const QByteArray whole = bytes();
    const std::string before = contents();
    QVERIFY(before.size() > 500);
    for (qsizetype at = 0; at < whole.size(); at += 97) {
        QByteArray damaged = whole;
        damaged[at] = static_cast<char>(damaged.at(at) ^ (1 << (at % 8)));
        write(damaged);
        if (checked(path()) == "ok") QCOMPARE(contents(), before);
    }
}

void TestHostileRecording::whoWantsNoMoreEndsTheCheck() {
    writeSample(path());
    auto reader = RecordingReader::open(path());
    QCOMPARE(reader->check([] { return false; }).error().kind, ErrorKind::NotAccepting);
}

QTEST_APPLESS_MAIN(TestHostileRecording)
#include "tst_hostile.moc"
