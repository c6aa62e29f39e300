#include "core/engine/running/retention.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/store/taken_bytes.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <system_error>

namespace yard::engine {

namespace {

/// After a start others have more to do.
constexpr Duration kFirstAfter = std::chrono::minutes(1);
/// Without anything that finished or came in: for what grows old.
constexpr Duration kAtLeastEvery = std::chrono::hours(24);
/// Over the number that is kept by this much, a pass is due at once.
constexpr std::int64_t kSlackPart = 20;
constexpr std::int64_t kLeastSlack = 1'000;
constexpr int kMostRounds = 10;

// What one step takes of the store thread: about half a millisecond each.
constexpr int kRowsOfStep = 500;
constexpr std::size_t kChunksAtOnce = 50;
constexpr int kPagesAtOnce = 16;
constexpr Duration kMeasureStep{5'000};
constexpr Duration kBusyPause{100'000};
constexpr int kBusyTries = 100;
/// The journal looks for room every five seconds at least.
constexpr Duration kRoomPause{50'000};
constexpr int kRoomTries = 200;

constexpr std::int64_t kDayMicros = 24LL * 3600 * 1'000'000;

/// What the files of a tree take, each once however many names it has. What goes meanwhile is left out. Blocks.
std::int64_t bytesBelow(const std::string& directory) {
    std::int64_t bytes = 0;
    std::set<ino_t> seen;
    std::error_code failed;
    using Walk = std::filesystem::recursive_directory_iterator;
    for (Walk at(directory, failed); !failed && at != Walk(); at.increment(failed)) {
        struct stat status{};
        if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (status.st_nlink > 1 && !seen.insert(status.st_ino).second) continue;
        bytes += store::takenBytes(status);
    }
    return bytes;
}

} // namespace

/// What the settings keep.
struct Retention::Limits {
    std::int64_t days;
    std::int64_t actions;
    std::int64_t diskPercent;
    explicit Limits(const Settings& settings)
        : days(settings.keepDays)
        , actions(settings.keepActions)
        , diskPercent(settings.keepDiskPercent) {}
    friend bool operator==(const Limits&, const Limits&) = default;
};

struct Retention::Pass {
    explicit Pass(const Settings& settings)
        : limits(settings) {}
    const Limits limits; ///< as they were when it began: it looks at them in several places
    std::unique_ptr<store::Survey> survey;
    GcReport report;
    store::DiskUse use;
    std::uint64_t files = 0;
    store::RetirePlan plan;
    std::optional<store::ChunkFilter> filter;
    std::int64_t unusedBytes = 0;  ///< of this sweep
    std::int64_t droppedBytes = 0; ///< of this sweep
    bool stopped = false;          ///< the sweep cannot go on; the next pass does
};

// --- when

coro::Task<void> Retention::run() {
    YARD_ASSERT_OWNER(owner_);
    MonoTime last{};
    for (;;) {
        const Duration pause = last == MonoTime{} ? kFirstAfter : parts_.settings.cleanupEvery;
        const bool asked = co_await coro::comesWithin(pause, due_);
        due_.clear();
        const bool idle = finishedSince_ == 0 && written() == writtenBefore_ && recentBytes_ == 0;
        if (!asked && idle && last != MonoTime{} && MonoClock::now() - last < kAtLeastEvery) continue;
        last = MonoClock::now();
        const auto guard = co_await mutex_.lock();
        const Result<GcReport> done = co_await passAlone(false, false);
        if (!done) logWarning("retention", "clearing up was cut short: {}", done.error().message);
    }
}

void Retention::noteFinished() {
    YARD_ASSERT_OWNER(owner_);
    ++finishedSince_;
    const std::int64_t most = parts_.settings.keepActions;
    if (most == 0 || due_.isSet()) return;
    const std::int64_t now = finished_ + static_cast<std::int64_t>(finishedSince_);
    if (now > most + std::max(most / kSlackPart, kLeastSlack)) due_.set();
}

std::uint64_t Retention::written() const {
    const auto stats = parts_.files.stats();
    return stats.smallChunks + stats.files;
}

// --- the pass

coro::Task<Result<GcReport>> Retention::pass(bool dryRun) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    co_return co_await passAlone(dryRun, true);
}

coro::Task<Result<GcReport>> Retention::passAlone(bool dryRun, bool thorough) {
    auto pass = std::make_shared<Pass>(parts_.settings);
    pass->report.dryRun = dryRun;
    if (!dryRun && !parts_.store.writable()) co_await makeRoom();
    Result<void> good = co_await parts_.helpers.run([pass, store = &parts_.store]() -> Result<void> {
        auto survey = store::Survey::open(*store);
        if (!survey) return std::unexpected(survey.error());
        pass->survey = std::move(*survey);
        return {};
    });
    if (!dryRun) finishedSince_ = gone_ = 0;
    if (good) good = co_await measure(pass);
    const auto excess = [&] { return pass->report.usedBytes - pass->report.limitBytes - recentBytes_; };
    const bool limited = pass->limits.diskPercent > 0;
    if (good) good = co_await round(pass, dryRun && limited ? excess() : 0, thorough);
    for (int i = 0; good && !dryRun && limited && isCurrent(*pass) && excess() > 0 && i < kMostRounds; ++i) {
        const std::int64_t before = pass->report.bySize;
        good = co_await round(pass, excess(), true);
        if (pass->report.bySize == before) break;
    }
    if (!good) co_return std::unexpected(good.error());
    if (!isCurrent(*pass))
        pass->report.note = "The limits were changed meanwhile: the next pass goes by the new ones.";
    if (!dryRun) co_await parts_.helpers.run([reserve = parts_.reserve] { reserve.keep(); });
    const GcReport& report = pass->report;
    if (!dryRun && report.byAge + report.byCount + report.bySize + report.chunks > 0)
        logInfo("retention", "cleared up {} actions and {} chunks of {} bytes",
                report.byAge + report.byCount + report.bySize, report.chunks, report.chunkBytes);
    co_return report;
}

/// The disk is full, most likely: what is kept back of it may be enough for the journal.
coro::Task<void> Retention::makeRoom() {
    const bool gaveUp = co_await parts_.helpers.run([reserve = parts_.reserve] { return reserve.giveUpIfFull(); });
    for (int i = 0; gaveUp && !parts_.store.writable() && i < kRoomTries; ++i) co_await coro::sleepFor(kRoomPause);
}

/// One look for what goes, and its end; measures again.
coro::Task<Result<void>> Retention::round(PassPtr pass, std::int64_t bytesToFree, bool thorough) {
    Result<void> good = co_await planRetiring(pass, bytesToFree);
    const std::int64_t toGo = pass->plan.total();
    pass->report.byAge += pass->plan.byAge;
    pass->report.byCount += pass->plan.byCount;
    pass->report.bySize += pass->plan.bySize;
    const bool dryRun = pass->report.dryRun;
    if (good && !dryRun && toGo > 0) good = co_await retire(pass);
    const bool anything = toGo > 0 || thorough || recentBytes_ > 0 || written() != writtenBefore_;
    if (good && anything) good = co_await sweep(pass);
    if (!good || dryRun) co_return good;
    good = co_await compact(pass);
    if (good) good = co_await shrink(pass);
    if (good) good = co_await measure(pass);
    co_return good;
}

/// Calls `step` by helpers until it says that there is no more to do.
template<class F>
coro::Task<Result<void>> Retention::steps(PassPtr pass, F step) {
    for (;;) {
        const Result<bool> more = co_await parts_.helpers.run([pass, step]() mutable { return step(*pass); });
        if (!more) co_return std::unexpected(more.error());
        if (!*more) co_return Result<void>{};
    }
}

Duration Retention::pauseAfter(Duration step) {
    return pace_.after(step, {.now = MonoClock::now(),
                              .operations = parts_.store.stats().operations,
                              .ended = finishedSince_,
                              .gone = gone_,
                              .overLimit = overLimit_});
}

/// One step on the store thread, then a pause.
coro::Task<Result<store::SweepResult>> Retention::commit(store::Action action) {
    for (int i = 0;; ++i) {
        const MonoTime begun = MonoClock::now();
        store::AckDetail done = co_await parts_.committer.commit(action);
        if (done.error && done.error->kind == ErrorKind::Busy && i < kBusyTries) {
            co_await coro::sleepFor(kBusyPause);
            continue;
        }
        co_await coro::sleepFor(pauseAfter(MonoClock::now() - begun));
        if (done.error) co_return std::unexpected(*done.error);
        co_return done.swept ? std::move(*done.swept) : store::SweepResult{};
    }
}

coro::Task<Result<void>> Retention::measure(PassPtr pass) {
    auto folder = std::make_shared<unsigned>(0);
    auto bytes = std::make_shared<std::int64_t>(0);
    pass->files = 0;
    const Result<void> measured = co_await steps(pass, [folder, bytes](Pass& p) -> Result<bool> {
        const MonoTime until = MonoClock::now() + kMeasureStep;
        while (*folder < store::Survey::kFolders && MonoClock::now() < until)
            if (const Result<void> one = p.survey->measureFolder((*folder)++, *bytes, p.files); !one)
                return std::unexpected(one.error());
        return *folder < store::Survey::kFolders;
    });
    if (!measured) co_return measured;
    const std::int64_t workers = co_await parts_.helpers.run([path = parts_.workers] { return bytesBelow(path); });
    const Result<store::DiskUse> use = co_await parts_.helpers.run([pass] { return pass->survey->diskUse(); });
    if (!use) co_return std::unexpected(use.error());
    pass->use = *use;
    pass->use.files = *bytes;
    GcReport& report = pass->report;
    report.actionsKept = finished_ = pass->use.actions;
    report.usedBytes = pass->use.used();
    report.logBytes = pass->use.log;
    report.workersBytes = workers;
    report.diskBytes = pass->use.disk;
    report.limitBytes = pass->limits.diskPercent > 0 ? pass->use.disk / 100 * pass->limits.diskPercent : 0;
    overLimit_ = report.limitBytes > 0 && report.usedBytes > report.limitBytes;
    co_return Result<void>{};
}

// --- finished actions

coro::Task<Result<void>> Retention::planRetiring(PassPtr pass, std::int64_t bytesToFree) {
    const Limits& kept = pass->limits;
    const WallMicros now = wallNow();
    pass->plan = {};
    pass->plan.what.keptSince = now - parts_.youngest.count();
    if (kept.days > 0) pass->plan.what.endedBefore = now - kept.days * kDayMicros;
    store::RetireLimits limits;
    limits.bytesToFree = std::max<std::int64_t>(bytesToFree, 0);
    if (kept.actions > 0) limits.actionsToGo = std::max<std::int64_t>(pass->use.actions - kept.actions, 0);
    return steps(pass, [limits](Pass& p) { return p.survey->planStep(limits, p.plan); });
}

/// False: what it looks for is not what is asked for any more. What would go stays, and the next pass is due.
bool Retention::isCurrent(const Pass& pass) const {
    return pass.limits == Limits(parts_.settings);
}

coro::Task<Result<void>> Retention::retire(PassPtr pass) {
    for (Lsn from{1};;) {
        if (!isCurrent(*pass)) co_return Result<void>{};
        const Result<store::SweepResult> step =
            co_await commit(store::RetireOutdated{pass->plan.what, from, kRowsOfStep});
        if (!step) co_return std::unexpected(step.error());
        parts_.counters.retired += static_cast<std::uint64_t>(step->gone);
        gone_ += static_cast<std::uint64_t>(step->gone);
        for (const auto& [first, last] : step->runs)
            for (Lsn lsn = first; lsn <= last; ++lsn.value) parts_.retired(lsn);
        if (!step->more) co_return Result<void>{};
        from = step->next;
    }
}

// --- chunks

coro::Task<Result<void>> Retention::sweep(PassPtr pass) {
    const bool dryRun = pass->report.dryRun;
    const std::uint64_t written = this->written();
    pass->stopped = false;
    pass->unusedBytes = pass->droppedBytes = 0;
    pass->report.chunksRecent = 0;
    Result<void> good;
    if (!dryRun) {
        const Result<store::SweepResult> marking = co_await commit(store::ChunkMark{true});
        if (!marking) good = std::unexpected(marking.error());
    }
    if (good) good = co_await mark(pass);
    if (good) good = co_await findUnused(pass);
    pass->filter.reset();
    if (dryRun) co_return good;
    const Result<store::SweepResult> unmarked = co_await commit(store::ChunkMark{false});
    if (good && !unmarked) good = std::unexpected(unmarked.error());
    parts_.helpers.postDeletion([files = &parts_.files] { files->removeSetAside(); });
    if (!good || pass->stopped) co_return good;
    recentBytes_ = std::max<std::int64_t>(pass->unusedBytes - pass->droppedBytes, 0);
    writtenBefore_ = written;
    co_return good;
}

coro::Task<Result<void>> Retention::mark(PassPtr pass) {
    const Result<std::uint64_t> small = co_await parts_.helpers.run([pass] { return pass->survey->smallChunks(); });
    if (!small) co_return std::unexpected(small.error());
    pass->filter.emplace(*small + pass->files, ++passes_ * 0x9E3779B97F4A7C15ull);
    // What a dry run would retire is not referred to any more then; in earnest it is gone already.
    const store::ExpiredRows except = pass->report.dryRun ? pass->plan.what : store::ExpiredRows{};
    auto cursor = std::make_shared<store::Survey::MarkCursor>();
    co_return co_await steps(pass,
                             [cursor, except](Pass& p) { return p.survey->markStep(except, *p.filter, *cursor); });
}

coro::Task<Result<void>> Retention::findUnused(PassPtr pass) {
    auto after = std::make_shared<std::int64_t>(0);
    for (bool more = true; more && !pass->stopped;) {
        auto unused = std::make_shared<std::vector<store::UnusedChunk>>();
        const Result<bool> step = co_await parts_.helpers.run(
            [pass, after, unused] { return pass->survey->unusedSmall(*pass->filter, *after, *unused); });
        if (!step) co_return std::unexpected(step.error());
        more = *step;
        if (auto dropped = co_await drop(pass, std::move(*unused)); !dropped) co_return dropped;
    }
    for (unsigned folder = 0; folder < store::Survey::kFolders && !pass->stopped; ++folder) {
        auto unused = std::make_shared<std::vector<store::UnusedChunk>>();
        const Result<void> step = co_await parts_.helpers.run(
            [pass, folder, unused] { return pass->survey->unusedFiles(*pass->filter, folder, *unused); });
        if (!step) co_return step;
        if (auto dropped = co_await drop(pass, std::move(*unused)); !dropped) co_return dropped;
    }
    co_return Result<void>{};
}

/// What an attempt has put into the store, and the journal does not refer to yet, is recent unless that takes
/// longer than half the grace.
coro::Task<Result<void>> Retention::drop(PassPtr pass, std::vector<store::UnusedChunk> unused) {
    GcReport& report = pass->report;
    for (std::size_t at = 0; at < unused.size(); at += kChunksAtOnce) {
        const auto some = std::span(unused).subspan(at, std::min(kChunksAtOnce, unused.size() - at));
        store::DropUnused action;
        for (const store::UnusedChunk& chunk : some) {
            pass->unusedBytes += chunk.bytes;
            const bool recent = parts_.files.isRecent(chunk.hash);
            if (recent) ++report.chunksRecent;
            if (recent) continue;
            if (report.dryRun) {
                ++report.chunks;
                report.chunkBytes += chunk.bytes;
            }
            action.chunks.push_back(chunk.hash);
        }
        if (report.dryRun || action.chunks.empty()) continue;
        const Duration half = parts_.files.grace() / 2;
        const MonoTime now = MonoClock::now();
        if (const auto oldest = parts_.oldestCollection(); oldest && now - *oldest > half) {
            report.note = "Chunks were left alone: the outputs of an action are still being collected.";
            pass->stopped = true;
            break;
        }
        action.validUntil = now + half;
        const Result<store::SweepResult> step = co_await commit(std::move(action));
        if (!step && step.error().kind == ErrorKind::WrongState) {
            report.note = "Chunks were left alone: more came in than can be noted, or the journal was slow.";
            pass->stopped = true;
            break;
        }
        if (!step) co_return std::unexpected(step.error());
        report.chunks += step->gone;
        report.chunkBytes += step->bytes;
        pass->droppedBytes += step->bytes;
        parts_.counters.chunksDropped += static_cast<std::uint64_t>(step->gone);
        parts_.counters.chunkBytesDropped += static_cast<std::uint64_t>(step->bytes);
    }
    co_return Result<void>{};
}

// --- packs and pages

coro::Task<Result<void>> Retention::compact(PassPtr pass) {
    const auto sparse = co_await parts_.helpers.run([pass] { return pass->survey->sparsePacks(); });
    if (!sparse) co_return std::unexpected(sparse.error());
    for (const store::Survey::SparsePack& pack : *sparse) {
        for (bool more = true; more;) {
            const Result<store::SweepResult> step = co_await commit(store::CompactPack{pack.id});
            if (!step && step.error().kind == ErrorKind::Journal) co_return std::unexpected(step.error());
            if (!step) logWarning("retention", "pack {} stays as it is: {}", pack.id, step.error().message);
            more = step && step->more;
            if (step) pass->report.packs += step->gone;
        }
    }
    if (!sparse->empty()) parts_.helpers.postDeletion([files = &parts_.files] { files->removeSetAside(); });
    co_return Result<void>{};
}

coro::Task<Result<void>> Retention::shrink(PassPtr pass) {
    for (bool more = true; more;) {
        const Result<store::SweepResult> step = co_await commit(store::ShrinkJournal{kPagesAtOnce});
        if (!step) co_return std::unexpected(step.error());
        pass->report.journalPages += step->gone;
        more = step->more;
    }
    co_return Result<void>{};
}

} // namespace yard::engine
