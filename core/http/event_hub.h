// Carries the engine's changes to all who watch: a cooperative thread that asks the engine for what changed and
// gives each watcher who is ready one frame, at most 30 times a second; nothing runs while nothing changes.
// Watchers at the same place with the same watch share one frame.
//
// Owner: the http thread. Lifetime: outlives the Server whose connections it serves. Bounds: maxWatchers; each has
// one frame under way, at most about 1 MiB, and the rows of its filter; who is slow is told of everything missed in
// one frame, or, further behind than the engine keeps changes, that he has to begin again. After a turn
// that took long the next one waits, at most half a second: events take a tenth of a thread at most.
#pragma once

#include "core/coro/sync.h"
#include "core/coro/thread_group.h"
#include "core/engine/engine.h"
#include "core/engine/state/watch.h"
#include "core/http/event_frames.h"
#include "core/http/message.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::http {

/// What happened since the start.
struct EventCounters {
    std::uint64_t watchers = 0; ///< now
    std::uint64_t frames = 0;   ///< sent
    std::uint64_t written = 0;  ///< of them not shared with another watcher's
    std::uint64_t bytes = 0;
    std::uint64_t resyncs = 0;
    std::uint64_t messages = 0; ///< of watchers
};

class EventHub {
public:
    /// At most `maxWatchers` at once.
    EventHub(engine::Engine& engine, std::size_t maxWatchers)
        : engine_(engine)
        , maxWatchers_(maxWatchers) {}
    EventHub(const EventHub&) = delete;
    EventHub& operator=(const EventHub&) = delete;

    bool isFull() const { return watchers_.size() >= maxWatchers_; }
    /// Serves one connection to its end.
    coro::Task<void> serve(WebSocket& socket, std::optional<Since> since, bool wantsAlerts = false);
    const EventCounters& counters() const { return counters_; }

private:
    struct Watcher;
    struct Group;
    using WatcherPtr = std::shared_ptr<Watcher>;

    coro::Task<void> read(WebSocket& socket, Watcher& watcher);
    coro::Task<void> write(WebSocket& socket, WatcherPtr watcher);
    coro::Task<bool> greet(WebSocket& socket, Watcher& watcher, std::optional<Since> since);
    void enter(const WatcherPtr& watcher);
    void leave(const WatcherPtr& watcher);
    void take(Watcher& watcher, std::string_view message, bool isText);

    coro::Task<void> run();
    coro::Task<void> listen();
    coro::Task<void> tellAll();
    std::vector<Group> groupDue() const;
    coro::Task<void> addObjects(Group& group, engine::WatchUpdate& update);
    void tell(Group& group, const engine::WatchUpdate& update, FrameWriter& frames);
    void give(Watcher& watcher, std::shared_ptr<const std::string> frame);
    void closeAll();

    engine::Engine& engine_;
    const std::size_t maxWatchers_;
    const std::shared_ptr<const engine::Watch> nothing_ = std::make_shared<engine::Watch>();
    std::vector<WatcherPtr> watchers_;
    coro::Event due_;   ///< somebody may have to be told something
    coro::Event armed_; ///< what was known is told: listen for more
    std::uint64_t latest_ = 0;
    bool running_ = false;
    EventCounters counters_;
};

} // namespace yard::http
