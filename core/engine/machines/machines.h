// The machines of this engine: those that links lead to. Each gets a runner when it first says Hello, keeps it while its
// link is away, and goes when somebody removes it and the journal has all that it ran.
//
// Owner: engine thread; its commands are asked by others (ask.h). Lifetime: outlives the runners; places, attempts and store
// outlive it. Invariants: a line has at most one machine, and of the lines of one machine the last one counts; who comes with
// the same key, or without one with the same token under the same name, is the same machine; no two machines have one name;
// ids are never given again. A machine, and what it is given, is in the journal before it hears of that (machine_book.h); what
// an engine before this one gave it stays its own until it has come back or its lease is over.
// Bounds: kMostMachines machines and lines; of a line one frame at a time, the next one once it is taken.
#pragma once

#include "core/base/boot_clock.h"
#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/guests/join.h"
#include "core/engine/machines/machine_book.h"
#include "core/engine/machines/machine_host.h"
#include "core/engine/machines/machine_view.h"
#include "core/engine/machines/remote_progress.h"
#include "core/engine/machines/remote_streams.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/execution.h"
#include "core/engine/running/runner_places.h"
#include "core/engine/state/committer.h"
#include "core/linkio/byte_stream.h"
#include "core/model/action_spec.h"
#include "core/runners/link_runner.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yard::engine {

/// A connection as machines speak over it; calls come on the engine thread, and go on where it has its socket. After
/// end() or finish() it sends nothing more.
using LinkWire = runners::LinkOut;
/// One connection; numbers are never given again.
using LineId = std::uint64_t;

/// A frame that was read.
struct LinkFrame {
    std::uint64_t id = 0;
    std::uint8_t kind = 0;
    std::string body;
};

class Machines {
public:
    struct Parts {
        coro::Loop& loop;
        RunnerPlaces& places;
        AttemptTable& attempts;
        const InternTable& dictionary;
        const WorkerRegistry& workers;
        store::ChunkStore& chunks;
        coro::HelperPool& helpers;
        session::Session& session;
        Execution& execution;
        AttemptMonitor& monitor;
        Committer& committer;
        std::string yardName;
        std::string yardRunId;
        std::string engineId; ///< of the data directory
        Resources own;        ///< of this machine
        unsigned ownSlots;    ///< of this machine: actions of one core at once
        ChunkIntake::Spawn spawn;
        std::function<WallScale()> scale;
        std::function<void()> changed; ///< one of them is in another state
        std::string outputDir;         ///< of its own, for what is printed elsewhere
        std::string sshProgram{};      ///< empty: the system's
        std::string bundle{};          ///< what is copied to machines by ssh; empty: found (readBundle())
        Duration lease = std::chrono::seconds(20);
        Duration reconnectUnit = std::chrono::seconds(1); ///< for tests: what reconnectDelay() has in seconds
        PilotCalls pilots{};                              ///< what allocators know of machines
    };
    explicit Machines(Parts parts);
    ~Machines();

    /// At a start, once this machine has its place and before anything begins: those of the journal, and what they have.
    /// The session knows them already, in the order of the book, and what is out on them.
    coro::Task<Result<void>> restore(MachineBook book);
    /// Follows their states, and lets those go that were removed.
    coro::Task<void> run();
    /// Once the loop has ended.
    void close() { lookups_.stop(); }

    // --- of connections. False: it is not known.
    /// AtLimit.
    coro::Task<Result<LineId>> opened(MachineCaller who, std::shared_ptr<LinkWire> wire);
    /// Takes the next frame; what comes too fast waits here. False: it breaks the rules, and the connection is over.
    coro::Task<bool> frameCame(LineId line, LinkFrame frame);
    coro::Task<bool> roomForBulk(LineId line);
    coro::Task<bool> closed(LineId line);

    /// A machine may run it still of an engine before this one, though it is over here: "m1 for 12 s". Empty: none.
    std::string mayRun(Lsn lsn) const;
    /// What a running attempt on another machine says of how far it is; null: nothing so far, or nobody follows it.
    const ReportedProgress* progressOf(runners::AttemptId id) const { return progress_.of(id); }

    // --- of people
    /// This one first, then by number.
    coro::Task<std::vector<MachineView>> list();
    /// NotFound.
    coro::Task<Result<MachineView>> get(std::uint32_t id);
    /// Of one beside this one; empty: it is not known (any more).
    std::string nameOf(session::MachineId id) const;
    /// Why it gets nothing for a minute, in its own words; empty: it does, or nobody knows it.
    std::string notTakenBy(session::MachineId id) const;
    /// nameOf(), but of its platform, by its name.
    std::string platformOf(const std::string& machine) const;
    // What changes one is in the journal once it is answered; where that cannot take it, nothing changes.
    /// Gets nothing new, until resume(). NotFound; WrongState for this machine; Journal, NoSpace.
    coro::Task<Result<MachineView>> drain(std::uint32_t id);
    coro::Task<Result<MachineView>> pause(std::uint32_t id);
    /// Also lets one that was refused come again.
    coro::Task<Result<MachineView>> resume(std::uint32_t id);
    /// Whoever names it in an action names it by its name of then. Invalid (name), NotFound; WrongState for this machine,
    /// and where another one has the name; Journal, NoSpace.
    coro::Task<Result<MachineView>> change(std::uint32_t id, MachineChange wanted);
    /// Opens a link to a machine's engine, or by ssh to one that is started there, which is to work for this one, and keeps
    /// it open from then on, also after a start; remove() ends that. Answers once the machine is linked, or knows why not. Invalid (address, token,
    /// fingerprint: the other side's sentence), WrongState (name), AtLimit; Journal, NoSpace.
    coro::Task<Result<Dialled>> dial(DialWanted wanted);
    /// WrongState while something of it is in flight, unless `force`: that is ended then, and runs elsewhere. NotFound;
    /// WrongState for this machine.
    coro::Task<Result<void>> remove(std::uint32_t id, bool force);

private:
    struct Machine;
    struct Line {
        MachineCaller who;
        std::shared_ptr<LinkWire> wire;
        std::shared_ptr<Machine> machine{}; ///< null: it has not said Hello yet
        runners::LinkRunner::Connection connection = 0;
    };
    bool greet(Line& line, const LinkFrame& frame);
    Result<std::shared_ptr<Machine>> machineOf(const MachineCaller& who, const link::Hello& hello);
    Result<std::shared_ptr<Machine>> make(std::string key, const MachineCaller& who, const link::Hello& hello);
    std::string freeName(const std::string& wanted) const;
    // machines_kept.cpp: what the journal has of them
    Result<std::shared_ptr<Machine>> build(const KeptMachine& kept, std::string document);
    static KeptMachine keptOf(const Machine& machine);
    static KeptMachine keptOf(std::string key, std::string name, const link::Hello& hello);
    Result<std::map<std::string, std::shared_ptr<Machine>>> rejoin(const MachineBook& book);
    std::string workerOf(const Attempt& attempt) const;
    void takeOver(Machine& machine, const std::vector<runners::AttemptId>& ids, Duration lease);
    void keepMachine(const std::shared_ptr<Machine>& machine);
    /// The same, waited for.
    coro::Task<Result<void>> keepNow(std::shared_ptr<Machine> machine);
    void writeDown(Machine& machine, const runners::LinkIntent& intent,
                   runners::LinkHost::Answer<Result<void>> answer);
    void forget(const Machine& machine);
    void forgetLeases();
    Result<std::shared_ptr<Machine>> find(std::uint32_t id) const;
    Result<std::shared_ptr<Machine>> findKnown(std::uint32_t id) const;
    coro::Task<Result<MachineView>> wish(std::uint32_t id, fleet::Gate gate);
    // machines_dialled.cpp: links that this engine opens
    friend class DialledLine;
    struct DialledLink;
    std::shared_ptr<Machine> machineWith(const std::string& key) const;
    std::shared_ptr<Machine> dialledAt(const std::string& url) const;
    bool hasLine(const Machine& machine) const;
    coro::Task<Joined> openTo(DialTarget target);
    void dialOn(const std::shared_ptr<Machine>& machine);
    coro::Task<void> keepDialled(std::shared_ptr<Machine> machine);
    coro::Task<void> serveDialled(MachineCaller who, std::unique_ptr<linkio::ByteStream> stream,
                                  std::shared_ptr<DialledLink> seen);
    void told(const link::Update& update);
    void follow(Machine& machine);
    void placeAgain(const Machine& machine);
    void followLifetime(Machine& machine);
    Result<void> checkName(const Machine* machine, const std::string& name) const;
    void notTaken(Machine& machine, std::string_view sentence);
    bool letGo(const std::shared_ptr<Machine>& machine);
    MachineView viewOf(const Machine& machine) const;
    MachineView local() const;
    void countAttempts(MachineView& view) const;

    Parts parts_;
    std::map<std::uint32_t, std::shared_ptr<Machine>> machines_; ///< by id
    std::map<LineId, Line> lines_;
    LineId lastLine_ = 0;
    std::map<Lsn, std::uint32_t> written_; ///< attempts of leases that the journal has, or is about to have
    struct MayRun {
        std::string machine; ///< its name
        BootTime until{};
    };
    std::map<Lsn, MayRun> mayRun_; ///< some of those of `written_`, whose actions were over before this engine
    RemoteStreams streams_;
    RemoteProgress progress_;
    coro::ConditionVariable followed_; ///< one is in another state, or a link that this engine opened is over
    coro::ConditionVariable stored_;   ///< of any of them a piece of a chunk was
    coro::HelperPool lookups_{1};      ///< of names: nothing else waits for a resolver that does not answer
    OwnerCheck owner_;
};

} // namespace yard::engine
