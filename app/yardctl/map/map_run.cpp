#include "app/yardctl/map/map_run.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/map/delivery.h"
#include "app/yardctl/map/progress.h"
#include "app/yardctl/notify.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/run_action.h"
#include "core/base/hash.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr int kExitBySignal = 128;
constexpr std::int64_t kMostFailuresTold = 101; ///< the exit code of more
constexpr std::size_t kMostBlocksAhead = 64;    ///< pieces of stdin that the engine keeps
constexpr std::size_t kMaxMapLine = 130'000;    ///< bytes of a command with -X, as parallel has it

CommandTemplate::Values valuesOf(const MapOptions& options) {
    if (options.block) return CommandTemplate::Values::None;
    return options.isContext ? CommandTemplate::Values::Context : CommandTemplate::Values::One;
}

/// Nothing with --pipe. Where there is a header, it is read.
Outcome<std::optional<RecordSource>> openSource(const MapOptions& options, int stop) {
    if (options.block) return std::nullopt;
    auto source = RecordSource::open(options.sources, {.separator = options.separator,
                                                       .skipsBlank = options.skipsBlank,
                                                       .hasHeader = options.hasHeader,
                                                       .columns = options.columns,
                                                       .stop = stop});
    if (!source) return std::unexpected(source.error());
    return std::move(*source);
}

Outcome<CommandTemplate> commandOf(const MapOptions& options, const std::optional<RecordSource>& source) {
    // Columns are trimmed unless that is said otherwise, as with parallel.
    const Trim usual = options.columns.empty() ? Trim::None : Trim::Both;
    return CommandTemplate::parse(options.words,
                                  {.values = valuesOf(options),
                                   .whole = options.whole,
                                   .hasPlus = options.hasPlus,
                                   .isQuoted = options.isQuoted,
                                   .trim = options.trim.value_or(usual),
                                   .names = source ? std::span(source->names()) : std::span<const std::string>()});
}

JobPlanner makePlanner(const MapOptions& options, const CommandTemplate& command,
                       std::optional<RecordSource> source, std::int64_t atOnce, int stop) {
    const std::size_t fixed = std::min(command.fixedSize(), kMaxMapLine);
    const JobPlanner::How how{.records = options.records,
                              .leavesOut = options.leavesOut,
                              .isContext = options.isContext,
                              .shuffles = options.shuffles,
                              .counts = command.usesTotal(),
                              .maxLine = kMaxMapLine - fixed,
                              .jobsAtOnce = static_cast<std::size_t>(atOnce)};
    if (source) return {std::move(*source), how, command};
    return {BlockReader(*options.block, stop, options.headLines), how, command};
}

} // namespace

MapRun::MapRun(const Invocation& invocation, const MapOptions& options)
    : invocation_(invocation)
    , options_(options) {
    std::signal(SIGPIPE, SIG_IGN); // a reader that left must end the jobs, not only this process
}

MapRun::~MapRun() = default;

Outcome<int> MapRun::perform() {
    const InFlight::Limits limits{.jobs = options_.block ? kMostBlocksAhead : InFlight::Limits{}.jobs};
    inFlight_ = std::make_unique<InFlight>(limits);
    Outcome<int> code = failed("the map did not begin");
    std::thread worker([&] {
        code = work();
        signals_.finish();
    });
    while (const auto signal = signals_.next()) {
        if (signal_ != 0) leaveAtOnce(kExitBySignal + *signal);
        signal_ = *signal;
        requestEnd();
    }
    worker.join();
    if (canceller_.joinable()) canceller_.join();
    if (invocation_.arguments.has("notify") && !ended_.empty()) notifyOf("yardctl map", ended_);
    return code;
}

Outcome<int> MapRun::work() {
    if (auto ready = prepare(); !ready) return std::unexpected(ready.error());
    {
        const ThreadLock lock(mutex_);
        queue_ = prepared_->queue;
    }
    std::thread feeder([this] { prepared_->feeder->run(); });
    auto code = options_.detaches ? detach() : collect();
    inFlight_->stop();
    feeder.join();
    return code;
}

Outcome<std::int64_t> MapRun::coresThere() {
    const auto session = invocation_.engine.get("session");
    if (!session) return failedWith(session.error());
    const json::object* machine = objectOf(session->object, "machine");
    const auto cores = machine ? numberOf(*machine, "cores") : std::nullopt;
    return std::max<std::int64_t>(std::llround(cores.value_or(1)), 1);
}

/// The one that an earlier map left open, or a new one; with the limits of this one.
Outcome<std::string> MapRun::queueFor(const Leftover& left, std::int64_t atOnce) {
    json::object config{{"max_retries", 0},
                        {"max_running", options_.jobs ? atOnce : 0},
                        {"stop_after_failures", options_.halt.stopsAfterFailures().value_or(0)},
                        {"idle_expiry_s", kLogKeptSeconds}};
    if (left.open) {
        const std::string path = "queues/" + *left.open;
        const json::object change{{"config", config}};
        auto changed =
            invocation_.engine.callPatiently({.method = "PATCH", .path = path, .body = compactJson(change)});
        if (changed) changed = invocation_.engine.callPatiently({.method = "POST", .path = path + "/release"});
        if (!changed) return failedWith(changed.error());
        return *left.open;
    }
    const std::string program = options_.words.empty() ? std::string("commands") : options_.words.front();
    const json::object body{{"tag", mapQueueTag(program, log_ ? log_->identity() : std::string())},
                            {"config", std::move(config)}};
    const auto made = invocation_.engine.callPatiently(
        {.method = "POST", .path = "queues", .body = compactJson(body), .idempotencyKey = randomHex(16)});
    if (!made) return failedWith(made.error());
    return fmt::format("{}", integerOf(made->object, "queue_id").value_or(0));
}

Outcome<void> MapRun::openLog() {
    if (!options_.jobLog) return {};
    auto log = JobLog::open(*options_.jobLog, options_.resumes ? JobLog::Begin::Resume : JobLog::Begin::New);
    if (!log) return std::unexpected(log.error());
    log_ = std::move(*log);
    auto done = doneJobs(log_->textBefore(), options_.resumesFailed);
    if (!done) return std::unexpected(done.error());
    done_ = std::move(*done);
    return {};
}

/// By earlier maps with this log, for this one to go on from.
Outcome<Leftover> MapRun::leftBehind() {
    if (!log_ || log_->identity().empty()) return Leftover{};
    if (options_.resumes) return leftoverOf(invocation_.engine, log_->identity(), done_);
    if (auto done = leaveToEngine(invocation_.engine, log_->identity()); !done)
        return std::unexpected(done.error());
    return Leftover{};
}

Outcome<void> MapRun::prepare() {
    auto source = openSource(options_, inFlight_->stopDescriptor());
    if (!source) return std::unexpected(source.error());
    auto command = commandOf(options_, *source);
    if (!command) return std::unexpected(command.error());
    std::vector<std::string> names = *source ? (*source)->names() : std::vector<std::string>();
    if (options_.detaches && command->usesSlot())
        return usageError("{%} and --detach do not go together: nobody waits for a place to be free");
    prepared_.emplace(Prepared{.command = std::move(*command), .names = std::move(names)});
    if (auto opened = openLog(); !opened) return opened;
    const auto cores = coresThere();
    if (!cores) return std::unexpected(cores.error());
    const auto atOnce = options_.jobs ? jobsAtOnce(*options_.jobs, *cores) : Outcome<std::int64_t>(*cores);
    if (!atOnce) return std::unexpected(atOnce.error());
    // Where it depends on what has ended whether, or as which, one begins, none waits ahead.
    const bool oneByOne = prepared_->command.usesSlot() || options_.delaySeconds > 0 ||
                          (!options_.halt.isNever() && !options_.halt.stopsAfterFailures());
    const auto window = static_cast<std::size_t>(*atOnce);
    if (oneByOne) inFlight_->narrow(window);
    // More at once than there are cores: each gets its part of one. How many there are elsewhere is not known.
    constexpr double kThousand = 1000;
    const double part =
        *atOnce > *cores && !mayRunElsewhere(invocation_.arguments)
            ? std::max(1.0, std::floor(kThousand * static_cast<double>(*cores) / static_cast<double>(*atOnce))) /
                  kThousand
            : 0;
    auto actions = MapActions::of(invocation_, prepared_->command, options_, part);
    if (!actions) return std::unexpected(actions.error());
    auto planner =
        makePlanner(options_, prepared_->command, std::move(*source), *atOnce, inFlight_->stopDescriptor());
    auto left = leftBehind();
    if (!left) return std::unexpected(left.error());
    auto queue = queueFor(*left, *atOnce);
    if (!queue) return std::unexpected(queue.error());
    prepared_->queue = *queue;
    if (options_.jobs) prepared_->atOnce = *atOnce;
    prepared_->queues = std::move(left->queues);
    if (std::ranges::find(prepared_->queues, *queue) == prepared_->queues.end())
        prepared_->queues.push_back(*queue);
    prepared_->feeder = std::make_unique<Feeder>(Feeder::Parts{.engine = invocation_.engine.another(),
                                                               .options = options_,
                                                               .command = prepared_->command,
                                                               .planner = std::move(planner),
                                                               .actions = std::move(*actions),
                                                               .queue = *queue,
                                                               .done = std::move(done_),
                                                               .there = std::move(left->lsns)},
                                                 *inFlight_);
    return {};
}

Outcome<int> MapRun::collect() {
    MapProgress progress(options_.showsBar);
    Delivery delivery(
        {.engine = invocation_.engine,
         .options = options_,
         .names = prepared_->names,
         .log = log_ ? &*log_ : nullptr,
         .progress = progress,
         .json = invocation_.json,
         .atOnce = prepared_->atOnce > 0 ? static_cast<std::size_t>(prepared_->atOnce) : Delivery::kMostFollowed});
    Collector collector({.engine = invocation_.engine,
                         .options = options_,
                         .inFlight = *inFlight_,
                         .delivery = delivery,
                         .progress = progress,
                         .queue = prepared_->queue,
                         .json = invocation_.json,
                         .submitsHeld = invocation_.arguments.has("hold")});
    bool isEnding = false;
    {
        const ThreadLock lock(mutex_);
        collector_ = &collector;
        isEnding = endRequested_;
    }
    if (isEnding) requestEnd(); // asked for while it was prepared
    const auto collected = collector.run();
    {
        const ThreadLock lock(mutex_);
        collector_ = nullptr;
    }
    return codeAfter(collected, collector, delivery);
}

Outcome<int> MapRun::codeAfter(const Outcome<void>& collected, const Collector& collector,
                               const Delivery& delivery) {
    const MapCounts& counts = collector.counts();
    ended_ = fmt::format("{} done, {} failed", counts.ended, counts.failed);
    if (delivery.readerLeft()) {
        endForReader();
        return kExitBySignal + SIGPIPE;
    }
    if (!collected) {
        // Of the disk here, or of an engine that is gone: with a log the map goes on from it.
        Failure failure = collected.error();
        if (log_)
            failure.message += "; --resume goes on from the job log";
        else
            dropQueues();
        return std::unexpected(std::move(failure));
    }
    forgetQueues();
    if (signal_ != 0) return kExitBySignal + signal_;
    if (const auto why = inFlight_->failure()) return std::unexpected(*why);
    if (const auto halted = collector.haltCode()) return *halted;
    return static_cast<int>(std::min(counts.failed, kMostFailuresTold));
}

/// Nobody reads. With a log the next map wants what the queue has; else it goes now, and that cancels it.
void MapRun::endForReader() {
    if (log_) return requestEnd();
    inFlight_->stop();
    forgetQueues();
}

/// Nothing goes on from them: what still runs is cancelled. One request each, the engine may be gone.
void MapRun::dropQueues() {
    inFlight_->stop();
    for (const std::string& queue : prepared_->queues) (void)invocation_.engine.remove("queues/" + queue);
}

/// What ended stays, the queue was of this map alone.
void MapRun::forgetQueues() {
    for (const std::string& queue : prepared_->queues)
        (void)invocation_.engine.callPatiently({.method = "DELETE", .path = "queues/" + queue});
}

Outcome<int> MapRun::detach() {
    while (!inFlight_->isFinished()) inFlight_->awaitSome(std::chrono::milliseconds(200));
    if (const auto why = inFlight_->failure()) return std::unexpected(*why);
    if (!log_) { // all values are read: nothing is to wait for
        const json::object change{{"config", json::object{{"idle_expiry_s", nullptr}}}};
        (void)invocation_.engine.callPatiently(
            {.method = "PATCH", .path = "queues/" + prepared_->queue, .body = compactJson(change)});
    }
    if (invocation_.arguments.has("hold") && !invocation_.json) tellHeldJobs(prepared_->queue);
    const std::int64_t jobs = prepared_->feeder->submitted();
    const std::string line = invocation_.json
                                 ? fmt::format("{{\"queue_id\":{},\"count\":{}}}\n", prepared_->queue, jobs)
                                 : fmt::format("{}\n", prepared_->queue);
    if (auto told = writeOutput(STDOUT_FILENO, line); !told) return failedWith(told.error());
    return signal_ != 0 ? kExitBySignal + signal_ : 0;
}

void MapRun::requestEnd() {
    inFlight_->stop();
    const ThreadLock lock(mutex_);
    endRequested_ = true;
    if (collector_) collector_->requestEnd();
    if (queue_.empty() || canceller_.joinable()) return;
    canceller_ = std::thread([this, queue = queue_, engine = invocation_.engine.another()] {
        constexpr std::chrono::seconds kLimit{10};
        const auto answer = engine->callPatiently(
            {.method = "POST", .path = fmt::format("queues/{}/cancel", queue), .silence = kLimit});
        // Another state: a halt was first.
        isCancelTaken_ = answer.has_value() || answer.error().kind == ErrorKind::WrongState;
        if (isCancelTaken_) return;
        (void)writeOutput(STDERR_FILENO,
                          errorLine(invocation_.json, errorName(answer.error().kind),
                                    fmt::format("cannot cancel queue {}: {}", queue, answer.error().message)));
    });
}

void MapRun::leaveAtOnce(int code) {
    std::string queue;
    {
        const ThreadLock lock(mutex_);
        queue = queue_;
    }
    const std::string words =
        queue.empty() ? std::string("nothing was submitted")
                      : fmt::format("queue {} is left to the engine{}; 'yardctl queue cancel {}' ends its jobs",
                                    queue, isCancelTaken_ ? ", which cancels it" : "", queue);
    (void)writeOutput(STDERR_FILENO, errorLine(invocation_.json, "interrupted", words));
    ::_exit(code);
}

Outcome<int> printCommands(const MapOptions& options) {
    auto source = openSource(options, -1);
    if (!source) return std::unexpected(source.error());
    auto command = commandOf(options, *source);
    if (!command) return std::unexpected(command.error());
    const std::int64_t cores = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
    const auto atOnce = options.jobs ? jobsAtOnce(*options.jobs, cores) : Outcome<std::int64_t>(cores);
    if (!atOnce) return std::unexpected(atOnce.error());
    auto planner = makePlanner(options, *command, std::move(*source), *atOnce, -1);
    while (true) {
        const auto job = planner.next();
        if (!job) return std::unexpected(job.error());
        if (!*job) return 0;
        const int slot = static_cast<int>(((*job)->seq - 1) % *atOnce) + 1;
        if (std::fputs((command->line((*job)->words(slot)) + '\n').c_str(), stdout) < 0) return kExitFailed;
    }
}

} // namespace yard::ctl
