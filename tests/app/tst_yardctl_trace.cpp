// yardctl trace: which span it asks for, and what becomes of the file.
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QDir>
#include <QTest>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kTrace = R"({"displayTimeUnit":"ms","traceEvents":[]})";

FakeServer::Handler answering(int status, const std::string& body) {
    return [status, body](const FakeRequest&) { return FakeReply{status, body}; };
}

} // namespace

class TestYardctlTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theSpanIsAskedForAsATrace();
    void aFileIsWrittenOnceItIsWhole();
    void aLinkAndAPipeStayWhatTheyAre();
    void aNameWithGzIsCompressed();
    void whatFailsLeavesNoFile();
    void whatCannotBeWrittenIsNamed();
    void wrongWordsAreWrongUsage();
};

void TestYardctlTrace::theSpanIsAskedForAsATrace() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    const Ended ended = data.run({"trace", "2026-11-20", "2026-11-21", "--worker", "a b"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, kTrace);
    const std::string target = server.requests().back().target;
    QVERIFY2(target.starts_with("/compute/timelines?format=chrome&from=17") && target.ends_with("&worker=a%20b"),
             target.c_str());
    const std::int64_t before = wallNow();
    QCOMPARE(data.run({"trace", "-2h"}).code, 0);
    const std::string relative = server.requests().back().target;
    const auto numberBehind = [&](const std::string& name) {
        return std::stoll(relative.substr(relative.find(name) + name.size()));
    };
    QCOMPARE(numberBehind("&to=") - numberBehind("&from="), 7'200'000'000);
    QVERIFY(numberBehind("&to=") >= before);
}

void TestYardctlTrace::aFileIsWrittenOnceItIsWhole() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    const QString file = data.path() + "/trace.json";
    QVERIFY(writeFileAtomically(file.toStdString(), "old", 0600));
    const Ended ended = data.run({"trace", "-1h", "-o", file});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QCOMPARE(*readFile(file.toStdString()), kTrace);
    QVERIFY(QDir(data.path()).entryList({"*.part"}, QDir::Files | QDir::Hidden).empty());
}

void TestYardctlTrace::aLinkAndAPipeStayWhatTheyAre() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    const std::string link = data.path().toStdString() + "/link.json";
    const std::string file = data.path().toStdString() + "/file.json";
    const std::string pipe = data.path().toStdString() + "/pipe";
    QVERIFY(writeFileAtomically(file, "old", 0600));
    QCOMPARE(::symlink(file.c_str(), link.c_str()), 0);
    QCOMPARE(data.run({"trace", "-1h", "-o", QString::fromStdString(link)}).err, "");
    struct stat info{};
    QVERIFY(::lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode));
    QCOMPARE(*readFile(file), kTrace);
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const UniqueFd reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
    QCOMPARE(data.run({"trace", "-1h", "-o", QString::fromStdString(pipe)}).err, "");
    QVERIFY(::lstat(pipe.c_str(), &info) == 0 && S_ISFIFO(info.st_mode));
    std::string came(kTrace.size(), ' ');
    QCOMPARE(::read(reader.get(), came.data(), came.size()), static_cast<ssize_t>(kTrace.size()));
    QCOMPARE(came, kTrace);
}

void TestYardctlTrace::aNameWithGzIsCompressed() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    const QString file = data.path() + "/trace.json.gz";
    const Ended ended = data.run({"--json", "trace", "-1h", "-o", file});
    QCOMPARE(ended.err, "");
    QVERIFY2(ended.out.contains("\"file\":\"" + file.toStdString() + "\""), ended.out.c_str());
    QVERIFY(readFile(file.toStdString())->starts_with("\x1f\x8b"));
    QCOMPARE(CtlProcess({"-dc", file}, {}, "gzip").end().out, kTrace);
}

void TestYardctlTrace::whatFailsLeavesNoFile() {
    FakeServer server(answering(422, R"({"error":"invalid","message":"No."})"));
    const DataDirectory data(server);
    for (const char* name : {"/t.json", "/t.json.gz"}) {
        const Ended ended = data.run({"trace", "-1h", "-o", data.path() + name});
        QCOMPARE(ended.code, 1);
        QCOMPARE(ended.err, "yardctl: No.\n");
    }
    QVERIFY(QDir(data.path()).entryList({"t.json*", "*.part"}, QDir::Files | QDir::Hidden).empty());
    QCOMPARE(data.run({"trace", "-1h", "-o", "/nonexistent/t.json"}).code, 1);
}

void TestYardctlTrace::whatCannotBeWrittenIsNamed() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    const Ended ended = data.run({"trace", "-2h", "-o", "/dev/full"});
    QVERIFY(ended.code != 0);
    QVERIFY2(ended.err.contains("cannot write /dev/full"), ended.err.c_str());
}

void TestYardctlTrace::wrongWordsAreWrongUsage() {
    FakeServer server(answering(200, kTrace));
    const DataDirectory data(server);
    for (const QStringList& words :
         {QStringList{"trace"}, QStringList{"trace", "soon"}, QStringList{"trace", "today", "yesterday"},
          QStringList{"trace", "-1h", "-o", ""}, QStringList{"trace", "-1q"}})
        QCOMPARE(data.run(words).code, 2);
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlTrace)
#include "tst_yardctl_trace.moc"
