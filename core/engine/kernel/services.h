// The services of an engine, and the tables and runners that they share: one of each, as members in the order in which
// one is made after those that it refers to. Wiring makes them; nothing else may know them all but the kernel.
//
// Owner: engine thread, but for the Committer's deliver(). Lifetime: after Ground, before Wiring; what is empty is made
// while the engine opens, and stays until it has closed.
#pragma once

#include "core/coro/events.h"
#include "core/engine/alerts/alerts.h"
#include "core/engine/allocators/allocators.h"
#include "core/engine/commands/annotating.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/moving.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/commands/results.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/guests/guests.h"
#include "core/engine/machines/machines.h"
#include "core/engine/objects/objects.h"
#include "core/engine/reading/accounting.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/estimates.h"
#include "core/engine/reading/facets.h"
#include "core/engine/reading/failures.h"
#include "core/engine/reading/folding.h"
#include "core/engine/reading/graphs.h"
#include "core/engine/reading/inside.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/notes.h"
#include "core/engine/reading/orders.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/reading/selection.h"
#include "core/engine/reading/waiting_counts.h"
#include "core/engine/reading/watching.h"
#include "core/engine/recordings/recordings.h"
#include "core/engine/recordings/replays.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/cloud_watch.h"
#include "core/engine/running/courtesy_service.h"
#include "core/engine/running/descriptor_guard.h"
#include "core/engine/running/execution.h"
#include "core/engine/running/gpu_watch.h"
#include "core/engine/running/guards.h"
#include "core/engine/running/job_tokens.h"
#include "core/engine/running/kind_keeper.h"
#include "core/engine/running/orphan_sweep.h"
#include "core/engine/running/retention.h"
#include "core/engine/running/runner_places.h"
#include "core/engine/running/stats_sampler.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/engine/running/warm_host.h"
#include "core/engine/running/warm_pool.h"
#include "core/engine/running/wine_host.h"
#include "core/engine/running/workspaces.h"
#include "core/engine/schedules/schedules.h"
#include "core/engine/schedules/wall_alarm.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/committer.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/lock_watch.h"
#include "core/engine/state/predecessors.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/work_classes.h"
#include "core/engine/state/workers.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace yard::engine {

struct Services {
    Services(coro::Loop& loop, std::function<void()> wake)
        : committer(loop, std::move(wake)) {}

    // --- state
    session::Outbox outbox;
    std::optional<session::Session> session;
    InternTable dictionary;
    WorkerRegistry registry;
    std::optional<WorkClasses> classes;
    std::optional<Workers> workers;
    std::optional<Predecessors> predecessors;
    std::optional<ChangeLog> changes;
    Annotations annotations;
    std::optional<Queues> queues;
    SpecCache specs;
    UnkeptValues unkept;
    Committer committer;
    std::optional<LockWatch> locks;
    Estimator estimator;
    std::optional<FailureMutes> failureMutes;

    // --- commands
    std::optional<Intake> intake;
    std::optional<Results> results;
    std::optional<Rescheduling> rescheduling;
    std::optional<Operations> operations;
    std::optional<Annotating> annotating;
    std::optional<Moving> moving;
    std::optional<SessionMoves> sessionMoves;
    std::optional<WallAlarm> scheduleAlarm; ///< made and closed on the engine thread
    std::optional<Schedules> schedules;
    std::optional<ActorProcesses> actors;
    std::optional<Hooks> hooks;
    std::optional<Objects> objects;
    std::optional<WallAlarm> alertAlarm; ///< likewise
    std::optional<Alerts> alerts;

    // --- running
    AttemptTable attempts;
    SlotBalancer slots{attempts};
    std::optional<WineHost> wine;
    std::optional<Workspaces> workspaces;
    std::optional<LeaseMaker> leases;
    std::optional<JobTokens> tokens;
    std::optional<Execution> execution;
    std::optional<AttemptMonitor> monitor;
    std::optional<OrphanSweep> orphans;
    std::optional<Guards> guards;
    std::optional<DescriptorGuard> descriptors;
    std::optional<CourtesyService> courtesy;
    std::optional<Retention> retention;
    std::optional<StatsSampler> figures;
    std::optional<GpuWatch> gpus;
    std::optional<TimelineKeeper> timelines;
    std::optional<KindKeeper> kinds;
    std::optional<Recordings> recordings;
    std::optional<Replays> replays;

    // --- reading
    std::optional<Estimates> estimates;
    std::optional<Reasons> reasons;
    std::optional<WaitingCounts> waitingCounts;
    std::optional<Accounting> accounting;
    std::optional<Graphs> graphs;
    std::optional<Notes> notes;
    std::optional<ActionRows> rows;
    std::optional<ActionDetails> details;
    std::optional<Selection> selection;
    std::optional<Orders> orders;
    std::optional<MatchWalk> matches;
    std::optional<Listing> listing;
    std::optional<Folding> folding;
    std::optional<Facets> facets;
    std::optional<Failures> failures;
    std::optional<Watching> watching;
    std::optional<Overview> overview;
    std::optional<Inside> inside;

    // --- runners
    MachineBook machineBook;          ///< of the journal, until the machines are restored
    std::optional<Machines> machines; ///< its hosts outlive the runners
    std::optional<Allocators> allocators;
    std::optional<RunnerPlaces> places;
    std::optional<GuestWorkers> guestWorkers;
    std::optional<GuestJobs> guestJobs;
    std::optional<Guests> guests;
    std::optional<CloudWatch> cloud;
    std::optional<WarmPool> pool;
    std::optional<EngineWarmHost> warmHost;
    std::unique_ptr<runners::WarmRunner> warm; ///< uses this machine; null until the journal is restored
    std::optional<coro::FdWatch> warmWatch;
};

} // namespace yard::engine
