// The scheduler as pure decisions (docs/scheduling.md): events go in with the time as a parameter, what should
// happen comes out in an Outbox. No threads, clocks, processes, disk; a test, a simulation and the engine drive the
// same code.
//
// Owner: engine thread. Order: per queue priority, then age, each 16th start to the oldest; between queues by
// virtual time, which a start advances by its share of the machine over the queue's weight. Nothing here costs more
// than O(log n) per action, or more than about 1,000 actions per call: operations on a queue or on everything are
// effective at once and carried out by step().
//
// What is durable comes first: actions enter after they were committed; a Retry or Finish takes effect (counters,
// visible state, another start) only when the engine says that it is stored. Abandoning the session is the
// exception.
//
// Each matter is a part that the session hands out and owns (README.md): whoever calls one includes its header.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/queue.h"
#include "core/model/states.h"
#include "core/session/capacity.h"
#include "core/session/messages.h"
#include "core/session/outline.h"
#include "core/session/views.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace yard::session {

class ActionCommands;
class Dependencies;
class Events;
class Intake;
class LiveViews;
class MachineCommands;
class PlaceCommands;
class QueueCommands;
class ResourceHolds;
class Shortage;
class WaitReasons;

class Session {
public:
    /// Queue 0 exists from the start, Active, default configuration. State: Created.
    Session(std::unique_ptr<Capacity> capacity, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // -- its parts, for as long as it lives
    QueueCommands& queues();
    const QueueCommands& queues() const;
    ActionCommands& actions();
    PlaceCommands& places();
    const PlaceCommands& places() const;
    Intake& intake();
    Events& events();
    ResourceHolds& holds();
    const ResourceHolds& holds() const;
    MachineCommands& machines();
    const MachineCommands& machines() const;
    Shortage& shortage();
    const LiveViews& views() const;
    const WaitReasons& reasons() const;
    const Dependencies& dependencies() const;

    // -- service state
    SessionState state() const;
    /// WrongState when the table forbids it. Paused: leases ahead are taken back. Abandoned: all that is pending or
    /// running is Abandoned at once, Finish for each follows from step(). Sunset: running attempts get Stop.
    Result<void> moveTo(SessionState to, Outbox& out);

    // -- classes, and what they ask for
    /// Before the first action of the class; again only while there is none. With a gate its attempts take no
    /// resources and no slot: what serves them holds those.
    void defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks = {},
                     std::optional<GateId> gate = {}, const RetryLimits& limits = {}, const Where& where = {});
    /// So many attempts of the gate's classes may be out; 0 until it was set.
    void setGate(GateId gate, int most);
    /// False: an action of this class would never start, here or on a machine that may come (Capacity::mayFit).
    bool everFits(ClassId id) const;
    /// What an action of this class asks for, what there is and what is free of it.
    std::vector<ResourceNeed> needs(ClassId id) const;
    /// What is in use of what there is.
    Resources taken() const;

    /// So long resources are kept at most for something large that was passed over, before what else could run
    /// does; twice as long the next time, which comes once all that stood in its way has ended
    /// (docs/scheduling.md).
    void setReserve(Duration reserve);

    // -- of another session
    /// What was passed over there, once all is here. Of what stood in the way, who is not here is left out.
    void setPassed(std::span<const Passed> passed);

    // -- time and work
    /// Lets timers fire that are due, then starts what may start. At most a few thousand things per call; true:
    /// call again after a yield. Without `mayStart` timers fire and nothing starts.
    bool schedule(MonoTime now, Outbox& out, bool mayStart = true);
    /// Asks for all leases back that wait ahead at a runner.
    void takeBackAhead(Outbox& out);
    /// The earliest time that schedule() has a timer to fire.
    std::optional<MonoTime> nextWake() const;
    /// Carries out at most 1,000 steps of large operations. `hasMoreWork()`: call it again after a yield.
    void step(Outbox& out);
    bool hasMoreWork() const;

    // -- questions
    /// What there is to do, in about so many items beside those that run. Looks at some 260,000 records at most.
    Outline outline(int most, MonoTime now) const;
    /// Changes whenever something that others can see does.
    std::uint32_t revision() const;
    /// `sink` is told of each change while it happens: it must note it and return. Empty: nobody is.
    void setChangeSink(std::function<void(const Change&)> sink);
    /// Bytes the structure holds for `views().counts().all.active()` actions.
    std::size_t memoryBytes() const;

    /// Asserts every written invariant; walks everything. For tests.
    void check() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::session
