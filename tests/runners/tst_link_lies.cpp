// Machines that lie, talk garbage, are not wanted or leave; and whatever else may come.
#include "tests/runners/link_double.h"

#include <array>
#include <map>
#include <random>
#include <sstream>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using link::GuestStage;
using link::Kind;
using link::MachineState;

class TestLinkLies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lies_data();
    void lies();
    void aRefusedMachineStaysSo();
    void anEndWithTwoSizesOfAChunkHasToBeToldAgain();
    void bytesThatAreNoBodyEndTheConnection_data();
    void bytesThatAreNoBodyEndTheConnection();
    void anotherProtocolIsRefused();
    void aMachineThatIsNotWantedIsRefused();
    void aMachineThatLeavesGetsNothingNew();
    void shuttingDown();
    void whateverComesEachLeaseHasOneEnd();
};

void TestLinkLies::lies_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, Kind kind, const std::string& body, const char* sentence) {
        QTest::newRow(name) << static_cast<int>(kind) << QByteArray::fromStdString(body) << QString(sentence);
    };
    const auto chunk = [](std::uint64_t size, std::uint64_t offset, const std::string& bytes) {
        return link::put(
            link::Chunk{.hash = Sha256::of("content"), .size = size, .offset = offset, .bytes = bytes});
    };
    row("an end of what it was never given", Kind::Finished, link::put(LinkBench::finished(8)), "never given");
    row("an attempt back that has begun", Kind::HandedBack, link::put(link::AttemptRefs{{.lsn = 2}}), "has begun");
    row("a chunk of another size", Kind::Chunk, chunk(8, 0, "content"), "nobody asked for");
    row("a chunk from its middle", Kind::Chunk, chunk(7, 2, "ntent"), "nobody asked for");
    row("nothing of a chunk", Kind::Chunk, chunk(7, 0, ""), "nobody asked for");
    row("another chunk", Kind::Chunk, chunk(7, 0, "CONTENT"), "not what it is called");
    row("a chunk unasked", Kind::Chunk,
        link::put(link::Chunk{.hash = Sha256::of("x"), .size = 1, .offset = 0, .bytes = "x"}), "nobody asked for");
    link::Finished twice = LinkBench::finished(2);
    twice.outputs = {{.path = "a", .hash = Sha256::of("x"), .size = 1},
                     {.path = "b", .hash = Sha256::of("x"), .size = 2}};
    row("two sizes of one chunk", Kind::Finished, link::put(twice), "two sizes");
    link::Finished result = LinkBench::finished(2);
    result.result = "}";
    for (const char* path : {"../a", "/etc/a", "a//b", ""}) {
        link::Finished outside = LinkBench::finished(2);
        outside.outputs = {{.path = path, .hash = Sha256::of("x"), .size = 1}};
        row(*path ? path : "no path", Kind::Finished, link::put(outside), "no action can leave");
    }
    link::Finished same = LinkBench::finished(2);
    same.outputs = {{.path = "a", .hash = Sha256::of("x"), .size = 1},
                    {.path = "a", .hash = Sha256::of("y"), .size = 1}};
    row("two outputs of one name", Kind::Finished, link::put(same), "no action can leave");
    row("a result of a command", Kind::Finished, link::put(result), "no command has one");
}

void TestLinkLies::lies() {
    QFETCH(int, kind);
    QFETCH(QByteArray, body);
    QFETCH(QString, sentence);
    LinkBench bench;
    bench.connect();
    bench.submit({1, 2});
    QVERIFY(bench.say(Kind::Finished, finishedWith("content")));
    QVERIFY(bench.sayRunning(2));
    bench.told();
    bench.heard();
    QVERIFY(bench.say(static_cast<Kind>(kind), body.toStdString()));
    const std::string heard = bench.heard();
    QVERIFY2(heard.starts_with("Refused:") && heard.ends_with(" finished"), heard.c_str());
    QVERIFY2(heard.contains(sentence.toStdString()), heard.c_str());
    QVERIFY(bench.runner->state() == MachineState::Refused);
    // It may run all the same.
    bench.pass(29s);
    QCOMPARE(bench.told(), std::string());
    bench.pass(1s);
    QCOMPARE(bench.told(), std::string("lost_runner 1.1 lost_runner 2.1"));
    QVERIFY(bench.runner->state() == MachineState::Refused);
    QVERIFY(bench.host.store.empty());
}

void TestLinkLies::aRefusedMachineStaysSo() {
    Given bench;
    QVERIFY(bench.sayFinished(8));
    bench.connect("run", held(1, GuestStage::Begun));
    QVERIFY(bench.heard().starts_with("Refused:It told how an attempt ended"));
    QCOMPARE(bench.told(), std::string());
    bench.runner->allowAgain();
    QVERIFY(bench.runner->state() == MachineState::Silent);
    bench.connect("run", held(1, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1"));
    QVERIFY(bench.sayFinished(1));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkLies::anEndWithTwoSizesOfAChunkHasToBeToldAgain() {
    Given bench;
    link::Finished twice = LinkBench::finished(1);
    twice.outputs = {{.path = "a", .hash = Sha256::of("x"), .size = 1},
                     {.path = "b", .hash = Sha256::of("x"), .size = 2}};
    QVERIFY(bench.say(Kind::Finished, link::put(twice)));
    QVERIFY(bench.heard().starts_with("Refused:It gives one chunk two sizes"));
    bench.runner->allowAgain();
    bench.connect("run", held(1, GuestStage::Ended));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1")); // nothing of that is fetched
    QVERIFY(bench.say(Kind::Finished, finishedWith("content")));
    QCOMPARE(bench.heard(), std::string("Need:1"));
    QCOMPARE(bench.told(), std::string());
    QVERIFY(bench.say(Kind::Finished, finishedWith("content"))); // again: it is being fetched
    QVERIFY(bench.sayChunk("content"));
    QCOMPARE(bench.heard(), std::string());
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkLies::bytesThatAreNoBodyEndTheConnection_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("isFirst");
    for (const Kind kind :
         {Kind::Updates, Kind::Finished, Kind::Need, Kind::Chunk, Kind::HandedBack, Kind::Leaving, Kind::Refused,
          Kind::Hello, Kind::Welcome, Kind::Lease, Kind::Settled, Kind::Cancel, Kind::Renewed, Kind::Follow})
        QTest::addRow("%d", static_cast<int>(kind)) << static_cast<int>(kind) << false;
    QTest::newRow("no Hello") << static_cast<int>(Kind::Renew) << true;
    QTest::newRow("garbage in the Hello") << static_cast<int>(Kind::Hello) << true;
}

void TestLinkLies::bytesThatAreNoBodyEndTheConnection() {
    QFETCH(int, kind);
    QFETCH(bool, isFirst);
    Given bench;
    if (isFirst) {
        bench.links.push_back(std::make_unique<DoubleLink>());
        bench.connection = bench.runner->opened(bench.yard());
    }
    QVERIFY(!bench.say(static_cast<Kind>(kind), "\xff\xff\xff\xff"));
    QCOMPARE(bench.heard(), std::string("ended"));
    QCOMPARE(bench.told(), std::string());
    // Garbage is no lie: it may come again.
    bench.connect("run", held(1, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1"));
}

void TestLinkLies::anotherProtocolIsRefused() {
    LinkBench bench;
    bench.links.push_back(std::make_unique<DoubleLink>());
    bench.connection = bench.runner->opened(bench.yard());
    link::Hello hello;
    hello.protocol = link::kProtocol + 1;
    hello.runId = "run";
    hello.name = "desk";
    QVERIFY(bench.say(Kind::Hello, link::put(hello)));
    QVERIFY(bench.heard().starts_with("Refused:The machine speaks protocol 3"));
    QVERIFY(bench.runner->state() == MachineState::Refused);
    QVERIFY(bench.runner->reason().contains("protocol 3"));
}

void TestLinkLies::aMachineThatIsNotWantedIsRefused() {
    LinkBench bench;
    bench.host.refusal = link::Refused{.cause = link::RefusalCause::Platform, .sentence = "wrong platform"};
    QVERIFY(bench.connect());
    QCOMPARE(bench.heard(), std::string("Refused:wrong platform finished"));
    QVERIFY(!bench.runner->isAccepting());

    LinkBench other; // and the other way round
    other.connect();
    other.heard();
    QVERIFY(other.say(Kind::Refused, link::put(*bench.host.refusal)));
    QCOMPARE(other.heard(), std::string("ended"));
    QVERIFY(other.runner->state() == MachineState::Refused);
    QCOMPARE(other.runner->reason(), std::string("wrong platform"));
}

void TestLinkLies::aMachineThatLeavesGetsNothingNew() {
    Given bench;
    QVERIFY(bench.say(
        Kind::Leaving,
        link::put(link::Leaving{.cause = link::LeavingCause::Spot, .inMs = 1000, .sentence = "taken away"})));
    QVERIFY(bench.runner->state() == MachineState::Leaving);
    QCOMPARE(bench.runner->reason(), std::string("taken away"));
    bench.submit({2});
    QVERIFY(bench.sayHandedBack(1));
    QCOMPARE(bench.told(), std::string("returned 2.1 returned 1.1"));
    bench.connect("the next run");
    QVERIFY(bench.runner->isAccepting());
}

void TestLinkLies::shuttingDown() {
    Given bench;
    bench.runner->shutDown(1s);
    QCOMPARE(bench.heard(), std::string("Cancel:1.1"));
    QVERIFY(!bench.runner->isDown());
    bench.submit({2});
    QVERIFY(bench.sayHandedBack(1));
    QCOMPARE(bench.told(), std::string("returned 2.1 returned 1.1"));
    QVERIFY(bench.runner->isDown());

    Given alone;
    alone.runner->closed(alone.connection);
    QVERIFY(!alone.runner->isDown());
    alone.runner->shutDown(1s);
    QVERIFY(alone.runner->isDown()); // the next engine asks for it
}

namespace {

/// A yard and a machine that says whatever it likes.
struct Storm : LinkBench {
    explicit Storm(unsigned seed)
        : random(seed) {
        connect();
    }
    unsigned any(unsigned below) { return static_cast<unsigned>(random() % below); }
    std::int64_t anyLsn() { return 1 + any(static_cast<unsigned>(last) + 1); }

    std::string anyBody(Kind kind) {
        if (kind == Kind::Finished)
            return any(2) == 0 ? finishedWith(content, anyLsn()) : link::put(finished(anyLsn()));
        if (kind == Kind::HandedBack) return link::put(link::AttemptRefs{{.lsn = anyLsn()}});
        if (kind == Kind::Need) return link::put(link::Need{.hashes = {Sha256::of(content)}});
        if (kind == Kind::Chunk)
            return link::put(
                link::Chunk{.hash = Sha256::of(content), .size = content.size(), .offset = 0, .bytes = content});
        if (kind == Kind::Updates)
            return link::put(link::Updates{{.id = {.lsn = anyLsn()}, .kind = link::UpdateKind::Running}});
        return {};
    }
    void sayAnything() {
        static constexpr std::array kKinds{Kind::Finished, Kind::HandedBack, Kind::Need,
                                           Kind::Chunk,    Kind::Updates,    Kind::Renew};
        const Kind kind = kKinds.at(any(kKinds.size()));
        std::string body = anyBody(kind);
        if (any(20) == 0 && !body.empty()) body.at(any(static_cast<unsigned>(body.size()))) ^= 0x55;
        (void)say(kind, body);
    }
    void step() {
        switch (any(12)) {
        case 0: return submit({++last});
        case 1: {
            std::vector<link::Held> some;
            for (std::int64_t lsn = 1; lsn <= last; ++lsn)
                if (any(3) > 0) some.push_back({.id = {.lsn = lsn}, .stage = static_cast<GuestStage>(any(3))});
            connect(any(10) == 0 ? "another" : "run", some);
            return;
        }
        case 2: return pass(std::chrono::seconds(any(12)));
        case 3: host.isSlow = !host.isSlow; return;
        case 4: return host.answer();
        case 5: return runner->end({.lsn = Lsn(anyLsn())}, StopCause::Cancelled);
        case 6: return runner->allowAgain();
        case 7: host.storeResult = any(2) == 0 ? Result<void>{} : fail(ErrorKind::NoSpace, "full"); return;
        default: return sayAnything();
        }
    }
    /// Counts ends, and acknowledges some.
    void listen() {
        std::istringstream words(told());
        std::string word;
        std::int64_t lsn = 0;
        std::string attempt;
        while (words >> word >> lsn >> attempt) {
            if (word == "started") continue;
            ++ended[lsn];
            if (word != "returned" && any(2) == 0) acknowledge(lsn);
        }
    }

    std::mt19937 random;
    const std::string content = "content";
    std::int64_t last = 0;
    std::map<std::int64_t, int> ended;
};

} // namespace

void TestLinkLies::whateverComesEachLeaseHasOneEnd() {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        Storm storm(seed);
        for (int i = 0; i < 300; ++i) {
            storm.step();
            storm.listen();
        }
        storm.host.isSlow = false;
        storm.host.answer();
        storm.runner->closed(storm.connection);
        storm.pass(100s);
        storm.listen();
        for (std::int64_t lsn = 1; lsn <= storm.last; ++lsn)
            QVERIFY2(storm.ended[lsn] == 1,
                     fmt::format("seed {}: action {} has {} ends", seed, lsn, storm.ended[lsn]).c_str());
        storm.connect("the last run");
        storm.runner->allowAgain();
        storm.connect("the last run");
        QCOMPARE(storm.runner->free(), 2u);
    }
}

QTEST_GUILESS_MAIN(TestLinkLies)
#include "tst_link_lies.moc"
