// A yard and three machines over links that break, with clocks that are moved by hand and do not agree: no action
// runs on two of them at once or again after it is done, no attempt begins twice, and in the end all are done.
#include "core/link/bodies.h"
#include "core/link/frame.h"
#include "core/link/guest_leases.h"
#include "core/link/yard_leases.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::link;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kActions = 25; ///< at once: for each that is done another one comes, until it is calm
constexpr Duration kLease = 5s;

/// One direction of a connection: bytes arrive in order, each some time after it was sent.
struct Pipe {
    std::deque<std::pair<Duration, std::string>> bytes{};
    Duration last{};
};

struct Connection {
    bool yardSees = false;    ///< the yard takes it for open
    bool machineSees = false; ///< so does the machine
    bool isDead = true;       ///< nothing arrives any more, whoever knows
    bool isGreeted = false;   ///< the yard has answered the Hello
    Pipe up{};
    Pipe down{};
    FrameReader yardReader{};
    FrameReader machineReader{};
};

/// Processes of a guest.
struct Tree {
    Duration endAt{};
    GuestEnd cause = GuestEnd::Exited;
};

struct Machine {
    GuestLeases leases{};
    int run = 1;
    double rate = 1;
    Duration offset{};
    Duration frozenUntil{};
    Duration nextRenew{};
    Duration cutUntil{}; ///< no connection before that
    std::set<AttemptRef> waiting{};
    std::map<AttemptRef, Tree> trees{};
    std::map<AttemptRef, GuestEnd> ends{};
    Connection connection{};
    YardLeases yard{kLease}; ///< the yard's side
};

struct Action {
    std::uint32_t attempt = 0; ///< the last that was given
    int on = -1;               ///< the machine that has it; -1: none
    bool isDone = false;
};

struct Fetch {
    int machine = 0;
    AttemptRef id;
    GuestEnd cause = GuestEnd::Exited;
    Duration at{};
};

class World {
public:
    explicit World(std::uint32_t seed)
        : random_(seed) {
        for (Machine& machine : machines_) {
            machine.rate = 1 + (static_cast<double>(below(1'000)) - 500) / 1e6;
            machine.offset = Duration(std::chrono::seconds(1 + below(100'000)));
        }
        actions_.resize(kActions);
    }

    void step(bool isCalm) {
        isCalm_ = isCalm;
        now_ += Duration(std::chrono::milliseconds(20 + below(200)));
        for (Machine& machine : machines_)
            if (machine.frozenUntil != Duration{} && !isFrozen(machine)) wake(machine);
        for (int at = 0; at < static_cast<int>(machines_.size()); ++at) {
            if (!isCalm) trouble(machines_[static_cast<std::size_t>(at)]);
            deliver(at);
            live(at);
            tickYard(at);
        }
        give();
        fetch();
        if (!isCalm && below(900) == 0) restartYard();
    }
    /// All are done, and neither side has anything left of them.
    bool isEmpty() const {
        return std::ranges::all_of(actions_, &Action::isDone) &&
               std::ranges::all_of(machines_, [](const Machine& machine) {
                   return machine.leases.count() == 0 && machine.yard.count() == 0 && machine.trees.empty();
               });
    }
    const std::string& wrong() const { return wrong_; }
    std::size_t begun() const { return begun_.size(); }

private:
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    bool oneIn(std::uint32_t count) { return below(count) == 0; }
    BootTime yardNow() const { return BootTime(now_ + Duration(7s)); }
    BootTime nowAt(const Machine& machine) const {
        const auto gone = static_cast<Duration::rep>(static_cast<double>(now_.count()) * machine.rate);
        return BootTime(Duration(gone) + machine.offset);
    }
    bool isFrozen(const Machine& machine) const { return machine.frozenUntil > now_; }
    void fails(const std::string& what, AttemptRef id) {
        if (wrong_.empty()) wrong_ = what + ": " + std::to_string(id.lsn) + '.' + std::to_string(id.attempt);
    }
    Action& action(AttemptRef id) { return actions_[static_cast<std::size_t>(id.lsn - 1)]; }

    // The wire.
    void send(Machine& machine, bool isUp, Kind kind, std::uint64_t id, const std::string& body) {
        Connection& wire = machine.connection;
        if (isUp ? !wire.machineSees : !wire.yardSees || !wire.isGreeted) return;
        if (wire.isDead) return;
        Pipe& pipe = isUp ? wire.up : wire.down;
        pipe.last = std::max(pipe.last, now_ + Duration(std::chrono::milliseconds(below(oneIn(20) ? 2'500 : 100))));
        pipe.bytes.emplace_back(pipe.last, frameBytes(kind, id, body));
    }
    void cut(Machine& machine) {
        Connection& wire = machine.connection;
        if (oneIn(3)) machine.cutUntil = now_ + Duration(1ms) * below(40'000);
        wire.isDead = true;
        wire.up.bytes.clear();
        wire.down.bytes.clear();
        if (oneIn(2)) yardCloses(machine);
        if (oneIn(2)) machineCloses(machine);
    }
    void yardCloses(Machine& machine) {
        machine.connection.yardSees = false;
        machine.connection.isDead = true;
        machine.yard.closed();
    }
    void machineCloses(Machine& machine) {
        machine.connection.machineSees = false;
        machine.connection.isDead = true;
        machine.leases.closed();
    }
    void connect(Machine& machine) {
        machine.connection = Connection{};
        machine.connection.yardSees = machine.connection.machineSees = true;
        machine.connection.isDead = false;
        const Hello hello{.protocol = kProtocol,
                          .runId = "run" + std::to_string(machine.run),
                          .name = "m",
                          .platform = "",
                          .version = "",
                          .capacity = {},
                          .tags = {},
                          .held = machine.leases.greet(nowAt(machine))};
        send(machine, true, Kind::Hello, 1, put(hello));
    }
    void deliver(int at) {
        Machine& machine = machines_[static_cast<std::size_t>(at)];
        Connection& wire = machine.connection;
        while (wire.yardSees && !wire.up.bytes.empty() && wire.up.bytes.front().first <= now_) {
            wire.yardReader.append(wire.up.bytes.front().second);
            wire.up.bytes.pop_front();
            while (const auto frame = wire.yardReader.next()) yardHears(at, *frame);
        }
        while (!isFrozen(machine) && wire.machineSees && !wire.down.bytes.empty() &&
               wire.down.bytes.front().first <= now_) {
            wire.machineReader.append(wire.down.bytes.front().second);
            wire.down.bytes.pop_front();
            while (const auto frame = wire.machineReader.next()) machineHears(machine, *frame);
        }
    }

    // The yard.
    void yardHears(int at, const Frame& frame) {
        Machine& machine = machines_[static_cast<std::size_t>(at)];
        YardOut out;
        switch (static_cast<Kind>(frame.kind)) {
        case Kind::Hello: welcome(machine, frame, out); break;
        case Kind::Renew:
            machine.yard.renewed(yardNow());
            send(machine, false, Kind::Renewed, frame.id, "");
            break;
        case Kind::Updates: {
            Updates updates;
            if (!get(frame.body, updates)) return fails("no updates", {});
            for (const Update& update : updates) machine.yard.began(update.id);
            break;
        }
        case Kind::Finished: {
            Finished end;
            bool isNew = false;
            if (!get(frame.body, end)) return fails("no end", {});
            if (!machine.yard.finished(end.id, isNew)) return fails("an honest end is taken for a lie", end.id);
            if (isNew)
                fetches_.push_back(
                    {.machine = at, .id = end.id, .cause = end.cause, .at = now_ + Duration(1ms) * below(4'000)});
            break;
        }
        case Kind::HandedBack: {
            AttemptRefs ids;
            if (!get(frame.body, ids)) return fails("nothing handed back", {});
            if (!machine.yard.handedBack(ids, out))
                return fails("handed back honestly, and taken for a lie", ids.at(0));
            break;
        }
        default: fails("a frame that nobody sends", {});
        }
        yardDoes(machine, out);
    }
    void welcome(Machine& machine, const Frame& frame, YardOut& out) {
        Hello hello;
        if (!get(frame.body, hello)) return fails("no Hello", {});
        const AttemptRefs held = machine.yard.greeted(hello, yardNow(), out);
        machine.connection.isGreeted = true;
        send(machine, false, Kind::Welcome, frame.id,
             put(Welcome{.protocol = kProtocol,
                         .runId = "yard",
                         .name = "yard",
                         .leaseSeconds = static_cast<std::uint32_t>(
                             std::chrono::duration_cast<std::chrono::seconds>(kLease).count()),
                         .held = held}));
    }
    void yardDoes(Machine& machine, YardOut& out) {
        for (const AttemptRef& id : out.returned) {
            if (begun_.contains(id)) fails("returned, and it has begun", id);
            comesBack(id);
        }
        for (const AttemptRef& id : out.lost) comesBack(id);
        if (!out.settle.empty()) send(machine, false, Kind::Settled, 0, put(out.settle));
        for (const Cancel& cancel : out.cancels) send(machine, false, Kind::Cancel, 0, put(cancel));
        if (out.closeLink) yardCloses(machine);
        out = {};
    }
    void comesBack(AttemptRef id) {
        Action& one = action(id);
        if (one.on < 0 || one.attempt != id.attempt || one.isDone) return fails("comes back, and is not out", id);
        one.on = -1;
    }
    void tickYard(int at) {
        Machine& machine = machines_[static_cast<std::size_t>(at)];
        YardOut out;
        machine.yard.tick(yardNow(), out);
        yardDoes(machine, out);
    }
    void give() {
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            Action& one = actions_[i];
            const auto lsn = static_cast<std::int64_t>(i + 1);
            if (one.isDone) continue;
            if (one.on >= 0) {
                if (oneIn(400)) cancel(lsn, one);
                continue;
            }
            const std::uint32_t at = below(3);
            Machine& machine = machines_[at];
            if (!oneIn(3)) continue;
            const AttemptRef id{.lsn = lsn, .attempt = one.attempt + 1};
            if (!machine.yard.offer(id)) continue;
            one.attempt = id.attempt;
            one.on = static_cast<int>(at);
            send(machine, false, Kind::Lease, 0,
                 put(Lease{.id = id,
                           .spec = "{}",
                           .worker = "",
                           .deadlineMs = 0,
                           .graceMs = 0,
                           .needs = {},
                           .inputs = {},
                           .once = false}));
        }
    }
    void cancel(std::int64_t lsn, const Action& one) {
        Machine& machine = machines_[static_cast<std::size_t>(one.on)];
        YardOut out;
        machine.yard.cancel(
            {.id = {.lsn = lsn, .attempt = one.attempt}, .onlyIfWaiting = oneIn(2), .graceMs = 2'000}, out);
        yardDoes(machine, out);
    }
    /// Outputs come, then the journal takes the result.
    void fetch() {
        for (std::size_t i = 0; i < fetches_.size();) {
            const Fetch one = fetches_[i];
            if (one.at > now_) {
                ++i;
                continue;
            }
            Machine& machine = machines_[static_cast<std::size_t>(one.machine)];
            const auto stage = machine.yard.stageOf(one.id);
            if (stage == YardStage::Ended) {
                machine.yard.fetched(one.id);
                fetches_[i].at = now_ + Duration(1ms) * below(500);
                continue;
            }
            fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(i));
            if (stage != YardStage::Fetched) continue; // lost meanwhile
            YardOut out;
            machine.yard.committed(one.id, out);
            comesBack(one.id);
            // Only what ended by itself is done: the rest is tried again.
            action(one.id).isDone = one.cause == GuestEnd::Exited;
            if (one.cause == GuestEnd::Exited && !isCalm_) actions_.emplace_back();
            yardDoes(machine, out);
        }
    }
    /// It is killed; what the journal says is out comes back.
    void restartYard() {
        fetches_.clear();
        for (std::size_t at = 0; at < machines_.size(); ++at) {
            Machine& machine = machines_[at];
            AttemptRefs out;
            for (std::size_t i = 0; i < actions_.size(); ++i)
                if (actions_[i].on == static_cast<int>(at))
                    out.push_back({.lsn = static_cast<std::int64_t>(i + 1), .attempt = actions_[i].attempt});
            const std::string run = machine.yard.runId();
            yardCloses(machine);
            machine.yard = YardLeases(kLease);
            machine.yard.restore(run, out, kLease, yardNow());
        }
    }

    // The machine.
    void machineHears(Machine& machine, const Frame& frame) {
        GuestOut out;
        switch (static_cast<Kind>(frame.kind)) {
        case Kind::Welcome: {
            Welcome body;
            if (!get(frame.body, body)) return fails("no Welcome", {});
            machine.leases.welcomed(body, nowAt(machine), out);
            break;
        }
        case Kind::Renewed: machine.leases.renewed(frame.id); break;
        case Kind::Lease: {
            Lease body;
            if (!get(frame.body, body)) return fails("no Lease", {});
            if (machine.leases.lease(body.id, nowAt(machine), out)) machine.waiting.insert(body.id);
            break;
        }
        case Kind::Cancel: {
            Cancel body;
            if (!get(frame.body, body)) return fails("no Cancel", {});
            machine.leases.cancel(body, out);
            break;
        }
        case Kind::Settled: {
            AttemptRefs ids;
            if (!get(frame.body, ids)) return fails("nothing settled", {});
            machine.leases.settled(ids, out);
            break;
        }
        default: fails("a frame that nobody sends", {});
        }
        machineDoes(machine, out);
    }
    void machineDoes(Machine& machine, GuestOut& out) {
        for (const AttemptRef& id : out.dropped) {
            machine.waiting.erase(id);
            machine.ends.erase(id);
        }
        for (const GuestOut::End& end : out.ends) {
            const auto tree = machine.trees.find(end.id);
            if (tree == machine.trees.end()) {
                fails("to be ended, and does not live", end.id);
                continue;
            }
            const auto most = static_cast<std::uint32_t>(kTeardown / 1ms);
            tree->second.endAt = std::min(tree->second.endAt, now_ + Duration(1ms) * below(most));
            tree->second.cause = end.leaseEnded ? GuestEnd::LeaseEnded : GuestEnd::Cancelled;
        }
        for (const AttemptRef& id : out.finished) {
            Finished end;
            end.id = id;
            if (!machine.ends.contains(id)) return fails("finished, and nobody knows how", id);
            end.cause = machine.ends.at(id);
            send(machine, true, Kind::Finished, 0, put(end));
        }
        if (!out.handedBack.empty()) send(machine, true, Kind::HandedBack, 0, put(out.handedBack));
        if (out.closeLink) machineCloses(machine);
        out = {};
    }
    void live(int at) {
        Machine& machine = machines_[static_cast<std::size_t>(at)];
        if (isFrozen(machine)) return;
        GuestOut out;
        machine.leases.tick(nowAt(machine), out);
        machineDoes(machine, out);
        endTrees(machine);
        if (machine.leases.isUp() && now_ >= machine.nextRenew) {
            machine.nextRenew = now_ + Duration(1s);
            if (const auto id = machine.leases.renew(nowAt(machine))) send(machine, true, Kind::Renew, *id, "");
        }
        const std::set<AttemptRef> waiting = machine.waiting;
        for (const AttemptRef& id : waiting)
            if (oneIn(5) && machine.leases.begin(id, nowAt(machine))) begin(at, id);
        // One that hears nothing gives its connection up now and then.
        const bool isAlone = !machine.connection.machineSees || machine.connection.isDead;
        if (isAlone && now_ >= machine.cutUntil && oneIn(20)) {
            machineCloses(machine);
            connect(machine);
        }
    }
    void begin(int at, AttemptRef id) {
        Machine& machine = machines_[static_cast<std::size_t>(at)];
        machine.waiting.erase(id);
        if (!begun_.insert(id).second) fails("begins a second time", id);
        if (action(id).isDone) fails("begins after it was done", id);
        for (const Machine& other : machines_)
            for (const auto& [alive, tree] : other.trees)
                if (alive.lsn == id.lsn && !isFrozen(other)) fails("runs twice at once", id);
        machine.trees[id] = Tree{.endAt = now_ + Duration(1ms) * below(15'000), .cause = GuestEnd::Exited};
        send(machine, true, Kind::Updates, 0,
             put(Updates{{.id = id, .kind = UpdateKind::Submitting, .number = 0, .text = ""}}));
    }
    void endTrees(Machine& machine) {
        for (auto at = machine.trees.begin(); at != machine.trees.end();) {
            if (at->second.endAt > now_) {
                ++at;
                continue;
            }
            const AttemptRef id = at->first;
            machine.ends[id] = at->second.cause;
            at = machine.trees.erase(at);
            GuestOut out;
            machine.leases.ended(id, out);
            machineDoes(machine, out);
        }
    }

    // Bad days.
    void trouble(Machine& machine) {
        if (isFrozen(machine)) return;
        if (oneIn(150)) cut(machine);
        if (oneIn(1'500)) {
            machine.leases = GuestLeases();
            machine.trees.clear();
            machine.ends.clear();
            machine.waiting.clear();
            ++machine.run;
            machineCloses(machine);
        }
        if (oneIn(600)) machine.frozenUntil = now_ + Duration(1ms) * below(40'000);
        if (oneIn(300)) {
            GuestOut out;
            machine.leases.handBackWaiting(out);
            machineDoes(machine, out);
        }
    }
    /// The launcher wakes with the rest: what is past its time ends before anything else does.
    void wake(Machine& machine) {
        machine.frozenUntil = {};
        GuestOut out;
        machine.leases.tick(nowAt(machine), out);
        const std::vector<GuestOut::End> ends = out.ends;
        machineDoes(machine, out);
        for (const GuestOut::End& end : ends)
            if (const auto tree = machine.trees.find(end.id); tree != machine.trees.end())
                tree->second.endAt = now_;
        endTrees(machine);
    }

    std::mt19937 random_;
    Duration now_{1s};
    std::array<Machine, 3> machines_;
    std::vector<Action> actions_;
    std::vector<Fetch> fetches_;
    std::set<AttemptRef> begun_;
    bool isCalm_ = false;
    std::string wrong_;
};

} // namespace

class TestLinkTwoSides : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutTroubleAllActionsAreDone();
    void nothingIsLostAndNothingRunsTwiceAtOnce_data();
    void nothingIsLostAndNothingRunsTwiceAtOnce();
};

void TestLinkTwoSides::withoutTroubleAllActionsAreDone() {
    World world(1);
    for (int i = 0; i < 3'000 && !world.isEmpty() && world.wrong().empty(); ++i) world.step(true);
    QCOMPARE(QString::fromStdString(world.wrong()), QString());
    QVERIFY(world.isEmpty());
    QVERIFY(world.begun() >= kActions);
}

void TestLinkTwoSides::nothingIsLostAndNothingRunsTwiceAtOnce_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 60; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

void TestLinkTwoSides::nothingIsLostAndNothingRunsTwiceAtOnce() {
    QFETCH(unsigned, seed);
    World world(seed);
    for (int i = 0; i < 2'000 && world.wrong().empty(); ++i) world.step(false);
    for (int i = 0; i < 6'000 && !world.isEmpty() && world.wrong().empty(); ++i) world.step(true);
    QCOMPARE(QString::fromStdString(world.wrong()), QString());
    QVERIFY(world.isEmpty());
}

QTEST_APPLESS_MAIN(TestLinkTwoSides)
#include "tst_two_sides.moc"
