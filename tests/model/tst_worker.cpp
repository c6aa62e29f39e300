// Worker descriptors: what is taken, what is refused, and the id that their content gives.

#include "core/model/worker.h"
#include "tests/model/printed.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace yard;

namespace {

const char* const kHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The least descriptor, with `members` (JSON members) instead of or added to its own.
std::string descriptor(const QByteArray& members = {}) {
    QJsonObject object = QJsonDocument::fromJson(QByteArray(R"({"name":"thumb","version":"1.2.0",
        "platform":"linux-x86_64","executable":"bin/thumb","files":[{"path":"bin/thumb","hash":")") +
                                                 kHash + R"(","size":1}]})")
                             .object();
    const QJsonObject more = QJsonDocument::fromJson("{" + members + "}").object();
    for (auto it = more.begin(); it != more.end(); ++it) {
        if (it.value().isNull())
            object.remove(it.key());
        else
            object[it.key()] = it.value();
    }
    return QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString();
}

QByteArray file(const QByteArray& path, const QByteArray& more = {}) {
    return R"({"path":")" + path + R"(","hash":")" + kHash + R"(","size":7)" + more + "}";
}

} // namespace

class TestWorker : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLeastDescriptorGetsDefaults();
    void theWholeDescriptorOfTheContractIsTaken();
    void theIdIsOfTheContentAndNotOfItsSpelling();
    void nothingFilledInCountsForTheId();
    void badDescriptorsAreRefused_data();
    void badDescriptorsAreRefused();
    void namesAreLettersFirstAndNoRouteWords_data();
    void namesAreLettersFirstAndNoRouteWords();
    void referencesAreIdsNamesOrVersions();
    void thisMachineHasAPlatform();
};

void TestWorker::theLeastDescriptorGetsDefaults() {
    const auto worker = parseWorker(descriptor());
    QVERIFY2(worker, worker ? "" : qPrintable(printed(worker.error())));
    const WorkerDescriptor& d = *worker->descriptor;
    QCOMPARE(qt(d.name), QString("thumb"));
    QCOMPARE(d.files.size(), 1u);
    QCOMPARE(d.files[0].mode, 0755u); // the executable's
    QCOMPARE(d.resources.milliCores, 1000);
    QCOMPARE(d.resources.memoryMb, 0);
    QCOMPARE(d.limits.processes, 256);
    QCOMPARE(d.limits.openFiles, 1024);
    QCOMPARE(d.limits.outputFiles, 10000);
    QVERIFY(d.mode == WorkerMode::Process);
    QVERIFY(!d.deadline && !d.network && d.poolJson.empty() && d.functions.empty());
    QCOMPARE(d.pool.group, d.name);
    QVERIFY(d.pool.globalQueue && d.pool.io == WorkerIo::Auto && !d.pool.maxIdle);
}

void TestWorker::theWholeDescriptorOfTheContractIsTaken() {
    const QByteArray json = QByteArray(R"({ "name": "thumbnailer", "version": "1.2.0", "platform": "linux-x86_64",
      "executable": "bin/thumb",
      "files": [{"path": "bin/thumb", "hash": ")") +
                            kHash + R"(", "size": 1, "mode": "0755"},
                {"path": "lib/x", "hash": ")" +
                            kHash + R"(", "size": 2, "mode": "640"},
                {"path": "lib/y", "hash": ")" +
                            kHash + R"(", "size": 0}],
      "environment": {"LANG": "C"}, "functions": [{"name": "thumb", "version": "1"}],
      "cores": 0.5, "memory_mb": 100, "deadline_s": 3600, "network": true,
      "limits": {"processes": 1, "open_files": 2, "file_bytes": 3, "output_bytes": 4, "output_files": 5},
      "mode": "warm", "resources": {"port": 2, "gpus": 0.5, "gpu_memory_mb": 400},
      "pool": {"queue": "private", "keeps": ["gpus"], "group": "thumbnailer",
               "min_processes": 0, "max_processes": 2, "max_requests": 0,
               "max_idle_s": 300, "restart_dir": "tmp", "io": "inline"} })";
    const auto worker = parseWorker(json.toStdString());
    QVERIFY2(worker, worker ? "" : qPrintable(printed(worker.error())));
    const WorkerDescriptor& d = *worker->descriptor;
    QCOMPARE(d.files[1].mode, 0640u);
    QCOMPARE(d.files[2].mode, 0644u);
    QCOMPARE(d.files[1].size, 2u);
    QCOMPARE(qt(d.files[0].hash.hex()), QString(kHash));
    QCOMPARE(qt(d.environment[0].first + "=" + d.environment[0].second), QString("LANG=C"));
    QVERIFY(d.function("thumb") && d.function("thumb")->version == "1");
    QVERIFY(!d.function("other"));
    QCOMPARE(d.resources.milliCores, 500);
    QCOMPARE(d.resources.memoryMb, 100);
    QCOMPARE(d.resources.amountOf("gpus"), 500);
    QCOMPARE(d.resources.amountOf("port"), 2'000);
    QCOMPARE(d.resources.gpuMemoryMb, 400);
    QCOMPARE(d.deadline->count(), 3'600'000'000);
    QVERIFY(d.network);
    QCOMPARE(QList<qint64>({d.limits.processes, d.limits.openFiles, d.limits.fileBytes, d.limits.outputBytes,
                            d.limits.outputFiles}),
             QList<qint64>({1, 2, 3, 4, 5}));
    QVERIFY(d.mode == WorkerMode::Warm);
    QCOMPARE(qt(d.poolJson),
             QString(R"({"group":"thumbnailer","io":"inline","keeps":["gpus"],"max_idle_s":300,"max_processes":2,)"
                     R"("max_requests":0,"min_processes":0,"queue":"private","restart_dir":"tmp"})"));
    QCOMPARE(qt(d.pool.group), QString("thumbnailer"));
    QCOMPARE(QList<unsigned>({d.pool.minProcesses, d.pool.maxProcesses, d.pool.maxRequests}),
             QList<unsigned>({0, 2, 0}));
    QCOMPARE(d.pool.maxIdle->count(), 300'000'000);
    QVERIFY(!d.pool.globalQueue && d.pool.io == WorkerIo::Inline);
    QCOMPARE(d.pool.keeps, std::vector<std::string>{"gpus"});
    QCOMPARE(qt(d.pool.restartDir), QString("tmp"));
}

void TestWorker::theIdIsOfTheContentAndNotOfItsSpelling() {
    const std::string head = R"({"name":"a","version":"1","platform":"linux-x86_64","executable":"x",)";
    const std::string files = R"("files":[{"path":"x","hash":")" + std::string(kHash) + R"(","size":1}])";
    const auto plain = parseWorker(head + files + R"(,"cores":1})");
    const auto spelt = parseWorker("{ " + files + R"(, "cores" : 1.0, "\u006eame":"a","version":"1",
        "executable":"x", "platform":"linux-x86_64" } )");
    QVERIFY(plain && spelt);
    QCOMPARE(qt(plain->canonical),
             qt(R"({"cores":1,"executable":"x","files":[{"hash":")" + std::string(kHash) +
                R"(","path":"x","size":1}],"name":"a","platform":"linux-x86_64","version":"1"})"));
    QCOMPARE(qt(plain->id.hex()), qt(Sha256::of(plain->canonical).hex()));
    QCOMPARE(qt(spelt->id.hex()), qt(plain->id.hex()));
    const auto again = parseWorker(plain->canonical);
    QVERIFY(again);
    QCOMPARE(qt(again->id.hex()), qt(plain->id.hex()));
}

void TestWorker::nothingFilledInCountsForTheId() {
    const auto without = parseWorker(descriptor());
    const auto with = parseWorker(descriptor(R"("network":false)")); // the default, written out
    QVERIFY(without && with);
    QVERIFY(without->id != with->id);
}

void TestWorker::badDescriptorsAreRefused_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* sentence, const QByteArray& members, const char* answer) {
        QTest::newRow(sentence) << members << answer;
    };
    const auto give = [&row](const char* sentence, const QByteArray& members, const char* field, const char* what) {
        row(sentence, members, qPrintable(QString(R"(invalid %1: Give "%1" as %2.)").arg(field, what)));
    };
    const QByteArray hash = kHash;
    row("an unknown member", R"("cpu":1)",
        R"(invalid cpu: Remove "cpu" or correct its spelling: a worker's descriptor has no such member.)");
    row("no name", R"("name":null)", R"(invalid name: Add "name": what actions call the worker.)");
    row("no version", R"("version":null)", R"(invalid version: Add "version": such as "1.0.0".)");
    row("no platform", R"("platform":null)", R"(invalid platform: Add "platform": such as "linux-x86_64".)");
    row("no executable", R"("executable":null)",
        R"(invalid executable: Add "executable": the path of one of "files".)");
    row("no files", R"("files":null)",
        R"(invalid files: Add "files": the worker's files with path, hash, size and mode.)");
    give("an empty list of files", R"("files":[])", "files", "a list of 1 to 200000 elements");
    give("a name that begins with a digit", R"("name":"1a")", "name",
         R"(a letter, then letters, digits, ".", "_" or "-", at most 64 in all)");
    row("a name that routes use", R"("name":"history")",
        R"(invalid name: Choose another "name": "history" is a word of the API's routes.)");
    give("a version with an at sign", R"("version":"1@2")", "version",
         R"(1 to 64 letters, digits or ".", "_", "+", "~", "-", such as "1.2.0")");
    give("an executable that is not among the files", R"("executable":"bin/other")", "executable",
         R"(the path of one of "files")");
    give("an executable that climbs", R"("executable":"../thumb")", "executable",
         R"(a relative path without ".", "..", empty parts or control characters)");
    give("an executable that may not run", R"("files":[)" + file("bin/thumb", R"(,"mode":"0644")") + "]",
         "files[0].mode", R"("0755", as it is the executable)");
    const char* const mode = R"(permission bits in octal such as "0755", without set-id bits)";
    give("a set-user-id file", R"("files":[)" + file("bin/thumb", R"(,"mode":"4755")") + "]", "files[0].mode",
         mode);
    give("a sticky file", R"("files":[)" + file("bin/thumb", R"(,"mode":"1755")") + "]", "files[0].mode", mode);
    give("a mode that is not octal", R"("files":[)" + file("bin/thumb", R"(,"mode":"0789")") + "]", "files[0].mode",
         mode);
    give("a mode that is a number", R"("files":[)" + file("bin/thumb", R"(,"mode":755)") + "]", "files[0].mode",
         mode);
    give("a file that climbs", R"("files":[)" + file("bin/thumb") + "," + file("a/../../b") + "]", "files[1].path",
         R"(a relative path without ".", "..", empty parts or control characters)");
    give("a file without a hash", R"("files":[{"path":"bin/thumb","size":1}])", "files[0]",
         R"(an object with "path", "hash" and "size")");
    give("a file with a wrong hash", R"("files":[{"path":"bin/thumb","hash":"00","size":1}])", "files[0].hash",
         "a SHA-256 of 64 lower-case hex digits");
    give("a file with a size below zero", R"("files":[{"path":"bin/thumb","hash":")" + hash + R"(","size":-1}])",
         "files[0].size", "a whole number from 0 to 9007199254740992");
    row("a file twice", R"("files":[)" + file("bin/thumb") + "," + file("bin/thumb") + "]",
        R"(invalid files: Rename the file "bin/thumb" in "files": another one has its path or is a file where this )"
        R"(needs a directory.)");
    row("a file where a directory is needed", R"("files":[)" + file("bin/thumb") + "," + file("bin") + "]",
        R"(invalid files: Rename the file "bin/thumb" in "files": another one has its path or is a file where this )"
        R"(needs a directory.)");
    row("an unknown member of a file", R"("files":[)" + file("bin/thumb", R"(,"owner":"root")") + "]",
        R"(invalid files[0].owner: Remove "files[0].owner" or correct its spelling: a worker's descriptor has no such )"
        R"(member.)");
    row("a variable with a bad name", R"("environment":{"A=":"x"})",
        R"(invalid environment: Rename "A=" in "environment": a variable's name is not empty and has no "=" or NUL.)");
    give("a function without a name", R"("functions":[{"version":"1"}])", "functions[0]",
         R"(an object with "name" and "version")");
    row("a function twice", R"("functions":[{"name":"f"},{"name":"f"}])",
        R"(invalid functions[1]: Name the function "f" once in "functions".)");
    give("no cores", R"("cores":0)", "cores", "a number from 0.001 to 1000000 with at most three decimals");
    give("a deadline of zero", R"("deadline_s":0)", "deadline_s", "seconds, more than 0 and at most 315360000");
    give("network as text", R"("network":"yes")", "network", "true or false");
    give("an unknown mode", R"("mode":"hot")", "mode", R"("process" or "warm")");
    give("no processes", R"("limits":{"processes":0})", "limits.processes", "a whole number from 1 to 1000000");
    row("an unknown limit", R"("limits":{"threads":1})",
        R"(invalid limits.threads: Remove "limits.threads" or correct its spelling: a worker's descriptor has no such )"
        R"(member.)");
    give("a pool that keeps no names", R"("pool":{"keeps":[1]})", "pool.keeps", "a list of names of \"resources\"");
    row("a pool that keeps what it does not ask for", R"("pool":{"keeps":["gpus"]})",
        R"(invalid pool.keeps: Give "gpus" an amount in "resources", or take it out of "keeps".)");
    row("cores among resources", R"("resources":{"cores":2})",
        R"(invalid resources.cores: Give "cores" beside "resources", not in it.)");
    row("memory of GPUs without any", R"("resources":{"gpu_memory_mb":2})",
        R"(invalid resources.gpu_memory_mb: Add "gpus" to "resources": "gpu_memory_mb" is memory of each of )"
        R"(them.)");
    give("a pool without room", R"("pool":{"max_processes":0})", "pool.max_processes",
         "a whole number from 1 to 1000000");
    give("a pool with an unknown queue", R"("pool":{"queue":"shared"})", "pool.queue", R"("global" or "private")");
    give("a pool with unknown io", R"("pool":{"io":"pipe"})", "pool.io", R"("auto", "files" or "inline")");
    give("files of a function that are no boolean", R"("functions":[{"name":"f","files":1}])", "functions[0].files",
         "true or false");
    give("a pool whose restart_dir climbs", R"("pool":{"restart_dir":"../x"})", "pool.restart_dir",
         R"(a relative path without ".", "..", empty parts or control characters)");
    row("an unknown member of the pool", R"("pool":{"size":1})",
        R"(invalid pool.size: Remove "pool.size" or correct its spelling: a worker's descriptor has no such member.)");
}

void TestWorker::badDescriptorsAreRefused() {
    QFETCH(QByteArray, members);
    const auto worker = parseWorker(descriptor(members));
    QVERIFY(!worker);
    QTEST(printed(worker.error()), "answer");
}

void TestWorker::namesAreLettersFirstAndNoRouteWords_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("good");
    for (const char* name : {"a", "Z9", "thumb-nailer_2.0", "execs"}) QTest::newRow(name) << name << true;
    QTest::newRow("64 letters") << QString(64, 'a') << true;
    QTest::newRow("65 letters") << QString(65, 'a') << false;
    QTest::newRow("nothing") << "" << false;
    for (const char* name : {"1a", "-a", "a b", "a/b", "a@1", "é", "exec", "all", "cancel", "retry", "retire",
                             "hold", "release", "history", "running", "completed"})
        QTest::newRow(name) << name << false;
}

void TestWorker::namesAreLettersFirstAndNoRouteWords() {
    QFETCH(QString, name);
    QTEST(isWorkerName(name.toStdString()), "good");
}

void TestWorker::referencesAreIdsNamesOrVersions() {
    for (const char* good : {"exec", "thumb", "thumb@1", "thumb@1.2.0-rc.1+build~3", kHash})
        QVERIFY2(isWorkerReference(good), good);
    for (const char* bad : {"", "@", "thumb@", "@1", "thumb@1@2", "exec@1", "all", "thumb@ 1"})
        QVERIFY2(!isWorkerReference(bad), bad);
}

void TestWorker::thisMachineHasAPlatform() {
    QVERIFY(thisPlatform().contains('-'));
}

QTEST_APPLESS_MAIN(TestWorker)
#include "tst_worker.moc"
