// The way of a lease over a link, against a machine that speaks word by word.
#include "tests/runners/link_double.h"

#include <poll.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using link::Kind;
using link::MachineState;

class TestLinkRunner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLeaseIsWrittenDownBeforeItIsSent();
    void whatCannotBeWrittenDownComesBack();
    void whatWasWrittenDownForAnotherRunComesBack();
    void whatCannotRunElsewhereFailsAtOnce();
    void withoutALinkAllComesBack();
    void moreThanMayBeOutComesBack();
    void itRingsWhenItBeginsOrCeasesToAccept();
    void slotsAreCounted();
    void aStartIsToldOnce();
    void anEndIsToldWhenItsOutputsAreHereAndSettledWhenItIsWritten();
    void whatIsHereAlreadyIsNotFetched();
    void longOutputsComeInPieces();
    void whatCannotBeStoredIsFetchedAgain();
    void howItEndedIsPassedOn();
    void theResultOfAWorkersActionIsPassedOn();
    void itRanAsLongAsTheMachineSays();
    void whatAMachineDoesNotTakeComesBack();
    void inputsAreSentAsTheConnectionTakesThem();
    void onlyInputsOfWhatItHasAreSent();
    void chunksOfAWorkerAreSentWhileItHasAnActionOfIt();
    void cancelling();
    void whatIsNotSentYetIsTakenBackHere();
    void whatIsWatchedIsFollowedThere();
    void afterAReconnectItIsFollowedFromWhereItStood();
    void outputThatNobodyWatchesIsPassedOver();
    void whatItUsedIsWithinReason();
};

void TestLinkRunner::whatIsWatchedIsFollowedThere() {
    Given bench;
    bench.runner->watch({.lsn = Lsn(1)}, Stream::Err);
    QCOMPARE(bench.heard(), std::string("Follow:1.1 err from 0"));
    bench.runner->watch({.lsn = Lsn(1)}, Stream::Err); // again
    bench.runner->watch({.lsn = Lsn(9)}, Stream::Out); // nobody
    QCOMPARE(bench.heard(), std::string());
    bench.host.isSlow = true;
    bench.submit({2});
    bench.runner->watch({.lsn = Lsn(2)}, Stream::Out);
    QCOMPARE(bench.heard(), std::string()); // it has no lease so far
    bench.host.answer();
    QCOMPARE(bench.heard(), std::string("Lease:2.1 Follow:2.1 out from 0"));
}

void TestLinkRunner::afterAReconnectItIsFollowedFromWhereItStood() {
    Given bench;
    bench.runner->watch({.lsn = Lsn(1)}, Stream::Out);
    bench.runner->closed(bench.connection);
    bench.host.printedSoFar = 12;
    bench.connect("run", held(1, link::GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1 Follow:1.1 out from 12"));
}

void TestLinkRunner::outputThatNobodyWatchesIsPassedOver() {
    Given bench;
    bench.sayRunning(1);
    const auto prints = [&bench](link::UpdateKind kind) {
        const int before = bench.host.updates;
        (void)bench.say(link::Kind::Updates,
                        link::put(link::Updates{{.id = {.lsn = 1}, .kind = kind, .text = "x"}}));
        return bench.host.updates - before;
    };
    QCOMPARE(prints(link::UpdateKind::Output), 0);
    QCOMPARE(prints(link::UpdateKind::Progress), 0);
    bench.runner->watch({.lsn = Lsn(1)}, Stream::Out);
    QCOMPARE(prints(link::UpdateKind::Output), 1);
    QCOMPARE(prints(link::UpdateKind::ErrorOutput), 0);
    QCOMPARE(prints(link::UpdateKind::Memory), 1);
    QCOMPARE(prints(link::UpdateKind::Progress), 1);
    bench.runner->unwatch({.lsn = Lsn(1)}, Stream::Out);
    QCOMPARE(prints(link::UpdateKind::Output), 0);
}

void TestLinkRunner::whatItUsedIsWithinReason() {
    Given bench;
    bench.sayRunning(1);
    bench.pass(1s);
    link::Finished finished = LinkBench::finished(1);
    finished.cpuUs = 700'000;
    finished.memoryBytes = ~std::uint64_t{0};
    QVERIFY(bench.say(link::Kind::Finished, link::put(finished)));
    bench.told();
    QCOMPARE(bench.ends.at(0).measures[Measure::CpuTime], std::optional<std::int64_t>(700'000));
    QCOMPARE(bench.ends.at(0).measures[Measure::PeakMemory], std::optional(std::int64_t{1} << 50));
}

void TestLinkRunner::aLeaseIsWrittenDownBeforeItIsSent() {
    LinkBench bench;
    QVERIFY(bench.connect());
    QCOMPARE(bench.heard(), std::string("Welcome:"));
    QCOMPARE(bench.yard().welcome->leaseSeconds, 20u);
    bench.host.isSlow = true;
    bench.submit({1, 2});
    QCOMPARE(bench.heard(), std::string());
    QCOMPARE(bench.host.journal, std::string("2xrun@20 "));
    bench.host.answer();
    QCOMPARE(bench.heard(), std::string("Lease:1.1 Lease:2.1"));
    QCOMPARE(bench.yard().lease->deadlineMs, std::uint64_t(3'600'000));
    QCOMPARE(bench.yard().lease->graceMs, std::uint64_t(2'000));
    QCOMPARE(bench.told(), std::string());
}

void TestLinkRunner::whatCannotBeWrittenDownComesBack() {
    LinkBench bench;
    bench.connect();
    bench.host.journalResult = fail(ErrorKind::Journal, "disk full");
    bench.submit({1});
    QCOMPARE(bench.told(), std::string("returned 1.1"));
    QCOMPARE(bench.heard(), std::string("Welcome:"));
    QCOMPARE(bench.runner->free(), 2u);
}

void TestLinkRunner::whatWasWrittenDownForAnotherRunComesBack() {
    LinkBench bench;
    bench.connect();
    bench.host.isSlow = true;
    bench.submit({1});
    bench.connect("another run");
    bench.host.answer();
    QCOMPARE(bench.told(), std::string("returned 1.1"));
    QCOMPARE(bench.heard(), std::string("Welcome:"));
}

void TestLinkRunner::whatCannotRunElsewhereFailsAtOnce() {
    LinkBench bench;
    bench.connect();
    bench.host.words.reset();
    bench.submit({1});
    QCOMPARE(bench.told(), std::string("spawn_error 1.1"));
    QCOMPARE(bench.ends.at(0).spawn.message, std::string("It cannot run elsewhere."));
    bench.host.words = link::Lease{};
    bench.host.words->spec = std::string(5u << 20, 'x');
    bench.submit({2});
    QCOMPARE(bench.told(), std::string("spawn_error 2.1"));
    QVERIFY(bench.ends.at(1).spawn.message.contains("too long"));
    QCOMPARE(bench.host.journal, std::string());
}

void TestLinkRunner::withoutALinkAllComesBack() {
    LinkBench bench;
    QVERIFY(!bench.runner->isAccepting());
    bench.submit({1});
    QCOMPARE(bench.told(), std::string("returned 1.1"));
    bench.connect();
    QVERIFY(bench.runner->isAccepting());
    bench.runner->closed(bench.connection);
    bench.submit({2});
    QCOMPARE(bench.told(), std::string("returned 2.1"));
    QCOMPARE(bench.host.journal, std::string());
}

void TestLinkRunner::moreThanMayBeOutComesBack() {
    LinkBench bench(1);
    bench.connect();
    bench.submit({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    QCOMPARE(bench.told(), std::string("returned 10.1"));
}

void TestLinkRunner::itRingsWhenItBeginsOrCeasesToAccept() {
    LinkBench bench;
    bench.host.now = 1'000'000h; // it looks again by itself a second later: never
    const auto rings = [&bench] {
        pollfd fd{.fd = bench.runner->pollFd(), .events = POLLIN, .revents = 0};
        return ::poll(&fd, 1, 0) == 1;
    };
    QVERIFY(!rings());
    bench.connect();
    QTRY_VERIFY(rings());
    bench.told();
    QVERIFY(!rings());
    QVERIFY(bench.say(
        Kind::Leaving,
        link::put(link::Leaving{.cause = link::LeavingCause::Spot, .inMs = 1000, .sentence = "taken away"})));
    QTRY_VERIFY(rings());
    bench.told();
    QVERIFY(!rings());
    bench.runner->closed(bench.connection);
    QTRY_VERIFY(rings());
}

void TestLinkRunner::slotsAreCounted() {
    LinkBench bench(2);
    QCOMPARE(bench.runner->free(), 0u);
    bench.connect();
    QCOMPARE(bench.runner->free(), 2u);
    QVERIFY(bench.runner->state() == MachineState::Ready);
    bench.submit({1, 2, 3});
    QCOMPARE(bench.runner->free(), 0u);
    bench.pass(1s);
    QVERIFY(bench.runner->state() == MachineState::Busy);
    QVERIFY(bench.sayHandedBack(2));
    QCOMPARE(bench.told(), std::string("returned 2.1"));
    QCOMPARE(bench.runner->free(), 1u);
}

void TestLinkRunner::aStartIsToldOnce() {
    Given bench;
    QVERIFY(bench.sayRunning(1));
    QVERIFY(bench.sayRunning(1));
    QVERIFY(bench.sayRunning(7)); // one that it does not have: settled meanwhile
    QCOMPARE(bench.told(), std::string("started 1.1"));
    QVERIFY(bench.say(Kind::Updates,
                      link::put(link::Updates{{.id = {.lsn = 1}, .kind = link::UpdateKind::Cpu, .number = 500}})));
    QCOMPARE(bench.host.updates, 1);
}

void TestLinkRunner::anEndIsToldWhenItsOutputsAreHereAndSettledWhenItIsWritten() {
    Given bench;
    QVERIFY(bench.say(Kind::Finished, finishedWith("content")));
    QCOMPARE(bench.told(), std::string());
    QCOMPARE(bench.heard(), std::string("Need:1"));
    QVERIFY(bench.sayChunk("content"));
    QCOMPARE(bench.host.kept, std::string("1 "));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
    QCOMPARE(bench.heard(), std::string());
    bench.acknowledge(1);
    QCOMPARE(bench.heard(), std::string("Settled:1.1"));
    QVERIFY(bench.host.store.contains(Sha256::of("content")));
    bench.acknowledge(1); // nothing is kept of it
    QCOMPARE(bench.heard(), std::string());
}

void TestLinkRunner::whatIsHereAlreadyIsNotFetched() {
    Given bench;
    bench.host.store[Sha256::of("content")] = "content";
    QVERIFY(bench.say(Kind::Finished, finishedWith("content")));
    QCOMPARE(bench.heard(), std::string());
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkRunner::longOutputsComeInPieces() {
    Given bench;
    const std::string content(150'000, 'x');
    QVERIFY(bench.say(Kind::Finished, finishedWith(content)));
    for (std::size_t at = 0; at < content.size(); at += link::kChunkPiece) {
        QCOMPARE(bench.told(), std::string());
        QVERIFY(bench.sayChunk(content, at));
    }
    QCOMPARE(bench.told(), std::string("exited 1.1"));

    // Who reads the connection waits where the store is slow.
    bench.submit({2});
    const std::string large(6u << 20, 'y');
    QVERIFY(bench.say(Kind::Finished, finishedWith(large, 2)));
    bench.host.isSlow = true;
    for (std::size_t at = 0; at < large.size(); at += link::kChunkPiece) QVERIFY(bench.sayChunk(large, at));
    QVERIFY(bench.runner->isBehind());
    bench.host.answer();
    QVERIFY(!bench.runner->isBehind());
    QCOMPARE(bench.told(), std::string("exited 2.1"));
}

void TestLinkRunner::whatCannotBeStoredIsFetchedAgain() {
    Given bench;
    const std::string content(100'000, 'x');
    bench.host.storeResult = fail(ErrorKind::NoSpace, "disk full");
    QVERIFY(bench.say(Kind::Finished, finishedWith(content)));
    QVERIFY(bench.sayChunk(content, 0));
    QVERIFY(bench.sayChunk(content, link::kChunkPiece));
    QCOMPARE(bench.heard(), std::string("Need:1"));
    bench.host.storeResult = {};
    bench.pass(1s);
    QCOMPARE(bench.heard(), std::string("Need:1"));
    QVERIFY(bench.sayChunk(content, 0));
    QVERIFY(bench.sayChunk(content, link::kChunkPiece));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkRunner::howItEndedIsPassedOn() {
    LinkBench bench(4);
    bench.connect();
    bench.submit({1, 2, 3, 4});
    bench.host.now += 5s;
    link::Finished body = LinkBench::finished(1);
    body.exitCode = 3;
    body.ranUs = 2'000'000;
    body.out.bytes = "hello";
    body.out.size = 5;
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    body = LinkBench::finished(2);
    body.signal = 9;
    body.ranUs = ~std::uint64_t{0}; // longer than it was out
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    body = LinkBench::finished(3);
    body.cause = link::GuestEnd::SpawnError;
    body.message = "there is no such program";
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    body = LinkBench::finished(4);
    body.cause = link::GuestEnd::LeaseEnded;
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    QCOMPARE(bench.told(), std::string("exited 1.1 exited 2.1 spawn_error 3.1 lost_runner 4.1"));
    const Ended& first = bench.ends.at(0);
    QCOMPARE(first.exitCode, std::optional(3));
    QCOMPARE(first.out.bytes, std::string("hello"));
    QCOMPARE(first.out.hash.hex(), Sha256::of("hello").hex());
    QVERIFY(first.times.ended - first.times.running == 2s);
    QCOMPARE(bench.ends.at(1).signal, std::optional(9));
    QVERIFY(!bench.ends.at(1).exitCode);
    QVERIFY(bench.ends.at(1).times.ended - bench.ends.at(1).times.running == 5s);
    QCOMPARE(bench.ends.at(2).spawn.message, std::string("there is no such program"));
}

void TestLinkRunner::itRanAsLongAsTheMachineSays() {
    LinkBench bench(2);
    bench.connect();
    bench.submit({1, 2});
    bench.host.now += 5s; // the word of the start took this long
    QVERIFY(bench.sayRunning(1));
    QVERIFY(bench.sayRunning(2));
    bench.host.now += 2s;
    link::Finished body = LinkBench::finished(1);
    body.ranUs = 6'000'000;
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    body = LinkBench::finished(2);
    body.cause = link::GuestEnd::LostRunner; // it does not know
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    QCOMPARE(bench.told(), std::string("started 1.1 started 2.1 exited 1.1 lost_runner 2.1"));
    const RunTimes& known = bench.ends.at(0).times;
    QVERIFY(known.exited - known.running == 6s);
    QVERIFY(known.submitting <= known.running);
    const RunTimes& unknown = bench.ends.at(1).times;
    QVERIFY(unknown.exited - unknown.running == 2s);
}

void TestLinkRunner::whatAMachineDoesNotTakeComesBack() {
    Given bench;
    link::Finished body = LinkBench::finished(1);
    body.cause = link::GuestEnd::Refused;
    body.message = "no programs without a sandbox";
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    QCOMPARE(bench.told(), std::string("returned 1.1"));
    QCOMPARE(bench.host.kept, std::string("not 1: no programs without a sandbox "));
    QCOMPARE(bench.heard(), std::string("Settled:1.1"));
}

void TestLinkRunner::inputsAreSentAsTheConnectionTakesThem() {
    LinkBench bench;
    bench.connect();
    std::string input;
    for (int i = 0; i < 700'000; ++i) input += static_cast<char>(i % 251);
    const std::string nothing;
    for (const std::string& content : {input, nothing}) {
        bench.host.store[Sha256::of(content)] = content;
        bench.host.words->inputs.push_back(Sha256::of(content));
    }
    bench.submit({1});
    bench.heard();
    bench.yard().hasRoom = false;
    QVERIFY(bench.say(Kind::Need, link::put(link::Need{.hashes = bench.host.words->inputs}), 9));
    QVERIFY(bench.say(Kind::Need, link::put(link::Need{.hashes = bench.host.words->inputs}), 10)); // once is enough
    QCOMPARE(bench.heard(), std::string());
    bench.yard().hasRoom = true;
    bench.runner->roomForBulk(bench.connection);
    std::string came;
    for (const link::Chunk& piece : bench.yard().chunks) {
        if (piece.hash != Sha256::of(input)) continue;
        QCOMPARE(piece.offset, came.size());
        QCOMPARE(piece.size, input.size());
        came += piece.bytes;
    }
    QVERIFY(came == input);
    QCOMPARE(bench.yard().chunks.back().size, std::uint64_t(0));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(12));
}

void TestLinkRunner::onlyInputsOfWhatItHasAreSent() {
    LinkBench bench;
    bench.connect();
    bench.host.store[Sha256::of("secret")] = "secret";
    bench.host.store[Sha256::of("input")] = "input";
    bench.host.words->inputs = {Sha256::of("input"), Sha256::of("gone")};
    bench.submit({1});
    const std::string need =
        link::put(link::Need{.hashes = {Sha256::of("secret"), Sha256::of("gone"), Sha256::of("input")}});
    QVERIFY(bench.say(Kind::Need, need));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(1));
    QCOMPARE(bench.yard().chunks.at(0).bytes, std::string("input"));
    QVERIFY(bench.sayHandedBack(1));
    QVERIFY(bench.say(Kind::Need, need));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(1));
}

void TestLinkRunner::chunksOfAWorkerAreSentWhileItHasAnActionOfIt() {
    LinkBench bench;
    bench.connect();
    bench.host.store[Sha256::of("file")] = "file";
    bench.host.workerChunks = {Sha256::of("file")};
    const std::string need = link::put(link::Need{.hashes = {Sha256::of("file")}});
    bench.submit({1}); // a command
    QVERIFY(bench.say(Kind::Need, need));
    QVERIFY(bench.yard().chunks.empty());
    bench.host.words->worker = "w";
    bench.submit({2, 3});
    QVERIFY(bench.say(Kind::Need, need));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(1));
    QVERIFY(bench.sayHandedBack(2));
    QVERIFY(bench.say(Kind::Need, need));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(2));
    QVERIFY(bench.sayHandedBack(3));
    QVERIFY(bench.say(Kind::Need, need));
    QCOMPARE(bench.yard().chunks.size(), std::size_t(2));
}

void TestLinkRunner::theResultOfAWorkersActionIsPassedOn() {
    LinkBench bench;
    bench.connect();
    bench.host.words->worker = "w";
    bench.submit({1, 2, 3});
    bench.heard();
    const auto says = [&bench](std::int64_t lsn, std::int64_t exitCode, const std::string& result) {
        link::Finished body = LinkBench::finished(lsn);
        body.exitCode = exitCode;
        body.result = result;
        return bench.say(Kind::Finished, link::put(body));
    };
    QVERIFY(says(1, 0, R"({"n":1})"));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
    QCOMPARE(bench.ends.back().result, std::string(R"({"n":1})"));
    QVERIFY(says(2, 1, R"({"n":1})")); // what failed has none
    QCOMPARE(bench.told(), std::string("exited 2.1"));
    QCOMPARE(bench.ends.back().result, std::string());
    QVERIFY(says(3, 0, "}"));
    const std::string heard = bench.heard();
    QVERIFY2(heard.starts_with("Refused:It told a result"), heard.c_str());
    QCOMPARE(bench.told(), std::string());
}

void TestLinkRunner::cancelling() {
    LinkBench bench;
    bench.connect();
    bench.submit({1, 2});
    bench.heard();
    bench.runner->takeBack({.lsn = Lsn(1)});
    bench.runner->end({.lsn = Lsn(2)}, StopCause::Abandoned);
    bench.runner->end({.lsn = Lsn(3)}, StopCause::Cancelled); // not out
    QCOMPARE(bench.heard(), std::string("Cancel:1.1 if waiting Cancel:2.1"));
    QVERIFY(bench.sayHandedBack(1));
    link::Finished body = LinkBench::finished(2);
    body.cause = link::GuestEnd::Cancelled;
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    QCOMPARE(bench.told(), std::string("returned 1.1 abandoned 2.1"));
    bench.runner->end({.lsn = Lsn(2)}, StopCause::Cancelled);
    QCOMPARE(bench.heard(), std::string());
}

void TestLinkRunner::whatIsNotSentYetIsTakenBackHere() {
    LinkBench bench;
    bench.connect();
    bench.heard();
    bench.host.isSlow = true;
    bench.submit({1, 2, 3});
    bench.runner->takeBack({.lsn = Lsn(1)});
    bench.runner->end({.lsn = Lsn(2)}, StopCause::Cancelled);
    QCOMPARE(bench.told(), std::string());
    bench.host.answer();
    QCOMPARE(bench.told(), std::string("returned 1.1 returned 2.1"));
    QCOMPARE(bench.heard(), std::string("Lease:3.1"));
}

QTEST_GUILESS_MAIN(TestLinkRunner)
#include "tst_link_runner.moc"
