#include "core/engine/running/timeline_keeper.h"

#include "core/base/log.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_set>

namespace yard::engine {

namespace {

constexpr Duration kWritePeriod{1'000'000};
constexpr std::int64_t kUsualSteps = 1'000;
constexpr std::int64_t kFinest = 1'000; ///< a millisecond a step
constexpr std::size_t kNamesPerSlice = 1'000;
/// Bars of a timeline whose commands are looked up, and whose indices; what is beyond has none.
constexpr std::size_t kNamedBars = 2'000;
/// The same of a part: of all of it.
constexpr std::size_t kNamedOfPart = 5'000;
/// What all bars of a part had waited for: one alone may have waited for ten thousand actions.
constexpr std::size_t kParentsOfPart = 20'000;

/// Each once; the newest, where they are too many.
std::vector<Lsn> newestOf(std::vector<Lsn> lsns, std::size_t most) {
    std::ranges::sort(lsns, std::greater<>());
    lsns.erase(std::ranges::unique(lsns).begin(), lsns.end());
    if (lsns.size() > most) lsns.resize(most);
    return lsns;
}

/// Asks for what each has until all of it came. Where that fails, bars that lack it are better than none.
coro::Task<void> inPortions(std::vector<Lsn> lsns, const auto& ask, auto keep) {
    while (!lsns.empty()) {
        auto found = co_await ask(lsns);
        if (!found || found->empty()) break;
        for (std::size_t i = 0; i < found->size(); ++i) keep(lsns[i], (*found)[i]);
        lsns.erase(lsns.begin(), lsns.begin() + std::ssize(*found));
    }
}

} // namespace

TimelineKeeper::TimelineKeeper(Parts parts, timeline::TimelineStore::Limits limits)
    : parts_(std::move(parts)) {
    std::vector<std::uint32_t> workers;
    for (std::uint32_t cls = 0; cls < parts_.dictionary.classCount(); ++cls) workers.push_back(workerOf(cls));
    store_ = std::make_shared<timeline::TimelineStore>(parts_.directory, std::move(workers), limits);
}

std::uint32_t TimelineKeeper::workerOf(std::uint32_t cls) {
    const ClassKey& key = parts_.dictionary.classKey(cls);
    const auto [at, isNew] = workerNumbers_.try_emplace(key.workerId, static_cast<std::uint32_t>(workers_.size()));
    if (isNew) workers_.push_back({key.workerId, key.workerName});
    return at->second;
}

void TimelineKeeper::note(timeline::Span span) {
    YARD_ASSERT_OWNER(owner_);
    if (span.begin == 0 || span.isOpen()) return; // it never began, as far as is known
    if (waiting_.size() >= kMostWaiting) {
        if (!std::exchange(toldFull_, true))
            logWarning("engine", "spans come faster than they are written: some are lost");
        return;
    }
    span.worker = workerOf(span.cls);
    waiting_.push_back(span);
    work_.set();
}

coro::Task<void> TimelineKeeper::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        co_await work_.wait();
        co_await coro::sleepFor(kWritePeriod);
        work_.clear();
        const coro::MutexGuard guard = co_await writing_.lock();
        const Result<void> done = co_await parts_.helpers.run(
            [store = store_, spans = std::exchange(waiting_, {})] { return store->append(spans); });
        if (done) toldFull_ = false;
        if (!done && !std::exchange(toldUnwritten_, true))
            logWarning("engine", "timelines cannot be kept: {}", done.error().message);
    }
}

std::vector<timeline::Span> TimelineKeeper::openSpans() {
    std::vector<timeline::Span> open = parts_.execution.openSpans();
    for (timeline::Span& one : open) one.worker = workerOf(one.cls);
    return open;
}

timeline::TimelineStore::Picture TimelineKeeper::pictureOf(const TimelineQuery& query, WallMicros now) const {
    timeline::TimelineStore::Picture picture;
    picture.to = std::max<WallMicros>(query.to.value_or(now), 1);
    picture.from = std::min(query.from.value_or(std::max<WallMicros>(picture.to - kUsualSpan, 0)), picture.to - 1);
    const std::int64_t span = picture.to - picture.from;
    picture.resolution =
        std::max({query.resolution ? query.resolution->count() : span / kUsualSteps, span / kMostSteps, kFinest});
    std::vector<bool> wanted;
    for (const TimelineView::Worker& worker : workers_)
        wanted.push_back(query.worker.empty() || worker.id == query.worker || worker.name == query.worker);
    picture.wanted = [wanted = std::move(wanted)](std::uint32_t worker) {
        return worker < wanted.size() && wanted[worker];
    };
    return picture;
}

coro::Task<TimelineView> TimelineKeeper::query(TimelineQuery query) {
    YARD_ASSERT_OWNER(owner_);
    TimelineView answer;
    answer.now = parts_.wallOf(MonoClock::now());
    coro::MutexGuard guard = co_await writing_.lock();
    std::vector<timeline::Span> open = openSpans();
    timeline::TimelineStore::Picture picture = pictureOf(query, answer.now);
    answer.view = co_await parts_.helpers.run([store = store_, picture = std::move(picture), open = std::move(open),
                                               spans = std::exchange(waiting_, {})] {
        // Where they cannot be written now, the next writing says so in the log.
        if (!spans.empty()) (void)store->append(spans);
        return store->draw(picture, open);
    });
    answer.workers = workers_;
    co_await addNames(answer, kNamedBars);
    co_return answer;
}

coro::Task<TimelinePart> TimelineKeeper::part(TimelineQuery query, timeline::TimelineStore::Place place) {
    YARD_ASSERT_OWNER(owner_);
    TimelinePart answer;
    answer.view.now = parts_.wallOf(MonoClock::now());
    coro::MutexGuard guard = co_await writing_.lock();
    // As of what is written now: what ends later is in no part any more, if this one is the last.
    const std::vector<timeline::Span> open = openSpans();
    const timeline::TimelineStore::Picture picture = pictureOf(query, answer.view.now);
    auto read = co_await parts_.helpers.run(
        [store = store_, picture, place, spans = std::exchange(waiting_, {})]() -> timeline::TimelineStore::Part {
            if (!spans.empty()) (void)store->append(spans);
            return store->read(picture, place);
        });
    answer.view.view = std::move(read.view);
    answer.next = read.next;
    answer.more = read.more;
    for (const timeline::Span& one : open) {
        const bool isShown = picture.wanted(one.worker) && one.begin != 0 && one.begin < picture.to;
        if (answer.more || !isShown) continue;
        answer.view.view.lanes.push_back(
            {.worker = one.worker, .slot = one.slot, .number = 0, .bars = {one}, .columns = {}});
    }
    answer.view.workers = workers_;
    co_await addNames(answer.view, kNamedOfPart);
    co_await addParents(answer.view);
    co_return answer;
}

coro::Task<void> TimelineKeeper::addNames(TimelineView& answer, std::size_t most) {
    std::size_t looked = 0;
    for (const timeline::LaneView& lane : answer.view.lanes)
        for (const timeline::Span& bar : lane.bars) {
            if (++looked % kNamesPerSlice == 0) co_await coro::yieldNow();
            if (!answer.functions.contains(bar.cls))
                answer.functions.emplace(bar.cls, parts_.dictionary.classKey(bar.cls).function);
            if (bar.label < parts_.dictionary.labelCount() && !answer.labels.contains(bar.label))
                answer.labels.emplace(bar.label, parts_.dictionary.label(bar.label));
        }
    co_await addCommands(answer, most);
    co_await addIndices(answer, most);
}

coro::Task<void> TimelineKeeper::addCommands(TimelineView& view, std::size_t most) {
    co_await inPortions(view.unnamed(most), parts_.commands, [&view](Lsn lsn, std::string& command) {
        if (!command.empty()) view.commands.emplace(lsn, std::move(command));
    });
}

coro::Task<void> TimelineKeeper::addIndices(TimelineView& view, std::size_t most) {
    co_await inPortions(view.templated(most), parts_.indices,
                        [&view](Lsn lsn, const std::optional<std::int64_t>& index) {
                            if (index) view.indices.emplace(lsn, *index);
                        });
}

/// Of a part, which has some thousand bars; of those that waited for the most some arrows are missing.
coro::Task<void> TimelineKeeper::addParents(TimelineView& view) {
    if (!parts_.parents) co_return;
    std::vector<Lsn> lsns;
    for (const timeline::LaneView& lane : view.view.lanes)
        for (const timeline::Span& bar : lane.bars)
            if (bar.attempt == 1) lsns.push_back(bar.lsn);
    std::size_t left = kParentsOfPart;
    co_await inPortions(newestOf(std::move(lsns), std::numeric_limits<std::size_t>::max()), parts_.parents,
                        [&view, &left](Lsn lsn, std::vector<store::LsnRun>& parents) {
                            if (parents.size() > left) parents.resize(left);
                            left -= parents.size();
                            if (!parents.empty()) view.parents.emplace(lsn, std::move(parents));
                        });
}

std::vector<Lsn> TimelineView::unnamed(std::size_t most) const {
    std::vector<Lsn> lsns;
    for (const timeline::LaneView& lane : view.lanes) {
        if (workers[lane.worker].id != "exec") continue;
        for (const timeline::Span& bar : lane.bars)
            if (bar.label == 0) lsns.push_back(bar.lsn);
    }
    return newestOf(std::move(lsns), most);
}

std::vector<Lsn> TimelineView::templated(std::size_t most) const {
    std::unordered_set<std::uint32_t> templates;
    for (const auto& [label, text] : labels)
        if (text.contains("{index}")) templates.insert(label);
    std::vector<Lsn> lsns;
    if (templates.empty()) return lsns;
    for (const timeline::LaneView& lane : view.lanes)
        for (const timeline::Span& bar : lane.bars)
            if (templates.contains(bar.label)) lsns.push_back(bar.lsn);
    return newestOf(std::move(lsns), most);
}

void TimelineKeeper::save() {
    if (waiting_.empty()) return;
    if (auto done = store_->append(std::exchange(waiting_, {})); !done)
        logWarning("engine", "timelines could not be kept: {}", done.error().message);
}

} // namespace yard::engine
