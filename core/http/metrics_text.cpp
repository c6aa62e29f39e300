#include "core/http/metrics_text.h"

#include "core/base/disk_space.h"
#include "core/http/process_inside.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <sys/resource.h>

namespace yard::http {

namespace {

using enum MetricKind;

constexpr std::string_view kPrefix = "yardmaster_";
/// Queues with a sample of their own; what the others have is summed up.
constexpr int kMostQueues = 200;
/// Likewise of types of objects.
constexpr std::size_t kMostTypes = 100;

void appendEscaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
}

std::string_view kindName(MetricKind kind) {
    switch (kind) {
    case Counter: return "counter";
    case Gauge: return "gauge";
    case Histogram: break;
    }
    return "histogram";
}

double seconds(std::int64_t micros) {
    return static_cast<double>(micros) / 1e6;
}

std::string_view reasonLabel(Reason reason) {
    return reason == Reason::None ? "none" : name(reason);
}

std::optional<std::uint64_t> fileSize(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) return std::nullopt;
    return size;
}

std::optional<std::uint64_t> openFiles() {
    std::error_code error;
    std::uint64_t count = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
         at.increment(error))
        ++count;
    if (error) return std::nullopt;
    return count;
}

void writeActions(MetricsWriter& out, const engine::MetricsView& engine) {
    const engine::EngineCounters& counters = engine.counters;
    const auto now = [&](ActionState state) {
        return static_cast<double>(engine.session.counts[std::to_underlying(state)]);
    };
    out.family("actions", Gauge, "Actions that have not ended, by state.");
    for (const ActionState state : {ActionState::Pending, ActionState::Submitting, ActionState::Running})
        out.sample(now(state), {{"state", name(state)}});
    out.gauge("actions_held", "Pending actions that are held by themselves.", static_cast<double>(engine.held));
    out.counter("actions_submitted_total", "Actions accepted, elements of arrays each.", counters.submitted);
    out.family("submissions_total", Counter, "Submissions by what became of them.");
    out.sample(counters.submissions, {{"outcome", "accepted"}});
    out.sample(counters.refusedSubmissions, {{"outcome", "refused"}});
    out.family("actions_finished_total", Counter, "Actions that ended for good, by final state and reason.");
    for (std::size_t s = 0; s < kActionStates; ++s) {
        for (std::size_t r = 0; r < kReasons; ++r) {
            const auto state = static_cast<ActionState>(s);
            const auto reason = static_cast<Reason>(r);
            const bool usual = (state == ActionState::Completed && reason == Reason::None) ||
                               (state == ActionState::Failed && reason == Reason::ExitCode) ||
                               (state == ActionState::Cancelled && reason == Reason::Cancelled) ||
                               (state == ActionState::Abandoned && reason == Reason::Abandoned);
            if (usual || counters.finished[s][r] > 0)
                out.sample(counters.finished[s][r], {{"state", name(state)}, {"reason", reasonLabel(reason)}});
        }
    }
    out.counter("attempts_started_total", "Attempts whose process was started.", counters.started);
    out.family("attempts_retried_total", Counter, "Attempts that were followed by another one, by reason.");
    for (std::size_t r = 0; r < kReasons; ++r)
        if (counters.retried[r] > 0 || static_cast<Reason>(r) == Reason::ExitCode)
            out.sample(counters.retried[r], {{"reason", reasonLabel(static_cast<Reason>(r))}});
    out.gauge("locks_held", "Named locks held by actions of this engine.", static_cast<double>(engine.locksHeld));
    out.gauge("locks_waited_for", "Named locks for which something waits that would start but for them.",
              static_cast<double>(engine.locksWaitedFor));
    out.counter("orphans_reaped_total", "Directories of attempts that nobody owned any more.",
                counters.orphansReaped);
    out.counter("stale_locks_removed_total", "Files of locks whose holder had died.", counters.staleLocks);
    out.gauge("actions_hung", "Running actions without output and processor time for a while.",
              static_cast<double>(engine.hung));
    out.gauge("pool_processes", "Warm processes, in whatever state.", static_cast<double>(engine.poolProcesses));
    out.gauge("pool_busy", "Warm processes that work on something.", static_cast<double>(engine.poolBusy));
    out.counter("pool_spawned_total", "Warm processes that came up.", engine.poolSpawned);
    out.counter("pool_spawn_failures_total", "Warm processes that did not come up.", engine.poolSpawnFailures);
    out.counter("pool_crashes_total", "Warm processes that died or broke the protocol.", engine.poolCrashes);
    out.counter("pool_requests_total", "Requests that warm processes answered.", engine.poolRequests);
    out.counter("pool_moved_total", "Requests that were given to another warm process.", engine.poolElsewhere);
    out.gauge("memory_guard_holding", "1 while nothing starts for the sake of memory.",
              engine.session.guard.holding);
    out.counter("memory_guard_stopped_total", "Actions stopped for the sake of memory.", counters.stoppedForMemory);
    out.gauge("attempts_in_flight", "Attempts handed out whose end is not in the journal.",
              static_cast<double>(engine.attemptsInFlight));
}

/// What their drivers tell; who is lost tells nothing.
void writeGpus(MetricsWriter& out, const std::vector<engine::GpuView>& gpus) {
    if (gpus.empty()) return;
    const auto each = [&](std::string_view name, std::string_view help, auto valueOf) {
        out.family(name, Gauge, help);
        for (const engine::GpuView& view : gpus)
            if (const std::optional<double> value = valueOf(view))
                out.sample(*value, {{"gpu", view.gpu.index}, {"uuid", view.gpu.uuid}});
    };
    each("gpu_lost", "1 of a GPU that is given to nobody any more.",
         [](const auto& view) { return std::optional(view.figures.lost.empty() ? 0.0 : 1.0); });
    each("gpu_unknown", "1 of a GPU whose driver does not answer.",
         [](const auto& view) { return std::optional(view.figures.unknown.empty() ? 0.0 : 1.0); });
    each("gpu_utilisation_percent", "Part of the time in which a GPU did something.",
         [](const auto& view) { return view.figures.utilisationPercent; });
    each("gpu_memory_used_bytes", "Memory of a GPU that is in use.", [](const auto& view) {
        const auto& used = view.figures.memoryUsedBytes;
        return used ? std::optional(static_cast<double>(*used)) : std::nullopt;
    });
    each("gpu_power_watts", "What a GPU takes.", [](const auto& view) { return view.figures.powerWatts; });
    each("gpu_temperature_celsius", "How warm a GPU is.",
         [](const auto& view) { return view.figures.temperatureC; });
}

void writeQueues(MetricsWriter& out, const engine::MetricsView& engine) {
    out.gauge("queues", "Queues that are known.", static_cast<double>(engine.queues.size()));
    out.family("queue_actions", Gauge,
               "Depth of queues by state; queues beyond the first 200 with work are \"other\".");
    int shown = 0;
    std::int64_t pending = 0;
    std::int64_t running = 0;
    for (const engine::QueueDepth& queue : engine.queues) {
        if (queue.id.value != 0 && queue.pending + queue.running == 0) continue;
        if (++shown > kMostQueues) {
            pending += queue.pending;
            running += queue.running;
            continue;
        }
        const std::string id = fmt::format("{}", queue.id.value);
        out.sample(static_cast<double>(queue.pending), {{"queue", id}, {"state", "pending"}});
        out.sample(static_cast<double>(queue.running), {{"queue", id}, {"state", "running"}});
    }
    if (shown <= kMostQueues) return;
    out.sample(static_cast<double>(pending), {{"queue", "other"}, {"state", "pending"}});
    out.sample(static_cast<double>(running), {{"queue", "other"}, {"state", "running"}});
}

/// Types beyond the first kMostTypes are summed up, without their states: there may be ten thousand of 64 each.
void writeObjects(MetricsWriter& out, const engine::ObjectFigures& objects) {
    const auto shown = std::min(objects.types.size(), kMostTypes);
    const bool isMore = shown < objects.types.size();
    engine::ObjectFigures::Type others;
    std::uint64_t otherObjects = 0;
    out.family("objects", Gauge,
               "Objects by type and status; those of types beyond the first 100 are counted apart.");
    for (std::size_t at = 0; at < objects.types.size(); ++at) {
        const engine::ObjectFigures::Type& type = objects.types[at];
        if (at < shown) {
            for (const auto& [status, count] : type.byStatus)
                out.sample(count, {{"type", type.name}, {"status", status}});
            continue;
        }
        for (const auto& [status, count] : type.byStatus) otherObjects += count;
        others.due += type.due;
        others.actors += type.actors;
    }
    // A label of its own: a type may be called "other".
    if (isMore) out.sample(otherObjects, {{"beyond", "100"}});
    const auto each = [&](std::string_view name, std::string_view help, auto member) {
        out.family(name, Gauge, help);
        for (std::size_t at = 0; at < shown; ++at)
            out.sample(objects.types[at].*member, {{"type", objects.types[at].name}});
        if (isMore) out.sample(others.*member, {{"beyond", "100"}});
    };
    each("objects_due", "Objects in the queues of their actors, by type.", &engine::ObjectFigures::Type::due);
    each("object_actors", "Actors that look at objects, by type.", &engine::ObjectFigures::Type::actors);
    out.gauge("objects_orphaned", "Objects that are due and that nobody looks at.",
              static_cast<double>(objects.orphans));
    out.gauge("objects_stuck", "Objects that were retried too often and do not get on.",
              static_cast<double>(objects.stuck));
    out.gauge("object_effects_waiting", "Effects of moves that are not carried out yet.",
              static_cast<double>(objects.effects));
}

/// Of programs and plugins that are told of objects.
void writeHooks(MetricsWriter& out, const std::vector<engine::ObjectFigures::Hook>& hooks) {
    if (hooks.empty()) return;
    const auto each = [&](std::string_view name, std::string_view help, auto member) {
        out.family(name, Counter, help);
        for (const engine::ObjectFigures::Hook& hook : hooks)
            out.sample(hook.*member, {{"hook", hook.name}, {"kind", hook.kind}});
    };
    each("hook_runs_total", "Runs of a hook that are over.", &engine::ObjectFigures::Hook::runs);
    each("hook_failures_total", "Runs of a hook that failed.", &engine::ObjectFigures::Hook::failed);
    each("hook_events_dropped_total", "Events that a hook was not told as it did not keep up.",
         &engine::ObjectFigures::Hook::dropped);
}

void writeLatencies(MetricsWriter& out, const engine::EngineCounters& counters) {
    out.histogram("submit_duration_seconds", "From the arrival of a submission in the engine to its commit.",
                  counters.submit);
    out.histogram("wait_duration_seconds", "From the submission of an action to its first attempt.", counters.wait);
    out.histogram("prepare_duration_seconds", "From the start of an attempt to its first process.",
                  counters.prepare);
    out.histogram("run_duration_seconds", "From the first process of an attempt to the end of its process tree.",
                  counters.run);
    out.histogram("commit_duration_seconds", "From a result being known to its commit.", counters.commit);
}

void writeStore(MetricsWriter& out, const AllFigures& figures) {
    const store::Store::Stats& store = figures.engine.store;
    out.counter("journal_groups_total", "Transactions of the journal.", store.groups);
    out.counter("journal_operations_total", "Operations in those transactions.", store.operations);
    out.counter("journal_failed_groups_total", "Transactions that failed for the disk's reasons.",
                store.failedGroups);
    out.counter("journal_replays_total", "Transactions that were carried out one by one.", store.replays);
    out.counter("journal_checkpoints_total", "Checkpoints made by hand.", store.checkpoints);
    out.gauge("journal_writable", "1 while the journal can be written.", figures.engine.session.journalWritable);
    out.gauge("results_uncommitted", "Results on their way to the journal.",
              static_cast<double>(figures.engine.uncommittedResults));
    out.family("journal_size_bytes", Gauge, "Size of the journal's files.");
    if (figures.process.journalBytes)
        out.sample(static_cast<double>(*figures.process.journalBytes), {{"file", "database"}});
    if (figures.process.walBytes) out.sample(static_cast<double>(*figures.process.walBytes), {{"file", "wal"}});
    out.family("chunks_written_total", Counter, "Chunks that came into the content store, by where they are kept.");
    out.sample(figures.chunks.smallChunks, {{"kept", "journal"}});
    out.sample(figures.chunks.files, {{"kept", "file"}});
    out.family("chunks_written_bytes_total", Counter, "Bytes of those chunks, as they lie on the disk.");
    out.sample(figures.chunks.smallBytes, {{"kept", "journal"}});
    out.sample(figures.chunks.fileBytes, {{"kept", "file"}});
    out.counter("chunks_set_aside_total", "Chunks whose bytes turned out to be wrong.", figures.chunks.setAside);
    const engine::EngineCounters& counters = figures.engine.counters;
    out.counter("actions_cleared_total", "Finished actions that retention did not keep.", counters.retired);
    out.counter("chunks_cleared_total", "Chunks that nothing referred to any more.", counters.chunksDropped);
    out.counter("chunks_cleared_bytes_total", "Bytes of those chunks.", counters.chunkBytesDropped);
    if (figures.process.freeBytes)
        out.gauge("data_free_bytes", "Free space where the data directory is.",
                  static_cast<double>(*figures.process.freeBytes));
}

void writeEvents(MetricsWriter& out, const AllFigures& figures) {
    const EventCounters& events = figures.events;
    out.gauge("event_watchers", "Open connections of GET events.", static_cast<double>(events.watchers));
    out.counter("event_changes_total", "Changes kept for watchers.", figures.engine.revision);
    out.counter("event_frames_total", "Frames sent to watchers.", events.frames);
    out.counter("event_frames_written_total", "Frames made; one may go to many watchers.", events.written);
    out.counter("event_bytes_total", "Bytes of the frames sent.", events.bytes);
    out.counter("event_resyncs_total", "Watchers told to begin again because they were too slow.", events.resyncs);
    out.counter("event_messages_total", "Messages of watchers.", events.messages);
}

void writeServer(MetricsWriter& out, const ServerCounters& server) {
    out.gauge("http_connections", "Open connections.", static_cast<double>(server.open));
    out.counter("http_connections_accepted_total", "Connections taken.", server.accepted);
    out.counter("http_connections_delayed_total",
                "New connections that waited because the process may open few files more.", server.delayed);
    out.counter("http_connections_evicted_total", "Idle connections closed for new ones.", server.evicted);
    out.counter("http_accept_failures_total", "Connections that could not be taken.", server.acceptFailures);
    out.counter("http_requests_total", "Requests answered.", server.requests);
}

void writeEngine(MetricsWriter& out, const AllFigures& figures) {
    const engine::MetricsView& engine = figures.engine;
    out.family("build_info", Gauge, "The version that runs.");
    out.sample(1.0, {{"version", YARD_VERSION}});
    out.family("session_state", Gauge, "1 for the state that the session is in.");
    for (std::size_t s = 0; s < kSessionStates; ++s) {
        const auto state = static_cast<SessionState>(s);
        out.sample(engine.session.state == state ? 1.0 : 0.0, {{"state", name(state)}});
    }
    out.gauge("slots", "Actions of one core that may run at once.", engine.session.slots.oneCore);
    out.gauge("helper_backlog", "Jobs that wait for a helper thread.", static_cast<double>(engine.helperBacklog));
    out.gauge("session_memory_bytes", "What the scheduler's structure holds.",
              static_cast<double>(engine.sessionBytes));
    out.gauge("spec_cache_bytes", "Specs of pending actions that are kept in memory.",
              static_cast<double>(engine.specCacheBytes));
    out.counter("engine_wakeups_total", "Times the engine thread came back from waiting.", engine.loopWakeups);
    out.counter("engine_switches_total", "Switches between the engine's cooperative threads.", engine.loopSwitches);
}

void writeMemory(MetricsWriter& out, const std::vector<engine::MemoryPart>& memory) {
    if (memory.empty()) return;
    out.family("memory_bytes", Gauge, "What parts of the engine hold, as they count it.");
    for (const engine::MemoryPart& part : memory)
        out.sample(static_cast<double>(part.bytes), {{"subsystem", part.name}});
}

void writeProcess(MetricsWriter& out, const AllFigures& figures) {
    const ProcessFigures& process = figures.process;
    out.gauge("process_start_time_seconds", "When this engine began to serve, since the Unix epoch.",
              seconds(figures.started));
    out.family("process_cpu_seconds_total", Counter, "Processor time of the engine, actions not counted.");
    out.sample(process.cpuSeconds);
    if (process.residentBytes)
        out.gauge("process_resident_memory_bytes", "Memory of the engine in use.",
                  static_cast<double>(*process.residentBytes));
    if (process.openFiles)
        out.gauge("process_open_fds", "Descriptors of the engine.", static_cast<double>(*process.openFiles));
}

} // namespace

void MetricsWriter::family(std::string_view name, MetricKind kind, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(text_), "# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", kPrefix, name, help,
                   kindName(kind));
}

void MetricsWriter::line(std::string_view suffix, Labels labels, std::string_view value) {
    text_ += kPrefix;
    text_ += name_;
    text_ += suffix;
    char before = '{';
    for (const auto& [label, of] : labels) {
        text_ += before;
        text_ += label;
        text_ += "=\"";
        appendEscaped(text_, of);
        text_ += '"';
        before = ',';
    }
    if (labels.size() > 0) text_ += '}';
    text_ += ' ';
    text_ += value;
    text_ += '\n';
}

void MetricsWriter::sample(double value, Labels labels) {
    line("", labels, fmt::format("{}", value));
}
void MetricsWriter::sample(std::uint64_t value, Labels labels) {
    line("", labels, fmt::format("{}", value));
}
void MetricsWriter::counter(std::string_view name, std::string_view help, std::uint64_t value) {
    family(name, Counter, help);
    sample(value);
}
void MetricsWriter::gauge(std::string_view name, std::string_view help, double value) {
    family(name, Gauge, help);
    sample(value);
}

void MetricsWriter::histogram(std::string_view name, std::string_view help, const history::Histogram& histogram) {
    family(name, Histogram, help);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < history::Histogram::kBounds.size(); ++i) {
        below += histogram.inBucket(i);
        const std::string bound = fmt::format("{}", seconds(history::Histogram::kBounds[i]));
        line("_bucket", {{"le", bound}}, fmt::format("{}", below));
    }
    line("_bucket", {{"le", "+Inf"}}, fmt::format("{}", histogram.count()));
    line("_sum", {}, fmt::format("{}", seconds(histogram.sumMicros())));
    line("_count", {}, fmt::format("{}", histogram.count()));
}

ProcessFigures processFigures(const std::string& dataDir) {
    ProcessFigures figures;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime})
        figures.cpuSeconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) / 1e6;
    if (const auto resident = residentMemory()) figures.residentBytes = resident->bytes;
    figures.openFiles = openFiles();
    figures.journalBytes = fileSize(dataDir + "/journal.sqlite");
    figures.walBytes = fileSize(dataDir + "/journal.sqlite-wal");
    if (const auto disk = diskSpace(dataDir)) figures.freeBytes = static_cast<std::uint64_t>(disk->free);
    return figures;
}

std::string metricsText(const AllFigures& figures) {
    MetricsWriter out;
    writeEngine(out, figures);
    writeActions(out, figures.engine);
    writeGpus(out, figures.engine.session.gpuList);
    writeQueues(out, figures.engine);
    writeObjects(out, figures.engine.objects);
    writeHooks(out, figures.engine.objects.hooks);
    writeLatencies(out, figures.engine.counters);
    writeStore(out, figures);
    writeEvents(out, figures);
    if (figures.server) writeServer(out, *figures.server);
    writeMemory(out, figures.memory);
    writeProcess(out, figures);
    return out.take();
}

} // namespace yard::http
