#include "core/http/event_hub.h"

#include "core/base/log.h"
#include "core/coro/loop.h"
#include "core/coro/suspend.h"
#include "core/engine/allocators/allocators.h"
#include "core/engine/machines/machines.h"
#include "core/engine/objects/objects.h"
#include "core/engine/reading/watching.h"
#include "core/engine/state/change_log.h"
#include "core/http/allocator_json.h"
#include "core/http/machine_json.h"
#include "core/http/web_socket.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <iterator>

namespace yard::http {

namespace {

using engine::KnownRows;
using engine::Watch;
using engine::WatchedChanges;
using engine::WatchUpdate;

constexpr Duration kTick{33'000};
/// A pause is at least this many times as long as the turn before it.
constexpr int kPauseFactor = 9;
constexpr Duration kLongestPause{500'000};
/// Of fields of the objects of one frame.
constexpr std::size_t kMostFieldBytes = std::size_t{1} << 20;
/// Frames between two yields.
constexpr std::size_t kFramesPerSlice = 32;

template<class List>
bool eraseSorted(List& list, Lsn lsn) {
    const auto at = std::ranges::lower_bound(list, lsn);
    if (at == list.end() || *at != lsn) return false;
    list.erase(at);
    return true;
}

/// The rows that a watcher of a filter has after this update: the newest. Older ones that gave way are told as
/// gone.
std::shared_ptr<const KnownRows> keepNewest(const engine::WatchRequest& request, WatchUpdate& update) {
    KnownRows had;
    if (!request.allRows) had = *request.known;
    for (const Lsn gone : update.goneRows) eraseSorted(had, gone);
    auto known = std::make_shared<KnownRows>();
    std::ranges::set_union(had, update.rows, std::back_inserter(*known));
    while (known->size() > engine::kMaxWatchedRows) {
        const Lsn oldest = known->front();
        known->erase(known->begin());
        eraseSorted(update.rows, oldest);
        if (std::ranges::binary_search(had, oldest)) update.goneRows.push_back(oldest);
    }
    return known;
}

bool hasRows(const Watch& watch) {
    return watch.kind == Watch::Kind::Lsns || watch.kind == Watch::Kind::Filter ||
           watch.kind == Watch::Kind::Objects;
}

/// As GET objects has it. Fields that do not fit into `room` are left out.
std::string objectJson(engine::ObjectView& view, std::size_t& room) {
    if (view.row.fields.size() > room) view.row.fields = "{}";
    room -= std::min(room, view.row.fields.size());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    engine::writeObject(writer, view);
    writer.closeObject();
    return text;
}

/// [{"name","counts"}] of all types of objects.
std::string typesJson(const std::vector<engine::ObjectTypeView>& types) {
    std::string text;
    JsonWriter writer(text);
    writer.openArray();
    for (const engine::ObjectTypeView& type : types) {
        writer.openObject();
        writer.member("name", type.name);
        writer.key("counts");
        engine::writeCounts(writer, type.counts);
        writer.closeObject();
    }
    writer.closeArray();
    return text;
}

} // namespace

struct EventHub::Watcher {
    std::shared_ptr<const Watch> watch;
    std::string watchText; ///< the message that asked for it
    std::uint64_t seen = 0;
    bool everything = false;           ///< begins again with the next frame
    std::optional<QueueId> afterQueue; ///< in the middle of that
    bool allRows = false;              ///< all rows of the watch are due
    bool confirm = false;              ///< the watch is new: say so
    bool wantsAlerts = false;
    std::shared_ptr<const KnownRows> known = std::make_shared<KnownRows>();
    std::optional<std::uint64_t> resumeFrom; ///< for the first watch of ends: where he was before

    std::shared_ptr<const std::string> frame; ///< under way, or next
    std::string error;                        ///< answer to his last message, if it was wrong
    bool stopping = false;                    ///< the server stops: say goodbye
    bool gone = false;                        ///< nobody reads any more
    coro::ConditionVariable changed;

    bool isDue(std::uint64_t latest) const {
        return !frame && !gone && !stopping && (everything || allRows || confirm || seen < latest);
    }
};

/// Watchers who are told the same.
struct EventHub::Group {
    engine::WatchRequest request;
    bool confirm = false;
    bool wantsAlerts = false;
    std::vector<WatcherPtr> watchers;
    std::map<Lsn, std::string> objects{}; ///< that are told, as JSON

    bool takes(const Watcher& watcher) const {
        return request.watch == watcher.watch && request.seen == watcher.seen && confirm == watcher.confirm &&
               request.everything == watcher.everything && request.afterQueue == watcher.afterQueue &&
               request.allRows == watcher.allRows && wantsAlerts == watcher.wantsAlerts &&
               (request.known == watcher.known || *request.known == *watcher.known);
    }
};

// --- one connection

coro::Task<void> EventHub::serve(WebSocket& socket, std::optional<Since> since, bool wantsAlerts) {
    auto watcher = std::make_shared<Watcher>();
    watcher->wantsAlerts = wantsAlerts;
    watcher->watch = nothing_;
    const bool greeted = co_await greet(socket, *watcher, std::move(since));
    if (!greeted) co_return socket.cut();
    socket.onStop([watcher] {
        watcher->stopping = true;
        watcher->changed.notifyAll();
    });
    enter(watcher);
    coro::ThreadGroup writer;
    writer.spawn("events writer", write(socket, watcher));
    std::exception_ptr trouble;
    try {
        co_await read(socket, *watcher);
    } catch (...) {
        trouble = std::current_exception();
    }
    leave(watcher);
    if (trouble) socket.cut();
    co_await writer.stop();
    if (trouble) std::rethrow_exception(trouble);
}

/// The first frame: who speaks, and from where the watcher goes on.
coro::Task<bool> EventHub::greet(WebSocket& socket, Watcher& watcher, std::optional<Since> since) {
    engine::WatchRequest request;
    request.watch = watcher.watch;
    request.seen = since ? since->seq : 0;
    std::vector<engine::WatchRequest> requests{request};
    const WatchedChanges now = co_await engine_.ask(&engine::Watching::collect, std::move(requests));
    if (now.updates.empty()) co_return false; // the engine closes
    const bool resumed =
        since && since->runId == now.session.runId && now.updates[0].kind == WatchUpdate::Kind::Told;
    watcher.everything = !resumed;
    watcher.seen = resumed ? since->seq : now.latest;
    if (resumed) watcher.resumeFrom = since->seq;
    latest_ = std::max(latest_, now.latest);
    const std::string hello = helloFrame(now.session, watcher.seen, resumed);
    co_return co_await socket.send(hello);
}

coro::Task<void> EventHub::read(WebSocket& socket, Watcher& watcher) {
    for (;;) {
        const auto message = co_await socket.read();
        if (!message) co_return;
        take(watcher, message->bytes, message->isText);
        co_await coro::giveWayIfSelfish();
    }
}

/// A new watch holds from the next frame on; one that is wrong changes nothing.
void EventHub::take(Watcher& watcher, std::string_view message, bool isText) {
    ++counters_.messages;
    Result<Watch> watch =
        isText ? parseWatch(message) : fail(ErrorKind::Malformed, "Send messages as text; this one was binary.");
    if (!watch) {
        watcher.error = errorFrame(watch.error());
        watcher.changed.notifyAll();
        return;
    }
    // Who asks in the same words shares the watch, so that frames can be shared.
    const auto same = std::ranges::find(
        watchers_, message, [](const WatcherPtr& other) -> std::string_view { return other->watchText; });
    watcher.watch = same == watchers_.end() ? std::make_shared<const Watch>(std::move(*watch)) : (*same)->watch;
    watcher.watchText = message;
    const Watch::Kind kind = watcher.watch->kind;
    watcher.allRows = hasRows(*watcher.watch);
    watcher.confirm = true;
    watcher.known = std::make_shared<KnownRows>();
    if (watcher.resumeFrom && kind == Watch::Kind::Finished && !watcher.everything)
        watcher.seen = *watcher.resumeFrom;
    watcher.resumeFrom.reset();
    due_.set();
}

coro::Task<void> EventHub::write(WebSocket& socket, WatcherPtr watcher) {
    while (!watcher->gone) {
        if (watcher->stopping) co_return co_await socket.close(CloseCode::GoingAway, "the engine stops");
        bool sent = true;
        if (!watcher->error.empty()) {
            const std::string error = std::exchange(watcher->error, {});
            sent = co_await socket.send(error);
        } else if (watcher->frame) {
            sent = co_await socket.send(*watcher->frame);
            ++counters_.frames;
            counters_.bytes += watcher->frame->size();
            watcher->frame.reset();
            if (watcher->isDue(latest_)) due_.set();
        } else {
            co_await watcher->changed.wait();
        }
        if (!sent) co_return socket.cut(); // read() ends with it
    }
}

void EventHub::enter(const WatcherPtr& watcher) {
    watchers_.push_back(watcher);
    counters_.watchers = watchers_.size();
    due_.set();
    if (running_) return;
    running_ = true;
    coro::spawn("events", run())->markService();
}

void EventHub::leave(const WatcherPtr& watcher) {
    watcher->gone = true;
    watcher->changed.notifyAll();
    std::erase(watchers_, watcher);
    counters_.watchers = watchers_.size();
    due_.set();
}

// --- all of them

coro::Task<void> EventHub::run() {
    coro::ThreadGroup listener;
    listener.spawn("events listener", listen());
    try {
        while (!watchers_.empty()) {
            co_await due_.wait();
            due_.clear();
            const MonoTime begun = MonoClock::now();
            co_await tellAll();
            armed_.set();
            if (watchers_.empty()) break;
            co_await coro::sleepFor(std::clamp(kPauseFactor * (MonoClock::now() - begun), kTick, kLongestPause));
        }
    } catch (const std::exception& problem) {
        logError("http", "events: {}", problem.what());
        closeAll();
    } catch (const coro::Interrupted&) {
        // The server goes down.
    }
    running_ = false;
    co_await listener.stop();
}

coro::Task<void> EventHub::listen() {
    for (;;) {
        co_await armed_.wait();
        armed_.clear();
        std::uint64_t newest = 0;
        do newest = co_await engine_.ask(&engine::ChangeLog::after, latest_);
        while (newest != 0 && newest <= latest_);
        if (newest == 0) co_return closeAll(); // the engine closes
        latest_ = newest;
        due_.set();
    }
}

void EventHub::closeAll() {
    for (const WatcherPtr& watcher : watchers_) {
        watcher->stopping = true;
        watcher->changed.notifyAll();
    }
}

std::vector<EventHub::Group> EventHub::groupDue() const {
    std::vector<Group> groups;
    for (const WatcherPtr& watcher : watchers_) {
        if (!watcher->isDue(latest_)) continue;
        auto at = std::ranges::find_if(groups, [&](const Group& group) { return group.takes(*watcher); });
        if (at == groups.end()) {
            Group group;
            group.confirm = watcher->confirm;
            group.wantsAlerts = watcher->wantsAlerts;
            group.request = {.watch = watcher->watch,
                             .seen = watcher->seen,
                             .everything = watcher->everything,
                             .afterQueue = watcher->afterQueue,
                             .allRows = watcher->allRows,
                             .known = watcher->known};
            at = groups.insert(groups.end(), std::move(group));
        }
        at->watchers.push_back(watcher);
    }
    // Who waited longest is told first: not all may have room.
    std::ranges::sort(groups, {}, [](const Group& group) { return group.request.seen; });
    return groups;
}

coro::Task<void> EventHub::tellAll() {
    std::vector<Group> groups = groupDue();
    if (groups.empty()) co_return;
    std::vector<engine::WatchRequest> requests;
    for (const Group& group : groups) requests.push_back(group.request);
    WatchedChanges collected = co_await engine_.ask(&engine::Watching::collect, std::move(requests));
    if (collected.updates.size() != groups.size()) co_return closeAll(); // the engine closes
    std::string machines;
    std::string allocators;
    if (std::ranges::any_of(collected.updates, &WatchUpdate::machines)) {
        machines = machinesJson(co_await engine_.ask(&engine::Machines::list));
        allocators = allocatorsJson(co_await engine_.ask(&engine::Allocators::list));
    }
    std::string types;
    if (std::ranges::any_of(collected.updates, &WatchUpdate::types))
        types = typesJson(co_await engine_.ask(&engine::Objects::counts));
    for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i].request.watch->kind == Watch::Kind::Objects)
            co_await addObjects(groups[i], collected.updates[i]);
    FrameWriter frames(collected, std::move(machines), std::move(types), std::move(allocators));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        // A watcher may have asked for something else meanwhile, or left: he is not of the group any more.
        std::erase_if(groups[i].watchers, [&](const WatcherPtr& watcher) {
            return watcher->gone || watcher->frame || !groups[i].takes(*watcher);
        });
        if (!groups[i].watchers.empty()) tell(groups[i], collected.updates[i], frames);
        if (i % kFramesPerSlice == kFramesPerSlice - 1) co_await coro::yieldNow();
    }
    latest_ = std::max(latest_, collected.latest);
    if (std::ranges::any_of(watchers_, [&](const WatcherPtr& watcher) { return watcher->isDue(latest_); }))
        due_.set();
}

/// Those of its watch: all, or of what changed. They are the rows of the update; the others that the watcher has are gone.
coro::Task<void> EventHub::addObjects(Group& group, WatchUpdate& update) {
    if (update.kind != WatchUpdate::Kind::Told || (!group.request.allRows && update.objects.empty())) co_return;
    const Watch& watch = *group.request.watch;
    engine::ObjectQuery query{.type = watch.objectType, .status = watch.objectStatus, .text = watch.objectFields};
    query.parent = watch.objectParent;
    query.limit = static_cast<int>(engine::kMaxWatchedRows);
    if (!group.request.allRows) query.among = update.objects;
    auto list = co_await engine_.ask(&engine::Objects::list, std::move(query));
    // No such type, or none with such a status or field (yet): then there are no such objects.
    const bool isNone =
        !list && (list.error().kind == ErrorKind::NotFound || list.error().kind == ErrorKind::Invalid);
    if (!list && !isNone) { // that they are gone would be untrue
        update.kind = WatchUpdate::Kind::Later;
        co_return;
    }
    std::size_t room = kMostFieldBytes;
    if (list)
        for (engine::ObjectView& view : list->rows) group.objects[Lsn(view.row.id)] = objectJson(view, room);
    for (const auto& [id, text] : group.objects) update.rows.push_back(id);
    if (group.request.allRows) co_return;
    for (const std::int64_t id : update.objects)
        if (!group.objects.contains(Lsn(id)) && std::ranges::binary_search(*group.request.known, Lsn(id)))
            update.goneRows.emplace_back(id);
}

void EventHub::tell(Group& group, const WatchUpdate& told, FrameWriter& frames) {
    if (told.kind == WatchUpdate::Kind::Later) return;
    if (told.kind == WatchUpdate::Kind::Lost) {
        const auto frame = std::make_shared<const std::string>(resyncFrame(latest_));
        for (const WatcherPtr& watcher : group.watchers) {
            ++counters_.resyncs;
            watcher->everything = true;
            watcher->afterQueue.reset();
            watcher->allRows = hasRows(*watcher->watch);
            give(*watcher, frame);
        }
        return;
    }
    WatchUpdate update = told;
    auto known = group.request.known;
    const Watch::Kind kind = group.request.watch->kind;
    if (kind == Watch::Kind::Filter || kind == Watch::Kind::Objects) known = keepNewest(group.request, update);
    FrameWriter::Options options{.everything = group.request.everything, .allRows = group.request.allRows};
    options.alerts = group.wantsAlerts;
    if (kind == Watch::Kind::Objects) options.objects = &group.objects;
    if (group.confirm) options.confirmed = group.request.watch.get();
    auto frame = std::make_shared<const std::string>(frames.frame(update, options));
    if (!frame->empty()) ++counters_.written;
    for (const WatcherPtr& watcher : group.watchers) {
        watcher->seen = update.seq;
        watcher->everything = update.moreQueues;
        watcher->afterQueue.reset();
        if (update.moreQueues) watcher->afterQueue = update.queues.back();
        watcher->allRows = watcher->confirm = false;
        watcher->known = known;
        if (!frame->empty()) give(*watcher, frame);
    }
}

void EventHub::give(Watcher& watcher, std::shared_ptr<const std::string> frame) {
    watcher.frame = std::move(frame);
    watcher.changed.notifyAll();
}

} // namespace yard::http
