// A whole engine, and a machine that opens a link to it over loopback and speaks word by word.
#include "core/engine/machines/machines.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/http/api.h"
#include "core/http/machine_door.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/http/raw_client.h"
#include "tests/link/header_bytes.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFile>
#include <QTest>

#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::http;
using engine::Machines;
using engine::MachineView;

namespace {

/// The machine's end of a link.
class Desk {
public:
    Desk(std::uint16_t port, const std::string& token)
        : client_(port) {
        client_.send(fmt::format("GET /compute/link HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
                                 "Connection: Upgrade\r\nUpgrade: yard-link\r\n\r\n",
                                 token));
        if (!client_.receiveUntil("\r\n\r\n")) qFatal("no answer");
        std::string came = client_.receiveSome();
        came.erase(0, came.find("\r\n\r\n") + 4);
        reader_.append(came);
    }
    static link::Hello hello(std::string runId = "run") {
        link::Hello hello;
        hello.runId = std::move(runId);
        hello.name = "desk";
        hello.platform = "linux-x86_64";
        hello.version = "0.1.0";
        hello.capacity = {.milliCores = 2'000, .memoryMb = 512};
        return hello;
    }
    void say(link::Kind kind, const std::string& body = {}, std::uint64_t id = 1) {
        client_.send(link::frameBytes(kind, id, body));
    }
    /// Says Hello, and hears the answer.
    link::Welcome greet(const link::Hello& body = hello()) {
        say(link::Kind::Hello, link::put(body));
        const auto welcome = hear<link::Welcome>(link::Kind::Welcome);
        isUp_ = true;
        return welcome;
    }
    /// Without it the yard takes the machine for silent, and gives it nothing. False: the link is over.
    bool renew() { return client_.send(link::frameBytes(link::Kind::Renew, ++lastRenew_, {})); }
    /// Renews until it holds.
    bool sees(const std::function<bool()>& holds) {
        int looks = 0;
        return test::EngineTest::eventually([&] { return (looks++ % 20 != 0 || renew()) && holds(); });
    }
    /// The next word of this kind; others are passed over.
    template<class Body>
    Body hear(link::Kind kind) {
        const QDeadlineTimer limit(kWaitMs);
        for (;;) {
            const auto frame = next(limit);
            if (!frame || limit.hasExpired()) qFatal("the yard did not say %d", static_cast<int>(kind));
            if (frame->kind != static_cast<std::uint8_t>(kind)) continue;
            Body body;
            if (!link::get(frame->body, body)) qFatal("no body");
            return body;
        }
    }
    /// Nothing was given to it so far: the yard answers in its turn, and no lease came before that.
    bool hasNoLease() {
        if (!renew()) return false;
        const QDeadlineTimer limit(kWaitMs);
        const std::uint64_t asked = lastRenew_;
        while (const auto frame = next(limit)) {
            if (frame->kind == static_cast<std::uint8_t>(link::Kind::Lease)) return false;
            if (frame->kind == static_cast<std::uint8_t>(link::Kind::Renewed) && frame->id >= asked) return true;
        }
        return false;
    }
    void sayRunning(link::AttemptRef id) {
        say(link::Kind::Updates, link::put(link::Updates{{.id = id, .kind = link::UpdateKind::Submitting},
                                                         {.id = id, .kind = link::UpdateKind::Running}}));
    }
    /// It has ended, and left nothing; the yard has it then.
    void finish(link::AttemptRef id) {
        link::Finished finished;
        finished.id = id;
        say(link::Kind::Finished, link::put(finished));
        hear<link::AttemptRefs>(link::Kind::Settled);
    }
    bool isClosed() { return client_.isClosedByServer(); }
    RawClient& client() { return client_; }

private:
    /// A link that is up is renewed meanwhile.
    std::optional<link::Frame> next(const QDeadlineTimer& limit) {
        for (;;) {
            if (const auto frame = reader_.next()) return frame;
            client_.setLimitMs(isUp_ ? kRenewMs : kWaitMs);
            const std::string more = client_.receiveSome();
            client_.setLimitMs(kWaitMs);
            if (more.empty() && (!isUp_ || limit.hasExpired() || !renew())) return std::nullopt;
            reader_.append(more);
        }
    }
    static constexpr int kRenewMs = 500;
    RawClient client_;
    link::FrameReader reader_;
    std::uint64_t lastRenew_ = 0;
    bool isUp_ = false;
};

/// An engine of one core, which something holds until let(): what else there is goes elsewhere.
struct Yard {
    Yard() {
        ApiOptions options;
        options.links = &door;
        api = std::make_unique<Api>(*engine, options);
        auto started = Server::start({"127.0.0.1", 0}, *api, {}, {});
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
        held = engine.sh("while [ ! -e go ]; do sleep 0.05; done");
        if (!test::EngineTest::eventually([&] { return state(held) == ActionState::Running; })) qFatal("it waits");
    }
    ~Yard() { server->stop(); }

    ActionState state(Lsn lsn) { return engine.run(engine->ask(&engine::ActionRows::action, lsn))->state; }
    void let() { QVERIFY(QFile(QString::fromStdString(engine.path("go"))).open(QIODevice::WriteOnly)); }
    Desk open() { return {server->port(), engine->token()}; }
    /// A command that may run anywhere.
    Lsn submit(const std::string& more = "") {
        const std::string anywhere = R"({"worker":"exec","argv":["true"],"machine":"any"})";
        const std::string where = parseAction(anywhere) ? R"(,"machine":"any")" : "";
        return engine.submit(fmt::format(R"({{"worker":"exec","argv":["echo","here"]{}{}}})", where, more));
    }
    std::vector<Lsn> listed(const std::string& filter) {
        engine::ListQuery query;
        query.filter = *parseFilter(filter, wallNow());
        std::vector<Lsn> lsns;
        for (;;) {
            const auto page = engine.run(engine->ask(&engine::Listing::list, query));
            if (!page) qFatal("no list: %s", page.error().message.c_str());
            for (const ActionResult& row : page->jobs) lsns.push_back(row.lsn);
            if (page->cursor.empty()) return lsns;
            query.cursor = page->cursor;
        }
    }
    std::vector<MachineView> machines() { return engine.run(engine->ask(&Machines::list)); }
    std::string stateOf(std::size_t at) {
        const auto all = machines();
        return at < all.size() ? std::string(link::name(all[at].state)) : "none";
    }
    bool becomes(const std::string& wanted) {
        return test::EngineTest::eventually([&] { return stateOf(1) == wanted; });
    }
    bool becomes(const std::string& wanted, Desk& desk) {
        return desk.sees([&] { return stateOf(1) == wanted; });
    }
    bool runs(Lsn lsn, Desk& desk) {
        return desk.sees([&] { return state(lsn) == ActionState::Running; });
    }

    test::EngineTest engine{1};
    MachineDoor door{*engine};
    std::unique_ptr<Api> api;
    std::unique_ptr<Server> server;
    Lsn held;
};

} // namespace

class MachineLinksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anActionRunsThereAndLeavesItsOutputsHere();
    void whatItPrintsIsFollowedAsItComes();
    void whatItUsesIsSampled();
    void howFarItSaysThatItIsIsInItsRow();
    void whatItWasToLeaveIsMissed();
    void itsInputsGoThere();
    void whatARunLostIsRunAgain();
    void itComesBackAsTheSameMachine();
    void whoIsRefusedHearsWhy_data();
    void whoIsRefusedHearsWhy();
    void whatIsNoFrameEndsTheLink();
    void whatDrainsGetsNothing();
    void whatItDoesNotTakeGoesElsewhere();
    void oneThatIsIdleIsRemovedAtOnce();
    void oneThatRunsSomethingIsRemovedByForce();
    void thisMachineIsNotRemoved();
};

void MachineLinksTest::anActionRunsThereAndLeavesItsOutputsHere() {
    Yard yard;
    Desk desk = yard.open();
    const link::Welcome welcome = desk.greet();
    QCOMPARE(welcome.leaseSeconds, 20u);
    QVERIFY(welcome.held.empty());
    const Lsn lsn = yard.submit();
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    QCOMPARE(lease.id, (link::AttemptRef{.lsn = lsn.value, .attempt = 1}));
    const auto spec = parseAction(lease.spec);
    QVERIFY(spec);
    QCOMPARE(spec->spec->argv, (std::vector<std::string>{"echo", "here"}));
    desk.sayRunning(lease.id);
    QVERIFY(yard.runs(lsn, desk));
    QCOMPARE(yard.machines()[1].running, std::size_t{1});
    QCOMPARE(yard.listed("machine:desk"), std::vector{lsn});
    QCOMPARE(yard.listed("-platform:linux-*"), std::vector<Lsn>{});

    const std::string left(100'000, 'x');
    link::Finished finished;
    finished.id = lease.id;
    finished.out.bytes = "there\n";
    finished.out.size = finished.out.bytes.size();
    finished.outputs.push_back({.path = "left", .hash = Sha256::of(left), .size = left.size()});
    desk.say(link::Kind::Finished, link::put(finished));
    const auto need = desk.hear<link::Need>(link::Kind::Need);
    QCOMPARE(need.hashes, std::vector{Sha256::of(left)});
    for (std::size_t at = 0; at < left.size(); at += link::kChunkPiece)
        desk.say(link::Kind::Chunk, link::put(link::Chunk{.hash = Sha256::of(left),
                                                          .size = left.size(),
                                                          .offset = at,
                                                          .bytes = left.substr(at, link::kChunkPiece)}));
    QCOMPARE(desk.hear<link::AttemptRefs>(link::Kind::Settled), link::AttemptRefs{lease.id});
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(test::ending(result), "completed");
    QCOMPARE(yard.engine.text(result.outcome->out), "there\n");
    QCOMPARE(result.outcome->machine, "desk");
    QCOMPARE(yard.listed("machine:desk"), std::vector{lsn});
    QCOMPARE(yard.listed("-machine:desk"), std::vector{yard.held});
    QCOMPARE(yard.listed("platform:linux-*").size(), std::size_t{2});
    QCOMPARE(result.outcome->outputs.size(), std::size_t{1});
    QCOMPARE(result.outcome->outputs[0].name, "left");
    QCOMPARE(yard.engine.text(result.outcome->outputs[0].chunk), left);
    yard.let();
}

void MachineLinksTest::whatItPrintsIsFollowedAsItComes() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit();
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    desk.sayRunning(lease.id);
    QVERIFY(yard.runs(lsn, desk));
    const auto print = [&](std::uint64_t offset, const std::string& text) {
        desk.say(link::Kind::Updates,
                 link::put(link::Updates{
                     {.id = lease.id, .kind = link::UpdateKind::Output, .number = offset, .text = text}}));
    };
    RawClient follower(yard.server->port());
    follower.send(fmt::format("GET /compute/jobs/{}/stdout?follow=1 HTTP/1.1\r\nHost: localhost\r\n"
                              "Authorization: Bearer {}\r\n\r\n",
                              lsn.value, yard.engine->token()));
    QCOMPARE(desk.hear<link::Follow>(link::Kind::Follow),
             (link::Follow{.id = lease.id, .isErr = false, .from = 0}));
    print(0, "first line\n");
    QVERIFY(follower.receiveUntil("first line\n"));
    print(11, "second line\n");
    QVERIFY(follower.receiveUntil("second line\n"));
    print(100, "after a gap\n");
    QVERIFY(follower.receiveUntil("after a gap\n"));
    QVERIFY(std::string(follower.rest()).contains("[some output has not arrived]"));
    // What was not told any more comes with the end.
    link::Finished finished;
    finished.id = lease.id;
    finished.out.bytes = std::string(112, 'x') + "the end\n";
    finished.out.size = finished.out.bytes.size();
    desk.say(link::Kind::Finished, link::put(finished));
    desk.hear<link::AttemptRefs>(link::Kind::Settled);
    QVERIFY(follower.receiveUntil("the end\n"));
    QVERIFY(!std::string(follower.rest()).contains("xx"));
    yard.let();
}

void MachineLinksTest::whatItUsesIsSampled() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit();
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    desk.sayRunning(lease.id);
    QVERIFY(yard.runs(lsn, desk));
    desk.say(link::Kind::Updates,
             link::put(link::Updates{{.id = lease.id, .kind = link::UpdateKind::Cpu, .number = 150},
                                     {.id = lease.id, .kind = link::UpdateKind::Memory, .number = 7u << 20}}));
    link::Finished finished;
    finished.id = lease.id;
    finished.cpuUs = 1;
    desk.say(link::Kind::Finished, link::put(finished));
    desk.hear<link::AttemptRefs>(link::Kind::Settled);
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(test::ending(result), "completed");
    QCOMPARE(result.outcome->measures[Measure::PeakMemory], std::optional(std::int64_t{7} << 20));
    yard.let();
}

void MachineLinksTest::howFarItSaysThatItIsIsInItsRow() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit();
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    desk.sayRunning(lease.id);
    QVERIFY(yard.runs(lsn, desk));
    ReportedProgress shown;
    // What it says before somebody looks is passed over; it is looked at here.
    const auto shows = [&](std::uint64_t thousandths, const std::string& text) {
        return desk.sees([&] {
            desk.say(
                link::Kind::Updates,
                link::put(link::Updates{
                    {.id = lease.id, .kind = link::UpdateKind::Progress, .number = thousandths, .text = text}}));
            const auto before =
                std::exchange(shown, yard.engine.run(yard.engine->ask(&engine::ActionRows::action, lsn))->progress);
            return !shown.isEmpty() && shown != before;
        });
    };
    QVERIFY(shows(250, "linking"));
    QCOMPARE(shown.fraction, std::optional(0.25));
    QCOMPARE(shown.message, std::string("linking"));
    // What it does not say stays as it was, and a message is as short as of an action here.
    QVERIFY(shows(link::kNoProgress, std::string(1'000, 'x')));
    QCOMPARE(shown.fraction, std::optional(0.25));
    QVERIFY(shown.message.size() <= 200);
    desk.finish(lease.id);
    QVERIFY(yard.engine.wait(lsn).progress.isEmpty());
    yard.let();
}

void MachineLinksTest::whatItWasToLeaveIsMissed() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit(R"(,"expect":["left"],"max_retries":0)");
    desk.finish(desk.hear<link::Lease>(link::Kind::Lease).id);
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(result.outcome->state, ActionState::Failed);
    QCOMPARE(result.outcome->reason, Reason::MissingOutput);
    QVERIFY(result.outcome->note.contains("\"left\""));
    yard.let();
}

void MachineLinksTest::itsInputsGoThere() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const std::string content(100'000, 'i');
    auto writer = yard.engine->chunks().writer();
    QVERIFY(writer && writer->write(content) && writer->finish());
    yard.submit(fmt::format(R"(,"inputs":{{"in":"{}"}})", Sha256::of(content).hex()));
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    QCOMPARE(lease.inputs, std::vector{Sha256::of(content)});
    desk.say(link::Kind::Need, link::put(link::Need{.hashes = lease.inputs}));
    std::string came;
    while (came.size() < content.size()) {
        const auto chunk = desk.hear<link::Chunk>(link::Kind::Chunk);
        QCOMPARE(chunk.offset, came.size());
        came += chunk.bytes;
    }
    QCOMPARE(came, content);
    desk.finish(lease.id);
    yard.let();
}

void MachineLinksTest::whatARunLostIsRunAgain() {
    Yard yard;
    Lsn lsn;
    {
        Desk desk = yard.open();
        desk.greet();
        lsn = yard.submit();
        const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
        desk.sayRunning(lease.id);
        QVERIFY(yard.runs(lsn, desk));
    }
    QVERIFY(yard.becomes("silent"));
    Desk again = yard.open();
    again.greet(Desk::hello("another run"));
    const auto second = again.hear<link::Lease>(link::Kind::Lease);
    QCOMPARE(second.id, (link::AttemptRef{.lsn = lsn.value, .attempt = 2}));
    again.finish(second.id);
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(test::ending(result), "completed");
    QCOMPARE(result.attempts.size(), std::size_t{2});
    QCOMPARE(result.attempts[0].outcome.reason, Reason::LostRunner);
    yard.let();
}

void MachineLinksTest::itComesBackAsTheSameMachine() {
    Yard yard;
    QCOMPARE(yard.machines().size(), std::size_t{1});
    QCOMPARE(yard.machines()[0].kind, "local");
    {
        Desk desk = yard.open();
        desk.greet();
        QVERIFY(yard.becomes("ready", desk));
        const MachineView view = yard.machines()[1];
        QCOMPARE(view.id.value, 1u);
        QCOMPARE(view.name, "desk");
        QCOMPARE(view.platform, "linux-x86_64");
        QCOMPARE(view.milliCores, std::int64_t{2'000});
        QCOMPARE(view.address, "127.0.0.1");
    }
    QVERIFY(yard.becomes("connecting"));
    Desk desk = yard.open();
    desk.greet();
    QVERIFY(yard.becomes("ready", desk));
    QCOMPARE(yard.machines().size(), std::size_t{2});
    QCOMPARE(yard.machines()[1].id.value, 1u);
    yard.let();
}

void MachineLinksTest::whoIsRefusedHearsWhy_data() {
    QTest::addColumn<QByteArray>("hello");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const link::Hello& hello, const char* why) {
        QTest::newRow(name) << QByteArray::fromStdString(link::put(hello)) << QString(why);
    };
    link::Hello hello = Desk::hello();
    hello.protocol = link::kProtocol + 1;
    row("protocol", hello, "The machine speaks protocol 3 of the link, this yard 2");
    hello = Desk::hello();
    hello.capacity.milliCores = 0;
    row("nothing", hello, "The machine gives guests no cores");
    hello = Desk::hello();
    hello.name = "local";
    row("name", hello, "The machine's name is none that people can type");
}

void MachineLinksTest::whoIsRefusedHearsWhy() {
    QFETCH(const QByteArray, hello);
    QFETCH(const QString, why);
    Yard yard;
    Desk desk = yard.open();
    desk.say(link::Kind::Hello, hello.toStdString());
    const auto refused = desk.hear<link::Refused>(link::Kind::Refused);
    QVERIFY2(QString::fromStdString(refused.sentence).startsWith(why), refused.sentence.c_str());
    desk.client().finishSending();
    QVERIFY(desk.isClosed());
    QCOMPARE(yard.machines().size(), std::size_t{1});
    yard.let();
}

void MachineLinksTest::whatIsNoFrameEndsTheLink() {
    Yard yard;
    Desk desk = yard.open();
    desk.client().send(test::header(0xffffffff, 1));
    QVERIFY(desk.isClosed());
    Desk silent = yard.open();
    silent.say(link::Kind::Renew); // before Hello
    QVERIFY(silent.isClosed());
    QCOMPARE(yard.machines().size(), std::size_t{1});
    yard.let();
}

void MachineLinksTest::whatDrainsGetsNothing() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    QVERIFY(yard.becomes("ready", desk));
    QVERIFY(yard.engine.run(yard.engine->ask(&Machines::drain, 1u)));
    QVERIFY(yard.becomes("draining", desk));
    const Lsn lsn = yard.submit();
    QVERIFY(desk.hasNoLease());
    QCOMPARE(yard.machines()[1].waiting, std::size_t{0});
    QVERIFY(yard.engine.run(yard.engine->ask(&Machines::pause, 1u)));
    QVERIFY(yard.becomes("paused", desk));
    QVERIFY(desk.hasNoLease());
    QCOMPARE(yard.state(lsn), ActionState::Pending);
    QVERIFY(yard.engine.run(yard.engine->ask(&Machines::resume, 1u)));
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    QCOMPARE(lease.id.lsn, lsn.value);
    desk.finish(lease.id);
    yard.let();
}

void MachineLinksTest::whatItDoesNotTakeGoesElsewhere() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit();
    link::Finished finished;
    finished.id = desk.hear<link::Lease>(link::Kind::Lease).id;
    finished.cause = link::GuestEnd::Refused;
    finished.message = "it is too large";
    desk.say(link::Kind::Finished, link::put(finished));
    QVERIFY(yard.becomes("draining", desk));
    QVERIFY(yard.machines()[1].reason.ends_with("it is too large"));
    yard.let();
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(test::ending(result), "completed");
    QCOMPARE(yard.engine.text(result.outcome->out), "here\n");
    QCOMPARE(result.attempts.size(), std::size_t{1});
}

void MachineLinksTest::oneThatIsIdleIsRemovedAtOnce() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    QVERIFY(yard.becomes("ready", desk));
    QVERIFY(yard.engine.run(yard.engine->ask(&Machines::remove, 1u, false)));
    QCOMPARE(desk.hear<link::Refused>(link::Kind::Refused).cause, link::RefusalCause::Removed);
    QCOMPARE(yard.machines().size(), std::size_t{1});
    Desk again = yard.open();
    again.greet();
    QCOMPARE(yard.machines()[1].id.value, 2u); // another one
    yard.let();
}

void MachineLinksTest::oneThatRunsSomethingIsRemovedByForce() {
    Yard yard;
    Desk desk = yard.open();
    desk.greet();
    const Lsn lsn = yard.submit();
    const auto lease = desk.hear<link::Lease>(link::Kind::Lease);
    desk.sayRunning(lease.id);
    QVERIFY(yard.runs(lsn, desk));
    const auto refused = yard.engine.run(yard.engine->ask(&Machines::remove, 1u, false));
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::WrongState);
    QVERIFY(yard.engine.run(yard.engine->ask(&Machines::remove, 1u, true)));
    QCOMPARE(desk.hear<link::Cancel>(link::Kind::Cancel).id, lease.id);
    link::Finished finished;
    finished.id = lease.id;
    finished.cause = link::GuestEnd::Cancelled;
    desk.say(link::Kind::Finished, link::put(finished));
    QCOMPARE(desk.hear<link::Refused>(link::Kind::Refused).cause, link::RefusalCause::Removed);
    QVERIFY(desk.sees([&] { return yard.machines().size() == 1; }));
    yard.let();
    const ActionResult result = yard.engine.wait(lsn);
    QCOMPARE(test::ending(result), "completed");
    QCOMPARE(result.attempts.size(), std::size_t{2});
}

void MachineLinksTest::thisMachineIsNotRemoved() {
    Yard yard;
    QCOMPARE(yard.engine.run(yard.engine->ask(&Machines::remove, 0u, true)).error().kind, ErrorKind::WrongState);
    QCOMPARE(yard.engine.run(yard.engine->ask(&Machines::drain, 0u)).error().kind, ErrorKind::WrongState);
    QCOMPARE(yard.engine.run(yard.engine->ask(&Machines::drain, 7u)).error().kind, ErrorKind::NotFound);
    QCOMPARE(yard.engine.run(yard.engine->ask(&Machines::get, 0u))->kind, "local");
    yard.let();
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    MachineLinksTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_machine_links.moc"
