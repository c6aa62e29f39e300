#include "core/engine/recordings/replays.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/json/json_writer.h"
#include "core/model/limits.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace yard::engine {

using recording::RecordedAction;
using recording::RecordingReader;
using recording::RunDifference;

namespace {

constexpr std::size_t kReadAtOnce = 100;
constexpr std::size_t kMostOnTheWay = 2'000; // submitted, and not compared
constexpr std::size_t kMostBytesOnTheWay = 64u << 20;
constexpr Duration kLookWhetherCancelled{1'000'000};
constexpr Duration kComparedFor = std::chrono::minutes(1); // one action; others wait for it
constexpr std::array<std::string_view, 4> kReplayStates = {"running", "done", "cancelled", "failed"};

std::optional<std::int64_t> indexOf(const ActionSpec& spec) {
    return spec.array ? std::optional(spec.array->from) : std::nullopt;
}

} // namespace

std::string_view name(ReplayState state) {
    return kReplayStates.at(std::to_underlying(state));
}

// --- commands

Result<Replays::ReplayPtr> Replays::find(std::int64_t id) const {
    const auto found = replays_.find(id);
    if (found != replays_.end()) return found->second;
    return fail(ErrorKind::NotFound, "There is no such replay (any more); GET replays lists those there are.");
}

void Replays::makeRoom() {
    while (replays_.size() >= kMostReplays) {
        const auto over = std::ranges::find_if(
            replays_, [](const auto& one) { return one.second->view.state != ReplayState::Running; });
        if (over == replays_.end()) return;
        replays_.erase(over);
    }
}

coro::Task<Result<ReplayView>> Replays::start(std::string recording, recording::ReplayTerms terms) {
    YARD_ASSERT_OWNER(owner_);
    const auto runs = std::ranges::count_if(
        replays_, [](const auto& one) { return one.second->view.state == ReplayState::Running; });
    if (std::cmp_greater_equal(runs, kMostRunningReplays))
        co_return fail(ErrorKind::AtLimit, fmt::format("{} replays run already: cancel one, or wait.", runs));
    const auto path = co_await parts_.file(recording);
    if (!path) co_return std::unexpected(path.error());
    makeRoom();
    const auto replay = std::make_shared<Replay>();
    replay->terms = std::move(terms);
    replay->view.id = ++lastId_;
    replay->view.recording = recording;
    replay->view.started = parts_.now();
    replays_.emplace(replay->view.id, replay);
    auto open = [path = *path]() -> Result<std::pair<std::shared_ptr<RecordingReader>, std::int64_t>> {
        auto reader = RecordingReader::open(path);
        if (!reader) return std::unexpected(reader.error());
        const auto counts = reader->counts();
        if (!counts) return std::unexpected(counts.error());
        return std::pair(std::make_shared<RecordingReader>(std::move(*reader)), counts->actions);
    };
    auto opened = co_await reading_.run(std::move(open));
    auto queue = opened ? co_await parts_.addQueue(fmt::format("replay {} of {}", replay->view.id, recording))
                        : Result<QueueView>(std::unexpected(opened.error()));
    if (!queue) {
        replays_.erase(replay->view.id);
        co_return std::unexpected(queue.error());
    }
    std::tie(replay->reader, replay->view.actions) = std::move(*opened);
    replay->view.queue = queue->id;
    parts_.spawn("replay", run(replay));
    parts_.spawn("replay results", collect(replay));
    co_return replay->view;
}

coro::Task<std::vector<ReplayView>> Replays::list() {
    YARD_ASSERT_OWNER(owner_);
    std::vector<ReplayView> views;
    for (const auto& [id, replay] : replays_) views.push_back(replay->view);
    co_return views;
}

coro::Task<Result<ReplayView>> Replays::get(std::int64_t id) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = find(id);
    if (!found) co_return std::unexpected(found.error());
    co_return (*found)->view;
}

coro::Task<Result<ReplayDifferences>> Replays::differences(std::int64_t id, std::size_t from, std::size_t limit) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = find(id);
    if (!found) co_return std::unexpected(found.error());
    const auto& all = (*found)->found;
    const std::size_t begin = std::min(from, all.size());
    const std::size_t end = begin + std::min({limit, kReplayDifferencesOfPage, all.size() - begin});
    ReplayDifferences page{.differences = {all.begin() + static_cast<std::ptrdiff_t>(begin),
                                           all.begin() + static_cast<std::ptrdiff_t>(end)}};
    if (end < all.size()) page.next = end;
    co_return page;
}

coro::Task<Result<ReplayView>> Replays::cancel(std::int64_t id) {
    YARD_ASSERT_OWNER(owner_);
    const auto found = find(id);
    if (!found) co_return std::unexpected(found.error());
    const ReplayPtr& replay = *found;
    if (replay->view.state != ReplayState::Running)
        co_return fail(ErrorKind::WrongState, "The replay is over already.");
    replay->isCancelled = true;
    replay->more.set();
    replay->room.set();
    co_await parts_.cancel(replay->view.queue);
    co_return replay->view;
}

// --- what is read, on the thread for that

/// Whether the content store has it now.
Result<bool> Replays::bring(RecordingReader& reader, store::ChunkStore& chunks, const Hash256& hash) {
    if (chunks.has(hash)) return true;
    const auto known = reader.hasChunk(hash);
    if (!known || !*known) return known;
    auto writer = chunks.writer(hash);
    if (!writer) return std::unexpected(writer.error());
    const auto copied =
        reader.chunk(hash, [&](std::string_view bytes) -> Result<void> { return writer->write(bytes); });
    if (!copied) return std::unexpected(copied.error());
    if (const auto finished = writer->finish(); !finished) return std::unexpected(finished.error());
    return true;
}

Replays::Prepared Replays::prepare(RecordingReader& reader, store::ChunkStore& chunks, const Filter& filter,
                                   RecordedAction action) {
    Prepared prepared{.action = std::move(action), .columns = {}, .text = {}, .worker = {}, .problem = {}};
    if (!filter.empty() && !filter.matches(recording::resultForFilter(prepared.action), wallNow())) {
        prepared.isMeant = false;
        return prepared;
    }
    auto columns = recording::columnsOf(prepared.action.result);
    if (columns) prepared.columns = std::move(*columns);
    const auto refuse = [&](std::string why) {
        prepared.problem = std::move(why);
        return std::move(prepared);
    };
    if (prepared.action.action.empty()) return refuse("What was asked of it was not kept.");
    auto parsed = parseAction(prepared.action.action);
    if (!parsed) return refuse(parsed.error().message);
    const auto bringAll = [&](const std::vector<Hash256>& hashes) -> std::string {
        for (const Hash256& hash : hashes) {
            const auto there = bring(reader, chunks, hash);
            if (!there) return there.error().message;
            if (!*there) return fmt::format("The chunk {} is neither here nor in the recording.", hash.hex());
        }
        return {};
    };
    if (auto problem = bringAll(parsed->spec->inputChunks()); !problem.empty()) return refuse(std::move(problem));
    if (const auto id = Hash256::fromHex(prepared.columns.worker)) {
        const auto canonical = reader.worker(*id);
        auto worker = canonical && *canonical ? parseWorker(**canonical) : Result<ParsedWorker>();
        if (canonical && *canonical && worker) {
            std::vector<Hash256> files;
            for (const auto& file : worker->descriptor->files) files.push_back(file.hash);
            if (auto problem = bringAll(files); !problem.empty()) return refuse(std::move(problem));
            prepared.worker = std::move(*worker);
        }
    }
    prepared.text = std::move(parsed->text);
    prepared.spec = std::move(parsed->spec);
    return prepared;
}

// --- submitting

coro::Task<void> Replays::run(ReplayPtr replay) {
    const auto done = co_await submitAll(replay);
    if (!done) {
        replay->view.why = done.error().message;
        replay->isCancelled = true;
        co_await parts_.cancel(replay->view.queue);
    }
    replay->isSubmitted = true;
    replay->more.set();
}

coro::Task<Result<void>> Replays::submitAll(ReplayPtr replay) {
    std::int64_t n = 0;
    while (!replay->isCancelled) {
        auto read = [reader = replay->reader, &chunks = parts_.chunks(), filter = replay->terms.filter,
                     n]() -> Result<std::vector<Prepared>> {
            auto page = reader->actions(n, kReadAtOnce);
            if (!page) return std::unexpected(page.error());
            std::vector<Prepared> prepared;
            for (RecordedAction& action : *page)
                prepared.push_back(prepare(*reader, chunks, filter, std::move(action)));
            return prepared;
        };
        auto page = co_await reading_.run(std::move(read));
        if (!page) co_return std::unexpected(page.error());
        if (page->empty()) break;
        for (Prepared& prepared : *page) {
            n = prepared.action.n;
            if (!prepared.isMeant) {
                --replay->view.actions; // those that are to run
                continue;
            }
            while (!replay->isCancelled && isFull(*replay)) {
                replay->room.clear();
                co_await replay->room.wait();
            }
            co_await waitUntilDue(replay, prepared.columns.times.front());
            if (replay->isCancelled) break;
            co_await submitOne(replay, std::move(prepared));
        }
    }
    co_return Result<void>{};
}

/// Nothing more is submitted for now.
bool Replays::isFull(const Replay& replay) {
    if (replay.terms.inOrder) return !replay.running.empty() || replay.isComparing;
    return replay.running.size() >= kMostOnTheWay || replay.runningBytes > kMostBytesOnTheWay;
}

coro::Task<void> Replays::waitUntilDue(const ReplayPtr& replay, WallMicros recorded) {
    if (replay->terms.speed <= 0 || recorded == 0) co_return;
    if (replay->firstRecorded == 0) replay->firstRecorded = recorded;
    const auto after = static_cast<double>(std::max<WallMicros>(recorded - replay->firstRecorded, 0));
    constexpr double kLongest = 1e15; // some thirty years
    const auto due =
        replay->view.started + static_cast<WallMicros>(std::min(after / replay->terms.speed, kLongest));
    for (WallMicros now = parts_.now(); !replay->isCancelled && now < due; now = parts_.now())
        co_await coro::sleepFor(std::min(Duration(due - now), kLookWhetherCancelled));
}

coro::Task<void> Replays::submitOne(const ReplayPtr& replay, Prepared prepared) {
    const Lsn recorded = prepared.columns.lsn;
    const auto impossible = [&](std::string why) {
        noteImpossible(*replay, recorded, prepared.columns.state, std::move(why));
    };
    if (prepared.text.empty()) co_return impossible(std::move(prepared.problem));
    const auto worker = co_await workerFor(*replay, prepared);
    if (!worker) co_return impossible(worker.error().message);
    auto parsed = parseAction(
        recording::replayedAction(prepared.text, *worker, edgesOf(*replay, *prepared.spec), replay->terms.machine));
    if (!parsed) co_return impossible(parsed.error().message);
    Submission submission;
    submission.queue.ref = QueueRef{.number = replay->view.queue, .token = {}};
    submission.actions.push_back(std::move(*parsed));
    const auto answer = co_await parts_.submit(std::move(submission));
    if (!answer) co_return impossible(answer.error().message);
    const Lsn lsn = answer->items.front().first;
    replay->lsns[recorded] = {.lsn = lsn, .index = indexOf(*prepared.spec)};
    replay->running.push_back({.recorded = recorded, .lsn = lsn, .result = std::move(prepared.action.result)});
    replay->runningBytes += replay->running.back().result.size();
    ++replay->view.submitted;
    replay->more.set();
}

/// What it runs on; registered, if the recording has it.
coro::Task<Result<std::string>> Replays::workerFor(const Replay& replay, Prepared& prepared) {
    if (prepared.spec->isExec()) co_return std::string("exec");
    const std::string& instead = replay.terms.worker;
    if (!instead.empty() && prepared.worker &&
        prepared.worker->descriptor->name == std::string_view(instead).substr(0, instead.find('@')))
        co_return instead;
    std::string id = prepared.columns.worker;
    if (parts_.isRegistered(id)) co_return id;
    if (!prepared.worker)
        co_return fail(ErrorKind::NotFound, "Its worker is neither registered nor in the recording.");
    if (auto added = co_await parts_.addWorker(std::move(*prepared.worker)); !added)
        co_return std::unexpected(added.error());
    co_return id;
}

/// As far as the recording has what it waited for; that came before it.
std::vector<Dependency> Replays::edgesOf(const Replay& replay, const ActionSpec& spec) const {
    std::vector<Dependency> edges;
    for (const Dependency& edge : spec.after) {
        auto known = replay.lsns.find(edge.lsn);
        std::optional<std::int64_t> index;
        // Elements were recorded one by one, with numbers and indices that follow each other.
        for (Lsn next = edge.lsn;
             known != replay.lsns.end() && known->first == next && edges.size() < kMaxDependencies;
             ++known, next = Lsn(next.value + 1)) {
            if (index && known->second.index != *index + 1) break;
            index = known->second.index;
            edges.push_back({.lsn = known->second.lsn, .on = edge.on, .isArray = false});
            if (!edge.isArray || !index) break;
        }
    }
    return edges;
}

// --- comparing

coro::Task<void> Replays::collect(ReplayPtr replay) {
    while (!replay->isSubmitted || !replay->running.empty()) {
        if (replay->running.empty()) {
            replay->more.clear();
            co_await replay->more.wait();
            continue;
        }
        Submitted one = std::move(replay->running.front());
        replay->running.pop_front();
        replay->runningBytes -= one.result.size();
        replay->isComparing = true;
        replay->room.set();
        if (!replay->isCancelled) co_await compare(replay, std::move(one));
        replay->isComparing = false;
        replay->room.set();
    }
    replay->view.state = !replay->view.why.empty() ? ReplayState::Failed
                         : replay->isCancelled     ? ReplayState::Cancelled
                                                   : ReplayState::Done;
    replay->view.finished = parts_.now();
    replay->lsns.clear();
    (void)reading_.post([reader = std::exchange(replay->reader, {})]() mutable { reader.reset(); });
}

coro::Task<void> Replays::compare(const ReplayPtr& replay, Submitted one) {
    Result<ActionResult> result;
    do {
        result = co_await parts_.waitFor(one.lsn, kLookWhetherCancelled);
    } while (result && !isEnded(result->state) && !replay->isCancelled);
    if (replay->isCancelled) co_return;
    if (!result) co_return noteImpossible(*replay, one.recorded, {}, result.error().message);
    auto hold = [reader = replay->reader, &chunks = parts_.chunks(), terms = replay->terms.compare,
                 stop = reading_.stopping(), recorded = std::move(one.result), replayed = toJson(*result)] {
        const auto content = [&](recording::RunSide side, const ChunkRef& chunk) -> std::optional<std::string> {
            std::string bytes;
            const auto add = [&](std::string_view more) -> Result<void> {
                if (bytes.size() + more.size() > recording::kMostComparedBytes)
                    return fail(ErrorKind::TooLarge, "It is larger than it says.");
                bytes += more;
                return {};
            };
            if (side == recording::RunSide::Recorded && reader->chunk(chunk.hash, add)) return bytes;
            auto kept = chunks.read(chunk.hash, recording::kMostComparedBytes);
            return kept ? std::optional(std::move(*kept)) : std::nullopt;
        };
        const MonoTime until = MonoClock::now() + kComparedFor;
        const auto goOn = [&] { return !stop.stop_requested() && MonoClock::now() < until; };
        return recording::compareRuns(recorded, replayed, terms, content, goOn);
    };
    auto differences = co_await reading_.run(std::move(hold));
    if (!differences) co_return noteImpossible(*replay, one.recorded, {}, differences.error().message);
    note(*replay, one.recorded, one.lsn, std::move(*differences));
    ++replay->view.ended;
}

void Replays::note(Replay& replay, Lsn recorded, Lsn lsn, std::vector<RunDifference> differences) {
    if (differences.empty()) return;
    ++replay.view.different;
    for (RunDifference& one : differences) {
        ++replay.view.differences;
        const std::size_t bytes = one.recorded.size() + one.replayed.size() + one.diff.size();
        const bool hasRoom =
            replay.found.size() < kMostReplayDifferences && replay.foundBytes + bytes <= kMostReplayDifferenceBytes;
        if (!hasRoom) continue;
        replay.foundBytes += bytes;
        replay.found.push_back({.lsn = recorded, .replayed = lsn, .difference = std::move(one)});
    }
}

void Replays::noteImpossible(Replay& replay, Lsn recorded, const std::string& state, std::string why) {
    ++replay.view.impossible;
    RunDifference difference{.what = "state", .recorded = {}, .replayed = {}, .diff = std::move(why)};
    if (!state.empty()) appendJsonString(difference.recorded, state);
    std::vector<RunDifference> one;
    one.push_back(std::move(difference));
    note(replay, recorded, {}, std::move(one));
}

} // namespace yard::engine
