#include "core/engine/running/stats_sampler.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"
#include "core/coro/timeout.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr Duration kBusyPeriod{1'000'000};
constexpr Duration kIdlePeriod{10'000'000};
constexpr Duration kSavePeriod{60'000'000};
/// More memory in use than at the last look by this much: whoever takes it is looked for at once.
constexpr std::int64_t kSurge = 256 << 20;

Result<void> writePieces(const std::string& path, const std::vector<history::StatsHistory::Piece>& pieces,
                         bool fromStart) {
    const UniqueFd fd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (fromStart ? O_TRUNC : 0), 0600));
    if (!fd) return failErrno("opening " + path, errno);
    for (const history::StatsHistory::Piece& piece : pieces) {
        std::string_view rest = piece.bytes;
        auto at = static_cast<off_t>(piece.at);
        while (!rest.empty()) {
            const ssize_t wrote = ::pwrite(fd.get(), rest.data(), rest.size(), at);
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) return failErrno("writing " + path, wrote < 0 ? errno : EIO);
            rest.remove_prefix(static_cast<std::size_t>(wrote));
            at += wrote;
        }
    }
    return {};
}

} // namespace

StatsSampler::StatsSampler(Parts parts)
    : parts_(std::move(parts)) {
    const auto file = readFile(parts_.path, history::StatsHistory::fileSize());
    if (!file && file.error().kind == ErrorKind::NotFound) return;
    isForeign_ = !file || !history_.restore(*file);
    if (isForeign_) logWarning("engine", "{} cannot be read: statistics begin again from nothing", parts_.path);
}

coro::Task<void> StatsSampler::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        work_.clear();
        co_await look();
        co_await saveSometimes();
        if (parts_.monitor.inFlight() == 0 && !parts_.isWatched())
            co_await coro::comesWithin(kIdlePeriod - kBusyPeriod, work_);
        co_await coro::sleepFor(kBusyPeriod);
    }
}

coro::Task<void> StatsSampler::look() {
    const auto guard = co_await mutex_.lock();
    if (last_ && MonoClock::now() - lastAt_ < kBusyPeriod / 2) co_return;
    const std::vector<UsageQuestion> due = parts_.monitor.dueForUsage(MonoClock::now(), kTreesAtOnce);
    const Adopter adopter = parts_.adopter();
    const int launcher = adopter.pid;
    const Look seen =
        co_await parts_.helpers.run([adopter, due, journal = parts_.journal, stop = parts_.helpers.stopping()] {
            Look look;
            std::vector<Leader> leaders;
            leaders.reserve(due.size());
            for (const UsageQuestion& question : due) {
                leaders.push_back(question.leader);
                if (!question.outputs) continue;
                if (runners::holdsMoreThan(runners::lookAtOutputs(*question.outputs).get(), question.outputLimits,
                                           stop))
                    look.overOutputs.push_back(question.id);
            }
            look.trees = readTrees(leaders, adopter);
            look.machine = readMachine(adopter.pid, journal);
            return look;
        });
    const MonoTime now = MonoClock::now();
    parts_.monitor.noteUsage(due, seen.trees, now);
    parts_.monitor.endOverOutputs(seen.overOutputs);
    if (!seen.machine) co_return; // no such thing here
    if (launcher != lastLauncher_) {
        endedBefore_ = actions_ - (seen.machine->ended.value_or(0) + parts_.monitor.processorTimeOfRunning(now));
        lastLauncher_ = launcher;
    }
    note(*seen.machine, now);
    if (parts_.looked) parts_.looked(*seen.machine);
}

/// What ended counts as the launcher's children, what runs as it was last looked at, and as if it had gone on like that:
/// looks are seconds apart, and all that came between two would stand in one step. An end may be counted in both
/// for a moment: the sum then stands still until it is right again.
std::int64_t StatsSampler::actionsTime(const MachineReading& reading, MonoTime now) {
    const std::int64_t sum = endedBefore_ + reading.ended.value_or(0) + parts_.monitor.processorTimeOfRunning(now);
    return reading.ended ? std::max(actions_, sum) : actions_;
}

std::int64_t StatsSampler::finishedAs(ActionState state) const {
    const auto& byReason = parts_.counters.finished[std::to_underlying(state)];
    return static_cast<std::int64_t>(std::reduce(byReason.begin(), byReason.end()));
}

void StatsSampler::note(const MachineReading& reading, MonoTime now) {
    const std::int64_t actions = actionsTime(reading, now);
    const session::SessionCounts counts = parts_.session.views().counts();
    // Of the session one fewer has failed when somebody retries it.
    const std::int64_t completed = finishedAs(ActionState::Completed);
    const std::int64_t failed = finishedAs(ActionState::Failed);
    if (last_ && reading.memoryBytes - last_->memoryBytes > kSurge) parts_.surged();
    if (last_ && now > lastAt_) {
        const auto span = static_cast<double>((now - lastAt_).count());
        const auto busy = static_cast<double>(std::max<std::int64_t>(reading.busy - last_->busy, 0)) / span;
        history::StatsSample sample;
        sample.cpuActions = std::min(static_cast<double>(actions - actions_) / span, busy);
        sample.cpuOthers = busy - sample.cpuActions;
        sample.memoryBytes = reading.memoryBytes;
        sample.pending = counts.all.pending;
        sample.running = counts.all.running;
        sample.completed = completed - lastCompleted_;
        sample.failed = failed - lastFailed_;
        for (const GpuView& gpu : parts_.gpus ? parts_.gpus() : std::vector<GpuView>()) {
            const host::GpuFigures& seen = gpu.figures;
            if (seen.utilisationPercent)
                sample.gpuPercent = sample.gpuPercent.value_or(0) + *seen.utilisationPercent;
            if (seen.memoryUsedBytes)
                sample.gpuMemoryBytes = sample.gpuMemoryBytes.value_or(0) + *seen.memoryUsedBytes;
        }
        history_.add(parts_.wallOf(lastAt_), parts_.wallOf(now), sample);
        engine_.cpuPercent =
            100 * static_cast<double>(std::max<std::int64_t>(reading.engine - last_->engine, 0)) / span;
    }
    engine_.rssBytes = reading.engineRss;
    engine_.journalBytes = reading.journalBytes;
    engine_.diskBytes = reading.diskBytes;
    engine_.diskFreeBytes = reading.diskFreeBytes;
    actions_ = actions;
    last_ = reading;
    lastAt_ = now;
    lastCompleted_ = completed;
    lastFailed_ = failed;
}

coro::Task<history::StatsView> StatsSampler::query(history::StatsQuery query) {
    YARD_ASSERT_OWNER(owner_);
    co_await look();
    co_return history_.query(query, parts_.wallOf(MonoClock::now()));
}

coro::Task<void> StatsSampler::saveSometimes() {
    const MonoTime now = MonoClock::now();
    if (savedAt_ != MonoTime{} && now - savedAt_ < kSavePeriod) co_return;
    savedAt_ = now;
    const Result<void> done = co_await parts_.helpers.run(
        [path = parts_.path, pieces = history_.takeChanged(), fromStart = std::exchange(isForeign_, false)] {
            return writePieces(path, pieces, fromStart);
        });
    if (!done && !std::exchange(told_, true))
        logWarning("engine", "statistics cannot be kept, they end with this engine: {}", done.error().message);
}

void StatsSampler::save() {
    if (auto done = writePieces(parts_.path, history_.takeChanged(), isForeign_); !done)
        logWarning("engine", "statistics could not be kept: {}", done.error().message);
}

} // namespace yard::engine
