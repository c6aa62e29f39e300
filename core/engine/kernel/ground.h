// What the services of an engine stand on: the data directory, settings, threads, journal and content store, and what
// is constant once it is open.
//
// Owner: opened and closed by main, while no other thread has it; in between the engine thread. For any thread are what
// the other parts say of themselves (loop, chunks, together), and token and directory, which stay as they are from
// open to close. Lifetime: outlives services and threads.
#pragma once

#include "core/base/cpu_colocation.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/engine/guests/guests.h"
#include "core/engine/kernel/slot_plan.h"
#include "core/engine/objects/hook_folder.h"
#include "core/engine/objects/plugin.h"
#include "core/engine/running/sandboxing.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/options.h"
#include "core/engine/state/pilot_tickets.h"
#include "core/engine/state/settings_service.h"
#include "core/host/gpu_reader.h"
#include "core/locks/claims.h"
#include "core/session/indexed_resources.h"
#include "core/store/chunk_files.h"
#include "core/store/chunk_store.h"
#include "core/store/data_directory.h"
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

struct Ground {
    explicit Ground(Options given);

    // --- opening, in this order. Each blocks.
    /// The directory is ours from then on. Errors: Engine::open().
    Result<void> openDirectory();
    Result<void> readSettings();
    /// The way to the yard that this machine works for, if any.
    Result<void> planJoin();
    /// `streams`: names of what attempts of the last engine had not given to the content store.
    Result<void> openStorage(const std::vector<std::string>& streams, store::StoreCallbacks callbacks);
    void openHelpers();
    /// Programs and plugins that are told of objects. Before planResources(). Errors: as readHookFolder(), Plugin::load().
    Result<void> openHooks();
    Result<void> planResources();
    /// On the engine thread, once the journal is restored: its own thread, and that of those who read it.
    Result<void> startStorage();
    /// Commits what was posted. After helpers and services stopped using it. Blocks.
    void close();

    bool isDurable() const { return settings.durability == "power"; }
    /// Cores of all runners.
    int cores() const { return capacity + slotPlan.beside; }

    const Options options;
    CpuColocation together; ///< engine, store and who joined them
    SettingsService settingsService;
    const Settings& settings = settingsService.inForce();
    int capacity = 1; ///< cores of this machine
    std::optional<store::DataDirectory> directory;
    std::string token;
    std::string runId;
    std::string machineName;
    std::optional<JoinPlan> join; ///< until the engine works

    coro::Loop loop;
    std::unique_ptr<store::ChunkFiles> chunkFiles;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::ChunkStore> chunks;
    std::unique_ptr<store::ReaderThread> reader;
    JournalReader journal{[this](store::ReaderThread::Job job) { return reader->post(std::move(job)); }};
    locks::Claims claims;                 ///< directories of attempts in use
    std::optional<Sandboxing> sandboxing; ///< constant once open
    std::optional<coro::HelperPool> helpers;

    HookFolder hookFolder;                        ///< until they are opened
    std::vector<std::unique_ptr<Plugin>> plugins; ///< likewise
    SlotPlan slotPlan;
    Resources total; ///< of all machines, for actions
    std::optional<host::GpuReader> gpuReader;
    std::vector<host::Gpu> gpus;         ///< of this machine; constant once open
    bool isGpuDriverSilent = false;      ///< it has not answered at the start: none is known
    session::ResourceNames pieces;       ///< of this machine: names of what is told apart
    std::vector<std::int64_t> gpuMemory; ///< of each piece of "gpus", MiB; 0: not known
    WallScale scale;                     ///< pinned when the journal is restored
    std::string lockDir;                 ///< of named locks; empty: none
    EngineCounters counters;
    PilotTickets pilotTickets; ///< for any thread
};

} // namespace yard::engine
