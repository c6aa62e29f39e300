// The inside of Session: its parts, made bottom up, each with references to those it needs of the ones before it
// (README.md: who owns what). The door (door.cpp) hands out those that others call. Private; owner: engine thread.
//
// Invariants: those of the parts; check() asks each of them.
#pragma once

#include "core/base/owner.h"
#include "core/session/action_commands.h"
#include "core/session/arrivals.h"
#include "core/session/attempts.h"
#include "core/session/bulk.h"
#include "core/session/dependencies.h"
#include "core/session/ends.h"
#include "core/session/entrance.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/ledger.h"
#include "core/session/live_views.h"
#include "core/session/machine_commands.h"
#include "core/session/place_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "core/session/service_state.h"
#include "core/session/session.h"
#include "core/session/shortage.h"
#include "core/session/starter.h"
#include "core/session/timers.h"
#include "core/session/wait_reasons.h"

#include <cstddef>
#include <memory>

namespace yard::session {

struct Session::Impl {
    Impl(std::unique_ptr<Capacity> capacityOf, SessionOptions with);

    /// What follows for the attempts that are out, and for everything that is active.
    Result<void> moveTo(SessionState to, Outbox& out);
    std::size_t memoryBytes() const;
    void check() const; // check.cpp

    std::unique_ptr<Capacity> capacity;
    SessionOptions options;
    ServiceState service;
    Ledger ledger{*capacity};
    // what there is, what actions wait for
    MachineCommands machines{*capacity, ledger.classes(), options};
    Shortage shortage{ledger.order(), ledger.classes(), *capacity, service};
    Timers timers{ledger.records()};
    Dependencies dependencies{ledger.records()};
    Arrivals arrivals;
    // what is handed out
    ResourceHolds holds{*capacity, ledger.order()};
    Entrance entrance{ledger};
    Attempts attempts{ledger, *capacity, entrance, options};
    // what becomes of actions
    Ends ends{ledger, service, timers, dependencies, entrance, attempts};
    Events events{ledger, service, timers, entrance, attempts, ends, options.seed};
    BulkWork bulk{ledger, service, attempts, ends};
    // what is asked for
    QueueCommands queues{ledger, service, entrance, attempts, bulk};
    ActionCommands actions{{ledger, timers, dependencies, entrance, attempts, ends}, service, queues};
    PlaceCommands places{ledger, service};
    Intake intake{{ledger, timers, dependencies, entrance, ends, events, arrivals}, service};
    Starter starter{{ledger, timers, entrance, attempts, holds}, *capacity, service, options};
    // questions
    LiveViews views{ledger, service, timers, attempts};
    WaitReasons reasons{{ledger, *capacity, service, timers, attempts, holds}, options};
    OwnerCheck owner;
};

} // namespace yard::session
