// The parts of a session as the session makes them, for tests of one part: two queues, a machine of two cores.
#pragma once

#include "core/session/action_commands.h"
#include "core/session/arrivals.h"
#include "core/session/bulk.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/machine_commands.h"
#include "core/session/place_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "core/session/shortage.h"
#include "core/session/starter.h"
#include "core/session/wait_reasons.h"

#include <utility>
#include <vector>

namespace yard::session::test {

struct PartsOfSession {
    PartsOfSession() {
        (void)service.moveTo(SessionState::Ready);
        ledger.order().defineClass(ClassId(0), Resources{.milliCores = 1'000, .named = {}}, {}, {}, {});
        ledger.order().defineClass(ClassId(1), Resources{.milliCores = 1'000, .named = {}}, {LockId(0)}, {}, {});
        ledger.order().defineClass(ClassId(2), {}, {}, GateId(0), {});
        for (const std::int64_t id : {7, 8}) queues.add(QueueId(id), {}, QueueState::Active, false, {}, 0);
    }
    static NewAction action(std::int64_t lsn, std::int64_t queue = 7, std::uint32_t cls = 0) {
        NewAction made;
        made.lsn = Lsn(lsn);
        made.queue = QueueId(queue);
        made.cls = ClassId(cls);
        made.submitTime = lsn;
        return made;
    }
    /// Returns its record.
    std::uint32_t add(const NewAction& made) {
        intake.add(made, now, out);
        return ledger.records().find(made.lsn);
    }
    std::uint32_t add(std::int64_t lsn, std::int64_t queue = 7, std::uint32_t cls = 0) {
        return add(action(lsn, queue, cls));
    }
    /// LSNs of what starts now.
    std::vector<std::int64_t> start() {
        while (starter.schedule(now, out, true)) {
        }
        std::vector<std::int64_t> lsns;
        for (const Start& start : std::exchange(out.start, {})) lsns.push_back(start.lsn.value);
        return lsns;
    }
    void end(std::int64_t lsn, ActionState state, Reason reason = Reason::None) {
        AttemptEnd how;
        how.state = state;
        how.reason = reason;
        events.ended(Lsn(lsn), 1, how, now, out);
    }
    /// The journal has all ends that there are. Returns their number.
    std::size_t storeAll() {
        const auto decided = std::exchange(out.finish, {});
        for (const Finish& finish : decided) ends.stored(finish.lsn, {}, out);
        return decided.size();
    }
    Queue& queue(std::int64_t id = 7) { return ledger.order().queue(ledger.findQueue(QueueId(id))); }
    const Record& record(std::uint32_t place) const { return ledger.records()[place]; }
    void check() const {
        ledger.check();
        timers.check();
        dependencies.check();
        entrance.check(service.isAbandoned());
        attempts.check();
        bulk.check();
    }

    MachineCapacity capacity{Resources{.milliCores = 2'000, .named = {}}};
    SessionOptions options{.slotCount = 2, .aheadPerSlot = 0};
    ServiceState service;
    Ledger ledger{capacity};
    MachineCommands machines{capacity, ledger.classes(), options};
    Shortage shortage{ledger.order(), ledger.classes(), capacity, service};
    Timers timers{ledger.records()};
    Dependencies dependencies{ledger.records()};
    Arrivals arrivals;
    ResourceHolds holds{capacity, ledger.order()};
    Entrance entrance{ledger};
    Attempts attempts{ledger, capacity, entrance, options};
    Ends ends{ledger, service, timers, dependencies, entrance, attempts};
    Events events{ledger, service, timers, entrance, attempts, ends, options.seed};
    BulkWork bulk{ledger, service, attempts, ends};
    QueueCommands queues{ledger, service, entrance, attempts, bulk};
    ActionCommands actions{{ledger, timers, dependencies, entrance, attempts, ends}, service, queues};
    PlaceCommands places{ledger, service};
    Intake intake{{ledger, timers, dependencies, entrance, ends, events, arrivals}, service};
    Starter starter{{ledger, timers, entrance, attempts, holds}, capacity, service, options};
    LiveViews views{ledger, service, timers, attempts};
    WaitReasons reasons{{ledger, capacity, service, timers, attempts, holds}, options};
    Outbox out;
    MonoTime now{Duration{1'000}};
};

} // namespace yard::session::test
