// Recordings: what one that runs does until it is over.
#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/recordings/recordings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace yard::engine {

using recording::RecordingState;

namespace {

constexpr std::size_t kRecordedAtOnce = 200;    // actions that are read and written at once
constexpr std::size_t kPortionBytes = 8u << 20; // of what they were asked to do: written before more is read
constexpr std::size_t kAheadOfPast = 1'000;     // of the past: those that wait to be written
constexpr WallMicros kGroupTime = 1'000'000;    // what was written is in the file after so long
constexpr int kPastPage = 1'000;

} // namespace

coro::Task<void> Recordings::follow(std::shared_ptr<Live> live) {
    while (!live->isStopping || !live->waiting.empty()) {
        if (live->waiting.empty())
            co_await waitForWork(live);
        else
            co_await writeSome(live);
    }
    co_await finish(live);
}

coro::Task<void> Recordings::waitForWork(const std::shared_ptr<Live>& live) {
    live->work.clear();
    if (!live->isUncommitted) {
        co_await live->work.wait();
        co_return;
    }
    if (co_await coro::comesWithin(Duration(kGroupTime), live->work)) co_return;
    const auto stand = co_await writing_.run([tape = live->tape] { return tape->commit(); });
    live->isUncommitted = stand && stand->isUncommitted;
    live->committed = parts_.now();
    if (stand)
        take(*live, *stand);
    else
        cut(*live, stand.error().message);
}

coro::Task<void> Recordings::writeSome(const std::shared_ptr<Live>& live) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(kRecordedAtOnce, live->waiting.size()));
    std::vector<Lsn> lsns(live->waiting.begin(), live->waiting.begin() + count);
    live->waiting.erase(live->waiting.begin(), live->waiting.begin() + count);
    live->room.set();
    auto rows = co_await parts_.read(lsns);
    if (!rows) co_return cut(*live, rows.error().message);
    auto missed = std::ssize(lsns) - std::ssize(*rows);
    std::deque<ActionResult> left(std::make_move_iterator(rows->begin()), std::make_move_iterator(rows->end()));
    do {
        auto items = co_await itemsOf(*live, left);
        if (!co_await writePortion(live, std::move(items), std::exchange(missed, 0))) break;
    } while (!left.empty());
}

/// False: it could not be written, and the recording is cut.
coro::Task<bool> Recordings::writePortion(const std::shared_ptr<Live>& live, std::vector<TapeItem> items,
                                          std::int64_t missed) {
    const bool isDue = parts_.now() - live->committed >= kGroupTime;
    auto write = [tape = live->tape, items = std::move(items), missed, isDue,
                  stop = writing_.stopping()]() mutable {
        auto stand = tape->write(std::move(items), missed, stop);
        return stand && isDue ? tape->commit() : stand;
    };
    const auto stand = co_await writing_.run(std::move(write));
    if (!stand) cut(*live, stand.error().message);
    if (!stand) co_return false;
    live->isUncommitted = !isDue || stand->isUncommitted;
    if (isDue) live->committed = parts_.now();
    take(*live, *stand);
    co_return true;
}

/// Those that are meant, with what they were asked to do: taken from `rows` until that is much.
coro::Task<std::vector<TapeItem>> Recordings::itemsOf(const Live& live, std::deque<ActionResult>& rows) {
    std::vector<TapeItem> items;
    std::map<std::string, std::shared_ptr<const std::string>> workers;
    for (std::size_t bytes = 0; !rows.empty() && bytes < kPortionBytes; rows.pop_front()) {
        ActionResult& row = rows.front();
        // The list has said already who of the past is meant: it alone looks marks, comments and dependents up.
        if (!isEnded(row.state) || (!live.wish.ofThePast && !parts_.means(live.wish.which, row))) continue;
        TapeItem item{.result = std::move(row), .action = {}, .worker = {}};
        if (auto action = co_await parts_.action(item.result.lsn)) item.action = std::move(*action);
        auto& worker = workers[item.result.workerId];
        if (!worker) {
            worker = std::make_shared<const std::string>(parts_.worker(item.result.workerId));
            bytes += worker->size();
        }
        if (!worker->empty()) item.worker = worker;
        bytes += item.action.size();
        items.push_back(std::move(item));
    }
    co_return items;
}

void Recordings::take(Live& live, const Tape::Stand& stand) {
    live.span = stand.span;
    const auto found = entries_.find(live.wish.name);
    if (found == entries_.end()) return;
    RecordingView& view = found->second.view;
    view.counts = {.actions = stand.actions,
                   .failed = stand.failed,
                   .workers = stand.workers,
                   .chunks = stand.chunks,
                   .chunkBytes = stand.chunkBytes};
    view.bytes = stand.bytes;
    view.head.missed = stand.missed;
    view.head.gone = stand.gone;
}

/// Whatever becomes of the file, it is over: its state is told as it is.
coro::Task<void> Recordings::finish(std::shared_ptr<Live> live) {
    std::erase(running_, live);
    const RecordingState state = live->why.empty() ? RecordingState::Complete : RecordingState::Cut;
    const WallMicros now = parts_.now();
    auto end = [tape = live->tape, state, why = live->why, now] { return tape->end(state, why, now); };
    const auto stand = co_await writing_.run(std::move(end));
    (void)writing_.post([tape = std::exchange(live->tape, {})]() mutable { tape.reset(); });
    if (stand) take(*live, *stand);
    if (const auto found = entries_.find(live->wish.name); found != entries_.end()) {
        recording::RecordingHead& head = found->second.view.head;
        head.state = stand ? state : RecordingState::Cut;
        head.why = stand || !live->why.empty() ? live->why : stand.error().message;
        const bool isSpan = live->wish.ofThePast && live->span.last > 0;
        if (isSpan) head.started = live->span.first;
        head.ended = isSpan ? live->span.last : now;
        if (!head.why.empty()) logWarning("engine", "the recording {} has ended: {}", live->wish.name, head.why);
        found->second.live.reset();
    }
    live->over.set();
}

coro::Task<void> Recordings::takePast(std::shared_ptr<Live> live) {
    ListQuery query = live->wish.which;
    if (query.states.empty())
        query.states = {ActionState::Completed, ActionState::Failed, ActionState::Abandoned,
                        ActionState::Cancelled};
    query.sort = {.field = SortField::Lsn, .descending = false};
    query.limit = kPastPage;
    while (!live->isStopping) {
        auto page = co_await parts_.list(query);
        if (!page) co_return cut(*live, page.error().message);
        if (live->isStopping) co_return;
        std::ranges::transform(page->jobs, std::back_inserter(live->waiting), &ActionResult::lsn);
        live->work.set();
        if (page->cursor.empty()) break;
        query.cursor = page->cursor;
        while (!live->isStopping && live->waiting.size() > kAheadOfPast) {
            live->room.clear();
            co_await live->room.wait();
        }
    }
    live->isStopping = true;
    live->work.set();
}

} // namespace yard::engine
